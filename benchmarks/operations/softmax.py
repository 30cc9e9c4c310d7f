"""Softmax over the rows of a matrix."""

from __future__ import annotations

import torch

from benchmarks.operation import ROWS, Operation, Work, by_hand, bytes_of
from examples import softmax


def _softmax(input: torch.Tensor) -> torch.Tensor:
    return torch.softmax(input, dim=-1)


OPERATIONS = (
    Operation(
        name="softmax",
        sizes={
            "small": (256, 512),
            "medium": (4096, 1024),
            "large": (16384, 8192),
            "ragged": (4099, 781),
            **ROWS,
        },
        inputs=lambda draw, rows, columns: (draw(rows, columns),),
        reference=_softmax,
        work=lambda input: Work(2 * bytes_of(input)),
        ours=softmax.softmax,
        triton=by_hand("softmax"),
        torch=_softmax,
        dtypes=("fp16", "bf16", "fp32"),
    ),
)
