"""Cache hints: ``evict_last`` for what all programs read, ``evict_first`` for what one reads."""

from dataclasses import dataclass
from typing import ClassVar

from xdsl.ir import Operation, SSAValue

from ninetoothed.ir import nt, tt
from ninetoothed.passes import Choice, KernelPass, register


def depends_on_program(value: SSAValue) -> bool:
    """True if a value may differ between programs; it is followed backwards, through loops too."""
    seen, pending = set[Operation](), [value]
    while pending:
        owner = pending.pop().owner
        op = owner if isinstance(owner, Operation) else owner.parent_op()
        if isinstance(op, tt.GetProgramIdOp):
            return True
        if op is not None and op not in seen and not isinstance(op, nt.KernelOp):
            seen.add(op)
            pending += [operand for inner in op.walk() for operand in inner.operands]
    return False


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
                is_own = depends_on_program(op.ptr)
                if self.level > is_own:
                    hint = "evict_first" if is_own else "evict_last"
                    op.properties.update(tt.CachePolicy(eviction=hint).properties)
                    remarks.passed(op, f"load has the hint {hint}")
