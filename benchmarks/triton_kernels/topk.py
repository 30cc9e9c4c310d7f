"""The k largest elements of rows: a program a row, in blocks that it sorts as far as needed.

Elements are sorted as integers, keys, that say in their upper bits how large an element is and in
their lower bits where it was: the earlier the larger, so that of equal elements the first win.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
import triton
import triton.language as tl

from benchmarks.triton_kernels.rows import side_by_side
from benchmarks.triton_kernels.tuning import tuned

_BLOCKS = (128, 256, 512, 1024, 2048, 4096)


def _fitting(
    configs: Sequence[triton.Config], arguments: Mapping[str, Any], **constants: Any
) -> list[triton.Config]:
    """Those whose block is not over the row, and holds the elements to keep."""
    smallest = max(constants["KEPT"], _BLOCKS[0])
    largest = max(triton.next_power_of_2(arguments["columns"]), smallest)
    return [config for config in configs if smallest <= config.kwargs["BLOCK"] <= largest]


@triton.jit
def _keys(x, column, KEY: tl.constexpr):
    WORD: tl.constexpr = tl.uint16 if x.dtype.primitive_bitwidth == 16 else tl.uint32
    SIGN: tl.constexpr = 1 << (x.dtype.primitive_bitwidth - 1)
    PLACE_BITS: tl.constexpr = KEY.primitive_bitwidth // 2
    PLACES: tl.constexpr = (1 << PLACE_BITS) - 1
    word = x.to(WORD, bitcast=True)
    # Negative numbers are the smaller, the larger their bits are.
    ordered = tl.where((word & SIGN) != 0, ~word, word | SIGN)
    return (ordered.to(KEY) << PLACE_BITS) | (PLACES - column.to(KEY))


@triton.jit
def _columns(keys):
    PLACE_BITS: tl.constexpr = keys.dtype.primitive_bitwidth // 2
    PLACES: tl.constexpr = (1 << PLACE_BITS) - 1
    return PLACES - (keys & PLACES).to(tl.int64)


@tuned(
    [
        triton.Config({"BLOCK": block}, num_warps=warps)
        for block in _BLOCKS
        for warps in (1, 2, 4, 8, 16)
        if 4 <= block // (32 * warps) <= 16
    ],
    key=["columns", "k"],
    prune_configs_by={"early_config_prune": _fitting},
)
@triton.jit
def _topk(
    input,
    values,
    indices,
    columns,
    k,
    input_stride,
    KEPT: tl.constexpr,
    KEY: tl.constexpr,
    BLOCK: tl.constexpr,
):
    row = tl.program_id(0).to(tl.int64)
    input += row * input_stride

    # Ascending; 0 is less than any element's key.
    kept = tl.zeros((KEPT,), KEY)
    for start in range(0, columns, BLOCK):
        column = start + tl.arange(0, BLOCK)
        mask = column < columns
        keys = tl.where(mask, _keys(tl.load(input + column, mask, other=0.0), column, KEY), 0)
        if tl.max(keys, axis=0) > tl.min(kept, axis=0):
            # Of an ascending and a descending list the larger ones are the largest of both, and
            # rise and fall once: one merge sorts them.
            kept = tl.bitonic_merge(tl.maximum(kept, tl.topk(keys, KEPT)))

    column = _columns(tl.bitonic_merge(kept, descending=True))
    rank = tl.arange(0, KEPT)
    tl.store(values + row * k + rank, tl.load(input + column, rank < k), rank < k)
    tl.store(indices + row * k + rank, column, rank < k)


def topk(input: torch.Tensor, k: int) -> tuple[torch.Tensor, torch.Tensor]:
    """The k largest elements of each row of a matrix, the largest first, and where they are."""
    input = side_by_side(input)
    rows, columns = input.shape
    if not 1 <= k <= min(columns, _BLOCKS[-1]):
        raise ValueError(f"k is {k}, and from 1 to {min(columns, _BLOCKS[-1])} can be taken")
    values = torch.empty(rows, k, dtype=input.dtype, device=input.device)
    indices = torch.empty(rows, k, dtype=torch.int64, device=input.device)
    narrow = input.element_size() == 2 and columns <= 1 << 16
    _topk[(rows,)](
        input,
        values,
        indices,
        columns,
        k,
        input.stride(0),
        KEPT=max(triton.next_power_of_2(k), 2),
        KEY=tl.uint32 if narrow else tl.uint64,
    )
    return values, indices
