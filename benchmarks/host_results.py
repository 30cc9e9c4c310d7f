"""What the benchmarks of the host found, as files: launches, starts, compile times and choices.

Each file is one JSON object in the shape of one of :data:`KINDS`; its entry ``benchmark`` says of
which. Results of ``python -m benchmarks.kernels`` have no such entry (``benchmarks.results``).
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
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
class Churn:
    """Many calls of one kernel over many shapes, each of which comes back.

    ``signatures`` are those that the shapes have. ``first`` counts what our compiler lowered and
    what Triton compiled while each shape was called once, ``later`` in all calls after that; ``us``
    is their mean. Memory is in bytes, before and after these: the process's resident memory, and
    what Python allocated in ``traced`` further calls.
    """

    name: str
    shapes: int
    signatures: int
    calls: int
    first: int
    later: int
    us: float
    resident: tuple[int, ...]
    traced: int
    allocated: tuple[int, ...]


@dataclass(frozen=True)
class Launches:
    """A run of ``benchmarks.launch``: ``calls`` in a batch, of which a time is the mean."""

    environment: Environment
    calls: int
    batches: int
    cases: tuple[LaunchCase, ...]
    churn: tuple[Churn, ...] = ()


@dataclass(frozen=True)
class Start:
    """Seconds to the first result, in fresh processes.

    ``first`` is from the import to the synchronised result, ``imported`` the part until the
    package was imported and the kernel made. ``configurations`` were to choose from.
    ``uncompiled`` counts the modules that were imported meanwhile without byte code on disk, the
    most of any process. ``parts`` are the seconds of one more process, which takes the time of each
    (``benchmarks.parts``).
    """

    provider: str
    program: str
    cache: str
    configurations: int
    first: Times
    imported: Times
    uncompiled: int | None = None
    parts: Mapping[str, float] = field(default_factory=dict[str, float])


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


@dataclass(frozen=True)
class Choice:
    """A configuration, and its GPU time beside the others'. ``seconds``: what choosing it took."""

    config: str
    us: Times
    seconds: float | None = None


@dataclass(frozen=True)
class TuningCase:
    """A kernel on one call's arguments: the best configuration of its space, and those chosen.

    ``space`` configurations can be chosen, ``tried`` of which were compiled; ``failures`` counts
    those that could not be, or that ran wrongly, by reason, and ``timed`` the others. ``choices``
    has what was chosen by the tuner's mode, ``not_chosen`` why a mode chose nothing. ``rank`` is
    the place of the best in the model's order, from 1. ``seconds`` are those of the search's parts.
    """

    operation: str
    size: str
    numbers: tuple[int, ...]
    dtype: str
    space: int
    tried: int
    timed: int
    failures: Mapping[str, int]
    best: Choice
    rank: int
    choices: Mapping[str, Choice]
    not_chosen: Mapping[str, str]
    seconds: Mapping[str, float]

    def ratio(self, mode: str) -> float | None:
        """The time of a mode's choice over the best one's; None: it chose nothing."""
        choice = self.choices.get(mode)
        return None if choice is None else choice.us.median / self.best.us.median


@dataclass(frozen=True)
class Tunings:
    """A run of ``benchmarks.tuning``. ``starts``: fresh processes, tuned and fixed."""

    environment: Environment
    most: int | None
    cases: tuple[TuningCase, ...]
    starts: tuple[Start, ...]


HostResults: TypeAlias = Launches | Starts | CompileTimes | Tunings
KINDS: dict[str, type[HostResults]] = {
    "launch": Launches,
    "start": Starts,
    "compile_time": CompileTimes,
    "tuning": Tunings,
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
