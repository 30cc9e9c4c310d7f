"""Documentation that rows of one op share.

A row's own text wins: a paragraph of its ``doc`` that begins with the heading of a section
(``"Shapes: …"``) replaces the shared one.
"""

from __future__ import annotations

from dataclasses import dataclass

from ninetoothed.language import rules

SECTIONS = ("Shapes", "Element types", "Raises", "Example")
"""The headings of sections, in their order."""

TYPES = "TypeMismatchError: "
SHAPES = "ShapeError: "
ARGUMENTS = "ArgumentError: "
NO_BROADCAST = f"{SHAPES}the blocks do not broadcast."
NO_TYPES = f"{TYPES}the element types do not fit."
NO_AXIS = f"{SHAPES}there is no such axis."


@dataclass(frozen=True)
class Kind:
    """An op of rows, with the sections that they share: ``dtypes`` where they have no type rule. An
    ``example`` is over the row's ``{name}``; without one it is made of the row's parameters.
    """

    op: str
    shapes: str
    raises: tuple[str, ...] = ()
    dtypes: str = ""
    example: str = ""


LANES = "Blocks are broadcast to one shape, which the result has; scalars fit any."

_ON_INTEGERS = (rules.bitwise, rules.shift, rules.multiply_high, rules.integer_division)
_OPERANDS = {
    "input": "x",
    "other": "y",
    "a": "x",
    "b": "y",
    "condition": "x > 0",
    "axis": "0",
    "dim": "0",
    "shape": "(16,)",
    "dtype": "ntl.float32",
    "value": "1",
    "pointer": "p",
    "val": "x",
    "min": "0",
    "max": "1",
}
"""Operands of examples by parameter: ``x``, ``y`` and ``z`` are blocks of 16 fp32, ``i``
and ``j`` of i32, ``u`` of u32, ``a`` and ``b`` matrices of 32 by 32 fp16, ``p`` and ``q`` 16
pointers to fp32 and to i32, and ``n`` is an i32.
"""


def example_operands(parameters: tuple[str, ...], rule: object) -> list[str]:
    """The operands of an example, for the required parameters."""
    needed = [parameter for parameter in parameters if "=" not in parameter]
    integers = {"x": "i", "y": "j", "input": "i"} if rule in _ON_INTEGERS else {}
    letters = {**_OPERANDS, **integers}
    return [letters.get(parameter.lstrip("*"), parameter) for parameter in needed]
