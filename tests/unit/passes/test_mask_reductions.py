"""``nt-mask-reductions`` on long and deep kernels, and its meaning by the interpreter."""

from __future__ import annotations

import pytest
import torch
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from ninetoothed.compiler.compile import context
from ninetoothed.interpreters import interpret
from ninetoothed.passes import find_pass
from tests.support import counting

BLOCK = "!nt.tensor<[8] x f32>"


def masked(body: str) -> ModuleOp:
    """``x`` in blocks of 8, ``z`` one number a program; ``body`` computes ``%s`` of ``%a``."""
    text = f"""
    nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] arrange {{
      %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
      %0 = nt.access %x <[[n ceildiv 8], [8]] -> [g0 * 8 + b0] if [[g0 * 8 + b0, n]]>
          : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 8] x {BLOCK}>
      %z = nt.source "z" "tensor" strides [1] aligned false : !nt.tensor<[m] x f32>
      %1 = nt.access %z <[[m]] -> [g0]> : !nt.tensor<[m] x f32> -> !nt.tensor<[m] x f32>
      nt.arranged %0, %1 : !nt.tensor<[n ceildiv 8] x {BLOCK}>, !nt.tensor<[m] x f32>
    }} apply {{
    ^bb0(%a : {BLOCK}, %b : !nt.tensor<[] x f32>):
      {body}
      nt.store %s, %b[] : f32, !nt.tensor<[] x f32>[]
      nt.return
    }}"""
    module = Parser(context(), text).parse_module()
    module.verify()
    find_pass("nt-mask-reductions")().apply(context(), module)
    module.verify()
    return module


def load(name: str = "v") -> str:
    return f"%{name} = nt.load %a[] : {BLOCK}[] -> {BLOCK}\n"


def binary(result: str, function: str, left: str, right: str) -> str:
    types = f"({BLOCK}, {BLOCK}) -> {BLOCK}"
    return f'%{result} = nt.elementwise "{function}"(%{left}, %{right}) : {types}\n'


def reduce(result: str, function: str, value: str) -> str:
    return f'%{result} = nt.reduce "{function}" %{value} axis 0 : {BLOCK} -> f32\n'


def run(module: ModuleOp, x: torch.Tensor) -> torch.Tensor:
    """One result for each eight elements."""
    z = torch.full((-(-len(x) // 8),), float("nan"))
    interpret(module, [x, z], {})
    return z


def test_a_loop_that_exchanges_what_it_carries() -> None:
    body = (
        load()
        + f"""
      %one = arith.constant 1.0 : f32
      %ones = nt.full %one : f32 -> {BLOCK}
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c3 = arith.constant 3 : i32
      %p, %q = scf.for %i = %c0 to %c3 step %c1 iter_args(%l = %ones, %r = %v)
          -> ({BLOCK}, {BLOCK}) : i32 {{
        scf.yield %r, %l : {BLOCK}, {BLOCK}
      }}
    """
    )
    # Three exchanges: %p is the load, with its guard, and %q is full of ones.
    body += reduce("t", "sum", "p") + reduce("u", "sum", "q")
    body += '%s = nt.elementwise "add"(%t, %u) : (f32, f32) -> f32'
    x = torch.arange(5.0)
    torch.testing.assert_close(run(masked(body), x), torch.tensor([10.0 + 8.0]))


def test_a_branch_that_chooses_twice() -> None:
    body = (
        load()
        + f"""
      %one = arith.constant 1.0 : f32
      %ones = nt.full %one : f32 -> {BLOCK}
      %yes = arith.constant true
      %p, %q = scf.if %yes -> ({BLOCK}, {BLOCK}) {{
        scf.yield %v, %ones : {BLOCK}, {BLOCK}
      }} else {{
        scf.yield %ones, %v : {BLOCK}, {BLOCK}
      }}
      %both = nt.elementwise "mul"(%p, %q) : ({BLOCK}, {BLOCK}) -> {BLOCK}
    """
    )
    body += reduce("t", "sum", "p") + reduce("u", "sum", "q") + reduce("w", "sum", "both")
    body += '%x = nt.elementwise "add"(%t, %u) : (f32, f32) -> f32\n'
    body += '%s = nt.elementwise "add"(%x, %w) : (f32, f32) -> f32'
    x = torch.arange(5.0)
    torch.testing.assert_close(run(masked(body), x), torch.tensor([10.0 + 8.0 + 10.0]))


@pytest.mark.parametrize("guarded", [True, False])
def test_a_combination_of_what_a_loop_carries(guarded: bool) -> None:
    """The guard of the carried value is needed for that of the yielded one, and vice versa."""
    start = "%v" if guarded else "%ones"
    body = (
        load()
        + f"""
      %one = arith.constant 1.0 : f32
      %ones = nt.full %one : f32 -> {BLOCK}
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c2 = arith.constant 2 : i32
      %p = scf.for %i = %c0 to %c2 step %c1 iter_args(%l = {start}) -> ({BLOCK}) : i32 {{
        %k = nt.scan_by %l axis 0 reverse true {{
        ^bb0(%left : f32, %right : f32):
          %c = nt.elementwise "add"(%left, %right) : (f32, f32) -> f32
          nt.yield %c : f32
        }} : {BLOCK} -> {BLOCK}
        scf.yield %k : {BLOCK}
      }}
    """
    )
    body += reduce("s", "sum", "p")
    x = torch.arange(5.0)
    values = x if guarded else torch.ones(8)
    twice = values.flip(0).cumsum(0).cumsum(0)
    torch.testing.assert_close(run(masked(body), x), twice.sum().reshape(1))


def chain(length: int, guarded: bool) -> str:
    """A block, so many values of which each is used twice, with twice as many paths, and a sum."""
    body = load("v0") if guarded else ""
    if not guarded:
        body = f"%one = arith.constant 1.0 : f32\n%v0 = nt.full %one : f32 -> {BLOCK}\n"
    for step in range(length):
        body += binary(f"v{step + 1}", "maximum", f"v{step}", f"v{step}")
    return body + reduce("s", "sum", f"v{length}")


@pytest.mark.parametrize("guarded", [True, False])
@pytest.mark.parametrize("length", [4, 100])
def test_work_grows_linearly_along_a_chain(length: int, guarded: bool) -> None:
    masked(chain(1, guarded))
    first, second, third = (
        counting.lines(lambda text=chain(step * length, guarded): masked(text))
        for step in (1, 2, 4)
    )
    assert third - second < 2.2 * (second - first)


@pytest.mark.parametrize("guarded", [True, False])
def test_long_chains(guarded: bool) -> None:
    module = masked(chain(400, guarded))
    x = torch.arange(5.0)
    torch.testing.assert_close(run(module, x), torch.tensor([10.0 if guarded else 8.0]))
