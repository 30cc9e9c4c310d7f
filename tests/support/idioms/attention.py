"""Scaled dot product attention with an online softmax, heads grouped or not."""

from __future__ import annotations

import math

import torch

import ninetoothed.language as ntl
from ninetoothed import Tensor, block_size
from tests.support.idioms.idiom import Call, Idiom, gapped, nan, randn, transposed

BLOCK_SIZE_M = block_size(lower_bound=16, upper_bound=64)
BLOCK_SIZE_N = block_size(lower_bound=16, upper_bound=64)


def queries(tensor):
    """A block of positions of one head a program."""
    arranged = tensor.tile((1, 1, BLOCK_SIZE_M, -1))
    arranged.dtype = arranged.dtype.squeeze((0, 1))
    return arranged


def keys(tensor, query):
    """All blocks of positions of one head, for every program of that head."""
    arranged = tensor.tile((1, 1, BLOCK_SIZE_N, -1)).tile((1, 1, -1, -1))
    arranged = arranged.expand((-1, -1, query.shape[-2], -1))
    arranged.dtype = arranged.dtype.squeeze((0, 1, 3))
    arranged.dtype.dtype = arranged.dtype.dtype.squeeze((0, 1))
    return arranged


def arrangement(query, key, value, scale, output):
    query_arranged = queries(query)
    key_arranged = keys(key, query_arranged)
    value_arranged = keys(value, query_arranged)
    return query_arranged, key_arranged, value_arranged, scale, queries(output)


def application(query, key, value, scale, output):
    scaled = ntl.cast(query * (scale * 1.44269504089), query.dtype)
    accumulator = ntl.zeros(output.shape, dtype=ntl.float32)
    largest = ntl.full((query.shape[0],), float("-inf"), dtype=ntl.float32)
    total = ntl.zeros((query.shape[0],), dtype=ntl.float32)
    for i in range(key.shape[0]):
        scores = ntl.dot(scaled, ntl.trans(key[i]), input_precision="ieee")
        scores = ntl.where(key[i].offsets(-2) < key.source.shape[-2], scores, float("-inf"))
        larger = ntl.maximum(largest, ntl.max(scores, axis=1))
        weights = ntl.exp2(scores - larger[:, None])
        shrunk = ntl.exp2(largest - larger)
        accumulator = accumulator * shrunk[:, None]
        accumulator += ntl.dot(
            ntl.cast(weights, value.dtype.dtype), value[i], input_precision="ieee"
        )
        total = total * shrunk + ntl.sum(weights, axis=1)
        largest = larger
    output = accumulator / total[:, None]


def arguments() -> list[Call]:
    def call(batch: int, heads: int, m: int, n: int, features: int) -> Call:
        query = randn(batch, heads, m, features)
        key, value = (
            randn(batch, heads, n, features),
            randn(batch, heads, n + 1, features)[:, :, 1:],
        )
        return query, key, value, 1 / math.sqrt(features), nan(batch, heads, m, features)

    query, key, value, scale, output = call(2, 3, 33, 70, 24)
    return [
        call(1, 2, 64, 64, 32),
        (query, key, value, scale, output),
        (transposed(query), gapped(key), transposed(value), scale, gapped(output)),
        call(1, 1, 1, 1, 16),
    ]


def reference(query, key, value, scale, output):
    return torch.nn.functional.scaled_dot_product_attention(
        query.double(), key.double(), value.double(), scale=scale
    )


# Grouped queries: a program has the block of positions of all heads that share a key.


def grouped_arrangement(query, key, value, scale, output):
    group = query.shape[-3] // key.shape[-3]

    def queries_of_group(tensor):
        arranged = tensor.tile((1, 1, BLOCK_SIZE_M, -1)).tile((1, group, 1, 1))
        arranged.dtype = arranged.dtype.squeeze((0, 2, 3))
        arranged.dtype.dtype = arranged.dtype.dtype.squeeze((0, 1))
        return arranged

    query_arranged = queries_of_group(query)
    key_arranged = keys(key, query_arranged)
    value_arranged = keys(value, query_arranged)
    return query_arranged, key_arranged, value_arranged, scale, queries_of_group(output)


def grouped_application(query, key, value, scale, output):
    for head in range(query.shape[0]):
        accumulator = ntl.zeros(output.dtype.shape, dtype=ntl.float32)
        largest = ntl.full((query.dtype.shape[0],), float("-inf"), dtype=ntl.float32)
        total = ntl.zeros((query.dtype.shape[0],), dtype=ntl.float32)
        for i in range(key.shape[0]):
            scores = ntl.dot(query[head], ntl.trans(key[i]), input_precision="ieee") * scale
            scores = ntl.where(key[i].offsets(-2) < key.source.shape[-2], scores, float("-inf"))
            larger = ntl.maximum(largest, ntl.max(scores, axis=1))
            weights = ntl.exp(scores - larger[:, None])
            shrunk = ntl.exp(largest - larger)
            total = total * shrunk + ntl.sum(weights, axis=1)
            accumulator = accumulator * shrunk[:, None]
            accumulator += ntl.dot(
                ntl.cast(weights, value.dtype.dtype), value[i], input_precision="ieee"
            )
            largest = larger
        output[head] = accumulator / total[:, None]


def grouped_arguments() -> list[Call]:
    def call(batch: int, heads: int, shared: int, m: int, n: int, features: int) -> Call:
        query, output = randn(batch, heads, m, features), nan(batch, heads, m, features)
        key, value = randn(batch, shared, n, features), randn(batch, shared, n, features)
        return query, key, value.flip(-1), 1 / math.sqrt(features), output

    query, key, value, scale, output = call(2, 6, 2, 17, 35, 20)
    return [
        call(1, 4, 1, 32, 32, 16),
        (query, key, value, scale, output),
        (gapped(query), transposed(key), gapped(value), scale, transposed(output)),
        call(1, 2, 2, 16, 5, 16),
    ]


def grouped_reference(query, key, value, scale, output):
    return torch.nn.functional.scaled_dot_product_attention(
        query.double(), key.double(), value.double(), scale=scale, enable_gqa=True
    )


IDIOMS = (
    Idiom(
        "attention",
        arrangement,
        application,
        arguments,
        reference,
        tensors=(*(Tensor(4, other=0) for _ in range(3)), Tensor(0), Tensor(4)),
    ),
    Idiom(
        "attention_of_grouped_queries",
        grouped_arrangement,
        grouped_application,
        grouped_arguments,
        grouped_reference,
        tensors=(*(Tensor(4, other=0) for _ in range(3)), Tensor(0), Tensor(4)),
    ),
)
