"""Kernels as modules of the stage ``tt``, for the tests of the emitters."""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, Builtin, DictionaryAttr, ModuleOp, StringAttr
from xdsl.dialects.math import Math
from xdsl.parser import Parser

from ninetoothed.backend.device_function import argument_attributes, device_function
from ninetoothed.ir.nt import NT
from ninetoothed.ir.scf import SCF
from ninetoothed.ir.tt import BLOCK_ARITH, TT


def parse(text: str) -> ModuleOp:
    """The module of ``text``."""
    context = Context()
    for dialect in (Builtin, BLOCK_ARITH, SCF, Math, TT, NT):
        context.load_dialect(dialect)
    return Parser(context, text).parse_module()


def elementwise(body: str, dtype: str, out: str | None = None, count: int = 2) -> ModuleOp:
    """A kernel over 64 elements: ``%x0 … %x1`` are loaded, ``body`` makes ``%y`` of them."""
    out = out or dtype
    pointers = "".join(f"%p{i}: !tt.ptr<{dtype}>, " for i in range(count))
    lines = [
        f"tt.func @f({pointers}%q: !tt.ptr<{out}>)",
        f"attributes {{{launch([*(f'p{i}' for i in range(count)), 'q'])}}} {{",
        "%lanes = tt.make_range 0 : i32 64 : i32 -> tensor<64xi32>",
    ]
    for i in range(count):
        lines += [
            f"%s{i} = tt.splat %p{i} : !tt.ptr<{dtype}> -> tensor<64x!tt.ptr<{dtype}>>",
            f"%a{i} = tt.addptr %s{i}, %lanes : tensor<64x!tt.ptr<{dtype}>>, tensor<64xi32>",
            f"%x{i} = tt.load %a{i} : tensor<64x!tt.ptr<{dtype}>>",
        ]
    lines += [
        body,
        f"%sq = tt.splat %q : !tt.ptr<{out}> -> tensor<64x!tt.ptr<{out}>>",
        f"%aq = tt.addptr %sq, %lanes : tensor<64x!tt.ptr<{out}>>, tensor<64xi32>",
        f"tt.store %aq, %y : tensor<64x!tt.ptr<{out}>>",
        "tt.return",
        "}",
    ]
    module = parse("\n".join(lines))
    return with_sources(module)


def launch(names: list[str], grid: str = "1") -> str:
    """Launch attributes for one-dimensional tensors of these names."""
    tensors = ", ".join(
        f'#nt.param<"{name}" tensor [{name}_size_0] [{name}_stride_0]>' for name in names
    )
    return f'"nt.params" = [{tensors}], "nt.grid" = #nt.expr<{grid}>, "nt.checks" = []'


def with_sources(module: ModuleOp) -> ModuleOp:
    """``module``, each argument of which is given the parameter of its name."""
    function = device_function(module)
    entries = zip(function.body.block.args, argument_attributes(function), strict=True)
    function.arg_attrs = ArrayAttr(
        DictionaryAttr({"nt.param": StringAttr(value.name_hint or ""), **attrs})
        for value, attrs in entries
    )
    return module


ADD = """
tt.func @add(
    %x: !tt.ptr<f16> {"nt.param" = "x", "tt.divisibility" = 16 : i32},
    %y: !tt.ptr<f16> {"nt.param" = "y"}, %out: !tt.ptr<f16> {"nt.param" = "out"},
    %n: i32 {"nt.symbol" = "n"}
) attributes {
    "nt.params" = [#nt.param<"x" tensor [n] [1]>, #nt.param<"y" tensor [n] [1]>,
                   #nt.param<"out" tensor [n] [1]>],
    "nt.grid" = #nt.expr<n ceildiv 128>, "nt.checks" = []} {
  %pid = tt.get_program_id 0 : i32
  %c = arith.constant 128 : i32
  %start = arith.muli %pid, %c : i32
  %lanes = tt.make_range 0 : i32 128 : i32 -> tensor<128xi32>
  %s = tt.splat %start : i32 -> tensor<128xi32>
  %offs = arith.addi %s, %lanes : tensor<128xi32>
  %ns = tt.splat %n : i32 -> tensor<128xi32>
  %mask = arith.cmpi slt, %offs, %ns : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>>
  %xp = tt.addptr %xs, %offs : tensor<128x!tt.ptr<f16>>, tensor<128xi32>
  %a = tt.load %xp, %mask : tensor<128x!tt.ptr<f16>>
  %ys = tt.splat %y : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>>
  %yp = tt.addptr %ys, %offs : tensor<128x!tt.ptr<f16>>, tensor<128xi32>
  %b = tt.load %yp, %mask : tensor<128x!tt.ptr<f16>>
  %sum = arith.addf %a, %b : tensor<128xf16>
  %os = tt.splat %out : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>>
  %op = tt.addptr %os, %offs : tensor<128x!tt.ptr<f16>>, tensor<128xi32>
  tt.store %op, %sum, %mask : tensor<128x!tt.ptr<f16>>
  tt.return
}
"""

