"""The gradients of attention as in FlashAttention 2: three kernels.

One multiplies outputs and their gradients, row by row. For the gradient of the query a program has
a block of queries and goes over the keys; for those of key and value it has a block of keys and
goes over the queries of all heads that share them.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl

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

LOG2_E = 1.4426950408889634
"""The kernels compute powers of 2 for those of e."""

_QUERY = configurations(
    (
        (128, 128, 8, (2,)),
        (128, 64, 4, (2, 3)),
        (128, 64, 8, (2, 3, 4)),
        (128, 32, 4, (2, 3, 4)),
        (128, 32, 8, (3, 4)),
        (64, 128, 8, (2,)),
        (64, 128, 4, (2, 3)),
        (64, 64, 4, (2, 3, 4)),
        (64, 32, 4, (2, 3, 4)),
        (32, 64, 4, (2, 3)),
        (32, 32, 4, (3,)),
        (16, 32, 2, (3,)),
    )
)
# The same with keys for queries.
_KEY_VALUE = [
    triton.Config(
        {"BLOCK_M": config.kwargs["BLOCK_N"], "BLOCK_N": config.kwargs["BLOCK_M"]},
        num_warps=config.num_warps,
        num_stages=config.num_stages,
    )
    for config in _QUERY
]


@tuned(
    [triton.Config({"BLOCK_M": m}, num_warps=warps) for m in (16, 32, 64, 128) for warps in (4, 8)],
    key=["M", "VALUE_DIM"],
)
@triton.jit
def _delta(
    gradient,
    output,
    delta,
    gradient_stride_b,
    gradient_stride_h,
    gradient_stride_m,
    output_stride_b,
    output_stride_h,
    output_stride_m,
    heads,
    M,
    VALUE_DIM: tl.constexpr,
    BLOCK_V: tl.constexpr,
    BLOCK_M: tl.constexpr,
):
    b = (tl.program_id(1) // heads).to(tl.int64)
    h = (tl.program_id(1) % heads).to(tl.int64)
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    gradient += b * gradient_stride_b + h * gradient_stride_h
    output += b * output_stride_b + h * output_stride_h
    do = load_rows(gradient, m, gradient_stride_m, M, True, VALUE_DIM, BLOCK_V).to(tl.float32)
    o = load_rows(output, m, output_stride_m, M, True, VALUE_DIM, BLOCK_V).to(tl.float32)
    tl.store(delta + tl.program_id(1).to(tl.int64) * M + m, tl.sum(do * o, axis=1), m < M)


@triton.jit
def _query_loop(
    accumulator,
    query,
    gradient,
    logsumexp,
    delta,
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
        v = load_rows(value, n, value_stride, N, MASKED, VALUE_DIM, BLOCK_V)
        scores = tl.dot(query, k.T, input_precision="ieee")
        if MASKED:
            scores = seen(scores, m, n, N, IS_CAUSAL)
        weights = tl.exp2(scores * factor - logsumexp[:, None])
        of_weights = tl.dot(gradient, v.T, input_precision="ieee")
        of_scores = weights * (of_weights - delta[:, None])
        accumulator = tl.dot(of_scores.to(k.dtype), k, accumulator, input_precision="ieee")
    return accumulator


@tuned(_QUERY, key=KEY, prune_configs_by=fitting("BLOCK_M", "BLOCK_N"))
@triton.jit
def _query_gradient(
    query,
    key,
    value,
    gradient,
    logsumexp,
    delta,
    query_gradient,
    query_stride_b,
    query_stride_h,
    query_stride_m,
    key_stride_b,
    key_stride_h,
    key_stride_n,
    value_stride_b,
    value_stride_h,
    value_stride_n,
    gradient_stride_b,
    gradient_stride_h,
    gradient_stride_m,
    scale,
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
    block = tl.num_programs(0) - 1 - tl.program_id(0) if IS_CAUSAL else tl.program_id(0)
    row = tl.program_id(1).to(tl.int64)
    b = row // heads
    h = row % heads
    query += b * query_stride_b + h * query_stride_h
    gradient += b * gradient_stride_b + h * gradient_stride_h
    key += b * key_stride_b + h // GROUP * key_stride_h
    value += b * value_stride_b + h // GROUP * value_stride_h
    first = block * BLOCK_M
    m = first + tl.arange(0, BLOCK_M)
    q = load_rows(query, m, query_stride_m, M, True, HEAD_DIM, BLOCK_D)
    do = load_rows(gradient, m, gradient_stride_m, M, True, VALUE_DIM, BLOCK_V)
    lse = tl.load(logsumexp + row * M + m, m < M, other=float("inf"))
    di = tl.load(delta + row * M + m, m < M, other=0.0)
    accumulator = tl.zeros((BLOCK_M, BLOCK_D), tl.float32)
    whole, some = key_blocks(first, N, BLOCK_M, BLOCK_N, IS_CAUSAL)
    accumulator = _query_loop(
        accumulator,
        q,
        do,
        lse,
        di,
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
    accumulator = _query_loop(
        accumulator,
        q,
        do,
        lse,
        di,
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
    base = query_gradient + row * M * HEAD_DIM
    store_rows(base, m, HEAD_DIM, M, accumulator * scale, HEAD_DIM, BLOCK_D)


@triton.jit
def _key_value_loop(
    key_sum,
    value_sum,
    key,
    value,
    query,
    gradient,
    logsumexp,
    delta,
    query_stride,
    gradient_stride,
    factor,
    n,
    start,
    end,
    M,
    EVEN_M: tl.constexpr,
    ON_DIAGONAL: tl.constexpr,
    HEAD_DIM: tl.constexpr,
    VALUE_DIM: tl.constexpr,
    BLOCK_D: tl.constexpr,
    BLOCK_V: tl.constexpr,
    BLOCK_M: tl.constexpr,
):
    # Scores have a row a key, so that no left operand is transposed.
    for i in range(start, end):
        m = i * BLOCK_M + tl.arange(0, BLOCK_M)
        q = load_rows(query, m, query_stride, M, not EVEN_M, HEAD_DIM, BLOCK_D)
        do = load_rows(gradient, m, gradient_stride, M, not EVEN_M, VALUE_DIM, BLOCK_V)
        if EVEN_M:
            lse = tl.load(logsumexp + m)
            di = tl.load(delta + m)
        else:
            lse = tl.load(logsumexp + m, m < M, other=float("inf"))
            di = tl.load(delta + m, m < M, other=0.0)
        scores = tl.dot(key, q.T, input_precision="ieee")
        weights = tl.exp2(scores * factor - lse[None, :])
        if ON_DIAGONAL:
            weights = tl.where(n[:, None] <= m[None, :], weights, 0.0)
        value_sum = tl.dot(weights.to(do.dtype), do, value_sum, input_precision="ieee")
        of_weights = tl.dot(value, do.T, input_precision="ieee")
        of_scores = weights * (of_weights - di[None, :])
        key_sum = tl.dot(of_scores.to(q.dtype), q, key_sum, input_precision="ieee")
    return key_sum, value_sum


@tuned(_KEY_VALUE, key=KEY, prune_configs_by=fitting("BLOCK_N", "BLOCK_M"))
@triton.heuristics({"EVEN_M": lambda arguments: arguments["M"] % arguments["BLOCK_M"] == 0})
@triton.jit
def _key_value_gradient(
    query,
    key,
    value,
    gradient,
    logsumexp,
    delta,
    key_gradient,
    value_gradient,
    query_stride_b,
    query_stride_h,
    query_stride_m,
    key_stride_b,
    key_stride_h,
    key_stride_n,
    value_stride_b,
    value_stride_h,
    value_stride_n,
    gradient_stride_b,
    gradient_stride_h,
    gradient_stride_m,
    scale,
    factor,
    key_heads,
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
    EVEN_M: tl.constexpr,
):
    row = tl.program_id(1).to(tl.int64)
    b = row // key_heads
    h = row % key_heads
    key += b * key_stride_b + h * key_stride_h
    value += b * value_stride_b + h * value_stride_h
    first = tl.program_id(0) * BLOCK_N
    n = first + tl.arange(0, BLOCK_N)
    k = load_rows(key, n, key_stride_n, N, True, HEAD_DIM, BLOCK_D)
    v = load_rows(value, n, value_stride_n, N, True, VALUE_DIM, BLOCK_V)
    key_sum = tl.zeros((BLOCK_N, BLOCK_D), tl.float32)
    value_sum = tl.zeros((BLOCK_N, BLOCK_V), tl.float32)
    blocks = tl.cdiv(M, BLOCK_M)
    whole = 0
    if IS_CAUSAL:
        whole = tl.minimum(tl.cdiv(first + BLOCK_N - 1, BLOCK_M), blocks)
    for shared in range(GROUP):
        head = h * GROUP + shared
        q = query + b * query_stride_b + head * query_stride_h
        do = gradient + b * gradient_stride_b + head * gradient_stride_h
        lse = logsumexp + (row * GROUP + shared) * M
        di = delta + (row * GROUP + shared) * M
        if IS_CAUSAL:
            key_sum, value_sum = _key_value_loop(
                key_sum,
                value_sum,
                k,
                v,
                q,
                do,
                lse,
                di,
                query_stride_m,
                gradient_stride_m,
                factor,
                n,
                first // BLOCK_M,
                whole,
                M,
                EVEN_M,
                True,
                HEAD_DIM,
                VALUE_DIM,
                BLOCK_D,
                BLOCK_V,
                BLOCK_M,
            )
        key_sum, value_sum = _key_value_loop(
            key_sum,
            value_sum,
            k,
            v,
            q,
            do,
            lse,
            di,
            query_stride_m,
            gradient_stride_m,
            factor,
            n,
            whole,
            blocks,
            M,
            EVEN_M,
            False,
            HEAD_DIM,
            VALUE_DIM,
            BLOCK_D,
            BLOCK_V,
            BLOCK_M,
        )
    base = key_gradient + row * N * HEAD_DIM
    store_rows(base, n, HEAD_DIM, N, key_sum * scale, HEAD_DIM, BLOCK_D)
    base = value_gradient + row * N * VALUE_DIM
    store_rows(base, n, VALUE_DIM, N, value_sum, VALUE_DIM, BLOCK_V)


def backward(
    gradient: torch.Tensor,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    output: torch.Tensor,
    logsumexp: torch.Tensor,
    is_causal: bool,
    scale: float,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The gradients of query, key and value. ``logsumexp`` is to base 2."""
    if gradient.stride(-1) != 1:
        gradient = gradient.contiguous()
    batch, heads, m, head_dim = query.shape
    key_heads, n, value_dim = value.shape[1:]
    block_v = max(triton.next_power_of_2(value_dim), 16)
    delta = torch.empty_like(logsumexp)
    _delta[lambda options: (triton.cdiv(m, options["BLOCK_M"]), batch * heads)](
        gradient,
        output,
        delta,
        *gradient.stride()[:3],
        *output.stride()[:3],
        heads,
        m,
        VALUE_DIM=value_dim,
        BLOCK_V=block_v,
    )
    inputs = (query, key, value, gradient, logsumexp, delta)
    strides = [stride for x in (query, key, value, gradient) for stride in x.stride()[:3]]
    options = {
        "GROUP": heads // key_heads,
        "IS_CAUSAL": is_causal,
        "HEAD_DIM": head_dim,
        "VALUE_DIM": value_dim,
        "BLOCK_D": max(triton.next_power_of_2(head_dim), 16),
        "BLOCK_V": block_v,
    }
    query_gradient, key_gradient, value_gradient = (
        torch.empty(x.shape, dtype=x.dtype, device=x.device) for x in (query, key, value)
    )
    _query_gradient[lambda options: (triton.cdiv(m, options["BLOCK_M"]), batch * heads)](
        *inputs, query_gradient, *strides, scale, scale * LOG2_E, heads, m, n, **options
    )
    _key_value_gradient[lambda options: (triton.cdiv(n, options["BLOCK_N"]), batch * key_heads)](
        *inputs,
        key_gradient,
        value_gradient,
        *strides,
        scale,
        scale * LOG2_E,
        key_heads,
        m,
        n,
        **options,
    )
    return query_gradient, key_gradient, value_gradient
