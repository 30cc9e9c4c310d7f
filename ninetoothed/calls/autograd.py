"""Autograd and a kernel's calls: what is written is known to it, and what it would miss is told.

Autograd saves tensors for the backward pass and compares their version counters there: one that was
written meanwhile is an error. torch's own operations raise the counter; a kernel writes behind
torch's back, so that the counter is raised for it.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

from ninetoothed.calls.sequences import Jagged


def increment() -> Callable[[Any], None]:
    """torch's function that raises the version counter of a tensor, or of several; it ignores
    inference tensors, which have none.
    """
    return importlib.import_module("torch.autograd.graph").increment_version


def mark_written(value: Any, raised: Callable[[Any], None]) -> None:
    """Raise the version counter of an argument that was written; ``raised`` is :func:`increment`'s
    function.

    Of a nested tensor, it is that of its values, too: autograd may have saved either.
    """
    if isinstance(value, Jagged):
        raised(value.elements)
        if value.nested is not None:
            raised(value.nested)
    else:
        raised(value)


def recording() -> Callable[[], bool]:
    """torch's function that is true where autograd records: outside of ``torch.no_grad()``."""
    return importlib.import_module("torch").is_grad_enabled


def requiring_gradients(values: Sequence[Any]) -> list[int]:
    """Positions of the tensors whose gradients autograd expects here."""
    found = [place for place, one in enumerate(values) if getattr(one, "requires_grad", False)]
    return found if found and recording()() else []
