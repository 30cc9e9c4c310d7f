"""Spellings in Triton-Python of all ops but control flow.

A spelling takes the texts of the operands and gives the op's. It must mean what the op means in
TTIR: Triton's rules (promotion, signs, how NaNs compare) are written down here and nowhere else.
"""

from __future__ import annotations

from xdsl.ir import Operation

from ninetoothed.backend.triton.expression import Expr
from ninetoothed.backend.triton.spelling import (
    arithmetic,
    debug,
    extern,
    memory,
    reductions,
    shapes,
)
from ninetoothed.backend.triton.spelling.operands import SPELLINGS, Operands

__all__ = ["SPELLINGS", "arithmetic", "extern", "memory", "reductions", "shapes", "spell"]


def spell(operands: Operands, op: Operation) -> Expr:
    """The text of ``op``.

    Raises:
        CompilerError: the op has no spelling.
    """
    return debug.hinted(op, SPELLINGS[type(op)](operands, op))
