"""Value numbering: which values are known to be equal."""

from __future__ import annotations

import pytest
from xdsl.ir import SSAValue
from xdsl.parser import Parser

from ninetoothed.compiler.compile import context
from ninetoothed.ir import nt
from ninetoothed.passes.analysis.value_numbering import ValueNumbering

TEXT = """
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x i32>
  nt.arranged %x : !nt.tensor<[n] x i32>
} apply {
^bb0(%x : !nt.tensor<[] x i32>):
  %i = nt.program_number : i32
  %one = arith.constant 1 : i32
  %long_one = arith.constant 1 : i64
  %long = nt.cast %i : i32 -> i64
  %long_again = nt.cast %i : i32 -> i64
  %short = nt.cast %i : i32 -> i8
  %short_cast = nt.cast %short : i8 -> i32
  %next = nt.elementwise "add"(%i, %one) : (i32, i32) -> i32
  %next_turned = nt.elementwise "add"(%one, %i) : (i32, i32) -> i32
  %before = nt.elementwise "sub"(%i, %one) : (i32, i32) -> i32
  %sum_cast = nt.cast %next : i32 -> i64
  %cast_sum = nt.elementwise "add"(%long, %long_one) : (i64, i64) -> i64
  %p = nt.pointer %x : !nt.tensor<[] x i32> -> !tt.ptr<i32>
  %read = nt.pointer_load %p : !tt.ptr<i32> -> i32
  %read_again = nt.pointer_load %p : !tt.ptr<i32> -> i32
  %lanes = nt.arange <0> : !nt.tensor<[2] x i32>
  %left, %right = nt.split %lanes : !nt.tensor<[2] x i32> -> i32
  %left_again, %right_again = nt.split %lanes : !nt.tensor<[2] x i32> -> i32
  nt.return
}
"""


@pytest.fixture(scope="module")
def values() -> dict[str | None, SSAValue]:
    (kernel,) = Parser(context(), TEXT).parse_module().body.ops
    assert isinstance(kernel, nt.KernelOp)
    return {result.name_hint: result for op in kernel.apply.walk() for result in op.results}


@pytest.mark.parametrize(
    ("one", "two", "equal"),
    [
        ("long", "long_again", True),
        ("next", "next_turned", True),
        ("next", "before", False),
        ("i", "long", True),
        ("i", "short_cast", False),
        # The sum may have overflowed.
        ("sum_cast", "cast_sum", False),
        # Memory may have changed.
        ("read", "read_again", False),
        ("left", "left_again", True),
        ("right", "right_again", True),
        ("left", "right", False),
    ],
)
def test_equal_expressions(
    values: dict[str | None, SSAValue], one: str, two: str, equal: bool
) -> None:
    numbers = ValueNumbering()
    assert (numbers.expression(values[one]) == numbers.expression(values[two])) is equal