MATMUL = """
tt.func @matmul(
    %a: !tt.ptr<f16> {"nt.param" = "a"}, %b: !tt.ptr<f16> {"nt.param" = "b"},
    %c: !tt.ptr<f32> {"nt.param" = "c"}, %n: i32 {"nt.symbol" = "n"}, %k: i32 {"nt.symbol" = "k"}
) attributes {
    "nt.params" = [#nt.param<"a" tensor [m, k] [k, 1]>, #nt.param<"b" tensor [k, n] [n, 1]>,
                   #nt.param<"c" tensor [m, n] [n, 1]>],
    "nt.grid" = #nt.expr<(m floordiv 32) * (n floordiv 32)>,
    "nt.checks" = [#nt.check<[m mod 32, n mod 32] = [0, 0], "{left} must be {right}">]} {
  %c32 = arith.constant 32 : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %pid = tt.get_program_id 0 : i32
  %across = arith.divsi %n, %c32 : i32
  %row = arith.divsi %pid, %across : i32
  %col = arith.remsi %pid, %across : i32
  %lanes = tt.make_range 0 : i32 32 : i32 -> tensor<32xi32>
  %m0 = arith.muli %row, %c32 : i32
  %n0 = arith.muli %col, %c32 : i32
  %m0s = tt.splat %m0 : i32 -> tensor<32xi32>
  %n0s = tt.splat %n0 : i32 -> tensor<32xi32>
  %rows1 = arith.addi %m0s, %lanes : tensor<32xi32>
  %cols1 = arith.addi %n0s, %lanes : tensor<32xi32>
  %rows = tt.expand_dims %rows1 1 : i32 : tensor<32xi32> -> tensor<32x1xi32>
  %cols = tt.expand_dims %cols1 0 : i32 : tensor<32xi32> -> tensor<1x32xi32>
  %ks = tt.splat %k : i32 -> tensor<32x1xi32>
  %starts = arith.muli %rows, %ks : tensor<32x1xi32>
  %startsb = tt.broadcast %starts : tensor<32x1xi32> -> tensor<32x32xi32>
  %colsb = tt.broadcast %cols : tensor<1x32xi32> -> tensor<32x32xi32>
  %init = arith.constant dense<0.0> : tensor<32x32xf32>
  %zero = arith.constant dense<0.0> : tensor<32x32xf16>
  %up = arith.constant 31 : i32
  %k31 = arith.addi %k, %up : i32
  %steps = arith.divsi %k31, %c32 : i32
  %acc = scf.for %step = %c0 to %steps step %c1 iter_args(%accumulator = %init)
      -> (tensor<32x32xf32>) : i32 {
    %k0 = arith.muli %step, %c32 : i32
    %k0s = tt.splat %k0 : i32 -> tensor<32xi32>
    %inner = arith.addi %k0s, %lanes : tensor<32xi32>
    %kr = tt.expand_dims %inner 0 : i32 : tensor<32xi32> -> tensor<1x32xi32>
    %kc = tt.expand_dims %inner 1 : i32 : tensor<32xi32> -> tensor<32x1xi32>
    %ksr = tt.splat %k : i32 -> tensor<1x32xi32>
    %ksc = tt.splat %k : i32 -> tensor<32x1xi32>
    %mr = arith.cmpi slt, %kr, %ksr : tensor<1x32xi32>
    %mc = arith.cmpi slt, %kc, %ksc : tensor<32x1xi32>
    %mrb = tt.broadcast %mr : tensor<1x32xi1> -> tensor<32x32xi1>
    %mcb = tt.broadcast %mc : tensor<32x1xi1> -> tensor<32x32xi1>
    %krb = tt.broadcast %kr : tensor<1x32xi32> -> tensor<32x32xi32>
    %ao = arith.addi %startsb, %krb : tensor<32x32xi32>
    %as = tt.splat %a : !tt.ptr<f16> -> tensor<32x32x!tt.ptr<f16>>
    %ap = tt.addptr %as, %ao : tensor<32x32x!tt.ptr<f16>>, tensor<32x32xi32>
    %lhs = tt.load %ap, %mrb, %zero : tensor<32x32x!tt.ptr<f16>>
    %nsc = tt.splat %n : i32 -> tensor<32x1xi32>
    %kn = arith.muli %kc, %nsc : tensor<32x1xi32>
    %knb = tt.broadcast %kn : tensor<32x1xi32> -> tensor<32x32xi32>
    %bo = arith.addi %knb, %colsb : tensor<32x32xi32>
    %bs = tt.splat %b : !tt.ptr<f16> -> tensor<32x32x!tt.ptr<f16>>
    %bp = tt.addptr %bs, %bo : tensor<32x32x!tt.ptr<f16>>, tensor<32x32xi32>
    %rhs = tt.load %bp, %mcb, %zero : tensor<32x32x!tt.ptr<f16>>
    %next = tt.dot %lhs, %rhs, %accumulator 2 : i32 0 : i32
        : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
    scf.yield %next : tensor<32x32xf32>
  }
  %nsr = tt.splat %n : i32 -> tensor<32x1xi32>
  %rn = arith.muli %rows, %nsr : tensor<32x1xi32>
  %rnb = tt.broadcast %rn : tensor<32x1xi32> -> tensor<32x32xi32>
  %co = arith.addi %rnb, %colsb : tensor<32x32xi32>
  %cs = tt.splat %c : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %cp = tt.addptr %cs, %co : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  tt.store %cp, %acc : tensor<32x32x!tt.ptr<f32>>
  tt.return
}
"""

