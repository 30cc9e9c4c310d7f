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
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import torch

from benchmarks.cases import ChoiceError, add_choices, chosen, label
from benchmarks.contenders import function, left_out, reason, set_up, start_case
from benchmarks.measure import drawn
from benchmarks.operation import Call
from benchmarks.operations import operations
from benchmarks.tables import table

_WARM_UP = 3
_NAME_LENGTH = 60
_BLOCKS = 32
"""Of any size, that a multiprocessor holds at most."""
_BLOCK_BYTES = 1024
"""Shared memory that each block takes for itself."""
_REGISTERS_AT_ONCE = 256
"""As many are given to a warp at a time."""


def trace(call: Call) -> list[dict[str, Any]]:
    """The profiler's events of one call, after a few others."""
    for _ in range(_WARM_UP):
        call()
    torch.cuda.synchronize()
    activities = [torch.profiler.ProfilerActivity.CUDA, torch.profiler.ProfilerActivity.CPU]
    # One cycle alone is recorded; without `acc_events`, torch warns that it would drop others.
    with torch.profiler.profile(activities=activities, acc_events=True) as profiler:
        call()
        torch.cuda.synchronize()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.json"
        profiler.export_chrome_trace(str(path))
        events: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["traceEvents"]
    return events


def launches(events: Iterable[Mapping[str, Any]], device: Any) -> str:
    """A line a kernel among a trace's events, in order; ``device`` is what torch knows of the GPU.

    The occupancy is the threads that a multiprocessor holds at once, over those that it can hold.
    """
    rows: list[list[str]] = []
    kernels = [event for event in events if event.get("cat") == "kernel"]
    for event in sorted(kernels, key=lambda one: float(one["ts"])):
        taken: Mapping[str, Any] = event["args"]
        threads, programs = math.prod(taken["block"]), math.prod(taken["grid"])
        registers, shared = taken["registers per thread"], taken["shared memory"]
        at_once = resident_blocks(device, threads, registers, shared)
        occupancy = at_once * threads / device.max_threads_per_multi_processor
        rows.append(
            [
                str(event["name"])[:_NAME_LENGTH],
                f"{float(event['dur']):.1f}",
                "×".join(map(str, taken["grid"])),
                *map(str, (threads, registers, shared)),
                f"{occupancy:.0%}",
                f"{programs / (at_once * device.multi_processor_count):.2f}",
            ]
        )
    head = ["kernel", "µs", "grid", "threads", "registers", "shared", "occupancy", "waves"]
    return table(head, rows)


def resident_blocks(device: Any, threads: int, registers: int, shared: int) -> int:
    """How many blocks of so many threads one multiprocessor holds at once; at least one.

    As CUDA's occupancy calculator has it for compute capabilities 8.0, 9.0 and 10.0.
    """
    warps = -(-threads // device.warp_size)
    of_a_warp = -(-registers * device.warp_size // _REGISTERS_AT_ONCE) * _REGISTERS_AT_ONCE
    limits = (
        _BLOCKS,
        device.max_threads_per_multi_processor // (warps * device.warp_size),
        device.regs_per_multiprocessor // max(of_a_warp * warps, 1),
        device.shared_memory_per_multiprocessor // (shared + _BLOCK_BYTES),
    )
    return max(min(limits), 1)


def main() -> int:
    """Print the kernels of each case and provider that the command line names."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.kernel_launches",
        description="the kernels that each provider launches",
    )
    add_choices(parser, sizes="large", dtypes="fp16", layouts="contiguous")
    arguments = parser.parse_args()
    known = operations()
    try:
        wanted = chosen(arguments, known)
        cases = wanted.tasks()
    except ChoiceError as error:
        parser.error(str(error))
    if not torch.cuda.is_available():
        print("no GPU found: there is nothing to trace", file=sys.stderr)
        return 1
    set_up()
    absent = left_out(wanted.providers, on_gpu=True)
    for name, why in absent.items():
        print(f"{name} is left out: {why}")
    cuda: Any = torch.cuda
    device = cuda.get_device_properties(cuda.current_device())
    failed = False
    for case in cases:
        operation = known[case["operation"]]
        start_case()
        for provider in wanted.providers:
            if provider in absent or (computes := function(provider, operation)) is None:
                continue
            print(f"\n{label(case)}: {provider}", flush=True)
            try:
                events = trace(operation.call(computes, drawn(operation, case, "cuda")))
                print(launches(events, device))
            except Exception as error:
                failed = True
                print(f"failed: {reason(error)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
