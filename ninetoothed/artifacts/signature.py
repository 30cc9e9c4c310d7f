"""Signature: a class of calls that share a kernel."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Literal, get_args

Agreement = Literal["shapes", "counts", "any"]
"""By which rule programs are given elements of the parameters' outermost levels, one program an
element of the first tensor's; a laxer one stands behind.

``"shapes"``: the shapes must be equal. ``"counts"``: the numbers of elements must be, and program
``p`` has element ``p``, row-major. ``"any"``: program ``p`` has element ``p``, if there is one.
"""


def narrower_than(index_bits: int) -> int:
    """What sizes, strides and offsets are below in address arithmetic of this width: there is room
    for the lanes of a block beyond the end.
    """
    return (1 << (index_bits - 1)) - (1 << 20)


NARROW = narrower_than(32)
"""What is below this is computed in 32 bits."""


_MODERATE = 2.0**-60, 2.0**60


def is_moderate(number: bool | int | float) -> bool:
    """True for a number above 0 that is far from the ends of fp32."""
    return _MODERATE[0] <= number <= _MODERATE[1]


def divisor_of(number: int, bytes: int) -> int:
    """The divisor that is told of a size or a stride in elements of so many bytes: 16, else as many
    elements as 16 bytes hold, else 1.

    The second is what moves 16 bytes at once, and the first what blocks are multiples of.
    """
    lanes = 16 // bytes
    return 16 if number % 16 == 0 else lanes if number % lanes == 0 else 1


@dataclass(frozen=True)
class ParamSignature:
    """Properties of one argument that compiled code may rely on.

    ``kind``: ``"tensor"``, ``"scalar"`` (passed by value) or ``"constexpr"`` (``value`` is baked
    in). ``unit_strides``, ``size_divisors`` and ``stride_divisors`` have one entry per dim: the
    stride is 1; a divisor of the size, and of the stride (see :func:`divisor_of`). ``aligned``: the
    data starts at a multiple of 16 bytes. ``offsets``: the element type of a jagged tensor's
    offsets. ``repeated``: several of its indices are one place in memory. ``alias_set``: named by
    the set's first parameter; None for that itself. ``empty``: none of its elements exists, since
    a dim that is expanded or squeezed has the size 0. ``expanded``: the dims of several indices
    whose stride is 0. ``contiguous``: the first dim from which on the strides are products of the
    sizes behind, of two dims at least; None also where no access gains by that. ``moderate``: the
    number that is passed by value is (see :func:`is_moderate`); False also where the kernel does
    not gain by that.
    """

    name: str
    kind: str
    dtype: str
    ndim: int = 0
    unit_strides: tuple[bool, ...] = ()
    size_divisors: tuple[int, ...] = ()
    stride_divisors: tuple[int, ...] = ()
    aligned: bool = False
    value: bool | int | float | None = field(default=None, compare=False)
    offsets: str | None = None
    repeated: bool = False
    alias_set: str | None = None
    empty: bool = False
    contiguous: int | None = None
    expanded: tuple[int, ...] = ()
    moderate: bool = False
    # Distinguishes zeros of either sign, which compare equal.
    _value_text: str = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_value_text", repr(self.value))


@dataclass(frozen=True)
class Signature:
    """Class of calls that share a kernel.

    ``constants``: values of constexpr symbols and constexpr sizes. ``padded_sizes``: for each block
    size that only the call knows, its expression and the power of two it is padded to.
    ``index_bits``: 32 where every size, stride and offset is below ``NARROW``, else 64.
    ``agreement``: by which rule programs are given elements of the outermost levels. ``equal``:
    pairs of sizes that are equal, of those that the interface names (``Interface.equals``).
    """

    params: tuple[ParamSignature, ...]
    constants: tuple[tuple[str, int], ...] = ()
    padded_sizes: tuple[tuple[str, int], ...] = ()
    index_bits: int = 32
    agreement: Agreement = "shapes"
    equal: tuple[tuple[str, str], ...] = ()
    # Each new shape is looked up by it.
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        given = tuple(getattr(self, one.name) for one in fields(self) if one.init)
        object.__setattr__(self, "_hash", hash(given))

    def __hash__(self) -> int:
        return self._hash

    @property
    def laxer(self) -> tuple[Signature, ...]:
        """The classes that differ by a laxer rule, the strictest first."""
        rules: tuple[Agreement, ...] = get_args(Agreement)
        behind = rules[rules.index(self.agreement) + 1 :]
        return tuple(replace(self, agreement=rule) for rule in behind)
