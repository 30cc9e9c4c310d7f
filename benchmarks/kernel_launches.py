"""Which kernels each provider launches, and what they take: to see why one is slower.

    python -m benchmarks.kernel_launches --ops softmax [--sizes large] [--dtypes fp16]

Traced by torch's profiler; of each kernel: its time, grid, threads, registers a thread, shared
memory, and how full it keeps the multiprocessors. ``waves`` is the grid over what the device holds
at once: 1.1 waves take as long as 2.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from benchmarks.cases import ChoiceError, choose, tasks
from benchmarks.contenders import function, left_out
from benchmarks.operation import DTYPES, LAYOUTS, PROVIDERS, SIZES, Call
from benchmarks.operations import operations

_WARM_UP = 3


@dataclass(frozen=True)
class Launch:
    """One kernel launch. Times in microseconds, ``shared`` in bytes."""

    name: str
    microseconds: float
    grid: tuple[int, ...]
    threads: int
    registers: int
    shared: int
    occupancy: float
    """Threads that a multiprocessor holds at once, over those that it can hold."""
    waves: float
    """Blocks over the blocks that the device holds at once."""


def launches(call: Call) -> list[Launch]:
    """The kernels that one call launches, in order."""
    for _ in range(_WARM_UP):
        call()
    torch.cuda.synchronize()
    activities = [torch.profiler.ProfilerActivity.CUDA, torch.profiler.ProfilerActivity.CPU]
    with torch.profiler.profile(activities=activities) as profiler:
        call()
        torch.cuda.synchronize()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.json"
        profiler.export_chrome_trace(str(path))
        events: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["traceEvents"]
    kernels = [event for event in events if event.get("cat") == "kernel"]
    return [_launch(event) for event in sorted(kernels, key=lambda event: float(event["ts"]))]


def _launch(event: dict[str, Any]) -> Launch:
    taken: dict[str, Any] = event["args"]
    threads = math.prod(int(size) for size in taken["block"])
    grid = tuple(int(size) for size in taken["grid"])
    registers, shared = int(taken["registers per thread"]), int(taken["shared memory"])
    at_once = resident_blocks(threads, registers, shared)
    return Launch(
        name=str(event["name"]),
        microseconds=float(event["dur"]),
        grid=grid,
        threads=threads,
        registers=registers,
        shared=shared,
        occupancy=at_once * threads / _device().max_threads_per_multi_processor,
        waves=math.prod(grid) / (at_once * _device().multi_processor_count),
    )


def _device() -> Any:
    cuda: Any = torch.cuda
    return cuda.get_device_properties(cuda.current_device())


def resident_blocks(threads: int, registers: int, shared: int) -> int:
    """How many blocks of so many threads one multiprocessor holds at once; at least one.

    Registers are given out by warps, 256 at a time, and each block takes 1 KiB of shared memory for
    itself (CUDA's occupancy calculator, compute capability 8.0 to 10.0).
    """
    device = _device()
    warps = -(-threads // device.warp_size)
    of_a_warp = -(-registers * device.warp_size // 256) * 256
    limits = (
        32,
        device.max_threads_per_multi_processor // (warps * device.warp_size),
        device.regs_per_multiprocessor // max(of_a_warp * warps, 1),
        device.shared_memory_per_multiprocessor // (shared + 1024),
    )
    return max(min(limits), 1)


_COLUMNS = ("µs", "grid", "threads", "registers", "shared", "occupancy", "waves", "kernel")


def _row(launch: Launch) -> tuple[str, ...]:
    return (
        f"{launch.microseconds:.1f}",
        "×".join(map(str, launch.grid)),
        str(launch.threads),
        str(launch.registers),
        str(launch.shared),
        f"{launch.occupancy:.0%}",
        f"{launch.waves:.2f}",
        launch.name[:60],
    )


def main() -> int:
    """Print the kernels of each case and provider that the command line names."""
    parser = argparse.ArgumentParser(description="the kernels that each provider launches")
    for name in ("ops", "providers", "sizes", "dtypes", "layouts"):
        parser.add_argument(f"--{name}", nargs="+", metavar="NAME")
    arguments = parser.parse_args()
    try:
        known = operations()
        chosen = [known[name] for name in choose("operation", arguments.ops, tuple(known))]
        providers = choose("provider", arguments.providers, PROVIDERS)
        cases = tasks(
            chosen,
            choose("size", arguments.sizes or ["large"], SIZES),
            choose("dtype", arguments.dtypes or ["fp16"], tuple(DTYPES)),
            choose("layout", arguments.layouts or ["contiguous"], LAYOUTS),
        )
    except ChoiceError as error:
        parser.error(str(error))
    if not torch.cuda.is_available():
        print("no GPU found: there is nothing to trace", file=sys.stderr)
        return 1
    for name, reason in (absent := left_out(providers, on_gpu=True)).items():
        print(f"{name} is left out: {reason}")
    for task in cases:
        operation = known[task.operation]
        for provider in providers:
            if provider in absent or (computes := function(provider, operation)) is None:
                continue
            inputs = operation.draw(task.size, task.dtype, task.layout, "cuda")
            print(f"\n{task.label}: {provider}")
            rows = [_COLUMNS, *map(_row, launches(operation.call(computes, inputs)))]
            widths = [max(len(row[column]) for row in rows) for column in range(len(_COLUMNS))]
            for row in rows:
                cells = (text.rjust(width) for text, width in zip(row, widths, strict=True))
                print("  " + "  ".join(cells))
    return 0


if __name__ == "__main__":
    sys.exit(main())
