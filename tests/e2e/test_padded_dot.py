"""Blocks whose sizes only a call knows, merged and parted: what is rounded up factor by factor."""

from __future__ import annotations

import math

import pytest
import torch

import ninetoothed.language as ntl
from tests.support.everywhere import everywhere


def whole(*tensors):
    return tuple(
        tensor.tile((-1,) * tensor.ndim).flatten() if tensor.ndim > 1 else tensor.tile((-1,))
        for tensor in tensors
    )


def ravelled(x, y, output):
    output = ntl.ravel(x) * y


def reshaped(x, output):
    output = ntl.reshape(x + 1, (output.shape[0], output.shape[1])) + output


def interleaved(x, output):
    output = ntl.ravel(ntl.interleave(x, x * 2))


def concatenated(x, output):
    output = ntl.ravel(ntl.cat(x, x * 2))


def turned(x, output):
    output = ntl.ravel(ntl.permute(ntl.join(x, x + 1), (2, 1, 0)))


def compare(device, application, values, wanted):
    def check(*arguments: torch.Tensor) -> None:
        assert torch.equal(arguments[-1].cpu(), wanted)

    everywhere(device, whole, application, values, check)


def lanes(*shape):
    return torch.arange(1.0, 1 + math.prod(shape)).reshape(shape)


@pytest.mark.parametrize("shape", [(3, 5), (6, 5), (7, 9), (2, 3, 5), (9, 9)], ids=str)
def test_ravel(shape: tuple[int, ...], device: str) -> None:
    x, y = lanes(*shape), -lanes(math.prod(shape))
    compare(device, ravelled, [x, y, torch.zeros_like(y)], x.flatten() * y)


@pytest.mark.parametrize(
    ("old", "new"), [((15,), (3, 5)), ((9, 5), (15, 3)), ((5, 6), (3, 10))], ids=str
)
def test_reshape(old: tuple[int, ...], new: tuple[int, ...], device: str) -> None:
    x = lanes(*old)
    compare(device, reshaped, [x, torch.ones(new)], (x + 1).reshape(new) + 1)


@pytest.mark.parametrize("application", [interleaved, concatenated, turned])
def test_two_blocks(application: object, device: str) -> None:
    x = lanes(3, 5)
    wanted = {
        "interleaved": torch.stack([x, x * 2], -1),
        "concatenated": torch.cat([x, x * 2]),
        "turned": torch.stack([x, x + 1], -1).permute(2, 1, 0),
    }[application.__name__].flatten()
    compare(device, application, [x, torch.zeros_like(wanted)], wanted)
