"""Functions of the device libraries over torch.

A function takes its form and the operands: integers as ``int64`` (of 64 unsigned bits: the same bit
pattern), floats in their own type. Its result is narrowed to the form's.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import torch

from ninetoothed.interpreters.element_types import ELEMENTS, SIGN_BIT, convert, shift_right_unsigned
from ninetoothed.interpreters.elementwise import apply as apply_row
from ninetoothed.interpreters.memory import together
from ninetoothed.interpreters.rounding import (
    Addends,
    Exact,
    Rounded,
    directed,
    fma,
    lanes,
    sqrt,
    toward,
    whole,
)
from ninetoothed.language.registry import Registry
from ninetoothed.language.table.libdevice import MODES, Form

Function = Callable[..., torch.Tensor]

_LOW = (1 << 32) - 1


def _plain(function: Rounded) -> Function:
    """A function of tensors, whatever the form."""

    def apply(form: Form, *operands: torch.Tensor) -> torch.Tensor:
        return function(*operands)

    return apply


def _one(function: Callable[[torch.Tensor], torch.Tensor]) -> Function:
    """A function of one tensor, whatever the form."""
    return _plain(function)


def _two(function: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]) -> Function:
    """A function of two tensors, whatever the form."""
    return _plain(function)


def _torch(name: str) -> Rounded:
    """``torch.name``, whatever its stubs say."""
    module, _, function = name.rpartition(".")
    return getattr(getattr(torch, module) if module else torch, function)


def _of_torch(name: str) -> Function:
    """``torch.name``, whatever the form."""
    return _plain(_torch(name))


def _wide(function: Callable[[torch.Tensor], torch.Tensor]) -> Function:
    """A function of one tensor computed in ``float64``."""

    def apply(form: Form, x: torch.Tensor) -> torch.Tensor:
        return function(x.double())

    return apply


def _by_lane(function: Callable[..., float]) -> Function:
    """A function of Python's numbers."""

    def apply(form: Form, *operands: torch.Tensor) -> torch.Tensor:
        return lanes(function, torch.float64, *operands)

    return apply


# Functions of floats.


def _tgamma(x: float) -> float:
    try:
        return math.gamma(x)
    except ValueError:
        return math.copysign(math.inf, x) if x == 0 else math.nan
    except OverflowError:
        return math.inf


def _remainder(x: float, y: float) -> float:
    try:
        return math.remainder(x, y)
    except ValueError:
        return math.nan


def _turned(x: torch.Tensor) -> torch.Tensor:
    """Half turns, reduced to the range from -1 to 1."""
    return x - 2 * torch.round(x / 2)


def _sinpi(x: torch.Tensor) -> torch.Tensor:
    turn = _turned(x)
    folded = torch.where(turn.abs() > 0.5, torch.copysign(1 - turn.abs(), turn), turn)
    return torch.where(torch.isinf(x), torch.nan, torch.sin(torch.pi * folded))


def _cospi(x: torch.Tensor) -> torch.Tensor:
    turn = _turned(x).abs()
    return torch.where(torch.isinf(x), torch.nan, torch.sin(torch.pi * (0.5 - turn)))


def _round(x: torch.Tensor) -> torch.Tensor:
    whole_part = torch.trunc(x)
    up = (x - whole_part).abs() >= 0.5
    return torch.where(up, whole_part + torch.copysign(torch.ones_like(x), x), whole_part)


def _norm(*parts: torch.Tensor) -> torch.Tensor:
    found = parts[0].abs()
    for part in parts[1:]:
        found = torch.hypot(found, part)
    infinite = torch.zeros_like(found, dtype=torch.bool)
    for part in parts:
        infinite |= torch.isinf(part)
    return torch.where(infinite, torch.inf, found)


def _inverse_norm(form: Form, *parts: torch.Tensor) -> torch.Tensor:
    return 1 / _norm(*parts)


def _far(name: str, sign: float) -> Function:
    """A function of torch, corrected at infinity; ``sign`` times its limit is that at -infinity."""
    function = _torch(name)
    limit = math.inf if name.startswith("special.i") else 0.0

    def apply(form: Form, x: torch.Tensor) -> torch.Tensor:
        ends = torch.where(x > 0, limit, sign * limit)
        return torch.where(torch.isinf(x), ends, function(x))

    return apply


