"""Jagged inputs of operations: sequences of different lengths."""

from __future__ import annotations

from typing import Any

import torch

from examples.runner import Draw


def sequences(draw: Draw, batch: int, longest: int, *sizes: int) -> torch.Tensor:
    """A jagged (batch, j, *sizes), of lengths from 1 to ``longest``, each as likely."""
    lengths: Any = draw.integers(longest + 1, batch, low=1)
    return draw.jagged(lengths.tolist(), *sizes)
