"""Lowering of matrix multiplications."""

from __future__ import annotations

from ninetoothed.ir import nt, tt
from ninetoothed.passes.lowering.function import LOWERINGS, Function


@LOWERINGS.register(nt.DotOp)
def _dot(f: Function, op: nt.DotOp) -> None:
    a, b, acc = f.value(op.a), f.value(op.b), f.value(op.acc)
    precision = "tf32" if op.precision is None else op.precision.data
    imprecise = 0 if op.imprecise is None else op.imprecise.value.data
    f.define(op, f.add(tt.DotOp(a, b, acc, precision, imprecise)))


@LOWERINGS.register(nt.DotScaledOp)
def _dot_scaled(f: Function, op: nt.DotScaledOp) -> None:
    values = (f.value(op.a), f.value(op.b))
    scales = (f.optional(op.a_scale), f.optional(op.b_scale))
    fast_math = bool(op.fast_math)
    acc = f.value(op.acc)
    f.define(op, f.add(tt.DotScaledOp(values, acc, scales, op.formats, op.k_packed, fast_math)))
