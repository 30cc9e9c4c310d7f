"""Type promotion over element types: Triton's (``triton.language.semantic``), a function a rule.

A rule takes :class:`Operand` s and returns ``(operand type, result type)``: the type to convert the
operands to, and the result's. It raises ``TypeError`` with a text for the user where the types do
not fit.
"""

from __future__ import annotations

from dataclasses import dataclass

from ninetoothed.dtype import DTYPES


@dataclass(frozen=True)
class Operand:
    """The element type of an operand. ``number``: it is a Python number, which is weakly typed: it
    takes the type of a block, or of a scalar known at run time only, of its kind.
    """

    dtype: str
    number: bool | int | float | None = None

    @property
    def kind(self) -> str:
        """``"bool"``, ``"int"``, ``"uint"`` or ``"float"``."""
        return DTYPES[self.dtype].kind

    @property
    def bits(self) -> int:
        """The width."""
        return DTYPES[self.dtype].bits

    @property
    def signed(self) -> bool:
        """True for a signed integer; bits have no sign."""
        return self.kind == "int"


_KIND_ORDER = {"bool": 0, "int": 1, "uint": 1, "float": 2}
_NEEDS_CAST = "convert it first: ntl.cast(x, ntl.float32)"


def promote(left: Operand, right: Operand, division: bool = False) -> str:
    """The promoted type of two operands.

    Raises:
        TypeError: no type holds both, or a signed is divided by an unsigned integer.
    """
    if (left.number is None) != (right.number is None):
        number, block = (right, left) if left.number is None else (left, right)
        if _KIND_ORDER[number.kind] <= _KIND_ORDER[block.kind]:
            left = right = block
    types = (left.dtype, right.dtype)
    if "fp64" in types:
        return "fp64"
    if "float" in (left.kind, right.kind):
        return "fp32" if division else _promote_floats(left, right)
    if left.signed == right.signed:
        return left.dtype if left.bits > right.bits else right.dtype
    if division and "bool" not in (left.kind, right.kind):
        raise TypeError(
            f"{left.dtype} and {right.dtype} differ in sign; convert one, as in "
            "ntl.cast(x, ntl.int32)"
        )
    signed, unsigned = (left, right) if left.signed else (right, left)
    return unsigned.dtype if unsigned.bits >= signed.bits else signed.dtype


def _promote_floats(left: Operand, right: Operand) -> str:
    types = (left.dtype, right.dtype)
    for dtype in ("fp32", "fp16"):
        if dtype in types:
            return dtype
    if types[0] == types[1]:
        return types[0]
    if "bf16" in types:
        return "fp32"
    if left.kind != right.kind:
        raise TypeError(
            f"{types[0]} and {types[1]} have no type in common; convert one, as in "
            "ntl.cast(x, ntl.float32)"
        )
    # Two floats of eight bits.
    return "fp16"


def _common(operands: tuple[Operand, ...], division: bool = False) -> str:
    """The promoted type of all: of blocks among themselves, then with numbers."""
    blocks = [operand for operand in operands if operand.number is None]
    numbers = [operand for operand in operands if operand.number is not None]
    joined = [_joined(group, division) for group in (blocks, numbers) if group]
    dtype = _joined(joined, division).dtype
    for operand in numbers:
        _check_holds(dtype, operand)
    return dtype


def _joined(operands: list[Operand], division: bool) -> Operand:
    first, *others = operands
    for other in others:
        number = None if other.number is None else first.number
        first = Operand(promote(first, other, division), number)
    return first


def _check_holds(dtype: str, operand: Operand) -> None:
    """Check that a number lies in the range of an integer type."""
    if DTYPES[dtype].kind == "float" or operand.number is None:
        return
    check_range(dtype, operand.number, "convert the block first, as in ntl.cast(x, ntl.int32)")


def check_range(dtype: str, number: float, instead: str) -> None:
    """Check that a number lies in the range of ``dtype``; ``instead`` is the error's hint.

    Raises:
        TypeError: it lies outside.
    """
    low, high = lowest(dtype), highest(dtype)
    if not low <= number <= high:
        raise TypeError(f"{number} is no {dtype}, which reaches from {low} to {high}; {instead}")


