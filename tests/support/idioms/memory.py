"""Gathers, scatters, atomics and coordinates: places that the application computes."""

from __future__ import annotations

import numpy as np
import torch

import ninetoothed.language as ntl
from ninetoothed import Tensor
from tests.support.idioms.arranged import BLOCK_SIZE
from tests.support.idioms.idiom import Call, Idiom, gapped, integers, nan, randn, transposed
from tests.support.philox import stream, uniform

# Rows that data names: one side has a block of a row for each program, the other a column of them.


def column_of_rows(tensor, count):
    """A block of every row; ``count`` programs choose theirs."""
    arranged = tensor.tile((1, BLOCK_SIZE)).tile((-1, 1)).expand((count, -1))
    arranged.dtype = arranged.dtype.squeeze(1)
    arranged.dtype.dtype = arranged.dtype.dtype.squeeze(0)
    return arranged


def block_of_a_row(tensor):
    arranged = tensor.tile((1, BLOCK_SIZE))
    arranged.dtype = arranged.dtype.squeeze(0)
    return arranged


def row_number(index, blocks):
    arranged = index.tile((1,)).unsqueeze(1).expand((-1, blocks))
    arranged.dtype = arranged.dtype.squeeze(0)
    return arranged


def gather_arrangement(input, index, output):
    output_arranged = block_of_a_row(output)
    index_arranged = row_number(index, output_arranged.shape[1])
    return column_of_rows(input, index.shape[0]), index_arranged, output_arranged


def gather_application(input, index, output):
    output = input[index]


def gather_arguments() -> list[Call]:
    return [
        (randn(8, 32), integers(0, 8, 4), nan(4, 32)),
        (randn(3, 37), integers(0, 3, 9), nan(9, 37)),
        (transposed(randn(3, 37)), gapped(integers(0, 3, 9)), gapped(nan(9, 37))),
    ]


def gather_reference(input, index, output):
    return input[index]


def scatter_arrangement(input, index, output):
    input_arranged = block_of_a_row(input)
    index_arranged = row_number(index, input_arranged.shape[1])
    return input_arranged, index_arranged, column_of_rows(output, index.shape[0])


def scatter_application(input, index, output):
    output[index] = input


def scatter_arguments() -> list[Call]:
    order = torch.randperm(9, generator=torch.Generator().manual_seed(0))
    return [
        (randn(4, 32), order[:4].argsort(), randn(8, 32)),
        (randn(9, 37), order, randn(9, 37)),
        (transposed(randn(3, 37)), gapped(order[:3]), gapped(randn(9, 37))),
    ]


def scatter_reference(input, index, output):
    result = output.clone()
    result[index] = input
    return result


# An output that every program has whole, and adds to.


def histogram_arrangement(input, output):
    input_arranged = input.tile((BLOCK_SIZE,))
    return input_arranged, output.tile((-1,)).expand((input_arranged.shape[0],))


def histogram_application(input, output):
    inside = input.offsets(0) < input.source.shape[0]
    ntl.atomic_add(output.data_ptr() + input * output.source.stride(0), 1, mask=inside)


def histogram_arguments() -> list[Call]:
    return [
        (integers(0, 8, 256), torch.zeros(8, dtype=torch.int32)),
        (gapped(integers(0, 5, 300)), torch.ones(5, dtype=torch.int32)),
        (integers(0, 7, 77), gapped(torch.zeros(7, dtype=torch.int32))),
    ]


def histogram_reference(input, output):
    return output + torch.bincount(input, minlength=output.shape[0])


def column_sums_arrangement(input, output):
    input_arranged = input.tile((16, -1))
    output_arranged = output.tile((-1,)).expand((input_arranged.shape[0],))
    return input_arranged.squeeze(1), output_arranged


def column_sums_application(input, output):
    inside = output.offsets(0) < output.source.shape[0]
    ntl.atomic_add(output.source.data_ptr() + output.offsets(), ntl.sum(input, axis=0), mask=inside)


def column_sums_arguments() -> list[Call]:
    return [
        (randn(64, 32), torch.zeros(32)),
        (randn(33, 21), torch.ones(21)),
        (transposed(randn(50, 21)), gapped(torch.zeros(21))),
    ]


def column_sums_reference(input, output):
    return output.double() + input.double().sum(0)


# Dropout: the random numbers of an element follow from where it is.


def dropout_arrangement(input, probability, seed, output):
    return input.tile((BLOCK_SIZE,)), probability, seed, output.tile((BLOCK_SIZE,))


def dropout_application(input, probability, seed, output):
    kept = ntl.rand(seed, input.offsets()) > probability
    output = ntl.where(kept, input / (1 - probability), 0.0)


def dropout_arguments() -> list[Call]:
    return [
        (randn(256), 0.5, 42, nan(256)),
        (randn(333), 0.25, 7, gapped(nan(333))),
    ]


def dropout_reference(input, probability, seed, output):
    bits = stream(seed, np.arange(input.shape[0], dtype=np.int32))
    random = torch.from_numpy(uniform(bits[0]))
    return torch.where(random > probability, input.double() / (1 - probability), 0.0)


IDIOMS = (
    Idiom(
        "gather_rows",
        gather_arrangement,
        gather_application,
        gather_arguments,
        gather_reference,
        tensors=(Tensor(2), Tensor(1, dtype="i64"), Tensor(2)),
        data_dependent=True,
    ),
    Idiom(
        "scatter_rows",
        scatter_arrangement,
        scatter_application,
        scatter_arguments,
        scatter_reference,
        tensors=(Tensor(2), Tensor(1, dtype="i64"), Tensor(2)),
        data_dependent=True,
    ),
    Idiom(
        "histogram_by_atomics",
        histogram_arrangement,
        histogram_application,
        histogram_arguments,
        histogram_reference,
        tensors=(Tensor(1, dtype="i64"), Tensor(1, dtype="i32")),
        data_dependent=True,
    ),
    Idiom(
        "sums_of_columns_by_atomics",
        column_sums_arrangement,
        column_sums_application,
        column_sums_arguments,
        column_sums_reference,
        tensors=(Tensor(2, other=0), Tensor(1)),
    ),
    Idiom(
        "dropout",
        dropout_arrangement,
        dropout_application,
        dropout_arguments,
        dropout_reference,
        tensors=(Tensor(1), Tensor(0), Tensor(0, dtype="i32"), Tensor(1)),
    ),
)
