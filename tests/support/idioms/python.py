"""Python in applications: `max` and `and` of blocks, `math`, loops that are unrolled."""

from __future__ import annotations

import functools
import math

import numpy as np
import torch

import ninetoothed.language as ntl
from ninetoothed import Symbol, Tensor
from tests.support.idioms.arranged import BLOCK_SIZE, blocks, row, rows
from tests.support.idioms.idiom import Call, Idiom, gapped, integers, nan, randn, transposed

# max and min.


def relu6(x, y):
    y = min(max(x, 0.0), 6.0)


def range_of_three(x, y, z, spread):
    spread = max(x, y, z) - min(x, y, z)


def three_vectors() -> list[Call]:
    return [
        (randn(64), randn(64) * -1, randn(64) + 1, nan(64)),
        (randn(77), gapped(randn(77) * -1), randn(77) + 1, gapped(nan(77))),
    ]


def spread_reference(x, y, z, spread):
    return torch.from_numpy(np.ptp([t.double().numpy() for t in (x, y, z)], axis=0))


def local_window(input, output, radius):
    """Sums of the neighbours of each element, cut off at the ends of the row."""
    n = input.source.shape[1]
    position = ntl.arange(0, input.shape[0])
    for i in range(n):
        first, last = max(i - radius, 0), min(i + radius, n - 1)
        inside = (position >= first) and (position <= last)
        output[i] = ntl.sum(ntl.where(inside, input, 0.0))


def local_arguments() -> list[Call]:
    input, output = randn(3, 13), nan(3, 13)
    return [(randn(2, 16), nan(2, 16), 2), (transposed(input), gapped(output), 4)]


def local_reference(input, output, radius):
    x = input.double().numpy()
    n = x.shape[1]
    sums = [x[:, max(i - radius, 0) : i + radius + 1].sum(1) for i in range(n)]
    return torch.from_numpy(np.stack(sums, 1))


# `and`, `or`, `not` of masks.


def clip_outside(x, low, high, y):
    outside = x < low or x > high
    y = ntl.where(not outside, x, 0.0)


def between(x, low, high, strict, y):
    """The first operand is known when compiling, and decides."""
    inside = x > low and x < high
    edge = not strict and (x <= low or x >= high)
    outside = x < low or x > high
    y = (inside or (edge and not outside)).to(y.dtype)


def between_arguments() -> list[Call]:
    x = integers(-4, 5, 77).float()
    return [
        (integers(-4, 5, 64).float(), -2.0, 3.0, True, torch.zeros(64, dtype=torch.int32)),
        (gapped(x), -2.0, 3.0, False, torch.zeros(77, dtype=torch.int32)),
    ]


def between_reference(x, low, high, strict, y):
    v = x.numpy()
    inside = (v > low) & (v < high)
    return torch.from_numpy(inside if strict else inside | (v == low) | (v == high))


# math of numbers that are known when compiling.


def gelu(x, y):
    y = x * 0.5 * (1.0 + ntl.erf(x / math.sqrt(2.0)))


def gaussian(x, y, deviation):
    norm = 1 / math.sqrt(2 * math.pi)
    y = norm / deviation * ntl.exp2(-0.5 * x * x / (deviation * deviation) * math.log2(math.e))


def scaled_scores(query, key, output):
    """A dot of each row with a vector, over the root of their length."""
    output = ntl.sum(query * key) / math.sqrt(query.shape[0])


def scores_arrangement(query, key, output):
    return row(query), key.tile((-1,)).expand((query.shape[0],)), row(output)


def scores_arguments() -> list[Call]:
    return [
        (randn(8, 32), randn(32), nan(8)),
        (transposed(randn(5, 20)), gapped(randn(20)), nan(5)),
    ]


def scores_reference(query, key, output):
    q, k = query.double().numpy(), key.double().numpy()
    return torch.from_numpy(q @ k / np.sqrt(len(k)))


def entropy(p, output):
    n = p.shape[0]
    output = -ntl.sum(p * ntl.log2(p)) / math.log2(n)


def entropy_reference(p, output):
    x = p.double().numpy()
    return torch.from_numpy(-(x * np.log2(x)).sum(1) / np.log2(x.shape[1]))


def probabilities(*shapes: tuple[int, int]) -> list[Call]:
    return [(randn(*shape).softmax(1), nan(shape[0])) for shape in shapes]


# Loops over powers of two: each iteration has blocks of other shapes.


