"""Records: flat JSON objects, one a line of a results file.

The ``kind`` of a record says what it holds. A file begins with a record of the kind ``environment``
(``benchmarks.environment``); it is written while a run goes on, and only ever appended to. Times
are in the unit that their names end with; a field that is missing was not measured.

    for record in of_kind(read(Path("benchmarks/results/h200.jsonl")), "kernel"):
        print(record["operation"], record["provider"], record.get("gpu_us"))
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

Record = dict[str, Any]

PLATFORM = (
    "device", "multiprocessors", "l2_bytes", "memory_bytes", "driver", "cuda", "python", "torch",
    "triton", "ninetoothed",
)  # fmt: skip
"""The fields of an environment that two runs must share to be put together."""


class ResultsError(Exception):
    """A file holds no results, or results that cannot be put together with others."""


def append(path: Path, *records: Record) -> None:
    """Adds lines to a file, which is made where there is none.

    Raises:
        OSError: it cannot be written.
    """
    lines = (json.dumps(record, ensure_ascii=False, allow_nan=False) for record in records)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write("".join(f"{line}\n" for line in lines))


def write(path: Path, records: Iterable[Record]) -> None:
    """Makes a file of these lines; what was there is gone.

    Raises:
        OSError: it cannot be written.
    """
    path.unlink(missing_ok=True)
    append(path, *records)


def read(path: Path) -> list[Record]:
    """The records of a file.

    Raises:
        ResultsError: it cannot be read, or holds none.
    """
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
        found: list[Any] = [json.loads(line) for line in lines if line]
    except (OSError, ValueError) as error:
        raise ResultsError(f"{path} holds no results: {error}") from error
    if not all(isinstance(one, dict) for one in found) or not of_kind(found[:1], "environment"):
        raise ResultsError(f"{path} holds no results: its first line describes no environment")
    return found


def of_kind(records: Iterable[Record], *kinds: str) -> list[Record]:
    """The records of these kinds."""
    return [record for record in records if record.get("kind") in kinds]


def environment_of(records: Iterable[Record]) -> Record:
    """The newest environment, with the commits of all runs, ``", "`` between them."""
    found = of_kind(records, "environment")
    commits = dict.fromkeys(
        commit for one in found for commit in (one["commit"] or "").split(", ") if commit
    )
    dirty = any(one["dirty"] for one in found) or found[-1]["dirty"]
    return {**found[-1], "commit": ", ".join(commits) or None, "dirty": dirty}


def check_platform(old: Record, new: Record) -> None:
    """Compares two environments.

    Raises:
        ResultsError: they are of different machines or versions.
    """
    differing = ", ".join(
        f"{name} {old.get(name)} and {new.get(name)}"
        for name in PLATFORM
        if old.get(name) != new.get(name)
    )
    if differing:
        raise ResultsError(
            f"results of different platforms cannot be merged ({differing}); write to another file"
        )


def geometric_mean(values: Sequence[float]) -> float | None:
    """The geometric mean, or None of no values."""
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None
