"""Functions that return nothing and assign their parameters: the caller's variables change."""

from __future__ import annotations

import numpy as np
import torch

import ninetoothed.language as ntl
from ninetoothed import Tensor
from tests.support.idioms import matmul as mm
from tests.support.idioms.arranged import BLOCK_SIZE, blocks, row, rows, rows_in_blocks
from tests.support.idioms.idiom import Call, Idiom, gapped, integers, nan, randn, transposed
from tests.support.idioms.products import mm_arguments, product


def in_blocks(*tensors):
    """Matrices as rows in blocks, vectors as one number a program."""
    return tuple(
        rows_in_blocks(tensor, BLOCK_SIZE) if tensor.ndim == 2 else row(tensor)
        for tensor in tensors
    )


def reductions(*outputs: torch.dtype) -> list[Call]:
    """A matrix, and a number of each of its rows for each output."""

    def call(m: int, n: int) -> list[torch.Tensor]:
        empty = [torch.full((m,), -1).to(dtype) for dtype in outputs]
        return [randn(m, n), *empty]

    ragged = call(3, 157)
    strided = [transposed(ragged[0]), *map(gapped, ragged[1:])]
    return [tuple(call(4, 64)), tuple(ragged), tuple(strided)]


# The inner step of a matrix product.


def accumulate(lhs, rhs, acc):
    acc += ntl.dot(lhs, rhs, input_precision="ieee")


def matmul(input, other, output):
    accumulator = ntl.zeros(output.shape, dtype=ntl.float32)
    for k in range(input.shape[0]):
        accumulate(input[k], other[k], accumulator)
    output = accumulator


# The online softmax: two variables of the caller.


def update(block, largest, total):
    larger = ntl.maximum(largest, ntl.max(block))
    total = total * ntl.exp(largest - larger) + ntl.sum(ntl.exp(block - larger))
    largest = larger


def online_softmax(input, output):
    largest = float("-inf")
    total = 0.0
    for i in range(input.shape[0]):
        update(input[i], largest, total)
    for i in range(input.shape[0]):
        output[i] = ntl.exp(input[i] - largest) / total


def online_arguments() -> list[Call]:
    input, output = randn(3, 157), nan(3, 157)
    return [(randn(2, 64), nan(2, 64)), (input, output), (transposed(input), gapped(output))]


# Welford's variance, of blocks: through a nested call.


def combine(count, mean, squares, more, block_mean, block_squares):
    together = count + more
    delta = block_mean - mean
    squares = squares + block_squares + delta * delta * count * more / together
    mean = mean + delta * more / together
    count = together


def welford_step(block, size, count, mean, squares):
    block_mean = ntl.sum(block) / size
    centered = block - block_mean
    combine(count, mean, squares, size, block_mean, ntl.sum(centered * centered))


def welford(input, average, variance):
    n = input.source.shape[1]
    lanes = input.dtype.shape[0]
    count = 0.0
    mean = 0.0
    squares = 0.0
    for i in range(input.shape[0]):
        size = ntl.minimum(n - i * lanes, lanes).to(ntl.float32)
        welford_step(input[i], size, count, mean, squares)
    average = mean
    variance = squares / count


def welford_reference(input, average, variance):
    x = input.double().numpy()
    return torch.from_numpy(x.mean(1)), torch.from_numpy(x.var(1))


# Compensated sums.


def add_compensated(value, total, carry):
    corrected = value - carry
    new = total + corrected
    carry = (new - total) - corrected
    total = new


def kahan(input, output):
    total = ntl.zeros(input.dtype.shape, dtype=ntl.float32)
    carry = ntl.zeros(input.dtype.shape, dtype=ntl.float32)
    for i in range(input.shape[0]):
        add_compensated(input[i], total, carry)
    output = ntl.sum(total - carry)


# Best and where, in a branch at run time.


def better(value, index, best, where):
    if value > best:
        best = value
        where = index


def first_best(input, best, where):
    largest = float("-inf")
    found = 0
    for i in range(input.shape[0]):
        block = input[i]
        lane = ntl.argmax(block, 0)
        better(ntl.max(block), i * block.shape[0] + lane, largest, found)
    best = largest
    where = found


def first_best_reference(input, best, where):
    x = input.numpy()
    return torch.from_numpy(x.max(1)), torch.from_numpy(x.argmax(1))


# One variable is assigned, another read after it.


def swap(a, b):
    a, b = b, a


def order(a, b):
    """Smaller first, lane by lane."""
    low = ntl.minimum(a, b)
    b = ntl.maximum(a, b)
    a = low


def median_of_three(x, y, z, output):
    a = x
    b = y
    c = z
    swap(a, c)
    order(a, b)
    order(b, c)
    order(a, b)
    output = b


def median_arguments() -> list[Call]:
    x, y, z = (randn(77) * i for i in (1, -2, 3))
    return [
        (randn(64), -2 * randn(64), randn(64) + 1, nan(64)),
        (x, gapped(y), z, gapped(nan(77))),
    ]


def median_reference(x, y, z, output):
    return torch.from_numpy(np.median([t.double().numpy() for t in (x, y, z)], axis=0))


# Complex numbers: the powers of one for each lane.


def multiply(real, imaginary, other_real, other_imaginary):
    product_ = real * other_real - imaginary * other_imaginary
    imaginary = real * other_imaginary + imaginary * other_real
    real = product_


def complex_power(real, imaginary, power_real, power_imaginary):
    r = real
    i = imaginary
    for _ in range(4):
        multiply(r, i, real, imaginary)
    power_real = r
    power_imaginary = i


