"""Dividends: which divisions Triton may take for floor division where they are not."""

from __future__ import annotations

import pytest
from xdsl.parser import Parser

from ninetoothed.compiler.compile import context
from ninetoothed.ir import nt
from ninetoothed.passes.analysis.dividends import Dividends
from ninetoothed.passes.analysis.index_values import IndexValues

BLOCK = "!nt.tensor<[64] x i32>"
TEXT = """
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] arrange {{
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x i32>
  %x0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x i32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x i32>>
  nt.arranged %x0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x i32>>
}} apply {{
^bb0(%x : !nt.tensor<[64] x i32>):
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %seven = arith.constant 7 : i32
  %eight = arith.constant 8 : i32
  %number = nt.program_number : i32
  %size = nt.size <n> : i32
  %ones = nt.full %one : i32 -> BLOCK
  %sevens = nt.full %seven : i32 -> BLOCK
  %eights = nt.full %eight : i32 -> BLOCK
  %numbers = nt.full %number : i32 -> BLOCK
  %sizes = nt.full %size : i32 -> BLOCK
  %bits = nt.elementwise "lt"(%ones, %eights) : (BLOCK, BLOCK) -> !nt.tensor<[64] x i1>
  %up = nt.arange <0> : BLOCK
  %down = nt.arange <-64> : BLOCK
  %index = nt.offsets %x[] dim 0 along [0] : BLOCK[] -> BLOCK
  %read = nt.load %x[] : BLOCK[] -> BLOCK
  {lines}
  %found = nt.elementwise "{function}"(%dividend, %divisor) : (BLOCK, BLOCK) -> BLOCK
  nt.return
}}
""".replace("BLOCK", BLOCK)


def binary(function: str, left: str, right: str, name: str = "dividend") -> str:
    text = f'%{name} = nt.elementwise "{function}"(%{left}, %{right})'
    return f"{text} : ({BLOCK}, {BLOCK}) -> {BLOCK}"


def is_mistaken(lines: str, dividend: str, divisor: str, function: str) -> bool:
    text = TEXT.format(lines=lines, function=function)
    return _last(text.replace("(%dividend, %divisor)", f"(%{dividend}, %{divisor})"))


def _last(text: str) -> bool:
    """``is_mistaken`` of the last function of a kernel."""
    (kernel,) = Parser(context(), text).parse_module().body.ops
    assert isinstance(kernel, nt.KernelOp)
    kernel.verify()
    dividends = Dividends(IndexValues(kernel, 32, of_host=False))
    divisions = [op for op in kernel.apply.walk() if isinstance(op, nt.ElementwiseOp)]
    return dividends.is_mistaken(divisions[-1])


WIDE = "!nt.tensor<[64] x i64>"
UNSIGNED = "!nt.tensor<[64] x ui32>"


@pytest.mark.parametrize("function", ["floordiv", "mod"])
@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("", {"down": True, "up": False, "index": False, "read": False}),
        (binary("sub", "index", "eights"), {"dividend": True}),
        (binary("add", "up", "read"), {"dividend": True}),
        (binary("maximum", "down", "up"), {"dividend": False}),
        (binary("minimum", "down", "up"), {"dividend": True}),
        (binary("minimum", "index", "sizes"), {"dividend": False}),
        (binary("and", "down", "up"), {"dividend": False}),
        (binary("or", "down", "up"), {"dividend": True}),
        # Of what may not be negative, remainders and quotients may not be either.
        (binary("mod", "index", "sizes"), {"dividend": False}),
        (binary("mod", "down", "eights"), {"dividend": True}),
        (binary("floordiv", "index", "sizes"), {"dividend": False}),
        # A quotient has no consecutive lanes, but for that by 1.
        (binary("floordiv", "down", "eights"), {"dividend": False}),
        (binary("floordiv", "down", "ones"), {"dividend": True}),
        (
            f'%dividend = nt.elementwise "where"(%bits, %up, %index) : '
            f"(!nt.tensor<[64] x i1>, {BLOCK}, {BLOCK}) -> {BLOCK}",
            {"dividend": False},
        ),
        (
            f'%dividend = nt.elementwise "where"(%bits, %up, %down) : '
            f"(!nt.tensor<[64] x i1>, {BLOCK}, {BLOCK}) -> {BLOCK}",
            {"dividend": True},
        ),
        (f'%dividend = nt.hint "contiguity" [64] %read : {BLOCK}', {"dividend": True}),
        (f'%dividend = nt.hint "contiguity" [64] %index : {BLOCK}', {"dividend": False}),
        # A cast of a negative number to no sign and back.
        (
            f"%u = nt.cast %down : {BLOCK} -> {UNSIGNED}\n"
            f"%dividend = nt.cast %u : {UNSIGNED} -> {BLOCK}",
            {"dividend": True},
        ),
        (
            f"%w = nt.cast %index : {BLOCK} -> {WIDE}\n%dividend = nt.cast %w : {WIDE} -> {BLOCK}",
            {"dividend": False},
        ),
        (
            f"%dividend = scf.for %i = %zero to %size step %one iter_args(%one_more = %read) "
            f"-> ({BLOCK}) : i32 {{\n  scf.yield %one_more : {BLOCK}\n}}",
            {"dividend": True},
        ),
        (
            f'%s = nt.elementwise "sub"(%number, %eight) : (i32, i32) -> i32\n'
            f"%dividend = nt.full %s : i32 -> {BLOCK}",
            {"dividend": False},
        ),
    ],
)
def test_dividends(lines: str, expected: dict[str, bool], function: str) -> None:
    found = {name: is_mistaken(lines, name, "eights", function) for name in expected}
    assert found == expected


@pytest.mark.parametrize(
    ("divisor", "expected"), [("ones", False), ("sevens", False), ("eights", True)]
)
def test_a_divisor_without_common_divisors(divisor: str, expected: bool) -> None:
    assert is_mistaken("", "down", divisor, "floordiv") is expected


@pytest.mark.parametrize("divisor", ["numbers", "sizes", "read"])
def test_divisors_that_are_not_known(divisor: str) -> None:
    assert is_mistaken("", "down", divisor, "mod")


def test_other_functions() -> None:
    assert not is_mistaken("", "down", "eights", "add")


def test_numbers_and_blocks_without_a_sign() -> None:
    text = TEXT.format(lines="", function="mod").replace(
        "(%dividend, %divisor)", "(%down, %eights)"
    )
    for type, left, right in (
        ("i32", "%number", "%eight"),
        (UNSIGNED, "%unsigned", "%unsigned"),
    ):
        casted = f"%unsigned = nt.cast %down : {BLOCK} -> {UNSIGNED}\n"
        line = f'nt.elementwise "mod"({left}, {right}) : ({type}, {type}) -> {type}'
        assert not _last(text.replace("  nt.return", casted + line + "\n  nt.return"))
