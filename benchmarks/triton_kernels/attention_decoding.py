"""Attention of one query a head, whose keys several programs share, as in Flash-Decoding.

A program has the query heads of a key head, and a share of the keys; a second kernel combines what
the shares gave, each relative to its own largest score.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl

from benchmarks.triton_kernels.attention import forward_loop
from benchmarks.triton_kernels.attention_backward import LOG2_E
from benchmarks.triton_kernels.attention_blocks import load_rows, store_rows
from benchmarks.triton_kernels.tuning import tuned

_LEAST_SHARE = 256
"""Keys of a program: fewer are not worth one."""


@tuned(
    [
        triton.Config({"BLOCK_N": n}, num_warps=warps, num_stages=stages)
        for n in (32, 64, 128)
        for warps in (4, 8)
        for stages in (2, 3, 4)
    ],
    key=["N", "SHARE", "HEAD_DIM", "VALUE_DIM", "GROUP"],
)
@triton.jit
def _shares(
    query,
    key,
    value,
    outputs,
    logsumexps,
    query_stride_b,
    query_stride_h,
    key_stride_b,
    key_stride_h,
    key_stride_n,
    value_stride_b,
    value_stride_h,
    value_stride_n,
    factor,
    key_heads,
    N,
    SHARE: tl.constexpr,
    GROUP: tl.constexpr,
    HEAD_DIM: tl.constexpr,
    VALUE_DIM: tl.constexpr,
    BLOCK_D: tl.constexpr,
    BLOCK_V: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    b = (tl.program_id(1) // key_heads).to(tl.int64)
    h = (tl.program_id(1) % key_heads).to(tl.int64)
    m = tl.arange(0, BLOCK_M)
    query += b * query_stride_b + h * GROUP * query_stride_h
    first = tl.program_id(0) * SHARE
    keys = tl.minimum(N - first, SHARE)
    key += b * key_stride_b + h * key_stride_h + first.to(tl.int64) * key_stride_n
    value += b * value_stride_b + h * value_stride_h + first.to(tl.int64) * value_stride_n
    q = load_rows(query, m, query_stride_h, GROUP, True, HEAD_DIM, BLOCK_D)
    accumulator = tl.zeros((BLOCK_M, BLOCK_V), tl.float32)
    largest = tl.full((BLOCK_M,), float("-inf"), tl.float32)
    total = tl.zeros((BLOCK_M,), tl.float32)
    whole = keys // BLOCK_N
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
            tl.cdiv(keys, BLOCK_N) if part == 1 else whole,
            keys,
            part == 1,
            False,
            HEAD_DIM,
            VALUE_DIM,
            BLOCK_D,
            BLOCK_V,
            BLOCK_N,
        )
    place = tl.program_id(1) * tl.num_programs(0) + tl.program_id(0)
    rows = place.to(tl.int64) * GROUP
    accumulator = accumulator / total[:, None]
    store_rows(outputs + rows * VALUE_DIM, m, VALUE_DIM, GROUP, accumulator, VALUE_DIM, BLOCK_V)
    tl.store(logsumexps + rows + m, largest + tl.log2(total), m < GROUP)


@triton.jit
def _combine(
    outputs,
    logsumexps,
    output,
    shares,
    GROUP: tl.constexpr,
    VALUE_DIM: tl.constexpr,
    BLOCK_V: tl.constexpr,
    SHARES: tl.constexpr,
):
    head = tl.program_id(0) // GROUP
    share = tl.arange(0, SHARES)
    d = tl.arange(0, BLOCK_V)
    rows = (head.to(tl.int64) * shares + share) * GROUP + tl.program_id(0) % GROUP
    weights = tl.load(logsumexps + rows, share < shares, other=float("-inf"))
    weights = tl.exp2(weights - tl.max(weights, axis=0))
    mask = (share < shares)[:, None] & (d < VALUE_DIM)[None, :]
    values = tl.load(outputs + rows[:, None] * VALUE_DIM + d[None, :], mask, other=0.0)
    found = tl.sum(values * weights[:, None], axis=0) / tl.sum(weights, axis=0)
    tl.store(output + tl.program_id(0).to(tl.int64) * VALUE_DIM + d, found, d < VALUE_DIM)


def attention_decoding(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    """Attention of queries (batch, heads, 1, dim) and keys (batch, key heads, n, dim)."""
    batch, heads, _, dim = query.shape
    key_heads, n, value_dim = value.shape[1:]
    group = heads // key_heads
    # Two programs for each of the device's multiprocessors, where there are so many keys.
    device = torch.cuda.get_device_properties(query.device)
    wanted = triton.cdiv(2 * device.multi_processor_count, batch * key_heads)
    share = max(triton.next_power_of_2(triton.cdiv(n, wanted)), _LEAST_SHARE)
    shares = triton.cdiv(n, share)
    # The kernel takes rows in one piece.
    query, key, value = (x if x.stride(-1) == 1 else x.contiguous() for x in (query, key, value))
    rows = batch * key_heads * shares * group
    outputs = torch.empty(rows, value_dim, dtype=torch.float32, device=query.device)
    logsumexps = torch.empty(rows, dtype=torch.float32, device=query.device)
    block = max(triton.next_power_of_2(value_dim), 16)
    _shares[(shares, batch * key_heads)](
        query,
        key,
        value,
        outputs,
        logsumexps,
        *query.stride()[:2],
        *key.stride()[:3],
        *value.stride()[:3],
        dim**-0.5 * LOG2_E,
        key_heads,
        n,
        SHARE=share,
        GROUP=group,
        HEAD_DIM=dim,
        VALUE_DIM=value_dim,
        BLOCK_D=max(triton.next_power_of_2(dim), 16),
        BLOCK_V=block,
        BLOCK_M=max(triton.next_power_of_2(group), 16),
    )
    output = query.new_empty(batch, heads, 1, value_dim)
    _combine[(batch * heads,)](
        outputs,
        logsumexps,
        output,
        shares,
        GROUP=group,
        VALUE_DIM=value_dim,
        BLOCK_V=block,
        SHARES=triton.next_power_of_2(shares),
    )
    return output
