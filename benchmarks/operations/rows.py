"""Losses, searches and sums over rows."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from benchmarks.operation import TOPS, Operation, Work, by_hand, bytes_of
from examples import argmax, cross_entropy, cumsum, topk
from examples.runner import Draw

VOCABULARIES = {
    "small": (64, 32000),
    "medium": (1024, 32000),
    # In float64, input, gradient and what is between take 8 GB.
    "large": (2048, 128256),
    "ragged": (1021, 50257),
}
"""Tokens and classes."""


def _cross_entropy_inputs(draw: Draw, rows: int, classes: int) -> tuple[torch.Tensor, ...]:
    return draw(rows, classes), draw.integers(classes, rows)


def _cross_entropy_backward_inputs(draw: Draw, rows: int, classes: int) -> tuple[torch.Tensor, ...]:
    # Scaled, as losses are in half precision: else gradients are too small for it.
    gradient = torch.full((), 1024.0, dtype=draw.dtype, device=draw.device)
    return gradient, *_cross_entropy_inputs(draw, rows, classes)


def _argmax(input: torch.Tensor) -> torch.Tensor:
    return torch.argmax(input, dim=-1)


def _topk(input: torch.Tensor, k: int) -> tuple[torch.Tensor, torch.Tensor]:
    values, indices = torch.topk(input, k, dim=-1)
    return values, indices


def _topk_work(input: torch.Tensor, k: int) -> Work:
    results = input.shape[0] * k
    return Work(bytes_of(input) + results * (input.element_size() + torch.int64.itemsize))


def _topk_values(input: torch.Tensor, k: int) -> tuple[torch.Tensor, ...]:
    values = torch.topk(input, k, dim=-1).values
    return values, values, torch.tensor(True, device=input.device)


def _topk_compared(
    result: tuple[torch.Tensor, torch.Tensor], input: torch.Tensor, k: int
) -> tuple[torch.Tensor, ...]:
    """The values; the elements at the indices; whether no element was taken twice.

    Which of equal elements are taken is open.
    """
    values, indices = result
    distinct = (indices.sort(dim=-1).values.diff(dim=-1) != 0).all()
    # An index that was never written must not stop the device.
    chosen = input.gather(-1, indices.clamp(0, input.shape[1] - 1))
    return values, chosen, distinct


def _cumsum(input: torch.Tensor) -> torch.Tensor:
    return torch.cumsum(input, dim=-1)


OPERATIONS = (
    Operation(
        name="cross_entropy",
        sizes=VOCABULARIES,
        inputs=_cross_entropy_inputs,
        reference=F.cross_entropy,
        work=lambda input, target: Work(bytes_of(input, target)),
        ours=cross_entropy.cross_entropy,
        triton=by_hand("cross_entropy"),
        torch=F.cross_entropy,
        dtypes=("fp16", "bf16", "fp32"),
    ),
    Operation(
        name="cross_entropy_backward",
        sizes=VOCABULARIES,
        inputs=_cross_entropy_backward_inputs,
        reference=F.cross_entropy,
        # What the forward pass saved of each row, 4 bytes, is not counted.
        work=lambda gradient, input, target: Work(bytes_of(input, target, input)),
        ours=cross_entropy.cross_entropy,
        triton=by_hand("cross_entropy"),
        torch=F.cross_entropy,
        is_gradient=True,
        dtypes=("fp16", "bf16", "fp32"),
    ),
    Operation(
        name="argmax",
        sizes={
            "small": (64, 4096),
            "medium": (512, 32000),
            "large": (2048, 128256),
            "ragged": (1021, 50257),
        },
        inputs=lambda draw, rows, columns: (draw(rows, columns),),
        reference=_argmax,
        work=lambda input: Work(bytes_of(input) + input.shape[0] * torch.int64.itemsize),
        ours=argmax.argmax,
        triton=by_hand("argmax"),
        torch=_argmax,
    ),
    Operation(
        name="topk",
        # The experts of tokens, the candidates of samplers.
        sizes={
            "small": (128, 256, 8),
            "medium": (8192, 256, 8),
            "large": (2048, 32000, 50),
            "ragged": (509, 50257, 50),
            **TOPS,
        },
        inputs=lambda draw, rows, columns, k: (draw(rows, columns), k),
        reference=_topk_values,
        work=_topk_work,
        ours=topk.topk,
        triton=by_hand("topk"),
        torch=_topk,
        compared=_topk_compared,
    ),
    Operation(
        name="cumsum",
        sizes={
            "small": (256, 512),
            "medium": (4096, 4096),
            "large": (16384, 8192),
            "ragged": (4099, 3571),
        },
        inputs=lambda draw, rows, columns: (draw(rows, columns),),
        reference=_cumsum,
        work=lambda input: Work(2 * bytes_of(input)),
        ours=cumsum.cumsum,
        triton=by_hand("cumsum"),
        torch=_cumsum,
        dtypes=("fp16", "bf16", "fp32"),
        # A sum of many is rounded as often as it has levels.
        tolerance=2.0,
    ),
)
