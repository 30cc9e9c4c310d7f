"""The interpreter on ``tt``, ``arith`` and ``math``: pointers, masks, reductions, numbers without a
sign.
"""

from __future__ import annotations

import math
import struct

import pytest
import torch
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.dialects.math import Math
from xdsl.parser import Parser

from ninetoothed.errors import ArgumentError, CompilerError
from ninetoothed.interpreters import interpret
from ninetoothed.ir.nt import NT
from ninetoothed.ir.scf import SCF
from ninetoothed.ir.tt import BLOCK_ARITH, TT
from tests.support import counting


def parse(text: str) -> ModuleOp:
    """The module of ``text``, verified."""
    context = Context()
    for dialect in (Builtin, BLOCK_ARITH, SCF, Math, NT, TT):
        context.load_dialect(dialect)
    module = Parser(context, text).parse_module()
    module.verify()
    return module


ADD = """
tt.func @add(%x: !tt.ptr<f32> {nt.param = "x"}, %z: !tt.ptr<f32> {nt.param = "z"},
    %n: i32 {nt.symbol = "n"}, %xs: i32 {nt.symbol = "xs"}, %s: f32 {nt.param = "s"})
    attributes {nt.params = [#nt.param<"x" tensor [n] [xs]>, #nt.param<"z" tensor [n] [1]>,
      #nt.param<"s" scalar [] []>], nt.grid = #nt.expr<n ceildiv 128>} {
  %pid = tt.get_program_id 0 : i32
  %c = arith.constant 128 : i32
  %b = arith.muli %pid, %c : i32
  %r = tt.make_range 0 : i32 128 : i32 -> tensor<128xi32>
  %sb = tt.splat %b : i32 -> tensor<128xi32>
  %o = arith.addi %sb, %r : tensor<128xi32>
  %ns = tt.splat %n : i32 -> tensor<128xi32>
  %m = arith.cmpi slt, %o, %ns : tensor<128xi32>
  %xss = tt.splat %xs : i32 -> tensor<128xi32>
  %xo = arith.muli %o, %xss : tensor<128xi32>
  %ps = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %p = tt.addptr %ps, %xo : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %v = tt.load %p, %m : tensor<128x!tt.ptr<f32>>
  %ss = tt.splat %s : f32 -> tensor<128xf32>
  %w = arith.addf %v, %ss : tensor<128xf32>
  %zs = tt.splat %z : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %q = tt.addptr %zs, %o : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  tt.store %q, %w, %m : tensor<128x!tt.ptr<f32>>
  tt.return
}
"""


