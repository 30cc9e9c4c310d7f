"""Stages of a module on its way from ``nt`` to ``tt``: the legal ops of each.

:func:`check_stage` checks that a module is legal; the pipeline calls it at the end of each stage.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from ninetoothed.errors import CompilerError, any_of
from ninetoothed.ir import nt, tt
from ninetoothed.ir.locations import place_of

_NT = frozenset(op.name for op in nt.NT.operations)
_TT = frozenset(op.name for op in tt.TT.operations)
_META = frozenset(op.name for op in nt.META_OPERATIONS.values())
_ACCESS = frozenset(("nt.access",))
# Flips reverse true sizes, which only `nt-pad-blocks` knows beside the padded ones.
_TRUE_SIZES = frozenset(("nt.flip",))
# The number of a program, which only scheduling knows.
_NUMBERED = frozenset(("nt.program_number",))
_INDICES = frozenset(("nt.program_index", "nt.holds"))
_PROGRAMS = frozenset(("nt.program_id",)) | _INDICES
_MEMORY = frozenset(("nt.store", "nt.stored", "nt.guard", "nt.offsets", "nt.address"))
_CONTROL = frozenset(
    (
        *("builtin.module", "scf.for", "scf.while", "scf.condition", "scf.if", "scf.yield"),
        *("arith.constant", "builtin.unrealized_conversion_cast"),
    )
)
_PADDED = (_NT - _META - _TRUE_SIZES - _PROGRAMS) | _CONTROL
_COMPOSED = _PADDED | _TRUE_SIZES
_SCHEDULED = _PADDED - _NUMBERED | _PROGRAMS
_ADDRESSES = _TT - {"tt.func", "tt.return"}


@dataclass(frozen=True)
class Stage:
    """A stage: ``ops`` are legal, and all ops of ``dialects``."""

    name: str
    ops: frozenset[str]
    dialects: tuple[str, ...] = ()

    def allows(self, op: Operation) -> bool:
        """True if ``op`` is legal."""
        return op.name in self.ops or op.name.partition(".")[0] in self.dialects


STAGES: dict[str, Stage] = {
    stage.name: stage
    for stage in (
        Stage("arranged", _COMPOSED - _ACCESS | _META),
        Stage("composed", _COMPOSED),
        Stage("specialized", _COMPOSED),
        Stage("padded", _PADDED),
        Stage("scheduled", _SCHEDULED),
        Stage("addressed", _SCHEDULED - _MEMORY - _INDICES | _ADDRESSES, ("arith",)),
        Stage("tt", _TT | {"builtin.module"}, ("arith", "math", "scf")),
    )
}


def first_strange(module: ModuleOp, name: str) -> Operation | None:
    """The first op that is legal neither in a stage nor in the one before it, between which passes
    work; None: all are.
    """
    names = list(STAGES)
    around = [STAGES[one] for one in names[max(names.index(name) - 1, 0) : names.index(name) + 1]]
    for op in module.walk():
        if not any(stage.allows(op) for stage in around):
            return op
    return None


def check_stage(module: ModuleOp, *names: str) -> None:
    """Check that all ops of a module are legal in a stage; of several names, in one of them.

    Raises:
        CompilerError: an op is not; at its location.
    """
    stages = [STAGES[name] for name in names]
    legal: set[type[Operation]] = set()
    for op in module.walk():
        if type(op) in legal:
            continue
        if any(stage.allows(op) for stage in stages):
            legal.add(type(op))
        else:
            raise CompilerError(
                f"{op.name} may not appear in stage {any_of(names)}",
                place_of(op.location),
            )
