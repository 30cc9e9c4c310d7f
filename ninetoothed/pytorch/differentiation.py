"""Gradients of operators: a function of theirs as the backward of an operator of torch.

``torch.library.register_autograd`` refuses ``torch.func.grad`` and what is built on it, and lets
``torch.func.jvp`` find tangents of zero. What is registered here records at the level at which the
operator is called, as torch's own operators do, so that levels of ``torch.func`` nest; forward mode
is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import torch
from torch._functorch.utils import enable_single_level_autograd_function
from torch.autograd import forward_ad
from torch.autograd.function import _SingleLevelFunction

# pyright: reportPrivateUsage=false
# As torch.library.register_autograd does.

_below_autograd = torch._C._AutoDispatchBelowAutograd
_after_autograd = torch._C._after_autograd_keyset
_requires_grad = cast("Callable[..., bool]", torch._C._any_requires_grad)
_is_transformed = torch._C._are_functorch_transforms_active


def differentiate(
    library: torch.library.Library,
    operator: Any,
    completed: Callable[[Sequence[Any]], Sequence[Any]],
    backward: Callable[..., Any],
    setup_context: Callable[..., Any] | None,
) -> None:
    """Register the backward of an overload of an operator, which returns what it computes.

    ``backward`` and ``setup_context`` are as ``torch.library.register_autograd`` takes them.
    ``completed`` appends values by default to arguments, which torch leaves out.
    """
    redispatch = operator.redispatch

    class Recorded(_SingleLevelFunction):
        @staticmethod
        def forward(*given: Any) -> Any:
            *args, keys = given
            if not _is_transformed():
                with _below_autograd():
                    return redispatch(keys & _after_autograd, *args)
            # An outer level of torch.func records, too.
            with _below_autograd(), torch.enable_grad(), forward_ad._set_fwd_grad_enabled(True):
                return redispatch(keys & _after_autograd, *args)

        @staticmethod
        def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
            if setup_context is not None:
                setup_context(ctx=ctx, inputs=tuple(completed(inputs[:-1])), output=output)

        @staticmethod
        def backward(ctx: Any, *gradients: Any) -> Any:
            needed = ctx.needs_input_grad
            ctx.needs_input_grad = needed[:-1]
            try:
                found = backward(ctx, *gradients)
            finally:
                ctx.needs_input_grad = needed
            # A number by default was no input of this function.
            found = cast("tuple[Any, ...]", found) if isinstance(found, tuple) else (found,)
            return (*found[: len(needed) - 1], None)

    apply: Callable[..., Any] = getattr(Recorded, "apply")  # noqa: B009

    def recorded(keys: Any, *args: Any) -> Any:
        with enable_single_level_autograd_function():
            return apply(*args, keys)

    _record(library, operator, recorded)


def decompose(library: torch.library.Library, operator: Any, function: Callable[..., Any]) -> None:
    """Have calls of an overload of an operator be calls of ``function`` where gradients are
    recorded: those of what it calls.
    """

    def recorded(keys: Any, *args: Any) -> Any:
        return function(*args)

    _record(library, operator, recorded)


def _record(library: torch.library.Library, operator: Any, recorded: Callable[..., Any]) -> None:
    """Have calls of an overload of an operator be calls of ``recorded`` where gradients are
    recorded: with the keys of torch's dispatcher in front.
    """
    redispatch = operator.redispatch

    def record(keys: Any, *args: Any) -> Any:
        is_recorded = torch.is_grad_enabled() and _requires_grad(*args)
        if is_recorded or forward_ad._current_level >= 0:
            return recorded(keys, *args)
        with _below_autograd():
            return redispatch(keys & _after_autograd, *args)

    library.impl(operator, record, "Autograd", with_keyset=True)
