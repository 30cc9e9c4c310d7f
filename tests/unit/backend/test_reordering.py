"""Triton-Python of reshapes, permutations and gathers: the text, and that Triton takes it."""

from __future__ import annotations

import pytest
import torch

from ninetoothed.backend.triton.triton_python import emit_triton_python
from ninetoothed.runtime.toolchain.triton import compat
from tests.support import interpreted
from tests.support.targets import FEW_TARGETS
from tests.support.tt_modules import elementwise
from tests.unit.backend.test_ttir import compile_for

MOVES = """
    %r = tt.reshape %x0 : tensor<64xf32> -> tensor<32x2xf32>
    %a, %b = tt.split %r : tensor<32x2xf32> -> tensor<32xf32>
    %j = tt.join %b, %a : tensor<32xf32> -> tensor<32x2xf32>
    %f = tt.reshape %j : tensor<32x2xf32> -> tensor<64xf32>
    %i = tt.make_range 0 : i32 1 : i32 -> tensor<1xi32>
    %g = tt.gather %f[%i] 0 : i32 : tensor<64xf32>[tensor<1xi32>] -> tensor<1xf32>
    %u = tt.unsplat %g : tensor<1xf32> -> f32
    %s = tt.splat %u : f32 -> tensor<64xf32>
    %y = arith.addf %f, %s : tensor<64xf32>
"""
UNIFORM = """
    %c = arith.constant 2.0 : f32
    %k = tt.splat %c : f32 -> tensor<64xf32>
    %r = tt.reshape %k : tensor<64xf32> -> tensor<32x2xf32>
    %a, %b = tt.split %r : tensor<32x2xf32> -> tensor<32xf32>
    %j = tt.join %a, %b : tensor<32xf32> -> tensor<32x2xf32>
    %f = tt.reshape %j : tensor<32x2xf32> -> tensor<64xf32>
    %y = arith.addf %x0, %f : tensor<64xf32>
"""


def body(text: str) -> str:
    """Emitted source of ``text``, without the function's head."""
    return emit_triton_python(elementwise(text, "f32", count=1)).partition("64)\n")[2]


def test_moves() -> None:
    assert body(MOVES) == (
        "    x0 = tl.load(p0 + lanes)\n"
        "    a, b = tl.split(tl.reshape(x0, (32, 2)))\n"
        "    f_1 = tl.reshape(tl.join(b, a), (64,))\n"
        "    y = f_1 + tl.reshape(tl.gather(f_1, tl.arange(0, 1), axis=0), ())\n"
        "    tl.store(q + lanes, y)\n"
    )


def test_what_is_the_same_in_all_lanes() -> None:
    assert body(UNIFORM) == (
        "    x0 = tl.load(p0 + lanes)\n"
        "    a, b = tl.split(tl.full((32, 2), 2.0, tl.float32))\n"
        "    tl.store(q + lanes, x0 + tl.reshape(tl.join(a, b), (64,)))\n"
    )


@pytest.mark.parametrize("target", FEW_TARGETS)
@pytest.mark.parametrize("language", ["ttir", "triton-python"])
@pytest.mark.parametrize("text", [MOVES, UNIFORM], ids=["moves", "uniform"])
def test_triton_compiles_it(text: str, language: str, target: str) -> None:
    assert compile_for(target, elementwise(text, "f32", count=1), language)["ttir"]


@pytest.mark.skipif(not compat.available(), reason="Triton is not installed")
def test_triton_computes_what_the_ops_say() -> None:
    x = torch.arange(64, dtype=torch.float32)
    source = emit_triton_python(elementwise(MOVES, "f32", count=1))
    found = interpreted.run([interpreted.Case(source, "f", [x, torch.zeros(64)])])
    turned = x.reshape(32, 2).flip(1).reshape(64)
    assert torch.equal(found[0][1], turned + turned[0])
