"""The interpreter on ``tt``: chunks, masks, control flow. What each op gives stands beside what
Triton's interpreter gives, in ``tests/unit/backend/test_meaning.py``.
"""

from __future__ import annotations

import pytest
import torch
from xdsl.dialects.builtin import ModuleOp

from ninetoothed.errors import ArgumentError, CompilerError
from ninetoothed.interpreters import interpret
from ninetoothed.interpreters.trace import Trace, difference
from tests.support import counting
from tests.support.tt_modules import parse

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


PERSISTENT = """
tt.func @persistent(%x: !tt.ptr<i32> {nt.param = "x"}, %n: i32 {nt.symbol = "n"})
    attributes {nt.params = [#nt.param<"x" tensor [n] [1]>], nt.grid = #nt.expr<n>} {
  %first = tt.get_program_id 0 : i32
  %step = tt.get_num_programs 0 : i32
  scf.for %pid = %first to %n step %step : i32 {
    %p = tt.addptr %x, %pid : !tt.ptr<i32>, i32
    tt.store %p, %first : !tt.ptr<i32>
  } {nt.over_programs, tt.flatten}
  tt.return
}
"""


@pytest.mark.parametrize("lanes", ["1", "100000"])
@pytest.mark.parametrize(
    ("n", "programs"), [(0, 0), (1, 1), (2, 1), (3, 2), (5, 2), (7, 3), (100, 40)]
)
def test_persistent_programs(
    n: int, programs: int, lanes: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fewer run than there is work for; what one does counts as done by the program whose it is."""
    monkeypatch.setenv("NINETOOTHED_INTERPRET_LANES", lanes)
    x, trace = torch.full((n,), -1, dtype=torch.int32), Trace()
    interpret(parse(PERSISTENT), [x], trace=trace)
    assert x.tolist() == [place % programs for place in range(n)]
    alone, plain = torch.empty_like(x), Trace()
    text = PERSISTENT.replace("nt.over_programs, ", "").replace("to %n", "to %end")
    text = text.replace("  scf.for", "  %end = arith.addi %first, %step : i32\n  scf.for")
    interpret(parse(text), [alone], trace=plain)
    assert alone.tolist() == [*range(n)]
    assert difference(plain, trace) is None


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


def test_a_reduction_of_a_uniform_block_counts_every_lane() -> None:
    body = """
        %o = arith.constant dense<1.0> : tensor<4xf32>
        %s = "tt.reduce"(%o) <{axis = 0 : i32}> ({
        ^bb0(%l: f32, %h: f32):
          %c = arith.addf %l, %h : f32
          tt.reduce.return %c : f32
        }) : (tensor<4xf32>) -> f32
        %b = tt.splat %s : f32 -> tensor<4xf32>"""
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
