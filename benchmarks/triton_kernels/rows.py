"""What kernels share that have a row a program: their configurations, and how rows have to lie."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
import triton

MAX_ROW = 1 << 16
"""The longest row that a program can hold: 64 elements a thread of 32 warps."""

WHOLE = [triton.Config({}, num_warps=warps) for warps in (1, 2, 4, 8, 16, 32)]
"""For programs that hold their row."""

LOOPS = [
    triton.Config({"BLOCK": block, "STAGES": stages}, num_warps=warps)
    for block in (256, 512, 1024, 2048, 4096, 8192, 16384)
    for warps in (1, 2, 4, 8, 16, 32)
    # Elements a thread: less leaves loads narrow, more spills.
    if 8 <= block // (32 * warps) <= 32
    for stages in (1, 3)
]
"""For programs that go through their row in blocks; :func:`fitting` leaves 24 at most."""


def fitting(
    configs: Sequence[triton.Config], arguments: Mapping[str, Any], **_: Any
) -> list[triton.Config]:
    """Those whose block suits the argument ``columns``: not over it, nor far below."""
    largest = min(max(triton.next_power_of_2(arguments["columns"]), 256), 16384)
    smallest = min(largest // 8, 2048)
    return [
        config
        for config in configs
        if smallest <= config.kwargs["BLOCK"] <= largest
        # One block is no loop to run ahead in.
        and (config.kwargs["BLOCK"] < arguments["columns"] or config.kwargs["STAGES"] == 1)
    ]


def side_by_side(matrix: torch.Tensor) -> torch.Tensor:
    """The matrix, copied where the elements of a row do not lie one behind the other."""
    return matrix if matrix.stride(1) == 1 else matrix.contiguous()


def row_block(columns: int) -> int:
    """The block that holds a row.

    Raises:
        ValueError: the row is longer than a program can hold.
    """
    if columns > MAX_ROW:
        raise ValueError(f"a row of {columns} elements is too long: {MAX_ROW} can be held")
    return triton.next_power_of_2(columns)
