"""Registration of operators with torch, which keeps them as long as the process runs."""

from __future__ import annotations

import threading
from collections.abc import Callable

import torch

NAMESPACE = "ninetoothed"

_library = torch.library.Library(NAMESPACE, "FRAGMENT")
_registered: set[str] = set()
_lock = threading.Lock()


def register(name: str, schema: str, run: Callable[..., None], check: Callable[..., None]) -> None:
    """Register an overload of an operator, unless there is one of its name.

    ``run`` runs it on tensors with data, and ``check`` on tensors without.
    """
    with _lock:
        if name in _registered:
            return
        tags = (torch.Tag.pt2_compliant_tag, torch.Tag.needs_exact_strides)
        _library.define(f"{name}{schema}", tags=tags)
        _library.impl(name, run, "CompositeExplicitAutograd")
        torch.library.register_fake(f"{NAMESPACE}::{name}", check, lib=_library)
        _registered.add(name)
