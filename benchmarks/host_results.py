"""What the benchmarks of the host's time found, as files: launches, starts and compile times.

Each file is one JSON object in the shape of one of :data:`KINDS`; its entry ``benchmark`` says of
which. Results of ``python -m benchmarks.kernels`` have no such entry (``benchmarks.results``).
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, cast

from benchmarks.results import Environment, ResultsError, Times, decoded, write_text


@dataclass(frozen=True)
class LaunchCase:
    """Host microseconds of one asynchronous call, by provider."""

    name: str
    tensors: int
    us: Mapping[str, Times]
    note: str


@dataclass(frozen=True)
class Launches:
    """A run of ``benchmarks.launch``: ``calls`` in a batch, of which a time is the mean."""

    environment: Environment
    calls: int
    batches: int
    cases: tuple[LaunchCase, ...]


@dataclass(frozen=True)
class Start:
    """Seconds to the first result, in fresh processes.

    ``first`` is from the import to the synchronised result, ``imported`` the part until the
    package was imported and the kernel made. ``configurations`` were to choose from.
    """

    provider: str
    program: str
    cache: str
    configurations: int
    first: Times
    imported: Times


@dataclass(frozen=True)
class Starts:
    """A run of ``benchmarks.start``. ``torch`` is what came before: torch and the device."""

    environment: Environment
    repeats: int
    torch: Times
    cases: tuple[Start, ...]


@dataclass(frozen=True)
class CompileTime:
    """Median milliseconds of one kernel: ``passes`` by name and ``triton`` by stage, in order.

    ``total`` is from the frontend to TTIR.
    """

    kernel: str
    example: str
    dtype: str
    config: str
    frontend: float
    passes: Mapping[str, float]
    emit: float
    total: float
    triton: Mapping[str, float]


@dataclass(frozen=True)
class CompileTimes:
    """A run of ``benchmarks.compile_time``.

    ``files`` has milliseconds to run an example's file, ``frontend_of_lines`` of the frontend for
    an application of so many lines.
    """

    environment: Environment
    target: str
    repeats: int
    kernels: tuple[CompileTime, ...]
    files: Mapping[str, float]
    frontend_of_lines: Mapping[str, float]


HostResults: TypeAlias = Launches | Starts | CompileTimes
KINDS: dict[str, type[HostResults]] = {
    "launch": Launches,
    "start": Starts,
    "compile_time": CompileTimes,
}


def to_json(results: HostResults) -> str:
    """The file's text."""
    (name,) = (name for name, kind in KINDS.items() if type(results) is kind)
    fields = {"benchmark": name, **dataclasses.asdict(results)}
    return json.dumps(fields, indent=1, allow_nan=False) + "\n"


def from_json(text: str) -> HostResults:
    """The results that a file's text holds.

    Raises:
        ResultsError: it holds none.
    """
    fields = _fields(text)
    kind = KINDS.get(str(fields.pop("benchmark", None)))
    if kind is None:
        raise ResultsError(f"this is no benchmark of {', '.join(KINDS)}")
    return decoded(kind, fields, "results")


def write(path: Path, results: HostResults) -> None:
    """Writes the results so that no reader ever sees a part of them.

    Raises:
        OSError: the file cannot be written.
    """
    write_text(path, to_json(results))


def _fields(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError as error:
        raise ResultsError(f"this is no JSON: {error}") from error
    if not isinstance(found, dict):
        raise ResultsError("this is no JSON object")
    return cast("dict[str, Any]", found)
