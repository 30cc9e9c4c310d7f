"""Ops by which a program may wait for another one, though they write nothing that is known: volatile
loads, and assembly that is not pure. What was read before one may be read anew behind it.
"""

from __future__ import annotations

from xdsl.ir import Operation
from xdsl.traits import is_side_effect_free

from ninetoothed.ir import nt


def waiting_op(op: Operation) -> Operation | None:
    """``op``, or the first one in it, by which a program may wait; None: there is none."""
    return next((inner for inner in op.walk() if may_wait(inner)), None)


def may_wait(op: Operation) -> bool:
    """True if by ``op`` itself a program may wait."""
    if isinstance(op, nt.PointerLoadOp):
        return op.volatile is not None
    return isinstance(op, nt.InlineAsmOp) and not is_side_effect_free(op)
