"""The kernels that a launch runs before a kernel, which ``-t`` prints before its text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import ModuleOp

from ninetoothed.artifacts.target import DEFAULT_TARGET, Target
from ninetoothed.backend.device_function import device_function, packed_parameters
from ninetoothed.compiler.packing import Copied, copy_module, copy_steps
from ninetoothed.ir.dialects import context
from ninetoothed.passes.lower_accesses import LowerAccessesPass
from ninetoothed.passes.pipeline import Step, run


def prologue(module: ModuleOp, steps: Sequence[Step], arch: str | None) -> Iterator[ModuleOp]:
    """The kernels that make the packed copies that a module's kernel reads, in stage ``tt``.

    ``steps``: what was run over the module, which says how wide offsets are; without, there are
    none.
    """
    widths = [one.pass_.index_bits for one in steps if isinstance(one.pass_, LowerAccessesPass)]
    if not widths:
        return
    function = device_function(module)
    for packed in packed_parameters(function):
        copy = copy_module(Copied.of(packed, function))
        run(context(), copy, copy_steps(widths[-1], Target.parse(arch or DEFAULT_TARGET)))
        yield copy
