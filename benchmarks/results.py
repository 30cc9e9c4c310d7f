"""What a run of ``python -m benchmarks.kernels`` found, as a file.

One JSON object a run, in the shape of :class:`Results` and the classes above it: a dataclass is an
object of its fields, a tuple a list. Times are microseconds unless the name says otherwise. A field
that is None was not measured, and a neighbour says why.

    results = read(Path("benchmarks/results/h200.json"))
    for case in results.cases:
        print(case.label, case.ratio("ninetoothed", "torch"))
"""

from __future__ import annotations

import dataclasses
import json
import math
import statistics
import types
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, cast, get_args, get_origin, get_type_hints

from ninetoothed.runtime.artifact_cache import write_atomically

T = TypeVar("T")

SLOWER = 1.05
"""A case whose time is this many times the best provider's, or more, needs an explanation."""


class ResultsError(Exception):
    """A file holds no results, or results that cannot be put together with others."""


@dataclass(frozen=True)
class Environment:
    """The machine and the versions; ``commit`` and ``triton`` are None where there are none.

    Merged results may be of several commits, with ``", "`` between them.
    """

    device: str
    multiprocessors: int
    l2_bytes: int
    memory_bytes: int
    driver: str | None
    cuda: str | None
    python: str
    torch: str
    triton: str | None
    ninetoothed: str
    commit: str | None
    dirty: bool | None
    date: str
    """When the run began, UTC, as in ``2026-01-31T12:00:00+00:00``."""

    @property
    def platform(self) -> tuple[object, ...]:
        """All but the date and the commit: what two runs must share to be put together."""
        kept = dataclasses.replace(self, commit=None, dirty=None, date="")
        return dataclasses.astuple(kept)


@dataclass(frozen=True)
class Ceilings:
    """What the device can do, measured in the same run on random data.

    ``bandwidth`` is bytes a second, read and written, of a large copy; ``peaks`` are operations a
    second, by unit (``benchmarks.operation.Work.unit``), of a large matrix product of torch, or of
    any provider in a case that was faster.
    """

    bandwidth: float
    peaks: Mapping[str, float]

    def or_higher(self, other: Ceilings) -> Ceilings:
        """The higher of both, each by itself: of one device, the better measurement."""
        peaks = dict(self.peaks)
        for unit, peak in other.peaks.items():
            peaks[unit] = max(peak, peaks.get(unit, 0.0))
        return Ceilings(max(self.bandwidth, other.bandwidth), peaks)

    def floor_us(self, bytes: int, operations: int, unit: str) -> float | None:
        """The least time in which so much can be moved and computed, or None: no such peak."""
        times = [bytes / self.bandwidth]
        if operations:
            if unit not in self.peaks:
                return None
            times.append(operations / self.peaks[unit])
        return max(times) * 1e6


@dataclass(frozen=True)
class Times:
    """The median of a number of samples, and the quantiles 20 % and 80 %."""

    median: float
    low: float
    high: float
    samples: int

    @staticmethod
    def of(values: Sequence[float]) -> Times:
        """Those of these samples; a quantile lies between two of them where need be."""
        ordered = sorted(values)

        def quantile(share: float) -> float:
            position = share * (len(ordered) - 1)
            below = int(position)
            above = min(below + 1, len(ordered) - 1)
            return ordered[below] + (position - below) * (ordered[above] - ordered[below])

        return Times(statistics.median(ordered), quantile(0.2), quantile(0.8), len(ordered))


@dataclass(frozen=True)
class Measurement:
    """One provider in one case.

    ``gpu_us`` is GPU time with a flushed L2, ``host_us`` what one asynchronous call takes of the
    host, and ``graph_us`` the time of one call inside a CUDA graph, warm, where it was asked for
    (size ``small``); ``graph_failure`` says why it could not be captured. ``error`` is the largest
    relative error of the results, ``choice`` the tuner's configuration as text. Where ``failure``
    is not None nothing was timed.
    """

    gpu_us: Times | None = None
    host_us: float | None = None
    graph_us: float | None = None
    graph_failure: str | None = None
    error: float | None = None
    choice: str | None = None
    failure: str | None = None


