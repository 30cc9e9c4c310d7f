"""Gradients of every example that has some, beside differences of what it computes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from examples import attention, cross_entropy, embedding, layer_norm, rms_norm, swiglu

Case = tuple[Callable[..., Any], tuple[torch.Tensor, ...]]


def leaf(*shape: int) -> torch.Tensor:
    return torch.randn(shape).requires_grad_()


def cases() -> dict[str, Callable[[], Case]]:
    target, places = torch.tensor([4, 0, 2]), torch.tensor([1, 3, 1, 0])
    return {
        "attention": lambda: (
            attention.attention,
            (leaf(1, 2, 5, 4), leaf(1, 1, 6, 4), leaf(1, 1, 6, 3)),
        ),
        "attention, causal": lambda: (
            lambda *tensors: attention.attention(*tensors, is_causal=True),
            (leaf(1, 2, 5, 4), leaf(1, 2, 5, 4), leaf(1, 2, 5, 4)),
        ),
        "attention, one query": lambda: (
            attention.attention,
            (leaf(2, 4, 1, 4), leaf(2, 2, 6, 4), leaf(2, 2, 6, 4)),
        ),
        "cross_entropy": lambda: (lambda x: cross_entropy.cross_entropy(x, target), (leaf(3, 7),)),
        "embedding": lambda: (lambda weight: embedding.embedding(places, weight), (leaf(5, 3),)),
        "layer_norm": lambda: (layer_norm.layer_norm, (leaf(3, 7), leaf(7), leaf(7))),
        "rms_norm": lambda: (rms_norm.rms_norm, (leaf(3, 7), leaf(7))),
        "add_rms_norm": lambda: (rms_norm.add_rms_norm, (leaf(3, 7), leaf(3, 7), leaf(7))),
        "swiglu": lambda: (swiglu.swiglu, (leaf(3, 5), leaf(3, 5))),
    }


# fp32 is what the kernels compute in: differences over 0.01 are right to three digits.
@pytest.mark.filterwarnings("ignore:Input #[0-9]+ requires gradient and is not a double precision")
@pytest.mark.parametrize("name", cases())
def test_differences(name: str) -> None:
    torch.manual_seed(0)
    function, inputs = cases()[name]()
    assert torch.autograd.gradcheck(function, inputs, eps=1e-2, atol=5e-3, rtol=5e-3)
