"""Base classes of the passes that work on one kernel, or one device function, after another."""

from __future__ import annotations

import abc
from collections.abc import Collection
from typing import ClassVar, NamedTuple

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from ninetoothed.ir import nt, tt
from ninetoothed.ir.optimization import Optimization
from ninetoothed.symbolic.expr import IndexExpr


class DeclaringPass(ModulePass):
    """Base class of passes that declare what they do.

    Every program touches the same elements behind one as before, but for what it declares here;
    translation validation allows that, and nothing else.
    """

    drops_reads: ClassVar[bool] = False
    """True if it may leave out reads: their values are known, or reach no store."""
    adds_reads: ClassVar[bool] = False
    """True if it may read what nothing uses, inside of the tensors."""
    optimizations: ClassVar[tuple[Optimization, ...]] = ()
    """Of a pass of another package: what ``NINETOOTHED_DISABLE_OPTIMIZATIONS`` switches off, and
    what the tuner chooses. Ours are in ``compiler.optimizations``."""
    required_stages: ClassVar[tuple[str, ...]] = ()
    """Of a pass of another package: the stages whose modules it takes; none: any stage's."""


class JoinedLanes(NamedTuple):
    """Reads of a parameter in blocks of ``ndim`` dims, of which one lane makes all along ``dim``
    from a pass on.
    """

    parameter: str
    ndim: int
    dim: int


class ReorderedLanes(NamedTuple):
    """Accesses of a kind, ``"read"`` or ``"write"``, to a parameter."""

    parameter: str
    kind: str


class MergedPrograms(NamedTuple):
    """Programs of ``shape`` of which, from a pass on, one is ``factor`` that lie side by side along
    ``dim``. Of accesses to ``parameters``, its lanes have an index more, in front: which of the
    programs the lane is of.
    """

    shape: tuple[IndexExpr, ...]
    dim: int
    factor: int
    parameters: frozenset[str]


class KernelPass(DeclaringPass):
    """Base class of passes over each kernel (``nt.kernel``) of a module on its own, in the stages
    before ``tt``. Its fields are its options.
    """

    def number_before(self, kernel: nt.KernelOp) -> IndexExpr | None:
        """The number that program ``pid`` of the kernel behind the pass had before it, over ``pid``
        and sizes; of several that do what one did, the same; None: each has its own.
        """
        return None

    def joined_lanes(self, kernel: nt.KernelOp) -> Collection[JoinedLanes]:
        """The reads whose lanes the pass joins, of the kernel in front of it."""
        return ()

    def reordered_lanes(self, kernel: nt.KernelOp) -> Collection[ReorderedLanes]:
        """The accesses whose lanes are others from the pass on, of the kernel in front of it: each
        program makes the same ones.
        """
        return ()

    def merged_programs(self, kernel: nt.KernelOp) -> MergedPrograms | None:
        """The programs that the pass merges, of the kernel in front of it; None: none."""
        return None

    @abc.abstractmethod
    def apply_to(self, kernel: nt.KernelOp) -> None:
        """Run the pass on a kernel, in place."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in list(op.body.ops):
            if isinstance(kernel, nt.KernelOp):
                self.apply_to(kernel)


class FunctionPass(DeclaringPass):
    """Base class of passes over each device function (``tt.func``) of a module on its own, in stage
    ``tt``, where there are no kernels any more. Its fields are its options.
    """

    required_stages: ClassVar[tuple[str, ...]] = ("tt",)

    @abc.abstractmethod
    def apply_to(self, function: tt.FuncOp) -> None:
        """Run the pass on a device function, in place."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in list(op.body.ops):
            if isinstance(function, tt.FuncOp):
                self.apply_to(function)
