"""A tiny operation, records of it, and a clock that takes no time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch

from benchmarks.operation import Call, Operation, Work, bytes_of
from benchmarks.records import Record
from benchmarks.timing import K, Times
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
CEILINGS: list[Record] = [
    {"kind": "ceiling", "unit": "bytes", "per_second": 1e12},
    {"kind": "ceiling", "unit": "fp16", "per_second": 1e15},
]


class FakeClock:
    """Gives the times that it is told; the calls are run."""

    def __init__(self, us: float = 4.0, graph_error: Exception | None = None) -> None:
        self.us = us
        self.graph_error = graph_error

    def gpu_us(
        self, calls: Mapping[K, Call], host_us: Mapping[K, float], samples: int | None = None
    ) -> dict[K, Times]:
        for call in calls.values():
            call()
        return {name: Times(self.us, self.us, self.us, samples or 10) for name in calls}

    def host_us(self, call: Call) -> float:
        call()
        return 7.0

    def once_us(self, call: Call) -> float:
        return self.host_us(call)

    def graph_us(self, make: Callable[[], Call]) -> float:
        make()()
        if self.graph_error is not None:
            raise self.graph_error
        return 2.0


def environment(benchmark: str = "kernels", **changes: Any) -> Record:
    """A machine."""
    fields: Record = {
        "kind": "environment",
        "benchmark": benchmark,
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
    return fields | changes


def case(
    size: str = "small", operation: str = "double", shape: str = "3 × 4", **us: float
) -> list[Record]:
    """A record of each provider with these medians of GPU time; those below 0 failed."""
    fields = {
        "kind": "kernel", "operation": operation, "size": size, "dtype": "fp32",
        "layout": "contiguous", "shape": shape,
    }  # fmt: skip
    works = {"bytes": 1_000_000, "operations": 0, "unit": "fp16", "error": 1e-7, "host_us": 3.0}
    return [
        {**fields, "provider": name}
        | (works | Times.of([time]).fields("gpu_us") if time >= 0 else {"failure": "wrong"})
        for name, time in us.items()
    ]


def run(*cases: list[Record], **changes: Any) -> list[Record]:
    """The records of a complete run of these cases."""
    missing = {"kind": "left out", "provider": "liger", "reason": "not installed"}
    found = [record for one in cases for record in one]
    return [environment(**changes), missing, *CEILINGS, *found]
