"""Backward slices: what a value is computed from, in any stage."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from ninetoothed.ir import nt, tt


def backward_slice(*values: SSAValue) -> list[SSAValue]:
    """The values that ``values`` are computed from, themselves included, each once; nearer ones
    first.

    As MLIR's, but that it goes on through loops and branches: what one carries or gives may depend
    on all that its regions use. It ends at the arguments of the kernel or of the device function.
    Memory is no part of it: of a load, it has the pointers, and not what was stored there.
    """
    found = dict.fromkeys(values)
    visited: set[Operation] = set()
    pending = list(values)
    while pending:
        owner = pending.pop(0).owner
        op = owner if isinstance(owner, Operation) else owner.parent_op()
        if op is None or op in visited or isinstance(op, nt.KernelOp | tt.FuncOp):
            continue
        visited.add(op)
        new = dict.fromkeys(
            value for inner in op.walk() for value in inner.operands if value not in found
        )
        found.update(new)
        pending += new
    return list(found)
