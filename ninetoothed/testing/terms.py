"""Values of random programs: their types, their dims, and bounds of their errors.

Numbers lie on coarse grids, so that most results are exact, and the same in every order and on
every machine. Where one is not, ``error`` bounds how far it may be off: every operation adds what
it rounds. Such a value is never compared nor cut off, so that what is small stays small.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ninetoothed.dtype import DTYPES

Dims = tuple[str, ...]

FLOATS = ("fp16", "bf16", "fp32", "fp64")
SIGNED = ("i8", "i16", "i32", "i64")
UNSIGNED = ("u8", "u16", "u32", "u64")
ALL = (*SIGNED, *UNSIGNED, *FLOATS, "i1")
COMMON = ("i32", "fp32", "fp32", "fp16", "i1")
"""The types that most values have."""
LANES = 256
"""At most so many are combined."""

_MANTISSA = {"fp16": 11, "bf16": 8, "fp32": 24, "fp64": 53}
_LARGEST = {"fp16": 3e4, "bf16": 1e30, "fp32": 1e30, "fp64": 1e30}
# Finer ones may be flushed to zero.
_MOST_PLACES = {"fp16": 14, "bf16": 100, "fp32": 100, "fp64": 100}
# A value that is off by more would test nothing.
_WORTHLESS = 1 / 64


def spelled(dtype: str) -> str:
    """An element type in a program."""
    return f"ntl.{DTYPES[dtype].triton}"


def largest(dtype: str) -> float:
    """The largest integer of a type."""
    row = DTYPES[dtype]
    return float(2 ** (row.bits - (row.kind == "int")) - 1)


@dataclass(frozen=True)
class Expr:
    """An expression's text, and bounds of its value.

    ``dims`` names the block's dims, ``"1"`` where they are of size 1; they broadcast to the
    output's. ``bound`` is of the magnitude; of an integer None where it may have wrapped.
    ``places``: the values are multiples of ``2**-places``, None: they were rounded, and are off by
    at most ``error``. ``valid``: every lane that an output stores is valid.
    """

    text: str
    dtype: str
    dims: Dims = ()
    bound: float | None = None
    places: int | None = 0
    error: float = 0.0
    valid: bool = True

    @property
    def floating(self) -> bool:
        """True if it is a float."""
        return DTYPES[self.dtype].kind == "float"

    @property
    def unsigned(self) -> bool:
        """True if it is an unsigned integer."""
        return DTYPES[self.dtype].kind == "uint"

    @property
    def exact(self) -> bool:
        """True if it is the same however it is computed."""
        return self.places is not None

    @property
    def reach(self) -> float:
        """A bound of its magnitude."""
        return largest(self.dtype) if self.bound is None else self.bound

    def made(
        self,
        text: str,
        dtype: str | None = None,
        bound: float | None = None,
        places: int | None = 0,
        error: float = 0.0,
        ulps: float = 1,
    ) -> Expr | None:
        """The result of an operation on this value: ``bound`` and ``places`` as without rounding,
        ``error`` from those of the operands. None where it cannot be relied on.
        """
        result = replace(self, text=text, dtype=dtype or self.dtype, bound=bound)
        if not result.floating:
            wrapped = bound is None or bound > largest(result.dtype)
            return replace(result, bound=None if wrapped else bound, places=0, error=0.0)
        dtype = result.dtype
        if bound is None or bound > _LARGEST[dtype]:
            return None
        fine = places is None or places > _MOST_PLACES[dtype]
        if not fine and bound * 2.0 ** (places or 0) < 2 ** _MANTISSA[dtype]:
            return replace(result, places=places, error=0.0)
        error += ulps * bound * 2.0 ** -_MANTISSA[dtype]
        if error > _WORTHLESS * max(bound, 1):
            return None
        return replace(result, places=None, error=error)

    def cast(self, dtype: str, method: bool = False) -> Expr | None:
        """The value converted; None where it may not fit, or where it is cut off and not exact."""
        if dtype == self.dtype:
            return self
        text = f"ntl.cast({self.text}, {spelled(dtype)})"
        if method and not self.text.startswith("ntl."):
            text = f"{self.text}.to({spelled(dtype)})"
        target = DTYPES[dtype].kind
        if dtype == "i1":
            return self.made(text, dtype, 1) if self.exact else None
        if target == "float":
            # An integer may be rounded on the way to bf16, too.
            ulps = 1 if self.floating else 2
            return self.made(text, dtype, self.reach, self.places, self.error, ulps)
        if not self.floating:
            negative = target == "uint" and DTYPES[self.dtype].kind == "int"
            return self.made(text, dtype, None if negative else self.bound)
        if not self.exact or self.reach > largest(dtype):
            return None
        if target == "uint":
            text = f"ntl.cast(ntl.abs({self.text}), {spelled(dtype)})"
        return self.made(text, dtype, self.reach)


def joined_dims(*parts: Expr) -> Dims:
    """The dims of what the parts broadcast to."""
    dims: list[str] = []
    for position in range(max(len(part.dims) for part in parts)):
        found = {p.dims[-1 - position] for p in parts if position < len(p.dims)} - {"1"}
        assert len(found) < 2
        dims.insert(0, found.pop() if found else "1")
    return tuple(dims)
