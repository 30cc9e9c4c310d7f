"""Hints that keep Triton from taking division that rounds to zero for floor division.

Triton takes ``arith.divsi`` of consecutive numbers for constant in groups, and ``arith.remsi`` for
consecutive in groups, where the dividends of a group start at a multiple of the divisor. Below 0 that
is false: of -64 to -1, divided by 64, the first is -1 and the others are 0. It would compute one lane
of a group for all, and move groups at once. A hint of 1 replaces what Triton found, and nothing
that is computed changes.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from ninetoothed.ir import nt, tt
from ninetoothed.ir.rewriting import Inserter
from ninetoothed.passes.analysis.dividends import Dividends
from ninetoothed.passes.analysis.index_values import IndexValues
from ninetoothed.passes.lowering.types import numbers

_OF_QUOTIENTS = ("constancy",)
# The divisor was that of the first of a group: of groups of one, it would be that of each lane.
_OF_REMAINDERS = ("contiguity", "divisibility")
_BY_OP: dict[type[Operation], Sequence[str]] = {
    arith.DivSIOp: _OF_QUOTIENTS,
    arith.RemSIOp: _OF_REMAINDERS,
}
_BY_FUNCTION = {"floordiv": _OF_QUOTIENTS, "mod": _OF_REMAINDERS}


def hint_rounding(value: SSAValue) -> None:
    """Hint that a lowered quotient or remainder, whose dividend may be negative, rounds to zero."""
    op, shape = value.owner, tt.shape_of(value.type)
    if not isinstance(op, Operation) or not shape:
        return
    for name in _BY_OP.get(type(op), ()):
        op.attributes[f"tt.{name}"] = tt.hint_of([1] * len(shape))


def hint_divisions(kernel: nt.KernelOp, values: IndexValues) -> None:
    """Hint that the application's quotients and remainders round to zero, where Triton may mistake
    them; stage ``scheduled``.
    """
    dividends = Dividends(values)
    for op in list(kernel.apply.walk()):
        if isinstance(op, nt.ElementwiseOp) and dividends.is_mistaken(op):
            _hint(op)


def _hint(op: nt.ElementwiseOp) -> None:
    ones = [1] * len(numbers(op.result.type))
    here, hinted = Inserter.behind(op), op.result
    hints: list[Operation] = []
    for name in _BY_FUNCTION[op.function.data]:
        hints.append(nt.HintOp(name, ones, hinted))
        hinted = here.insert(hints[-1]).results[0]
    op.result.replace_uses_with_if(hinted, lambda use: use.operation not in hints)
