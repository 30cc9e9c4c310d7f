"""Jagged inputs of operations: sequences of different lengths."""

from __future__ import annotations

import torch

from examples.runner import Draw


def sequences(draw: Draw, batch: int, longest: int, *sizes: int) -> torch.Tensor:
    """A jagged (batch, j, *sizes), of lengths from 1 to ``longest``, each as likely.

    It knows the lengths of its shortest and its longest sequence, so that no call waits for them.
    """
    lengths = draw.integers(longest + 1, batch, low=1)
    offsets = torch.nn.functional.pad(lengths.cumsum(0), (1, 0))
    return torch.nested.nested_tensor_from_jagged(
        draw(int(offsets[-1]), *sizes),
        offsets,
        min_seqlen=int(lengths.min()),
        max_seqlen=int(lengths.max()),
    )
