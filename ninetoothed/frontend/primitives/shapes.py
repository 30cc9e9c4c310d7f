"""Shape manipulation: reshape, permute, broadcast, join, split, flip and gather."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from ninetoothed.errors import ShapeError, TypeMismatchError, counted
from ninetoothed.frontend import operators
from ninetoothed.frontend.context import Context
from ninetoothed.frontend.data_movement import permuted, picked, remaining, reshaped, transposed
from ninetoothed.frontend.primitives.constexprs import axis_of, shape_of
from ninetoothed.frontend.primitives.handlers import HANDLERS, Bound
from ninetoothed.frontend.values import Value, describe, is_sequence
from ninetoothed.ir import nt
from ninetoothed.language.table import Primitive
from ninetoothed.layout.meta_op import shape_text
from ninetoothed.symbolic.expr import const
from ninetoothed.symbolic.normal_form import normalize


def _block(ctx: Context, row: Primitive, value: Value) -> SSAValue:
    """A block of numbers or of pointers, or a scalar."""
    return ctx.computed(value, f"ntl.{row.name}: the input")


def _several(values: Sequence[Value]) -> Sequence[Value]:
    """Values that are given one by one or as one tuple."""
    return values[0] if len(values) == 1 and is_sequence(values[0]) else values


@HANDLERS.register("reshape")
def _reshape(ctx: Context, row: Primitive, bound: Bound) -> Value:
    block = _block(ctx, row, bound["input"])
    given = _several(bound["shape"])
    left_out = [type(size) is int and size == -1 for size in given]
    pairs = zip(given, left_out, strict=True)
    known = shape_of([1 if out else size for size, out in pairs], row.name)
    what = f"ntl.{row.name}"
    sizes = [None if out else size for size, out in zip(known, left_out, strict=True)]
    return reshaped(ctx, block, remaining(nt.shape_of(block.type), sizes, what), what)


@HANDLERS.register("permute")
def _permute(ctx: Context, row: Primitive, bound: Bound) -> Value:
    block = _block(ctx, row, bound["input"])
    dims = _several(bound["dims"])
    if not dims and row.name == "trans":
        return transposed(ctx, block)
    rank = len(nt.shape_of(block.type))
    if len(dims) != rank:
        raise ShapeError(
            f"ntl.{row.name}: {counted(len(dims), 'dim')} for {describe(block)}; name each of its "
            f"{counted(rank, 'dim')} once"
        )
    order = [axis_of(dim, rank, row.name) for dim in dims]
    for dim in order:
        if order.count(dim) > 1:
            raise ShapeError(f"ntl.{row.name}: dim {dim} is named twice; name each dim once")
    return permuted(ctx, block, order)


@HANDLERS.register("expand_dims")
def _expand_dims(ctx: Context, row: Primitive, bound: Bound) -> Value:
    block = _block(ctx, row, bound["input"])
    given = bound["axis"] if is_sequence(bound["axis"]) else (bound["axis"],)
    rank = len(nt.shape_of(block.type)) + len(given)
    axes = sorted(axis_of(axis, rank, row.name) for axis in given)
    for axis in axes:
        if axes.count(axis) > 1:
            raise ShapeError(f"ntl.{row.name}: axis {axis} is named twice; name each axis once")
        block = ctx.add(nt.ExpandDimsOp(block, axis))
    return block


@HANDLERS.register("unsqueeze")
def _unsqueeze(ctx: Context, row: Primitive, bound: Bound) -> Value:
    block = _block(ctx, row, bound["x"])
    rank = len(nt.shape_of(block.type)) + 1
    return ctx.add(nt.ExpandDimsOp(block, axis_of(bound["dim"], rank, row.name)))


@HANDLERS.register("squeeze")
def _squeeze(ctx: Context, row: Primitive, bound: Bound) -> Value:
    block = _block(ctx, row, bound["x"])
    sizes = list(nt.shape_of(block.type))
    axis = axis_of(bound["dim"], len(sizes), row.name)
    if sizes[axis].value not in (None, 1):
        raise ShapeError(
            f"ntl.squeeze: dim {axis} of {describe(block)} has size {sizes[axis]}, and only one of "
            "size 1 is removed; reduce it, as in ntl.sum(x, dim)"
        )
    ones = [const(1) if dim == axis else size for dim, size in enumerate(sizes)]
    block = operators.assumed(ctx, block, tuple(ones))
    del sizes[axis]
    return reshaped(ctx, block, tuple(sizes), "ntl.squeeze")


@HANDLERS.register("broadcast_to")
def _broadcast_to(ctx: Context, row: Primitive, bound: Bound) -> Value:
    block = _block(ctx, row, bound["input"])
    return operators.broadcast_to(ctx, block, shape_of(_several(bound["shape"]), row.name))


@HANDLERS.register("broadcast")
def _broadcast(ctx: Context, row: Primitive, bound: Bound) -> Value:
    blocks = [_block(ctx, row, bound[name]) for name in ("input", "other")]
    return tuple(operators.broadcast(ctx, blocks)[0])


def _pair(ctx: Context, row: Primitive, *values: Value) -> tuple[SSAValue, SSAValue]:
    """Two blocks of one element type.

    Raises:
        TypeMismatchError: they have two.
    """
    left, right = (ctx.scalar(value, f"ntl.{row.name}: the input") for value in values)
    if nt.scalar_of(left.type) != nt.scalar_of(right.type):
        raise TypeMismatchError(
            f"ntl.{row.name} takes two blocks of one element type, not {describe(left)} and "
            f"{describe(right)}; convert one with .to(dtype)"
        )
    return left, right


@HANDLERS.register("join")
def _join(ctx: Context, row: Primitive, bound: Bound) -> Value:
    blocks, _ = operators.broadcast(ctx, _pair(ctx, row, bound["a"], bound["b"]))
    return ctx.add(nt.JoinOp(*blocks))


@HANDLERS.register("cat")
def _cat(ctx: Context, row: Primitive, bound: Bound) -> Value:
    """Concatenate two blocks as Triton does: join them, move the new dim before ``dim``, and merge
    the two.
    """
    left, right = _pair(ctx, row, bound["input"], bound["other"])
    shape, other = nt.shape_of(left.type), nt.shape_of(right.type)
    differ = [
        one != two and one.value is not None and two.value is not None
        for one, two in zip(shape, other, strict=False)
    ]
    if len(shape) != len(other) or any(differ):
        raise ShapeError(
            f"ntl.cat takes two blocks of one shape, not {shape_text(shape)} and "
            f"{shape_text(other)}; cut or fill one before"
        )
    if not shape:
        return ctx.add(nt.JoinOp(left, right))
    dim = axis_of(bound["dim"], len(shape), row.name)
    both = ctx.add(nt.JoinOp(left, operators.assumed(ctx, right, shape)))
    order = list(range(len(shape)))
    order.insert(dim, len(shape))
    sizes = list(shape)
    sizes[dim] = normalize(sizes[dim] * 2)
    return reshaped(ctx, permuted(ctx, both, order), tuple(sizes), "ntl.cat")


@HANDLERS.register("split")
def _split(ctx: Context, row: Primitive, bound: Bound) -> Value:
    block = _block(ctx, row, bound["a"])
    shape = nt.shape_of(block.type)
    if not shape or shape[-1].value not in (None, 2):
        raise ShapeError(
            f"ntl.split takes a block whose last dim has size 2, not {describe(block)}; reshape it "
            "before, as in x.reshape(4, 8, 2)"
        )
    op = nt.SplitOp(operators.assumed(ctx, block, (*shape[:-1], const(2))))
    ctx.insert(op)
    return tuple(op.results)


@HANDLERS.register("flip")
def _flip(ctx: Context, row: Primitive, bound: Bound) -> Value:
    block = ctx.scalar(bound["x"], "the input")
    rank = len(nt.shape_of(block.type))
    if rank == 0:
        raise ShapeError(f"ntl.flip reverses a block, not {describe(block)}; leave it out")
    dim = -1 if bound["dim"] is None else bound["dim"]
    return ctx.add(nt.FlipOp(block, axis_of(dim, rank, row.name)))


@HANDLERS.register("gather")
def _gather(ctx: Context, row: Primitive, bound: Bound) -> Value:
    block = ctx.scalar(bound["src"], "ntl.gather: the input")
    indices = ctx.scalar(bound["index"], "ntl.gather: the index")
    rank = len(nt.shape_of(block.type))
    if rank == 0:
        raise ShapeError(f"ntl.gather picks lanes of a block, not {describe(block)}; leave it out")
    return picked(ctx, block, indices, axis_of(bound["axis"], rank, row.name))
