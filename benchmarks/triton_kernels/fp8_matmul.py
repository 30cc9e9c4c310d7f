"""Matrix multiplication of fp8, with a scale a row and a scale a column, or one a matrix."""

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
def _scaled(
    values,
    a_scale,
    b_scale,
    M,
    N,
    a_scale_stride,
    b_scale_stride,
    tile_m,
    tile_n,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    m = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    of_rows = tl.load(a_scale + m.to(tl.int64) * a_scale_stride, m < M, other=0.0)
    of_columns = tl.load(b_scale + n.to(tl.int64) * b_scale_stride, n < N, other=0.0)
    return values * of_rows[:, None] * of_columns[None, :]


@tuned(configurations(1), key=["M", "N", "K", "a_stride_k", "b_stride_n"])
@triton.heuristics({"EVEN_K": even_k})
@triton.jit
def _fp8_matmul(
    a,
    b,
    a_scale,
    b_scale,
    output,
    M,
    N,
    K,
    a_stride_m,
    a_stride_k,
    b_stride_k,
    b_stride_n,
    a_scale_stride,
    b_scale_stride,
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
    values = _scaled(
        values,
        a_scale,
        b_scale,
        M,
        N,
        a_scale_stride,
        b_scale_stride,
        tile_m,
        tile_n,
        BLOCK_M,
        BLOCK_N,
    )
    store(output, values, M, N, N, tile_m, tile_n, BLOCK_M, BLOCK_N)


@tuned(described_configurations(1), key=["M", "N", "K", "TRANSPOSED_A", "TRANSPOSED_B"])
@triton.jit
def _described_fp8_matmul(
    a,
    b,
    a_scale,
    b_scale,
    output,
    M,
    N,
    K,
    a_scale_stride,
    b_scale_stride,
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
        values = _scaled(
            values,
            a_scale,
            b_scale,
            M,
            N,
            a_scale_stride,
            b_scale_stride,
            tile_m,
            tile_n,
            BLOCK_M,
            BLOCK_N,
        )
        store(output, values, M, N, N, tile_m, tile_n, BLOCK_M, BLOCK_N)


def fp8_matmul(
    input: torch.Tensor,
    other: torch.Tensor,
    input_scale: torch.Tensor,
    other_scale: torch.Tensor,
) -> torch.Tensor:
    """``(input @ other) * input_scale[:, None] * other_scale`` in bfloat16, summed in float32.

    Scales of no dims are for all rows, or all columns.
    """
    m, k = input.shape
    n = other.shape[1]
    # Those have a stride of 0.
    input_scale, other_scale = input_scale.expand(m), other_scale.expand(n)
    output = torch.empty((m, n), dtype=torch.bfloat16, device=input.device)
    described = descriptors(input, other)
    if described is None:
        _fp8_matmul[grid](
            input,
            other,
            input_scale,
            other_scale,
            output,
            m,
            n,
            k,
            *input.stride(),
            *other.stride(),
            input_scale.stride(0),
            other_scale.stride(0),
        )
    else:
        _described_fp8_matmul[persistent_grid](
            a_scale=input_scale,
            b_scale=other_scale,
            output=output,
            M=m,
            N=n,
            K=k,
            a_scale_stride=input_scale.stride(0),
            b_scale_stride=other_scale.stride(0),
            PROGRAMS=multiprocessors(input),
            **described,
        )
    return output
