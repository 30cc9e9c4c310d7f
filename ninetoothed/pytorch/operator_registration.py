"""Registration of named operators: all that torch is told of one, at once."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch

from ninetoothed.errors import ArgumentError
from ninetoothed.pytorch.backward_functions import (
    backward_functions,
    batched_backward_functions,
    no_second_derivatives,
)
from ninetoothed.pytorch.batching import (
    BatchedOperator,
    Lift,
    Refusal,
    batched_inputs,
    batched_name,
)
from ninetoothed.pytorch.differentiation import decompose, differentiate
from ninetoothed.pytorch.gradient_names import Roles
from ninetoothed.pytorch.library import define, library
from ninetoothed.pytorch.named_operators import NamedOperator
from ninetoothed.runtime.launch import device

if TYPE_CHECKING:
    from ninetoothed.pytorch.sharded_operators import CallRules

_NO_BACKWARD = (
    "its backward is a function, for the gradients of one call; a kernel as backward takes a batch"
)


def register(
    namespace: str,
    name: str,
    named: NamedOperator,
    rules: CallRules,
    lift: Lift,
    backward: Callable[..., Any] | None = None,
    setup_context: Callable[..., Any] | None = None,
    cast_inputs: torch.dtype | None = None,
) -> Callable[..., Any]:
    """Register an operator, and return it; and that of its batches, ``NAME_vmap``, which ``lift``
    makes.

    Raises:
        ArgumentError: torch does not take the names of its parameters.
    """
    part, full = library(namespace), f"{namespace}::{name}"
    is_sharded = not named.has_results

    def check(*given: Any) -> Any:
        nonlocal is_sharded
        if not is_sharded and "torch.distributed.tensor" in sys.modules:
            # DTensor asks for results before it asks for rules. Who has none does not load them.
            from ninetoothed.pytorch import sharded_operators

            is_sharded = True
            sharded_operators.register(found, named, rules)
        return named.check(*given)

    found = _defined(namespace, name, named.schema, named.run, check)
    of_batch = BatchedOperator(full, named, lift)
    batched = _defined(namespace, batched_name(name), of_batch.schema, of_batch.run, of_batch.check)
    torch.library.register_vmap(full, of_batch.rule(found, batched), lib=part)
    torch.library.register_vmap(batched_name(full), of_batch.nested_rule(found, batched), lib=part)
    if backward is not None:
        differentiate(part, found, named.completed, backward, setup_context)

        def recorded(text: str, *given: Any) -> Any:
            of_batch.warn(Refusal(_NO_BACKWARD))
            return of_batch.looped(text, named.completed(given), found, batched)

        decompose(part, batched, recorded)
    if cast_inputs is not None:
        for kind in dict.fromkeys(("cpu", device.kind())):
            for one in (full, batched_name(full)):
                torch.library.register_autocast(one, kind, cast_inputs, lib=part)
    return found


def _defined(
    namespace: str, name: str, schema: str, run: Callable[..., Any], check: Callable[..., Any]
) -> Any:
    """Define an operator, and return it.

    Raises:
        ArgumentError: torch does not take the names of its parameters.
    """
    try:
        define(namespace, name, schema, run, check)
    except RuntimeError as error:
        raise ArgumentError(
            f"torch does not take {namespace}::{name}{schema}; rename parameters of the kernel: "
            f"{str(error).splitlines()[0]}"
        ) from None
    return _overload(namespace, name)


def _overload(namespace: str, name: str) -> Any:
    return getattr(getattr(torch.ops, namespace), name).default


def register_backward(
    namespace: str,
    name: str,
    named: NamedOperator,
    backward: NamedOperator,
    roles: Roles,
    rules: CallRules,
    lift: Lift,
) -> None:
    """Register the operator of a backward kernel, with its rules, as the backward of the operator
    of another one.

    Raises:
        ArgumentError: torch does not take the names of its parameters.
    """
    full, part = f"{namespace}::{name}", library(namespace)
    of_one = f"{name}_backward"
    one = register(namespace, of_one, backward, rules, lift)
    batched = _overload(namespace, batched_name(of_one))
    refuse = no_second_derivatives(full)
    differentiate(part, one, backward.completed, refuse, None)
    differentiate(part, batched, batched_inputs(backward), refuse, None)
    functions = backward_functions(full, named, roles, one, backward.inputs)
    differentiate(part, _overload(namespace, name), named.completed, *functions)
    functions = batched_backward_functions(full, named, roles, batched, backward.inputs)
    forward = _overload(namespace, batched_name(name))
    differentiate(part, forward, batched_inputs(named), *functions)
