"""Interpreters of ``nt`` and ``tt`` over torch: a kernel at any stage, run on CPU tensors, all
programs at once.

A value of the IR is a tensor with a leading dim of programs; dims along which it is uniform have
size 1, as if broadcast. ``run`` binds the arguments and iterates over the programs in chunks;
``machine`` executes blocks op by op with the handlers, keyed by op class, of ``nt_ops``,
``tt_ops``, ``arith_ops``, ``reductions``, ``shapes``, ``accesses``, ``pointers``, ``control`` and
others. ``elementwise`` holds the arithmetic, ``element_types`` the element types in torch,
``memory`` loads and stores, ``chains`` the semantics of meta-operations, ``trace`` the accesses.

The modules of this package import torch; the package itself does so only when it is called.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch
    from xdsl.dialects.builtin import ModuleOp

    from ninetoothed.calls.sequences import Jagged
    from ninetoothed.interpreters.trace import Trace

_NO_CONSTANTS: Mapping[str, int] = MappingProxyType({})


def interpret(
    module: ModuleOp,
    values: Sequence[torch.Tensor | Jagged | int | float | bool],
    constants: Mapping[str, int] = _NO_CONSTANTS,
    trace: Trace | None = None,
    written: Sequence[int] = (),
) -> None:
    """Run the only kernel of ``module``, an ``nt.kernel`` or a ``tt.func``, for all of its
    programs, in place.

    ``values`` are the arguments in launch order: CPU tensors, jagged ones taken apart, and numbers
    for parameters without dims. ``constants`` are the values of symbols that no tensor's size or
    stride gives, block sizes above all. ``trace`` records which elements of the tensors every lane
    accesses. ``written`` are the positions of the tensors that the kernel writes, whose version
    counters are raised, if there is a program.

    Raises:
        ArgumentError: the arguments do not fit the kernel.
        NineToothedError: a loop is longer than ``NINETOOTHED_INTERPRET_MAX_STEPS``.
        CompilerError: an op has no handler, or memory outside the tensors is addressed.
    """
    from ninetoothed.interpreters.run import launch

    launch(module, values, constants, trace, written)
