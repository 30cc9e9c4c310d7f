"""Reductions over chosen dims, whole rows of any length, and sums that run backwards."""

from __future__ import annotations

import functools
import math

import torch

import ninetoothed.language as ntl
from ninetoothed import Tensor, block_size
from tests.support.idioms.idiom import Call, Idiom, gapped, nan, randn, transposed

BLOCK_SIZE = block_size(lower_bound=16, upper_bound=64)


# Over chosen dims: they are brought together, and walked over block by block.


def dims_arrangement(input, output, dims):
    kept = tuple(dim for dim in range(input.ndim) if dim not in dims)
    outer = (1,) * len(kept)

    blocks = input.permute(kept + dims).flatten(start_dim=len(kept))
    blocks = blocks.tile((*outer, BLOCK_SIZE)).tile((*outer, -1))
    blocks.dtype = blocks.dtype.squeeze(tuple(range(len(kept))))
    blocks.dtype.dtype = blocks.dtype.dtype.squeeze(tuple(range(len(kept))))

    totals = output.permute(kept + dims).flatten(start_dim=len(kept)).tile((*outer, 1))
    totals.dtype = totals.dtype.squeeze(tuple(range(len(kept))))
    return blocks, totals


def sum_application(input, output):
    accumulator = ntl.zeros(input.dtype.shape, dtype=ntl.float32)
    for i in range(input.shape[0]):
        accumulator += ntl.cast(input[i], ntl.float32)
    output = ntl.sum(accumulator, axis=0, keep_dims=True)


def logsumexp_application(input, output):
    """In one sweep; lanes outside read -inf."""
    largest = ntl.full((1,), float("-inf"), dtype=ntl.float32)
    total = ntl.zeros((1,), dtype=ntl.float32)
    for i in range(input.shape[0]):
        block = ntl.cast(input[i], ntl.float32)
        larger = ntl.maximum(largest, ntl.max(block, axis=0, keep_dims=True))
        total = total * ntl.exp(largest - larger)
        total += ntl.sum(ntl.exp(block - larger), axis=0, keep_dims=True)
        largest = larger
    output = largest + ntl.log(total)


def dims_calls(dims: tuple[int, ...]) -> list[Call]:
    def call(*shape: int) -> Call:
        kept = [1 if dim in dims else size for dim, size in enumerate(shape)]
        return randn(*shape), nan(*kept)

    input, output = call(3, 5, 7, 11)
    return [
        call(2, 4, 4, 16),
        (input, output),
        (transposed(input), transposed(output)),
        (gapped(input), gapped(output)),
    ]


def dims_idiom(name: str, application, other, dims: tuple[int, ...], reference) -> Idiom:
    return Idiom(
        name,
        functools.partial(dims_arrangement, dims=dims),
        application,
        functools.partial(dims_calls, dims),
        lambda input, output: reference(input.double(), dims, keepdim=True),
        tensors=(Tensor(4, other=other), Tensor(4)),
    )


# A row a program, of whatever length.


def rows_arrangement(*tensors):
    return [tensor.tile((1, -1)) for tensor in tensors]


def softmax_application(input, output):
    exponential = ntl.exp(input - ntl.max(input, axis=1, keep_dims=True))
    output = exponential / ntl.sum(exponential, axis=1, keep_dims=True)


def softmax_arguments() -> list[Call]:
    return [
        (randn(4, 64), nan(4, 64)),
        (randn(7, 33), nan(7, 33)),
        (transposed(randn(3, 100)), gapped(nan(3, 100))),
        (randn(2, 1), nan(2, 1)),
    ]


# Sums that run backwards: the row is padded to whole blocks, which are walked over from the last.


def backwards_arrangement(input, output, block_size, in_front):
    def arranged(tensor):
        missing = (-tensor.shape[1]) % block_size
        pad = (missing, 0) if in_front else (0, missing)
        blocks = tensor.pad(((0, 0), pad)).tile((1, block_size)).tile((1, -1))
        blocks.dtype = blocks.dtype.squeeze(0)
        blocks.dtype.dtype = blocks.dtype.dtype.squeeze(0)
        return blocks

    return arranged(input), arranged(output)


def prefix_sums(block):
    lanes = ntl.arange(0, block.shape[0])
    return ntl.sum(ntl.where(lanes[None, :] <= lanes[:, None], block[None, :], 0.0), axis=1)


