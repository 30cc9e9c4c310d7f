"""Tells whether torch traces a call: its compiler does, or tensors are given that have no data."""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Callable, Iterable
from typing import Any

from ninetoothed.calls.sequences import is_nested
from ninetoothed.calls.tensor_guards import plain_types


def _asked() -> bool:
    # Who never imported torch, or has not to the end, does not have it compile.
    compiler = getattr(sys.modules.get("torch"), "compiler", None)
    asked: Callable[[], bool] | None = getattr(compiler, "is_dynamo_compiling", None)
    if asked is None:
        return False
    if asked():
        return True
    global is_compiling
    is_compiling = asked
    return False


is_compiling: Callable[[], bool] = _asked
"""True while torch's compiler traces the caller; torch's own function, once torch is there."""


def are_traced(values: Iterable[Any]) -> bool:
    """True if one of a call's arguments is a tensor of a class that handles operators itself, as
    fake tensors and those of export do.
    """
    if "torch" not in sys.modules:
        return False
    plain = plain_types()
    return any(one.__class__ not in plain and _is_traced(one) for one in values)


def _is_traced(value: Any) -> bool:
    if is_nested(value) and hasattr(value, "_values"):
        return are_traced((value._values, value._offsets))
    return _handles_operators(value.__class__)


@functools.cache
def _handles_operators(kind: type) -> bool:
    torch: Any = importlib.import_module("torch")
    disabled = torch._C._disabled_torch_dispatch_impl
    own = getattr(kind, "__torch_dispatch__", disabled)
    return issubclass(kind, torch.Tensor) and own not in (disabled, torch.Tensor.__torch_dispatch__)
