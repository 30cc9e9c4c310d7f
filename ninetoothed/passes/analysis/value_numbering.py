"""Value numbering of SSA values, and of integers as expressions."""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.traits import Pure

from ninetoothed.ir import nt
from ninetoothed.passes.analysis.scalars import known_scalar
from ninetoothed.symbolic.expr import IndexExpr, binary, sym, symbol_names
from ninetoothed.symbolic.normal_form import normalize

_I32, _I64 = IntegerType(32), IntegerType(64)
_WIDENING = ((_I32, _I32), (_I32, _I64), (_I64, _I64))
# Nothing could be proved of indices with more.
_MOST_SYMBOLS = 8


class ValueNumbering:
    """Value numbering. Values of one number are equal wherever both are defined: they are one, or
    the same pure op computes them from such values.
    """

    def __init__(self) -> None:
        self._numbers: dict[SSAValue, int] = {}
        self._known: dict[object, int] = {}
        self._values: list[SSAValue] = []
        self._expressions: list[IndexExpr | None] = []

    def of(self, value: SSAValue) -> int:
        """The number of ``value``."""
        pending = [value]
        while pending:
            last = pending[-1]
            operands = () if last in self._numbers else _operands(last)
            missing = [operand for operand in operands if operand not in self._numbers]
            pending += missing
            if not missing:
                pending.pop()
                if last not in self._numbers:
                    self._numbers[last] = self._number(last)
        return self._numbers[value]

    def expression(self, value: SSAValue) -> IndexExpr:
        """A scalar integer as an expression over sizes and symbols of values, in normal form."""
        found = self._expressions[self.of(value)]
        assert found is not None
        return found

    def value_of(self, name: str) -> SSAValue | None:
        """The value of a symbol of an expression; None: it is a size."""
        return self._values[int(name[2:])] if name.startswith("$v") else None

    def _number(self, value: SSAValue) -> int:
        owner = value.owner
        if not isinstance(owner, Operation) or not _computes(owner):
            return self._new(value)
        operands = tuple(self._numbers[operand] for operand in owner.operands)
        properties = tuple(sorted(owner.properties.items()))
        position = cast("OpResult", value).index
        key = (owner.name, operands, properties, value.type, position)
        if key not in self._known:
            self._known[key] = self._new(value)
        return self._known[key]

    def _new(self, value: SSAValue) -> int:
        number = len(self._values)
        self._values.append(value)
        expr: IndexExpr | None = None
        if isinstance(value.type, IntegerType | IndexType):
            expr = normalize(self._expression(value, sym(f"$v{number}")))
            if len(symbol_names(expr)) > _MOST_SYMBOLS:
                expr = sym(f"$v{number}")
        self._expressions.append(expr)
        return number

    def _expression(self, value: SSAValue, itself: IndexExpr) -> IndexExpr:
        known = known_scalar(value)
        if known is not None:
            return known
        owner = value.owner
        if isinstance(owner, nt.CastOp):
            widens = (owner.value.type, owner.result.type) in _WIDENING
            before = self.expression(owner.value) if widens else itself
            # A sum may have overflowed in the narrower type.
            return before if before.op in ("const", "sym") else itself
        if isinstance(owner, nt.ElementwiseOp) and owner.function.data in ("add", "sub", "mul"):
            left, right = (self.expression(argument) for argument in owner.arguments)
            # Products of sums would grow beyond bounds.
            if owner.function.data != "mul" or left.value is not None or right.value is not None:
                return binary(owner.function.data, left, right)
        return itself


def _computes(op: Operation) -> bool:
    return op.has_trait(Pure) and not op.regions


def _operands(value: SSAValue) -> tuple[SSAValue, ...]:
    """The operands that a value is computed from."""
    owner = value.owner
    return tuple(owner.operands) if isinstance(owner, Operation) and _computes(owner) else ()
