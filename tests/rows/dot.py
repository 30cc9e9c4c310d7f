"""Rows of products of matrices."""

from __future__ import annotations

import math

import numpy as np

import ninetoothed.language as ntl
from ninetoothed import Tensor
from tests.rows.case import Array, Case, Layout, Result, Values


def _blocks(*tensors: Tensor) -> tuple[Tensor, ...]:
    return tuple(tensor.tile((32, 32)) for tensor in tensors)


def _padded_blocks(*tensors: Tensor) -> tuple[Tensor, ...]:
    return tuple(tensor.tile((20, 20)) for tensor in tensors)


def _whole(*tensors: Tensor) -> tuple[Tensor, ...]:
    return tuple(tensor.tile((-1, -1)) for tensor in tensors)


SHAPES = ((32, 32, 32), (17, 19, 18), (3, 5, 1), (1, 1, 1))


def _layouts(*operands: str) -> tuple[Layout, ...]:
    """``operands`` name their dims, as "mk"."""

    def call(m: int, n: int, k: int):
        return tuple(tuple({"m": m, "n": n, "k": k}[dim] for dim in dims) for dims in operands)

    return (
        Layout("blocks", _blocks, tuple(call(*shape) for shape in SHAPES)),
        Layout("padded", _padded_blocks, tuple(call(*shape) for shape in SHAPES[1:])),
        Layout("whole", _whole, (call(17, 33, 20),)),
    )


def dot(a, b, c):
    c = ntl.dot(a, b)


def dot_accumulated(a, b, d, c):
    c = ntl.dot(a, b, d)


def dot_ieee(a, b, c):
    c = ntl.dot(a, b, input_precision="ieee")


def dot_tf32x3(a, b, c):
    c = ntl.dot(a, b, input_precision="tf32x3")


def dot_scaled(a, b, s, c):
    c = ntl.dot_scaled(a, s, "fp16", b, None, "fp16")


def _scaled_blocks(a: Tensor, b: Tensor, s: Tensor, c: Tensor) -> tuple[Tensor, ...]:
    return a.tile((16, 64)), b.tile((64, 16)), s.tile((16, 2)), c.tile((16, 16))


def _scaled_padded_blocks(a: Tensor, b: Tensor, s: Tensor, c: Tensor) -> tuple[Tensor, ...]:
    return a.tile((12, 96)), b.tile((96, 10)), s.tile((12, 3)), c.tile((12, 10))


def _scaled_product(a: Array, b: Array, s: Array) -> Array:
    factors = np.repeat(2.0 ** (s.astype(np.float64) - 127), 32, axis=1)
    return (a.astype(np.float64) * factors[:, : a.shape[1]]) @ b.astype(np.float64)


def accumulator(dtype: str) -> str:
    """The type of a product."""
    return {"fp64": "fp64", "i8": "i32"}.get(dtype, "fp32")


def _product(a: Array, b: Array) -> Array:
    wide = np.int32 if a.dtype.kind == "i" else np.float64
    return a.astype(wide) @ b.astype(wide)


def _magnitude(a: Array, b: Array) -> Array:
    return np.abs(_product(np.abs(a), np.abs(b)))


# Few bits, so that products and sums are exact whatever the precision of products.
EXACT = Values(step=1 / 8, special=(math.nan, math.inf))
BYTES = Values(-128, 127)
PRODUCT = (Result(accumulator),)
FLOATS = ("fp16", "bf16", "fp32", "fp64")
EXPONENTS = Values(120, 130, dtype="u8", special=())
SCALED = tuple(((m, k), (k, n), (m, -(-k // 32)), (m, n)) for m, n, k in ((12, 10, 64), (3, 1, 33)))

CASES = (
    Case("dot", dot, _product, (EXACT, EXACT), FLOATS, _layouts("mk", "kn", "mn"), PRODUCT),
    Case("dot", dot, _product, (BYTES, BYTES), ("i8",), _layouts("mk", "kn", "mn"), PRODUCT),
    Case(
        "dot",
        dot_accumulated,
        lambda a, b, d: _product(a, b) + d,
        (EXACT, EXACT, Values(step=1 / 8, dtype="fp32")),
        ("fp16", "fp32"),
        _layouts("mk", "kn", "mn", "mn"),
        PRODUCT,
    ),
    # Each of 33 additions and products rounds once.
    Case(
        "dot",
        dot_ieee,
        _product,
        (Values(special=()), Values(special=())),
        ("fp32", "fp64"),
        _layouts("mk", "kn", "mn"),
        PRODUCT,
        ulps=33,
        magnitude=_magnitude,
    ),
    Case(
        "dot",
        dot_tf32x3,
        _product,
        (Values(special=()), Values(special=())),
        ("fp32",),
        _layouts("mk", "kn", "mn"),
        PRODUCT,
        ulps=33,
        magnitude=_magnitude,
    ),
    Case(
        "dot_scaled",
        dot_scaled,
        _scaled_product,
        (Values(step=1 / 8, special=()), Values(step=1 / 8, special=()), EXPONENTS),
        ("fp16",),
        (
            Layout("blocks", _scaled_blocks, SCALED),
            Layout("padded", _scaled_padded_blocks, SCALED),
        ),
        (Result("fp32"),),
        ulps=64,
        magnitude=lambda a, b, s: _scaled_product(np.abs(a), np.abs(b), s),
    ),
)