def _fmod(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    # Torch's is wrong for subnormal divisors.
    with np.errstate(all="ignore"):
        return torch.as_tensor(np.fmod(x.numpy(), y.numpy()))


_ndtri = _torch("special.ndtri")


def _cube_root(x: torch.Tensor) -> torch.Tensor:
    return torch.as_tensor(np.cbrt(x.numpy()))


def _scaled(x: torch.Tensor, exponent: torch.Tensor) -> torch.Tensor:
    with np.errstate(all="ignore"):
        return torch.as_tensor(np.ldexp(x.numpy(), exponent.numpy()))


def _exponent(x: torch.Tensor) -> torch.Tensor:
    """The base-2 exponent, as an integer; of 0 and infinities, unspecified."""
    return torch.frexp(x).exponent.to(torch.int64) - 1


def _logb(x: torch.Tensor) -> torch.Tensor:
    found = torch.where(torch.isinf(x) | torch.isnan(x), x.abs(), _exponent(x).to(x.dtype))
    return torch.where(x == 0, -torch.inf, found)


def _ilogb(x: torch.Tensor) -> torch.Tensor:
    found = torch.where(torch.isinf(x), (1 << 31) - 1, _exponent(x))
    return torch.where((x == 0) | torch.isnan(x), -(1 << 31), found)


# Integers.


def _bits_of(form: Form) -> int:
    return ELEMENTS[form.operands[0]].bits


def _reversed(form: Form, x: torch.Tensor) -> torch.Tensor:
    bits = _bits_of(form)
    found = torch.zeros_like(x)
    for place in range(bits):
        found |= ((x >> place) & 1) << (bits - 1 - place)
    return found


def _population(form: Form, x: torch.Tensor) -> torch.Tensor:
    found = torch.zeros_like(x)
    for place in range(_bits_of(form)):
        found += (x >> place) & 1
    return found


def _leading_zeros(form: Form, x: torch.Tensor) -> torch.Tensor:
    bits = _bits_of(form)
    found = torch.full_like(x, bits)
    for place in range(bits):
        found = torch.where((x >> place) & 1 != 0, bits - 1 - place, found)
    return found


def _first_set(form: Form, x: torch.Tensor) -> torch.Tensor:
    found = torch.zeros_like(x)
    for place in reversed(range(_bits_of(form))):
        found = torch.where((x >> place) & 1 != 0, place + 1, found)
    return found


def _sad(x: torch.Tensor, y: torch.Tensor, z: torch.Tensor) -> torch.Tensor:
    return (x - y).abs() + z


def _byte_perm(x: torch.Tensor, y: torch.Tensor, selector: torch.Tensor) -> torch.Tensor:
    both = (x & _LOW) | ((y & _LOW) << 32)
    found = torch.zeros((), dtype=torch.int64)
    for place in range(4):
        which = (selector >> (4 * place)) & 7
        found = found | (((both >> (8 * which)) & 255) << (8 * place))
    return found


def _upper_half(form: Form, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    element = ELEMENTS[form.operands[0]]
    if element.bits == 32:
        # What the 64 bits of a product wrap around does not reach the result.
        return (x * y) >> 32 if element.kind == "int" else shift_right_unsigned(x * y, 32)
    found = apply_row("umulhi", ELEMENTS["u64"], x, y)
    if element.kind == "int":
        found = found - torch.where(x < 0, y, 0) - torch.where(y < 0, x, 0)
    return found


def _product24(form: Form, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    mask = (1 << 24) - 1
    x, y = x & mask, y & mask
    if ELEMENTS[form.operands[0]].kind == "int":
        x, y = (torch.where(side >> 23 != 0, side - (1 << 24), side) for side in (x, y))
    return x * y


# Bits under another type.


def _as(form: Form, x: torch.Tensor) -> torch.Tensor:
    source, target = ELEMENTS[form.operands[0]], ELEMENTS[form.result]
    bits = source.to_memory(source.narrow(x)).contiguous()
    return target.from_memory(bits.view(target.memory))


# Conversions.


def _to_integer(mode: str, unsigned: bool) -> Function:
    def apply(form: Form, x: torch.Tensor) -> torch.Tensor:
        bits = ELEMENTS[form.result].bits
        lowest, highest = (0, 1 << bits) if unsigned else (-1 << (bits - 1), 1 << (bits - 1))
        value = whole(mode, x.double())
        low, high = float(lowest), float(highest)
        inside = (value >= low) & (value < high)
        safe = torch.where(inside, value, 0.0)
        large = safe >= 2.0**63
        found = torch.where(large, safe - 2.0**63, safe).to(torch.int64)
        found = torch.where(large, found ^ SIGN_BIT, found)
        # All bits of 64 are those of -1.
        greatest = -1 if highest == 1 << 64 else highest - 1
        found = torch.where(value >= high, greatest, found)
        found = torch.where(value < low, lowest, found)
        # What a device makes of what is no number.
        narrow = form.operands[0] == "fp32" and bits == 32
        return torch.where(torch.isnan(x), 0 if narrow else -1 << (bits - 1), found)

    return apply


def _rounded_to_integer(form: Form, x: torch.Tensor) -> torch.Tensor:
    return _to_integer("rz", unsigned=False)(form, _round(x))


def _narrowed(mode: str) -> Function:
    def apply(form: Form, x: torch.Tensor) -> torch.Tensor:
        found = x.float()
        return toward(found, x - found.double(), mode)

    return apply


def _to_float(mode: str) -> Function:
    def apply(form: Form, x: torch.Tensor) -> torch.Tensor:
        source, target = ELEMENTS[form.operands[0]], ELEMENTS[form.result]
        found = convert(x, source if source.bits == 64 else ELEMENTS["i64"], target)

        def sign(value: float, rounded: float) -> float:
            exact = value % (1 << 64) if source.wide_unsigned else value
            return float((exact > rounded) - (exact < rounded))

        return toward(found, lanes(sign, torch.float64, x, found), mode)

    return apply


# Rounded in a direction.


def _fma(form: Form, *operands: torch.Tensor) -> torch.Tensor:
    return fma(ELEMENTS[form.result], *operands)


def _fused(*operands: torch.Tensor) -> torch.Tensor:
    return fma(ELEMENTS["fp32" if operands[0].dtype == torch.float32 else "fp64"], *operands)


def _beyond(exact: Callable[..., Fraction]) -> Exact:
    """What the result of ``exact`` is beyond a float, the last argument."""

    def difference(*numbers: float) -> Fraction:
        *operands, found = map(Fraction, numbers)
        return exact(*operands) - found

    return difference


def _inverse_of(x: Fraction) -> Fraction:
    return 1 / x


def _multiply_add(x: Fraction, y: Fraction, z: Fraction) -> Fraction:
    return x * y + z


def _root_beyond(x: float, found: float) -> Fraction:
    return Fraction(x) - Fraction(found) ** 2


def _inverse(x: torch.Tensor) -> torch.Tensor:
    return torch.ones_like(x) / x


_EXACT: dict[str, tuple[Rounded, Exact]] = {
    "add": (torch.add, _beyond(Fraction.__add__)),
    "sub": (torch.sub, _beyond(Fraction.__sub__)),
    "mul": (torch.mul, _beyond(Fraction.__mul__)),
    "div": (torch.div, _beyond(Fraction.__truediv__)),
    "rcp": (_inverse, _beyond(_inverse_of)),
    "sqrt": (sqrt, _root_beyond),
    "fma": (_fused, _beyond(_multiply_add)),
}
"""Rounded functions: to nearest, and the exact result less a float."""


def _terms_of_sum(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return x, y


def _terms_of_difference(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return x, -y


def _terms_of_fma(x: torch.Tensor, y: torch.Tensor, z: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return x * y, z


_ADDENDS: dict[str, Addends] = {
    "add": _terms_of_sum,
    "sub": _terms_of_difference,
    "fma": _terms_of_fma,
}
"""The terms of sums."""


def _rounded() -> dict[str, Function]:
    found: dict[str, Function] = {}
    for mode in MODES:
        for name, (nearest, exact) in _EXACT.items():
            found[f"{name}_{mode}"] = _plain(directed(nearest, exact, mode, _ADDENDS.get(name)))
        for source in ("float", "double"):
            for target in ("int", "ll"):
                found[f"{source}2{target}_{mode}"] = _to_integer(mode, unsigned=False)
                found[f"{source}2u{target}_{mode}"] = _to_integer(mode, unsigned=True)
        found[f"double2float_{mode}"] = _narrowed(mode)
        for source in ("int", "uint", "ll", "ull"):
            found[f"{source}2float_{mode}"] = _to_float(mode)
            found[f"{source}2double_{mode}"] = _to_float(mode)
    return found


FUNCTIONS: Registry[str, Function] = Registry(
    "the interpreter's device library",
    {
        **{
            name: _of_torch(name)
            for name in (
                *("abs", "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "ceil"),
                *("copysign", "cos", "cosh", "erf", "erfc", "erfinv", "exp", "exp2", "expm1"),
                *("floor", "hypot", "lgamma", "log", "log10", "log1p", "log2", "nextafter"),
                *("rsqrt", "sin", "sinh", "sqrt", "tan", "tanh", "trunc"),
                *("isnan", "isinf", "signbit"),
            )
        },
        **_rounded(),
        "brev": _reversed,
        "byte_perm": _plain(_byte_perm),
        "cbrt": _one(_cube_root),
        "clz": _leading_zeros,
        "cospi": _plain(_cospi),
        "cyl_bessel_i0": _far("special.i0", 1),
        "cyl_bessel_i1": _far("special.i1", -1),
        "double2hiint": _one(lambda x: x.contiguous().view(torch.int64) >> 32),
        "double2loint": _one(lambda x: x.contiguous().view(torch.int64)),
        "erfcinv": _wide(lambda x: -_ndtri(x / 2) / math.sqrt(2)),
        "erfcx": _of_torch("special.erfcx"),
        "exp10": _wide(lambda x: torch.pow(10.0, x)),
        "fdim": _two(lambda x, y: torch.where(x <= y, torch.zeros((), dtype=x.dtype), x - y)),
        "ffs": _first_set,
        "finitef": _of_torch("isfinite"),
        "fma": _fma,
        "fmod": _two(_fmod),
        "hadd": _two(lambda x, y: (x + y) >> 1),
        "hiloint2double": _two(lambda x, y: ((x << 32) | (y & _LOW)).view(torch.float64)),
        "ilogb": _plain(_ilogb),
        "isfinited": _of_torch("isfinite"),
        "j0": _far("special.bessel_j0", 1),
        "j1": _far("special.bessel_j1", -1),
        "ldexp": _two(_scaled),
        "llrint": _to_integer("rn", unsigned=False),
        "llround": _rounded_to_integer,
        "logb": _plain(_logb),
        "mul24": _product24,
        "mulhi": _upper_half,
        "nearbyint": _of_torch("round"),
        "norm3d": _plain(_norm),
        "norm4d": _plain(_norm),
        "normcdf": _wide(lambda x: 0.5 * torch.erfc(x * -math.sqrt(0.5))),
        "normcdfinv": _wide(_ndtri),
        "popc": _population,
        "pow": _two(lambda x, y: torch.pow(x.double(), y.double())),
        "rcbrt": _one(lambda x: 1 / _cube_root(x)),
        "remainder": _by_lane(_remainder),
        "rhadd": _two(lambda x, y: (x + y + 1) >> 1),
        "rhypot": _two(lambda x, y: 1 / torch.hypot(x, y)),
        "rint": _of_torch("round"),
        "rnorm3d": _inverse_norm,
        "rnorm4d": _inverse_norm,
        "round": _plain(_round),
        "rsqrt_rn": _wide(torch.rsqrt),
        "sad": _plain(_sad),
        "saturatef": _one(lambda x: torch.where(torch.isnan(x), 0.0, torch.clamp(x, 0, 1))),
        "scalbn": _two(_scaled),
        "sinpi": _plain(_sinpi),
        "tgamma": _by_lane(_tgamma),
        "y0": _far("special.bessel_y0", math.nan),
        "y1": _far("special.bessel_y1", math.nan),
        **dict.fromkeys(("int_as_float", "uint_as_float", "longlong_as_double"), _as),
        **dict.fromkeys(("float_as_int", "float_as_uint", "double_as_longlong"), _as),
        "fast_cosf": _of_torch("cos"),
        "fast_dividef": _of_torch("div"),
        "fast_exp10f": _one(lambda x: torch.pow(10.0, x)),
        "fast_expf": _of_torch("exp"),
        "fast_log10f": _of_torch("log10"),
        "fast_log2f": _of_torch("log2"),
        "fast_logf": _of_torch("log"),
        "fast_powf": _of_torch("pow"),
        "fast_sinf": _of_torch("sin"),
        "fast_tanf": _of_torch("tan"),
    },
)
"""By name in ``LIBDEVICE``."""


def call(name: str, form: Form, *operands: torch.Tensor) -> torch.Tensor:
    """The function ``name`` of held values, as held.

    Raises:
        CompilerError: there is no such function.
    """
    elements = [ELEMENTS[dtype] for dtype in form.operands]
    values = [
        operand if element.kind == "float" else operand.to(torch.int64)
        for operand, element in zip(operands, elements, strict=True)
    ]
    found = FUNCTIONS[name](form, *together(*values))
    result = ELEMENTS[form.result]
    return result.narrow(found if result.kind == "float" else found.to(torch.int64))
