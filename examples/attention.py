"""Scaled dot-product attention, forward and backward: each program has a block of one head.

              key, value   [ n0 | n1 | n2 ]     all blocks of BLOCK_SIZE_N positions of the head
query   [ m0 ]                x    .    .       x: scores of a block of queries with one of keys
        [ m1 ]                x    x    .       is_causal: no query sees a key behind its own
        [ m2 ]                x    x    x       position, and blocks of such keys are left out

forward        a program has one m, loops over the n's, and never holds more than one x: its softmax
               is corrected for each larger score that it meets
backward of    query: a program has one m and loops over the n's
               key, value: a program has one n and loops over the m's of all heads that share it

Query heads may be grouped: query is (batch, key heads, group, length, dim) in the kernels, key
and value are (batch, key heads, length, dim), and each of their heads is repeated for its group.
"""

import torch
from torch.autograd.function import once_differentiable

import ninetoothed
import ninetoothed.language as ntl
from examples.checks import check_floats, check_ndim, needs_gradients
from ninetoothed import Tensor, block_size

# Large head dims leave room for small blocks only.
BLOCK_SIZE_M = block_size(lower_bound=16)
BLOCK_SIZE_N = block_size(lower_bound=16)

LOG2_E = 1.4426950408889634

# The largest score so far begins with this number and not with -inf: scores of -inf alone then
# have weights of exp2(-inf - SMALLEST) = 0, and not of exp2(-inf + inf).
SMALLEST = torch.finfo(torch.float32).min

query = Tensor(5, shape_options=(None, None, None, None, {"constexpr": True}), other=0)
value = Tensor(4, shape_options=(None, None, None, {"constexpr": True}), other=0)
key = Tensor(shape=(*value.shape[:3], query.shape[-1]), other=0)
output = Tensor(shape=(*query.shape[:-1], value.shape[-1]), other=0)
# Positions that do not exist have the weight 2 ** -inf, which is 0.
logsumexp = Tensor(shape=query.shape[:-1], other=float("inf"))
delta = Tensor(shape=query.shape[:-1], other=0)
gradient = Tensor(shape=output.shape, other=0)
query_gradient, key_gradient, value_gradient = (
    Tensor(shape=tensor.shape) for tensor in (query, key, value)
)
is_causal = Tensor(0, constexpr=True)
scale = Tensor(0)


# Forward.


def queries(tensor):
    """One block of positions of a query head for each program."""
    arranged = tensor.tile((1, 1, 1, BLOCK_SIZE_M, -1))
    arranged.dtype = arranged.dtype.squeeze((0, 1, 2))
    return arranged


def keys_of(tensor, query_arranged):
    """All blocks of positions of the key head that a program's query head shares."""
    arranged = tensor[:, :, None].tile((1, 1, 1, BLOCK_SIZE_N, -1)).tile((1, 1, 1, -1, 1))
    arranged = arranged.expand((-1, -1, *query_arranged.shape[2:4], -1))
    arranged.dtype = arranged.dtype.squeeze((0, 1, 2, 4))
    arranged.dtype.dtype = arranged.dtype.dtype.squeeze((0, 1, 2))
    return arranged


def numbers_of_queries(tensor):
    """One number a position, as `queries` has the positions."""
    arranged = tensor.tile((1, 1, 1, BLOCK_SIZE_M))[..., None]
    arranged.dtype = arranged.dtype.squeeze((0, 1, 2))
    return arranged


def arrangement(query, key, value, is_causal, scale, output, logsumexp):
    query_arranged = queries(query)
    return (
        query_arranged,
        keys_of(key, query_arranged),
        keys_of(value, query_arranged),
        is_causal,
        scale,
        queries(output),
        numbers_of_queries(logsumexp),
    )


