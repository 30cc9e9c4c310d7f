"""A matrix multiplication a group, of groups with different numbers of rows.

How many rows each group has only the device knows. So there are as many programs as blocks can be,
and each finds its group in the offsets.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

from benchmarks.triton_kernels.matmul import configurations, even_k, product, store
from benchmarks.triton_kernels.tuning import tuned


@tuned(configurations(2), key=["GROUPS", "ROWS", "N", "K", "b_stride_n"])
@triton.heuristics({"EVEN_K": even_k})
@triton.jit
def _grouped_matmul(
    a,
    b,
    offsets,
    output,
    GROUPS,
    ROWS,
    N,
    K,
    a_stride_m,
    a_stride_k,
    b_stride_group,
    b_stride_k,
    b_stride_n,
    BLOCK_GROUPS: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    GROUP_M: tl.constexpr,
    EVEN_K: tl.constexpr,
):
    # GROUP_M rows of blocks after another, of all groups together.
    tiles_n = tl.cdiv(N, BLOCK_N)
    tiles_m = tl.num_programs(0) // tiles_n
    band = tl.program_id(0) // (GROUP_M * tiles_n)
    height = min(tiles_m - band * GROUP_M, GROUP_M)
    within = tl.program_id(0) % (GROUP_M * tiles_n)
    row_of_tiles = band * GROUP_M + within % height
    tile_n = within // height

    groups = tl.arange(0, BLOCK_GROUPS)
    starts = tl.load(offsets + groups, groups < GROUPS, other=0)
    ends = tl.load(offsets + groups + 1, groups < GROUPS, other=0)
    tiles = tl.cdiv(ends - starts, BLOCK_M)
    last = tl.cumsum(tiles, axis=0)
    # All groups whose blocks come before are passed by.
    group = tl.sum(((last <= row_of_tiles) & (groups < GROUPS)).to(tl.int32), axis=0)
    if group < GROUPS:
        tile_m = row_of_tiles - tl.sum(tl.where(groups < group, tiles, 0), axis=0).to(tl.int32)
        start = tl.load(offsets + group).to(tl.int64)
        M = (tl.load(offsets + group + 1) - start).to(tl.int32)
        values = product(
            a + start * a_stride_m,
            b + group.to(tl.int64) * b_stride_group,
            M,
            N,
            K,
            a_stride_m,
            a_stride_k,
            b_stride_k,
            b_stride_n,
            tile_m,
            tile_n,
            BLOCK_M,
            BLOCK_N,
            BLOCK_K,
            EVEN_K,
        )
        store(output + start * N, values, M, N, N, tile_m, tile_n, BLOCK_M, BLOCK_N)


def _grid(arguments: dict[str, Any]) -> tuple[int]:
    # In each group, one block can be partly filled.
    tiles_m = triton.cdiv(arguments["ROWS"], arguments["BLOCK_M"]) + arguments["GROUPS"]
    return (tiles_m * triton.cdiv(arguments["N"], arguments["BLOCK_N"]),)


def grouped_matmul(input: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """``input[g] @ weight[g]`` of a jagged (groups, j, k) and a (groups, k, n): jagged, too."""
    rows, offsets = input.values(), input.offsets()
    groups, k, n = weight.shape
    output = torch.empty((rows.shape[0], n), dtype=rows.dtype, device=rows.device)
    _grouped_matmul[_grid](
        rows,
        weight,
        offsets,
        output,
        groups,
        rows.shape[0],
        n,
        k,
        *rows.stride(),
        *weight.stride(),
        BLOCK_GROUPS=triton.next_power_of_2(groups),
    )
    return torch.nested.nested_tensor_from_jagged(output, offsets)
