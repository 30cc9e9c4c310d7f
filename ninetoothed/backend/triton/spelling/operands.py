"""Registry of spellings, which take the op's operands and give an expression."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from xdsl.ir import Attribute, Operation, SSAValue

from ninetoothed.backend.triton.expression import BIT, POSTFIX, Expr
from ninetoothed.ir import tt
from ninetoothed.language.registry import Registry


class Operands(Protocol):
    """Operands of the op that is spelled. Each may stand once in the result."""

    def expr(self, value: SSAValue) -> Expr:
        """The text of ``value``, which Triton may have to broadcast."""
        ...

    def whole(self, value: SSAValue) -> Expr:
        """The text of ``value``, of its element type and shape."""
        ...

    def combine(self, op: tt.ReduceOp | tt.ScanOp) -> str:
        """The combine function of ``op``."""
        ...


Spelling = Callable[[Operands, Any], Expr]
SPELLINGS: Registry[type[Operation], Spelling] = Registry("Triton-Python's spellings")


def scalar_of(op: Operation) -> Attribute:
    """The element type of the op's first result."""
    return tt.scalar_of(op.results[0].type)


def call_of(op: Operation, function: str, *arguments: object) -> Expr:
    """``function(…)``, which gives all of the op's first result, or nothing where it has none."""
    text = f"{function}({', '.join(map(str, arguments))})"
    if not op.results:
        return Expr(text, POSTFIX, (), BIT)
    return Expr(text, POSTFIX, tt.shape_of(op.results[0].type), scalar_of(op))
