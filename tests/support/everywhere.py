"""One kernel run in every way that a device has: interpreted at `nt` and at `tt`, or by both
backends.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

import ninetoothed
from ninetoothed import Tensor
from ninetoothed.calls.arguments import bind
from ninetoothed.compiler.compile import lower
from ninetoothed.interpreters import interpret
from tests.support.spaces import by_block_sizes

Check = Callable[[Sequence[torch.Tensor]], None]


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
        tensors = [Tensor(v.ndim if isinstance(v, torch.Tensor) else 0) for v in values]

    def clones() -> list[Any]:
        return [
            value.clone(memory_format=torch.preserve_format).to(device)
            if isinstance(value, torch.Tensor)
            else value
            for value in values
        ]

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
            bound = bind(kernel.definition.interface, arguments, constexprs).values
            module = kernel.composed(signature, config)
            interpret(lower(module, signature, config), bound)
            check(*arguments)
        return
    for backend in ("ttir", "triton-python"):
        kernel = ninetoothed.make(arrangement, application, tuple(tensors), backend=backend)
        arguments = clones()
        kernel(*arguments, **constexprs)
        check(*arguments)
