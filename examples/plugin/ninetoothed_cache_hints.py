"""Cache hints: ``evict_last`` for what all programs read, ``evict_first`` for what one reads."""

from dataclasses import dataclass
from typing import ClassVar

from ninetoothed.ir import nt, tt
from ninetoothed.passes import Choice, KernelPass, register
from ninetoothed.passes.analysis.backward_slice import backward_slice


def legality(kernel: nt.KernelOp):
    """Both levels are legal, and worth a trial where some load is the same in every program."""

    def legal(footprint, architecture):
        streams = [stream for scope in footprint.scopes for stream in scope.streams]
        return (1, 2) if any(one.kind == "load" and not one.dims for one in streams) else ()

    return legal


@register(after="nt-lower-accesses")
@dataclass(frozen=True)
class CacheHintsPass(KernelPass):
    name: ClassVar[str] = "cache-hints"
    optimizations = (Choice("cache_hints", name, "level", "Loads have cache hints.", legality),)
    level: int = 0
    """1: hints for what all programs read; 2: and for the rest."""

    def apply_to(self, kernel: nt.KernelOp) -> None:
        remarks = nt.RemarkEmitter(kernel, self.name)
        for op in kernel.apply.walk():
            if isinstance(op, tt.LoadOp) and tt.CachePolicy.of(op) == tt.CachePolicy():
                slice_ = backward_slice(op.ptr)
                is_own = any(isinstance(value.owner, tt.GetProgramIdOp) for value in slice_)
                if self.level > is_own:
                    hint = "evict_first" if is_own else "evict_last"
                    op.properties.update(tt.CachePolicy(eviction=hint).properties)
                    remarks.passed(op, f"load has the hint {hint}")
