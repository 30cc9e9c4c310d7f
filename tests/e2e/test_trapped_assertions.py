"""Assertions beside dots of Hopper's warp groups: a trap, without the call that prints."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import Any

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Tensor
from ninetoothed.artifacts.target import Target
from ninetoothed.calls.arguments import bind
from ninetoothed.compiler.compile import compile_kernel, lower
from ninetoothed.compiler.defaults import pick
from ninetoothed.errors import AssertionFailedError
from ninetoothed.interpreters import interpret
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.runtime.toolchain.triton import compat
from tests.support import offline
from tests.support.imports import ROOT
from tests.support.ttir_stage import assembly

SIZE = 64


def arrangement(a, b, limit, out):
    return a.tile((SIZE, SIZE)), b.tile((SIZE, SIZE)), limit, out.tile((SIZE, SIZE))


def application(a, b, limit, out):
    ntl.device_assert(a < limit, "a $ (\n\xe9) {x} of limit")
    ntl.device_assert(limit > 0)
    out = ntl.dot(a, b)


def made() -> Kernel:
    tensors = (Tensor(2), Tensor(2), Tensor(0), Tensor(2))
    return ninetoothed.make(arrangement, application, tensors)


def drawn(device: str = "cpu") -> tuple[torch.Tensor, torch.Tensor, float, torch.Tensor]:
    a = torch.zeros(SIZE, SIZE, dtype=torch.float16, device=device)
    return a, torch.ones_like(a), 0.5, torch.empty_like(a)


@pytest.mark.parametrize("language", offline.LANGUAGES)
@pytest.mark.parametrize("is_switched_off", [False, True])
def test_nothing_is_called(
    language: Any, is_switched_off: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if is_switched_off:
        monkeypatch.setenv("NINETOOTHED_DISABLE_OPTIMIZATIONS", "trapped_assertions")
    kernel = made()
    signature = bind(kernel.definition.interface, drawn(), {}).signature
    module = kernel.composed(signature)
    signature, config = pick(kernel.definition, module, signature, {})
    artifact = compile_kernel(module, signature, config, Target.parse("sm_90"), language)
    assert compat.compile_binary(artifact).code
    ptx = assembly(artifact)["ptx"]
    assert "wgmma" in ptx
    # ptxas says C7510, and has the products wait, where there is a call anywhere.
    assert bool(re.search(r"\bcall\b", ptx)) == is_switched_off
    assert ("a $ (\\n\\xe9) {x} of limit" in ptx) != is_switched_off


def test_what_is_lowered_says_it_where_it_is_interpreted() -> None:
    kernel = made()
    a, b, limit, out = drawn()
    a[3, 5] = 1.0
    bound = bind(kernel.definition.interface, (a, b, limit, out), {})
    signature, config = pick(
        kernel.definition, kernel.composed(bound.signature), bound.signature, {}
    )
    module = lower(kernel.composed(signature), signature, config, target=Target.parse("sm_90"))
    with pytest.raises(AssertionFailedError, match=r"a \$ \(.*of limit \(program 0, lane \(3, 5\)"):
        interpret(module, bound.values)


CRASH = """
import torch
from tests.e2e.test_trapped_assertions import drawn, made
a, b, limit, out = drawn("cuda")
made()(a, b, limit, out)
torch.cuda.synchronize()
assert not out.any()
print("first", flush=True)
a[3, 5] = 1.0
made()(a, b, limit, out)
try:
    torch.cuda.synchronize()
except Exception as error:
    print(type(error).__name__, error)
"""


@pytest.mark.gpu
@pytest.mark.skipif(
    torch.cuda.is_available() and torch.cuda.get_device_capability()[0] != 9,
    reason="it is of Hopper",
)
def test_it_stops_a_device() -> None:
    # In a process of its own, whose context is lost.
    done = subprocess.run(
        [sys.executable, "-c", CRASH], cwd=ROOT, capture_output=True, text=True, check=False
    )
    first, _, said = done.stdout.partition("first\n")
    assert not first, done.stderr
    assert "CUDA error" in said
