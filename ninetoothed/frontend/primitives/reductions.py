"""Reductions, scans, sorts and histograms."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import SSAValue

from ninetoothed.dtype import DTYPES
from ninetoothed.errors import ShapeError, TypeMismatchError
from ninetoothed.frontend import operators
from ninetoothed.frontend.combinations import check_scalar, combination
from ninetoothed.frontend.conditions import truth
from ninetoothed.frontend.context import Context
from ninetoothed.frontend.primitives.constexprs import axis_of, dtype_of
from ninetoothed.frontend.primitives.handlers import HANDLERS, Bound
from ninetoothed.frontend.values import Value, describe, is_sequence
from ninetoothed.frontend.walk import call
from ninetoothed.ir import nt
from ninetoothed.language import combine_functions, ravel, rules
from ninetoothed.language.table import Primitive
from ninetoothed.layout.meta_op import Sizes
from ninetoothed.symbolic.expr import IndexExpr, const, minimum
from ninetoothed.symbolic.normal_form import always_less


def _flag(ctx: Context, row: Primitive, bound: Bound, name: str) -> bool:
    """A flag that is known when compiling."""
    known = truth(ctx, bound[name])
    if known is None:
        raise TypeMismatchError(
            f"ntl.{row.name}: {name} must be known when compiling, not {describe(bound[name])}"
        )
    return known


def _block(ctx: Context, row: Primitive, value: Value) -> SSAValue:
    block = ctx.scalar(value, "the input")
    _require_dims(row, block)
    return block


def _require_dims(row: Primitive, block: SSAValue) -> None:
    if not nt.shape_of(block.type):
        raise ShapeError(
            f"ntl.{row.name} takes a block, not {describe(block)}; leave it out, or make a block "
            "of it with ntl.full"
        )


def _rank(block: SSAValue) -> int:
    return len(nt.shape_of(block.type))


def _axes(row: Primitive, axis: Value, rank: int) -> list[int]:
    """The axes to reduce: one, or with None all."""
    return list(range(rank)) if axis is None else [axis_of(axis, rank, row.name)]


def _kept(ctx: Context, row: Primitive, bound: Bound, block: SSAValue, axes: list[int]) -> SSAValue:
    """The result of a reduction, with dims of size 1 inserted for ``keep_dims``."""
    if _flag(ctx, row, bound, "keep_dims"):
        for axis in axes:
            block = ctx.add(nt.ExpandDimsOp(block, axis))
    return block


def _summed(ctx: Context, row: Primitive, bound: Bound) -> SSAValue:
    """The input, converted to the type in which a row reduces it."""
    block = _block(ctx, row, bound["input"])
    if bound.get("dtype") is not None:
        operand = dtype_of(bound["dtype"], row.name)
    else:
        assert row.rule is not None
        operand, _ = row.rule(rules.Operand(nt.dtype_of(block.type)))
    check_scalar(row.name, operand)
    return ctx.cast(block, operand)


@HANDLERS.register("reduce")
def _reduce(ctx: Context, row: Primitive, bound: Bound) -> Value:
    if "return_indices" in bound and _flag(ctx, row, bound, "return_indices"):
        left = _flag(ctx, row, bound, "return_indices_tie_break_left")
        return _furthest(ctx, row, bound, row.name, left)
    block = _summed(ctx, row, bound)
    axes = _axes(row, bound["axis"], _rank(block))
    for axis in reversed(axes):
        block = ctx.add(nt.ReduceOp(row.name, block, axis))
    return _kept(ctx, row, bound, block, axes)


_FURTHEST = {
    ("max", True): combine_functions.larger_left,
    ("max", False): combine_functions.larger,
    ("min", True): combine_functions.smaller_left,
    ("min", False): combine_functions.smaller,
}


def _furthest(ctx: Context, row: Primitive, bound: Bound, name: str, left: bool) -> Value:
    """The largest or smallest lane and its index; ``left``: the first of equal ones."""
    block = _block(ctx, row, bound["input"])
    axes = _axes(row, bound["axis"], _rank(block))
    if len(axes) > 1:
        block, axis = call(ctx, ravel, [block], {}), 0
    else:
        (axis,) = axes
    index = _positions(ctx, axis, nt.shape_of(block.type))
    found = _reduced(ctx, row, [block, index], axis, _FURTHEST[name, left])
    return tuple(_kept(ctx, row, bound, one, axes) for one in found)


def _positions(ctx: Context, dim: int, sizes: Sizes) -> SSAValue:
    """A block of these sizes that holds each lane's index along ``dim``."""
    type = nt.block_type((sizes[dim],), IntegerType(32))
    index = ctx.add(nt.ArangeOp(nt.ExprAttr(const(0)), type))
    for other in range(len(sizes)):
        if other != dim:
            index = ctx.add(nt.ExpandDimsOp(index, other))
    return operators.broadcast_to(ctx, index, sizes)


