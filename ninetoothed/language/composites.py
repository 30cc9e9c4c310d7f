"""Functions written in the language itself: they are inlined like a user's, so every backend has
them.
"""

from __future__ import annotations

from typing import Any

from ninetoothed.language.table import TABLE

_exp = TABLE["exp"]
_max = TABLE["max"]
_sum = TABLE["sum"]
_zeros = TABLE["zeros"]
_full = TABLE["full"]


def cdiv(x: Any, div: Any) -> Any:
    """``x`` divided by ``div``, rounded up; both at least 0."""
    return (x + (div - 1)) // div


def sigmoid(x: Any) -> Any:
    """``1 / (1 + exp(-x))``; fp32 or fp64."""
    return 1 / (1 + _exp(-x))


def softmax(x: Any, dim: Any = 0) -> Any:
    """``exp(x) / sum(exp(x))`` along ``dim``, without overflow; fp32 or fp64."""
    dim = 0 if dim is None else dim
    numerator = _exp(x - _max(x, dim, keep_dims=True))
    return numerator / _sum(numerator, dim, keep_dims=True)


def zeros_like(input: Any) -> Any:
    """A block of zeros of the shape and element type of ``input``."""
    return _zeros(input.shape, input.dtype)


def full_like(input: Any, value: Any) -> Any:
    """A block of the shape and element type of ``input`` whose lanes all hold ``value``."""
    return _full(input.shape, value, input.dtype)
