"""Reductions, scans and sorts of rows, and numbers that are counted."""

from __future__ import annotations

import math

import numpy as np
import torch

import ninetoothed.language as ntl
from ninetoothed import Tensor
from tests.support.idioms.arranged import BLOCK_SIZE, row, rows, rows_in_blocks, whole
from tests.support.idioms.idiom import Call, Idiom, gapped, integers, nan, randn, transposed


def empty(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """An output of any type, not written yet."""
    return torch.full(shape, -1).to(dtype)


def matrix_and_numbers(*dtypes: torch.dtype) -> list[Call]:
    """A matrix, and outputs of a number a row."""
    input = randn(3, 37)
    return [
        (randn(4, 32), *(empty(4, dtype=dtype) for dtype in dtypes)),
        (transposed(input), *(gapped(empty(3, dtype=dtype)) for dtype in dtypes)),
    ]


def matrix_and_matrix(dtype: torch.dtype = torch.float32) -> list[Call]:
    return [
        (randn(4, 32), empty(4, 32, dtype=dtype)),
        (transposed(randn(3, 37)), gapped(empty(3, 37, dtype=dtype))),
    ]


def mean_and_variance(input, mean, variance):
    n = input.shape[0]
    average = ntl.sum(input) / n
    mean = average
    variance = ntl.sum((input - average) * (input - average)) / (n - 1)


def mean_and_variance_reference(input, mean, variance):
    x = input.double().numpy()
    return torch.from_numpy(x.mean(1)), torch.from_numpy(x.var(1, ddof=1))


def any_and_all(input, some, every):
    positive = input > 0
    some = ntl.max(positive.to(ntl.int32)) > 0
    every = ntl.min((input > -9).to(ntl.int32))


def any_and_all_reference(input, some, every):
    x = input.numpy()
    return torch.from_numpy((x > 0).any(1)), torch.from_numpy((x > -9).all(1))


def smallest_and_where(input, smallest, where):
    value, index = ntl.min(input, axis=0, return_indices=True)
    smallest = value
    where = index


def smallest_and_where_reference(input, smallest, where):
    x = input.numpy()
    return torch.from_numpy(x.min(1)), torch.from_numpy(x.argmin(1))


def count_nonzero(input, output):
    output = ntl.sum((input != 0).to(ntl.int64))


def counts() -> list[Call]:
    return [
        (integers(-1, 2, 4, 32), empty(4, dtype=torch.int64)),
        (transposed(integers(-1, 2, 3, 37)), gapped(empty(3, dtype=torch.int64))),
    ]


# A product by a function of two, in blocks.


def times(a, b):
    return a * b


def products_arrangement(input, output):
    return rows_in_blocks(input, BLOCK_SIZE), row(output)


def products(input, output):
    result = 1.0
    for i in range(input.shape[0]):
        result *= ntl.reduce(input[i], 0, times)
    output = result


def near_one() -> list[Call]:
    return [(1 + input / 16, output) for input, output in matrix_and_numbers(torch.float32)]


def cosine(x, y, output):
    product = ntl.sum(x * y)
    lengths = ntl.sum(x * x) * ntl.sum(y * y)
    output = product * ntl.rsqrt(ntl.maximum(lengths, 1e-16))


def pairs() -> list[Call]:
    return [(x, 0.5 - x.flip(1), output) for x, output in matrix_and_numbers(torch.float32)]


def cosine_reference(x, y, output):
    a, b = x.double().numpy(), y.double().numpy()
    lengths = np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
    return torch.from_numpy((a * b).sum(1) / lengths)


# Distances of all rows of one matrix to all of another.


def distances_arrangement(x, y, output):
    xs = x.tile((8, -1)).squeeze(1)[:, None].expand((-1, (y.shape[0] + 7) // 8))
    ys = y.tile((8, -1)).squeeze(1)[None, :].expand(((x.shape[0] + 7) // 8, -1))
    return xs, ys, output.tile((8, 8))


def distances(x, y, output):
    difference = x[:, None, :] - y[None, :, :]
    output = ntl.sqrt(ntl.sum(difference * difference, axis=2))


def distances_arguments() -> list[Call]:
    return [
        (randn(16, 8), randn(8, 8), nan(16, 8)),
        (transposed(randn(9, 5)), gapped(randn(11, 5)), transposed(nan(9, 11))),
    ]


def distances_reference(x, y, output):
    a, b = x.double().numpy(), y.double().numpy()
    return torch.from_numpy(np.linalg.norm(a[:, None] - b[None], axis=2))


def cumulative_product(input, output):
    output = ntl.cumprod(input)


def running_maximum(input, output):
    output = ntl.associative_scan(input, 0, larger)


def larger(a, b):
    return ntl.maximum(a, b)


# A linear recurrence as a scan of pairs: h = a h + b.


def combine(a1, b1, a2, b2):
    return a1 * a2, a2 * b1 + b2


def linear_scan(gate, value, output):
    _, states = ntl.associative_scan((gate, value), 0, combine)
    output = states


def linear_scan_arguments() -> list[Call]:
    return [
        (randn(4, 32).sigmoid(), randn(4, 32), nan(4, 32)),
        (transposed(randn(3, 37).sigmoid()), randn(3, 37), gapped(nan(3, 37))),
    ]


def linear_scan_reference(gate, value, output):
    a, b = gate.double().numpy(), value.double().numpy()
    h = np.zeros(len(a))
    states = []
    for i in range(a.shape[1]):
        h = a[:, i] * h + b[:, i]
        states.append(h)
    return torch.from_numpy(np.stack(states, 1))


def descending(input, output):
    output = ntl.sort(input, descending=True)


def median(input, output):
    """Lanes beyond the row hold infinities, behind all numbers."""
    n = input.source.shape[1]
    lane = ntl.arange(0, input.shape[0])
    ordered = ntl.sort(input)
    output = ntl.sum(ntl.where(lane == (n - 1) // 2, ordered, 0.0))


def median_reference(input, output):
    x = np.sort(input.double().numpy(), 1)
    return torch.from_numpy(x[:, (x.shape[1] - 1) // 2])


def best_four_arrangement(input, values):
    return row(input), values.tile((1, 4)).squeeze(1)


def best_four(input, values):
    values = ntl.topk(input, 4)[None, :]


def best_four_arguments() -> list[Call]:
    return [(randn(4, 32), nan(4, 4)), (transposed(randn(3, 37)), gapped(nan(3, 4)))]


# A histogram of each row, in a block of counts.


def levels_arrangement(input, output):
    return row(input), row(output)


def histogram(input, output):
    output = ntl.histogram(input, 8, mask=input >= 0)


def histogram_arguments() -> list[Call]:
    return [
        (integers(-2, 8, 4, 32, dtype=torch.int32), empty(4, 8, dtype=torch.int32)),
        (transposed(integers(0, 8, 3, 37, dtype=torch.int32)), empty(3, 8, dtype=torch.int32)),
    ]


def histogram_reference(input, output):
    found = [np.bincount(line[line >= 0], minlength=8) for line in input.numpy()]
    return torch.from_numpy(np.stack(found))


def parity(input, output):
    output = ntl.xor_sum(input, axis=0)


def parities() -> list[Call]:
    return [
        (integers(0, 999, 4, 32, dtype=torch.int32), empty(4, dtype=torch.int32)),
        (transposed(integers(0, 999, 3, 37, dtype=torch.int32)), empty(3, dtype=torch.int32)),
    ]


# A mean of columns: one program a block of them, over all rows.


def columns_arrangement(input, output):
    blocks = input.tile((4, BLOCK_SIZE)).tile((-1, 1)).squeeze(0)
    blocks.dtype = blocks.dtype.squeeze(1)
    return blocks, output.tile((BLOCK_SIZE,))


def column_means(input, output):
    total = ntl.zeros((input.dtype.shape[1],), dtype=ntl.float32)
    for i in range(input.shape[0]):
        total += ntl.sum(input[i], axis=0)
    output = total / input.source.shape[0]


def column_means_arguments() -> list[Call]:
    return [
        (randn(8, 64), nan(64)),
        (transposed(randn(7, 77)), gapped(nan(77))),
        (randn(1, 5), nan(5)),
    ]


# A moment of everything, through one number that all programs add to.


def norm_arrangement(input, output):
    blocks = input.flatten().tile((64,))
    return blocks, whole(output, blocks.shape[0])


def squared_norm(input, output):
    ntl.atomic_add(output.data_ptr() + output.offsets(), ntl.sum(input * input))


def squared_norm_arguments() -> list[Call]:
    return [
        (randn(8, 32), torch.zeros(1)),
        (transposed(randn(5, 37)), torch.ones(1)),
    ]


IDIOMS = (
    Idiom(
        "mean_and_variance_of_rows",
        rows,
        mean_and_variance,
        lambda: matrix_and_numbers(torch.float32, torch.float32),
        mean_and_variance_reference,
        outputs=(1, 2),
    ),
    Idiom(
        "any_and_all_of_rows",
        rows,
        any_and_all,
        lambda: matrix_and_numbers(torch.bool, torch.int32),
        any_and_all_reference,
        outputs=(1, 2),
    ),
    Idiom(
        "smallest_and_where",
        rows,
        smallest_and_where,
        lambda: matrix_and_numbers(torch.float32, torch.int32),
        smallest_and_where_reference,
        outputs=(1, 2),
    ),
    Idiom(
        "count_of_nonzero",
        rows,
        count_nonzero,
        counts,
        lambda input, output: torch.from_numpy(np.count_nonzero(input.numpy(), axis=1)),
        tensors=(Tensor(2, other=0), Tensor(1)),
    ),
    Idiom(
        "products_of_rows",
        products_arrangement,
        products,
        near_one,
        lambda input, output: input.double().prod(1),
        tensors=(Tensor(2, other=1), Tensor(1)),
    ),
    Idiom("cosine_similarity", rows, cosine, pairs, cosine_reference),
    Idiom(
        "distances_of_all_pairs",
        distances_arrangement,
        distances,
        distances_arguments,
        distances_reference,
        tensors=(Tensor(2, other=0), Tensor(2, other=0), Tensor(2)),
    ),
    Idiom(
        "cumulative_products",
        rows,
        cumulative_product,
        lambda: [(1 + input / 16, output) for input, output in matrix_and_matrix()],
        lambda input, output: torch.from_numpy(np.cumprod(input.double().numpy(), 1)),
    ),
    Idiom(
        "running_maxima",
        rows,
        running_maximum,
        matrix_and_matrix,
        lambda input, output: torch.from_numpy(np.maximum.accumulate(input.numpy(), 1)),
    ),
    Idiom(
        "a_linear_recurrence_by_a_scan",
        rows,
        linear_scan,
        linear_scan_arguments,
        linear_scan_reference,
    ),
    Idiom(
        "rows_in_descending_order",
        rows,
        descending,
        matrix_and_matrix,
        lambda input, output: torch.from_numpy(-np.sort(-input.numpy(), 1)),
    ),
    Idiom(
        "medians_of_rows",
        rows,
        median,
        lambda: matrix_and_numbers(torch.float32),
        median_reference,
        tensors=(Tensor(2, other=math.inf), Tensor(1)),
    ),
    Idiom(
        "the_best_four",
        best_four_arrangement,
        best_four,
        best_four_arguments,
        lambda input, output: torch.from_numpy(-np.sort(-input.numpy(), 1)[:, :4]),
    ),
    Idiom(
        "histograms_of_rows",
        levels_arrangement,
        histogram,
        histogram_arguments,
        histogram_reference,
        tensors=(Tensor(2), Tensor(2, shape_options=(None, {"constexpr": True}))),
    ),
    Idiom(
        "parities_of_rows",
        rows,
        parity,
        parities,
        lambda input, output: torch.from_numpy(np.bitwise_xor.reduce(input.numpy(), axis=1)),
    ),
    Idiom(
        "means_of_columns",
        columns_arrangement,
        column_means,
        column_means_arguments,
        lambda input, output: input.double().mean(0),
        tensors=(Tensor(2, other=0), Tensor(1)),
    ),
    Idiom(
        "a_squared_norm_by_atomics",
        norm_arrangement,
        squared_norm,
        squared_norm_arguments,
        lambda input, output: output.double() + input.double().square().sum(),
        tensors=(Tensor(2, other=0), Tensor(1)),
    ),
)
