"""Rows of elementwise operations."""

from __future__ import annotations

import numpy as np
import torch

import ninetoothed.language as ntl
from ninetoothed.dtype import INTEGERS
from tests.rows.case import (
    BITS,
    FLOATS,
    INTEGRAL,
    NUMBERS,
    NUMBERS_AND_BITS,
    REALS,
    VECTORS,
    Array,
    Case,
    Result,
    Values,
)

NUMBER_TYPES = (*INTEGERS, *FLOATS)
PAIR = (NUMBERS, NUMBERS)


def arithmetic(x, y, added, subtracted, multiplied, negated):
    added = x + y
    subtracted = x - y
    multiplied = x * y
    negated = -x


def _arithmetic(x: Array, y: Array) -> tuple[Array, ...]:
    return x + y, x - y, x * y, -x


def called_arithmetic(x, y, added, subtracted, multiplied):
    added = ntl.add(x, y)
    subtracted = ntl.sub(x, y, sanitize_overflow=False)
    multiplied = ntl.mul(x, y, True)


def logical(x, y, both, either, neither):
    both = x.logical_and(y)
    either = (x != 0).logical_or(y)
    neither = ntl.logical_and(x == 0, y == 0)


def _logical(x: Array, y: Array) -> tuple[Array, ...]:
    return np.logical_and(x, y), np.logical_or(x, y), ~np.logical_or(x, y)


def divide(x, y, quotient):
    quotient = x / y


def divide_integers(x, y, quotient, remainder):
    quotient = x // y
    remainder = x % y


