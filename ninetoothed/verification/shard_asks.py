"""What an application asks of a split dim that differs from rank to rank: coordinates, sizes,
numbers of programs, and addresses.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from xdsl.dialects import scf
from xdsl.ir import BlockArgument, Operation, SSAValue

from ninetoothed.ir import nt
from ninetoothed.passes.analysis.scalars import constant_value
from ninetoothed.passes.analysis.writes import pointer_origins
from ninetoothed.symbolic.expr import IndexExpr, ir_text, symbol_names
from ninetoothed.symbolic.normal_form import equal
from ninetoothed.verification.shard_accesses import RefusedError, Slices, Tensors

_NUMBERS = (
    nt.ProgramIdOp,
    nt.ProgramIndexOp,
    nt.ProgramNumberOp,
    nt.ProgramCountOp,
    nt.HoldsOp,
)


def number_of(ref: SSAValue) -> int:
    """The number of the parameter that an op refers to."""
    assert isinstance(ref, BlockArgument)
    return ref.index


def pointed(ptr: SSAValue) -> set[int]:
    """The numbers of the parameters that a pointer may be to."""
    origins = pointer_origins(ptr)
    return {number_of(one.ref) for one in origins if not isinstance(one, nt.ScratchOp)}


def require_unasked(tensors: Tensors, slices: Slices) -> None:
    """Require that an application asks nothing of what is split.

    Raises:
        RefusedError: it does.
    """
    split = {tensors.origins[number] for number in slices.of}
    for op in tensors.kernel.apply.walk():
        match op:
            case nt.SizeOp():
                _require_size(op, slices)
            case nt.ArangeOp():
                _require_local(slices, [op.start.data])
            case nt.OffsetsOp():
                sliced = slices.of.get(number_of(op.ref))
                if sliced is not None and op.source_dim in (None, sliced.dim):
                    name = tensors.names[number_of(op.ref)]
                    what = "addresses" if op.source_dim is None else f"offsets({sliced.dim})"
                    raise RefusedError(f"the application asks for the {what} of {name}")
            case nt.PointerOp() if tensors.origins[number_of(op.ref)] in split:
                name = tensors.names[number_of(op.ref)]
                raise RefusedError(f"the application computes with pointers to {name}")
            case _ if isinstance(op, _NUMBERS) and slices.program is not None:
                raise RefusedError("the application asks for the number of its program")
            case _:
                pass
        if slices.program is not None:
            sizes = (size for value in op.results for size in nt.shape_of(value.type))
            _require_local(slices, sizes)


def _require_local(slices: Slices, exprs: Iterable[IndexExpr]) -> None:
    for expr in exprs:
        if slices.local.intersection(symbol_names(expr)):
            raise RefusedError(f"the application asks for the size {ir_text(expr)}")


def _require_size(op: nt.SizeOp, slices: Slices) -> None:
    expr = op.expr.data
    if not slices.local.intersection(symbol_names(expr)):
        return
    is_count = slices.form.loop is not None and equal(slices.common(expr), slices.blocks)
    if not is_count or not all(_is_bound(use.operation, op) for use in op.result.uses):
        _require_local(slices, [expr])


def _is_bound(op: Operation, size: nt.SizeOp) -> bool:
    """True of a loop over a size: from 0, in steps of 1."""
    return (
        isinstance(op, scf.ForOp)
        and op.ub is size.result
        and constant_value(op.lb) == 0
        and constant_value(op.step) == 1
    )


def added_by_programs(tensors: Tensors, slices: Slices) -> set[int]:
    """The tensors, by their number, that programs only add to, where each program has one place and
    may do with it what it likes.

    Raises:
        RefusedError: programs of several places write one element.
    """
    require_unasked(tensors, slices)
    sums: set[int] = set()
    for op in tensors.kernel.apply.walk():
        match op:
            case nt.StoreOp():
                written = {number_of(op.ref)}
            case nt.PointerStoreOp() | nt.AtomicOp() | nt.AtomicCasOp():
                written = pointed(op.ptr)
            case nt.AddPtrOp():
                moved = sorted(pointed(op.ptr) & slices.of.keys())
                if moved:
                    name = tensors.names[moved[0]]
                    raise RefusedError(f"the application computes with pointers to {name}")
                continue
            case _:
                continue
        if written and written <= slices.of.keys():
            continue
        sums |= added_by(op, tensors, slices)
    require_only_added(tensors, sums, ())
    return sums


def added_by(op: Operation, tensors: Tensors, slices: Slices) -> set[int]:
    """The tensors, by their number, that an op adds to atomically.

    Raises:
        RefusedError: it does anything else, or they are split.
    """
    if isinstance(op, nt.StoreOp):
        written = {number_of(op.ref)}
    else:
        assert isinstance(op, nt.PointerStoreOp | nt.AtomicOp | nt.AtomicCasOp)
        written = pointed(op.ptr)
    names = ", ".join(tensors.names[number] for number in sorted(written)) or "a tensor"
    if not isinstance(op, nt.AtomicOp) or op.function.data != "add":
        how = "changes" if isinstance(op, nt.AtomicOp | nt.AtomicCasOp) else "writes"
        raise RefusedError(f"every program along it {how} the same elements of {names}")
    if op.result.first_use is not None:
        raise RefusedError(f"the application uses what {names} was before an atomic_add")
    if not written or not written.isdisjoint(slices.of):
        raise RefusedError(f"the application adds to addresses of {names}, which it splits")
    return written


def require_only_added(tensors: Tensors, sums: Collection[int], stored: Collection[int]) -> None:
    """Require that sums are neither read nor ``stored`` as something else.

    Raises:
        RefusedError: one is.
    """
    origins = {tensors.origins[number]: tensors.names[number] for number in sums}
    touched = {tensors.origins[number] for number in stored}
    for op in tensors.kernel.apply.walk():
        if isinstance(op, nt.LoadOp):
            touched.add(tensors.origins[number_of(op.ref)])
        elif isinstance(op, nt.PointerLoadOp | nt.PointerStoreOp | nt.AtomicCasOp):
            touched.update(tensors.origins[number] for number in pointed(op.ptr))
    for origin, name in origins.items():
        if origin in touched:
            raise RefusedError(f"{name}, of which each rank has a part of a sum, is used otherwise")
