"""Combine functions of reductions and scans, as regions over scalars.

Triton takes straight-line code there: branches become selects, and there are no loops.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, scf
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.traits import IsTerminator, Pure

from ninetoothed.dtype import DTYPES
from ninetoothed.errors import ShapeError, TypeMismatchError, UnsupportedSyntaxError
from ninetoothed.frontend.context import Context
from ninetoothed.frontend.values import Value, describe, is_sequence
from ninetoothed.frontend.walk import call
from ninetoothed.ir import nt
from ninetoothed.ir.diagnostics import fail
from ninetoothed.ir.rewriting import Inserter, replace


def combination(ctx: Context, name: str, function: Value, blocks: Sequence[SSAValue]) -> Region:
    """The region of a combine function, over two scalars of each block; ``name`` is the
    primitive's.

    Raises:
        TypeMismatchError: it does not return one scalar of each block's type.
        ShapeError, UnsupportedSyntaxError: it does more than compute with its arguments.
    """
    scalars = [nt.scalar_of(block.type) for block in blocks]
    for scalar in scalars:
        check_scalar(name, nt.dtype_of(scalar))
    block = Block(arg_types=scalars * 2)
    what = describe(function)
    with ctx.inside(block):
        returned = call(ctx, function, list(block.args), {})
        items = returned if is_sequence(returned) else (returned,)
        given = [ctx.scalar(item, f"what {what} returns") for item in items]
        ctx.insert(nt.YieldOp(given))
    for op in block.walk():
        _check(op, block, f"ntl.{name}: {what}")
    if [value.type for value in given] != scalars:
        wanted = " and ".join(nt.dtype_of(scalar) for scalar in scalars)
        several = f"{len(scalars)} scalars, of" if len(scalars) > 1 else "a scalar of"
        found = " and ".join(map(describe, given))
        raise TypeMismatchError(
            f"ntl.{name}: {what} must return {several} {wanted}, as it takes, not {found}; convert "
            "with ntl.cast"
        )
    _straighten(block)
    return Region(block)


def check_scalar(name: str, dtype: str) -> None:
    """Check that Triton has scalars of the element type.

    Raises:
        TypeMismatchError: floats of eight bits.
    """
    if DTYPES[dtype].kind == "float" and DTYPES[dtype].bits == 8:
        raise TypeMismatchError(
            f"ntl.{name} does not combine {dtype}, since Triton computes with blocks of it only; "
            "convert it first: ntl.cast(x, ntl.float32)"
        )


def _check(op: Operation, block: Block, what: str) -> None:
    """Check that an op of a combine function only computes with its arguments."""
    if isinstance(op, scf.ForOp | scf.WhileOp):
        raise fail(
            op,
            f"{what} combines scalars without loops; write `for i in ntl.static_range(n)`",
            UnsupportedSyntaxError,
        )
    if not (op.regions or op.has_trait(Pure) or op.has_trait(IsTerminator)):
        raise fail(
            op,
            f"{what} combines scalars, and may not read, write or print; do so outside",
            UnsupportedSyntaxError,
        )
    if any(nt.shape_of(result.type) for result in op.results):
        found = describe(op.results[0])
        raise fail(
            op, f"{what} combines scalars, and makes {found}; compute it outside", ShapeError
        )
    # An op without operands that is no constant reads state of the program.
    computes = op.operands or op.regions or isinstance(op, arith.ConstantOp | nt.ConstantOp)
    reads = bool(op.results) and not computes
    if reads or any(not block.is_ancestor(value.owner) for value in op.operands):
        raise fail(
            op,
            f"{what} combines scalars, and uses a value from outside that is known at run time "
            "only; give it as a block of the input",
            UnsupportedSyntaxError,
        )


def _straighten(block: Block) -> None:
    """If-conversion: both sides of each branch are computed, and one is selected."""
    for op in list(block.ops):
        if not isinstance(op, scf.IfOp):
            continue
        sides: list[Sequence[SSAValue]] = []
        for inner in (region.block for region in op.regions if region.blocks):
            _straighten(inner)
            end = inner.last_op
            assert end is not None
            sides.append(end.operands)
            for moved in list(inner.ops)[:-1]:
                moved.detach()
                block.insert_op_before(moved, op)
        inserter = Inserter.before(op)
        chosen = [
            inserter.add(nt.ElementwiseOp("where", [op.cond, left, right], left.type))
            for left, right in zip(*sides, strict=True)
        ]
        replace(op, chosen)
