"""LLVM's vectors carry no flags that lanes nobody reads could break (Triton 3.6 stores wrongly)."""

import re

import pytest
import torch

from examples import bmm, matmul
from ninetoothed import Tensor, make
from ninetoothed.artifacts.configuration import Config
from ninetoothed.artifacts.target import Target
from ninetoothed.calls.arguments import bind
from ninetoothed.compiler.compile import compile_kernel
from ninetoothed.runtime.toolchain.triton import compat

pytestmark = pytest.mark.skipif(not compat.available(), reason="needs Triton")

CONFIG = Config((("BLOCK_SIZE_0", 32), ("BLOCK_SIZE_1", 512), ("BLOCK_SIZE_2", 64)), 16, 2)
"""One of those whose columns and rows LLVM joins: `and` with 31 beside `shl` by 2."""


def test_text():
    text = "\n".join(
        [
            "  %1 = shl nuw nsw <2 x i32> %0, <i32 31, i32 2>",
            "  %2 = or disjoint <2 x i32> %1, %0",
            "  %3 = lshr exact <4 x i64> %9, splat (i64 2)",
            "  %4 = add nsw i32 %8, 1",
            "  %5 = fadd nsz <2 x float> %7, %7",
            "  %6 = zext nneg <2 x i16> %5 to <2 x i32>",
            "  %7 = icmp samesign ult <2 x i32> %6, splat (i32 3)",
            "  %8 = trunc nuw nsw i64 %1 to i32",
            "  %9 = getelementptr inbounds nuw i8, ptr addrspace(1) %0, i64 16",
        ]
    )
    expected = "\n".join(
        [
            "  %1 = shl <2 x i32> %0, <i32 31, i32 2>",
            "  %2 = or <2 x i32> %1, %0",
            "  %3 = lshr <4 x i64> %9, splat (i64 2)",
            "  %4 = add nsw i32 %8, 1",
            "  %5 = fadd nsz <2 x float> %7, %7",
            "  %6 = zext <2 x i16> %5 to <2 x i32>",
            "  %7 = icmp ult <2 x i32> %6, splat (i32 3)",
            "  %8 = trunc nuw nsw i64 %1 to i32",
            "  %9 = getelementptr inbounds nuw i8, ptr addrspace(1) %0, i64 16",
        ]
    )
    assert compat.without_poison_flags(text) == expected


def test_what_is_compiled():
    tensors = [torch.empty(16, 512, 512, dtype=torch.float16) for _ in range(3)]
    kernel = bmm.bmm_kernel
    signature = bind(kernel.definition.interface, tensors, {}).signature
    module = kernel.composed(signature, CONFIG)
    artifact = compile_kernel(module, signature, CONFIG, Target.parse("sm_90"), "ttir")
    texts = {name: str(made) for name, made, _ in compat.stages(artifact)}
    # Other ops of vectors are there, so this is the place where the flags would be.
    assert re.search(r"= \w+ <2 x i32>", texts["llir"])
    assert not re.search(r" (nuw|nsw|exact|disjoint) <\d+ x i\d+>", texts["llir"])
    # A shift by 31 of one lane into the next.
    assert "2147483648" not in texts["ptx"]


@pytest.mark.gpu
def test_what_runs(monkeypatch):
    for name, size in zip("MKN", (32, 512, 64), strict=True):
        monkeypatch.setattr(matmul, f"BLOCK_SIZE_{name}", size)
    tensors = (Tensor(3), Tensor(3), Tensor(3))
    kernel = make(bmm.arrangement, matmul.application, tensors, num_warps=16, num_stages=2)
    input, other = (torch.randn(16, 512, 512, dtype=torch.float16, device="cuda") for _ in "ab")
    output = torch.full_like(input, float("nan"))
    kernel(input, other, output)
    expected = input.double() @ other.double()
    assert (output.double() - expected).norm() / expected.norm() < 2e-3
