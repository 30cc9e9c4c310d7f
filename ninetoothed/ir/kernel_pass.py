"""Base class of the passes that work on one kernel after another."""

from __future__ import annotations

import abc
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from ninetoothed.ir import nt
from ninetoothed.ir.optimization import Optimization
from ninetoothed.symbolic.expr import IndexExpr


class KernelPass(ModulePass):
    """A pass over each kernel of a module on its own.

    Every program touches the same elements behind it as before, but for what it declares here;
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

    def number_before(self, kernel: nt.KernelOp) -> IndexExpr | None:
        """The number that program ``pid`` of the kernel behind the pass had before it, over ``pid``
        and sizes: a bijection; None: the same.
        """
        return None

    @abc.abstractmethod
    def apply_to(self, kernel: nt.KernelOp) -> None:
        """Run the pass on a kernel, in place."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in list(op.body.ops):
            if isinstance(kernel, nt.KernelOp):
                self.apply_to(kernel)
