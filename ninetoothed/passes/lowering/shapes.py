"""What moves lanes."""

from __future__ import annotations

from ninetoothed.ir import nt, tt
from ninetoothed.passes.lowering.function import Function, lowers
from ninetoothed.passes.lowering.types import numbers


@lowers(nt.BroadcastOp)
def _broadcast(f: Function, op: nt.BroadcastOp) -> None:
    assert isinstance(op.result.type, nt.TensorType)
    f.define(op, f.add(tt.BroadcastOp(f.value(op.value), numbers(op.result.type))))


@lowers(nt.ExpandDimsOp)
def _expand_dims(f: Function, op: nt.ExpandDimsOp) -> None:
    value = f.value(op.value)
    if not tt.shape_of(value.type):
        f.define(op, f.add(tt.SplatOp(value, [1])))
        return
    f.define(op, f.add(tt.ExpandDimsOp(value, op.dim)))


@lowers(nt.TransOp)
def _trans(f: Function, op: nt.TransOp) -> None:
    f.define(op, f.add(tt.TransOp(f.value(op.value), op.dims)))


@lowers(nt.GatherOp)
def _gather(f: Function, op: nt.GatherOp) -> None:
    f.define(op, f.add(tt.GatherOp(f.value(op.value), f.value(op.indices), op.dim)))
