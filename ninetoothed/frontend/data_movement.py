"""Data movement between lanes: reshape, transpose and gather."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from ninetoothed.errors import ShapeError, TypeMismatchError, counted
from ninetoothed.frontend import operators
from ninetoothed.frontend.context import Context
from ninetoothed.frontend.values import describe
from ninetoothed.ir import nt
from ninetoothed.layout.meta_op import Sizes, shape_text
from ninetoothed.layout.row_major import runs
from ninetoothed.symbolic.expr import IndexExpr, binary, const, product, symbol_names
from ninetoothed.symbolic.normal_form import always_less, equal, normalize


def permuted(ctx: Context, block: SSAValue, dims: Sequence[int]) -> SSAValue:
    """Permute dims: dim ``i`` of the result is dim ``dims[i]``."""
    if list(dims) == list(range(len(dims))):
        return block
    return ctx.add(nt.TransOp(block, dims))


def transposed(ctx: Context, block: SSAValue) -> SSAValue:
    """Swap the last two dims.

    Raises:
        ShapeError: there are fewer than two.
    """
    rank = len(nt.shape_of(block.type))
    if rank < 2:
        raise ShapeError(
            f"{describe(block)} has no two dims to swap; give it another, as in "
            "ntl.expand_dims(x, 0)"
        )
    return permuted(ctx, block, (*range(rank - 2), rank - 1, rank - 2))


def remaining(old: Sizes, sizes: Sequence[IndexExpr | None], what: str) -> Sizes:
    """A shape of as many lanes as ``old``; the one size that is None is inferred.

    Raises:
        ShapeError: several are None, or the size is not known.
    """
    given = tuple(size for size in sizes if size is not None)
    if len(given) == len(sizes):
        return given
    if len(sizes) - len(given) > 1:
        raise ShapeError(f"{what}: one size may be -1, not {len(sizes) - len(given)}; give them")
    lanes, rest = product(old), product(given)
    zero = rest.value == 0
    size = None if zero else normalize(binary("floordiv", lanes, rest))
    if size is None or not equal(size * rest, lanes):
        known = lanes.value is not None and rest.value is not None
        why = f"is no multiple of {rest}" if known and not zero else f"over {rest} is not known"
        raise ShapeError(
            f"{what}: a block of shape {shape_text(old)} has {normalize(lanes)} lanes, "
            f"which {why}; give the size that is -1"
        )
    return tuple(size if one is None else one for one in sizes)


def reshaped(ctx: Context, block: SSAValue, new: Sizes, what: str) -> SSAValue:
    """Reshape in row-major order. Shapes that are not known to have equally many lanes become a
    check of the call.

    Raises:
        ShapeError: the numbers of lanes differ, or a size that programs have each their own moves.
    """
    old = nt.shape_of(block.type)
    if old == new:
        return block
    if not old:
        return _filled(ctx, block, new, what)
    left, right = normalize(product(old)), normalize(product(new))
    if not equal(left, right):
        if _differ(ctx, left, right):
            raise ShapeError(
                f"{what}: a block of shape {shape_text(old)} cannot become {shape_text(new)}: it "
                f"has {left} lanes, not {right}; give sizes with that product"
            )
        _check_own(ctx, (left,), (right, const(1)), what)
        if len(old) > 1:
            block = ctx.add(nt.ReshapeOp(block, (left,)))
        block = operators.assumed(ctx, block, (right,))
        old = (right,)
        if old == new:
            return block
    for part in runs(old, new) or ():
        _check_own(ctx, *part, what)
    return ctx.add(nt.ReshapeOp(block, new))


def index_number(ctx: Context, index: SSAValue) -> SSAValue:
    """An index; a block of one lane as the number in it."""
    sizes = nt.shape_of(index.type)
    one = bool(sizes) and all(size.value == 1 for size in sizes)
    return ctx.add(nt.ReshapeOp(index, ())) if one else index


def _filled(ctx: Context, scalar: SSAValue, new: Sizes, what: str) -> SSAValue:
    if any(size.value != 1 for size in new):
        raise ShapeError(
            f"{what}: a scalar is one lane and cannot become a block of shape {shape_text(new)}; "
            "write ntl.broadcast_to(x, shape)"
        )
    return ctx.full(scalar, new)


def _differ(ctx: Context, left: IndexExpr, right: IndexExpr) -> bool:
    """True if two numbers of lanes are proved to differ."""
    known = normalize(left - right).value
    if known is not None:
        return known != 0
    pairs = ((left, right), (right, left))
    return any(always_less(one, two, ctx.assumptions) for one, two in pairs)


def _check_own(ctx: Context, old: Sizes, new: Sizes, what: str) -> None:
    """Check that a reshape keeps dims of a program's own size in place.

    Raises:
        ShapeError: a lane's place in row-major order depends on one.
    """
    for size in (*old[1:], *new[1:]):
        if not ctx.lengths.isdisjoint(symbol_names(size)):
            raise ShapeError(
                f"{what}: shapes {shape_text(old)} and {shape_text(new)}: each program has its own "
                f"{size}, so the lanes behind it have no fixed places; keep that dim as it is, or "
                "move it to the front"
            )


def picked(ctx: Context, block: SSAValue, indices: SSAValue, axis: int) -> SSAValue:
    """Gather lanes along ``axis`` at ``indices``, whose other dims are the block's.

    Raises:
        TypeMismatchError: the indices are no integers.
        ShapeError: the shapes do not fit.
    """
    old, shape = nt.shape_of(block.type), nt.shape_of(indices.type)
    if not operators.is_integer(indices):
        raise TypeMismatchError(
            f"ntl.gather: the index holds integers, not {describe(indices)}; convert it with "
            ".to(ntl.int32)"
        )
    if len(old) != len(shape):
        raise ShapeError(
            f"ntl.gather: an index of shape {shape_text(shape)} has {counted(len(shape), 'dim')}, "
            f"and the block of shape {shape_text(old)} has {len(old)}; give the index as many"
        )
    wanted = (*old[:axis], shape[axis], *old[axis + 1 :])
    for one, two in zip(wanted, shape, strict=True):
        if one != two and one.value is not None and two.value is not None:
            raise ShapeError(
                f"ntl.gather: along axis {axis} an index of shape {shape_text(shape)} does not fit "
                f"a block of shape {shape_text(old)}: {two} is not {one}; give it the block's "
                "other dims"
            )
    return ctx.add(nt.GatherOp(block, operators.assumed(ctx, indices, wanted), axis))
