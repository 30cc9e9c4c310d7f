"""Variants of attention: masks, slopes, windows, one query, and linear attention."""

from __future__ import annotations

import numpy as np
import torch

import ninetoothed.language as ntl
from ninetoothed import Tensor, block_size
from tests.support.idioms.idiom import Call, Idiom, gapped, nan, randn, transposed

BLOCK_SIZE_M = block_size(lower_bound=16, upper_bound=32)
BLOCK_SIZE_N = block_size(lower_bound=16, upper_bound=32)


def queries(tensor):
    """A block of positions of one head a program, of (heads, positions, features)."""
    arranged = tensor.tile((1, BLOCK_SIZE_M, -1))
    arranged.dtype = arranged.dtype.squeeze(0)
    return arranged


def keys(tensor, query):
    """All blocks of positions of one head, for every program of that head."""
    arranged = tensor.tile((1, BLOCK_SIZE_N, -1)).tile((1, -1, -1))
    arranged = arranged.expand((-1, query.shape[-2], -1))
    arranged.dtype = arranged.dtype.squeeze((0, 2))
    arranged.dtype.dtype = arranged.dtype.dtype.squeeze(0)
    return arranged


def arrangement(query, key, value, output, *numbers):
    query_arranged = queries(query)
    return (
        query_arranged,
        keys(key, query_arranged),
        keys(value, query_arranged),
        queries(output),
        *numbers,
    )


def attend(scores, value, accumulator, largest, total):
    """One step of the online softmax; where all scores are -inf, nothing is added."""
    larger = ntl.maximum(largest, ntl.max(scores, axis=1))
    weights = ntl.exp(scores - larger[:, None])
    shrunk = ntl.exp(largest - larger)
    product = ntl.dot(weights, value, input_precision="ieee")
    return (
        accumulator * shrunk[:, None] + product,
        larger,
        total * shrunk + ntl.sum(weights, axis=1),
    )


def states(query, output):
    accumulator = ntl.zeros(output.shape, dtype=ntl.float32)
    largest = ntl.full((query.shape[0],), -1e30, dtype=ntl.float32)
    return accumulator, largest, ntl.zeros((query.shape[0],), dtype=ntl.float32)


def causal(query, key, value, output, scale):
    accumulator, largest, total = states(query, output)
    position = query.offsets(1)[:, None]
    last = query.offsets(1)[0] + query.shape[0]
    size = key.dtype.shape[0]
    for i in range(ntl.minimum(ntl.cdiv(last, size), key.shape[0])):
        scores = ntl.dot(query, ntl.trans(key[i]), input_precision="ieee") * scale
        seen = key[i].offsets(1)[None, :] <= position
        scores = ntl.where(seen, scores, float("-inf"))
        accumulator, largest, total = attend(scores, value[i], accumulator, largest, total)
    output = accumulator / total[:, None]


def window(query, key, value, output, scale, radius):
    accumulator, largest, total = states(query, output)
    position = query.offsets(1)[:, None]
    for i in range(key.shape[0]):
        other = key[i].offsets(1)[None, :]
        scores = ntl.dot(query, ntl.trans(key[i]), input_precision="ieee") * scale
        near = (ntl.abs(other - position) <= radius) & (other < key.source.shape[1])
        scores = ntl.where(near, scores, float("-inf"))
        accumulator, largest, total = attend(scores, value[i], accumulator, largest, total)
    output = accumulator / total[:, None]


def reference(query, key, value, scale, bias):
    """``bias`` is added to the scores, and takes positions of queries and keys."""
    q, k, v = (tensor.double().numpy() for tensor in (query, key, value))
    i, j = np.arange(q.shape[1])[:, None], np.arange(k.shape[1])[None, :]
    with np.errstate(all="ignore"):
        scores = q @ k.transpose(0, 2, 1) * scale + bias(i, j)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
    return torch.from_numpy(weights / weights.sum(-1, keepdims=True) @ v)


def operands(*numbers: float) -> list[Call]:
    def call(heads: int, length: int, features: int) -> Call:
        query = randn(heads, length, features)
        key, value = query.flip(0) + 0.25, randn(heads, length, features).flip(1)
        return query, key, value, nan(heads, length, features), *numbers

    query, key, value, output, *_ = call(2, 37, 20)
    return [
        call(1, 32, 16),
        (transposed(query), gapped(key), value, gapped(output), *numbers),
    ]


def causal_reference(query, key, value, output, scale):
    return reference(query, key, value, scale, lambda i, j: np.where(j <= i, 0, -np.inf))


def window_reference(query, key, value, output, scale, radius):
    return reference(
        query, key, value, scale, lambda i, j: np.where(abs(i - j) <= radius, 0, -np.inf)
    )


# Slopes of distances, one a head.


def alibi_arrangement(query, key, value, slope, output, scale):
    query_arranged, key_arranged, value_arranged, output_arranged = arrangement(
        query, key, value, output
    )
    slopes = slope.tile((1,)).unsqueeze(1).unsqueeze(2)
    slopes = slopes.expand((-1, *query_arranged.shape[1:]))
    slopes.dtype = slopes.dtype.squeeze(0)
    return query_arranged, key_arranged, value_arranged, slopes, output_arranged, scale


def alibi(query, key, value, slope, output, scale):
    accumulator, largest, total = states(query, output)
    position = query.offsets(1)[:, None]
    for i in range(key.shape[0]):
        other = key[i].offsets(1)[None, :]
        scores = ntl.dot(query, ntl.trans(key[i]), input_precision="ieee") * scale
        scores -= slope * ntl.abs(other - position)
        scores = ntl.where(other < key.source.shape[1], scores, float("-inf"))
        accumulator, largest, total = attend(scores, value[i], accumulator, largest, total)
    output = accumulator / total[:, None]