def check_fill(dtype: str, number: float) -> None:
    """Check that ``dtype`` holds a number. As in Triton, the only float of integers is 0.0.

    Raises:
        TypeError: it is none.
    """
    kind = DTYPES[dtype].kind
    if kind == "float":
        return
    floats = (0.0, 1.0) if kind == "bool" else (0.0,)
    if isinstance(number, float) and number not in floats:
        raise TypeError(f"{number} is no integer, which {dtype} holds; use a float")
    check_range(dtype, number, "give one that it holds, or a wider type")


def arithmetic(*operands: Operand) -> tuple[str, str]:
    """The promoted type."""
    dtype = _common(operands)
    return dtype, dtype


def counting(*operands: Operand) -> tuple[str, str]:
    """The promoted type; bits count, in i32."""
    return _counted(_common(operands))


def _counted(dtype: str) -> tuple[str, str]:
    # In the type of bits, two of them would be one again, or none.
    dtype = "i32" if dtype == "i1" else dtype
    return dtype, dtype


def true_division(*operands: Operand) -> tuple[str, str]:
    """The promoted type, at least fp32; integers give fp32."""
    dtype = _common(operands, division=True)
    if DTYPES[dtype].kind != "float":
        dtype = "fp32"
    return dtype, dtype


def integer_division(*operands: Operand) -> tuple[str, str]:
    """Integers only, in the promoted type; bits count, in i32."""
    for operand in operands:
        if operand.kind == "float":
            raise TypeError(
                f"// takes integers, not {operand.dtype}; write ntl.floor(x / y) for floats"
            )
    return _counted(_common(operands, division=True))


def modulo(*operands: Operand) -> tuple[str, str]:
    """Integers of one signedness, or floats in at least fp32; bits count, in i32."""
    return _counted(_common(operands, division=True))


def comparison(*operands: Operand) -> tuple[str, str]:
    """Compared in the promoted type; the result is bits."""
    return _common(operands), "i1"


def bitwise(*operands: Operand) -> tuple[str, str]:
    """Integers and bits only."""
    for operand in operands:
        if operand.kind == "float":
            raise TypeError(
                f"it takes integers, not {operand.dtype}; convert it first: ntl.cast(x, ntl.int32)"
            )
    dtype = _common(operands)
    return dtype, dtype


def shift(*operands: Operand) -> tuple[str, str]:
    """Integers only; bits count, in i32."""
    return _counted(bitwise(*operands)[0])


def multiply_high(*operands: Operand) -> tuple[str, str]:
    """Integers of 32 or 64 bits only."""
    for operand in operands:
        if operand.kind not in ("int", "uint") or operand.bits < 32:
            raise TypeError(
                f"it takes integers of 32 or 64 bits, not {operand.dtype}; convert it first: "
                "ntl.cast(x, ntl.uint32)"
            )
    dtype = _common(operands)
    return dtype, dtype


def math_function(*operands: Operand) -> tuple[str, str]:
    """fp32 and fp64 only, as in Triton."""
    for operand in operands:
        if operand.dtype not in ("fp32", "fp64"):
            raise TypeError(f"it takes fp32 or fp64, not {operand.dtype}; {_NEEDS_CAST}")
    dtype = _common(operands)
    return dtype, dtype


def single(*operands: Operand) -> tuple[str, str]:
    """fp32 only, as in Triton."""
    for operand in operands:
        if operand.number is None and operand.dtype != "fp32":
            raise TypeError(f"it takes fp32, not {operand.dtype}; {_NEEDS_CAST}")
    return "fp32", "fp32"


def fused(*operands: Operand) -> tuple[str, str]:
    """Floats of 16 bits and more."""
    dtype = _common(operands)
    if DTYPES[dtype].kind != "float" or DTYPES[dtype].bits < 16:
        raise TypeError(f"it takes floats of 16 bits and more, not {dtype}; {_NEEDS_CAST}")
    return dtype, dtype


def float_division(*operands: Operand) -> tuple[str, str]:
    """Floats, in at least fp32."""
    dtype = _common(operands, division=True)
    if DTYPES[dtype].kind != "float":
        raise TypeError(f"it takes floats, not {dtype}; write x / y")
    return dtype, dtype


