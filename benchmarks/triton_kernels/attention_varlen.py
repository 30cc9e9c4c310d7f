"""Attention over packed sequences, as in FlashAttention 2.

A program has a block of queries of one head of one sequence and goes over the sequence's keys.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from benchmarks.triton_kernels.attention import CONFIGURATIONS, forward_loop
from benchmarks.triton_kernels.attention_backward import LOG2_E
from benchmarks.triton_kernels.attention_blocks import (
    KEY,
    fitting,
    key_blocks,
    load_rows,
    store_rows,
)
from benchmarks.triton_kernels.tuning import tuned


@tuned(CONFIGURATIONS, key=KEY, prune_configs_by=fitting("BLOCK_M", "BLOCK_N"))
@triton.jit
def _varlen_attention(
    query,
    key,
    value,
    output,
    query_offsets,
    key_offsets,
    query_stride_m,
    query_stride_h,
    key_stride_n,
    key_stride_h,
    value_stride_n,
    value_stride_h,
    output_stride_m,
    output_stride_h,
    factor,
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
    first = tl.program_id(0) * BLOCK_M
    h = tl.program_id(1).to(tl.int64)
    query_start = tl.load(query_offsets + tl.program_id(2)).to(tl.int64)
    query_length = tl.load(query_offsets + tl.program_id(2) + 1) - query_start
    if first >= query_length:
        return
    key_start = tl.load(key_offsets + tl.program_id(2)).to(tl.int64)
    key_length = (tl.load(key_offsets + tl.program_id(2) + 1) - key_start).to(tl.int32)
    query += query_start * query_stride_m + h * query_stride_h
    key += key_start * key_stride_n + h // GROUP * key_stride_h
    value += key_start * value_stride_n + h // GROUP * value_stride_h
    output += query_start * output_stride_m + h * output_stride_h
    m = first + tl.arange(0, BLOCK_M)
    q = load_rows(query, m, query_stride_m, query_length, True, HEAD_DIM, BLOCK_D)
    accumulator = tl.zeros((BLOCK_M, BLOCK_V), tl.float32)
    largest = tl.full((BLOCK_M,), float("-inf"), tl.float32)
    total = tl.zeros((BLOCK_M,), tl.float32)
    whole, some = key_blocks(first, key_length, BLOCK_M, BLOCK_N, IS_CAUSAL)
    for part in tl.static_range(2):
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
            whole if part == 1 else 0,
            some if part == 1 else whole,
            key_length,
            part == 1,
            IS_CAUSAL,
            HEAD_DIM,
            VALUE_DIM,
            BLOCK_D,
            BLOCK_V,
            BLOCK_N,
        )
    accumulator = accumulator / total[:, None]
    store_rows(output, m, output_stride_m, query_length, accumulator, VALUE_DIM, BLOCK_V)


def varlen_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    query_offsets: torch.Tensor,
    key_offsets: torch.Tensor,
    max_length: int,
    is_causal: bool = False,
) -> torch.Tensor:
    """Attention of tensors (total, heads, dim) of sequences that begin at their offsets.

    Key heads divide query heads; a sequence of queries has a key.
    """
    # The kernel takes rows in one piece.
    query, key, value = (x if x.stride(-1) == 1 else x.contiguous() for x in (query, key, value))
    heads, head_dim = query.shape[1:]
    key_heads, value_dim = value.shape[1:]
    sequences = query_offsets.shape[0] - 1
    output = query.new_empty(*query.shape[:-1], value_dim)
    _varlen_attention[
        lambda options: (triton.cdiv(max_length, options["BLOCK_M"]), heads, sequences)
    ](
        query,
        key,
        value,
        output,
        query_offsets,
        key_offsets,
        *query.stride()[:2],
        *key.stride()[:2],
        *value.stride()[:2],
        *output.stride()[:2],
        head_dim**-0.5 * LOG2_E,
        max_length,
        max_length,
        GROUP=heads // key_heads,
        IS_CAUSAL=is_causal,
        HEAD_DIM=head_dim,
        VALUE_DIM=value_dim,
        BLOCK_D=max(triton.next_power_of_2(head_dim), 16),
        BLOCK_V=max(triton.next_power_of_2(value_dim), 16),
    )
    return output
