"""Booleans that have one known value in all lanes, and what is computed from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, i1
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from ninetoothed.ir import nt
from ninetoothed.ir.rewriting import Inserter, replace
from ninetoothed.passes.analysis.lane_moves import Spread
from ninetoothed.passes.lowering import masks


def fold(ops: Iterable[Operation], known: Mapping[SSAValue, bool]) -> None:
    """Fold what depends on known booleans, among ``ops`` in program order, and erase these."""
    _Folding(dict(known)).fold(ops)


class _Folding:
    """Folding of the booleans that have one value in all lanes, by value."""

    def __init__(self, known: dict[SSAValue, bool]) -> None:
        self._known = known

    def fold(self, ops: Iterable[Operation]) -> None:
        """Fold what depends on the known values."""
        for op in list(ops):
            if any(value in self._known for value in op.operands):
                self._visit(op)
        for value, truth in reversed(self._known.items()):
            owner = value.owner
            assert isinstance(owner, Operation)
            if any(value.uses):
                self._materialize(owner, truth)
            Rewriter.erase_op(owner)

    def _visit(self, op: Operation) -> None:
        known = [self._known.get(value) for value in op.operands]
        match op:
            case nt.ElementwiseOp() if op.function.data == "where" and known[0] is not None:
                self._replace(op, op.arguments[1 if known[0] else 2])
            case nt.ElementwiseOp() if op.function.data in ("and", "or"):
                neutral = op.function.data == "and"
                for one, other in zip(known, reversed(op.arguments), strict=True):
                    if one is neutral:
                        self._replace(op, other)
                        break
                else:
                    self._known[op.result] = not neutral
            case nt.ElementwiseOp() if op.function.data == "invert":
                self._known[op.result] = not known[0]
            case _ if isinstance(op, Spread):
                assert known[0] is not None
                self._known[op.results[0]] = known[0]
            case nt.PointerStoreOp() | nt.PointerLoadOp() if op.mask and self._known.get(op.mask):
                new = op.masked(None)
                new.location = op.location
                Rewriter.replace_op(op, new)
            case _:
                pass

    def _replace(self, op: nt.ElementwiseOp, value: SSAValue) -> None:
        if value in self._known:
            self._known[op.result] = self._known[value]
        else:
            replace(op, [value])

    def _materialize(self, op: Operation, truth: bool) -> None:
        """Put a constant in the place of the result of ``op``."""
        inserter, result = Inserter.before(op), op.results[0]
        value = inserter.add(arith.ConstantOp(IntegerAttr(truth, i1)))
        result.replace_all_uses_with(masks.everywhere(inserter, value, result.type))
