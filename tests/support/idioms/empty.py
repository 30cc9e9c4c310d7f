"""Dims of size 0 where one of size 1 is meant: there is nothing there."""

from __future__ import annotations

import numpy as np
import torch

import ninetoothed.language as ntl
from ninetoothed import Tensor
from tests.support.idioms.arranged import BLOCK_SIZE, row, rows
from tests.support.idioms.idiom import Call, Idiom, gapped, nan, randn, transposed

# A bias of one row or of none.


def bias_arrangement(input, bias, output):
    biases = bias.squeeze(0).tile((BLOCK_SIZE,)).unsqueeze(0).expand((input.shape[0], -1))
    inputs = []
    for tensor in (input, output):
        arranged = tensor.tile((1, BLOCK_SIZE))
        arranged.dtype = arranged.dtype.squeeze(0)
        inputs.append(arranged)
    return inputs[0], biases, inputs[1]


def add(input, bias, output):
    output = input + bias


def bias_arguments() -> list[Call]:
    return [
        (randn(4, 32), randn(1, 32), nan(4, 32)),
        (transposed(randn(3, 37)), randn(0, 37), gapped(nan(3, 37))),
        (randn(3, 37), gapped(randn(1, 37)), nan(3, 37)),
    ]


def bias_reference(input, bias, output):
    return torch.from_numpy(input.double().numpy() + bias.double().numpy().sum(0))


# A factor a row, expanded along the columns; without it, 1.


def factor_arrangement(input, factor, output):
    factors = factor.expand((-1, input.shape[1]))
    return tuple(tensor.flatten().tile((BLOCK_SIZE,)) for tensor in (input, factors, output))


def multiply(input, factor, output):
    output = input * factor


def factor_arguments() -> list[Call]:
    return [
        (randn(4, 32), randn(4, 1), nan(4, 32)),
        (transposed(randn(3, 37)), randn(3, 0), gapped(nan(3, 37))),
        (randn(3, 37), gapped(randn(3, 1)), nan(3, 37)),
    ]


def factor_reference(input, factor, output):
    return input.double() * (factor.double() if factor.numel() else 1)


# Rows of no elements, and no rows.


def sums(input, output):
    output = ntl.sum(input)


def sums_arguments() -> list[Call]:
    return [
        (randn(4, 16), nan(4)),
        (randn(3, 0), nan(3)),
        (randn(0, 5), nan(0)),
    ]


# Sums that go on from an earlier position, if there is one.


def previous_arrangement(input, previous, output):
    before = previous.squeeze(1).tile((1,))
    before.dtype = before.dtype.squeeze(0)
    return row(input), before, row(output)


def cumulative(input, previous, output):
    output = ntl.cumsum(input) + previous


def cumulative_arguments() -> list[Call]:
    return [
        (randn(4, 16), randn(4, 1), nan(4, 16)),
        (transposed(randn(3, 21)), randn(3, 0), gapped(nan(3, 21))),
    ]


def cumulative_reference(input, previous, output):
    before = previous.double().numpy().sum(1, keepdims=True)
    return torch.from_numpy(np.cumsum(input.double().numpy(), 1) + before)


IDIOMS = (
    Idiom(
        "at_most_one_row",
        bias_arrangement,
        add,
        bias_arguments,
        bias_reference,
        tensors=(Tensor(2), Tensor(2, other=0), Tensor(2)),
    ),
    Idiom(
        "at_most_one_column",
        factor_arrangement,
        multiply,
        factor_arguments,
        factor_reference,
        tensors=(Tensor(2), Tensor(2, other=1), Tensor(2)),
    ),
    Idiom(
        "at_most_one_position",
        previous_arrangement,
        cumulative,
        cumulative_arguments,
        cumulative_reference,
        tensors=(Tensor(2), Tensor(2, other=0), Tensor(2)),
    ),
    Idiom(
        "sums_of_empty_rows",
        rows,
        sums,
        sums_arguments,
        lambda input, output: input.double().sum(1),
    ),
)
