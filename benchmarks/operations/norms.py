"""Norms of rows and their gradients."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from benchmarks.operation import ROWS, Operation, Work, by_hand, bytes_of
from examples import layer_norm, rms_norm

SIZES = {
    "small": (64, 4096),
    "medium": (4096, 4096),
    "large": (16384, 8192),
    "ragged": (4099, 3571),
}
"""Tokens and hidden numbers."""


def _layer_norm(input: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    return F.layer_norm(input, weight.shape, weight, bias, 1e-5)


def _rms_norm(input: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    return F.rms_norm(input, weight.shape, weight, 1e-6)


def _add_rms_norm(
    input: torch.Tensor, residual: torch.Tensor, weight: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    summed = input + residual
    return _rms_norm(summed, weight), summed


# Of gradients, what the forward pass saved of each row is not counted: 4 bytes, or 8.
OPERATIONS = (
    Operation(
        name="layer_norm",
        sizes=SIZES,
        inputs=lambda draw, rows, columns: (draw(rows, columns), draw(columns), draw(columns)),
        reference=_layer_norm,
        work=lambda input, weight, bias: Work(bytes_of(input, weight, bias, input)),
        ours=layer_norm.layer_norm,
        triton=by_hand("layer_norm"),
        torch=_layer_norm,
    ),
    Operation(
        name="layer_norm_backward",
        sizes=SIZES,
        inputs=lambda draw, rows, columns: (
            *(draw(rows, columns), draw(rows, columns)),
            *(draw(columns), draw(columns)),
        ),
        reference=_layer_norm,
        # Reads gradient, input and weight; writes the gradients of input, weight and bias.
        work=lambda gradient, input, weight, bias: Work(
            bytes_of(gradient, input, weight, input, weight, bias)
        ),
        ours=layer_norm.layer_norm,
        triton=by_hand("layer_norm"),
        torch=_layer_norm,
        is_gradient=True,
    ),
    Operation(
        name="rms_norm",
        sizes={**SIZES, **ROWS},
        inputs=lambda draw, rows, columns: (draw(rows, columns), draw(columns)),
        reference=_rms_norm,
        work=lambda input, weight: Work(bytes_of(input, weight, input)),
        ours=rms_norm.rms_norm,
        triton=by_hand("rms_norm"),
        torch=_rms_norm,
    ),
    Operation(
        name="rms_norm_backward",
        sizes=SIZES,
        inputs=lambda draw, rows, columns: (
            *(draw(rows, columns), draw(rows, columns)),
            draw(columns),
        ),
        reference=_rms_norm,
        # Reads gradient, input and weight; writes the gradients of input and weight.
        work=lambda gradient, input, weight: Work(bytes_of(gradient, input, weight, input, weight)),
        ours=rms_norm.rms_norm,
        triton=by_hand("rms_norm"),
        torch=_rms_norm,
        is_gradient=True,
    ),
    Operation(
        name="add_rms_norm",
        sizes={**SIZES, **ROWS},
        inputs=lambda draw, rows, columns: (
            *(draw(rows, columns), draw(rows, columns)),
            draw(columns),
        ),
        reference=_add_rms_norm,
        work=lambda input, residual, weight: Work(bytes_of(input, residual, weight, input, input)),
        ours=rms_norm.add_rms_norm,
        triton=by_hand("rms_norm", "add_rms_norm"),
        torch=_add_rms_norm,
    ),
)
