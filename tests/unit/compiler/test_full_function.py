"""Which calls launch the kernel without guards: both kernels ask for the same."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from examples import conv2d
from examples.matmul import matmul_kernel
from ninetoothed import Tensor
from ninetoothed.artifacts.target import Target
from ninetoothed.backend.device_function import device_function, vacuous
from ninetoothed.calls.arguments import bind
from ninetoothed.compiler.compile import lower
from ninetoothed.compiler.space import space
from ninetoothed.kernel.kernel import Kernel

# Applications assign to their parameters, which is a store.
# pyright: reportUnusedVariable=false


def arrangement(x: Any, y: Any, output: Any) -> tuple[Any, ...]:
    return x.tile((16,)).tile((-1,)), y.tile((16,)).tile((-1,)), output.tile((16,))


def application(x: Any, y: Any, output: Any) -> None:
    """Which tile of y is read depends on a comparison that sizes decide."""
    total = ntl.zeros((16,), dtype=ntl.float32)
    for i in range(x.shape[0]):
        j = ntl.where(i * 16 + 15 < x.source.shape[0], i, 0)
        total += y[j] * 1.0
    output = total


def compared() -> Kernel:
    tensors = (Tensor(1), Tensor(1, other=0.0), Tensor(1))
    return ninetoothed.make(arrangement, application, tensors, num_warps=4)


CASES: dict[str, tuple[Any, list[tuple[int, ...]]]] = {
    "comparison": (compared, [(48,), (21,), (16,)]),
    "product": (lambda: matmul_kernel, [(64, 64), (64, 64), (64, 64)]),
    "convolution": (
        lambda: conv2d.make_kernel((1, 1), (1, 1), (1, 1)),
        [(2, 16, 8, 8), (16, 16, 3, 3), (2, 16, 8, 8)],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_both_kernels_ask_for_the_same(name: str) -> None:
    make, shapes = CASES[name]
    kernel: Kernel = make()
    values = tuple(torch.empty(shape, device="meta") for shape in shapes)
    signature = bind(kernel.interface, values, {}).signature
    module, target = kernel.composed(signature), Target.parse("sm_90")
    config = space(module, signature, target=target).configs[0]
    general, full = (
        vacuous(device_function(lower(module, signature, config, target=target, full=full)))
        for full in (False, True)
    )
    assert general
    assert full == general