def alibi_arguments() -> list[Call]:
    return [
        (query, key, value, torch.arange(1.0, 1 + len(query)) / 8, output, 0.25)
        for query, key, value, output in operands()
    ]


def alibi_reference(query, key, value, slope, output, scale):
    slopes = slope.double().numpy()[:, None, None]
    return reference(query, key, value, scale, lambda i, j: -slopes * abs(i - j))


# One query a sequence, of a length of its own: decoding.


def decode_arrangement(query, key, value, length, output):
    def heads(tensor):
        arranged = tensor.tile((1, 1, -1)).squeeze(2)
        arranged.dtype = arranged.dtype.squeeze((0, 1))
        return arranged

    def positions(tensor):
        arranged = tensor.tile((1, 1, 16, -1)).tile((1, 1, -1, 1)).squeeze((2, 3))
        arranged.dtype = arranged.dtype.squeeze((0, 1, 3))
        arranged.dtype.dtype = arranged.dtype.dtype.squeeze((0, 1))
        return arranged

    lengths = length.tile((1,)).unsqueeze(1).expand((-1, query.shape[1]))
    lengths.dtype = lengths.dtype.squeeze(0)
    return heads(query), positions(key), positions(value), lengths, heads(output)


def decode(query, key, value, length, output):
    largest = -1e30
    total = 0.0
    accumulator = ntl.zeros(output.shape, dtype=ntl.float32)
    for i in range(ntl.cdiv(length.to(ntl.int32), 16)):
        scores = ntl.sum(key[i] * query[None, :], axis=1)
        scores = ntl.where(key[i].offsets(2) < length, scores, float("-inf"))
        larger = ntl.maximum(largest, ntl.max(scores))
        weights = ntl.exp(scores - larger)
        shrunk = ntl.exp(largest - larger)
        total = total * shrunk + ntl.sum(weights)
        accumulator = accumulator * shrunk + ntl.sum(weights[:, None] * value[i], axis=0)
        largest = larger
    output = accumulator / total


def decode_arguments() -> list[Call]:
    def call(batch: int, heads: int, length: int, features: int, *lengths: int) -> Call:
        key, value = randn(batch, heads, length, features), randn(batch, heads, length, features)
        sizes = torch.tensor(lengths)
        return randn(batch, heads, features), key, value.flip(2), sizes, nan(batch, heads, features)

    query, key, value, length, output = call(3, 2, 37, 12, 37, 1, 20)
    return [
        call(2, 2, 32, 16, 32, 16),
        (transposed(query), gapped(key), transposed(value), length, gapped(output)),
    ]


def decode_reference(query, key, value, length, output):
    q, k, v = (tensor.double().numpy() for tensor in (query, key, value))
    results = []
    for b, n in enumerate(length.tolist()):
        scores = np.einsum("hd,hnd->hn", q[b], k[b, :, :n])
        weights = np.exp(scores - scores.max(1, keepdims=True))
        results.append(
            np.einsum("hn,hnd->hd", weights / weights.sum(1, keepdims=True), v[b, :, :n])
        )
    return torch.from_numpy(np.stack(results))


# Linear attention: a state of keys by values, which grows from block to block.


def linear_arrangement(query, key, value, output):
    def positions(tensor):
        arranged = tensor.tile((1, 16, -1)).tile((1, -1, 1)).squeeze((1, 2))
        arranged.dtype = arranged.dtype.squeeze((0, 2))
        arranged.dtype.dtype = arranged.dtype.dtype.squeeze(0)
        return arranged

    return tuple(map(positions, (query, key, value, output)))


def linear_attention(query, key, value, output):
    state = ntl.zeros((key.dtype.shape[1], value.dtype.shape[1]), dtype=ntl.float32)
    lane = ntl.arange(0, 16)
    for i in range(query.shape[0]):
        scores = ntl.dot(query[i], ntl.trans(key[i]), input_precision="ieee")
        scores = ntl.where(lane[None, :] <= lane[:, None], scores, 0.0)
        inside = ntl.dot(scores, value[i], input_precision="ieee")
        output[i] = inside + ntl.dot(query[i], state, input_precision="ieee")
        state += ntl.dot(ntl.trans(key[i]), value[i], input_precision="ieee")


def linear_reference(query, key, value, output):
    q, k, v = (tensor.double().numpy() for tensor in (query, key, value))
    return torch.from_numpy(np.tril(q @ k.transpose(0, 2, 1)) @ v)


FOUR = (*(Tensor(3, other=0) for _ in range(3)), Tensor(3))

IDIOMS = (
    Idiom(
        "causal_attention",
        arrangement,
        causal,
        lambda: operands(0.25),
        causal_reference,
        tensors=(*FOUR, Tensor(0)),
        outputs=(3,),
    ),
    Idiom(
        "attention_of_a_window",
        arrangement,
        window,
        lambda: operands(0.25, 5),
        window_reference,
        tensors=(*FOUR, Tensor(0), Tensor(0)),
        outputs=(3,),
    ),
    Idiom(
        "attention_with_slopes",
        alibi_arrangement,
        alibi,
        alibi_arguments,
        alibi_reference,
        tensors=(*FOUR[:3], Tensor(1), Tensor(3), Tensor(0)),
        outputs=(4,),
    ),
    Idiom(
        "attention_of_one_query",
        decode_arrangement,
        decode,
        decode_arguments,
        decode_reference,
        tensors=(Tensor(3), *(Tensor(4, other=0) for _ in range(2)), Tensor(1), Tensor(3)),
    ),
    Idiom(
        "linear_attention",
        linear_arrangement,
        linear_attention,
        operands,
        linear_reference,
        tensors=FOUR,
        tolerance=1e-3,
    ),
)
