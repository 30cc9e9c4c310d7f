"""Shapes of dots in both dialects: sizes are expressions in ``nt`` and integers in ``tt``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from xdsl.ir import SSAValue

from ninetoothed.symbolic.expr import IndexExpr

Size = TypeVar("Size", int, IndexExpr)

FORMATS = {"e4m3": 0, "e5m2": 1, "e2m1": 4, "bf16": 5, "fp16": 6}
"""Formats of scaled operands, and Triton's encoding of them; ``e2m1`` is packed two a byte."""

GROUP = 32
"""Number of elements along K with one scale."""


def multiply(a: Sequence[Size], b: Sequence[Size]) -> tuple[Size, ...] | None:
    """The shape of the dot of blocks of these shapes; None: they do not multiply."""
    if len(a) != len(b) or len(a) not in (2, 3):
        return None
    if tuple(a[:-2]) != tuple(b[:-2]) or a[-1] != b[-2]:
        return None
    return (*a[:-1], b[-1])


@dataclass(frozen=True)
class ScaledSide:
    """An operand of a scaled dot: its value and scale, its format, the dim ``k`` that is summed,
    and the dim along which two elements are packed in a byte, if any.
    """

    value: SSAValue
    scale: SSAValue | None
    format: str
    k: int
    packed: int | None

    def elements(self, shape: Sequence[Size]) -> tuple[Size, ...]:
        """The shape of the elements, of a value of ``shape``."""
        sizes = list(shape)
        if self.packed is not None:
            sizes[self.packed] = sizes[self.packed] * 2
        return tuple(sizes)

    def scales(self, elements: Sequence[Size]) -> tuple[Size, ...]:
        """The shape of the scales of elements of a shape; the summed dim is the last."""
        last = len(elements) - 1
        rows = elements[last - 1 if self.k == last else last]
        return (*elements[:-2], rows, elements[self.k] // GROUP)


def scaled_sides(
    rank: int,
    values: tuple[SSAValue, SSAValue],
    scales: tuple[SSAValue | None, SSAValue | None],
    formats: tuple[str, str],
    k_packed: tuple[bool, bool],
) -> tuple[ScaledSide, ScaledSide]:
    """The operands of a scaled dot of blocks of ``rank`` dims; ``k_packed``: elements are packed
    along K, else along the other dim.
    """

    def side(index: int, k: int, other: int) -> ScaledSide:
        packed = None
        if formats[index] == "e2m1":
            packed = k if k_packed[index] else other
        return ScaledSide(values[index], scales[index], formats[index], k, packed)

    return side(0, rank - 1, rank - 2), side(1, rank - 2, rank - 1)
