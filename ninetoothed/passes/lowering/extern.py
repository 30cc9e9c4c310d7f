"""Lowering of device library functions to calls of the target's library."""

from __future__ import annotations

from ninetoothed.errors import DeviceError
from ninetoothed.ir import nt, tt
from ninetoothed.ir.diagnostics import fail
from ninetoothed.language.table import Extern
from ninetoothed.passes.lowering.function import Function
from ninetoothed.passes.lowering.types import signless


def lower_extern(f: Function, op: nt.ElementwiseOp, row: Extern) -> None:
    """Call the function of the target's library.

    Raises:
        DeviceError: it has none.
    """
    types = [nt.dtype_of(argument.type) for argument in op.arguments]
    form = row.form(types)
    assert form is not None
    symbol = form.symbol(f.target.vendor)
    if symbol is None:
        raise fail(
            op,
            f"ntl.{row.name}: {f.target.vendor}'s device libraries have no such function of "
            f"{', '.join(types)}; compute it from others",
            DeviceError,
        )
    found = form.native_result(f.target.vendor)
    operands = [f.value(argument) for argument in op.arguments]
    shape = tt.shape_of(operands[0].type)
    given, wanted = (
        tt.block_of(shape, signless(nt.scalar_type(dtype))) for dtype in (found, form.result)
    )
    value = f.add(tt.ExternElementwiseOp(operands, symbol, given))
    f.define(op, value if given == wanted else f.add(tt.TruncIOp(value, wanted)))
