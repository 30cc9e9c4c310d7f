"""Lowering of boxes: the tensor descriptor of a load or store, and the box's dims in the order of
the block's.

A descriptor of the host is of the whole tensor. One that the program makes is made where it is
used, and begins at the only index of the dims that it has not. What it is made of changes in no
loop, so that ``nt-hoist-invariants`` moves it in front of all of them, and ``cse`` leaves one of
several.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import i32, i64
from xdsl.ir import Attribute, SSAValue

from ninetoothed.errors import CompilerError
from ninetoothed.ir import nt, tt
from ninetoothed.ir.diagnostics import fail
from ninetoothed.ir.name_hints import hint
from ninetoothed.passes.analysis.boxes import Box, BoxDim, box_of
from ninetoothed.passes.analysis.loop_nests import is_in_loop
from ninetoothed.passes.analysis.pass_refusal import Refusal
from ninetoothed.passes.lowering.index import Arithmetic
from ninetoothed.passes.lowering.tile_accesses import AccessLowering
from ninetoothed.passes.lowering.types import in_memory
from ninetoothed.symbolic.expr import IndexExpr, const
from ninetoothed.symbolic.normal_form import normalize


def load_box(accessed: AccessLowering, dims: Sequence[int]) -> SSAValue:
    """Load a block through a descriptor of these dims of its source."""
    add, lowered = accessed.here.inserter.add, _LoweredBox(accessed, dims)
    value = add(tt.DescriptorLoadOp(lowered.descriptor, lowered.starts))
    lanes = sorted(lowered.lanes)
    if len(lanes) < len(dims):
        value = add(tt.ReshapeOp(value, [accessed.shape[lane] for lane in lowered.lanes]))
    if lanes != lowered.lanes:
        value = add(tt.TransOp(value, [lowered.lanes.index(lane) for lane in lanes]))
    return value if len(lanes) == len(accessed.shape) else add(tt.ReshapeOp(value, accessed.shape))


def store_box(accessed: AccessLowering, dims: Sequence[int], value: SSAValue) -> None:
    """Store a block, likewise."""
    add, lowered = accessed.here.inserter.add, _LoweredBox(accessed, dims)
    lanes = sorted(lowered.lanes)
    if len(lanes) < len(accessed.shape):
        value = add(tt.ReshapeOp(value, [accessed.shape[lane] for lane in lanes]))
    if lanes != lowered.lanes:
        value = add(tt.TransOp(value, [lanes.index(lane) for lane in lowered.lanes]))
    if len(lanes) < len(dims):
        value = add(tt.ReshapeOp(value, lowered.shape))
    store = tt.DescriptorStoreOp(lowered.descriptor, value, lowered.starts)
    accessed.here.inserter.insert(store)


class _LoweredBox:
    """The descriptor of a box, where it starts, and its shape; ``lanes``: the block's dims that the
    box's are, without those of one index.
    """

    def __init__(self, accessed: AccessLowering, dims: Sequence[int]) -> None:
        self._accessed = accessed
        assert isinstance(accessed.op, nt.LoadOp | nt.StoreOp)
        is_of_host = accessed.op.by_host is not None
        box = self._box(dims, is_of_host)
        row = [box.dims[dim] for dim in dims]
        self.lanes = [one.lane for one in row if one.lane is not None]
        self.shape = [1 if one.lane is None else accessed.shape[one.lane] for one in row]
        strides = [accessed.source.strides.data[dim] for dim in dims]
        narrow = Arithmetic(accessed.here.inserter, i32)
        if is_of_host:
            ends = [one.end for one in row]
            make = nt.HostDescriptorOp(accessed.op.ref, ends, strides, self.shape, self._element)
        else:
            wide = Arithmetic(accessed.here.inserter, i64)
            make = tt.MakeTensorDescOp(
                self._base(box),
                [self._number(narrow, one.end) for one in row],
                [self._number(wide, stride) for stride in strides],
                self.shape,
            )
        self.descriptor = accessed.here.inserter.add(make)
        hint(self.descriptor, f"{accessed.source.param.data}_desc")
        self.starts = [self._number(narrow, one.start) for one in row]

    @property
    def _element(self) -> Attribute:
        return in_memory(nt.scalar_of(self._accessed.source.result.type))

    def _box(self, dims: Sequence[int], is_of_host: bool) -> Box:
        accessed = self._accessed
        op, source = accessed.op, accessed.source
        varying = accessed.lowering.local if is_in_loop(op) else ()
        name = source.param.data
        try:
            box = box_of(
                op, source.sizes, accessed.access, accessed.names, varying, accessed.ranges
            )
        except Refusal as refusal:
            raise fail(op, f"a descriptor of {name}: {refusal.reason}", CompilerError) from None
        if is_of_host:
            # So the descriptor begins where the tensor does.
            moved = {dim: index for dim, index in box.fixed.items() if index.value != 0}
            added = {dim: BoxDim(at, source.sizes[dim], None, False) for dim, at in moved.items()}
            fixed = {dim: index for dim, index in box.fixed.items() if dim not in moved}
            box = Box({**added, **box.dims}, fixed)
        if {*dims} != {*box.dims} or source.strides.data[dims[-1]].value != 1:
            wanted = ", ".join(map(str, box.dims))
            raise fail(
                op,
                f"a descriptor of {name} is of its dims {wanted}, one of stride 1 last",
                CompilerError,
            )
        return box

    def _base(self, box: Box) -> SSAValue:
        """The pointer to the first element of the dims that the box has not."""
        accessed, add = self._accessed, self._accessed.here.inserter.add
        source = accessed.source
        pointer = add(nt.PointerOp(accessed.op.ref, tt.PointerType(self._element)))
        hint(pointer, source.param.data)
        strides = source.strides.data
        moves = (index * strides[dim] for dim, index in box.fixed.items())
        offset = normalize(sum(moves, const(0)))
        if offset.value == 0:
            return pointer
        return add(tt.AddPtrOp(pointer, accessed.lowering.lower(offset).value))

    def _number(self, here: Arithmetic, expr: IndexExpr) -> SSAValue:
        if expr.value is not None:
            return here.constant(expr.value)
        return here.resized(self._accessed.lowering.lower(expr).value)
