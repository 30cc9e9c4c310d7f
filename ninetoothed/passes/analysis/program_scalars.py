"""Scalars of a program: integers that it computes of its own indices and of sizes, as where the
blocks begin and how many a causal loop reads.
"""

from __future__ import annotations

from xdsl.ir import BlockArgument, SSAValue

from ninetoothed.ir import nt
from ninetoothed.layout.access import index_names
from ninetoothed.passes.analysis.loop_indices import OfOthers, Values, index_expression
from ninetoothed.symbolic.expr import IndexExpr, binary, substitute, symbol_names
from ninetoothed.symbolic.intervals import Range
from ninetoothed.symbolic.normal_form import always_less, always_nonnegative, normalize

_EXTREMES = {"minimum": "min", "maximum": "max"}


def program_scalars(kernel: nt.KernelOp) -> OfOthers:
    """Coordinates of a tile's first lane, extremes and quotients, of a kernel in stage
    ``composed``, over the names of its program indices.
    """
    accesses = [nt.access_of(one, kernel.assumptions)[1].data for one in kernel.arranged.values]

    def found(value: SSAValue, values: Values) -> IndexExpr | None:
        owner = value.owner
        if isinstance(owner, nt.OffsetsOp):
            return coordinate(owner, values)
        if not isinstance(owner, nt.ElementwiseOp) or len(owner.arguments) != 2:
            return None
        left, right = (index_expression(one, values, found) for one in owner.arguments)
        if left is None or right is None:
            return None
        function = owner.function.data
        if function in _EXTREMES:
            return normalize(binary(_EXTREMES[function], left, right))
        # An application's quotient is rounded towards zero.
        ranges = dict.fromkeys(symbol_names(left, right), Range.of(0))
        ranges.update(kernel.assumptions)
        rounds_alike = always_nonnegative(left, ranges) and always_less(0, right, ranges)
        if function == "floordiv" and rounds_alike:
            return normalize(binary(function, left, right))
        return None

    def coordinate(op: nt.OffsetsOp, values: Values) -> IndexExpr | None:
        if op.dims or op.source_dim is None or not isinstance(op.ref, BlockArgument):
            return None
        access = accesses[op.ref.index]
        rows = index_names(access.levels)
        put: dict[str, IndexExpr | int] = dict.fromkeys(rows[-1] if len(rows) > 1 else (), 0)
        between = [name for row in rows[1:-1] for name in row]
        for name, index in zip(between, op.indices, strict=True):
            step = index_expression(index, values, found)
            if step is None:
                return None
            put[name] = step
        return normalize(substitute(access.indices[op.source_dim], put))

    return found