@pytest.mark.parametrize("n", [0, 1, 128, 1000])
@pytest.mark.parametrize("lanes", ["1", "300", "100000"])
def test_vector_addition(n: int, lanes: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NINETOOTHED_INTERPRET_LANES", lanes)
    x, z = torch.randn(n, 3)[:, 1], torch.full((n,), torch.nan)
    interpret(parse(ADD), [x, z, 0.5])
    torch.testing.assert_close(z, x + 0.5)


def test_arguments_must_fit() -> None:
    x = torch.zeros(4)
    with pytest.raises(ArgumentError, match="stride 0 of z is 2; it must be 1"):
        interpret(parse(ADD), [x, torch.zeros(8)[::2], 0.5])
    with pytest.raises(ArgumentError, match=r"s is a number; pass s\.item\(\)"):
        interpret(parse(ADD), [x, x, x])
    with pytest.raises(ArgumentError, match=r"z must be a tensor of torch\.float32, not of"):
        interpret(parse(ADD), [x, x.double(), 0.5])


def test_unmasked_lanes_outside_the_tensor_are_an_error() -> None:
    text = ADD.replace("tt.store %q, %w, %m", "tt.store %q, %w")
    with pytest.raises(CompilerError, match="elements 0 to 127 of z are addressed"):
        interpret(parse(text), [torch.zeros(4), torch.zeros(4), 0.5])


MATMUL = """
tt.func @matmul(%a: !tt.ptr<f16> {nt.param = "a"}, %b: !tt.ptr<f16> {nt.param = "b"},
    %c: !tt.ptr<f32> {nt.param = "c"}, %k: i32 {nt.symbol = "k"})
    attributes {nt.params = [#nt.param<"a" tensor [16, k] [k, 1]>,
      #nt.param<"b" tensor [k, 32] [32, 1]>, #nt.param<"c" tensor [16, 32] [32, 1]>],
      nt.grid = #nt.expr<1>} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 8 : i32
  %rk = tt.make_range 0 : i32 8 : i32 -> tensor<8xi32>
  %rm = tt.make_range 0 : i32 16 : i32 -> tensor<16xi32>
  %rn = tt.make_range 0 : i32 32 : i32 -> tensor<32xi32>
  %m = tt.expand_dims %rm 1 : i32 : tensor<16xi32> -> tensor<16x1xi32>
  %n = tt.expand_dims %rn 0 : i32 : tensor<32xi32> -> tensor<1x32xi32>
  %ks = tt.splat %k : i32 -> tensor<16x1xi32>
  %mk = arith.muli %m, %ks : tensor<16x1xi32>
  %row = tt.broadcast %mk : tensor<16x1xi32> -> tensor<16x8xi32>
  %nb = tt.broadcast %n : tensor<1x32xi32> -> tensor<8x32xi32>
  %as = tt.splat %a : !tt.ptr<f16> -> tensor<16x8x!tt.ptr<f16>>
  %bs = tt.splat %b : !tt.ptr<f16> -> tensor<8x32x!tt.ptr<f16>>
  %width8 = arith.constant dense<32> : tensor<8x1xi32>
  %acc0 = arith.constant dense<0.0> : tensor<16x32xf32>
  %half0 = arith.constant dense<0.0> : tensor<16x8xf16>
  %acc = scf.for %i = %zero to %k step %step iter_args(%sum = %acc0) -> (tensor<16x32xf32>) : i32 {
    %is = tt.splat %i : i32 -> tensor<8xi32>
    %kk = arith.addi %is, %rk : tensor<8xi32>
    %kc = tt.expand_dims %kk 0 : i32 : tensor<8xi32> -> tensor<1x8xi32>
    %kr = tt.expand_dims %kk 1 : i32 : tensor<8xi32> -> tensor<8x1xi32>
    %kcb = tt.broadcast %kc : tensor<1x8xi32> -> tensor<16x8xi32>
    %ao = arith.addi %row, %kcb : tensor<16x8xi32>
    %ap = tt.addptr %as, %ao : tensor<16x8x!tt.ptr<f16>>, tensor<16x8xi32>
    %kl = tt.splat %k : i32 -> tensor<1x8xi32>
    %am1 = arith.cmpi slt, %kc, %kl : tensor<1x8xi32>
    %am = tt.broadcast %am1 : tensor<1x8xi1> -> tensor<16x8xi1>
    %av = tt.load %ap, %am, %half0 : tensor<16x8x!tt.ptr<f16>>
    %krw = arith.muli %kr, %width8 : tensor<8x1xi32>
    %krb = tt.broadcast %krw : tensor<8x1xi32> -> tensor<8x32xi32>
    %bo = arith.addi %krb, %nb : tensor<8x32xi32>
    %bp = tt.addptr %bs, %bo : tensor<8x32x!tt.ptr<f16>>, tensor<8x32xi32>
    %klr = tt.splat %k : i32 -> tensor<8x1xi32>
    %bm1 = arith.cmpi slt, %kr, %klr : tensor<8x1xi32>
    %bm = tt.broadcast %bm1 : tensor<8x1xi1> -> tensor<8x32xi1>
    %bv = tt.load %bp, %bm : tensor<8x32x!tt.ptr<f16>>
    %next = tt.dot %av, %bv, %sum 0 : i32 0 : i32 :
      tensor<16x8xf16> * tensor<8x32xf16> -> tensor<16x32xf32>
    scf.yield %next : tensor<16x32xf32>
  }
  %width16 = arith.constant dense<32> : tensor<16x1xi32>
  %mw = arith.muli %m, %width16 : tensor<16x1xi32>
  %mb = tt.broadcast %mw : tensor<16x1xi32> -> tensor<16x32xi32>
  %nb16 = tt.broadcast %n : tensor<1x32xi32> -> tensor<16x32xi32>
  %co = arith.addi %mb, %nb16 : tensor<16x32xi32>
  %cs = tt.splat %c : !tt.ptr<f32> -> tensor<16x32x!tt.ptr<f32>>
  %cp = tt.addptr %cs, %co : tensor<16x32x!tt.ptr<f32>>, tensor<16x32xi32>
  tt.store %cp, %acc : tensor<16x32x!tt.ptr<f32>>
  tt.return
}
"""


@pytest.mark.parametrize("k", [0, 3, 8, 29])
def test_matmul(k: int) -> None:
    a, b, c = torch.randn(16, k).half(), torch.randn(k, 32).half(), torch.zeros(16, 32)
    interpret(parse(MATMUL), [a, b, c])
    torch.testing.assert_close(c, a.float() @ b.float(), rtol=1e-4, atol=1e-4)


def lanes_kernel(body: str, source: str, target: str, lanes: int = 4) -> ModuleOp:
    """Programs of ``lanes`` lanes: ``body`` makes ``%b`` of ``%a``, and may use ``%pid`` and
    ``%pz``.
    """
    return parse(f"""
        tt.func @f(%x: !tt.ptr<{source}> {{nt.param = "x"}},
            %z: !tt.ptr<{target}> {{nt.param = "z"}})
            attributes {{nt.params = [#nt.param<"x" tensor [n] [1]>, #nt.param<"z" tensor [n] [1]>],
              nt.grid = #nt.expr<n floordiv {lanes}>}} {{
          %pid = tt.get_program_id 0 : i32
          %lanes = arith.constant {lanes} : i32
          %start = arith.muli %pid, %lanes : i32
          %r = tt.make_range 0 : i32 {lanes} : i32 -> tensor<{lanes}xi32>
          %px0 = tt.addptr %x, %start : !tt.ptr<{source}>, i32
          %pz0 = tt.addptr %z, %start : !tt.ptr<{target}>, i32
          %px1 = tt.splat %px0 : !tt.ptr<{source}> -> tensor<{lanes}x!tt.ptr<{source}>>
          %pz1 = tt.splat %pz0 : !tt.ptr<{target}> -> tensor<{lanes}x!tt.ptr<{target}>>
          %px = tt.addptr %px1, %r : tensor<{lanes}x!tt.ptr<{source}>>, tensor<{lanes}xi32>
          %pz = tt.addptr %pz1, %r : tensor<{lanes}x!tt.ptr<{target}>>, tensor<{lanes}xi32>
          %a = tt.load %px : tensor<{lanes}x!tt.ptr<{source}>>
          {body}
          tt.store %pz, %b : tensor<{lanes}x!tt.ptr<{target}>>
          tt.return
        }}""")


def reduction(combine: str) -> str:
    """The combination of four lanes of f32 by ``combine``, spread over the lanes again."""
    return f"""
        %s = "tt.reduce"(%a) <{{axis = 0 : i32}}> ({{
        ^bb0(%l: f32, %h: f32):
          {combine}
          tt.reduce.return %c : f32
        }}) : (tensor<4xf32>) -> f32
        %b = tt.splat %s : f32 -> tensor<4xf32>"""


@pytest.mark.parametrize(
    ("combine", "expected"),
    [
        ("%c = arith.addf %l, %h : f32", [10, 10, 10, 10, 1, 1, 1, 1]),
        ("%c = arith.maxnumf %l, %h : f32", [4, 4, 4, 4, 6, 6, 6, 6]),
        ("%c = arith.minnumf %l, %h : f32", [1, 1, 1, 1, -9, -9, -9, -9]),
        ("%d = arith.mulf %l, %h : f32\n%c = math.absf %d : f32", [24] * 4 + [108] * 4),
    ],
)
def test_reductions(combine: str, expected: list[float]) -> None:
    x, z = torch.tensor([1.0, 2, 3, 4, -9, 6, 2, -1]), torch.zeros(8)
    if "addf" in combine:
        x[7] = 2
    interpret(lanes_kernel(reduction(combine), "f32", "f32"), [x, z])
    assert z.tolist() == expected


def test_a_reduction_of_a_uniform_block_counts_every_lane() -> None:
    body = "%o = arith.constant dense<1.0> : tensor<4xf32>" + reduction(
        "%c = arith.addf %l, %h : f32"
    ).replace("(%a)", "(%o)")
    z = torch.zeros(4)
    interpret(lanes_kernel(body, "f32", "f32"), [torch.zeros(4), z])
    assert z.tolist() == [4] * 4


def test_branches_and_loops_diverge() -> None:
    body = """
        %zero = arith.constant 0 : i32
        %one = arith.constant 1 : i32
        %first = arith.cmpi eq, %pid, %zero : i32
        %b = scf.for %i = %zero to %pid step %one iter_args(%s = %a) -> (tensor<4xi32>) : i32 {
          %is = tt.splat %i : i32 -> tensor<4xi32>
          %d = arith.addi %s, %is : tensor<4xi32>
          %e = scf.if %first -> (tensor<4xi32>) {
            scf.yield %is : tensor<4xi32>
          } else {
            tt.store %pz, %d : tensor<4x!tt.ptr<i32>>
            scf.yield %d : tensor<4xi32>
          }
          scf.yield %e : tensor<4xi32>
        }"""
    x, z = torch.arange(16, dtype=torch.int32), torch.zeros(16, dtype=torch.int32)
    interpret(lanes_kernel(body, "i32", "i32"), [x, z])
    expected = x.reshape(4, 4) + torch.tensor([0, 0, 1, 3]).reshape(4, 1)
    assert z.tolist() == expected.flatten().tolist()


def bits(value: float) -> int:
    """The bits of a float of 32 bits, as a signed number."""
    return struct.unpack("<i", struct.pack("<f", value))[0]


@pytest.mark.parametrize(
    ("op", "source", "target", "value", "expected"),
    [
        ("arith.divsi %a, %k : T", "i32", "i32", -7, -2),
        ("arith.remsi %a, %k : T", "i32", "i32", -7, -1),
        ("arith.floordivsi %a, %k : T", "i32", "i32", -7, -3),
        ("arith.ceildivsi %a, %k : T", "i32", "i32", 7, 3),
        ("arith.divui %a, %k : T", "i32", "i32", -1, (2**32 - 1) // 3),
        ("arith.remui %a, %k : T", "i64", "i64", -2, (2**64 - 2) % 3),
        ("arith.minui %a, %k : T", "i32", "i32", -1, 3),
        ("arith.maxui %a, %k : T", "i32", "i32", -1, -1),
        ("arith.minsi %a, %k : T", "i32", "i32", -1, -1),
        ("arith.shrsi %a, %k : T", "i32", "i32", -16, -2),
        ("arith.shrui %a, %k : T", "i32", "i32", -16, 2**29 - 2),
        ("arith.shrui %a, %k : T", "i64", "i64", -16, 2**61 - 2),
        ("arith.shli %a, %k : T", "i8", "i8", 33, 8),
        ("arith.xori %a, %k : T", "i32", "i32", 5, 6),
        ("arith.subi %a, %k : T", "i8", "i8", -127, 126),
        ("arith.cmpi ult, %a, %k : T", "i32", "i1", -1, False),
        ("arith.cmpi slt, %a, %k : T", "i32", "i1", -1, True),
        ("arith.cmpi ugt, %a, %k : T", "i64", "i1", -1, True),
        ("arith.cmpf olt, %a, %k : T", "f32", "i1", math.nan, False),
        ("arith.cmpf ult, %a, %k : T", "f32", "i1", math.nan, True),
        ("arith.cmpf une, %a, %k : T", "f32", "i1", math.nan, True),
        ("arith.cmpf one, %a, %k : T", "f32", "i1", math.nan, False),
        ("arith.cmpf ord, %a, %k : T", "f32", "i1", 1.0, True),
        ("arith.cmpf ueq, %a, %k : T", "f32", "i1", 3.0, True),
        ("arith.negf %a : T", "f32", "f32", 2.0, -2.0),
        ("arith.divf %a, %k : T", "f32", "f32", 6.0, 2.0),
        ("arith.maxnumf %a, %k : T", "f32", "f32", math.nan, 3.0),
        ("arith.extsi %a : T to U", "i8", "i32", -3, -3),
        ("arith.extui %a : T to U", "i8", "i32", -3, 253),
        ("arith.extui %a : T to U", "i1", "i32", True, 1),
        ("arith.extsi %a : T to U", "i1", "i32", True, -1),
        ("arith.trunci %a : T to U", "i32", "i8", 259, 3),
        ("arith.sitofp %a : T to U", "i32", "f32", -3, -3.0),
        ("arith.uitofp %a : T to U", "i32", "f32", -1, 2.0**32),
        ("arith.fptosi %a : T to U", "f32", "i32", -2.7, -2),
        ("arith.fptoui %a : T to U", "f32", "i32", 3e9, 3_000_000_000 - 2**32),
        ("arith.truncf %a : T to U", "f32", "f16", 2049.0, 2048.0),
        ("arith.extf %a : T to U", "f16", "f32", 2.5, 2.5),
        ("arith.bitcast %a : T to U", "f32", "i32", 1.5, bits(1.5)),
        ("tt.fp_to_fp %a : T -> U", "f8E5M2", "f16", 3.0, 3.0),
        ("tt.fp_to_fp %a rounding 1 : i32 : T -> U", "f32", "f8E4M3FN", 17.0, 16.0),
        ("math.exp2 %a : T", "f32", "f32", 3.0, 8.0),
        ("math.rsqrt %a : T", "f32", "f32", 4.0, 0.5),
        ("math.floor %a : T", "f32", "f32", -1.5, -2.0),
        ("math.absi %a : T", "i32", "i32", -5, 5),
    ],
)
def test_numbers(op: str, source: str, target: str, value: float, expected: float) -> None:
    dtypes = {
        "i1": torch.bool,
        "i8": torch.int8,
        "i32": torch.int32,
        "i64": torch.int64,
        "f16": torch.float16,
        "f32": torch.float32,
        "f8E5M2": torch.float8_e5m2,
        "f8E4M3FN": torch.float8_e4m3fn,
    }
    three = "3.0" if source.startswith("f") else "true" if source == "i1" else "3"
    if " to U" in op:
        # xDSL converts scalars only.
        scalar = op.replace("T", source).replace("U", target).replace("%a", "%s")
        body = f"""
            %s = tt.load %px0 : !tt.ptr<{source}>
            %c = {scalar}
            %b = tt.splat %c : {target} -> tensor<4x{target}>"""
    else:
        spelled = op.replace("T", f"tensor<4x{source}>").replace("U", f"tensor<4x{target}>")
        body = f"%b = {spelled}"
    if "%k" in op:
        body = f"%k = arith.constant dense<{three}> : tensor<4x{source}>\n{body}"
    x = torch.tensor([value] * 4).to(dtypes[source])
    z = torch.zeros(4).to(dtypes[target])
    interpret(lanes_kernel(body, source, target), [x, z])
    assert z.tolist() == [expected] * 4


def test_selections_transpositions_and_constants() -> None:
    body = """
        %d = arith.constant dense<[10, 20, 30, 40]> : tensor<4xi32>
        %two = arith.constant 2 : i32
        %twos = arith.constant dense<2> : tensor<4xi32>
        %m = arith.cmpi slt, %r, %twos : tensor<4xi32>
        %e = arith.select %m, %a, %d : tensor<4xi1>, tensor<4xi32>
        %late = arith.cmpi sge, %pid, %two : i32
        %f = arith.select %late, %d, %e : tensor<4xi32>
        %g = tt.expand_dims %f 1 : i32 : tensor<4xi32> -> tensor<4x1xi32>
        %h = "tt.trans"(%g) <{order = array<i32: 1, 0>}> : (tensor<4x1xi32>) -> tensor<1x4xi32>
        %b = "tt.reduce"(%h) <{axis = 0 : i32}> ({
        ^bb0(%p: i32, %q: i32):
          %s = arith.addi %p, %q : i32
          tt.reduce.return %s : i32
        }) : (tensor<1x4xi32>) -> tensor<4xi32>"""
    x, z = torch.arange(12, dtype=torch.int32), torch.zeros(12, dtype=torch.int32)
    interpret(lanes_kernel(body, "i32", "i32"), [x, z])
    assert z.tolist() == [0, 1, 30, 40, 4, 5, 30, 40, 10, 20, 30, 40]


def test_unsigned_tensors_are_addressed_as_bits() -> None:
    body = "%b = arith.addi %a, %a : tensor<4xi32>"
    x = torch.tensor([2**31 + 1] * 4, dtype=torch.uint32)
    z = torch.zeros(4, dtype=torch.uint32)
    interpret(lanes_kernel(body, "i32", "i32"), [x, z])
    assert z.tolist() == [2] * 4


def test_conversions_between_the_dialects_keep_the_bits() -> None:
    body = """
        %u = builtin.unrealized_conversion_cast %a : tensor<4xi32> to !nt.tensor<[4] x ui32>
        %b = builtin.unrealized_conversion_cast %u : !nt.tensor<[4] x ui32> to tensor<4xi32>"""
    x, z = torch.tensor([-1, 0, 1, 2], dtype=torch.int32), torch.zeros(4, dtype=torch.int32)
    interpret(lanes_kernel(body, "i32", "i32"), [x, z])
    assert z.tolist() == x.tolist()


@pytest.mark.parametrize("chunks", [1, 4])
def test_operations_of_a_large_addition(chunks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The 8,192 programs of a chunk run at once."""
    size = 2**20
    monkeypatch.setenv("NINETOOTHED_INTERPRET_LANES", str(size // chunks))
    x, z = torch.randn(size), torch.zeros(size)
    module = parse(ADD)
    with counting.Operations() as done:
        interpret(module, [x, z, 1.0])
    assert done.count <= 100 * chunks
    assert done.elements <= 40 * size
    assert counting.lines(lambda: interpret(module, [x, z, 1.0])) <= 5_000 * chunks
    torch.testing.assert_close(z, x + 1)
