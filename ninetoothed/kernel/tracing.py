"""Tells whether torch's compiler traces."""

from __future__ import annotations

from collections.abc import Callable


def _asked() -> bool:
    global is_traced
    import torch

    is_traced = torch.compiler.is_dynamo_compiling
    return is_traced()


is_traced: Callable[[], bool] = _asked
"""True while torch's compiler traces the caller; torch's own function, once torch is there."""
