"""A linear layer, its activation and a residual: a product with an epilogue."""

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
def _epilogue(
    values,
    bias,
    residual,
    M,
    N,
    bias_stride,
    residual_stride_m,
    residual_stride_n,
    tile_m,
    tile_n,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    m = tile_m * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tile_n * BLOCK_N + tl.arange(0, BLOCK_N)
    values += tl.load(bias + n.to(tl.int64) * bias_stride, n < N, other=0.0).to(tl.float32)[None, :]
    pointers = (
        residual
        + m.to(tl.int64)[:, None] * residual_stride_m
        + n.to(tl.int64)[None, :] * residual_stride_n
    )
    added = tl.load(pointers, (m < M)[:, None] & (n < N)[None, :], other=0.0)
    return added.to(tl.float32) + values * tl.sigmoid(values)


@tuned(configurations(2), key=["M", "N", "K", "a_stride_k", "b_stride_n"])
@triton.heuristics({"EVEN_K": even_k})
@triton.jit
def _fused_linear(
    a,
    b,
    bias,
    residual,
    output,
    M,
    N,
    K,
    a_stride_m,
    a_stride_k,
    b_stride_k,
    b_stride_n,
    bias_stride,
    residual_stride_m,
    residual_stride_n,
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
    values = _epilogue(
        values,
        bias,
        residual,
        M,
        N,
        bias_stride,
        residual_stride_m,
        residual_stride_n,
        tile_m,
        tile_n,
        BLOCK_M,
        BLOCK_N,
    )
    store(output, values, M, N, N, tile_m, tile_n, BLOCK_M, BLOCK_N)


@tuned(described_configurations(2), key=["M", "N", "K", "TRANSPOSED_A", "TRANSPOSED_B"])
@triton.jit
def _described_fused_linear(
    a,
    b,
    bias,
    residual,
    output,
    M,
    N,
    K,
    bias_stride,
    residual_stride_m,
    residual_stride_n,
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
        values = _epilogue(
            values,
            bias,
            residual,
            M,
            N,
            bias_stride,
            residual_stride_m,
            residual_stride_n,
            tile_m,
            tile_n,
            BLOCK_M,
            BLOCK_N,
        )
        store(output, values, M, N, N, tile_m, tile_n, BLOCK_M, BLOCK_N)


def fused_linear(
    input: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, residual: torch.Tensor
) -> torch.Tensor:
    """``residual + silu(linear(input, weight, bias))``."""
    m, k = input.shape
    n = weight.shape[0]
    output = torch.empty((m, n), dtype=input.dtype, device=input.device)
    described = descriptors(input, weight.T)
    if described is None:
        _fused_linear[grid](
            input,
            weight,
            bias,
            residual,
            output,
            m,
            n,
            k,
            *input.stride(),
            *weight.T.stride(),
            *bias.stride(),
            *residual.stride(),
        )
    else:
        _described_fused_linear[persistent_grid](
            bias=bias,
            residual=residual,
            output=output,
            M=m,
            N=n,
            K=k,
            bias_stride=bias.stride(0),
            residual_stride_m=residual.stride(0),
            residual_stride_n=residual.stride(1),
            PROGRAMS=multiprocessors(input),
            **described,
        )
    return output
