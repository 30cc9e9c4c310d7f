"""Lowering of ops that move lanes."""

from __future__ import annotations

from ninetoothed.ir import nt, tt
from ninetoothed.passes.lowering.function import LOWERINGS, Function
from ninetoothed.passes.lowering.types import numbers


@LOWERINGS.register(nt.BroadcastOp)
def _broadcast(f: Function, op: nt.BroadcastOp) -> None:
    f.define(op, f.add(tt.BroadcastOp(f.value(op.value), numbers(op.result.type))))


@LOWERINGS.register(nt.ExpandDimsOp)
def _expand_dims(f: Function, op: nt.ExpandDimsOp) -> None:
    value = f.value(op.value)
    if not tt.shape_of(value.type):
        f.define(op, f.add(tt.SplatOp(value, [1])))
        return
    f.define(op, f.add(tt.ExpandDimsOp(value, op.dim)))


@LOWERINGS.register(nt.TransOp)
def _trans(f: Function, op: nt.TransOp) -> None:
    f.define(op, f.add(tt.TransOp(f.value(op.value), op.dims)))


@LOWERINGS.register(nt.GatherOp)
def _gather(f: Function, op: nt.GatherOp) -> None:
    f.define(op, f.add(tt.GatherOp(f.value(op.value), f.value(op.indices), op.dim)))


@LOWERINGS.register(nt.ReshapeOp)
def _reshape(f: Function, op: nt.ReshapeOp) -> None:
    value = f.value(op.value)
    if isinstance(op.result.type, nt.TensorType):
        f.define(op, f.add(tt.ReshapeOp(value, numbers(op.result.type))))
    else:
        f.define(op, f.add(tt.UnsplatOp(value)))


@LOWERINGS.register(nt.JoinOp)
def _join(f: Function, op: nt.JoinOp) -> None:
    left, right = f.value(op.left), f.value(op.right)
    if tt.shape_of(left.type):
        f.define(op, f.add(tt.JoinOp(left, right)))
        return
    # Triton joins blocks only.
    left, right = f.add(tt.SplatOp(left, [1])), f.add(tt.SplatOp(right, [1]))
    f.define(op, f.add(tt.ReshapeOp(f.add(tt.JoinOp(left, right)), [2])))


@LOWERINGS.register(nt.SplitOp)
def _split(f: Function, op: nt.SplitOp) -> None:
    value = f.value(op.value)
    scalars = not tt.shape_of(value.type)[1:]
    halves = tt.SplitOp(f.add(tt.ExpandDimsOp(value, 0)) if scalars else value)
    f.insert(halves)
    f.define(op, *(f.add(tt.UnsplatOp(half)) if scalars else half for half in halves.results))
