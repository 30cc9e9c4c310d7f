"""What the passes make of an example's kernel."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from ninetoothed.compiler.compile import lower
from ninetoothed.compiler.defaults import assumed_signature, pick
from ninetoothed.ir.snapshots import Snapshots
from tests.support.example_kernels import ExampleKernel


def modules_of(file: str) -> list[tuple[str, ModuleOp]]:
    """The module behind each pass that lowers the kernel of ``examples/FILE.py``, by its name."""
    kernel = ExampleKernel(file).kernel
    signature = assumed_signature(kernel.definition, {}, {})
    composed = kernel.composed(signature)
    signature, config = pick(kernel.definition, composed, signature, {})
    snapshots = Snapshots()
    lower(composed, signature, config, [snapshots])
    return snapshots.modules
