"""Calls that torch's compiler does not trace: it leaves the graph for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import torch

from ninetoothed.pytorch import sharded_calls

_disable = cast("Callable[..., Any]", torch.compiler.disable)

call_mutating: Callable[..., None] = _disable(
    sharded_calls.call_mutating,
    reason="kernels that write into DTensors are not traced; have the kernel allocate what it "
    "writes, as in make(..., outputs=('output',))",
)
"""``sharded_calls.call_mutating``."""
