"""Places in memory: a block's coordinates, a parameter's source, pointers and atomics."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from ninetoothed.dtype import INTEGERS
from ninetoothed.errors import ShapeError, TypeMismatchError, counted
from ninetoothed.frontend import operators
from ninetoothed.frontend.context import Context
from ninetoothed.frontend.jagged import sequence_at, stride_of
from ninetoothed.frontend.values import Method, Share, Source, Value, describe
from ninetoothed.frontend.walk import evaluate, unsupported
from ninetoothed.ir import nt
from ninetoothed.ir.access import index_names
from ninetoothed.ir.index_expr import const, substitute, symbol_names
from ninetoothed.ir.index_normal import normalize
from ninetoothed.ir.meta_op import shape_text
from ninetoothed.ir.tt import PointerType

Bound = Mapping[str, Value]


# Coordinates.


def _offsets_method(share: Share) -> Method:
    if share.by_value:
        raise TypeMismatchError(
            f"{share.name} is a number, which is passed by value and has no offsets; use those "
            "of a tensor"
        )
    return Method(
        f"{share.name}.offsets", ("dim=None",), lambda ctx, bound: _offsets(ctx, share, bound)
    )


def _offsets(ctx: Context, share: Share, bound: Bound) -> SSAValue:
    ctx.require_block(share)
    _, attribute = nt.access_of(share.arranged, ctx.assumptions)
    access = attribute.data
    sizes = share.levels[-1].sizes
    if bound["dim"] is None:
        return ctx.add(
            nt.OffsetsOp(share.ref, share.indices, None, range(len(sizes)), ctx.index_type)
        )
    dim = _dim(bound["dim"], len(access.indices), f"{share.name}.offsets")
    names = index_names(access.levels)[-1] if len(access.levels) > 1 else ()
    # Along a dim of size 1 nothing varies.
    fixed = {name: 0 for name, size in zip(names, sizes, strict=True) if size.value == 1}
    used = symbol_names(normalize(substitute(access.indices[dim], fixed)))
    along = [axis for axis, name in enumerate(names) if name in used]
    return ctx.add(nt.OffsetsOp(share.ref, share.indices, dim, along, ctx.index_type))


def _dim(value: Value, rank: int, what: str) -> int:
    if type(value) is not int:
        raise TypeMismatchError(
            f"{what}: the dim must be an integer that is known when compiling, not "
            f"{describe(value)}"
        )
    if not -rank <= value < rank:
        raise ShapeError(
            f"{what}: the source has {counted(rank, 'dim')}, and {value} is none of them; give one "
            f"from {-rank} to {rank - 1}"
        )
    return value % rank


# The source.


def _source(share: Share) -> Source:
    if share.by_value:
        raise TypeMismatchError(
            f"{share.name} is a number, which is passed by value and has no source; use it as it is"
        )
    source, _ = nt.chain(share.arranged)
    return Source(f"{share.name}.source", share.ref, source)


def unarranged(share: Share) -> Source | None:
    """The source of a parameter that the arrangement returned as it is: indices address it."""
    if share.by_value or not isinstance(share.arranged.owner, nt.SourceOp):
        return None
    return Source(share.name, share.ref, share.arranged.owner)


def _stride(source: Source) -> Method:
    def run(ctx: Context, bound: Bound) -> Value:
        dim = _dim(bound["dim"], len(source.sizes), f"{source.name}")
        return operators.size_value(stride_of(source, dim))

    return Method(f"{source.name}.stride", ("dim",), run)


def _data_ptr(source: Source) -> Method:
    return Method(f"{source.name}.data_ptr", (), lambda ctx, bound: _pointer_to(ctx, source))


def _pointer_to(ctx: Context, source: Source) -> SSAValue:
    scalar = nt.scalar_of(source.op.result.type)
    return ctx.add(nt.PointerOp(source.ref, PointerType(scalar)))


SHARE_ATTRIBUTES: dict[str, Callable[[Share], Value]] = {
    "offsets": _offsets_method,
    "source": _source,
    "data_ptr": lambda share: _data_ptr(_source(share)),
}
"""What parameters have beside what blocks and levels have."""

SOURCE_ATTRIBUTES: dict[str, Callable[[Source], Value]] = {
    "shape": lambda source: tuple(map(operators.size_value, source.sizes)),
    "ndim": lambda source: len(source.sizes),
    "dtype": lambda source: nt.dtype_of(source.op.result.type),
    "strides": lambda source: tuple(
        operators.size_value(stride_of(source, dim)) for dim in range(len(source.sizes))
    ),
    "stride": _stride,
    "data_ptr": _data_ptr,
}
"""What ``p.source`` has."""


def read_source(ctx: Context, source: Source, index: ast.expr) -> SSAValue:
    """``p.source[i, j]``: the elements at coordinates; ``other`` outside.

    Raises:
        ShapeError: a wrong number of indices.
        TypeMismatchError: an index that holds no integers.
    """
    return _read(ctx, source, *_address(ctx, source, index))


def write_source(ctx: Context, source: Source, index: ast.expr, value: Value) -> None:
    """``p.source[i, j] = e``: guarded by the source's shape.

    Raises:
        ShapeError: a wrong number of indices, or a value that does not fit them.
        TypeMismatchError: an index that holds no integers.
    """
    _write(ctx, source, *_address(ctx, source, index), value)


def update_source(
    ctx: Context, source: Source, index: ast.expr, entry: operators.Operator, operand: ast.expr
) -> None:
    """``p.source[i, j] += e``: the index is evaluated once.

    Raises:
        ShapeError, TypeMismatchError: as where it is read and written.
    """
    pointers, mask = _address(ctx, source, index)
    before = _read(ctx, source, pointers, mask)
    value = operators.apply(ctx, entry, before, evaluate(ctx, operand))
    _write(ctx, source, pointers, mask, value)


def _read(ctx: Context, source: Source, pointers: SSAValue, mask: SSAValue) -> SSAValue:
    other = None
    if source.op.other is not None:
        scalar = ctx.add(arith.ConstantOp(source.op.other, nt.scalar_of(source.op.result.type)))
        other = ctx.full(scalar, nt.shape_of(pointers.type))
    return ctx.add(nt.PointerLoadOp(pointers, mask, other))


def _write(ctx: Context, source: Source, pointers: SSAValue, mask: SSAValue, value: Value) -> None:
    shape = nt.shape_of(pointers.type)
    found = converted(ctx, value, nt.dtype_of(source.op.result.type), "the assigned value")
    if len(nt.shape_of(found.type)) > len(shape):
        where = f"the block of shape {shape_text(shape)}" if shape else "the one element"
        raise ShapeError(
            f"{describe(found)} cannot be assigned to {where} that {source.name}[…] is; "
            "reduce it, as in ntl.sum(x, 0), or index by blocks"
        )
    ctx.insert(nt.PointerStoreOp(operators.broadcast_to(ctx, found, shape), pointers, mask))


def converted(ctx: Context, value: Value, dtype: str, what: str) -> SSAValue:
    """``value``, called ``what`` in errors, in the element type ``dtype``."""
    value = ctx.read(value)
    if isinstance(value, bool | int | float):
        return ctx.constant(value, dtype)
    return ctx.cast(ctx.scalar(value, what), dtype)


def _address(ctx: Context, source: Source, index: ast.expr) -> tuple[SSAValue, SSAValue]:
    """Pointers to the elements at coordinates, and which of them exist."""
    nodes = index.elts if isinstance(index, ast.Tuple) else [index]
    if len(nodes) != len(source.sizes):
        raise ShapeError(
            f"{source.name} has {counted(len(source.sizes), 'dim')}, of sizes "
            f"{shape_text(source.sizes)}; give as many indices, not {len(nodes)}"
        )
    coordinates = [_coordinate(ctx, item) for item in nodes]
    index_dtype = nt.dtype_of(ctx.index_type)
    mask: SSAValue | None = None
    offset: SSAValue | None = None
    sizes: list[Value] = [operators.size_value(size) for size in source.sizes]
    jagged = None if source.op.jagged is None else source.op.jagged.data.dim
    start: SSAValue | None = None
    if jagged is not None:
        start, sizes[jagged] = sequence_at(ctx, source, coordinates[0])
    for dim, (coordinate, size, stride) in enumerate(
        zip(coordinates, sizes, source.op.strides.data, strict=True)
    ):
        # 64 bits hold every index but those of u64 that no tensor has.
        wide = "i64" if nt.dtype_of(coordinate.type) in ("i64", "u32", "u64") else index_dtype
        compared = ctx.cast(coordinate, wide)
        inside = operators.elementwise(ctx, "lt", [compared, size])
        if not nt.dtype_of(coordinate.type).startswith("u") or wide == "i64":
            inside = operators.elementwise(
                ctx, "and", [operators.elementwise(ctx, "ge", [compared, 0]), inside]
            )
        mask = inside if mask is None else operators.elementwise(ctx, "and", [mask, inside])
        # Where an index lies inside, the offset fits the index type.
        place = ctx.cast(compared, index_dtype)
        if dim == jagged:
            place = operators.elementwise(ctx, "add", [start, place])
        step = operators.elementwise(ctx, "mul", [place, operators.size_value(stride)])
        offset = step if offset is None else operators.elementwise(ctx, "add", [offset, step])
    pointer = _pointer_to(ctx, source)
    assert mask is not None
    assert offset is not None
    (pointer, offset, mask), _ = operators.broadcast(ctx, [pointer, offset, mask])
    return ctx.add(nt.AddPtrOp(pointer, offset)), mask


def _coordinate(ctx: Context, node: ast.expr) -> SSAValue:
    with ctx.at(node):
        if isinstance(node, ast.Slice):
            raise unsupported(node)
        value = ctx.read(evaluate(ctx, node))
        if type(value) is int:
            return ctx.size(const(value))
        coordinate = ctx.scalar(value, "an index")
        if nt.dtype_of(coordinate.type) not in INTEGERS:
            raise TypeMismatchError(
                f"an index holds integers, not {describe(coordinate)}; convert it with "
                ".to(ntl.int32)"
            )
        return coordinate