def complex_reference(real, imaginary, power_real, power_imaginary):
    power = (real.double().numpy() + 1j * imaginary.double().numpy()) ** 5
    return torch.from_numpy(power.real.copy()), torch.from_numpy(power.imag.copy())


def complex_arguments() -> list[Call]:
    return [(randn(size), randn(size) / 2, nan(size), gapped(nan(size))) for size in (64, 77)]


# A recurrence, h = a h + b, along columns; nested functions close over what they read.


def recurrence(gate, value, output):
    def advance(i, state):
        state = gate[i] * state + value[i]

    state = ntl.zeros(gate.dtype.shape, dtype=ntl.float32)
    for i in range(gate.shape[0]):
        advance(i, state)
        output[i] = state


def recurrence_arrangement(gate, value, output):
    def steps(tensor):
        arranged = tensor.tile((1, BLOCK_SIZE)).tile((-1, 1)).squeeze(0)
        arranged.dtype = arranged.dtype.squeeze(1)
        arranged.dtype.dtype = arranged.dtype.dtype.squeeze(0)
        return arranged

    return steps(gate), steps(value), steps(output)


def recurrence_arguments() -> list[Call]:
    gate, value, output = randn(7, 37), randn(7, 37) + 1, nan(7, 37)
    return [
        (randn(4, 32), randn(4, 32) + 1, nan(4, 32)),
        (gate.sigmoid(), value, output),
        (transposed(gate.sigmoid()), gapped(value), transposed(output)),
    ]


def recurrence_reference(gate, value, output):
    a, b = gate.double().numpy(), value.double().numpy()
    state, rows_ = np.zeros(a.shape[1]), []
    for i in range(a.shape[0]):
        state = a[i] * state + b[i]
        rows_.append(state)
    return torch.from_numpy(np.stack(rows_))


# In branches: known when compiling, and not.


def add_if(wanted, value, total):
    if wanted:
        total += value


def signed_sums(input, squared, positive, negative):
    above = 0.0
    below = 0.0
    for i in range(input.shape[0]):
        value = ntl.sum(input[i] * input[i] if squared else input[i])
        add_if(value > 0, value, above)
        add_if(value <= 0, value, below)
        add_if(squared, 1.0, below)
    positive = above
    negative = below


def signed_sums_arguments() -> list[Call]:
    return [
        (input, squared, positive, negative)
        for squared in (False, True)
        for input, positive, negative in reductions(torch.float32, torch.float32)
    ]


def signed_sums_arrangement(input, squared, positive, negative):
    return rows_in_blocks(input, 16), squared, row(positive), row(negative)


def signed_sums_reference(input, squared, positive, negative):
    x = input.double().numpy()
    n = -(-x.shape[1] // 16) * 16
    x = np.pad(x, ((0, 0), (0, n - x.shape[1]))).reshape(len(x), -1, 16)
    sums = ((x * x) if squared else x).sum(2)
    extra = sums.shape[1] if squared else 0
    return (
        torch.from_numpy(np.where(sums > 0, sums, 0).sum(1)),
        torch.from_numpy(np.where(sums > 0, 0, sums).sum(1) + extra),
    )


# An output is such a variable, too: assigning it stores.


def finish(total, count, output):
    average = total / count
    output = average


def masked_mean(input, mask, output):
    finish(ntl.sum(ntl.where(mask, input, 0.0)), ntl.sum(mask.to(ntl.float32)) + 1, output)


def masked_mean_arguments() -> list[Call]:
    return [
        (randn(8, 32), integers(0, 2, 8, 32).bool(), nan(8)),
        (transposed(randn(5, 21)), integers(0, 2, 5, 21).bool(), gapped(nan(5))),
    ]


def masked_mean_reference(input, mask, output):
    m = mask.numpy()
    return torch.from_numpy((input.double().numpy() * m).sum(1) / (m.sum(1) + 1))


IDIOMS = (
    Idiom("accumulate_a_product", mm.arrangement, matmul, mm_arguments, product),
    Idiom(
        "accumulate_an_online_softmax",
        in_blocks,
        online_softmax,
        online_arguments,
        lambda input, output: torch.softmax(input.double(), 1),
    ),
    Idiom(
        "accumulate_by_welford",
        in_blocks,
        welford,
        lambda: reductions(torch.float32, torch.float32),
        welford_reference,
        outputs=(1, 2),
    ),
    Idiom(
        "accumulate_compensated_sums",
        in_blocks,
        kahan,
        lambda: reductions(torch.float32),
        lambda input, output: input.double().sum(1),
        tensors=(Tensor(2, other=0), Tensor(1)),
    ),
    Idiom(
        "accumulate_the_best_and_where",
        in_blocks,
        first_best,
        lambda: reductions(torch.float32, torch.int32),
        first_best_reference,
        outputs=(1, 2),
    ),
    Idiom("accumulate_by_swaps", blocks, median_of_three, median_arguments, median_reference),
    Idiom(
        "accumulate_complex_products",
        blocks,
        complex_power,
        complex_arguments,
        complex_reference,
        outputs=(2, 3),
        tolerance=1e-4,
    ),
    Idiom(
        "accumulate_a_recurrence",
        recurrence_arrangement,
        recurrence,
        recurrence_arguments,
        recurrence_reference,
    ),
    Idiom(
        "accumulate_in_branches",
        signed_sums_arrangement,
        signed_sums,
        signed_sums_arguments,
        signed_sums_reference,
        tensors=(Tensor(2), Tensor(0, constexpr=True), Tensor(1), Tensor(1)),
        outputs=(2, 3),
        values={"squared": True},
        tolerance=1e-4,
    ),
    Idiom(
        "accumulate_into_an_output", rows, masked_mean, masked_mean_arguments, masked_mean_reference
    ),
)