@dataclass(frozen=True)
class Case:
    """One operation at one size, element type and layout, with each provider's measurement.

    ``numbers`` are the operation's for the size; ``bytes``, ``operations`` and ``unit`` the least
    work (``benchmarks.operation.Work``), and ``floor_us`` the time that it takes at the ceilings.
    All of these are 0 or None where not even the inputs could be made. ``seconds`` are wall-clock
    times of the parts of measuring it.
    """

    operation: str
    size: str
    numbers: tuple[int, ...]
    dtype: str
    layout: str
    bytes: int
    operations: int
    unit: str
    floor_us: float | None
    measurements: Mapping[str, Measurement]
    seconds: Mapping[str, float]

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What tells it from other cases."""
        return self.operation, self.size, self.dtype, self.layout

    @property
    def label(self) -> str:
        """The same for people."""
        return " ".join(self.key)

    def gpu_us(self, provider: str) -> float | None:
        """The median of a provider's GPU time, or None."""
        measurement = self.measurements.get(provider)
        if measurement is None or measurement.gpu_us is None:
            return None
        return measurement.gpu_us.median

    def ratio(self, provider: str, other: str) -> float | None:
        """GPU time of ``provider`` over that of ``other``: below 1, it is faster."""
        return _over(self.gpu_us(provider), self.gpu_us(other))

    def floor_ratio(self, provider: str) -> float | None:
        """GPU time of ``provider`` over the physical floor."""
        return _over(self.gpu_us(provider), self.floor_us)

    def best(self, among: Iterable[str] | None = None) -> str | None:
        """The fastest provider (``among`` these), or None where none was timed."""
        names = self.measurements if among is None else among
        timed = [(time, name) for name in names if (time := self.gpu_us(name)) is not None]
        return min(timed)[1] if timed else None

    def failures(self) -> dict[str, str]:
        """The providers that failed here, with their reasons."""
        return {
            name: measurement.failure
            for name, measurement in self.measurements.items()
            if measurement.failure is not None
        }


@dataclass(frozen=True)
class Results:
    """A run. ``left_out`` names the providers that took no part, with the reasons.

    ``seconds`` are wall-clock times of the parts of the run. ``complete`` is False where it was
    stopped before its last case; ``missing`` are then the labels of the cases that it did not get
    to.
    """

    environment: Environment
    ceilings: Ceilings
    cases: tuple[Case, ...]
    left_out: Mapping[str, str]
    seconds: Mapping[str, float]
    complete: bool
    missing: tuple[str, ...] = ()

    def with_reached_peaks(self) -> Results:
        """The same with the peaks that a provider reached in a case, where these are higher.

        A library's product need not be the fastest that there is. Floors are those of these peaks.
        """
        reached: dict[str, float] = {}
        for case in self.cases:
            times = [time for name in case.measurements if (time := case.gpu_us(name))]
            if case.operations and times:
                rate = case.operations / min(times) * 1e6
                reached[case.unit] = max(rate, reached.get(case.unit, 0.0))
        ceilings = self.ceilings.or_higher(Ceilings(0.0, reached))
        cases = [
            dataclasses.replace(
                case, floor_us=ceilings.floor_us(case.bytes, case.operations, case.unit)
            )
            for case in self.cases
        ]
        return dataclasses.replace(self, ceilings=ceilings, cases=tuple(cases))

    def to_json(self) -> str:
        """The file's text."""
        return json.dumps(dataclasses.asdict(self), indent=1, allow_nan=False) + "\n"

    @staticmethod
    def from_json(text: str) -> Results:
        """The results that a text holds.

        Raises:
            ResultsError: it holds none.
        """
        try:
            return decoded(Results, json.loads(text), "results")
        except ValueError as error:
            raise ResultsError(f"this is no JSON: {error}") from error


def read(path: Path) -> Results:
    """The results in a file.

    Raises:
        ResultsError: it cannot be read, or holds none.
    """
    try:
        return Results.from_json(path.read_text(encoding="utf-8"))
    except (OSError, ResultsError) as error:
        raise ResultsError(f"{path} holds no results: {error}") from error


def write(path: Path, results: Results) -> None:
    """Writes the results so that no reader ever sees a part of them.

    Raises:
        OSError: the file cannot be written.
    """
    write_text(path, results.to_json())


