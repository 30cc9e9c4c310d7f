"""GPU time of kernels that differ in one thing, in turn: the command line of such a benchmark."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence

import torch

from benchmarks.operation import Call
from benchmarks.tables import ratio, table
from benchmarks.timing import Stopwatch

Calls = Callable[[str, bool], Mapping[str, Call]]
"""Calls of the variants that a row has, on a device; small ones for a smoke run."""


def compare(
    benchmark: str,
    rows: Mapping[str, Calls],
    variants: Sequence[str],
    arguments: Sequence[str] | None,
    over: tuple[str, str] | None = None,
) -> int:
    """Time the variants of each row in turn, and print a table; returns the exit code.

    ``over``: two variants, of which the first one's time over the second one's is shown, too.
    """
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{benchmark}")
    parser.add_argument("--smoke", action="store_true", help="one call of each, without a GPU, too")
    smoke = parser.parse_args(arguments).smoke
    device = "cuda" if torch.cuda.is_available() else "cpu"
    if device == "cpu" and not smoke:
        print("no GPU found: time on one is what is measured; nothing was", file=sys.stderr)
        return 2
    lines: list[list[str]] = []
    for name, make in rows.items():
        calls = make(device, smoke)
        for call in calls.values():
            call()
        if smoke:
            shown = ["called" if one in calls else "" for one in variants]
            lines.append([name, *shown, *([""] if over else [])])
            continue
        watch = Stopwatch()
        hosts = {one: watch.host_us(call) for one, call in calls.items()}
        times = watch.gpu_us(calls, hosts)
        shown = [f"{times[one].median:.1f}" if one in times else "" for one in variants]
        if over:
            both = all(one in times for one in over)
            shown.append(ratio(times[over[0]].median / times[over[1]].median) if both else "")
        lines.append([name, *shown])
    head = ["GPU µs", *variants, *([" / ".join(over)] if over else [])]
    print(table(head, lines))
    return 0
