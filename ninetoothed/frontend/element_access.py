"""Gather and scatter of elements by index: of a parameter's source, and of its block."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import SSAValue

from ninetoothed.errors import ShapeError, TypeMismatchError, counted
from ninetoothed.frontend import operators
from ninetoothed.frontend.addressing import converted, pointer_to
from ninetoothed.frontend.context import Context
from ninetoothed.frontend.data_movement import index_number
from ninetoothed.frontend.jagged_parameters import sequence_at
from ninetoothed.frontend.values import Source, Value, View, describe
from ninetoothed.frontend.walk import evaluate, unsupported
from ninetoothed.ir import nt
from ninetoothed.layout.meta_op import shape_text
from ninetoothed.symbolic.expr import IndexExpr, const, fits
from ninetoothed.symbolic.normal_form import always_less, always_nonnegative, normalize


@dataclass(frozen=True)
class Elements:
    """Elements of a tensor at computed indices: pointers, and a mask of those that exist."""

    name: str
    source: nt.SourceOp
    pointers: SSAValue
    exists: SSAValue


def read(ctx: Context, elements: Elements) -> SSAValue:
    """Load elements; of those that do not exist, the tensor's ``other``."""
    other, source = None, elements.source
    if source.other is not None:
        number = nt.number(source.other.value.data, nt.scalar_of(source.result.type))
        other = ctx.full(ctx.add(nt.constant(number)), nt.shape_of(elements.pointers.type))
    return ctx.add(nt.PointerLoadOp(elements.pointers, elements.exists, other))


def write(ctx: Context, elements: Elements, value: Value) -> None:
    """Store ``value`` to the elements that exist. Of several values for one element, any is kept.

    Raises:
        ShapeError: the value does not fit their shape.
    """
    shape = nt.shape_of(elements.pointers.type)
    dtype = nt.dtype_of(elements.source.result.type)
    found = converted(ctx, value, dtype, "the assigned value")
    if len(nt.shape_of(found.type)) > len(shape):
        where = f"the block of shape {shape_text(shape)}" if shape else "the one element"
        raise ShapeError(
            f"{describe(found)} cannot be assigned to {where} that {elements.name}[…] is; "
            "reduce it, as in ntl.sum(x, 0), or index by blocks"
        )
    found = operators.broadcast_to(ctx, found, shape)
    ctx.insert(nt.PointerStoreOp(found, elements.pointers, elements.exists))


def refuse_slice(node: ast.expr) -> None:
    """Check that an index is no slice.

    Raises:
        UnsupportedSyntaxError: it is one.
    """
    if isinstance(node, ast.Slice):
        raise unsupported(node)


def coordinate(
    ctx: Context, node: ast.expr, size: IndexExpr, what: str, is_block: bool = True
) -> SSAValue | int:
    """An index of a dim of ``what``, a block or a source: integers, or a number that is known when
    compiling. A block of one lane is its number.

    Raises:
        UnsupportedSyntaxError: a slice.
        TypeMismatchError: it holds no integers.
        ShapeError: it is known when compiling, and outside the dim.
    """
    with ctx.at(node):
        refuse_slice(node)
        value = ctx.read(evaluate(ctx, node))
        if is_block:
            require_inside(ctx, value, size, what, from_end=True)
            require_index_type(ctx, value, size, what)
        else:
            require_written_inside(ctx, node, value, size, what)
        if type(value) is int:
            return value
        found = ctx.scalar(value, "an index")
        if not operators.is_integer(found):
            raise TypeMismatchError(
                f"an index holds integers, not {describe(found)}; convert it with .to(ntl.int32)"
            )
        return index_number(ctx, found)


def _integers(ctx: Context, index: SSAValue | int) -> SSAValue:
    return ctx.size(const(index)) if isinstance(index, int) else index


def _compared(ctx: Context, *indices: SSAValue) -> str:
    """The type in which indices are compared with sizes.

    64 bits hold every index but those of u64 that no tensor has.
    """
    wide = any(nt.dtype_of(index.type) in ("i64", "u32", "u64") for index in indices)
    return "i64" if wide else nt.dtype_of(ctx.index_type)


def counted_from_0(ctx: Context, index: SSAValue | int, size: IndexExpr) -> SSAValue:
    """An index from 0 on; a negative one that is known when compiling counts from the end."""
    if isinstance(index, int) and index < 0:
        return ctx.size(normalize(size + index))
    return _integers(ctx, index)


def require_inside(
    ctx: Context, index: Value, size: IndexExpr, what: str, from_end: bool = False
) -> None:
    """Check that an index that is known when compiling may lie inside a dim of ``what``; with
    ``from_end`` a negative number counts from its end.

    Raises:
        ShapeError: it lies outside, whatever the sizes of the call and the block sizes are.
    """
    place = operators.as_size(index)
    if place is None:
        return
    least = -size if from_end and type(index) is int else const(0)
    if always_nonnegative(place - size, ctx.assumptions) or always_less(
        place, least, ctx.assumptions
    ):
        raise _outside(place, size, what)


def require_index_type(ctx: Context, index: Value, size: IndexExpr, what: str) -> None:
    """Check that an index that is known when compiling is a number of the index type: no block or
    level has more elements.

    Raises:
        ShapeError: it is not.
    """
    place = operators.as_size(index)
    if place is not None and not fits(place, ctx.index_type.width.data):
        raise _outside(place, size, what)