def hadamard(input, output):
    """The Walsh-Hadamard transform, by butterflies."""
    n = input.shape[0]
    x = input.to(ntl.float32)
    step = 1
    while step < n:
        pairs = ntl.reshape(x, (n // (2 * step), 2, step))
        a, b = ntl.split(ntl.permute(pairs, (0, 2, 1)))
        x = ntl.reshape(ntl.permute(ntl.join(a + b, a - b), (0, 2, 1)), (n,))
        step *= 2
    output = x / math.sqrt(n)


def hadamard_reference(input, output):
    n = input.shape[1]
    matrix = np.ones((1, 1))
    while len(matrix) < n:
        matrix = np.kron([[1, 1], [1, -1]], matrix)
    return torch.from_numpy(input.double().numpy() @ matrix / np.sqrt(n))


def powers_of_two() -> list[Call]:
    return [(randn(3, 16), nan(3, 16)), (transposed(randn(2, 8)), gapped(nan(2, 8)))]


def tree_sum(input, output):
    """Halves are added until one number is left."""
    x = input.to(ntl.float32)
    width = x.shape[0]
    while width > 1:
        width = width >> 1
        left, right = ntl.split(ntl.trans(ntl.reshape(x, (2, width))))
        x = left + right
    output = ntl.sum(x)


def levels(input, output):
    """Pooling at the scales 2, 4 and 8: block sizes are powers."""
    n = input.shape[0]
    total = ntl.zeros((n,), dtype=ntl.float32)
    for level in ntl.static_range(1, 4):
        size = 2**level
        means = ntl.sum(ntl.reshape(input, (n // size, size)), axis=1) / size
        spread = ntl.broadcast_to(means[:, None], (n // size, size))
        total += ntl.reshape(spread, (n,)) * (0.5**level)
    output = total


def levels_reference(input, output):
    x = input.double().numpy()
    total = np.zeros_like(x)
    for level in (1, 2, 3):
        means = x.reshape(len(x), -1, 2**level).mean(2)
        total += np.repeat(means, 2**level, axis=1) * 0.5**level
    return torch.from_numpy(total)


def bitonic_sort(input, output):
    """Of lanes, by exchanges at distances that are powers of two."""
    n = input.shape[0]
    lane = ntl.arange(0, n)
    x = input.to(ntl.float32)
    size = 2
    while size <= n:
        distance = size // 2
        while distance > 0:
            pairs = ntl.reshape(x, (n // (2 * distance), 2, distance))
            a, b = ntl.split(ntl.permute(pairs, (0, 2, 1)))
            swapped = ntl.reshape(ntl.permute(ntl.join(b, a), (0, 2, 1)), (n,))
            smaller = ((lane & distance) == 0) == ((lane & size) == 0)
            x = ntl.where(smaller, min(x, swapped), max(x, swapped))
            distance = distance // 2
        size = size * 2
    output = x


# A loop of known bounds whose counter nothing needs as a number: it stays a loop.


def newton_root(x, y):
    guess = max(x, 1.0)
    i = 0
    while i < 12:
        guess = 0.5 * (guess + x / guess)
        i += 1
    y = guess


def positives() -> list[Call]:
    return [(randn(64).abs() + 0.1, nan(64)), (gapped(randn(77).abs() + 0.1), gapped(nan(77)))]


# An index block of one: the row that it names.


def pick_arrangement(table, index, output):
    rows_ = table.tile((1, -1)).tile((-1, 1)).squeeze(1)
    rows_.dtype = rows_.dtype.squeeze(1)
    rows_.dtype.dtype = rows_.dtype.dtype.squeeze(0)
    return rows_.expand(index.shape), index.tile((1,)), row(output)


def pick(table, index, output):
    output = table[index] * 2


def pick_arguments() -> list[Call]:
    table, index = randn(7, 21), integers(0, 7, 5)
    return [
        (randn(4, 16), integers(0, 4, 8), nan(8, 16)),
        (transposed(table), gapped(index), gapped(nan(5, 21))),
    ]


def put_arrangement(values, index, table):
    table_arranged, index_arranged, values_arranged = pick_arrangement(table, index, values)
    return values_arranged, index_arranged, table_arranged


def put(values, index, table):
    table[index] = values
    table[index] += 1


def put_arguments() -> list[Call]:
    order = np.random.default_rng(0).permutation(7)[:5]
    return [
        (randn(4, 16), torch.tensor([2, 0, 3, 5]), randn(6, 16)),
        (transposed(randn(5, 21)), torch.from_numpy(order), gapped(randn(7, 21))),
    ]


def put_reference(values, index, table):
    result = table.double().numpy().copy()
    result[index.numpy()] = values.double().numpy() + 1
    return torch.from_numpy(result)


# A statement that does nothing is dropped.


def no_effect(x, y):
    x.shape  # noqa: B018
    y = x + 1
    y == x + 2  # noqa: B015


TAPS = Symbol("TAPS", constexpr=True)
SIZES = {"constexpr": True}


def fir_arrangement(input, output, taps):
    windows = input.tile((taps,), strides=(1,), floor_mode=True)
    return windows.ravel().tile((BLOCK_SIZE, -1)).squeeze(1), output.tile((BLOCK_SIZE,))


def hann(input, output):
    """Weights of a window of a length that the call gives, from a table computed when compiling."""
    lanes = ntl.arange(0, input.shape[1])
    weights = 0.5 - 0.5 * ntl.cos(lanes * (2 * math.pi / (input.shape[1] - 1)))
    output = ntl.sum(input * weights[None, :], axis=1)


def hann_reference(input, output):
    return torch.from_numpy(np.convolve(input.double().numpy(), np.hanning(8), mode="valid"))


IDIOMS = (
    Idiom(
        "min_and_max_of_blocks",
        blocks,
        relu6,
        lambda: [(6 * randn(64), nan(64)), (gapped(6 * randn(77)), gapped(nan(77)))],
        lambda x, y: torch.from_numpy(np.clip(x.double().numpy(), 0, 6)),
    ),
    Idiom("min_and_max_of_three_blocks", blocks, range_of_three, three_vectors, spread_reference),
    Idiom(
        "min_and_max_of_numbers",
        rows,
        local_window,
        local_arguments,
        local_reference,
        tensors=(Tensor(2), Tensor(2), Tensor(0)),
        outputs=(1,),
    ),
    Idiom(
        "or_of_masks",
        blocks,
        clip_outside,
        lambda: [(randn(64), -0.5, 1.0, nan(64)), (gapped(randn(77)), -0.5, 1.0, nan(77))],
        lambda x, low, high, y: x * ((x >= low) & (x <= high)),
    ),
    Idiom(
        "and_of_masks_and_known_bits",
        blocks,
        between,
        between_arguments,
        between_reference,
        tensors=(Tensor(1), Tensor(0), Tensor(0), Tensor(0, constexpr=True), Tensor(1)),
        values={"strict": True},
    ),
    Idiom(
        "math_of_constants",
        blocks,
        gelu,
        positives,
        lambda x, y: torch.nn.functional.gelu(x.double()),
    ),
    Idiom(
        "math_of_module_constants",
        blocks,
        gaussian,
        lambda: [(*call, deviation) for call in positives() for deviation in (1.0, 0.7)],
        lambda x, y, deviation: torch.from_numpy(
            np.exp(-((x.double().numpy() / deviation) ** 2) / 2) / (deviation * np.sqrt(2 * np.pi))
        ),
        outputs=(1,),
    ),
    Idiom(
        "math_of_sizes",
        scores_arrangement,
        scaled_scores,
        scores_arguments,
        scores_reference,
        tensors=(
            Tensor(2, shape_options=SIZES),
            Tensor(1, shape_options=SIZES),
            Tensor(1),
        ),
    ),
    Idiom(
        "math_of_a_logarithm_of_a_size",
        rows,
        entropy,
        lambda: probabilities((4, 32), (3, 21)),
        entropy_reference,
        tensors=(Tensor(2, shape_options=SIZES), Tensor(1)),
    ),
    Idiom(
        "unrolled_butterflies",
        rows,
        hadamard,
        powers_of_two,
        hadamard_reference,
        tensors=tuple(Tensor(2, shape_options=SIZES) for _ in range(2)),
    ),
    Idiom(
        "unrolled_halves",
        rows,
        tree_sum,
        lambda: [(input, nan(len(input))) for input, _ in powers_of_two()],
        lambda input, output: input.double().sum(1),
        tensors=(Tensor(2, shape_options=SIZES), Tensor(1)),
    ),
    Idiom(
        "powers_of_a_counter",
        rows,
        levels,
        powers_of_two,
        levels_reference,
        tensors=tuple(Tensor(2, shape_options=SIZES) for _ in range(2)),
    ),
    Idiom(
        "unrolled_exchanges",
        rows,
        bitonic_sort,
        powers_of_two,
        lambda input, output: torch.from_numpy(np.sort(input.numpy(), 1)),
        tensors=tuple(Tensor(2, shape_options=SIZES) for _ in range(2)),
    ),
    Idiom(
        "a_known_loop_that_stays",
        blocks,
        newton_root,
        positives,
        lambda x, y: torch.from_numpy(np.sqrt(x.double().numpy())),
    ),
    Idiom(
        "an_index_of_one_lane",
        pick_arrangement,
        pick,
        pick_arguments,
        lambda table, index, output: 2 * table.double()[index],
        data_dependent=True,
    ),
    Idiom(
        "an_index_of_one_lane_that_is_written",
        put_arrangement,
        put,
        put_arguments,
        put_reference,
        data_dependent=True,
    ),
    Idiom(
        "statements_without_effect",
        blocks,
        no_effect,
        positives,
        lambda x, y: x + 1,
        warns="UnusedValueWarning",
    ),
    Idiom(
        "math_of_a_window",
        functools.partial(fir_arrangement, taps=TAPS),
        hann,
        lambda: [(randn(71), nan(64)), (gapped(randn(84)), gapped(nan(77)))],
        hann_reference,
        keywords={"TAPS": 8},
    ),
)
