"""Which calls launch the kernel without guards: its artifact's function, in this process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from ninetoothed.backend.launch_source import launch_source
from ninetoothed.calls.generated import defined


def full_function(module: ModuleOp) -> Callable[..., bool] | None:
    """The function that tells of a call's arguments whether all guards hold, of a module in stage
    ``tt``; None where no guard can be left out.
    """
    source = launch_source(module)
    if "def is_full(" not in source:
        return None
    (function,) = defined(("is_full",), source, {})
    return function


def is_full(module: ModuleOp, values: Sequence[Any]) -> bool:
    """True if all guards hold in a call with these arguments, so that it may launch the kernel
    without them in the place of ``module``, which is in stage ``tt``.
    """
    function = full_function(module)
    try:
        return function is not None and function(*values)
    except ZeroDivisionError:
        return False
