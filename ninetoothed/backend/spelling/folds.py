"""``tt.histogram``. Reductions and scans are the writer's, which knows functions that combine."""

from __future__ import annotations

from ninetoothed.backend.expression import POSTFIX, Expr, exact
from ninetoothed.backend.spelling.operands import Operands, Spelling, scalar_of
from ninetoothed.ir import tt


def _histogram(operands: Operands, op: tt.HistogramOp) -> Expr:
    size = tt.shape_of(op.src.type)
    shape = tt.shape_of(op.result.type)
    arguments = [exact(operands.expr(op.src), size).text, str(shape[0])]
    if op.mask is not None:
        arguments.append(f"mask={exact(operands.expr(op.mask), size).text}")
    return Expr(f"tl.histogram({', '.join(arguments)})", POSTFIX, shape, scalar_of(op))


SPELLINGS: dict[str, Spelling] = {"tt.histogram": _histogram}
