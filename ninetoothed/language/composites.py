"""Functions written in the language itself: they are inlined like a user's, so every backend has
them.
"""

from __future__ import annotations

from typing import Any

from ninetoothed.language.table import LIBDEVICE, TABLE

_exp = TABLE["exp"]
_fdiv = TABLE["fdiv"]
_minimum = TABLE["minimum"]
_pow = LIBDEVICE["pow"]
_tanh = LIBDEVICE["tanh"]
_max = TABLE["max"]
_sum = TABLE["sum"]
_zeros = TABLE["zeros"]
_full = TABLE["full"]
_join = TABLE["join"]
_reshape = TABLE["reshape"]


def add(x: Any, y: Any, sanitize_overflow: Any = True) -> Any:
    """``x + y``. Integers wrap, whatever ``sanitize_overflow`` is.

    Example: ``ntl.add(x, y)``
    """
    return x + y


def sub(x: Any, y: Any, sanitize_overflow: Any = True) -> Any:
    """``x - y``. Integers wrap, whatever ``sanitize_overflow`` is.

    Example: ``ntl.sub(x, y)``
    """
    return x - y


def mul(x: Any, y: Any, sanitize_overflow: Any = True) -> Any:
    """``x * y``. Integers wrap, whatever ``sanitize_overflow`` is.

    Example: ``ntl.mul(x, y)``
    """
    return x * y


def logical_and(input: Any, other: Any) -> Any:
    """Whether both are not 0, lane by lane.

    Example: ``ntl.logical_and(x > 0, y > 0)``
    """
    return (input != 0) & (other != 0)


def logical_or(input: Any, other: Any) -> Any:
    """Whether one of the two is not 0, lane by lane.

    Example: ``ntl.logical_or(x > 0, y > 0)``
    """
    return (input != 0) | (other != 0)


def cdiv(x: Any, div: Any) -> Any:
    """``x`` divided by ``div``, rounded up; both at least 0.

    Example: ``ntl.cdiv(n, 16)``
    """
    return (x + (div - 1)) // div


def sigmoid(x: Any) -> Any:
    """``1 / (1 + exp(-x))``; fp32 or fp64.

    Example: ``ntl.sigmoid(x)``
    """
    return 1 / (1 + _exp(-x))


def softmax(x: Any, dim: Any = None, keep_dims: Any = None, ieee_rounding: Any = False) -> Any:
    """``exp(x) / sum(exp(x))`` along ``dim``, by default the first, without overflow; fp32 or fp64.
    ``ieee_rounding`` is as in ``fdiv``. The shape is always kept, so ``keep_dims`` says nothing.

    Example: ``ntl.softmax(x)``
    """
    dim = 0 if dim is None else dim
    numerator = _exp(x - _max(x, dim, keep_dims=True))
    return _fdiv(numerator, _sum(numerator, dim, keep_dims=True), ieee_rounding)


def tanh(x: Any) -> Any:
    """The hyperbolic tangent; fp32 or fp64.

    Example: ``ntl.tanh(x)``
    """
    return _tanh(x)


def pow(x: Any, y: Any) -> Any:
    """``x`` to the power of ``y``; both fp32 or both fp64, or ``y`` i32.

    Example: ``ntl.pow(x, y)``
    """
    return _pow(x, y)


def swizzle2d(i: Any, j: Any, size_i: Any, size_j: Any, size_g: Any) -> Any:
    """The indices of a matrix of ``size_i`` by ``size_j`` elements, row by row, as indices that go
    down the columns of one group of ``size_g`` rows after the other.

    Example: ``ntl.swizzle2d(i, j, 8, 8, 4)``
    """
    place = i * size_j + j
    group = size_g * size_j
    first = place // group * size_g
    # The last group may have fewer rows.
    rows = _minimum(size_i - first, size_g)
    place = place % group
    return first + place % rows, place // rows


def zeros_like(input: Any) -> Any:
    """A block of zeros of the shape and element type of ``input``.

    Example: ``ntl.zeros_like(x)``
    """
    return _zeros(input.shape, input.dtype)


def full_like(input: Any, value: Any) -> Any:
    """A block of the shape and element type of ``input`` whose lanes all hold ``value``.

    Example: ``ntl.full_like(x, 1)``
    """
    return _full(input.shape, value, input.dtype)


def ravel(x: Any, can_reorder: Any = False) -> Any:
    """The lanes in row-major order, in one dim.

    Example: ``ntl.ravel(a)``
    """
    return _reshape(x, -1, can_reorder=can_reorder)


def item(x: Any) -> Any:
    """The lane of a block of one, as a scalar.

    Example: ``ntl.item(ntl.sum(x, keep_dims=True))``
    """
    return _reshape(x, ())


def interleave(a: Any, b: Any) -> Any:
    """The lanes of two blocks of one shape in turn along the last dim; of two scalars, a block of
    shape (2,).

    Example: ``ntl.interleave(x, y)``
    """
    both = _join(a, b)
    if len(both.shape) == 1:
        return both
    return _reshape(both, *both.shape[:-2], 2 * both.shape[-2])