@HANDLERS.register("index")
def _index(ctx: Context, row: Primitive, bound: Bound) -> Value:
    left = _flag(ctx, row, bound, "tie_break_left")
    block = _block(ctx, row, bound["input"])
    dtype = nt.dtype_of(block.type)
    # Floats of eight bits keep their order in sixteen.
    wide = ctx.cast(block, "fp16" if dtype.startswith("fp8") else dtype)
    return _furthest(ctx, row, {**bound, "input": wide}, row.name.removeprefix("arg"), left)[1]


@HANDLERS.register("scan")
def _scan(ctx: Context, row: Primitive, bound: Bound) -> Value:
    block = _summed(ctx, row, bound)
    axis = axis_of(bound["axis"], _rank(block), row.name)
    return ctx.add(nt.ScanOp(row.name, block, axis, _flag(ctx, row, bound, "reverse")))


# Reductions and scans with a combine function of the user's.


def _inputs(ctx: Context, row: Primitive, value: Value) -> list[SSAValue]:
    """One block, or several of one shape."""
    items = value if is_sequence(value) else (value,)
    if not items:
        raise ShapeError(f"ntl.{row.name} takes a block or a tuple of blocks, not an empty tuple")
    blocks, _ = operators.broadcast(ctx, [ctx.scalar(item, "the input") for item in items])
    _require_dims(row, blocks[0])
    return blocks


def _reduced(
    ctx: Context, row: Primitive, blocks: Sequence[SSAValue], axis: int, function: Value
) -> list[SSAValue]:
    op = nt.ReduceByOp(blocks, axis, combination(ctx, row.name, function, blocks))
    ctx.insert(op)
    return list(op.results)


def _like(value: Value, results: list[SSAValue]) -> Value:
    """A tuple if a tuple was given."""
    return tuple(results) if is_sequence(value) else results[0]


@HANDLERS.register("reduce_by")
def _reduce_by(ctx: Context, row: Primitive, bound: Bound) -> Value:
    blocks = _inputs(ctx, row, bound["input"])
    axes = _axes(row, bound["axis"], _rank(blocks[0]))
    for axis in reversed(axes):
        blocks = _reduced(ctx, row, blocks, axis, bound["combine_fn"])
    return _like(bound["input"], [_kept(ctx, row, bound, block, axes) for block in blocks])


@HANDLERS.register("scan_by")
def _scan_by(ctx: Context, row: Primitive, bound: Bound) -> Value:
    blocks = _inputs(ctx, row, bound["input"])
    axis = axis_of(bound["axis"], _rank(blocks[0]), row.name)
    region = combination(ctx, row.name, bound["combine_fn"], blocks)
    op = nt.ScanByOp(blocks, axis, _flag(ctx, row, bound, "reverse"), region)
    ctx.insert(op)
    return _like(bound["input"], list(op.results))


# Sorts and histograms.


def _dim(row: Primitive, bound: Bound, rank: int) -> int:
    """The given dim, by default the last."""
    return rank - 1 if bound["dim"] is None else axis_of(bound["dim"], rank, row.name, "dim")


# The bits of infinity; of a type without one, of the largest number.
_INFINITIES = {
    "fp8e4nv": 0x7E,
    "fp8e5": 0x7C,
    "fp16": 0x7C00,
    "bf16": 0x7F80,
    "fp32": 0x7F800000,
    "fp64": 0x7FF0000000000000,
}


