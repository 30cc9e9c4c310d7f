"""Registration of named operators: all that torch is told of one, at once."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch

from ninetoothed.errors import ArgumentError
from ninetoothed.pytorch.batching import batched
from ninetoothed.pytorch.differentiation import differentiate
from ninetoothed.pytorch.library import define, library
from ninetoothed.pytorch.named_operators import NamedOperator
from ninetoothed.runtime.launch import device

if TYPE_CHECKING:
    from ninetoothed.pytorch.sharded_operators import CallRules


def register(
    namespace: str,
    name: str,
    named: NamedOperator,
    backward: Callable[..., Any] | None,
    setup_context: Callable[..., Any] | None,
    cast_inputs: torch.dtype | None,
    rules: CallRules,
) -> Callable[..., Any]:
    """Register an operator, and return it.

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

    try:
        define(namespace, name, named.schema, named.run, check)
    except RuntimeError as error:
        raise ArgumentError(
            f"torch does not take {full}{named.schema}; rename parameters of the kernel: "
            f"{str(error).splitlines()[0]}"
        ) from None
    found = getattr(getattr(torch.ops, namespace), name).default
    torch.library.register_vmap(full, batched(full, named, found), lib=part)
    if backward is not None:
        differentiate(part, found, named.completed, backward, setup_context)
    if cast_inputs is not None:
        for kind in dict.fromkeys(("cpu", device.kind())):
            torch.library.register_autocast(full, kind, cast_inputs, lib=part)
    return found
