"""The cases that the records of ``python -m benchmarks.kernels`` hold, and what follows from them.

Of several records of one provider in one case, the last counts, so that a run is merged into a file
by appending to it. Floors are those of the highest ceilings that were measured or reached.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from benchmarks.cases import label
from benchmarks.operation import OURS, PROVIDERS
from benchmarks.records import Record, environment_of, of_kind

SLOWER = 1.05
"""A case whose time is this many times the best provider's, or more, needs an explanation."""


@dataclass
class Case:
    """One operation at one size, element type and layout: each provider's record.

    ``floor_us`` is the least time that its bytes and operations take; None: no such peak is known.
    """

    measurements: dict[str, Record] = field(default_factory=dict[str, Record])
    floor_us: float | None = None

    @property
    def fields(self) -> Record:
        """A record, for the fields of the case."""
        return next(iter(self.measurements.values()))

    @property
    def operation(self) -> str:
        """The operation's name."""
        return self.fields["operation"]

    def gpu_us(self, provider: str) -> float | None:
        """The median of a provider's GPU time, or None."""
        return self.measurements.get(provider, {}).get("gpu_us")

    def ratio(self, provider: str, other: str) -> float | None:
        """GPU time of ``provider`` over that of ``other``: below 1, it is faster."""
        return _over(self.gpu_us(provider), self.gpu_us(other))

    def best(self, among: Iterable[str] | None = None) -> str | None:
        """The fastest provider (``among`` these), or None where none was timed."""
        names = self.measurements if among is None else among
        timed = [(time, name) for name in names if (time := self.gpu_us(name)) is not None]
        return min(timed)[1] if timed else None

    @property
    def fastest_other(self) -> str | None:
        """Of the other providers, the fastest."""
        return self.best(name for name in self.measurements if name != OURS)

    @property
    def speed(self) -> float | None:
        """Our speed relative to the fastest other provider."""
        best = self.fastest_other
        return None if best is None else self.ratio(best, OURS)

    @property
    def floor_share(self) -> float | None:
        """The least time over ours."""
        return _over(self.floor_us, self.gpu_us(OURS))

    def failures(self) -> dict[str, str]:
        """The providers that failed here, with their reasons."""
        records = self.measurements.items()
        return {name: record["failure"] for name, record in records if "failure" in record}


@dataclass(frozen=True)
class Results:
    """Runs that were put together. ``ceilings`` are rates a second, of ``"bytes"`` and of units.

    ``left_out`` names the providers that took no part in the last run, with the reasons;
    ``missing`` are the cases that a run was stopped before.
    """

    environment: Record
    ceilings: Mapping[str, float]
    cases: Sequence[Case]
    left_out: Mapping[str, str]
    missing: Sequence[str]

    @staticmethod
    def of(records: Sequence[Record]) -> Results:
        """What these records hold."""
        cases: dict[str, Case] = {}
        for record in of_kind(records, "kernel"):
            case = cases.setdefault(label(record), Case())
            # Sizes may have been changed since.
            if case.measurements and case.fields["shape"] != record["shape"]:
                case.measurements.clear()
            case.measurements[record["provider"]] = record
        ceilings = _ceilings(records, cases.values())
        for case in cases.values():
            case.floor_us = floor_us(case.fields, ceilings)
        last = max(place for place, one in enumerate(records) if one["kind"] == "environment")
        planned = dict.fromkeys(one["case"] for one in of_kind(records, "planned"))
        return Results(
            environment_of(records),
            ceilings,
            list(cases.values()),
            {one["provider"]: one["reason"] for one in of_kind(records[last:], "left out")},
            [name for name in planned if name not in cases],
        )

    def operations(self) -> list[str]:
        """The operations in alphabetical order."""
        return sorted({case.operation for case in self.cases})

    def of_operation(self, name: str) -> list[Case]:
        """The cases of an operation."""
        return [case for case in self.cases if case.operation == name]


def providers(cases: Iterable[Case]) -> list[str]:
    """The providers that were timed in one of the cases, ours first."""
    timed = {name for case in cases for name in case.measurements if case.gpu_us(name)}
    return [*(name for name in PROVIDERS if name in timed), *sorted(timed - {*PROVIDERS})]


def floor_us(work: Record, ceilings: Mapping[str, float]) -> float | None:
    """The least time in which so much can be moved and computed, or None: no such peak."""
    if not work.get("bytes") or "bytes" not in ceilings:
        return None
    times = [work["bytes"] / ceilings["bytes"]]
    if work["operations"]:
        if work["unit"] not in ceilings:
            return None
        times.append(work["operations"] / ceilings[work["unit"]])
    return max(times) * 1e6


def _ceilings(records: Sequence[Record], cases: Iterable[Case]) -> dict[str, float]:
    """The highest rates that were measured, or that a provider reached in a case.

    A library's product need not be the fastest that there is.
    """
    rates = [(one["unit"], one["per_second"]) for one in of_kind(records, "ceiling")]
    for case in cases:
        best, work = case.best(), case.fields
        us = None if best is None else case.gpu_us(best)
        if us and work.get("operations"):
            rates.append((work["unit"], work["operations"] / us * 1e6))
    highest: dict[str, float] = {}
    for unit, rate in rates:
        highest[unit] = max(rate, highest.get(unit, 0.0))
    return highest


def _over(one: float | None, other: float | None) -> float | None:
    return one / other if one is not None and other else None