def _outside(index: IndexExpr, size: IndexExpr, what: str) -> ShapeError:
    return ShapeError(
        f"index {index} is out of range for {what}, of size {size} in that dim; count from 0"
    )


def require_written_inside(
    ctx: Context, node: ast.expr, index: Value, size: IndexExpr, what: str
) -> None:
    """Check an index of a level or of a source, outside of which lies what an unrolled loop may
    reach: one that is written as a number may lie inside.

    Raises:
        ShapeError: it lies outside.
    """
    number = node.operand if isinstance(node, ast.UnaryOp) else node
    if isinstance(number, ast.Constant):
        require_inside(ctx, index, size, what)


def block_elements(ctx: Context, view: View, indices: Sequence[SSAValue | int | None]) -> Elements:
    """``p[i, j]``: the elements at coordinates of the view's block; None is a whole dim.

    As in NumPy, blocks of indices are broadcast; their dims are where the first index is, or first
    of all if a whole dim lies between two.
    """
    sizes = view.levels[-1].sizes
    given = [dim for dim, index in enumerate(indices) if index is not None]
    found = [
        None if index is None else counted_from_0(ctx, index, size)
        for index, size in zip(indices, sizes, strict=True)
    ]
    picked = [index for index in found if index is not None]
    dtype = _compared(ctx, *picked)
    blocks, shape = operators.broadcast(ctx, [ctx.cast(index, dtype) for index in picked])
    whole = [size for size, index in zip(sizes, found, strict=True) if index is None]
    together = given == list(range(given[0], given[0] + len(given)))
    front = given[0] if together else 0
    if not shape:
        front = len(whole)
    coordinates: list[SSAValue] = []
    for index, size in zip(found, sizes, strict=True):
        if index is not None:
            coordinates.append(_before(ctx, blocks.pop(0), len(whole) - front))
            continue
        row = nt.ArangeOp(nt.ExprAttr(const(0)), nt.block_type((size,), IntegerType(32)))
        seen = sum(one is None for one in found[: len(coordinates)])
        behind = len(whole) - seen - 1 + (len(shape) if seen < front else 0)
        coordinates.append(_before(ctx, ctx.cast(ctx.add(row), dtype), behind))
    coordinates, _ = operators.broadcast(ctx, coordinates)
    op = nt.AddressOp(view.ref, view.indices, coordinates)
    ctx.insert(op)
    source, _ = nt.chain(view.arranged)
    return Elements(view.name, source, op.pointers, op.exists)


def _before(ctx: Context, block: SSAValue, count: int) -> SSAValue:
    """The block with ``count`` dims of size 1 appended; a scalar as it is."""
    shape = nt.shape_of(block.type)
    for axis in range(len(shape), len(shape) + count if shape else 0):
        block = ctx.add(nt.ExpandDimsOp(block, axis))
    return block


def source_elements(ctx: Context, source: Source, nodes: Sequence[ast.expr]) -> Elements:
    """``p.source[i, j]``: the elements at coordinates of the source.

    Raises:
        ShapeError: a wrong number of indices.
        TypeMismatchError: an index that holds no integers.
    """
    if len(nodes) != len(source.sizes):
        raise ShapeError(
            f"{source.name} has {counted(len(source.sizes), 'dim')}, of sizes "
            f"{shape_text(source.sizes)}; give as many indices, not {len(nodes)}"
        )
    coordinates = [
        _integers(ctx, coordinate(ctx, node, size, source.name, is_block=False))
        for node, size in zip(nodes, source.sizes, strict=True)
    ]
    index_dtype = nt.dtype_of(ctx.index_type)
    mask: SSAValue | None = None
    offset: SSAValue | None = None
    sizes: list[Value] = [operators.size_value(size) for size in source.sizes]
    jagged = None if source.op.jagged is None else source.op.jagged.data.dim
    start: SSAValue | None = None
    if jagged is not None:
        start, sizes[jagged] = sequence_at(ctx, source, coordinates[0])
    for dim, (index, size, stride) in enumerate(
        zip(coordinates, sizes, source.strides, strict=True)
    ):
        wide = _compared(ctx, index)
        compared = ctx.cast(index, wide)
        inside = operators.elementwise(ctx, "lt", [compared, size])
        if not nt.dtype_of(index.type).startswith("u") or wide == "i64":
            inside = operators.elementwise(
                ctx, "and", [operators.elementwise(ctx, "ge", [compared, 0]), inside]
            )
        mask = inside if mask is None else operators.elementwise(ctx, "and", [mask, inside])
        # The offset of an index in bounds fits the index type.
        place = ctx.cast(compared, index_dtype)
        if dim == jagged:
            place = operators.elementwise(ctx, "add", [start, place])
        step = operators.elementwise(ctx, "mul", [place, operators.size_value(stride)])
        offset = step if offset is None else operators.elementwise(ctx, "add", [offset, step])
    pointer = pointer_to(ctx, source)
    if mask is None or offset is None:
        # A source without dims has one element.
        return Elements(source.name, source.op, pointer, ctx.constant(True, "i1"))
    (pointer, offset, mask), _ = operators.broadcast(ctx, [pointer, offset, mask])
    return Elements(source.name, source.op, ctx.add(nt.AddPtrOp(pointer, offset)), mask)
