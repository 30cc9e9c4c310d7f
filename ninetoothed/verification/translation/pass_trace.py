"""Pass trace: a kernel's module with its programs numbered, and after each pass behind, for one
configuration.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from xdsl.dialects.builtin import ModuleOp

from ninetoothed.artifacts.configuration import Config
from ninetoothed.artifacts.signature import Signature
from ninetoothed.compiler.compile import build, lower, pass_options
from ninetoothed.definition.definition import Definition
from ninetoothed.errors import CompilerError
from ninetoothed.interpreters.run import Argument, bind
from ninetoothed.ir import nt
from ninetoothed.ir.kernel_pass import (
    DeclaringPass,
    JoinedLanes,
    KernelPass,
    MergedPrograms,
    ReorderedLanes,
)
from ninetoothed.ir.snapshots import Snapshots
from ninetoothed.passes.analysis.checked_sizes import checked_equalities
from ninetoothed.passes.analysis.equalities import Equalities
from ninetoothed.passes.pipeline import ANNOTATED, SPECIALIZED, Step, reproducer, steps
from ninetoothed.symbolic.expr import IndexExpr, as_expr, evaluate
from ninetoothed.verification.translation.proofs import same_addresses


@dataclass(frozen=True)
class TraceStep:
    """One pass: the module before and after it; ``rest`` is the pipeline from it on."""

    name: str
    before: ModuleOp
    after: ModuleOp
    rest: tuple[Step, ...]
    known: Mapping[str, IndexExpr | int]

    def proved(self, symbols: Mapping[str, int]) -> bool:
        """True if the attributes prove that the pass changed no address of a call with these
        values.
        """
        if any(
            symbols[name] != evaluate(as_expr(value), symbols) for name, value in self.known.items()
        ):
            # The module was specialized on other values, or on sizes that are equal.
            return False
        return self._same

    @cached_property
    def _same(self) -> bool:
        return same_addresses(self.before, self.after, self.known)

    @property
    def drops(self) -> bool:
        """True if the pass may leave out reads. xDSL's do where a value is unused."""
        pass_ = self.rest[0].pass_
        return pass_.drops_reads if isinstance(pass_, DeclaringPass) else True

    @property
    def number_before(self) -> IndexExpr | None:
        """The number that a program ``pid`` had before the pass; None: the same."""
        pass_ = self.rest[0].pass_
        if not isinstance(pass_, KernelPass):
            return None
        kernel = next(iter(self.after.body.ops))
        return pass_.number_before(kernel) if isinstance(kernel, nt.KernelOp) else None

    @property
    def joined_lanes(self) -> Collection[JoinedLanes]:
        """The reads whose lanes the pass joins."""
        found = self._of_kernel
        return found[0].joined_lanes(found[1]) if found else ()

    @property
    def reordered_lanes(self) -> Collection[ReorderedLanes]:
        """The accesses whose lanes the pass reorders."""
        found = self._of_kernel
        return found[0].reordered_lanes(found[1]) if found else ()

    @property
    def merged_programs(self) -> MergedPrograms | None:
        """The programs that the pass merges; None: none."""
        found = self._of_kernel
        return found[0].merged_programs(found[1]) if found else None

    @property
    def _of_kernel(self) -> tuple[KernelPass, nt.KernelOp] | None:
        """The pass, and the kernel before it; None: it is no pass of kernels."""
        pass_, kernel = self.rest[0].pass_, next(iter(self.before.body.ops))
        if isinstance(pass_, KernelPass) and isinstance(kernel, nt.KernelOp):
            return pass_, kernel
        return None

    @property
    def adds(self) -> bool:
        """True if the pass may add a read."""
        pass_ = self.rest[0].pass_
        return pass_.adds_reads if isinstance(pass_, DeclaringPass) else False

    @property
    def is_ours(self) -> bool:
        """True unless the pass is one of xDSL's."""
        return isinstance(self.rest[0].pass_, DeclaringPass)

    @property
    def reproducer(self) -> str:
        """End of an error's message: the file with the module before the pass."""
        return reproducer(self.before, self.rest)


@dataclass(frozen=True)
class PassTrace:
    """Module whose programs are numbered, and the passes behind. Before that, an arrangement does
    not say which element is whose.
    """

    start: ModuleOp
    trace_steps: tuple[TraceStep, ...]

    def symbols(self, values: Sequence[Argument], constants: Mapping[str, int]) -> dict[str, int]:
        """Values of the symbols in a call.

        Raises:
            ArgumentError: an argument does not fit.
        """
        kernel = nt.kernel_of(self.start)
        return bind([source.decl for source in kernel.sources], values, constants)


def pass_trace(definition: Definition, signature: Signature, config: Config) -> PassTrace:
    """Compile a kernel for one configuration, keeping the module after every pass from the
    numbering of programs on.

    Raises:
        NineToothedError: the kernel is wrong for the signature or the configuration.
    """
    snapshots = Snapshots()
    composed = build(definition, signature, [snapshots], config)
    changes = definition.pipeline
    lower(composed, signature, config, [snapshots], pipeline=changes)
    options = pass_options(composed, signature, config, pipeline=changes)
    pipeline: Sequence[Step] = [
        *steps(ANNOTATED, pipeline=changes),
        *steps(SPECIALIZED, options, changes),
    ]
    texts = (text.partition("=") for text in options["nt-specialize"]["values"])
    known: dict[str, IndexExpr | int] = {name: int(value) for name, _, value in texts}
    kernel = nt.kernel_of(composed)
    equal = Equalities(decl.name for decl in kernel.declarations if decl.name not in known)
    for one, two in (*signature.equal, *checked_equalities(kernel)):
        equal.join(one, two)
    known |= equal.merged
    trace_steps = _trace_steps(snapshots.modules, pipeline, known)
    names = [trace_step.name for trace_step in trace_steps]
    first = names.index("nt-number-programs")
    return PassTrace(trace_steps[first].after, trace_steps[first + 1 :])


def full_steps(
    definition: Definition, signature: Signature, config: Config, passes: PassTrace
) -> tuple[TraceStep, ...]:
    """The passes on the second kernel, of calls in which all guards hold, from the first that
    treats it differently on; none where there is no such pass. ``passes`` are those on the first.
    """
    (first,) = (step for step in passes.trace_steps if step.name == "nt-specialize")
    composed, changes = first.before, definition.pipeline
    snapshots = Snapshots(("", composed))
    lower(composed, signature, config, [snapshots], full=True, pipeline=changes)
    options = pass_options(composed, signature, config, full=True, pipeline=changes)
    found = _trace_steps(snapshots.modules, steps(SPECIALIZED, options, changes), first.known)
    names = [trace_step.name for trace_step in found]
    return found[names.index(_DIVIDES) :] if _DIVIDES in names else ()


_DIVIDES = "nt-fold-guards"


def _trace_steps(
    modules: Sequence[tuple[str, ModuleOp]],
    pipeline: Sequence[Step],
    known: Mapping[str, IndexExpr | int],
) -> tuple[TraceStep, ...]:
    """The passes of a pipeline, between the modules before, between and behind them.

    Raises:
        CompilerError: the modules are of others.
    """
    if [name for name, _ in modules[1:]] != [step.pass_.name for step in pipeline]:
        raise CompilerError("the pipeline and its observers do not agree on the passes")
    return tuple(
        TraceStep(name, modules[index][1], after, tuple(pipeline[index:]), known)
        for index, (name, after) in enumerate(modules[1:])
    )
