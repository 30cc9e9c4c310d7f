"""Numbering of programs: by which rule a parameter's outermost elements are given to them.

There is one program an element of the first tensor's outermost level. Every other tensor follows
the strictest rule that a class of calls (``Signature.agreement``) may ask for and that is not
disproved for all sizes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ninetoothed.artifacts.signature import Agreement
from ninetoothed.layout.meta_op import MetaOp, Requirement, Sizes, elements
from ninetoothed.layout.meta_ops import Renumber, Unsqueeze
from ninetoothed.symbolic.expr import IndexExpr, product
from ninetoothed.symbolic.intervals import Assumptions
from ninetoothed.symbolic.normal_form import equal, normalize

Use = Literal["none", "offsets", "read", "write", "update"]
"""What an application does with the elements of a parameter's outermost level: nothing, it asks
where they lie, it reads them, it writes them, or both."""


@dataclass(frozen=True)
class Numbering:
    """How the elements of an outermost level are given to programs.

    ``rule``: None where nothing depends on it. ``own`` and ``programs`` are the numbers of elements
    and of programs; ``proved`` is the relation of the first to the second that holds for all sizes:
    ``"="``, ``"<"``, ``"<="``, ``">"``, ``">="``, or ``""`` where none is known.
    """

    rule: Agreement | None
    use: Use
    own: IndexExpr
    programs: IndexExpr
    proved: str = ""

    @property
    def is_written(self) -> bool:
        """True if elements are written."""
        return self.use in ("write", "update")

    @property
    def surplus(self) -> bool:
        """True if there may be programs without an element."""
        return self.rule == "any" and self.proved not in (">", ">=")

    @property
    def unreached(self) -> bool:
        """True if there may be elements without a program."""
        return self.rule == "any" and self.proved not in ("<", "<=")


def number_of(sizes: Sizes, assumptions: Assumptions) -> IndexExpr:
    """The number of elements of a level."""
    return normalize(product(tuple(elements(size, assumptions) for size in sizes)))


def same_shape(one: Sizes, two: Sizes) -> bool:
    """True if two shapes are proved equal."""
    return len(one) == len(two) and all(map(equal, one, two))


def other_shape(one: Sizes, two: Sizes, assumptions: Assumptions) -> bool:
    """True if two shapes are proved to differ for all sizes."""
    return len(one) != len(two) or any(
        Requirement(b, "=", a).decide(assumptions) is False for a, b in zip(one, two, strict=True)
    )


def numbering(
    grid: Sizes, own: Sizes, use: Use, agreement: Agreement, assumptions: Assumptions
) -> Numbering:
    """The numbering of an outermost level of shape ``own`` by the programs of shape ``grid``, in a
    class of calls of the rule ``agreement``.
    """
    programs, count = number_of(grid, assumptions), number_of(own, assumptions)
    if use == "none":
        return Numbering(None, use, count, programs)
    if same_shape(grid, own):
        return Numbering("shapes", use, count, programs, "=")
    if agreement == "shapes" and not other_shape(grid, own, assumptions):
        return Numbering("shapes", use, count, programs)
    if equal(count, programs):
        return Numbering("counts", use, count, programs, "=")
    differ = Requirement(count, "=", programs).decide(assumptions) is False
    if use != "offsets" and agreement != "any" and not differ:
        return Numbering("counts", use, count, programs)
    relations = (("<", count + 1, programs), ("<=", count, programs))
    relations += ((">", programs + 1, count), (">=", programs, count))
    for proved, small, large in relations:
        if Requirement(small, "<=", large).decide(assumptions):
            return Numbering("any", use, count, programs, proved)
    return Numbering("any", use, count, programs)


def renumbering(known: Numbering, grid: Sizes, own: Sizes) -> tuple[MetaOp, ...]:
    """The operations that give the programs of shape ``grid`` the elements of an outermost level of
    shape ``own``.
    """
    if known.rule == "counts":
        return (Renumber(0, grid, "equal"),)
    if known.rule == "any":
        renumber = Renumber(0, grid, "fewer" if known.is_written else "any")
        # The index of a dim tells whether there is an element.
        return (renumber,) if own else (Unsqueeze(0, 0), renumber)
    return ()
