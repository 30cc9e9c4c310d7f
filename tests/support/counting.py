"""Cost of a call, whatever else the machine does: lines executed, operations of torch."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


def lines(call: Callable[[], object]) -> int:
    """Number of Python lines that ``call`` executes in this thread, its callees' with them."""
    count = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    previous = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(previous)
    return count


class Operations(TorchDispatchMode):
    """Counts torch's operations inside a ``with``, and the elements of the tensors they return."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0
        self.elements = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        self.count += 1
        self.elements += sum(
            leaf.numel() for leaf in tree_leaves(result) if isinstance(leaf, torch.Tensor)
        )
        return result
