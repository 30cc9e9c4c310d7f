"""Type rules over element types: Triton's promotion (``triton.language.semantic``), in a function a
rule.

A rule takes :class:`Operand` s and gives ``(operand type, result type)``: what the operands are
converted to, and what the operation gives. It raises ``TypeError`` with a text for the user where
the types do not fit.
"""

from __future__ import annotations

from dataclasses import dataclass

from ninetoothed.dtype import DTYPES


@dataclass(frozen=True)
class Operand:
    """The element type of an operand, and whether it is a scalar, which yields to a block of its
    kind.
    """

    dtype: str
    scalar: bool = False

    @property
    def kind(self) -> str:
        """``"bool"``, ``"int"``, ``"uint"`` or ``"float"``."""
        return DTYPES[self.dtype].kind

    @property
    def bits(self) -> int:
        """The width."""
        return DTYPES[self.dtype].bits


_KIND_ORDER = {"bool": 0, "int": 1, "uint": 1, "float": 2}
_NEEDS_CAST = "convert it first: ntl.cast(x, ntl.float32)"


def literal(value: bool | int | float) -> str:
    """The element type of a Python number.

    Raises:
        TypeError: an integer of more than 64 bits.
    """
    if isinstance(value, bool):
        return "i1"
    if isinstance(value, int):
        for dtype, low, high in (
            ("i32", -(2**31), 2**31),
            ("u32", 2**31, 2**32),
            ("i64", -(2**63), 2**63),
            ("u64", 2**63, 2**64),
        ):
            if low <= value < high:
                return dtype
        raise TypeError(f"{value} does not fit 64 bits")
    magnitude = abs(value)
    fits = magnitude in (0.0, float("inf")) or value != value
    return "fp32" if fits or 2**-126 <= magnitude <= (2 - 2**-23) * 2.0**127 else "fp64"


def promote(left: Operand, right: Operand, division: bool = False) -> str:
    """The type in which two operands are computed.

    Raises:
        TypeError: division of a signed by an unsigned integer.
    """
    if left.scalar != right.scalar:
        scalar, block = (left, right) if left.scalar else (right, left)
        if _KIND_ORDER[scalar.kind] <= _KIND_ORDER[block.kind]:
            left = right = block
    types = (left.dtype, right.dtype)
    if "fp64" in types:
        return "fp64"
    if "float" in (left.kind, right.kind):
        return _promote_floats(types, division)
    if division and (left.kind == "uint") != (right.kind == "uint"):
        raise TypeError(
            f"{left.dtype} and {right.dtype} differ in sign; convert one, as in "
            "ntl.cast(x, ntl.int32)"
        )
    if (left.kind == "uint") == (right.kind == "uint"):
        return left.dtype if left.bits > right.bits else right.dtype
    unsigned, signed = (left, right) if left.kind == "uint" else (right, left)
    return unsigned.dtype if unsigned.bits >= signed.bits else signed.dtype


def _promote_floats(types: tuple[str, str], division: bool) -> str:
    if division or "fp32" in types:
        return "fp32"
    if "fp16" in types:
        return "fp16"
    if "bf16" in types:
        return "bf16" if types == ("bf16", "bf16") else "fp32"
    if types[0] == types[1]:
        return types[0]
    eights = [dtype for dtype in types if dtype.startswith("fp8")]
    return "fp16" if len(eights) == 2 else eights[0]


def _common(operands: tuple[Operand, ...], division: bool = False) -> str:
    result = operands[0]
    for operand in operands[1:]:
        result = Operand(promote(result, operand, division), result.scalar and operand.scalar)
    return result.dtype


def arithmetic(*operands: Operand) -> tuple[str, str]:
    """Both in the promoted type."""
    dtype = _common(operands)
    return dtype, dtype


def true_division(*operands: Operand) -> tuple[str, str]:
    """Integers are divided as fp32."""
    if all(operand.kind != "float" for operand in operands):
        return "fp32", "fp32"
    dtype = _common(operands, division=True)
    return dtype, dtype


def integer_division(*operands: Operand) -> tuple[str, str]:
    """Integers only, rounded to zero."""
    for operand in operands:
        if operand.kind == "float":
            raise TypeError(
                f"// takes integers, not {operand.dtype}; write ntl.floor(x / y) for floats"
            )
    dtype = _common(operands, division=True)
    return dtype, dtype


def modulo(*operands: Operand) -> tuple[str, str]:
    """Integers, or floats in at least fp32."""
    dtype = _common(operands, division=True)
    return dtype, dtype


def comparison(*operands: Operand) -> tuple[str, str]:
    """Compared in the promoted type, giving bits."""
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


def high_product(*operands: Operand) -> tuple[str, str]:
    """Integers of 32 or 64 bits only."""
    for operand in operands:
        if operand.kind not in ("int", "uint") or operand.bits < 32:
            raise TypeError(
                f"it takes integers of 32 or 64 bits, not {operand.dtype}; convert it first: "
                "ntl.cast(x, ntl.uint32)"
            )
    dtype = _common(operands)
    return dtype, dtype


def real(*operands: Operand) -> tuple[str, str]:
    """fp32 and fp64 only, as in Triton."""
    for operand in operands:
        if operand.dtype not in ("fp32", "fp64"):
            raise TypeError(f"it takes fp32 or fp64, not {operand.dtype}; {_NEEDS_CAST}")
    dtype = _common(operands)
    return dtype, dtype


def summation(operand: Operand) -> tuple[str, str]:
    """Integers of fewer than 32 bits are summed in 32."""
    dtype = operand.dtype
    if operand.kind != "float" and operand.bits < 32:
        dtype = "u32" if operand.kind == "uint" else "i32"
    return dtype, dtype


def extremum(operand: Operand) -> tuple[str, str]:
    """Types of fewer than 32 bits give 32."""
    dtype = operand.dtype
    if operand.bits < 32:
        dtype = "fp32" if operand.kind == "float" else "i32"
    return dtype, dtype


def accumulator(operand: str) -> str:
    """The type in which a dot accumulates.

    Raises:
        TypeError: no matrix unit multiplies this type.
    """
    found = {"i8": "i32", "fp64": "fp64"}.get(operand)
    if found is None and DTYPES[operand].kind == "float":
        found = "fp32"
    if found is None:
        raise TypeError(f"matrices of {operand} cannot be multiplied; use floats or i8")
    return found


def lowest(dtype: str) -> float | int:
    """The identity of ``max``."""
    row = DTYPES[dtype]
    if row.kind == "float":
        return float("-inf")
    return -(1 << (row.bits - 1)) if row.kind == "int" else 0


def highest(dtype: str) -> float | int:
    """The identity of ``min``."""
    row = DTYPES[dtype]
    if row.kind == "float":
        return float("inf")
    return (1 << (row.bits - 1)) - 1 if row.kind == "int" else (1 << row.bits) - 1
