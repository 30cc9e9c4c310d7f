"""Liger Kernel's functions (written for ``liger-kernel`` 0.8.5), for operations that are the same.

Inputs that are not contiguous are copied by the library, which counts. Its cross entropy asks the
host for the number of targets before it starts, which counts too.

What works in place is left out, since a call that is repeated then computes something else, and a
copy would cost the library what its users save:

- ``rms_norm_backward`` writes over the output's gradient; where it is told not to, it fills the
  result with zeros first.
- ``swiglu_backward`` writes the gradients over ``gate`` and ``up``.
- ``cross_entropy_backward`` has its gradient from the forward pass, which writes it over the input.
- ``rotary_embedding`` rotates its input in place.
"""

from __future__ import annotations

import importlib
from typing import Any

import torch

from benchmarks.operation import Function

_ops: Any = importlib.import_module("liger_kernel.ops")


def rms_norm(input: torch.Tensor, weight: torch.Tensor, eps: float = 1e-6) -> torch.Tensor:
    """``input / sqrt(mean(input²) + eps) * weight`` of each row."""
    return _ops.LigerRMSNormFunction.apply(input, weight, eps, 0.0, "llama", False)


def add_rms_norm(
    input: torch.Tensor, residual: torch.Tensor, weight: torch.Tensor, eps: float = 1e-6
) -> tuple[torch.Tensor, torch.Tensor]:
    """``rms_norm`` of ``input + residual``, and that sum."""
    return _ops.LigerFusedAddRMSNormFunction.apply(
        input, residual, weight, eps, 0.0, "llama", False
    )


def layer_norm(
    input: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float = 1e-5
) -> torch.Tensor:
    """Each row, normalised to mean 0 and variance 1, times ``weight`` plus ``bias``."""
    return _ops.LigerLayerNormFunction.apply(input, weight, bias, eps)


def swiglu(gate: torch.Tensor, up: torch.Tensor) -> torch.Tensor:
    """``silu(gate) * up``."""
    return _ops.LigerSiLUMulFunction.apply(gate, up)


def softmax(input: torch.Tensor) -> torch.Tensor:
    """The softmax of each row."""
    return _ops.LigerSoftmaxFunction.apply(input)


def cross_entropy(input: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """The mean cross entropy of the rows."""
    loss, *_ = _ops.LigerCrossEntropyFunction.apply(input, target, None)
    return loss


FUNCTIONS: dict[str, Function] = {
    "rms_norm": rms_norm,
    "add_rms_norm": add_rms_norm,
    "layer_norm": layer_norm,
    "layer_norm_backward": layer_norm,
    "swiglu": swiglu,
    "softmax": softmax,
    "cross_entropy": cross_entropy,
}