def write_text(path: Path, text: str) -> None:
    """Writes a file so that no reader ever sees a part of it.

    Raises:
        OSError: the file cannot be written.
    """
    write_atomically(path, text)
    # It was its owner's alone.
    path.chmod(0o644)


def merge(old: Results, new: Results) -> Results:
    """Both runs' cases; where both have one, each provider's newer measurement.

    Ceilings are the higher ones, and floors are those of them.

    Raises:
        ResultsError: the runs are of different machines or versions.
    """
    if old.environment.platform != new.environment.platform:
        names = [field.name for field in dataclasses.fields(Environment)]
        pairs = zip(names, old.environment.platform, new.environment.platform, strict=True)
        differing = ", ".join(f"{name} {one} and {two}" for name, one, two in pairs if one != two)
        raise ResultsError(
            f"results of different platforms cannot be merged ({differing}); write to another file"
        )
    cases = {case.key: case for case in old.cases}
    for case in new.cases:
        before = cases.get(case.key)
        # Sizes may have been changed since.
        if before is not None and before.numbers == case.numbers:
            measurements = {**before.measurements, **case.measurements}
            case = dataclasses.replace(case, measurements=measurements)
        cases[case.key] = case
    measured = {case.label for case in cases.values()}
    missing = dict.fromkeys([*old.missing, *new.missing])
    missing = tuple(label for label in missing if label not in measured)
    return dataclasses.replace(
        new,
        environment=_of_both(old.environment, new.environment),
        ceilings=old.ceilings.or_higher(new.ceilings),
        cases=tuple(cases.values()),
        complete=not missing,
        missing=missing,
    ).with_reached_peaks()


def _of_both(old: Environment, new: Environment) -> Environment:
    """The newer of two that have a platform in common, with all commits."""
    commits = ", ".join(one for one in (old.commit, new.commit) if one is not None)
    return dataclasses.replace(
        new,
        commit=", ".join(dict.fromkeys(commits.split(", "))) or None,
        dirty=old.dirty or new.dirty,
    )


def geometric_mean(values: Sequence[float]) -> float | None:
    """The geometric mean, or None of no values."""
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def _over(one: float | None, other: float | None) -> float | None:
    return one / other if one is not None and other else None


def decoded(kind: Any, value: Any, where: str) -> Any:
    """``value``, as JSON has it, in the type of a field that stands ``where``.

    Raises:
        ResultsError: it is of another type.
    """
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is types.UnionType:
        if value is None:
            return None
        (inner,) = (argument for argument in arguments if argument is not type(None))
        return decoded(inner, value, where)
    if dataclasses.is_dataclass(kind):
        return _decoded_object(cast("type[Any]", kind), _object(value, where), where)
    if origin is tuple:
        return tuple(
            decoded(arguments[0], entry, f"{where}[{position}]")
            for position, entry in enumerate(_list(value, where))
        )
    if origin is not None:
        fields = _object(value, where)
        return {name: decoded(arguments[1], one, f"{where}.{name}") for name, one in fields.items()}
    if kind is float and type(value) is int:
        return float(value)
    return _checked(kind, value, where)


def _decoded_object(kind: type[Any], fields: dict[str, Any], where: str) -> Any:
    hints = get_type_hints(kind)
    # A field with a default is younger than some files.
    optional = {field.name for field in dataclasses.fields(kind) if _has_default(field)}
    if wrong := sorted((fields.keys() ^ hints.keys()) - (optional - fields.keys())):
        raise ResultsError(f"{where} has too few fields or too many: {', '.join(wrong)}")
    return kind(
        **{name: decoded(hints[name], one, f"{where}.{name}") for name, one in fields.items()}
    )


def _has_default(field: dataclasses.Field[Any]) -> bool:
    missing = dataclasses.MISSING
    return field.default is not missing or field.default_factory is not missing


def _object(value: Any, where: str) -> dict[str, Any]:
    return cast("dict[str, Any]", _checked(dict, value, where))


def _list(value: Any, where: str) -> list[Any]:
    return cast("list[Any]", _checked(list, value, where))


def _checked(kind: type[T], value: Any, where: str) -> T:
    if type(value) is not kind:
        raise ResultsError(f"{where} is no {kind.__name__}, but {value!r:.40}")
    return value
