"""Index values: ranges of integers that an application computes, those that may wrap among them."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import i32
from xdsl.ir import BlockArgument, SSAValue
from xdsl.parser import Parser

from ninetoothed.compiler.compile import context
from ninetoothed.ir import nt
from ninetoothed.passes.analysis.index_values import IndexValues
from ninetoothed.symbolic.expr import const, sym
from ninetoothed.symbolic.intervals import Range
from ninetoothed.symbolic.normal_form import normalize

TEXT = """
nt.kernel @k symbols [
  #nt.symbol<n size 0 to ?>, #nt.symbol<m size 0 to ?>, #nt.symbol<s stride ? to ?>
] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x i32>
  nt.arranged %x : !nt.tensor<[n] x i32>
} apply {
^bb0(%x : !nt.tensor<[] x i32>):
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %n = nt.size <n> : i32
  %many = nt.size <n * m> : i32
  %missing = nt.size <0 - n * m> : i32
  %unknown = nt.program_number : i32
  %least = nt.elementwise "minimum"(%unknown, %n) : (i32, i32) -> i32
  %most = nt.elementwise "maximum"(%one, %unknown) : (i32, i32) -> i32
  %wide = nt.cast %least : i32 -> i64
  %narrow = nt.cast %least : i32 -> i8
  %lanes = nt.arange <5> : !nt.tensor<[16] x i32>
  scf.for %up = %zero to %n step %one : i32 {
    %down = nt.elementwise "sub"(%n, %up) : (i32, i32) -> i32
    scf.yield
  }
  scf.for %below_least = %zero to %least step %one : i32 {
    scf.yield
  }
  scf.for %part = %most to %least step %one : i32 {
    scf.yield
  }
  scf.for %below_wrapped = %zero to %many step %one : i32 {
    scf.yield
  }
  scf.for %below_negative = %zero to %missing step %one : i32 {
    scf.yield
  }
  scf.for %from_wrapped = %many to %n step %one : i32 {
    scf.yield
  }
  scf.for %by_three = %one to %n step %three : i32 {
    scf.yield
  }
  nt.return
}
"""
N, M, S = sym("n"), sym("m"), sym("s")


@pytest.fixture(scope="module")
def kernel() -> nt.KernelOp:
    (kernel,) = Parser(context(), TEXT).parse_module().body.ops
    assert isinstance(kernel, nt.KernelOp)
    return kernel


def _named(kernel: nt.KernelOp) -> dict[str | None, SSAValue]:
    found: dict[str | None, SSAValue] = {}
    for op in kernel.apply.walk():
        found |= {result.name_hint: result for result in op.results}
        arguments: list[BlockArgument] = [
            argument for region in op.regions for block in region.blocks for argument in block.args
        ]
        found |= {argument.name_hint: argument for argument in arguments}
    return found


def _normal(range: Range) -> Range:
    ends = (None if end is None else normalize(end) for end in (range.lower, range.upper))
    return Range(*ends)


@pytest.mark.parametrize(
    ("name", "range"),
    [
        ("three", Range.of(3, 3)),
        ("n", Range(N, N)),
        ("lanes", Range.of(5, 20)),
        # It is an integer, whatever the other operand is.
        ("least", Range(None, N)),
        ("most", Range(const(1))),
        ("wide", Range(None, N)),
        ("narrow", Range()),
        ("up", Range(const(0), N - 1)),
        ("down", Range(const(1), N)),
        ("below_least", Range(const(0), N - 1)),
        ("part", Range(const(1), N - 1)),
        # A product that wraps is smaller …
        ("many", Range()),
        ("below_wrapped", Range(const(0), N * M - 1)),
        # … and a negative one larger.
        ("below_negative", Range(const(0))),
        ("from_wrapped", Range(None, N - 1)),
        ("by_three", Range(const(1), (N - 2) // 3 * 3 + 1)),
        ("unknown", Range()),
    ],
)
def test_range_of(kernel: nt.KernelOp, name: str, range: Range) -> None:
    values = IndexValues(kernel, 32, of_host=False)
    assert _normal(values.range_of(_named(kernel)[name])) == _normal(range)


def test_only_sizes_of_calls_are_known_to_the_host(kernel: nt.KernelOp) -> None:
    named = _named(kernel)
    values = IndexValues(kernel, 32, of_host=True)
    assert values.range_of(named["up"]) == Range(const(0), N - 1)
    # No tensor has the size m.
    assert values.range_of(named["below_wrapped"]) == Range(const(0))


def test_strides_may_be_negative(kernel: nt.KernelOp) -> None:
    values = IndexValues(kernel, 32, of_host=False)
    assert values.never_negative(N)
    assert not values.never_negative(S)
    assert not values.never_negative(-S)
    assert values.fits(S, i32)
