"""Matrix multiplication of int8, summed in int32."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from benchmarks.triton_kernels.matmul import (
    configurations,
    described_configurations,
    described_product,
    descriptors,
    even_k,
    grid,
    multiprocessors,
    persistent_grid,
    product,
    store,
    tile_of,
)
from benchmarks.triton_kernels.tuning import tuned


@tuned(configurations(1), key=["M", "N", "K", "a_stride_k", "b_stride_n"])
@triton.heuristics({"EVEN_K": even_k})
@triton.jit
def _int8_matmul(
    a,
    b,
    output,
    M,
    N,
    K,
    a_stride_m,
    a_stride_k,
    b_stride_k,
    b_stride_n,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    GROUP_M: tl.constexpr,
    EVEN_K: tl.constexpr,
):
    tile_m, tile_n = tile_of(tl.program_id(0), M, N, BLOCK_M, BLOCK_N, GROUP_M)
    values = product(
        a,
        b,
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
        SUM=tl.int32,
    )
    store(output, values, M, N, N, tile_m, tile_n, BLOCK_M, BLOCK_N)


@tuned(described_configurations(1), key=["M", "N", "K", "TRANSPOSED_A", "TRANSPOSED_B"])
@triton.jit
def _described_int8_matmul(
    a,
    b,
    output,
    M,
    N,
    K,
    TRANSPOSED_A: tl.constexpr,
    TRANSPOSED_B: tl.constexpr,
    PROGRAMS: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    GROUP_M: tl.constexpr,
):
    tiles = tl.cdiv(M, BLOCK_M) * tl.cdiv(N, BLOCK_N)
    # As one loop, blocks of the next tile would not fit beside a whole int32 block to be stored.
    for tile in tl.range(tl.program_id(0), tiles, PROGRAMS):
        tile_m, tile_n = tile_of(tile, M, N, BLOCK_M, BLOCK_N, GROUP_M)
        values = described_product(
            a,
            b,
            K,
            tile_m,
            tile_n,
            BLOCK_M,
            BLOCK_N,
            BLOCK_K,
            TRANSPOSED_A,
            TRANSPOSED_B,
            SUM=tl.int32,
        )
        store(output, values, M, N, N, tile_m, tile_n, BLOCK_M, BLOCK_N)


def int8_matmul(input: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """``input @ other`` in int32 of two matrices of int8, (m, k) and (k, n)."""
    m, k = input.shape
    n = other.shape[1]
    output = torch.empty((m, n), dtype=torch.int32, device=input.device)
    described = descriptors(input, other)
    if described is None:
        _int8_matmul[grid](input, other, output, m, n, k, *input.stride(), *other.stride())
    else:
        _described_int8_matmul[persistent_grid](
            output=output, M=m, N=n, K=k, PROGRAMS=multiprocessors(input), **described
        )
    return output
