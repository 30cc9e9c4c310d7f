"""One kernel run in every way that a device has: interpreted at `nt` and at `tt`, or as
Triton-Python by Triton's interpreter, or by both backends.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
import torch
from xdsl.dialects.builtin import ModuleOp

import ninetoothed
from ninetoothed import Tensor
from ninetoothed.artifacts.configuration import Config
from ninetoothed.calls.arguments import bind
from ninetoothed.compiler.compile import lower
from ninetoothed.compiler.full_function import is_full
from ninetoothed.compiler.space import space
from ninetoothed.interpreters import interpret
from ninetoothed.kernel.kernel import Kernel
from tests.support import triton_interpreter
from tests.support.idioms.idiom import declared
from tests.support.spaces import by_block_sizes
from tests.support.triton_interpreter import TRITON

Check = Callable[[Sequence[torch.Tensor]], None]


def lowered(
    kernel: Kernel,
    values: Sequence[Any],
    config: Config | None = None,
    index_bits: int | None = None,
    **constexprs: int,
) -> tuple[ModuleOp, Sequence[Any]]:
    """The kernel behind the last pass, and its arguments: what ``interpret`` takes.

    ``index_bits``: as of tensors that so many bits reach; None: of these ``values``.
    """
    return _lowered(kernel, values, config, constexprs, index_bits=index_bits)


def _lowered(
    kernel: Kernel,
    values: Sequence[Any],
    config: Config | None,
    constexprs: Mapping[str, int],
    full: bool = False,
    index_bits: int | None = None,
) -> tuple[ModuleOp, Sequence[Any]]:
    bound = bind(kernel.definition.interface, values, constexprs)
    signature = bound.signature
    if index_bits is not None:
        signature = replace(signature, index_bits=index_bits)
    module = kernel.composed(signature, config)
    config = config or space(module, signature).configs[0]
    return lower(module, signature, config, full=full), bound.values


def everywhere(
    device: str,
    arrangement: Callable[..., object],
    application: Callable[..., object],
    values: Sequence[Any],
    check: Callable[..., None],
    tensors: Sequence[Tensor] | None = None,
    **constexprs: int,
) -> None:
    """Run the kernel on clones of ``values`` each way, and ``check(*values)`` after each.

    ``tensors`` is left out where only the number of dims of each value counts.
    """
    if tensors is None:
        tensors = declared(values)

    def clones() -> list[Any]:
        return [
            value.clone(memory_format=torch.preserve_format).to(device)
            if isinstance(value, torch.Tensor)
            else value
            for value in values
        ]

    if device is TRITON:
        kernel = ninetoothed.make(arrangement, application, tuple(tensors))
        try:
            arguments = triton_interpreter.run(kernel, clones(), constexprs)
        except triton_interpreter.UnsupportedError as error:
            pytest.skip(str(error))
        check(*arguments)
        return
    if device == "cpu":
        kernel = ninetoothed.make(arrangement, application, tuple(tensors))
        arguments = clones()
        kernel(*arguments, **constexprs)
        check(*arguments)
        arguments = clones()
        signature = bind(kernel.definition.interface, arguments, constexprs).signature
        module = kernel.composed(signature)
        for config in by_block_sizes(module, signature)[:3]:
            arguments = clones()
            module, bound = lowered(kernel, arguments, config, **constexprs)
            interpret(module, bound)
            check(*arguments)
            if is_full(module, bound):
                arguments = clones()
                interpret(*_lowered(kernel, arguments, config, constexprs, full=True))
                check(*arguments)
        return
    for backend in ("ttir", "triton-python"):
        kernel = ninetoothed.make(arrangement, application, tuple(tensors), backend=backend)
        arguments = clones()
        kernel(*arguments, **constexprs)
        check(*arguments)
