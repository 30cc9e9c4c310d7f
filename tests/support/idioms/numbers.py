"""Numbers that calls give and declarations name: constexprs, element types, infinities."""

from __future__ import annotations

import functools
import math

import numpy as np
import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Symbol, Tensor
from tests.support.idioms.arranged import BLOCK_SIZE, blocks, rows
from tests.support.idioms.idiom import Call, Idiom, gapped, integers, nan, randn, transposed

PADDING = Symbol("PADDING", constexpr=True)
NARROW = Symbol("NARROW", constexpr=True, lower_bound=1, upper_bound=3)
WIDTH = Symbol("WIDTH", constexpr=True)


# A padding of 0, below the default bounds, and one beyond the bounds that the author gave.


def smooth_arrangement(input, output, padding):
    windows = input.pad(((padding, padding),)).tile((3,), strides=(1,), floor_mode=True)
    return windows.ravel().tile((32, -1)).squeeze(1), output.tile((32,))


def smooth(input, output):
    output = ntl.sum(input, axis=1) / 3


def smooth_arguments(padding: int) -> list[Call]:
    def call(size: int) -> Call:
        return randn(size), nan(size + 2 * padding - 2)

    input, output = call(77)
    return [call(66), (gapped(input), gapped(output))]


def smooth_reference(input, output, padding):
    x = np.pad(input.double().numpy(), padding)
    return torch.from_numpy(np.convolve(x, np.ones(3) / 3, mode="valid"))


def smoothed(name: str, symbol: Symbol, padding: int, warns: str | None = None) -> Idiom:
    return Idiom(
        name,
        functools.partial(smooth_arrangement, padding=symbol),
        smooth,
        lambda: smooth_arguments(padding),
        functools.partial(smooth_reference, padding=padding),
        tensors=(Tensor(1, other=0), Tensor(1)),
        keywords={str(symbol): padding},
        warns=warns,
    )


# A shift of any size: of lanes, by a symbol that may be 0.


def shift_arrangement(input, output, shift):
    shifted = input.pad(((0, shift),))[shift:]
    return shifted.tile((BLOCK_SIZE,)), output.tile((BLOCK_SIZE,))


def copy(input, output):
    output = input


def shift_arguments() -> list[Call]:
    return [(randn(64), nan(64)), (gapped(randn(77)), gapped(nan(77)))]


# Declared element types: the argument's wins.


def scale_and_shift(x, alpha, beta, y):
    y = x * alpha + beta


def typed_arguments(dtype: torch.dtype, *numbers: object) -> list[Call]:
    return [
        (randn(64).to(dtype), *numbers, nan(64).to(dtype)),
        (gapped(randn(77).to(dtype)), *numbers, gapped(nan(77).to(dtype))),
    ]


def linear_reference(x, alpha, beta, y):
    return torch.from_numpy(x.double().numpy() * float(alpha) + float(beta))


# An eps and a probability that are declared float64.


def rms_norm(input, eps, output):
    output = input / ntl.sqrt(ntl.sum(input * input) / input.shape[0] + eps)


def rms_arguments(dtype: torch.dtype) -> list[Call]:
    input, output = randn(3, 37).to(dtype), nan(3, 37).to(dtype)
    return [
        (randn(4, 32).to(dtype), 1e-6, nan(4, 32).to(dtype)),
        (transposed(input), 1e-6, gapped(output)),
    ]


def rms_reference(input, eps, output):
    x = input.double().numpy()
    return torch.from_numpy(x / np.sqrt((x * x).mean(1, keepdims=True) + eps))


def keep(x, p, y):
    y = ntl.where(x > p, x / (1 - p), 0.0)


def keep_reference(x, p, y):
    number = np.float32(p)
    values = x.numpy()
    return torch.from_numpy(np.where(values > number, values / (1 - number), 0))


def keep_arguments() -> list[Call]:
    return [(randn(64), 0.1, nan(64)), (gapped(randn(77)), 0.3, nan(77))]


# A number that fp32 does not hold.


def huge(x, factor, y):
    y = x * factor


def huge_arguments() -> list[Call]:
    return [(1e-300 * randn(size).double(), 1e300, nan(size)) for size in (64, 77)]


# Infinities of integers: their type's extremes.


