"""A batch of matrix multiplications: all blocks of one output, then those of the next."""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

from benchmarks.triton_kernels.matmul import configurations, even_k, grid, product, store, tile_of
from benchmarks.triton_kernels.tuning import tuned


@tuned(configurations(2), key=["BATCH", "M", "N", "K", "a_stride_k", "b_stride_n"])
@triton.heuristics({"EVEN_K": even_k})
@triton.jit
def _bmm(
    a,
    b,
    output,
    BATCH,
    M,
    N,
    K,
    a_stride_batch,
    a_stride_m,
    a_stride_k,
    b_stride_batch,
    b_stride_k,
    b_stride_n,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    GROUP_M: tl.constexpr,
    EVEN_K: tl.constexpr,
):
    tiles = tl.cdiv(M, BLOCK_M) * tl.cdiv(N, BLOCK_N)
    batch = (tl.program_id(0) // tiles).to(tl.int64)
    tile_m, tile_n = tile_of(tl.program_id(0) % tiles, M, N, BLOCK_M, BLOCK_N, GROUP_M)
    values = product(
        a + batch * a_stride_batch,
        b + batch * b_stride_batch,
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
    store(output + batch * M * N, values, M, N, N, tile_m, tile_n, BLOCK_M, BLOCK_N)


def _grid(arguments: dict[str, Any]) -> tuple[int]:
    return (arguments["BATCH"] * grid(arguments)[0],)


def bmm(input: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """``input @ other`` of two batches of matrices, (b, m, k) and (b, k, n)."""
    batch, m, k = input.shape
    n = other.shape[2]
    output = torch.empty((batch, m, n), dtype=input.dtype, device=input.device)
    _bmm[_grid](input, other, output, batch, m, n, k, *input.stride(), *other.stride())
    return output
