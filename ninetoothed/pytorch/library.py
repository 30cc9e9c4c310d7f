"""Registration of operators with torch, which keeps them as long as the process runs."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import torch

NAMESPACE = "ninetoothed"

_libraries: dict[str, torch.library.Library] = {}
_registered: set[str] = set()
_lock = threading.RLock()


def library(namespace: str) -> torch.library.Library:
    """Our part of a namespace of operators."""
    with _lock:
        if namespace not in _libraries:
            _libraries[namespace] = torch.library.Library(namespace, "FRAGMENT")
        return _libraries[namespace]


def define(
    namespace: str,
    name: str,
    schema: str,
    run: Callable[..., Any],
    check: Callable[..., Any],
    waits: bool = False,
) -> None:
    """Define an operator, or an overload of one.

    ``run`` runs it on tensors with data, and ``check`` on tensors without. ``waits``: ``run`` waits
    for the device, so torch's compiler leaves it out of CUDA graphs.
    """
    part = library(namespace)
    tags = [torch.Tag.pt2_compliant_tag, torch.Tag.needs_exact_strides]
    # Older ones of torch do not know it, and fail where they record a graph.
    if waits and hasattr(torch.Tag, "cudagraph_unsafe"):
        tags.append(torch.Tag.cudagraph_unsafe)
    part.define(f"{name}{schema}", tags=tags)
    part.impl(name, run, "CompositeExplicitAutograd")
    torch.library.register_fake(f"{namespace}::{name}", check, lib=part)


def register(
    name: str,
    schema: str,
    run: Callable[..., Any],
    check: Callable[..., Any],
    waits: bool = False,
) -> bool:
    """Define an overload of an operator of a kernel's calls (see :func:`define`), unless there is
    one of its name; True if there was none.
    """
    with _lock:
        if name in _registered:
            return False
        define(NAMESPACE, name, schema, run, check, waits)
        _registered.add(name)
        return True