def blocks_within(first, rows, length, size, is_causal):
    """Numbers of key blocks, of so many ``size``, as :func:`seen_blocks` has them.

    Of queries from position ``first`` on, and of ``length`` keys.
    """
    whole = length // size
    some = ntl.cdiv(length, size)
    if is_causal:
        whole = ntl.minimum(whole, (first + 1) // size)
        some = ntl.minimum(some, ntl.cdiv(first + rows, size))
    return whole, some


def seen_blocks(query, key, is_causal, dim=-2):
    """Number of key blocks that all queries of a block see as a whole, and that some see.

    ``dim`` is that of the positions.
    """
    first, length = query.offsets(dim)[0], key.source.shape[dim]
    return blocks_within(first, query.shape[0], length, key.dtype.shape[0], is_causal)


def seen_keys(query_position, key_position, length, is_causal):
    """Mask of the queries at these positions that see the keys at those, of ``length``."""
    position = key_position[None, :]
    inside = position < length
    if is_causal:
        inside = inside & (position <= query_position[:, None])
    return inside


def seen(query, key, is_causal, dim=-2):
    """Mask of the queries of a block that see the keys of one."""
    length = key.source.shape[dim]
    return seen_keys(query.offsets(dim), key.offsets(dim), length, is_causal)


def dot(lhs, rhs):
    """Dot of two blocks, of fp32 in fp32."""
    return ntl.dot(lhs, rhs, input_precision="ieee")


def no_sums(query, value):
    """What the softmax of a block of queries is before the first key.

    The weighted sum of values, the largest score, and the sum of weights.
    """
    accumulator = ntl.zeros((query.shape[0], value.dtype.shape[1]), dtype=ntl.float32)
    largest = ntl.full((query.shape[0],), SMALLEST, dtype=ntl.float32)
    total = ntl.zeros((query.shape[0],), dtype=ntl.float32)
    return accumulator, largest, total


def add_block(scores, value, accumulator, largest, total):
    """The same after a block of keys more; ``scores`` are logarithms to base 2."""
    larger = ntl.maximum(largest, ntl.max(scores, axis=1))
    weights = ntl.exp2(scores - larger[:, None])
    correction = ntl.exp2(largest - larger)
    total = total * correction + ntl.sum(weights, axis=1)
    accumulator = accumulator * correction[:, None]
    accumulator += dot(ntl.cast(weights, value.dtype), value)
    return accumulator, larger, total


def mean_of(accumulator, largest, total):
    """The mean of values, and the logarithms to base 2 of the sums of weights."""
    # The largest weight is 1, so that the total is less only where all are 0, or there are none.
    total = ntl.maximum(total, 1.0)
    return accumulator / total[:, None], largest + ntl.log2(total)


def attend(query, key, value, is_causal, scale, dim=-2):
    """The output of a block of queries, and the logarithms to base 2 of its softmax's sums."""
    queries = ntl.cast(query, query.dtype)  # Read once, not in each iteration.
    factor = scale * LOG2_E  # exp(x) is exp2(x * LOG2_E).

    def step(i, is_masked, accumulator, largest, total):
        scores = dot(queries, ntl.trans(key[i])) * factor
        if is_masked:
            scores = ntl.where(seen(query, key[i], is_causal, dim), scores, float("-inf"))
        return add_block(scores, value[i], accumulator, largest, total)

    accumulator, largest, total = no_sums(query, value)
    whole, some = seen_blocks(query, key, is_causal, dim)
    for i in range(whole):
        accumulator, largest, total = step(i, False, accumulator, largest, total)
    for i in range(whole, some):
        accumulator, largest, total = step(i, True, accumulator, largest, total)

    return mean_of(accumulator, largest, total)


def application(query, key, value, is_causal, scale, output, logsumexp):
    output, logsumexp = attend(query, key, value, is_causal, scale)


attention_kernel = ninetoothed.make(
    arrangement,
    application,
    (query, key, value, is_causal, scale, output, logsumexp),
    kernel_name="attention_kernel",
)


# Backward. With weights p = exp2(scores - logsumexp), dp = gradient · valueᵀ and
# delta = sum(gradient * output), the gradient of the scores is ds = p * (dp - delta).


def delta_arrangement(gradient, output, delta):
    return queries(gradient), queries(output), numbers_of_queries(delta)


def delta_application(gradient, output, delta):
    delta = ntl.sum(ntl.cast(gradient, ntl.float32) * ntl.cast(output, ntl.float32), axis=1)


delta_kernel = ninetoothed.make(
    delta_arrangement,
    delta_application,
    (gradient, output, delta),
    kernel_name="attention_delta_kernel",
)


def query_arrangement(
    query, key, value, gradient, logsumexp, delta, is_causal, scale, query_gradient
):
    query_arranged = queries(query)
    return (
        query_arranged,
        keys_of(key, query_arranged),
        keys_of(value, query_arranged),
        queries(gradient),
        numbers_of_queries(logsumexp),
        numbers_of_queries(delta),
        is_causal,
        scale,
        queries(query_gradient),
    )


def query_application(
    query, key, value, gradient, logsumexp, delta, is_causal, scale, query_gradient
):
    # Read once, not in each iteration.
    queries = ntl.cast(query, query.dtype)
    gradients = ntl.cast(gradient, gradient.dtype)
    logsumexps = ntl.expand_dims(logsumexp, 1)
    deltas = ntl.expand_dims(delta, 1)
    factor = scale * LOG2_E

    def step(i, is_masked, accumulator):
        scores = dot(queries, ntl.trans(key[i])) * factor
        if is_masked:
            scores = ntl.where(seen(query, key[i], is_causal), scores, float("-inf"))
        weights = ntl.exp2(scores - logsumexps)
        weights_gradient = dot(gradients, ntl.trans(value[i]))
        scores_gradient = weights * (weights_gradient - deltas)
        accumulator += dot(ntl.cast(scores_gradient, key.dtype.dtype), key[i])
        return accumulator

    accumulator = ntl.zeros(query.shape, dtype=ntl.float32)
    whole, some = seen_blocks(query, key, is_causal)
    for i in range(whole):
        accumulator = step(i, False, accumulator)
    for i in range(whole, some):
        accumulator = step(i, True, accumulator)

    query_gradient = accumulator * scale


query_kernel = ninetoothed.make(
    query_arrangement,
    query_application,
    (query, key, value, gradient, logsumexp, delta, is_causal, scale, query_gradient),
    kernel_name="attention_query_gradient_kernel",
)


def keys(tensor):
    """One block of positions of a key head for each program."""
    arranged = tensor.tile((1, 1, BLOCK_SIZE_N, -1))
    arranged.dtype = arranged.dtype.squeeze((0, 1))
    return arranged


def queries_of(tensor, key_arranged):
    """All blocks of positions, of all query heads that share a program's key head."""
    arranged = tensor.tile((1, 1, 1, BLOCK_SIZE_M, -1)).tile((1, 1, -1, -1, 1)).squeeze(2)
    arranged = arranged.expand((-1, -1, key_arranged.shape[2], -1))
    arranged.dtype = arranged.dtype.squeeze((0, 1, 4))
    arranged.dtype.dtype = arranged.dtype.dtype.squeeze((0, 1, 2))
    return arranged


def numbers_of_queries_of(tensor, key_arranged):
    """One number a position, as `queries_of` has the positions."""
    arranged = queries_of(tensor[..., None], key_arranged)
    arranged.dtype.dtype = arranged.dtype.dtype.squeeze(1)
    return arranged


def key_value_arrangement(
    query, key, value, gradient, logsumexp, delta, is_causal, scale, key_gradient, value_gradient
):
    key_arranged = keys(key)
    return (
        queries_of(query, key_arranged),
        key_arranged,
        keys(value),
        queries_of(gradient, key_arranged),
        numbers_of_queries_of(logsumexp, key_arranged),
        numbers_of_queries_of(delta, key_arranged),
        is_causal,
        scale,
        keys(key_gradient),
        keys(value_gradient),
    )


def key_value_application(
    query, key, value, gradient, logsumexp, delta, is_causal, scale, key_gradient, value_gradient
):
    # Read once, not in each iteration.
    keys = ntl.cast(key, key.dtype)
    values = ntl.cast(value, value.dtype)
    factor = scale * LOG2_E

    # Scores have a row a key here, so that no dot needs its left operand transposed.
    def step(head, i, is_masked, key_sum, value_sum):
        scores = dot(keys, ntl.trans(query[head, i])) * factor
        weights = ntl.exp2(scores - logsumexp[head, i][None, :])
        if is_masked:
            position = query[head, i].offsets(-2)[None, :]
            weights = ntl.where(key.offsets(-2)[:, None] <= position, weights, 0.0)
        value_sum += dot(ntl.cast(weights, gradient.dtype.dtype), gradient[head, i])
        weights_gradient = dot(values, ntl.trans(gradient[head, i]))
        scores_gradient = weights * (weights_gradient - delta[head, i][None, :])
        key_sum += dot(ntl.cast(scores_gradient, query.dtype.dtype), query[head, i])
        return key_sum, value_sum

    key_sum = ntl.zeros(key.shape, dtype=ntl.float32)
    value_sum = ntl.zeros(value.shape, dtype=ntl.float32)
    group, blocks = query.shape
    size = query.dtype.shape[0]
    # From block `some` on queries see some of these keys, from block `whole` on all of them.
    some = whole = 0
    if is_causal:
        first = key.offsets(-2)[0]
        some = first // size
        whole = ntl.minimum(ntl.cdiv(first + key.shape[0] - 1, size), blocks)
    for head in range(group):
        if is_causal:
            for i in range(some, whole):
                key_sum, value_sum = step(head, i, True, key_sum, value_sum)
        for i in range(whole, blocks):
            key_sum, value_sum = step(head, i, False, key_sum, value_sum)

    key_gradient = key_sum * scale
    value_gradient = value_sum


key_value_kernel = ninetoothed.make(
    key_value_arrangement,
    key_value_application,
    (
        *(query, key, value, gradient, logsumexp, delta, is_causal, scale),
        *(key_gradient, value_gradient),
    ),
    kernel_name="attention_key_value_gradient_kernel",
)


def forward(query, key, value, is_causal, scale):
    """The output of a query of five dims, and the logarithms to base 2 of its softmax's sums."""
    output = query.new_empty((*query.shape[:-1], value.shape[-1]))
    logsumexp = query.new_empty(query.shape[:-1], dtype=torch.float32)
    attention_kernel(query, key, value, is_causal, scale, output, logsumexp)
    return output, logsumexp


class Attention(torch.autograd.Function):
    """Attention of a query of five dims, with its gradients."""

    @staticmethod
    def forward(ctx, query, key, value, is_causal, scale):
        output, logsumexp = forward(query, key, value, is_causal, scale)
        ctx.save_for_backward(query, key, value, output, logsumexp)
        ctx.is_causal, ctx.scale = is_causal, scale
        return output

    @staticmethod
    @once_differentiable
    def backward(ctx, gradient):
        query, key, value, output, logsumexp = ctx.saved_tensors
        delta = torch.empty_like(logsumexp)
        delta_kernel(gradient, output, delta)
        shared = (query, key, value, gradient, logsumexp, delta, ctx.is_causal, ctx.scale)
        gradients = tuple(torch.empty_like(tensor) for tensor in (query, key, value))
        query_kernel(*shared, gradients[0])
        key_value_kernel(*shared, *gradients[1:])
        return (*gradients, None, None)


def check_groups(heads: int, key_heads: int) -> None:
    """Raise a ValueError where there are not as many heads for each key head."""
    if heads != key_heads and (not key_heads or heads % key_heads):
        raise ValueError(f"{key_heads} key heads do not divide {heads} query heads")


def check_heads(
    dim: int, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, ndim: int = 4
) -> None:
    """Raise a ValueError where ``dim``, that of the heads, or the number of dims does not fit."""
    check_ndim(ndim, query=query, key=key, value=value)
    check_groups(query.shape[dim], key.shape[dim])


def grouped(query: torch.Tensor, key_heads: int) -> torch.Tensor:
    """The query with two dims for dim 1, that of the heads: key heads, and queries of each."""
    return query.unflatten(1, (key_heads, query.shape[1] // key_heads if key_heads else 1))


def attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    is_causal: bool = False,
    scale: float | None = None,
) -> torch.Tensor:
    """``softmax(query @ keyᵀ * scale) @ value``; the scale is 1 / sqrt(dim) where none is given.

    ``query`` is (batch, heads, length, dim), ``key`` and ``value`` are (batch, key heads, key
    length, dim); key heads divide heads, and the query heads of a group share one. ``is_causal``:
    query i sees keys 0 to i.
    """
    check_floats(differentiable=True, one_dtype=True, query=query, key=key, value=value)
    check_heads(1, query, key, value)
    if scale is None:
        scale = query.shape[-1] ** -0.5
    query = grouped(query, key.shape[1])
    # All see the same keys: the heads of a group are the rows of a block, as positions would be.
    is_decoding = query.shape[3] == 1 and not is_causal
    if is_decoding:
        query = query.transpose(2, 3)
    if needs_gradients(query, key, value):
        output = Attention.apply(query, key, value, is_causal, scale)
    else:
        output, _ = forward(query, key, value, is_causal, scale)
    if is_decoding:
        output = output.transpose(2, 3)
    return output.flatten(1, 2)


if __name__ == "__main__":
    from examples.runner import gradients, run

    def reference(query, key, value):
        return torch.nn.functional.scaled_dot_product_attention(
            query, key, value, is_causal=True, enable_gqa=True
        )

    def causal_attention(query, key, value):
        return attention(query, key, value, is_causal=True)

    def inputs(draw, batch, heads, key_heads, length, dim):
        return (
            draw(batch, heads, length, dim),
            draw(batch, key_heads, length, dim),
            draw(batch, key_heads, length, dim),
        )

    sizes = {"small": (1, 4, 2, 130, 32), "large": (4, 32, 8, 2048, 128)}
    run(causal_attention, reference, inputs, **sizes)
    run(
        gradients(causal_attention),
        gradients(reference),
        lambda draw, *sizes: (draw(sizes[0], sizes[1], *sizes[3:]), *inputs(draw, *sizes)),
        **sizes,
    )
