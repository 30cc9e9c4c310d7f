"""Which calls launch the kernel without guards: its artifact's function, in this process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from ninetoothed.backend.launch_source import launch_source
from ninetoothed.calls.generated import defined


def is_full(module: ModuleOp, values: Sequence[Any]) -> bool:
    """True if all guards hold in a call with these arguments, so that it may launch the kernel
    without them in the place of ``module``, which is in stage ``tt``.
    """
    source = launch_source(module)
    if "def is_full(" not in source:
        return False
    (function,) = defined(("is_full",), source, {})
    try:
        return function(*values)
    except ZeroDivisionError:
        return False
