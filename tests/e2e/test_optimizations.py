"""The examples compute the same whichever optimizations are off, and whatever passes choose."""

from __future__ import annotations

import functools
import random
from typing import Any

import pytest
import torch

from benchmarks.operation import DTYPES
from benchmarks.operations import operations
from examples.runner import Draw, tolerance_of
from ninetoothed.calls.aliasing import is_tensor
from ninetoothed.calls.copies import copied
from ninetoothed.compiler.optimizations import OPTIMIZATIONS
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.testing import check_kernel
from tests.support import profiles

SIZES = {
    "add": ((1031,), (2048,)),
    "add_rms_norm": ((5, 131), (8, 256)),
    "addmm": ((33, 65, 47), (64, 128, 64)),
    "argmax": ((3, 1031), (4, 1024)),
    "attention": ((1, 2, 2, 79, 64), (1, 2, 2, 128, 64)),
    "attention_backward": ((1, 2, 2, 79, 64), (1, 2, 2, 128, 64)),
    "attention_causal": ((1, 2, 2, 79, 64), (1, 2, 2, 128, 64)),
    "attention_causal_backward": ((1, 2, 2, 79, 64), (1, 2, 2, 128, 64)),
    "attention_decoding": ((1, 4, 2, 79, 64), (1, 4, 2, 128, 64)),
    "attention_grouped": ((1, 4, 2, 79, 64), (1, 4, 2, 128, 64)),
    "avg_pool2d": ((2, 3, 11, 13, 3, 2, 1, 1), (2, 4, 16, 16, 2, 2, 0, 0)),
    "bmm": ((3, 33, 65, 47), (2, 64, 128, 64)),
    "causal_conv1d": ((2, 3, 131, 4), (2, 4, 256, 4)),
    "conv2d": ((2, 5, 9, 11, 7, 3, 2, 1), (2, 16, 8, 8, 16, 3, 1, 1)),
    "cross_entropy": ((5, 1031), (4, 1024)),
    "cross_entropy_backward": ((5, 1031), (4, 1024)),
    "cumsum": ((3, 1031), (4, 1024)),
    "depthwise_conv2d": ((2, 3, 11, 13, 3, 2, 1), (2, 4, 16, 16, 3, 1, 1)),
    "dropout": ((5, 131), (8, 256)),
    "embedding": ((7, 31, 131), (16, 32, 256)),
    "embedding_backward": ((7, 31, 131), (16, 32, 256)),
    "fp8_matmul": ((35, 48, 80), (64, 128, 64)),
    "fp8_matmul_tensorwise": ((35, 48, 80), (64, 128, 64)),
    "fused_linear": ((33, 65, 47), (64, 128, 64)),
    "grouped_matmul": ((3, 37, 40, 56), (2, 64, 64, 64)),
    "grouped_matmul_skewed": ((3, 37, 40, 56), (2, 64, 64, 64)),
    "int8_matmul": ((35, 48, 80), (64, 128, 64)),
    "jagged_pad": ((3, 17, 33), (4, 16, 64)),
    "jagged_unpad": ((3, 17, 33), (4, 16, 64)),
    "layer_norm": ((5, 131), (8, 256)),
    "layer_norm_backward": ((5, 131), (8, 256)),
    "matmul": ((33, 65, 47), (64, 128, 64)),
    "matmul_nt": ((33, 65, 47), (64, 128, 64)),
    "matmul_tn": ((33, 65, 47), (64, 128, 64)),
    "matmul_tt": ((33, 65, 47), (64, 128, 64)),
    "max_pool2d": ((2, 3, 11, 13, 3, 2, 1, 1), (2, 4, 16, 16, 2, 2, 0, 0)),
    "paged_attention": ((3, 4, 2, 37, 24, 16), (2, 32, 2, 64, 64, 16)),
    "rms_norm": ((5, 131), (8, 256)),
    "rms_norm_backward": ((5, 131), (8, 256)),
    "rotary_embedding": ((2, 7, 3, 10), (2, 8, 4, 64)),
    "silu": ((5, 131), (8, 256)),
    "sliding_window_attention": ((1, 2, 79, 64, 20), (1, 2, 128, 64, 64)),
    "softmax": ((5, 131), (8, 256)),
    "swiglu": ((5, 131), (8, 256)),
    "swiglu_backward": ((5, 131), (8, 256)),
    "topk": ((3, 131, 5), (4, 128, 8), (3, 8209, 5)),
    "varlen_attention": ((3, 2, 79, 64), (2, 2, 128, 64)),
    "w4a16_matmul": ((3, 37, 256), (64, 128, 128)),
}
"""What the inputs of each operation are made from: odd numbers, such that blocks divide, and others
for which it calls other kernels.
"""
Call = tuple[Kernel, tuple[Any, ...], dict[str, Any]]