def backwards_application(input, output):
    total = ntl.zeros((1,), dtype=ntl.float32)
    for i in range(input.shape[0] - 1, -1, -1):
        block = ntl.cast(input[i], ntl.float32)
        output[i] = ntl.flip(prefix_sums(ntl.flip(block, 0)), 0) + total
        total += ntl.sum(block, axis=0, keep_dims=True)


def backwards_reference(input, output):
    return input.double().flip(1).cumsum(1).flip(1)


def backwards_arguments() -> list[Call]:
    return [
        (randn(3, 64), nan(3, 64)),
        (randn(2, 50), nan(2, 50)),
        (transposed(randn(4, 17)), gapped(nan(4, 17))),
        (randn(1, 1), nan(1, 1)),
    ]


def backwards(name: str, block_size, in_front: bool) -> Idiom:
    return Idiom(
        name,
        functools.partial(backwards_arrangement, block_size=block_size, in_front=in_front),
        backwards_application,
        backwards_arguments,
        backwards_reference,
        tensors=(Tensor(2, other=0), Tensor(2)),
    )


# A scalar a program: a weight for each row.


def weighted_arrangement(input, weight, output):
    weights = weight.tile((1,))
    weights.dtype = weights.dtype.squeeze(0)
    rows = (tensor.tile((1, -1)).squeeze(1) for tensor in (input, output))
    input_arranged, output_arranged = rows
    return input_arranged, weights, output_arranged


def weighted_application(input, weight, output):
    output = input * ntl.exp(weight)


def weighted_arguments() -> list[Call]:
    return [
        (randn(8, 16), randn(8), nan(8, 16)),
        (randn(5, 37), gapped(randn(5)), nan(5, 37)),
        (transposed(randn(5, 37)), randn(10)[::2], gapped(nan(5, 37))),
    ]


def weighted_reference(input, weight, output):
    return input.double() * weight.double().exp()[:, None]


# A whole input for every program: borders between buckets.


def buckets_arrangement(input, borders, output):
    input_arranged = input.tile((BLOCK_SIZE,))
    borders_arranged = borders.tile((-1,)).expand((input_arranged.shape[0],))
    return input_arranged, borders_arranged, output.tile((BLOCK_SIZE,))


def buckets_application(input, borders, output):
    output = ntl.sum(ntl.cast(borders[None, :] < input[:, None], ntl.int32), axis=1)


def buckets_arguments() -> list[Call]:
    def call(size: int, count: int) -> Call:
        output = torch.full((size,), -1, dtype=torch.int32)
        return randn(size), randn(count).sort().values, output

    input, borders, output = call(77, 5)
    return [
        call(64, 8),
        (input, borders, output),
        (gapped(input), gapped(borders), gapped(output)),
    ]


def buckets_reference(input, borders, output):
    return torch.searchsorted(borders.contiguous(), input.contiguous())


IDIOMS = (
    dims_idiom("sum_over_the_last_dim", sum_application, 0, (3,), torch.sum),
    dims_idiom("sum_over_two_dims", sum_application, 0, (1, 3), torch.sum),
    dims_idiom("sum_over_dims_out_of_order", sum_application, 0, (2, 0), torch.sum),
    dims_idiom("logsumexp", logsumexp_application, -math.inf, (0, 3), torch.logsumexp),
    Idiom(
        "softmax_of_rows_of_any_length",
        rows_arrangement,
        softmax_application,
        softmax_arguments,
        lambda input, output: torch.softmax(input.double(), dim=1),
    ),
    backwards("reversed_cumsum_padded_behind", 16, in_front=False),
    backwards("reversed_cumsum_padded_in_front", 16, in_front=True),
    backwards("reversed_cumsum_of_tuned_blocks", BLOCK_SIZE, in_front=False),
    Idiom(
        "a_scalar_a_program",
        weighted_arrangement,
        weighted_application,
        weighted_arguments,
        weighted_reference,
    ),
    Idiom(
        "a_whole_input_for_every_program",
        buckets_arrangement,
        buckets_application,
        buckets_arguments,
        buckets_reference,
        tensors=(Tensor(1), Tensor(1, other=math.inf), Tensor(1, dtype="i32")),
    ),
)
