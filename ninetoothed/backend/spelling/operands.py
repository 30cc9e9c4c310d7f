"""What a spelling is given, and what it gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from xdsl.ir import Attribute, Operation, SSAValue

from ninetoothed.backend.expression import (
    Expr,
)
from ninetoothed.ir import tt


class Operands(Protocol):
    """Where a spelling gets its operands from."""

    def expr(self, value: SSAValue) -> Expr:
        """The text of ``value``; it may stand once in the result."""
        ...

    def atom(self, value: SSAValue) -> Expr:
        """A name or a number that is ``value``; it may stand anywhere."""
        ...


Spelling = Callable[[Operands, Any], Expr]


def scalar_of(op: Operation) -> Attribute:
    """The element type of the op's first result."""
    return tt.scalar_of(op.results[0].type)
