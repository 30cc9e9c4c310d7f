"""Matrix multiplication with a scaled matrix added."""

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


@triton.jit
def _scaled_sum(
    values,
    input,
    beta,
    alpha,
    M,
    N,
    input_stride_m,
    input_stride_n,
    tile_m,
    tile_n,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    values = values * alpha
    # Where beta is 0, what the input holds does not matter, be it NaN.
    if beta != 0.0:
        m = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
        n = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
        pointers = (
            input
            + m.to(tl.int64)[:, None] * input_stride_m
            + n.to(tl.int64)[None, :] * input_stride_n
        )
        added = tl.load(pointers, (m < M)[:, None] & (n < N)[None, :], other=0.0)
        values += beta * added.to(tl.float32)
    return values


@tuned(configurations(2), key=["M", "N", "K", "a_stride_k", "b_stride_n", "input_stride_m"])
@triton.heuristics({"EVEN_K": even_k})
@triton.jit
def _addmm(
    input,
    a,
    b,
    output,
    beta,
    alpha,
    M,
    N,
    K,
    input_stride_m,
    input_stride_n,
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
    )
    values = _scaled_sum(
        values,
        input,
        beta,
        alpha,
        M,
        N,
        input_stride_m,
        input_stride_n,
        tile_m,
        tile_n,
        BLOCK_M,
        BLOCK_N,
    )
    store(output, values, M, N, N, tile_m, tile_n, BLOCK_M, BLOCK_N)


@tuned(
    described_configurations(2),
    key=["M", "N", "K", "TRANSPOSED_A", "TRANSPOSED_B", "input_stride_m"],
)
@triton.jit
def _described_addmm(
    input,
    a,
    b,
    output,
    beta,
    alpha,
    M,
    N,
    K,
    input_stride_m,
    input_stride_n,
    TRANSPOSED_A: tl.constexpr,
    TRANSPOSED_B: tl.constexpr,
    PROGRAMS: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    GROUP_M: tl.constexpr,
):
    tiles = tl.cdiv(M, BLOCK_M) * tl.cdiv(N, BLOCK_N)
    for tile in tl.range(tl.program_id(0), tiles, PROGRAMS, flatten=True):
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
        )
        values = _scaled_sum(
            values,
            input,
            beta,
            alpha,
            M,
            N,
            input_stride_m,
            input_stride_n,
            tile_m,
            tile_n,
            BLOCK_M,
            BLOCK_N,
        )
        store(output, values, M, N, N, tile_m, tile_n, BLOCK_M, BLOCK_N)


def addmm(
    input: torch.Tensor,
    mat1: torch.Tensor,
    mat2: torch.Tensor,
    beta: float = 1,
    alpha: float = 1,
) -> torch.Tensor:
    """``beta * input + alpha * (mat1 @ mat2)``; ``input`` broadcasts to the product's shape."""
    m, k = mat1.shape
    n = mat2.shape[1]
    output = torch.empty((m, n), dtype=mat1.dtype, device=mat1.device)
    # Rows and columns that are repeated have a stride of 0.
    input = input.expand(m, n)
    scales = (float(beta), float(alpha))
    described = descriptors(mat1, mat2)
    if described is None:
        _addmm[grid](
            input,
            mat1,
            mat2,
            output,
            *scales,
            m,
            n,
            k,
            *input.stride(),
            *mat1.stride(),
            *mat2.stride(),
        )
    else:
        _described_addmm[persistent_grid](
            input=input,
            output=output,
            beta=scales[0],
            alpha=scales[1],
            M=m,
            N=n,
            K=k,
            input_stride_m=input.stride(0),
            input_stride_n=input.stride(1),
            PROGRAMS=multiprocessors(mat1),
            **described,
        )
    return output
