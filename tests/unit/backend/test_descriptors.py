"""Tensor descriptors at ``tt``: what both interpreters make of them, what Triton compiles, and what
a launch is told.
"""

from __future__ import annotations

import pytest
import torch

from ninetoothed.backend.launch_source import reads_writes
from ninetoothed.backend.triton.triton_python import emit_triton_python
from ninetoothed.interpreters import interpret
from ninetoothed.runtime.toolchain.triton import compat
from tests.support.interpreted import Case, run
from tests.support.tt_modules import parse
from tests.unit.backend.test_ttir import compile_for

# Boxes begin 4 rows before both matrices, and 8 columns behind the start of the first one.
BOXES = """
tt.func @boxes(
    %x: !tt.ptr<f32> {"nt.param" = "x", "tt.divisibility" = 16 : i32},
    %y: !tt.ptr<f32> {"nt.param" = "y", "tt.divisibility" = 16 : i32},
    %m: i32 {"nt.symbol" = "m"}, %n: i32 {"nt.symbol" = "n", "tt.divisibility" = 16 : i32}
) attributes {
    "nt.params" = [#nt.param<"x" tensor [m, n] [n, 1]>, #nt.param<"y" tensor [m, n] [n, 1]>],
    "nt.grid" = #nt.expr<(m + 4) ceildiv 8>, "nt.checks" = []} {
  %pid = tt.get_program_id 0 : i32
  %zero = arith.constant 0 : i32
  %four = arith.constant 4 : i32
  %eight = arith.constant 8 : i32
  %end = arith.muli %pid, %eight : i32
  %row = arith.subi %end, %four : i32
  %stride = arith.extsi %n : i32 to i64
  %one = arith.constant 1 : i64
  %from = tt.make_tensor_descriptor %x, [%m, %n], [%stride, %one]
      : !tt.ptr<f32>, !tt.tensordesc<tensor<8x64xf32>>
  %to = tt.make_tensor_descriptor %y, [%m, %n], [%stride, %one]
      : !tt.ptr<f32>, !tt.tensordesc<tensor<8x64xf32>>
  %v = tt.descriptor_load %from[%row, %eight]
      : !tt.tensordesc<tensor<8x64xf32>> -> tensor<8x64xf32>
  tt.descriptor_store %to[%row, %zero], %v
      : !tt.tensordesc<tensor<8x64xf32>>, tensor<8x64xf32>
  tt.return
}
"""


def matrices() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The operand, what is overwritten, and the result."""
    x = torch.randn(20, 48)
    return x, torch.full_like(x, torch.nan), torch.nn.functional.pad(x[:, 8:], (0, 8))


def test_boxes_are_zero_around_a_tensor_and_are_cut_at_its_ends() -> None:
    x, y, expected = matrices()
    interpret(parse(BOXES), [x, y])
    assert torch.equal(y, expected)


@pytest.mark.skipif(not compat.available(), reason="Triton is not installed")
def test_source_means_the_same() -> None:
    x, y, expected = matrices()
    source = emit_triton_python(parse(BOXES))
    # What a launch by Triton's own launcher needs is told.
    assert (
        "\n# Descriptors take memory at a launch: call triton.set_allocator.\n@triton.jit\n"
        in source
    )
    made = "tl.make_tensor_descriptor(y, shape=[m, n], strides=[stride, 1], block_shape=[8, 64])"
    assert made in source
    _, found, *_ = run([Case(source, "boxes", [x, y, *x.shape], 3)])[0]
    assert torch.equal(found, expected)


@pytest.mark.skipif(not compat.available(), reason="Triton is not installed")
@pytest.mark.parametrize(("target", "is_used"), [("sm_90", True), ("sm_80", False)])
def test_triton_compiles_boxes(target: str, is_used: bool) -> None:
    ptx = compile_for(target, parse(BOXES))["ptx"]
    assert ("cp.async.bulk.tensor" in ptx) == is_used


def test_a_launch_is_told_which_tensors_are_read_and_written() -> None:
    assert reads_writes(parse(BOXES)) == (("x",), ("y",))
