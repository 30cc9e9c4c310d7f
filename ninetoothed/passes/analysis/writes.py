"""Stores of an application, as sites of ``layout.inverse``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.ir import BlockArgument, Operation, SSAValue

from ninetoothed.ir import nt
from ninetoothed.ir.locations import loc_of
from ninetoothed.layout.inverse import Site
from ninetoothed.passes.analysis.dependence import Dependence, Names, dependences
from ninetoothed.passes.analysis.loop_indices import index_expression, nest_of
from ninetoothed.passes.analysis.loop_nests import enclosing
from ninetoothed.symbolic.expr import IndexExpr, const, symbol_names
from ninetoothed.symbolic.intervals import Range
from ninetoothed.symbolic.normal_form import always_nonnegative


@dataclass(frozen=True)
class Write:
    """A store to the parameter of number ``param``.

    ``depends``: the program indices of its data and control dependences. ``pointer``: its address
    is computed, so nothing is known of it. ``atomic``: it never races.
    """

    param: int
    site: Site
    depends: Names
    pointer: bool = False
    atomic: bool = False


def writes(kernel: nt.KernelOp, tensors: Sequence[object] | None = None) -> list[Write]:
    """Every store of the application, in program order.

    ``tensors`` names the tensor of each parameter, where several may be the same one.
    """
    stores = [op for op in kernel.apply.walk() if isinstance(op, _STORES)]
    targets = {op: list(_targets(op)) for op in stores}
    arguments = kernel.apply.block.args
    named = range(len(arguments)) if tensors is None else tensors
    same: dict[SSAValue, object] = dict(zip(arguments, named, strict=True))
    changed = {same[ref] for op in stores for ref in targets[op]}
    written = [argument for argument in arguments if same[argument] in changed]
    dependence = Dependence(kernel, written)
    found: list[Write] = []
    for op in stores:
        site = _site(kernel, op)
        operands = [value for value in op.operands if value not in targets[op]]
        depends = frozenset[str]().union(*map(dependence.of, operands), _around(op, dependence))
        for ref in targets[op]:
            assert isinstance(ref, BlockArgument)
            pointer = not isinstance(op, nt.StoreOp)
            atomic = isinstance(op, nt.AtomicOp | nt.AtomicCasOp)
            found.append(Write(ref.index, site, depends, pointer, atomic))
    return found


_STORES = (nt.StoreOp, nt.PointerStoreOp, nt.AtomicOp, nt.AtomicCasOp)


def _targets(op: Operation) -> Iterator[SSAValue]:
    """The parameters that a store may write to."""
    if isinstance(op, nt.StoreOp):
        yield op.ref
        return
    assert isinstance(op, nt.PointerStoreOp | nt.AtomicOp | nt.AtomicCasOp)
    yield from (
        start.ref
        for start in pointer_origins(op.ptr)
        if not isinstance(start, nt.SequencesOp | nt.ScratchOp)
    )


Origin = nt.PointerOp | nt.AddressOp | nt.SequencesOp | nt.ScratchOp
"""Ops that pointers originate from."""


def pointer_origins(ptr: SSAValue) -> Iterator[Origin]:
    """The ops that a pointer may originate from."""
    seen: set[SSAValue] = set()
    pending: list[SSAValue] = [ptr]
    while pending:
        value = pending.pop()
        if value in seen or not nt.is_pointer(value.type):
            continue
        seen.add(value)
        owner = value.owner
        if isinstance(owner, Origin):
            yield owner
            continue
        # Loops and branches forward their operands, and those of their regions' terminators.
        op = owner if isinstance(owner, Operation) else owner.parent_op()
        if op is not None and not isinstance(op, nt.KernelOp):
            blocks = [block for region in op.regions for block in region.blocks]
            ends = [block.last_op for block in blocks]
            pending += op.operands
            pending += [value for end in ends if end is not None for value in end.operands]


def _around(op: Operation, dependence: Dependence) -> Names:
    found: Names = frozenset()
    for parent in enclosing(op):
        found = found.union(*map(dependence.of, dependences(parent)))
    return found


def _site(kernel: nt.KernelOp, op: Operation) -> Site:
    nest = nest_of(op)
    conditional = nest.conditional
    loops = {name: Range(const(0), count - 1) for name, count in nest.counts.items()}
    between: tuple[IndexExpr | None, ...] = ()
    if isinstance(op, nt.StoreOp):
        between = tuple(index_expression(index, nest.values) for index in op.indices)
    used = {name for index in between if index is not None for name in symbol_names(index)}
    # The ends of a loop may depend on the loops around it.
    for name, range_ in reversed(loops.items()):
        if name in used:
            used.update(symbol_names(*(end for end in (range_.lower, range_.upper) if end)))
    for name, range_ in list(loops.items()):
        if name not in used:
            del loops[name]
            # A loop whose trip count may be 0 may not store.
            assert range_.upper is not None
            conditional |= not always_nonnegative(range_.upper, kernel.assumptions)
    return Site(between, loops, conditional, loc_of(op.location))
