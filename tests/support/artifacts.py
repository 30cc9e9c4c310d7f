"""Hand-written artifacts for the tests of the runtime: TTIR in generic form, and host functions."""

from __future__ import annotations

import textwrap

from ninetoothed.artifacts.artifact import Argument, Artifact, Binary
from ninetoothed.artifacts.configuration import Config
from ninetoothed.artifacts.target import Target

SM_90 = Target.parse("sm_90")
BINARY = Binary(b"code", "add", 0, 128)

LAUNCH = textwrap.dedent(
    """
    def launch(x, y, out):
        if x.shape[0] != y.shape[0]:
            return f"x has {x.shape[0]} elements and y has {y.shape[0]}", 0, ()
        arguments = (x.data_ptr(), y.data_ptr(), out.data_ptr(), x.shape[0])
        return None, -(-x.shape[0] // BLOCK), arguments

    def cost(x, y, out):
        return {"bytes": 12 * x.shape[0], "operations": x.shape[0]}
    """
)

_TTIR = """
"builtin.module"() ({
  "tt.func"() <{function_type = (!tt.ptr<f32>, !tt.ptr<f32>, !tt.ptr<f32>, i32) -> (),
      sym_name = "add", sym_visibility = "public",
      arg_attrs = [{tt.divisibility = 16 : i32}, {tt.divisibility = 16 : i32},
                   {tt.divisibility = 16 : i32}, {}]}> ({
  ^bb0(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32):
    %program = "tt.get_program_id"() <{axis = 0 : i32}> : () -> i32
    %block = "arith.constant"() <{value = BLOCK : i32}> : () -> i32
    %start = "arith.muli"(%program, %block) : (i32, i32) -> i32
    %lanes = "tt.make_range"() <{start = 0 : i32, end = BLOCK : i32}> : () -> tensor<BLOCKxi32>
    %starts = "tt.splat"(%start) : (i32) -> tensor<BLOCKxi32>
    %offs = "arith.addi"(%starts, %lanes)
        : (tensor<BLOCKxi32>, tensor<BLOCKxi32>) -> tensor<BLOCKxi32>
    %sizes = "tt.splat"(%n) : (i32) -> tensor<BLOCKxi32>
    %mask = "arith.cmpi"(%offs, %sizes) <{predicate = 2 : i64}>
        : (tensor<BLOCKxi32>, tensor<BLOCKxi32>) -> tensor<BLOCKxi1>
    %xs = "tt.splat"(%x) : (!tt.ptr<f32>) -> tensor<BLOCKx!tt.ptr<f32>>
    %xp = "tt.addptr"(%xs, %offs)
        : (tensor<BLOCKx!tt.ptr<f32>>, tensor<BLOCKxi32>) -> tensor<BLOCKx!tt.ptr<f32>>
    %xv = "tt.load"(%xp, %mask) <{operandSegmentSizes = array<i32: 1, 1, 0>}>
        : (tensor<BLOCKx!tt.ptr<f32>>, tensor<BLOCKxi1>) -> tensor<BLOCKxf32>
    %ys = "tt.splat"(%y) : (!tt.ptr<f32>) -> tensor<BLOCKx!tt.ptr<f32>>
    %yp = "tt.addptr"(%ys, %offs)
        : (tensor<BLOCKx!tt.ptr<f32>>, tensor<BLOCKxi32>) -> tensor<BLOCKx!tt.ptr<f32>>
    %yv = "tt.load"(%yp, %mask) <{operandSegmentSizes = array<i32: 1, 1, 0>}>
        : (tensor<BLOCKx!tt.ptr<f32>>, tensor<BLOCKxi1>) -> tensor<BLOCKxf32>
    %sum = "arith.addf"(%xv, %yv) <{fastmath = #arith.fastmath<none>}>
        : (tensor<BLOCKxf32>, tensor<BLOCKxf32>) -> tensor<BLOCKxf32>
    %outs = "tt.splat"(%out) : (!tt.ptr<f32>) -> tensor<BLOCKx!tt.ptr<f32>>
    %op = "tt.addptr"(%outs, %offs)
        : (tensor<BLOCKx!tt.ptr<f32>>, tensor<BLOCKxi32>) -> tensor<BLOCKx!tt.ptr<f32>>
    "tt.store"(%op, %sum, %mask)
        : (tensor<BLOCKx!tt.ptr<f32>>, tensor<BLOCKxf32>, tensor<BLOCKxi1>) -> ()
    "tt.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
"""

_PYTHON = """
import triton
import triton.language as tl


@triton.jit
def add(x, y, out, n):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    tl.store(out + offs, tl.load(x + offs, mask=mask) + tl.load(y + offs, mask=mask), mask=mask)
"""


def add(
    block: int = 256,
    num_warps: int = 4,
    target: Target = SM_90,
    language: str = "ttir",
    text: str | None = None,
    launch: str = LAUNCH,
) -> Artifact:
    """``out = x + y`` over float32 vectors."""
    if text is None:
        text = _TTIR if language == "ttir" else _PYTHON
    return Artifact(
        name="add",
        language=language,
        text=text.replace("BLOCK", str(block)),
        params=("x", "y", "out"),
        arguments=(
            Argument("x", "*fp32", 16),
            Argument("y", "*fp32", 16),
            Argument("out", "*fp32", 16),
            Argument("n", "i32"),
        ),
        launch=launch.replace("BLOCK", str(block)),
        reads=("x", "y"),
        writes=("out",),
        target=target,
        config=Config((("BLOCK", block),), num_warps, 3),
    )