SOFTMAX = """
tt.func @softmax(
    %x: !tt.ptr<f32> {"nt.param" = "x"}, %y: !tt.ptr<f32> {"nt.param" = "y"},
    %n: i32 {"nt.symbol" = "x_size_1"}, %scale: f32 {"nt.param" = "scale"}
) attributes {
    "nt.params" = [#nt.param<"x" tensor [x_size_0, x_size_1] [x_size_1, 1]>,
                   #nt.param<"y" tensor [x_size_0, x_size_1] [x_size_1, 1]>,
                   #nt.param<"scale" scalar [] []>],
    "nt.grid" = #nt.expr<x_size_0>, "nt.checks" = []} {
  %pid = tt.get_program_id 0 : i32
  %lanes = tt.make_range 0 : i32 64 : i32 -> tensor<64xi32>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %mask = arith.cmpi slt, %lanes, %ns : tensor<64xi32>
  %start = arith.muli %pid, %n : i32
  %starts = tt.splat %start : i32 -> tensor<64xi32>
  %offs = arith.addi %starts, %lanes : tensor<64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %offs : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %value = tt.load %xp, %mask : tensor<64x!tt.ptr<f32>>
  %scales = tt.splat %scale : f32 -> tensor<64xf32>
  %scaled = arith.mulf %value, %scales : tensor<64xf32>
  %low = arith.constant dense<-1.0e+30> : tensor<64xf32>
  %row = arith.select %mask, %scaled, %low : tensor<64xi1>, tensor<64xf32>
  %top = "tt.reduce"(%row) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %m = arith.maxnumf %a, %b : f32
    tt.reduce.return %m : f32
  }) : (tensor<64xf32>) -> f32
  %tops = tt.splat %top : f32 -> tensor<64xf32>
  %shifted = arith.subf %row, %tops : tensor<64xf32>
  %numerator = math.exp %shifted : tensor<64xf32>
  %total = "tt.reduce"(%numerator) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %m = arith.addf %a, %b : f32
    tt.reduce.return %m : f32
  }) : (tensor<64xf32>) -> f32
  %totals = tt.splat %total : f32 -> tensor<64xf32>
  %result = arith.divf %numerator, %totals : tensor<64xf32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %offs : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %yp, %result, %mask : tensor<64x!tt.ptr<f32>>
  tt.return
}
"""

# Two carried values that change places, a branch, and a reduction that needs a helper.
BRANCHES = """
tt.func @branches(
    %x: !tt.ptr<i32> {"nt.param" = "x"}, %y: !tt.ptr<i32> {"nt.param" = "y"},
    %n: i32 {"nt.param" = "n"}
) attributes {
    "nt.params" = [#nt.param<"x" tensor [s] [1]>, #nt.param<"y" tensor [s] [1]>,
                   #nt.param<"n" scalar [] []>],
    "nt.grid" = #nt.expr<1>, "nt.checks" = []} {
  %lanes = tt.make_range 0 : i32 64 : i32 -> tensor<64xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %lanes : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %value = tt.load %xp : tensor<64x!tt.ptr<i32>>
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %ones = arith.constant dense<1> : tensor<64xi32>
  %large, %small = scf.for %i = %zero to %n step %one
      iter_args(%left = %value, %right = %ones) -> (tensor<64xi32>, tensor<64xi32>) : i32 {
    %sum = arith.addi %left, %right : tensor<64xi32>
    scf.yield %right, %sum : tensor<64xi32>, tensor<64xi32>
  }
  %bits = "tt.reduce"(%large) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %m = arith.xori %a, %b : i32
    %k = arith.addi %m, %m : i32
    %l = arith.subi %k, %m : i32
    tt.reduce.return %l : i32
  }) : (tensor<64xi32>) -> i32
  %two = arith.constant 2 : i32
  %many = arith.cmpi sgt, %n, %two : i32
  %chosen = scf.if %many -> (tensor<64xi32>) {
    %all = tt.splat %bits : i32 -> tensor<64xi32>
    scf.yield %all : tensor<64xi32>
  } else {
    %difference = arith.subi %large, %small : tensor<64xi32>
    scf.yield %difference : tensor<64xi32>
  }
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %yp = tt.addptr %ys, %lanes : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  tt.store %yp, %chosen : tensor<64x!tt.ptr<i32>>
  tt.return
}
"""

KERNELS = {"add": ADD, "matmul": MATMUL, "softmax": SOFTMAX, "branches": BRANCHES}