def extremes_arrangement(input, largest):
    windows = input.tile((5,), strides=(2,)).ravel().tile((16, -1))
    return windows.squeeze(1), largest.tile((16,))


def window_maxima(input, largest):
    largest = ntl.max(input, axis=1)


def window_minima(input, smallest):
    smallest = ntl.min(input, axis=1)


def windows_of(dtype: torch.dtype, low: int, high: int) -> list[Call]:
    def call(size: int) -> Call:
        count = -(-(size - 5) // 2) + 1
        return integers(low, high, size, dtype=dtype), torch.zeros(count, dtype=dtype)

    input, output = call(78)
    return [call(35), (gapped(input), gapped(output))]


def window_reference(input, output, reduce, identity):
    x = input.long().numpy()
    padded = np.pad(x, (0, 5), constant_values=identity)
    return torch.from_numpy(
        np.array([reduce(padded[2 * i : 2 * i + 5]) for i in range(len(output))])
    )


# 0-dim tensors that are arranged lie in memory.


def total_arrangement(input, total):
    return input.tile((-1,)), total.unsqueeze(0).tile((1,))


def sum_of_all(input, total):
    total = ntl.sum(input)


def totals(dtype: torch.dtype = torch.float32) -> list[Call]:
    return [
        (randn(64), torch.tensor(math.nan)),
        (gapped(randn(77)), torch.tensor(math.nan, dtype=dtype)),
    ]


def scale_arrangement(input, scale, output):
    input_arranged = input.tile((BLOCK_SIZE,))
    scales = scale.unsqueeze(0).expand(input_arranged.shape).tile((1,))
    return input_arranged, scales, output.tile((BLOCK_SIZE,))


def scale_by_memory(input, scale, output):
    output = input * scale


def scale_arguments() -> list[Call]:
    return [
        (randn(256), torch.tensor(2.5), nan(256)),
        (gapped(randn(177)), torch.tensor(-0.5), nan(177)),
    ]


# Functions that are no plain ones.


def affine(x, y, scale=2.0, shift=0.5):
    y = x * scale + shift


class Layer:
    """Numbers of a layer, and its application as a method."""

    def __init__(self, slope: float, power: int) -> None:
        self.slope = slope
        self.power = power

    def activation(self, x):
        return ntl.where(x > 0, x, x * self.slope)

    def application(self, x, y):
        y = self.activation(x) * self.power


clamp = functools.partial(ntl.clamp, min=-1.0, max=0.5)


def by_a_partial(x, y):
    y = clamp(x) + 1


add_relaxed = functools.partial(ntl.atomic_add, sem="relaxed")


def sum_by_a_partial(x, y):
    """A partial in a call that is a statement, of variables."""
    pointer = y.data_ptr()
    total = ntl.sum(x)
    add_relaxed(pointer, total)


def vectors() -> list[Call]:
    return [(randn(64), nan(64)), (gapped(randn(77)), gapped(nan(77)))]


def vector_idiom(name: str, application, reference) -> Idiom:
    return Idiom(
        name,
        blocks,
        application,
        vectors,
        lambda x, y: torch.from_numpy(reference(x.double().numpy())),
        tensors=(Tensor(1), Tensor(1)),
    )


def sums() -> list[Call]:
    return [(randn(64), torch.zeros(1)), (gapped(randn(77)), torch.ones(1))]


LAYER = Layer(0.25, 3)

IDIOMS = (
    smoothed("a_padding_of_0", PADDING, 0),
    smoothed("a_padding_of_2", PADDING, 2),
    smoothed("a_padding_beyond_its_bounds", NARROW, 5, warns="BoundsWarning"),
    Idiom(
        "a_shift_of_0",
        functools.partial(shift_arrangement, shift=WIDTH),
        copy,
        shift_arguments,
        lambda input, output: input,
        tensors=(Tensor(1, other=0), Tensor(1)),
        keywords={"WIDTH": 0},
    ),
    Idiom(
        "another_type_than_declared",
        blocks,
        scale_and_shift,
        lambda: typed_arguments(torch.float32, 2.0, -1.0),
        linear_reference,
        tensors=(
            Tensor(1, dtype="fp16"),
            Tensor(0),
            Tensor(0),
            Tensor(1, dtype=ninetoothed.float16),
        ),
        warns="DtypeWarning",
    ),
    Idiom(
        "the_types_of_python",
        blocks,
        scale_and_shift,
        lambda: typed_arguments(torch.float32, 2, 0.5),
        linear_reference,
        tensors=lambda: (Tensor(1), Tensor(0, dtype=int), Tensor(0, dtype=float), Tensor(1)),
    ),
    Idiom(
        "scalars_of_numpy",
        blocks,
        scale_and_shift,
        lambda: [
            *typed_arguments(torch.float32, np.float32(1.5), np.int64(3))[:1],
            *typed_arguments(torch.float32, np.int64(2), torch.tensor(0.25, dtype=torch.float64)),
        ],
        linear_reference,
    ),
    Idiom(
        "an_eps_of_fp64_beside_fp32",
        rows,
        rms_norm,
        lambda: rms_arguments(torch.float32),
        rms_reference,
        tensors=(Tensor(2), Tensor(0, dtype=ninetoothed.float64), Tensor(2)),
    ),
    Idiom(
        "an_eps_of_fp64_beside_fp64",
        rows,
        rms_norm,
        lambda: rms_arguments(torch.float64),
        rms_reference,
        tensors=(Tensor(2), Tensor(0, dtype="fp64"), Tensor(2)),
        tolerance=1e-12,
    ),
    Idiom(
        "a_probability_of_fp64",
        blocks,
        keep,
        keep_arguments,
        keep_reference,
        tensors=(Tensor(1), Tensor(0, dtype=ninetoothed.float64), Tensor(1)),
    ),
    Idiom(
        "a_factor_beyond_fp32",
        blocks,
        huge,
        huge_arguments,
        lambda x, factor, y: x * factor,
        tensors=(Tensor(1), Tensor(0, dtype="fp64"), Tensor(1)),
    ),
    Idiom(
        "maxima_of_integers_from_minus_infinity",
        extremes_arrangement,
        window_maxima,
        lambda: windows_of(torch.int32, -1000, -10),
        functools.partial(window_reference, reduce=np.max, identity=-(2**31)),
        tensors=(Tensor(1, other=-math.inf), Tensor(1)),
    ),
    Idiom(
        "maxima_of_bytes_from_minus_infinity",
        extremes_arrangement,
        window_maxima,
        lambda: windows_of(torch.uint8, 3, 256),
        functools.partial(window_reference, reduce=np.max, identity=0),
        tensors=(Tensor(1, other=float("-inf")), Tensor(1)),
    ),
    Idiom(
        "minima_of_integers_from_infinity",
        extremes_arrangement,
        window_minima,
        lambda: windows_of(torch.int64, 10, 1000),
        functools.partial(window_reference, reduce=np.min, identity=2**62),
        tensors=(Tensor(1, other=float("inf")), Tensor(1)),
    ),
    Idiom(
        "a_total_of_0_dims",
        total_arrangement,
        sum_of_all,
        totals,
        lambda input, total: input.double().sum(),
        tensors=(Tensor(1, other=0), Tensor(0)),
    ),
    Idiom(
        "a_factor_of_0_dims_in_memory",
        scale_arrangement,
        scale_by_memory,
        scale_arguments,
        lambda input, scale, output: input.double() * scale.double(),
        tensors=(Tensor(1), Tensor(0), Tensor(1)),
    ),
    vector_idiom(
        "an_application_that_is_a_partial",
        functools.partial(affine, scale=-3.0),
        lambda x: x * -3 + 0.5,
    ),
    vector_idiom("an_application_with_defaults", affine, lambda x: x * 2 + 0.5),
    vector_idiom(
        "an_application_that_is_a_bound_method",
        LAYER.application,
        lambda x: np.where(x > 0, x, x / 4) * 3,
    ),
    vector_idiom("a_partial_of_a_function", by_a_partial, lambda x: np.clip(x, -1, 0.5) + 1),
    Idiom(
        "a_partial_of_an_atomic",
        blocks,
        sum_by_a_partial,
        sums,
        lambda x, y: y.double() + x.double().sum(),
        tensors=(Tensor(1, other=0), Tensor(1)),
    ),
)
