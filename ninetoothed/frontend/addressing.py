"""Addresses: a block's coordinates, a parameter's source, and pointers."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from xdsl.ir import SSAValue

from ninetoothed.errors import ShapeError, TypeMismatchError, counted
from ninetoothed.frontend import operators
from ninetoothed.frontend.batches import batch_offset
from ninetoothed.frontend.context import Context
from ninetoothed.frontend.jagged_parameters import stride_of
from ninetoothed.frontend.values import ElementType, Method, Source, Value, View, describe
from ninetoothed.ir import nt
from ninetoothed.ir.tt import PointerType
from ninetoothed.layout.access import index_names
from ninetoothed.layout.lifting import is_arranged
from ninetoothed.symbolic.expr import substitute, symbol_names
from ninetoothed.symbolic.normal_form import normalize

Bound = Mapping[str, Value]


# Coordinates.


def _offsets_method(view: View) -> Method:
    if view.by_value:
        raise TypeMismatchError(
            f"{view.name} is a number, which is passed by value and has no offsets; use those "
            "of a tensor"
        )
    return Method(
        f"{view.name}.offsets", ("dim=None",), lambda ctx, bound: _offsets(ctx, view, bound)
    )


def _offsets(ctx: Context, view: View, bound: Bound) -> SSAValue:
    ctx.require_block(view)
    _, attribute = nt.access_of(view.arranged, ctx.assumptions)
    access = attribute.data
    sizes = view.levels[-1].sizes
    skipped = sum(view.batches)
    if bound["dim"] is None:
        along = range(len(sizes))
        found = ctx.add(nt.OffsetsOp(view.ref, view.indices, None, along, ctx.index_type))
        start = batch_offset(ctx, _source(view))
        return found if start is None else operators.elementwise(ctx, "sub", [found, start])
    dim = _dim(bound["dim"], len(access.indices) - skipped, f"{view.name}.offsets") + skipped
    names = index_names(access.levels)[-1] if len(access.levels) > 1 else ()
    # A dim of size 1 has the index 0 only.
    fixed = {name: 0 for name, size in zip(names, sizes, strict=True) if size.value == 1}
    used = symbol_names(normalize(substitute(access.indices[dim], fixed)))
    along = [axis for axis, name in enumerate(names) if name in used]
    return ctx.add(nt.OffsetsOp(view.ref, view.indices, dim, along, ctx.index_type))


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


def _source(view: View) -> Source:
    if view.by_value:
        raise TypeMismatchError(
            f"{view.name} is a number, which is passed by value and has no source; use it as it is"
        )
    source, _ = nt.chain(view.arranged)
    return Source(f"{view.name}.source", view.ref, source, view.batches)


def unarranged(view: View) -> Source | None:
    """The source of a parameter that the arrangement returned as it is: indices address it."""
    source, ops = nt.chain(view.arranged)
    if view.by_value or is_arranged(view.batches, len(ops)):
        return None
    return Source(view.name, view.ref, source, view.batches)


def _stride(source: Source) -> Method:
    def run(ctx: Context, bound: Bound) -> Value:
        dim = _dim(bound["dim"], len(source.sizes), f"{source.name}")
        return operators.size_value(stride_of(source, dim))

    return Method(f"{source.name}.stride", ("dim",), run)


def _data_ptr(source: Source) -> Method:
    return Method(f"{source.name}.data_ptr", (), lambda ctx, bound: pointer_to(ctx, source))


def pointer_to(ctx: Context, source: Source) -> SSAValue:
    """The pointer to the first element of a parameter's source."""
    scalar = nt.scalar_of(source.op.result.type)
    pointer = ctx.add(nt.PointerOp(source.ref, PointerType(scalar)))
    start = batch_offset(ctx, source)
    return pointer if start is None else ctx.add(nt.AddPtrOp(pointer, start))


VIEW_ATTRIBUTES: dict[str, Callable[[View], Value]] = {
    "offsets": _offsets_method,
    "source": _source,
    "data_ptr": lambda view: _data_ptr(_source(view)),
}
"""Attributes of parameters, beside those of blocks and levels."""

SOURCE_ATTRIBUTES: dict[str, Callable[[Source], Value]] = {
    "shape": lambda source: tuple(map(operators.size_value, source.sizes)),
    "ndim": lambda source: len(source.sizes),
    "dtype": lambda source: ElementType(nt.dtype_of(source.op.result.type)),
    "strides": lambda source: tuple(
        operators.size_value(stride_of(source, dim)) for dim in range(len(source.sizes))
    ),
    "stride": _stride,
    "data_ptr": _data_ptr,
}
"""Attributes of ``p.source``."""


def converted(ctx: Context, value: Value, dtype: str, what: str) -> SSAValue:
    """``value``, called ``what`` in errors, in the element type ``dtype``."""
    value = ctx.read(value)
    if isinstance(value, bool | int | float):
        return ctx.constant(value, dtype)
    return ctx.cast(ctx.scalar(value, what), dtype)
