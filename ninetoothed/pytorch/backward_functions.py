"""Backward kernels as ``backward`` and ``setup_context`` of an operator."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import torch

from ninetoothed.errors import ArgumentError
from ninetoothed.pytorch.gradient_names import Roles, missing_gradient
from ninetoothed.pytorch.named_operators import NamedOperator, several


def backward_functions(
    name: str,
    named: NamedOperator,
    roles: Roles,
    operator: Callable[..., Any],
    taken: Sequence[str],
) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """``backward`` and ``setup_context`` of the operator ``name``.

    ``operator`` is that of the backward kernel, which returns the gradients that it computes;
    ``taken`` names its arguments.
    """
    inputs, outputs = named.inputs, named.outputs
    names = (*inputs, *outputs)

    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        values = dict(zip(names, (*inputs, *several(output)), strict=True))
        ctx.save_for_backward(*[values[one] for one in roles.tensors])
        ctx.numbers = [values[one] for one in roles.numbers]
        # The tensors themselves would be kept alive.
        ctx.shapes = [(values[one].shape, values[one].dtype) for one in roles.shapes]
        # Their gradients would be lost.
        lost = [values[one] for one in outputs if one not in roles.given.values()]
        if lost:
            ctx.mark_non_differentiable(*lost)

    def backward(ctx: Any, *gradients: torch.Tensor) -> Any:
        needed = [one for one, needs in zip(inputs, ctx.needs_input_grad, strict=False) if needs]
        for one in needed:
            if one not in roles.computed.values():
                raise missing_gradient(name, one)
        of_results = dict(zip(outputs, gradients, strict=True))
        values = {one: of_results[owner] for one, owner in roles.given.items()}
        first = next(iter(values.values()))
        values.update(zip(roles.tensors, ctx.saved_tensors, strict=True))
        values.update(zip(roles.numbers, ctx.numbers, strict=True))
        for one, (shape, dtype) in zip(roles.shapes, ctx.shapes, strict=True):
            values[one] = first.new_empty((), dtype=dtype).expand(shape)
        results = several(operator(*[values[one] for one in taken]))
        found = dict(zip(roles.computed.values(), results, strict=True))
        return tuple([found[one] if one in needed else None for one in inputs])

    return backward, setup_context


def batched_backward_functions(
    name: str,
    named: NamedOperator,
    roles: Roles,
    operator: Callable[..., Any],
    taken: Sequence[str],
) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """``backward`` and ``setup_context`` of the operator of the batches of the operator ``name``.

    ``operator`` is that of the batches of the backward kernel.
    """
    alone = functools.partial(backward_functions, name, named, roles, taken=taken)
    _, setup_of_one = alone(operator)

    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        batched, *own = inputs
        setup_of_one(ctx, tuple(own), output)
        ctx.batched = batched

    def backward(ctx: Any, *gradients: torch.Tensor) -> Any:
        levels = [level.split(",") for level in ctx.batched.split(";")]
        always = {*roles.given, *named.outputs}
        texts = [",".join([one for one in taken if one in {*always, *level}]) for level in levels]
        backward_of_one, _ = alone(functools.partial(operator, ";".join(texts)))
        needed = ctx.needs_input_grad
        ctx.needs_input_grad = needed[1:]
        try:
            found = backward_of_one(ctx, *gradients)
        finally:
            ctx.needs_input_grad = needed
        # What all calls of a batch are given has the sum of their gradients.
        depths = [
            [depth for depth, level in enumerate(reversed(levels)) if one not in level]
            for one in named.inputs
        ]
        pairs = zip(found, depths, strict=True)
        return (None, *(one.sum(dims) if one is not None and dims else one for one, dims in pairs))

    return backward, setup_context


def no_second_derivatives(name: str) -> Callable[..., Any]:
    """The backward of the operator of a backward kernel, that of the operator ``name``."""

    def backward(ctx: Any, *gradients: Any) -> Any:
        raise ArgumentError(
            f"{name}: its backward is a kernel, whose derivatives nothing tells; for second "
            "derivatives give a function as backward, which calls operators that have a backward"
        )

    return backward
