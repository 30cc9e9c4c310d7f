"""Correctly rounded arithmetic that torch does not have: fma, and directed rounding.

The error of the rounded result selects between it and the adjacent float. Rational arithmetic,
which is slow, is used only where no float is exact.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import torch

from ninetoothed.interpreters.element_types import Element
from ninetoothed.interpreters.memory import together

Rounded = Callable[..., torch.Tensor]
Exact = Callable[..., Fraction]
Addends = Callable[..., tuple[torch.Tensor, ...]]

_INTEGERS = {torch.float32: torch.int32, torch.float64: torch.int64}
_SAFE = 2.0**400
"""Products of floats below it, and above its inverse, and their errors are floats."""


def lanes(
    function: Callable[..., float], dtype: torch.dtype, *operands: torch.Tensor
) -> torch.Tensor:
    """Apply a Python function of numbers elementwise."""
    wide = together(*operands)
    columns: list[list[float]] = [operand.reshape(-1).tolist() for operand in wide]
    numbers = zip(*columns, strict=True)
    found = [function(*lane) for lane in numbers]
    return torch.tensor(found, dtype=dtype).reshape(wide[0].shape)


def _to_odd(found: torch.Tensor, error: torch.Tensor) -> torch.Tensor:
    """Round to odd: ``found``, with this error, or the adjacent float with an odd last bit.
    Rounding it again, to fewer bits, is as rounding once.
    """
    bits = found.view(_INTEGERS[found.dtype])
    step = torch.where(torch.signbit(found) == (error < 0), 1, -1)
    inexact = (error != 0) & (bits & 1 == 0) & torch.isfinite(found) & torch.isfinite(error)
    return torch.where(inexact, bits + step.to(bits.dtype), bits).view(found.dtype)


def _sum_to_odd(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    found, error = _two_sum(left, right)
    return _to_odd(found, error)


def _two_sum(left: torch.Tensor, right: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The sum and its rounding error, exactly."""
    found = left + right
    part = found - left
    return found, (left - (found - part)) + (right - part)


def _two_product(left: torch.Tensor, right: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The product and its rounding error, exactly."""
    found = left * right
    (one, two), (three, four) = _halves(left), _halves(right)
    return found, ((one * three - found) + one * four + two * three) + two * four


def _halves(value: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    scaled = value * (2.0**27 + 1)
    upper = scaled - (scaled - value)
    return upper, value - upper


def sqrt(x: torch.Tensor) -> torch.Tensor:
    """The square root, rounded to the nearest float, which torch's is not always."""
    with np.errstate(invalid="ignore"):
        return torch.as_tensor(np.sqrt(x.numpy()))


def fma(element: Element, x: torch.Tensor, y: torch.Tensor, z: torch.Tensor) -> torch.Tensor:
    """``x * y + z`` rounded once, as a value that :meth:`Element.narrow` takes."""
    x, y, z = together(x, y, z)
    if element.bits == 64:
        return _fma64(x, y, z)
    # The product is exact here.
    wide = _sum_to_odd(x.double() * y.double(), z.double())
    if element.bits == 32:
        return wide.float()
    single = wide.float()
    return _to_odd(single, wide - single.double())


def _fma64(x: torch.Tensor, y: torch.Tensor, z: torch.Tensor) -> torch.Tensor:
    product, rest = _two_product(x, y)
    high, low = _two_sum(z, rest)
    total, error = _two_sum(product, high)
    found = total + _sum_to_odd(low, error)
    plain = x * y + z
    sides = [value.abs() for value in (x, y, product, z, plain)]
    safe = torch.ones_like(x, dtype=torch.bool)
    for side in sides:
        safe &= (side < _SAFE) & (side > 1 / _SAFE)
    found = torch.where(safe, found, plain)
    finite = torch.isfinite(x) & torch.isfinite(y) & torch.isfinite(z)
    rare = finite & ~safe & (x != 0) & (y != 0) & (z != 0)
    if rare.any():
        found = found.contiguous()
        found[rare] = lanes(_fma_exactly, torch.float64, x[rare], y[rare], z[rare])
    return found


def _fma_exactly(x: float, y: float, z: float) -> float:
    exact = Fraction(x) * Fraction(y) + Fraction(z)
    try:
        # The quotient of two integers is rounded once.
        return exact.numerator / exact.denominator
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


def _error_sign(exact: Exact) -> Callable[..., float]:
    """The sign of the rounding error; the rounded result is the last argument."""

    def sign(*numbers: float) -> float:
        *operands, found = numbers
        if not all(map(math.isfinite, operands)) or math.isnan(found):
            return 0.0
        try:
            if math.isinf(found):
                exact(*operands, 0.0)
                return -math.copysign(1.0, found)
            rest = exact(*operands, found)
        except ZeroDivisionError:
            return 0.0
        return float((rest > 0) - (rest < 0))

    return sign


def directed(nearest: Rounded, exact: Exact, mode: str, addends: Addends | None = None) -> Rounded:
    """``nearest``, rounded toward 0 (``"rz"``), down (``"rd"``) or up (``"ru"``).

    ``exact`` of the operands and a float is the exact result less that float, up to a positive
    factor. ``addends``: the terms of a sum, whose signs are those of a sum that is 0.
    """
    if mode == "rn":
        return nearest

    def apply(*operands: torch.Tensor) -> torch.Tensor:
        found = nearest(*operands)
        error = lanes(_error_sign(exact), torch.float64, *operands, found)
        result = toward(found, error, mode)
        if addends is None or mode != "rd":
            return result
        negative = torch.zeros_like(found, dtype=torch.bool)
        for addend in addends(*operands):
            negative |= torch.signbit(addend)
        return torch.where((found == 0) & (error == 0) & negative, -0.0, result)

    return apply


def toward(found: torch.Tensor, error: torch.Tensor, mode: str) -> torch.Tensor:
    """Round in direction ``mode``, from the nearest float ``found`` and its error."""
    if mode == "rn":
        return found
    limit = torch.tensor(math.inf, dtype=found.dtype)
    down = (error < 0) & ((mode == "rd") | ((mode == "rz") & (found > 0)))
    up = (error > 0) & ((mode == "ru") | ((mode == "rz") & (found < 0)))
    result = torch.where(down, torch.nextafter(found, -limit), found)
    return torch.where(up, torch.nextafter(found, limit), result)


def whole(mode: str, value: torch.Tensor) -> torch.Tensor:
    """Round floats to integers, as floats."""
    return {
        "rn": torch.round,
        "rz": torch.trunc,
        "rd": torch.floor,
        "ru": torch.ceil,
    }[mode](value)
