"""Loads, stores and atomics through pointers."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from ninetoothed.errors import ArgumentError, ShapeError, TypeMismatchError
from ninetoothed.frontend import operators
from ninetoothed.frontend.addressing import converted
from ninetoothed.frontend.context import Context
from ninetoothed.frontend.primitives.constexprs import flag_of, one_of
from ninetoothed.frontend.primitives.handlers import HANDLERS, Bound
from ninetoothed.frontend.values import Source, Value, View, describe, is_ssa
from ninetoothed.ir import nt
from ninetoothed.ir.tt.atomics import SCOPES, SEMANTICS
from ninetoothed.ir.tt.memory import EVICTION_POLICIES, CachePolicy
from ninetoothed.language.table import Primitive


def _pointers(ctx: Context, row: Primitive, value: Value) -> SSAValue:
    if is_ssa(value) and nt.is_pointer(value.type):
        return value
    hint = "; take one from x.source.data_ptr()"
    if isinstance(value, View) and not value.by_value:
        hint = f"; write {value.name}.source.data_ptr() + {value.name}.offsets()"
    elif isinstance(value, Source):
        hint = f"; write {value.name}.data_ptr()"
    raise TypeMismatchError(f"ntl.{row.name} takes a pointer, not {describe(value)}{hint}")


def _mask(ctx: Context, value: Value) -> SSAValue | None:
    """The mask; None where it is always true."""
    if value is None or value is True:
        return None
    return operators.bits_of(ctx, ctx.scalar(value, "the mask"))


def _joined(
    ctx: Context, row: Primitive, pointers: SSAValue, *others: SSAValue | None
) -> tuple[SSAValue, list[SSAValue | None]]:
    """The pointers and their other operands, broadcast."""
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


def _policy(row: Primitive, bound: Bound, modifiers: Sequence[str]) -> CachePolicy:
    """The cache policy of an access.

    Raises:
        ArgumentError: there is no such policy, or an option of block pointers is given.
    """
    for name in ("boundary_check", "padding_option"):
        if bound.get(name):
            raise ArgumentError(
                f"ntl.{row.name}: {name} is for Triton's block pointers, which the language has "
                "not; give a mask, and other"
            )
    found: list[str] = []
    for name, table in (("cache_modifier", modifiers), ("eviction_policy", EVICTION_POLICIES)):
        value = bound[name] or ""
        if value not in table:
            raise ArgumentError(f"ntl.{row.name}: {name} is {one_of(table)}, not {describe(value)}")
        found.append(value)
    return CachePolicy(*found)


@HANDLERS.register("load")
def _load(ctx: Context, row: Primitive, bound: Bound) -> Value:
    pointers = _pointers(ctx, row, bound["pointer"])
    mask = _mask(ctx, bound["mask"])
    other = None
    if bound["other"] is not None:
        if bound["mask"] is None:
            raise ArgumentError("ntl.load: other is what masked lanes read; give a mask, too")
        if mask is not None:
            other = converted(ctx, bound["other"], _pointee(pointers), "other")
    pointers, (mask, other) = _joined(ctx, row, pointers, mask, other)
    policy = _policy(row, bound, nt.LOAD_MODIFIERS)
    volatile = flag_of(bound["volatile"], row.name, "volatile")
    return ctx.add(nt.PointerLoadOp(pointers, mask, other, policy, volatile))


@HANDLERS.register("store")
def _store(ctx: Context, row: Primitive, bound: Bound) -> Value:
    pointers = _pointers(ctx, row, bound["pointer"])
    value = converted(ctx, bound["value"], _pointee(pointers), "the value")
    pointers, (value, mask) = _joined(ctx, row, pointers, value, _mask(ctx, bound["mask"]))
    assert value is not None
    policy = _policy(row, bound, nt.STORE_MODIFIERS)
    ctx.insert(nt.PointerStoreOp(value, pointers, mask, policy))
    return None


def _order(row: Primitive, bound: Bound) -> tuple[str, str]:
    """The memory order and its scope."""
    found: list[str] = []
    for name, table, default in (("sem", SEMANTICS, "acq_rel"), ("scope", SCOPES, "gpu")):
        value = default if bound[name] is None else bound[name]
        if value not in table:
            raise ArgumentError(f"ntl.{row.name}: {name} is {one_of(table)}, not {describe(value)}")
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


@HANDLERS.register("atomic")
def _atomic(ctx: Context, row: Primitive, bound: Bound) -> Value:
    pointers = _updated(ctx, row, bound)
    value = converted(ctx, bound["val"], _pointee(pointers), "the value")
    sem, scope = _order(row, bound)
    pointers, (value, mask) = _joined(ctx, row, pointers, value, _mask(ctx, bound["mask"]))
    assert value is not None
    function = row.name.removeprefix("atomic_")
    return ctx.add(nt.AtomicOp(function, pointers, value, mask, sem, scope))


@HANDLERS.register("atomic_cas")
def _atomic_cas(ctx: Context, row: Primitive, bound: Bound) -> Value:
    pointers = _updated(ctx, row, bound)
    values = [converted(ctx, bound[name], _pointee(pointers), name) for name in ("cmp", "val")]
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
