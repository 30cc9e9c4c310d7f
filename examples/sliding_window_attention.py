"""Causal attention in a sliding window: each query sees its own position and a few before it.

              key, value   [ n0 | n1 | n2 | n3 ]
query   [ m0 ]                e    .    .    .    w: all queries of the block see all keys of it
        [ m1 ]                w    e    .    .    e: an edge of the window, which is masked
        [ m2 ]                e    w    e    .    .: left out
        [ m3 ]                .    e    w    e

A program has the blocks that one of `examples.attention` has, and goes over three ranges of keys:
those at the window's first edge, those within it, without a mask, and those at its end.

Scores may be capped softly: a score s becomes cap * tanh(s / cap), which is within ± cap.
"""

import math

import torch

import ninetoothed
import ninetoothed.language as ntl
from examples import attention
from examples.checks import check_floats
from ninetoothed import Tensor


def arrangement(query, key, value, window, scale, is_capped, softcap, output):
    query_arranged = attention.queries(query)
    return (
        query_arranged,
        attention.keys_of(key, query_arranged),
        attention.keys_of(value, query_arranged),
        window,
        scale,
        is_capped,
        softcap,
        attention.queries(output),
    )


def seen_blocks(query, key, window):
    """Ranges of key blocks that some queries of a block see, and that all of them see as a whole.

    Where there are none of the second kind, their range ends before it starts, if not there.
    """
    size = key.dtype.shape[0]
    first = query.offsets(-2)[0]
    last = first + query.shape[0] - 1
    whole_end, end = attention.seen_blocks(query, key, True)
    start = ntl.maximum(first - window + 1, 0) // size
    whole_start = ntl.maximum(ntl.cdiv(last - window + 1, size), 0)
    return (start, end), (whole_start, whole_end)


def application(query, key, value, window, scale, is_capped, softcap, output):
    queries = ntl.cast(query, query.dtype)  # Read once, not in each iteration.

    def step(i, is_masked, accumulator, largest, total):
        scores = attention.dot(queries, ntl.trans(key[i]))
        if is_capped:
            scores = ntl.tanh(scores * (scale / softcap)) * (softcap * attention.LOG2_E)
        else:
            scores *= scale * attention.LOG2_E
        if is_masked:
            distance = query.offsets(-2)[:, None] - key[i].offsets(-2)[None, :]
            seen = attention.seen(query, key[i], True) & (distance < window)
            scores = ntl.where(seen, scores, float("-inf"))
        return attention.add_block(scores, value[i], accumulator, largest, total)

    accumulator, largest, total = attention.no_sums(query, value)
    (start, end), (whole_start, whole_end) = seen_blocks(query, key, window)
    for i in range(start, ntl.minimum(whole_start, end)):
        accumulator, largest, total = step(i, True, accumulator, largest, total)
    for i in range(whole_start, whole_end):
        accumulator, largest, total = step(i, False, accumulator, largest, total)
    for i in range(ntl.maximum(whole_start, whole_end), end):
        accumulator, largest, total = step(i, True, accumulator, largest, total)

    output, _ = attention.mean_of(accumulator, largest, total)


sliding_window_attention_kernel = ninetoothed.make(
    arrangement,
    application,
    (
        *(attention.query, attention.key, attention.value),
        *(Tensor(0, dtype=ninetoothed.int32), Tensor(0), Tensor(0, constexpr=True), Tensor(0)),
        attention.output,
    ),
    kernel_name="sliding_window_attention_kernel",
)


def sliding_window_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    window: int,
    softcap: float | None = None,
    scale: float | None = None,
) -> torch.Tensor:
    """Attention in which query i sees keys i - window + 1 to i, without gradients.

    ``query`` is (batch, heads, length, dim), ``key`` and ``value`` are (batch, key heads, key
    length, dim); key heads divide heads, and the query heads of a group share one. A query behind
    its last key by a window or more sees none, and its output is 0. Where a ``softcap`` is given,
    scores are ``softcap * tanh(query @ keyᵀ * scale / softcap)``; the scale is 1 / sqrt(dim) where
    none is given.
    """
    check_floats(one_dtype=True, query=query, key=key, value=value)
    attention.check_heads(1, query, key, value)
    if window < 1:
        raise ValueError(f"window must be at least 1, not {window}")
    if softcap is not None and not 0 < softcap < math.inf:
        raise ValueError(f"softcap must be above 0 and finite, not {softcap}")
    if scale is None:
        scale = query.shape[-1] ** -0.5
    # Wider windows see no more.
    window = min(window, max(query.shape[-2], 1))
    query = attention.grouped(query, key.shape[1])
    output = query.new_empty((*query.shape[:-1], value.shape[-1]))
    is_capped = softcap is not None
    sliding_window_attention_kernel(
        query, key, value, window, scale, is_capped, softcap if is_capped else 1.0, output
    )
    return output.flatten(1, 2)


if __name__ == "__main__":
    from examples.runner import run

    WINDOW, SOFTCAP = 100, 20.0

    def reference(query, key, value):
        group = query.shape[1] // key.shape[1]
        key, value = (tensor.repeat_interleave(group, dim=1) for tensor in (key, value))
        scores = query @ key.mT * query.shape[-1] ** -0.5
        scores = SOFTCAP * torch.tanh(scores / SOFTCAP)
        seen = torch.ones_like(scores, dtype=torch.bool).tril().triu(1 - WINDOW)
        return scores.masked_fill(~seen, -math.inf).softmax(-1) @ value

    def windowed(query, key, value):
        return sliding_window_attention(query, key, value, WINDOW, SOFTCAP)

    def inputs(draw, batch, heads, key_heads, length, dim):
        return tuple(draw(batch, count, length, dim) for count in (heads, key_heads, key_heads))

    run(windowed, reference, inputs, small=(1, 4, 2, 300, 32), large=(2, 16, 4, 4096, 128))
