"""Places in memory: a block's coordinates, a parameter's source, pointers and atomics."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from ninetoothed.errors import ArgumentError, ShapeError, TypeMismatchError, counted
from ninetoothed.frontend import operators
from ninetoothed.frontend.context import Context
from ninetoothed.frontend.jagged import sequence_at, stride_of
from ninetoothed.frontend.values import Method, Share, Source, Value, describe, is_ssa
from ninetoothed.frontend.walk import evaluate, unsupported
from ninetoothed.ir import nt
from ninetoothed.ir.access import index_names
from ninetoothed.ir.index_expr import const, substitute, symbol_names
from ninetoothed.ir.index_normal import normalize
from ninetoothed.ir.meta_op import shape_text
from ninetoothed.ir.tt import PointerType
from ninetoothed.ir.tt.atomics import SCOPES, SEMANTICS
from ninetoothed.language.table import Primitive

Bound = Mapping[str, Value]
_INTEGERS = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")


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
    return Source(f"{share.name}.source", share.ref, _source_op(share))


def _source_op(share: Share) -> nt.SourceOp:
    owner = share.arranged.owner
    while not isinstance(owner, nt.SourceOp):
        assert isinstance(owner, nt.MetaOperation)
        owner = owner.source.owner
    return owner


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
    converted = _converted(ctx, value, nt.dtype_of(source.op.result.type), "the assigned value")
    if len(nt.shape_of(converted.type)) > len(shape):
        where = f"the block of shape {shape_text(shape)}" if shape else "the one element"
        raise ShapeError(
            f"{describe(converted)} cannot be assigned to {where} that {source.name}[…] is; "
            "reduce it, as in ntl.sum(x, 0), or index by blocks"
        )
    ctx.insert(nt.PointerStoreOp(operators.broadcast_to(ctx, converted, shape), pointers, mask))


def _converted(ctx: Context, value: Value, dtype: str, what: str) -> SSAValue:
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
        if nt.dtype_of(coordinate.type) not in _INTEGERS:
            raise TypeMismatchError(
                f"an index holds integers, not {describe(coordinate)}; convert it with "
                ".to(ntl.int32)"
            )
        return coordinate


# Pointers.


def _pointers(ctx: Context, row: Primitive, value: Value) -> SSAValue:
    if is_ssa(value) and nt.is_pointer(value.type):
        return value
    hint = "; take one from x.source.data_ptr()"
    if isinstance(value, Share) and not value.by_value:
        hint = f"; write {value.name}.source.data_ptr() + {value.name}.offsets()"
    elif isinstance(value, Source):
        hint = f"; write {value.name}.data_ptr()"
    raise TypeMismatchError(f"ntl.{row.name} takes a pointer, not {describe(value)}{hint}")


def _mask(ctx: Context, value: Value) -> SSAValue | None:
    """The mask; None where it is always true."""
    if value is None or value is True:
        return None
    bits = ctx.scalar(value, "the mask")
    return bits if nt.dtype_of(bits.type) == "i1" else operators.elementwise(ctx, "ne", [bits, 0])


def _joined(
    ctx: Context, row: Primitive, pointers: SSAValue, *others: SSAValue | None
) -> tuple[SSAValue, list[SSAValue | None]]:
    """The pointers and what goes with them, broadcast."""
    given = [other for other in others if other is not None]
    if not nt.shape_of(pointers.type):
        for other in given:
            if nt.shape_of(other.type):
                raise ShapeError(
                    f"ntl.{row.name}: the pointer is one, and {describe(other)} goes with it; add "
                    "offsets to the pointer, or reduce the block"
                )
    (pointers, *given), _ = operators.broadcast(ctx, [pointers, *given])
    return pointers, [None if other is None else given.pop(0) for other in others]


def _pointee(pointers: SSAValue) -> str:
    return nt.dtype_of(nt.pointee_of(pointers.type))


def _load(ctx: Context, row: Primitive, bound: Bound) -> Value:
    pointers = _pointers(ctx, row, bound["pointer"])
    mask = _mask(ctx, bound["mask"])
    other = None
    if bound["other"] is not None:
        if bound["mask"] is None:
            raise ArgumentError("ntl.load: other is what masked lanes read; give a mask, too")
        if mask is not None:
            other = _converted(ctx, bound["other"], _pointee(pointers), "other")
    pointers, (mask, other) = _joined(ctx, row, pointers, mask, other)
    return ctx.add(nt.PointerLoadOp(pointers, mask, other))


def _store(ctx: Context, row: Primitive, bound: Bound) -> Value:
    pointers = _pointers(ctx, row, bound["pointer"])
    value = _converted(ctx, bound["value"], _pointee(pointers), "the value")
    pointers, (value, mask) = _joined(ctx, row, pointers, value, _mask(ctx, bound["mask"]))
    assert value is not None
    ctx.insert(nt.PointerStoreOp(value, pointers, mask))
    return None


def _order(row: Primitive, bound: Bound) -> tuple[str, str]:
    """The memory order and its scope."""
    found: list[str] = []
    for name, table, default in (("sem", SEMANTICS, "acq_rel"), ("scope", SCOPES, "gpu")):
        value = default if bound[name] is None else bound[name]
        if value not in table:
            *first, last = map(repr, table)
            raise ArgumentError(
                f"ntl.{row.name}: {name} is {', '.join(first)} or {last}, not {describe(value)}"
            )
        found.append(value)
    return found[0], found[1]


def _updated(ctx: Context, row: Primitive, bound: Bound) -> SSAValue:
    pointers = _pointers(ctx, row, bound["pointer"])
    taken = nt.ATOMICS[row.name.removeprefix("atomic_")]
    if _pointee(pointers) not in taken:
        raise TypeMismatchError(
            f"ntl.{row.name} does not update {_pointee(pointers)}, only {', '.join(taken)}; use a "
            "tensor of one of them"
        )
    return pointers


def _atomic(ctx: Context, row: Primitive, bound: Bound) -> Value:
    pointers = _updated(ctx, row, bound)
    value = _converted(ctx, bound["val"], _pointee(pointers), "the value")
    sem, scope = _order(row, bound)
    pointers, (value, mask) = _joined(ctx, row, pointers, value, _mask(ctx, bound["mask"]))
    assert value is not None
    function = row.name.removeprefix("atomic_")
    return ctx.add(nt.AtomicOp(function, pointers, value, mask, sem, scope))


def _atomic_cas(ctx: Context, row: Primitive, bound: Bound) -> Value:
    pointers = _updated(ctx, row, bound)
    values = [_converted(ctx, bound[name], _pointee(pointers), name) for name in ("cmp", "val")]
    sem, scope = _order(row, bound)
    pointers, (compare, value) = _joined(ctx, row, pointers, *values)
    assert compare is not None
    assert value is not None
    for size in nt.shape_of(pointers.type):
        if size.value is not None and size.value & (size.value - 1):
            raise ShapeError(
                f"ntl.atomic_cas has no mask, and its block has the size {size}; give it a size "
                "that is a power of two"
            )
    return ctx.add(nt.AtomicCasOp(pointers, compare, value, sem, scope))


HANDLERS: dict[str, Callable[[Context, Primitive, Any], Value]] = {
    "load": _load,
    "store": _store,
    "atomic": _atomic,
    "atomic_cas": _atomic_cas,
}
"""By the rows' ops."""
