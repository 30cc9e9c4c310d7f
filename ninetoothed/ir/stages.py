"""The stages of a module on its way from ``nt`` to ``tt``: which ops each may hold.

A stage is defined by what may appear in it. :func:`check_stage` holds a module to its stage; the
pipeline calls it at the end of each.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from ninetoothed.errors import CompilerError
from ninetoothed.ir import nt, tt
from ninetoothed.ir.diagnostics import loc_of

_META = frozenset(op.name for op in nt.META_OPERATIONS.values())
_FRAME = frozenset(("builtin.module", "nt.kernel", "nt.source", "nt.arranged", "nt.finish"))
_BLOCKS = frozenset(
    op.name
    for op in (
        nt.LoadOp,
        nt.GuardOp,
        nt.StoreOp,
        nt.StoredOp,
        nt.BarrierOp,
        nt.SizeOp,
        nt.FullOp,
        nt.ArangeOp,
        nt.MapOp,
        nt.ConstantOp,
        nt.CastOp,
        nt.BitcastOp,
        nt.BroadcastOp,
        nt.ExpandDimsOp,
        nt.TransOp,
        nt.GatherOp,
        nt.ReshapeOp,
        nt.JoinOp,
        nt.SplitOp,
        nt.ReduceOp,
        nt.ReduceByOp,
        nt.ScanOp,
        nt.ScanByOp,
        nt.CombinedOp,
        nt.SortOp,
        nt.HistogramOp,
        nt.DotOp,
        nt.DotScaledOp,
        nt.HintOp,
        nt.InlineAsmOp,
        nt.PrintOp,
        nt.AssertOp,
        nt.AssumeOp,
        nt.ProgramCountOp,
        nt.OffsetsOp,
        nt.AddressOp,
        nt.PointerOp,
        nt.SequencesOp,
        nt.AddPtrOp,
        nt.PointerLoadOp,
        nt.PointerStoreOp,
        nt.AtomicOp,
        nt.AtomicCasOp,
    )
)
# Lanes are reversed within true sizes, which only `nt-pad-blocks` knows beside the padded ones.
_TRUE_SIZES = frozenset(("nt.flip",))
_MEMORY = frozenset(("nt.store", "nt.stored", "nt.guard", "nt.offsets", "nt.address"))
_CONTROL = frozenset(
    (
        *("scf.for", "scf.while", "scf.condition", "scf.if", "scf.yield"),
        *("arith.constant", "builtin.unrealized_conversion_cast"),
    )
)
# The number of a program, which only scheduling knows.
_NUMBERED = frozenset(("nt.program_number",))
_PROGRAMS = frozenset(("nt.program_id", "nt.program_index"))
_ACCESS = frozenset(("nt.access",))
_TT = frozenset(op.name for op in tt.TT.operations)
_ADDRESSES = _TT - {"tt.func", "tt.return"}


@dataclass(frozen=True)
class Stage:
    """A stage: ``ops`` may appear, and all ops of ``dialects``."""

    name: str
    ops: frozenset[str]
    dialects: tuple[str, ...] = ()

    def allows(self, op: Operation) -> bool:
        """Whether ``op`` may appear."""
        return op.name in self.ops or op.name.partition(".")[0] in self.dialects


_COMPOSED = _FRAME | _ACCESS | _BLOCKS | _CONTROL

STAGES: dict[str, Stage] = {
    stage.name: stage
    for stage in (
        Stage("arranged", _FRAME | _META | _BLOCKS | _CONTROL | _TRUE_SIZES | _NUMBERED),
        Stage("composed", _COMPOSED | _TRUE_SIZES | _NUMBERED),
        Stage("specialized", _COMPOSED | _TRUE_SIZES | _NUMBERED),
        Stage("padded", _COMPOSED | _NUMBERED),
        Stage("scheduled", _COMPOSED | _PROGRAMS),
        Stage("addressed", _COMPOSED - _MEMORY | _ADDRESSES | {"nt.program_id"}, ("arith",)),
        Stage("tt", _TT | {"builtin.module"}, ("arith", "math", "scf")),
    )
}


def check_stage(module: ModuleOp, name: str) -> None:
    """Hold a module to a stage.

    Raises:
        CompilerError: an op may not appear there; named, at its place.
    """
    stage = STAGES[name]
    for op in module.walk():
        if not stage.allows(op):
            raise CompilerError(
                f"{op.name} may not appear in stage {name}; a pass before it left it over",
                loc_of(op.location),
            )
