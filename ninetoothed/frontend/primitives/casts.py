"""Casts and bitcasts."""

from __future__ import annotations

from xdsl.ir import SSAValue

from ninetoothed.dtype import DTYPES
from ninetoothed.errors import ArgumentError, TypeMismatchError
from ninetoothed.frontend.context import Context
from ninetoothed.frontend.primitives.constexprs import dtype_of, flag_of
from ninetoothed.frontend.primitives.handlers import HANDLERS, Bound
from ninetoothed.frontend.values import Value, describe
from ninetoothed.ir import nt
from ninetoothed.language.table import Primitive


@HANDLERS.register("cast")
def _cast(ctx: Context, row: Primitive, bound: Bound) -> Value:
    dtype = dtype_of(bound["dtype"], row.name)
    value, rounding = bound["input"], bound["fp_downcast_rounding"]
    if rounding is not None and rounding not in nt.ROUNDINGS:
        raise ArgumentError(
            "ntl.cast: fp_downcast_rounding is 'rtne', to the nearest, or 'rtz', towards zero, not "
            f"{describe(rounding)}"
        )
    if flag_of(bound["bitcast"], row.name, "bitcast"):
        if rounding is not None:
            raise ArgumentError("ntl.cast: bitcast rounds nothing; leave fp_downcast_rounding out")
        return bitcast(ctx, ctx.scalar(value), dtype)
    if rounding is None and isinstance(value, bool | int | float):
        return ctx.constant(value, dtype)
    return ctx.cast(ctx.scalar(value), dtype, rounding)


def bitcast(ctx: Context, value: SSAValue, dtype: str) -> SSAValue:
    """Bitcast ``value`` to another element type.

    Raises:
        TypeMismatchError: it has another width.
    """
    source = nt.dtype_of(value.type)
    old, new = DTYPES[source].bits, DTYPES[dtype].bits
    if old != new:
        raise TypeMismatchError(
            f"ntl.cast: {source} has {old} bits and {dtype} {new}, so that no bits are both; leave "
            "bitcast out to convert the values"
        )
    if source == dtype:
        return value
    return ctx.add(nt.BitcastOp(value, nt.scalar_type(dtype)))
