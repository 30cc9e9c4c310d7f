"""Empty programs: those of which no lane of a store exists, such as programs behind the end of a
sequence, or without an element of a tensor that has fewer than there are programs.
"""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.ir import BlockArgument, Operation
from xdsl.traits import MemoryEffectKind, get_effects

from ninetoothed.ir import nt
from ninetoothed.layout.meta_op import Guard
from ninetoothed.passes.analysis.demanded_lanes import at_first_lanes, index_ranges
from ninetoothed.symbolic.expr import const, symbol_names
from ninetoothed.symbolic.intervals import Range
from ninetoothed.symbolic.normal_form import always_less


def other_effect(kernel: nt.KernelOp) -> Operation | None:
    """An op of the application that acts on more than elements that are read and stored by tiles;
    None: there is none.
    """
    return next(filter(has_other_effect, kernel.apply.walk()), None)


def has_other_effect(op: Operation) -> bool:
    """True if ``op`` itself acts on more than elements that are read and stored by tiles."""
    if isinstance(op, (nt.StoreOp, nt.BarrierOp, scf.ForOp, scf.WhileOp, scf.IfOp)):
        # What loops and branches hold is asked for on its own.
        return False
    if isinstance(op, nt.PointerLoadOp) and op.volatile is not None:
        return True
    effects = get_effects(op)
    return effects is None or any(one.kind is not MemoryEffectKind.READ for one in effects)


def program_guards(kernel: nt.KernelOp, ref: BlockArgument) -> tuple[Guard, ...]:
    """Conditions on a program, all of which hold where it has a lane to store to a parameter, and
    of which none is proved to hold in every program.
    """
    arranged = kernel.arranged.values[ref.index]
    source, access = nt.access_of(arranged, kernel.assumptions)
    names, levels = access.names, access.data.levels
    below = names[1:]
    lanes = range(len(below[-1]) if below else 0)
    local = {name for row in names[1:-1] for name in row}
    # What all programs agree on is no matter of each of them.
    own = {decl.name for decl in kernel.declarations if decl.kind in ("length", "start")}
    own.update(names[0])
    ranges = index_ranges(kernel)
    found: dict[Guard, None] = {}
    for guard in access.data.guards:
        first = at_first_lanes(guard, lanes, ranges)
        if first is not None:
            used = symbol_names(first.index, first.size)
            if local.isdisjoint(used) and not own.isdisjoint(used):
                found[first] = None
    for name, size in zip(names[0], levels[0], strict=True):
        ranges[name] = Range(const(0), size - 1)
    # Of an empty tensor there is nothing to save.
    facts = [size - 1 for size in source.sizes]
    return tuple(
        guard for guard in found if not always_less(guard.index, guard.size, ranges, facts)
    )
