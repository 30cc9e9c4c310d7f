"""A tiny operation, a case and results of it, and a clock that takes no time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from benchmarks.operation import Call, Operation, Work, bytes_of
from benchmarks.results import Case, Ceilings, Environment, Measurement, Results, Times
from examples.runner import Draw


def double(input: torch.Tensor) -> torch.Tensor:
    """What the operation computes."""
    return input * 2


def inputs(draw: Draw, rows: int, columns: int) -> tuple[torch.Tensor, ...]:
    """A matrix."""
    return (draw(rows, columns),)


def work(input: torch.Tensor) -> Work:
    """One read, one write."""
    return Work(2 * bytes_of(input))


OPERATION = Operation(
    name="double",
    sizes={"small": (3, 4), "medium": (5, 4), "large": (9, 4), "ragged": (7, 5)},
    inputs=inputs,
    reference=double,
    work=work,
    ours=double,
    triton=lambda: double,
    torch=double,
    dtypes=("fp32",),
)
CEILINGS = Ceilings(bandwidth=1e12, peaks={"fp16": 1e15})


class FakeClock:
    """Gives the times that it is told; the calls are run."""

    def __init__(self, us: float = 4.0, graph_error: Exception | None = None) -> None:
        self.us = us
        self.graph_error = graph_error

    def gpu_us(
        self, calls: Mapping[str, Call], host_us: Mapping[str, float], samples: int | None = None
    ) -> dict[str, Times]:
        for call in calls.values():
            call()
        return {name: Times(self.us, self.us, self.us, samples or 10) for name in calls}

    def host_us(self, call: Call) -> float:
        call()
        return 7.0

    def graph_us(self, make: Callable[[], Call]) -> float:
        make()()
        if self.graph_error is not None:
            raise self.graph_error
        return 2.0


def environment(**changes: Any) -> Environment:
    """A machine."""
    fields: dict[str, Any] = {
        "device": "a GPU",
        "multiprocessors": 132,
        "l2_bytes": 1 << 25,
        "memory_bytes": 1 << 37,
        "driver": "1.2",
        "cuda": "13.0",
        "python": "3.12.3",
        "torch": "2.11.0",
        "triton": None,
        "ninetoothed": "0.1.0",
        "commit": "abc",
        "dirty": False,
        "date": "2026-01-31T12:00:00+00:00",
    }
    return Environment(**(fields | changes))


def case(size: str = "small", operation: str = "double", **us: float) -> Case:
    """A case with these medians of GPU time by provider; those below 0 failed."""
    return Case(
        operation=operation,
        size=size,
        numbers=(3, 4),
        dtype="fp32",
        layout="contiguous",
        bytes=1_000_000,
        operations=0,
        unit="fp16",
        floor_us=1.0,
        measurements={
            name: Measurement(Times(time, time, time, 10), host_us=3.0, error=1e-7)
            if time >= 0
            else Measurement(failure="wrong")
            for name, time in us.items()
        },
        seconds={"inputs": 0.5},
    )


def results(cases: Sequence[Case], **changes: Any) -> Results:
    """A complete run of these cases."""
    fields: dict[str, Any] = {
        "environment": environment(),
        "ceilings": CEILINGS,
        "cases": tuple(cases),
        "left_out": {"liger": "not installed"},
        "seconds": {"measure": 1.5},
        "complete": True,
    }
    return Results(**(fields | changes))
