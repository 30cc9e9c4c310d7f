"""Kernels in Helion (written for ``helion`` 1.5.1), as its documentation writes them.

Helion's search over configurations runs for each shape that is new, and its default effort takes
minutes a shape. Here it is ``quick``, unless ``HELION_AUTOTUNE_EFFORT`` says otherwise: about 30
configurations to start with, 5 rounds of changes to the best two, and no more than a minute.
"""

from __future__ import annotations

import importlib
import os
from typing import Any

import torch

from benchmarks.operation import Function

helion: Any = importlib.import_module("helion")
hl: Any = importlib.import_module("helion.language")

_kernel = helion.kernel(
    autotune_effort=os.environ.get("HELION_AUTOTUNE_EFFORT", "quick"), autotune_budget_seconds=60
)


@_kernel
def add(lhs: torch.Tensor, rhs: torch.Tensor) -> torch.Tensor:
    """``lhs + rhs`` of two vectors."""
    output = torch.empty_like(lhs)
    for tile in hl.tile(output.size()):
        output[tile] = lhs[tile] + rhs[tile]
    return output


@_kernel
def softmax(input: torch.Tensor) -> torch.Tensor:
    """The softmax of each row."""
    rows, _ = input.size()
    output = torch.empty_like(input)
    for tile in hl.tile(rows):
        output[tile, :] = torch.nn.functional.softmax(input[tile, :], dim=1)
    return output


@_kernel
def rms_norm(input: torch.Tensor, weight: torch.Tensor, eps: float = 1e-6) -> torch.Tensor:
    """``input / sqrt(mean(input²) + eps) * weight`` of each row."""
    rows, _ = input.size()
    output = torch.empty_like(input)
    for tile in hl.tile(rows):
        row = input[tile, :].to(torch.float32)
        scale = torch.rsqrt(torch.mean(row * row, dim=-1, keepdim=True) + eps)
        output[tile, :] = (row * scale * weight[:].to(torch.float32)).to(output.dtype)
    return output


@_kernel
def matmul(input: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """``input @ other`` of two matrices."""
    m, k = input.size()
    k, n = other.size()
    output = torch.empty([m, n], dtype=input.dtype, device=input.device)
    for tile_m, tile_n in hl.tile([m, n]):
        accumulator = hl.zeros([tile_m, tile_n], dtype=torch.float32)
        for tile_k in hl.tile(k):
            accumulator = torch.addmm(accumulator, input[tile_m, tile_k], other[tile_k, tile_n])
        output[tile_m, tile_n] = accumulator
    return output


FUNCTIONS: dict[str, Function] = {
    "add": add,
    "softmax": softmax,
    "rms_norm": rms_norm,
    "matmul": matmul,
}