def _truncated(x: Array, y: Array) -> tuple[Array, Array]:
    quotient = np.where(np.sign(x) * np.sign(y) < 0, -(abs(x) // abs(y)), abs(x) // abs(y))
    if x.dtype.kind == "u":
        quotient = x // y
    return quotient, x - quotient * y


def _divisible(x: Array, y: Array) -> Array:
    # The least integer has no magnitude, and its quotient by -1 does not fit.
    low = np.iinfo(x.dtype).min
    return (y != 0) & ((low == 0) | ((x != low) & (y != low)))


def remainder(x, y, result):
    result = x % y


def bitwise(x, y, conjunction, disjunction, exclusive, inverted):
    conjunction = x & y
    disjunction = x | y
    exclusive = x ^ y
    inverted = ~x


def shift(x, y, up, down):
    up = x << y
    down = x >> y


def compare(x, y, less, less_equal, greater, greater_equal, equal, unequal):
    less = x < y
    less_equal = x <= y
    greater = x > y
    greater_equal = x >= y
    equal = x == y
    unequal = x != y


def exponentials(x, natural, binary):
    natural = ntl.exp(x)
    binary = ntl.exp2(x)


def logarithms(x, natural, binary):
    natural = ntl.log(x)
    binary = ntl.log2(x)


def roots(x, root, inverse):
    root = ntl.sqrt(x)
    inverse = ntl.rsqrt(x)


def waves(x, sine, cosine):
    sine = ntl.sin(x)
    cosine = ntl.cos(x)


def erf(x, result):
    result = ntl.erf(x)


def _erf(x: Array) -> Array:
    return torch.erf(torch.from_numpy(x)).numpy()


def whole(x, down, up):
    down = ntl.floor(x)
    up = ntl.ceil(x)


def magnitude(x, result):
    result = ntl.abs(x)


def extremum(x, y, larger, smaller):
    larger = ntl.maximum(x, y)
    smaller = ntl.minimum(x, y)


def high_product(x, y, result):
    result = ntl.umulhi(x, y)


def _high_product(x: Array, y: Array) -> Array:
    bits = x.dtype.itemsize * 8
    wide = [[int(one) % (1 << bits) for one in part.reshape(-1)] for part in (x, y)]
    high = [(one * two) >> bits for one, two in zip(*wide, strict=True)]
    return np.array(high, f"uint{bits}").astype(x.dtype).reshape(x.shape)


def choose(condition, x, y, result):
    result = ntl.where(condition, x, y)


def ceiling_division(x, y, result):
    result = ntl.cdiv(x, y)


def sigmoid(x, result):
    result = ntl.sigmoid(x)


def to_every_type(x, i8, i16, i32, i64, u8, u16, u32, u64, fp16, bf16, fp32, fp64):
    i8 = x.to(ntl.int8)
    i16 = ntl.cast(x, ntl.int16)
    i32 = x.to(ntl.int32)
    i64 = ntl.cast(x, ntl.int64)
    u8 = x.to(ntl.uint8)
    u16 = ntl.cast(x, ntl.uint16)
    u32 = x.to(ntl.uint32)
    u64 = ntl.cast(x, ntl.uint64)
    fp16 = x.to(ntl.float16)
    bf16 = ntl.cast(x, ntl.bfloat16)
    fp32 = x.to(ntl.float32)
    fp64 = ntl.cast(x, ntl.float64)


def _to_every_type(x: Array) -> tuple[Array, ...]:
    if x.dtype.kind == "f":
        # Cut off; what fits the type is all that is defined.
        return (*(np.trunc(x).astype(np.int64),) * 8, *(x,) * 4)
    return (x,) * 8 + (x.astype(np.float64),) * 4


def to_bits(x, result):
    result = x.to(ntl.int1)


ARITHMETIC = "add sub mul neg"
# Integers wrap, so all of their range is tried.
WRAPPING = (INTEGRAL, INTEGRAL)
POSITIVE = Values(0, 120, special=(0, 1))

CASES = (
    Case(ARITHMETIC, arithmetic, _arithmetic, PAIR, FLOATS),
    Case(ARITHMETIC, arithmetic, _arithmetic, WRAPPING, INTEGERS),
    *(
        Case("add sub mul", called_arithmetic, lambda x, y: (x + y, x - y, x * y), values, dtypes)
        for values, dtypes in ((PAIR, ("fp32",)), (WRAPPING, ("i32",)))
    ),
    Case(
        *("logical_and logical_or", logical, _logical, PAIR, ("i1", "i32", "fp32")),
        results=Result("i1"),
    ),
    # On a GPU fp32 is divided by div.full, which errs by 2 ulps.
    Case("truediv", divide, np.divide, PAIR, FLOATS, ulps=2),
    Case("floordiv mod", divide_integers, _truncated, WRAPPING, INTEGERS, defined=_divisible),
    # The dividend is at most eight times the divisor: of larger ones the GPU loses digits.
    Case("mod", remainder, np.fmod, (Values(special=()), Values(1, 8, special=())), dtypes=FLOATS),
    Case("and or xor invert", bitwise, lambda x, y: (x & y, x | y, x ^ y, ~x), WRAPPING, BITS),
    Case(
        "shl shr",
        shift,
        lambda x, y: (x << y, x >> y),
        (INTEGRAL, Values(0, 7, special=(0, 7))),
        INTEGERS,
    ),
    Case(
        "lt le gt ge eq ne",
        compare,
        lambda x, y: (x < y, x <= y, x > y, x >= y, x == y, x != y),
        PAIR,
        NUMBERS_AND_BITS,
        results=Result("i1"),
    ),
    # On a GPU exp of fp32 is ex2.approx of the rounded x * log2(e): for |x| <= 8 the rounding is of
    # a number up to 11.5, so 4 ulps of the result, and ex2.approx errs by 2.
    Case("exp exp2", exponentials, lambda x: (np.exp(x), np.exp2(x)), (NUMBERS,), REALS, ulps=8),
    Case("log log2", logarithms, lambda x: (np.log(x), np.log2(x)), (NUMBERS,), REALS, ulps=2),
    Case("sqrt rsqrt", roots, lambda x: (np.sqrt(x), 1 / np.sqrt(x)), (NUMBERS,), REALS, ulps=2),
    Case("sin cos", waves, lambda x: (np.sin(x), np.cos(x)), (NUMBERS,), REALS, ulps=2),
    Case("erf", erf, _erf, (NUMBERS,), REALS, ulps=2),
    Case("floor ceil", whole, lambda x: (np.floor(x), np.ceil(x)), (NUMBERS,), REALS),
    Case("abs", magnitude, np.abs, (INTEGRAL,), INTEGERS),
    Case("abs", magnitude, np.abs, (NUMBERS,), FLOATS),
    Case(
        *("maximum minimum", extremum, lambda x, y: (np.fmax(x, y), np.fmin(x, y)), PAIR),
        dtypes=NUMBER_TYPES,
    ),
    Case("umulhi", high_product, _high_product, WRAPPING, ("i32", "i64", "u32", "u64")),
    Case("where", choose, np.where, (Values(dtype="i1"), *PAIR), NUMBERS_AND_BITS),
    Case(
        "cdiv",
        ceiling_division,
        lambda x, y: (x.astype(object) + y - 1) // y,
        (Values(0, 1000, special=(0,)), Values(1, 9, special=())),
        ("i16", "i32", "i64", "u32"),
    ),
    # One division and one addition behind an exp.
    Case("sigmoid", sigmoid, lambda x: 1 / (1 + np.exp(-x)), (NUMBERS,), REALS, ulps=12),
    Case(
        *("cast", to_every_type, _to_every_type, (INTEGRAL,), BITS),
        layouts=(VECTORS,),
        results=tuple(Result(dtype) for dtype in NUMBER_TYPES),
    ),
    Case(
        *("cast", to_every_type, _to_every_type, (POSITIVE,), FLOATS),
        layouts=(VECTORS,),
        results=tuple(Result(dtype) for dtype in NUMBER_TYPES),
    ),
    Case("cast", to_bits, lambda x: x != 0, (NUMBERS,), NUMBERS_AND_BITS, results=Result("i1")),
)
