"""Arrangements with more elements than their tensors have: what the width of indices does not hold
is refused, not computed wrong.
"""

from __future__ import annotations

from typing import Any

import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Tensor
from ninetoothed.artifacts.target import Target
from ninetoothed.calls.arguments import bind
from ninetoothed.compiler.compile import compile_kernel


def repeated(y, output):
    n = y.shape[0]
    blocks = y.unsqueeze(1).expand((-1, n)).flatten().tile((64,)).tile((-1,))
    return blocks, output.tile((1,))


def total(y, output):
    result = ntl.zeros((64,), dtype=ntl.float32)
    for k in range(y.shape[0]):
        result += y[k]
    output = ntl.sum(result)


KERNEL = ninetoothed.make(repeated, total, (Tensor(1, other=0), Tensor(1)))


def check(y: torch.Tensor, output: torch.Tensor) -> str | None:
    """What a launch says of a call, compiled for its class."""
    compiler = KERNEL._compiler
    signature = bind(compiler.definition.interface, (y, output), {}).signature
    target = Target.parse("sm_90")
    config = compiler.space(signature, target).configs[0]
    scope: dict[str, Any] = {}
    module = compiler.composed(signature, config)
    exec(compile_kernel(module, signature, config, target, "ttir").launch, scope)
    message, _, _ = scope["launch"](y, output)
    return message


def test_elements_of_a_product() -> None:
    y, output = torch.ones(21), torch.empty(1)
    KERNEL(y, output)
    assert output.item() == 21 * 21
    # 46,329 squared is just below 2**31 - 2**20.
    assert check(torch.empty(46_329), output) is None
    assert check(torch.empty(46_330), output) == (
        "the arrangement of y counts up to (y_size_0 * y_size_0,) = (2146468900,), but tensors of "
        "these sizes are addressed with 32 bits, which hold 2146435071; arrange it with fewer "
        "elements"
    )
    # 2**32 would be 0.
    assert check(torch.empty(1 << 16), output) is not None
    # Of a tensor that 32 bits do not reach, the indices are of 64.
    assert check(torch.empty((1 << 31,), device="meta"), output) is None
