"""Composites: functions written in the language itself and inlined, so every backend has them."""

from __future__ import annotations

from typing import Any

import ninetoothed.language as ntl
from ninetoothed.language.table.primitive import Primitive, composite

ROWS: list[Primitive] = []


@composite(ROWS)
def add(x: Any, y: Any, sanitize_overflow: Any = True) -> Any:
    """Addition, ``x + y``. Integers wrap, whatever ``sanitize_overflow`` is.

    Example: ``ntl.add(x, y)``
    """
    return x + y


@composite(ROWS)
def sub(x: Any, y: Any, sanitize_overflow: Any = True) -> Any:
    """Subtraction, ``x - y``. Integers wrap, whatever ``sanitize_overflow`` is.

    Example: ``ntl.sub(x, y)``
    """
    return x - y


@composite(ROWS)
def mul(x: Any, y: Any, sanitize_overflow: Any = True) -> Any:
    """Multiplication, ``x * y``. Integers wrap, whatever ``sanitize_overflow`` is.

    Example: ``ntl.mul(x, y)``
    """
    return x * y


@composite(ROWS)
def logical_and(input: Any, other: Any) -> Any:
    """Logical and: true where both are not 0.

    Example: ``ntl.logical_and(x > 0, y > 0)``
    """
    return (input != 0) & (other != 0)


@composite(ROWS)
def logical_or(input: Any, other: Any) -> Any:
    """Logical or: true where either is not 0.

    Example: ``ntl.logical_or(x > 0, y > 0)``
    """
    return (input != 0) | (other != 0)


@composite(ROWS)
def cdiv(x: Any, div: Any) -> Any:
    """Ceiling division, ``x`` by ``div``; both at least 0.

    Example: ``ntl.cdiv(n, 16)``
    """
    return (x + (div - 1)) // div


@composite(ROWS)
def sigmoid(x: Any) -> Any:
    """Sigmoid, ``1 / (1 + exp(-x))``; fp32 or fp64.

    Example: ``ntl.sigmoid(x)``
    """
    return 1 / (1 + ntl.exp(-x))


@composite(ROWS)
def softmax(x: Any, dim: Any = None, keep_dims: Any = None, ieee_rounding: Any = False) -> Any:
    """Softmax, ``exp(x) / sum(exp(x))`` along ``dim``, by default the first, without overflow; fp32
    or fp64. ``ieee_rounding`` is as in ``fdiv``. The shape is kept, whatever ``keep_dims`` is.

    Example: ``ntl.softmax(x)``
    """
    dim = 0 if dim is None else dim
    numerator = ntl.exp(x - ntl.max(x, dim, keep_dims=True))
    return ntl.fdiv(numerator, ntl.sum(numerator, dim, keep_dims=True), ieee_rounding)


@composite(ROWS)
def tanh(x: Any) -> Any:
    """Hyperbolic tangent; fp32 or fp64.

    Example: ``ntl.tanh(x)``
    """
    return ntl.libdevice.tanh(x)


@composite(ROWS)
def pow(x: Any, y: Any) -> Any:
    """Power, ``x ** y``; both fp32 or both fp64, or ``y`` i32.

    Example: ``ntl.pow(x, y)``
    """
    return ntl.libdevice.pow(x, y)


@composite(ROWS)
def swizzle2d(i: Any, j: Any, size_i: Any, size_j: Any, size_g: Any) -> Any:
    """Swizzle the row-major indices of a matrix of ``size_i`` by ``size_j`` elements: column-major
    within groups of ``size_g`` rows.

    Example: ``ntl.swizzle2d(i, j, 8, 8, 4)``
    """
    place = i * size_j + j
    group = size_g * size_j
    first = place // group * size_g
    # The last group may have fewer rows.
    rows = ntl.minimum(size_i - first, size_g)
    place = place % group
    return first + place % rows, place // rows


@composite(ROWS)
def zeros_like(input: Any) -> Any:
    """A block of zeros of the shape and element type of ``input``.

    Example: ``ntl.zeros_like(x)``
    """
    return ntl.zeros(input.shape, input.dtype)


@composite(ROWS)
def full_like(input: Any, value: Any) -> Any:
    """A block of the shape and element type of ``input`` whose lanes all hold ``value``.

    Example: ``ntl.full_like(x, 1)``
    """
    return ntl.full(input.shape, value, input.dtype)


@composite(ROWS)
def ravel(x: Any, can_reorder: Any = False) -> Any:
    """Flatten to one dim, in row-major order.

    Example: ``ntl.ravel(a)``
    """
    return ntl.reshape(x, -1, can_reorder=can_reorder)


@composite(ROWS)
def item(x: Any) -> Any:
    """The only lane of a block as a scalar.

    Example: ``ntl.item(ntl.sum(x, keep_dims=True))``
    """
    return ntl.reshape(x, ())


@composite(ROWS)
def interleave(a: Any, b: Any) -> Any:
    """Interleave the lanes of two blocks of one shape along the last dim; of two scalars, a block
    of shape (2,).

    Example: ``ntl.interleave(x, y)``
    """
    both = ntl.join(a, b)
    if len(both.shape) == 1:
        return both
    return ntl.reshape(both, *both.shape[:-2], 2 * both.shape[-2])
