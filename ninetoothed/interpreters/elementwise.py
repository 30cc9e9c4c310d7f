"""Elementwise functions of the language's table, ``arith`` and ``math`` over torch."""

from __future__ import annotations

from collections.abc import Callable

import torch

from ninetoothed.interpreters.element_types import SIGN_BIT, Element, shift_right_unsigned
from ninetoothed.interpreters.rounding import fma, sqrt
from ninetoothed.language.registry import Registry

Function = Callable[..., torch.Tensor]


def ordered(element: Element, data: torch.Tensor) -> torch.Tensor:
    """Values in torch's order: unsigned 64-bit integers have their sign bit flipped."""
    return data ^ SIGN_BIT if element.wide_unsigned else data


def _divide(element: Element, left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    """Integer division, rounded toward zero. By zero it is the dividend: torch would raise."""
    if element.wide_unsigned:
        return _divide_unsigned64(left, right)
    # The smallest integer over -1 overflows, which crashes the process.
    negated = right == -1
    safe = torch.where(negated | (right == 0), 1, right)
    quotient = torch.div(left, safe, rounding_mode="trunc")
    return torch.where(negated, -left, quotient) if element.kind == "int" else quotient


def _divide_unsigned64(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    large = right < 0
    safe = torch.where(large | (right == 0), 1, right)
    quotient = torch.div(shift_right_unsigned(left, 1), safe, rounding_mode="trunc") << 1
    rest = left - quotient * safe
    quotient = quotient + ((rest ^ SIGN_BIT) >= (safe ^ SIGN_BIT))
    once = (left ^ SIGN_BIT) >= (right ^ SIGN_BIT)
    return torch.where(large, once.to(torch.int64), quotient)


def _floordiv(element: Element, left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    if element.kind == "float":
        return torch.trunc(left / right)
    return _divide(element, left, right)


def _mod(element: Element, left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    if element.kind == "float":
        return torch.fmod(left, right)
    rest = left - _divide(element, left, right) * right
    return torch.where(right == 0, left, rest)


def _rounded_down(element: Element, left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    quotient = _divide(element, left, right)
    inexact = quotient * right != left
    return quotient - (inexact & ((left < 0) != (right < 0))).to(quotient.dtype)


def _rounded_up(element: Element, left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    quotient = _divide(element, left, right)
    inexact = quotient * right != left
    return quotient + (inexact & ((left < 0) == (right < 0))).to(quotient.dtype)


def _shift_right(element: Element, left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    return shift_right_unsigned(left, right) if element.wide_unsigned else left >> right


def _umulhi(element: Element, left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    """Unsigned multiply-high."""
    low = (1 << 32) - 1
    left, right = left.to(torch.int64), right.to(torch.int64)
    if element.bits <= 32:
        return shift_right_unsigned((left & low) * (right & low), 32)
    left_high, right_high = shift_right_unsigned(left, 32), shift_right_unsigned(right, 32)
    left, right = left & low, right & low
    # No sum exceeds 64 bits: a product of halves leaves room for two more halves.
    middle = left_high * right + shift_right_unsigned(left * right, 32)
    other = left * right_high + (middle & low)
    high = left_high * right_high
    return high + shift_right_unsigned(middle, 32) + shift_right_unsigned(other, 32)


def _abs(element: Element, value: torch.Tensor) -> torch.Tensor:
    return value if element.kind == "uint" else torch.abs(value)


def _extremum(floats: Function, integers: Function) -> Function:
    def apply(element: Element, left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
        if element.kind == "float":
            return floats(left, right)
        return ordered(element, integers(ordered(element, left), ordered(element, right)))

    return apply


def _clamp(largest: str, smallest: str) -> Function:
    def apply(
        element: Element, value: torch.Tensor, low: torch.Tensor, high: torch.Tensor
    ) -> torch.Tensor:
        return ARITHMETIC[smallest](element, ARITHMETIC[largest](element, value, low), high)

    return apply


def _plain(function: Function) -> Function:
    def apply(element: Element, *arguments: torch.Tensor) -> torch.Tensor:
        return function(*arguments)

    return apply


def _compared(function: Function) -> Function:
    def apply(element: Element, left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
        return function(ordered(element, left), ordered(element, right))

    return apply


ARITHMETIC: Registry[str, Function] = Registry(
    "the interpreter's arithmetic",
    {
        "add": _plain(torch.add),
        "sub": _plain(torch.sub),
        "mul": _plain(torch.mul),
        "truediv": _plain(torch.true_divide),
        "floordiv": _floordiv,
        "mod": _mod,
        "neg": _plain(torch.neg),
        "shl": _plain(torch.bitwise_left_shift),
        "shr": _shift_right,
        "abs": _abs,
        "umulhi": _umulhi,
        "maximum": _extremum(torch.fmax, torch.maximum),
        "minimum": _extremum(torch.fmin, torch.minimum),
        "maximum_nan": _extremum(torch.maximum, torch.maximum),
        "minimum_nan": _extremum(torch.minimum, torch.minimum),
        "clamp": _clamp("maximum", "minimum"),
        "clamp_nan": _clamp("maximum_nan", "minimum_nan"),
        "fma": fma,
        "sqrt_rn": _plain(sqrt),
        "div_rn": _plain(torch.true_divide),
        **{
            name: _plain(getattr(torch, name))
            for name in ("exp", "exp2", "log", "log2", "sqrt", "rsqrt", "sin", "cos", "erf")
        },
        "floor": _plain(torch.floor),
        "ceil": _plain(torch.ceil),
        # Below: functions of arith and math that the table does not have.
        "rounded_down": _rounded_down,
        "rounded_up": _rounded_up,
    },
)
"""Computed in :attr:`Element.computed`; the result is narrowed."""

BITWISE: dict[str, Function] = {
    "and": torch.bitwise_and,
    "or": torch.bitwise_or,
    "xor": torch.bitwise_xor,
    "invert": torch.bitwise_not,
}
"""On held values."""

COMPARISONS: dict[str, Function] = {
    name: _compared(getattr(torch, name)) for name in ("lt", "le", "gt", "ge", "eq", "ne")
}
"""On held values; the result is bits."""

FUNCTIONS = (*ARITHMETIC, *BITWISE, *COMPARISONS)


def apply(name: str, element: Element, *arguments: torch.Tensor) -> torch.Tensor:
    """The function ``name`` of held values of ``element``.

    Raises:
        CompilerError: there is no such function.
    """
    compare = COMPARISONS.get(name)
    if compare is not None:
        return compare(element, *arguments)
    bitwise = BITWISE.get(name)
    if bitwise is not None:
        return element.narrow(bitwise(*arguments))
    function = ARITHMETIC[name]
    return element.narrow(function(element, *(element.widen(value) for value in arguments)))


def along(data: torch.Tensor, dim: int, size: int) -> torch.Tensor:
    """``data``, broadcast along ``dim`` to its true size."""
    if data.shape[dim] == size:
        return data
    shape = list(data.shape)
    shape[dim] = size
    return data.expand(shape)


def gathered(data: torch.Tensor, indices: torch.Tensor, dim: int) -> torch.Tensor:
    """Gather lanes along ``dim``; out of bounds, lane 0."""
    size = data.shape[dim]
    if size == 1:
        # Uniform along the dim, whatever its true size.
        return data
    indices = indices.to(torch.int64)
    inside = (indices >= 0) & (indices < size)
    return torch.take_along_dim(data, torch.where(inside, indices, 0), dim)
