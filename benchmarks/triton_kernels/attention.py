"""Scaled dot-product attention as in FlashAttention 2.

A program has a block of queries of one head and goes over the keys; blocks of keys that all of its
queries see are not masked, and those that none of them sees are left out.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl
from torch.autograd.function import once_differentiable

from benchmarks.triton_kernels.attention_backward import LOG2_E, backward
from benchmarks.triton_kernels.attention_blocks import (
    KEY,
    configurations,
    fitting,
    key_blocks,
    load_rows,
    seen,
    store_rows,
)
from benchmarks.triton_kernels.tuning import tuned

CONFIGURATIONS = configurations(
    (
        (128, 128, 8, (2, 3)),
        (128, 64, 4, (2, 3, 4)),
        (128, 64, 8, (2, 3, 4)),
        (128, 32, 4, (3, 4)),
        (128, 32, 8, (3, 4)),
        (256, 64, 8, (2, 3)),
        (64, 128, 4, (2, 3)),
        (64, 64, 4, (2, 3, 4)),
        (64, 32, 4, (3, 4)),
        (32, 64, 4, (3,)),
        (16, 64, 4, (3,)),
        (16, 32, 2, (3,)),
    )
)


@triton.jit
def forward_loop(
    accumulator,
    largest,
    total,
    query,
    key,
    value,
    key_stride,
    value_stride,
    factor,
    m,
    start,
    end,
    N,
    MASKED: tl.constexpr,
    IS_CAUSAL: tl.constexpr,
    HEAD_DIM: tl.constexpr,
    VALUE_DIM: tl.constexpr,
    BLOCK_D: tl.constexpr,
    BLOCK_V: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    for i in range(start, end):
        n = i * BLOCK_N + tl.arange(0, BLOCK_N)
        k = load_rows(key, n, key_stride, N, MASKED, HEAD_DIM, BLOCK_D)
        scores = tl.dot(query, k.T, input_precision="ieee")
        if MASKED:
            scores = seen(scores, m, n, N, IS_CAUSAL)
        larger = tl.maximum(largest, tl.max(scores, axis=1) * factor)
        weights = tl.exp2(scores * factor - larger[:, None])
        correction = tl.exp2(largest - larger)
        total = total * correction + tl.sum(weights, axis=1)
        v = load_rows(value, n, value_stride, N, MASKED, VALUE_DIM, BLOCK_V)
        accumulator = accumulator * correction[:, None]
        accumulator = tl.dot(weights.to(v.dtype), v, accumulator, input_precision="ieee")
        largest = larger
    return accumulator, largest, total


@tuned(CONFIGURATIONS, key=KEY, prune_configs_by=fitting("BLOCK_M", "BLOCK_N"))
@triton.jit
def _forward(
    query,
    key,
    value,
    output,
    logsumexp,
    query_stride_b,
    query_stride_h,
    query_stride_m,
    key_stride_b,
    key_stride_h,
    key_stride_n,
    value_stride_b,
    value_stride_h,
    value_stride_n,
    output_stride_b,
    output_stride_h,
    output_stride_m,
    factor,
    heads,
    M,
    N,
    GROUP: tl.constexpr,
    IS_CAUSAL: tl.constexpr,
    HEAD_DIM: tl.constexpr,
    VALUE_DIM: tl.constexpr,
    BLOCK_D: tl.constexpr,
    BLOCK_V: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    # Programs with the most keys come first.
    block = tl.num_programs(0) - 1 - tl.program_id(0) if IS_CAUSAL else tl.program_id(0)
    b = (tl.program_id(1) // heads).to(tl.int64)
    h = (tl.program_id(1) % heads).to(tl.int64)
    query += b * query_stride_b + h * query_stride_h
    key += b * key_stride_b + h // GROUP * key_stride_h
    value += b * value_stride_b + h // GROUP * value_stride_h
    output += b * output_stride_b + h * output_stride_h
    first = block * BLOCK_M
    m = first + tl.arange(0, BLOCK_M)
    q = load_rows(query, m, query_stride_m, M, True, HEAD_DIM, BLOCK_D)
    accumulator = tl.zeros((BLOCK_M, BLOCK_V), tl.float32)
    largest = tl.full((BLOCK_M,), float("-inf"), tl.float32)
    total = tl.zeros((BLOCK_M,), tl.float32)
    whole, some = key_blocks(first, N, BLOCK_M, BLOCK_N, IS_CAUSAL)
    accumulator, largest, total = forward_loop(
        accumulator,
        largest,
        total,
        q,
        key,
        value,
        key_stride_n,
        value_stride_n,
        factor,
        m,
        0,
        whole,
        N,
        False,
        IS_CAUSAL,
        HEAD_DIM,
        VALUE_DIM,
        BLOCK_D,
        BLOCK_V,
        BLOCK_N,
    )
    accumulator, largest, total = forward_loop(
        accumulator,
        largest,
        total,
        q,
        key,
        value,
        key_stride_n,
        value_stride_n,
        factor,
        m,
        whole,
        some,
        N,
        True,
        IS_CAUSAL,
        HEAD_DIM,
        VALUE_DIM,
        BLOCK_D,
        BLOCK_V,
        BLOCK_N,
    )
    accumulator = accumulator / total[:, None]
    store_rows(output, m, output_stride_m, M, accumulator, VALUE_DIM, BLOCK_V)
    rows = tl.program_id(1).to(tl.int64) * M + m
    tl.store(logsumexp + rows, largest + tl.log2(total), m < M)


class _Attention(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        is_causal: bool,
        scale: float,
    ) -> torch.Tensor:
        # The kernels take rows in one piece.
        query, key, value = (
            x if x.stride(-1) == 1 else x.contiguous() for x in (query, key, value)
        )
        batch, heads, m, head_dim = query.shape
        key_heads, n, value_dim = value.shape[1:]
        output = query.new_empty(batch, heads, m, value_dim)
        logsumexp = query.new_empty(batch, heads, m, dtype=torch.float32)
        _forward[lambda options: (triton.cdiv(m, options["BLOCK_M"]), batch * heads)](
            query,
            key,
            value,
            output,
            logsumexp,
            *query.stride()[:3],
            *key.stride()[:3],
            *value.stride()[:3],
            *output.stride()[:3],
            scale * LOG2_E,
            heads,
            m,
            n,
            GROUP=heads // key_heads,
            IS_CAUSAL=is_causal,
            HEAD_DIM=head_dim,
            VALUE_DIM=value_dim,
            BLOCK_D=max(triton.next_power_of_2(head_dim), 16),
            BLOCK_V=max(triton.next_power_of_2(value_dim), 16),
        )
        ctx.save_for_backward(query, key, value, output, logsumexp)
        ctx.options = is_causal, scale
        return output

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        return *backward(gradient, *ctx.saved_tensors, *ctx.options), None, None


def attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    is_causal: bool = False,
    scale: float | None = None,
) -> torch.Tensor:
    """``softmax(query @ keyᵀ * scale) @ value`` of tensors (batch, heads, length, dim).

    Key heads divide query heads; lengths are at least 1. The scale, 1 / sqrt(dim) where none is
    given, is above 0.
    """
    if scale is None:
        scale = query.shape[-1] ** -0.5
    if scale <= 0 or query.shape[1] % key.shape[1] or not key.shape[2]:
        raise ValueError("there are keys, their heads divide query heads, and the scale is above 0")
    return _Attention.apply(query, key, value, is_causal, scale)
