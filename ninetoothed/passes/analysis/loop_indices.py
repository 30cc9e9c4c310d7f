"""Indices of an application's accesses, as expressions over sizes and loop variables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

from ninetoothed.ir import nt
from ninetoothed.passes.analysis.loop_nests import enclosing
from ninetoothed.passes.analysis.scalars import known_scalar
from ninetoothed.symbolic.expr import IndexExpr, binary, sym
from ninetoothed.symbolic.normal_form import normalize

_ARITHMETIC = ("add", "sub", "mul")

Values = Mapping[SSAValue, IndexExpr]
"""Induction variables as expressions."""
OfOthers = Callable[[SSAValue, Values], IndexExpr | None]
"""What integers that are no sums and products of sizes and loop variables are, if they are known."""


def _unknown(value: SSAValue, values: Values) -> IndexExpr | None:
    return None


@dataclass(frozen=True)
class Nest:
    """The loops around an op.

    ``counts``: the trip count of each, outermost first, by the name of its variable, which counts
    from 0 in steps of 1; ``values``: the induction variables as expressions over these names.
    ``conditional``: also around it is a branch, or a loop whose trip count is known at run time
    only.
    """

    counts: Mapping[str, IndexExpr]
    values: Values
    conditional: bool


def nest_of(op: Operation, of_others: OfOthers = _unknown) -> Nest:
    """The loops around an op."""
    counts: dict[str, IndexExpr] = {}
    values: dict[SSAValue, IndexExpr] = {}
    conditional = False
    for depth, parent in enumerate(reversed(list(enclosing(op)))):
        if not isinstance(parent, scf.ForOp):
            conditional = True
            continue
        # $l0 is the outermost loop's variable; no user's symbol has such a name.
        low, high, step = (
            index_expression(end, values, of_others) for end in (parent.lb, parent.ub, parent.step)
        )
        variable = sym(f"$l{depth}")
        if low is None or high is None or step is None or step.value is None or step.value < 1:
            conditional = True
            continue
        counts[variable.args[0]] = normalize(binary("ceildiv", high - low, step))
        values[parent.body.block.args[0]] = normalize(low + variable * step)
    return Nest(counts, values, conditional)


def index_expression(
    value: SSAValue, values: Values, of_others: OfOthers = _unknown
) -> IndexExpr | None:
    """An integer as an expression over sizes and loop variables, and over what ``of_others`` has,
    if it is one.
    """
    if value in values:
        return values[value]
    known = known_scalar(value)
    if known is not None:
        return known
    owner = value.owner
    if isinstance(owner, nt.CastOp):
        # Fewer bits may change an index.
        wide = nt.dtype_of(owner.result.type) in ("i32", "i64")
        return index_expression(owner.value, values, of_others) if wide else None
    if isinstance(owner, nt.ElementwiseOp) and owner.function.data in _ARITHMETIC:
        left, right = (index_expression(one, values, of_others) for one in owner.arguments)
        if left is not None and right is not None:
            return normalize(binary(owner.function.data, left, right))
    return of_others(value, values)
