"""``dce`` and ``canonicalize`` leave what xDSL's leave."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.cf import Cf
from xdsl.dialects.func import Func
from xdsl.parser import Parser
from xdsl.transforms.canonicalize import CanonicalizePass as TheirCanonicalizePass
from xdsl.transforms.dead_code_elimination import region_dce

from ninetoothed.compiler.compile import context
from ninetoothed.ir.canonicalize import CanonicalizePass
from ninetoothed.ir.dead_code import DeadCodeElimination
from ninetoothed.ir.dialects import lazy_context
from tests.support.pipeline_modules import modules_of

TEXT = """
tt.func @f(%p: !tt.ptr<i32> {nt.param = "p"}, %x: i32 {nt.param = "x"}, %c: i1 {nt.param = "c"}) {
  %one = arith.constant 1 : i32
  %first = arith.addi %x, %one : i32
  %second = arith.muli %first, %first : i32
  %unread = tt.load %p : !tt.ptr<i32>
  %read = tt.load %p : !tt.ptr<i32>
  %pure = scf.if %c -> (i32) {
    %sum = arith.addi %second, %read : i32
    scf.yield %sum : i32
  } else {
    scf.yield %second : i32
  }
  %kept = scf.if %c -> (i32) {
    %lost = arith.muli %read, %read : i32
    tt.store %p, %read : !tt.ptr<i32>
    scf.yield %read : i32
  } else {
    scf.yield %one : i32
  }
  "test.unknown"() : () -> ()
  tt.return
}
"""
BLOCKS = """
func.func @f(%x: i32, %c: i1) {
  %lost = arith.addi %x, %x : i32
  cf.cond_br %c, ^bb1(%x : i32), ^bb2
^bb1(%y: i32):
  %next = arith.addi %y, %y : i32
  cf.br ^bb1(%next : i32)
^bb2:
  func.return
}
"""


def parsed(text: str) -> ModuleOp:
    ctx = lazy_context()
    ctx.load_dialect(Cf)
    ctx.load_dialect(Func)
    ctx.allow_unregistered = True
    return Parser(ctx, text).parse_module()


def names(module: ModuleOp) -> list[str]:
    return [op.name for op in module.walk()]


def cleaned(module: ModuleOp) -> ModuleOp:
    """The module without dead ops, as xDSL leaves it, if called until it finds none."""
    ours, theirs = module.clone(), module.clone()
    DeadCodeElimination().apply(context(), ours)
    while region_dce(theirs.body):
        pass
    assert str(ours) == str(theirs)
    return ours


def test_chains_branches_and_effects() -> None:
    found = names(cleaned(parsed(TEXT)))
    assert found.count("tt.load") == 1
    assert found.count("scf.if") == found.count("tt.store") == 1
    assert "arith.addi" not in found
    assert "arith.muli" not in found
    assert "builtin.unregistered" in found


def test_blocks_that_may_form_a_cycle() -> None:
    found = names(cleaned(parsed(BLOCKS)))
    assert found.count("arith.addi") == 1


@pytest.mark.parametrize("file", ["matmul", "softmax", "addmm"])
def test_modules_of_the_pipeline(file: str) -> None:
    modules = modules_of(file)
    order = [name for name, _ in modules]
    before = modules[order.index("canonicalize") - 1][1]
    assert "tt.func" in names(before)
    cleaned(before)
    ours, theirs = before.clone(), before.clone()
    CanonicalizePass().apply(context(), ours)
    TheirCanonicalizePass().apply(context(), theirs)
    assert str(ours) == str(theirs)
    assert names(ours) != names(before)