def _sorted(
    ctx: Context, block: SSAValue, dim: int, falls: bool, first: IndexExpr | None = None
) -> SSAValue:
    """Sort lanes along ``dim``, and keep the ``first``: floats and bits by integer keys of the same
    order.
    """
    dtype = nt.dtype_of(block.type)
    if dtype == "i1":
        return ctx.cast(ctx.add(nt.SortOp(ctx.cast(block, "u8"), dim, falls, first)), dtype)
    if DTYPES[dtype].kind != "float":
        return ctx.add(nt.SortOp(block, dim, falls, first))
    width = DTYPES[dtype].bits
    parts = [width - 1, (1 << (width - 1)) - 1]
    bits = ctx.add(nt.BitcastOp(block, IntegerType(width)))
    keys = call(ctx, combine_functions.keys_of, [bits, *parts, _INFINITIES[dtype]], {})
    keys = ctx.add(nt.SortOp(keys, dim, falls, first))
    bits = call(ctx, combine_functions.flip_negative, [keys, *parts], {})
    return ctx.add(nt.BitcastOp(bits, nt.scalar_type(dtype)))


@HANDLERS.register("sort")
def _sort(ctx: Context, row: Primitive, bound: Bound) -> Value:
    block = _block(ctx, row, bound["x"])
    dim = _dim(row, bound, _rank(block))
    return _sorted(ctx, block, dim, _flag(ctx, row, bound, "descending"))


def _count(row: Primitive, name: str, value: Value) -> IndexExpr:
    """A number of lanes that is known when compiling."""
    size = operators.as_size(value)
    if size is None:
        raise TypeMismatchError(
            f"ntl.{row.name}: {name} must be an integer that is known when compiling, not "
            f"{describe(value)}"
        )
    if size.value is not None and size.value < 1:
        raise ShapeError(f"ntl.{row.name}: {name} is {size}; it must be at least 1")
    return size


def _hold_below(ctx: Context, row: Primitive, k: IndexExpr, dim: int, size: IndexExpr) -> None:
    """Check ``k`` against the number of lanes along ``dim``: now, or at the call."""
    if always_less(k, size + 1, ctx.assumptions):
        return
    text = f"ntl.{row.name}: k is {k}, and there are {size} lanes along dim {dim}"
    if always_less(size, k, ctx.assumptions):
        raise ShapeError(f"{text}; give a smaller k")
    message = f"{text}, {{right}} and {{left}}; give a smaller k"
    ctx.checks.append(nt.CheckAttr(nt.Check((minimum(k, size),), (k,), message)))


@HANDLERS.register("topk")
def _topk(ctx: Context, row: Primitive, bound: Bound) -> Value:
    block = _block(ctx, row, bound["x"])
    sizes = nt.shape_of(block.type)
    dim, k = _dim(row, bound, len(sizes)), _count(row, "k", bound["k"])
    _hold_below(ctx, row, k, dim, sizes[dim])
    return _sorted(ctx, block, dim, _flag(ctx, row, bound, "descending"), k)


@HANDLERS.register("histogram")
def _histogram(ctx: Context, row: Primitive, bound: Bound) -> Value:
    block = _block(ctx, row, bound["input"])
    if _rank(block) != 1:
        raise ShapeError(
            f"ntl.histogram counts the lanes of a block of one dim, not of {describe(block)}; "
            "write ntl.ravel(x)"
        )
    dtype = nt.dtype_of(block.type)
    if DTYPES[dtype].kind == "float":
        raise TypeMismatchError(
            f"ntl.histogram counts integers, not {dtype}; convert with ntl.cast(x, ntl.int32)"
        )
    bins = _count(row, "num_bins", bound["num_bins"])
    mask = None
    if bound["mask"] is not None:
        mask = operators.bits_of(ctx, ctx.scalar(bound["mask"], "the mask"))
        mask = operators.broadcast_to(ctx, mask, nt.shape_of(block.type))
    return ctx.add(nt.HistogramOp(block, bins, mask))