def summation(operand: Operand) -> tuple[str, str]:
    """Integers of fewer than 32 bits are summed in 32; bits have no sign."""
    dtype = operand.dtype
    if operand.kind != "float" and operand.bits < 32:
        dtype = "i32" if operand.signed else "u32"
    return dtype, dtype


def extremum(operand: Operand) -> tuple[str, str]:
    """Types of fewer than 32 bits give 32."""
    dtype = operand.dtype
    if operand.bits < 32:
        dtype = "fp32" if operand.kind == "float" else "i32"
    return dtype, dtype


PRECISIONS = ("tf32", "tf32x3", "ieee", "bf16x3", "bf16x6")
"""The input precisions of a dot of fp32."""

_EIGHTS = tuple(name for name, row in DTYPES.items() if row.kind == "float" and row.bits == 8)
_DOT_TYPES: dict[str, tuple[str, ...]] = {
    "i8": ("i32",),
    "fp64": ("fp64",),
    "fp32": ("fp32",),
    "bf16": ("fp32",),
    **dict.fromkeys(("fp16", *_EIGHTS), ("fp32", "fp16")),
}


def dot_types(left: str, right: str) -> tuple[str, ...]:
    """The result types of a dot of these element types; the first is the default.

    Raises:
        TypeError: no matrix unit multiplies them.
    """
    if left != right and not (left in _EIGHTS and right in _EIGHTS):
        raise TypeError(
            f"it takes two blocks of one element type, not {left} and {right}; convert one with "
            ".to(dtype)"
        )
    for dtype in (left, right):
        if dtype not in _DOT_TYPES:
            raise TypeError(f"matrices of {dtype} cannot be multiplied; use floats or i8")
    return _DOT_TYPES[left]


def dot_type(left: str, right: str, acc: str | None, out: str | None) -> str:
    """The result type of a dot with the accumulator ``acc``, if any, and ``out_dtype`` ``out``.

    Raises:
        TypeError: there is no such dot.
    """
    found = dot_types(left, right)
    default, *others = found
    if out == "bf16" and left != "i8":
        raise TypeError("a dot gives no bf16; leave out_dtype out, and write .to(ntl.bfloat16)")
    # With one result type, Triton ignores out_dtype.
    if out is not None and out not in found and others:
        raise TypeError(f"a dot of {left} and {right} gives {' or '.join(found)}, not {out}")
    if acc is None:
        return default if out is None or out not in found else out
    if acc not in found:
        raise TypeError(
            f"the accumulator of a dot of {left} and {right} is {' or '.join(found)}, not {acc}; "
            "convert it with .to(dtype)"
        )
    if out not in (None, acc):
        raise TypeError(f"the accumulator is {acc}, and out_dtype is {out}; make them equal")
    return acc


def conversion(source: str, target: str, rounding: str | None) -> None:
    """Check that Triton has a conversion.

    Raises:
        TypeError: it has none.
    """
    one, two = DTYPES[source], DTYPES[target]
    for eight, other in ((source, two), (target, one)):
        if eight in _EIGHTS and other.kind != "float":
            raise TypeError(
                f"{source} does not become {target}; convert it to a wider float between, as in "
                "x.to(ntl.float32)"
            )
    if rounding is None or source == target:
        return
    if not (one.kind == two.kind == "float" and two.bits < one.bits):
        raise TypeError(
            f"fp_downcast_rounding is for floats that become narrower, not for {source} to "
            f"{target}; leave it out"
        )
    if rounding == "rtz" and (source == "fp64" or target not in ("fp16", "bf16", "fp8e5")):
        raise TypeError(
            f"no conversion of {source} to {target} rounds to zero; round to the nearest, or "
            "convert fp32 to fp16, bf16 or fp8e5"
        )


def lowest(dtype: str) -> float | int:
    """The lowest value: the identity of ``max``."""
    row = DTYPES[dtype]
    if row.kind == "float":
        return float("-inf")
    return -(1 << (row.bits - 1)) if row.kind == "int" else 0


def highest(dtype: str) -> float | int:
    """The highest value: the identity of ``min``."""
    row = DTYPES[dtype]
    if row.kind == "float":
        return float("inf")
    return (1 << (row.bits - 1)) - 1 if row.kind == "int" else (1 << row.bits) - 1