def test_every_operation_has_sizes() -> None:
    assert sorted(SIZES) == sorted(operations())


def calls(name: str, sizes: tuple[int, ...], device: str, patch: pytest.MonkeyPatch) -> list[Call]:
    """The kernels that an operation calls, with copies of their arguments."""
    operation, found = operations()[name], list[Call]()
    draw = Draw(device, DTYPES[operation.dtypes[0]])
    call = operation.call(operation.ours, tuple(operation.inputs(draw, *sizes)))
    plain = Kernel.__call__

    def noted(kernel: Kernel, *args: Any, **kwargs: Any) -> None:
        copies = copied([*args, *kwargs.values()])
        others = dict(zip(kwargs, copies[len(args) :], strict=True))
        found.append((kernel, tuple(copies[: len(args)]), others))
        plain(kernel, *args, **kwargs)

    with patch.context() as here:
        here.setattr(Kernel, "__call__", noted)
        call()
    return found


@pytest.mark.parametrize(
    ("where", "name", "place"),
    [
        pytest.param(where, name, place, marks=[pytest.mark.gpu] if where == "cuda" else [])
        for where in ("cpu", "cuda")
        for name, each in SIZES.items()
        for place in range(len(each) if where == "cuda" or profiles.full() else 1)
    ],
)
def test_examples(name: str, place: int, where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NINETOOTHED_TUNE", "off")
    dice = random.Random(f"{name} {place}")
    found = calls(name, SIZES[name][place], where, monkeypatch)
    assert found
    for kernel, args, kwargs in found:
        wanted = copied([*args, *kwargs.values()])
        kernel(*wanted[: len(args)], **dict(zip(kwargs, wanted[len(args) :], strict=True)))
        disabled = dice.sample(OPTIMIZATIONS, dice.randrange(len(OPTIMIZATIONS) + 1))
        with monkeypatch.context() as here:
            here.setenv("NINETOOTHED_DISABLE_OPTIMIZATIONS", ",".join(disabled))
            check_kernel(
                kernel,
                args,
                functools.partial(_fill, wanted),
                kwargs=kwargs,
                configs=profiles.cases(ci=2, full=5)
                if where == "cpu"
                else f"random:{dice.randrange(1000)}",
                levels="tt",
                atol=max(map(_rounding, filter(is_tensor, wanted))),
            )


def _fill(wanted: list[Any], *values: Any, **others: Any) -> None:
    for value, result in zip([*values, *others.values()], wanted, strict=True):
        # An expanded tensor is an input.
        if is_tensor(value) and (value.is_nested or 0 not in value.stride()):
            value.copy_(result)


def _rounding(tensor: torch.Tensor) -> float:
    """The error of sums of such numbers that are rounded a few times, in another order."""
    values = tensor.values() if tensor.is_nested else tensor
    values = values.double()
    largest = float(values[values.isfinite()].abs().max()) if values.isfinite().any() else 0.0
    return tolerance_of(tensor) * largest
