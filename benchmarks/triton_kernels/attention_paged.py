"""Attention of one query a sequence to keys and values in pages, as in vLLM.

A program has the query heads of one key head of a sequence and goes over the sequence's pages.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from benchmarks.triton_kernels.attention_backward import LOG2_E
from benchmarks.triton_kernels.attention_blocks import load_rows, store_rows
from benchmarks.triton_kernels.tuning import tuned

_CONFIGURATIONS = [
    triton.Config({}, num_warps=warps, num_stages=stages)
    for warps in (1, 2, 4, 8)
    for stages in (2, 3, 4, 6)
]


@tuned(_CONFIGURATIONS, key=("PAGES", "PAGE_SIZE", "HEAD_DIM", "VALUE_DIM", "GROUP"))
@triton.jit
def _paged_attention(
    query,
    key,
    value,
    block_table,
    lengths,
    output,
    query_stride_b,
    query_stride_h,
    key_stride_p,
    key_stride_n,
    key_stride_h,
    value_stride_p,
    value_stride_n,
    value_stride_h,
    output_stride_b,
    output_stride_h,
    factor,
    PAGES,
    PAGE_SIZE: tl.constexpr,
    GROUP: tl.constexpr,
    HEAD_DIM: tl.constexpr,
    VALUE_DIM: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_D: tl.constexpr,
    BLOCK_V: tl.constexpr,
):
    b = tl.program_id(0).to(tl.int64)
    h = tl.program_id(1).to(tl.int64)
    query += b * query_stride_b + h * GROUP * query_stride_h
    key += h * key_stride_h
    value += h * value_stride_h
    output += b * output_stride_b + h * GROUP * output_stride_h
    block_table += b * PAGES
    length = tl.load(lengths + b)
    m = tl.arange(0, BLOCK_M)
    n = tl.arange(0, BLOCK_N)
    q = load_rows(query, m, query_stride_h, GROUP, True, HEAD_DIM, BLOCK_D)
    accumulator = tl.zeros((BLOCK_M, BLOCK_V), tl.float32)
    largest = tl.full((BLOCK_M,), float("-inf"), tl.float32)
    total = tl.zeros((BLOCK_M,), tl.float32)
    for i in range(tl.cdiv(length, PAGE_SIZE)):
        page = tl.load(block_table + i).to(tl.int64)
        here = tl.minimum(length - i * PAGE_SIZE, PAGE_SIZE)
        k = load_rows(key + page * key_stride_p, n, key_stride_n, here, True, HEAD_DIM, BLOCK_D)
        scores = tl.dot(q, k.T, input_precision="ieee") * factor
        scores = tl.where((n < here)[None, :], scores, float("-inf"))
        larger = tl.maximum(largest, tl.max(scores, axis=1))
        weights = tl.exp2(scores - larger[:, None])
        correction = tl.exp2(largest - larger)
        total = total * correction + tl.sum(weights, axis=1)
        v = load_rows(
            value + page * value_stride_p, n, value_stride_n, here, True, VALUE_DIM, BLOCK_V
        )
        accumulator = accumulator * correction[:, None]
        accumulator = tl.dot(weights.to(v.dtype), v, accumulator, input_precision="ieee")
        largest = larger
    accumulator = accumulator / tl.maximum(total, 1.0)[:, None]
    store_rows(output, m, output_stride_h, GROUP, accumulator, VALUE_DIM, BLOCK_V)


def paged_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    block_table: torch.Tensor,
    lengths: torch.Tensor,
) -> torch.Tensor:
    """Attention of a query (batch, heads, dim) to caches (pages, page size, key heads, dim).

    Key heads divide query heads; rows of the table and of the caches are in one piece.
    """
    batch, heads, head_dim = query.shape
    page_size, key_heads, value_dim = value.shape[1:]
    group = heads // key_heads
    output = query.new_empty(batch, heads, value_dim)
    _paged_attention[(batch, key_heads)](
        query,
        key,
        value,
        block_table,
        lengths,
        output,
        *query.stride()[:2],
        *key.stride()[:3],
        *value.stride()[:3],
        *output.stride()[:2],
        head_dim**-0.5 * LOG2_E,
        block_table.shape[1],
        PAGE_SIZE=page_size,
        GROUP=group,
        HEAD_DIM=head_dim,
        VALUE_DIM=value_dim,
        BLOCK_M=max(triton.next_power_of_2(group), 16),
        BLOCK_N=max(triton.next_power_of_2(page_size), 16),
        BLOCK_D=max(triton.next_power_of_2(head_dim), 16),
        BLOCK_V=max(triton.next_power_of_2(value_dim), 16),
    )
    return output
