"""Causal attention in a sliding window, as in FlashAttention 2.

A program has a block of queries of one head and goes over the keys in their windows; blocks of keys
that all of its queries see are not masked.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from benchmarks.triton_kernels.attention_backward import LOG2_E
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

_CONFIGURATIONS = configurations(
    (
        (128, 128, 8, (2, 3)),
        (128, 64, 4, (2, 3, 4)),
        (128, 64, 8, (2, 3, 4)),
        (128, 32, 4, (3, 4)),
        (64, 64, 4, (2, 3, 4)),
        (64, 32, 4, (3, 4)),
        (32, 32, 4, (3,)),
        (16, 32, 2, (3,)),
    )
)


@triton.jit
def _loop(
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
    window,
    MASKED: tl.constexpr,
    HEAD_DIM: tl.constexpr,
    BLOCK_D: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    for i in range(start, end):
        n = i * BLOCK_N + tl.arange(0, BLOCK_N)
        k = load_rows(key, n, key_stride, N, MASKED, HEAD_DIM, BLOCK_D)
        scores = tl.dot(query, k.T, input_precision="ieee") * factor
        if MASKED:
            scores = seen(scores, m, n, N, True)
            scores = tl.where(m[:, None] - n[None, :] < window, scores, float("-inf"))
        larger = tl.maximum(largest, tl.max(scores, axis=1))
        # A row may have seen nothing yet.
        shift = tl.where(larger == float("-inf"), 0.0, larger)
        weights = tl.exp2(scores - shift[:, None])
        correction = tl.exp2(largest - shift)
        total = total * correction + tl.sum(weights, axis=1)
        v = load_rows(value, n, value_stride, N, MASKED, HEAD_DIM, BLOCK_D)
        accumulator = accumulator * correction[:, None]
        accumulator = tl.dot(weights.to(v.dtype), v, accumulator, input_precision="ieee")
        largest = larger
    return accumulator, largest, total


@tuned(_CONFIGURATIONS, key=(*KEY[:3], "window"), prune_configs_by=fitting("BLOCK_M", "BLOCK_N"))
@triton.jit
def _sliding_window_attention(
    query,
    key,
    value,
    output,
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
    window,
    GROUP: tl.constexpr,
    HEAD_DIM: tl.constexpr,
    BLOCK_D: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    b = (tl.program_id(1) // heads).to(tl.int64)
    h = (tl.program_id(1) % heads).to(tl.int64)
    query += b * query_stride_b + h * query_stride_h
    key += b * key_stride_b + h // GROUP * key_stride_h
    value += b * value_stride_b + h // GROUP * value_stride_h
    output += b * output_stride_b + h * output_stride_h
    first = tl.program_id(0) * BLOCK_M
    m = first + tl.arange(0, BLOCK_M)
    q = load_rows(query, m, query_stride_m, M, True, HEAD_DIM, BLOCK_D)
    accumulator = tl.zeros((BLOCK_M, BLOCK_D), tl.float32)
    largest = tl.full((BLOCK_M,), float("-inf"), tl.float32)
    total = tl.zeros((BLOCK_M,), tl.float32)
    whole_end, end = key_blocks(first, N, BLOCK_M, BLOCK_N, True)
    start = tl.maximum(first - window + 1, 0) // BLOCK_N
    whole_start = tl.cdiv(tl.maximum(first + BLOCK_M - window, 0), BLOCK_N)
    for part in tl.static_range(3):
        if part == 0:
            low, high = start, tl.minimum(whole_start, end)
        elif part == 1:
            low, high = whole_start, whole_end
        else:
            low, high = tl.maximum(whole_start, whole_end), end
        accumulator, largest, total = _loop(
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
            low,
            high,
            N,
            window,
            part != 1,
            HEAD_DIM,
            BLOCK_D,
            BLOCK_N,
        )
    accumulator = accumulator / tl.maximum(total, 1.0)[:, None]
    store_rows(output, m, output_stride_m, M, accumulator, HEAD_DIM, BLOCK_D)


def sliding_window_attention(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, window: int
) -> torch.Tensor:
    """Attention of tensors (batch, heads, length, dim): query i sees keys i - window + 1 to i.

    Key heads divide query heads; keys and values have the same dim.
    """
    batch, heads, m, dim = query.shape
    key_heads, n = key.shape[1:3]
    # The kernel takes rows in one piece.
    query, key, value = (x if x.stride(-1) == 1 else x.contiguous() for x in (query, key, value))
    output = query.new_empty(query.shape)
    _sliding_window_attention[lambda options: (triton.cdiv(m, options["BLOCK_M"]), batch * heads)](
        query,
        key,
        value,
        output,
        *query.stride()[:3],
        *key.stride()[:3],
        *value.stride()[:3],
        *output.stride()[:3],
        dim**-0.5 * LOG2_E,
        heads,
        m,
        n,
        window,
        GROUP=heads // key_heads,
        HEAD_DIM=dim,
        BLOCK_D=max(triton.next_power_of_2(dim), 16),
    )
    return output
