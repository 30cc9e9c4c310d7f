"""``cse`` merges what xDSL's does, in every scope."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser
from xdsl.transforms.common_subexpression_elimination import cse

from ninetoothed.compiler.compile import context
from ninetoothed.ir.cse import CommonSubexpressionElimination
from ninetoothed.ir.dialects import lazy_context
from tests.support.pipeline_modules import modules_of

TEXT = """
tt.func @f(%p: !tt.ptr<i32> {nt.param = "p"}, %x: i32 {nt.param = "x"}, %c: i1 {nt.param = "c"}) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %again = arith.constant 1 : i32
  %wide = arith.constant 1 : i64
  %less = arith.cmpi slt, %x, %one : i32
  %above = arith.cmpi sgt, %x, %one : i32
  %lower = arith.cmpi slt, %x, %again : i32
  %to32 = arith.extui %less : i1 to i32
  %to64 = arith.extui %less : i1 to i64
  %read = tt.load %p : !tt.ptr<i32>
  %reread = tt.load %p : !tt.ptr<i32>
  tt.store %p, %x : !tt.ptr<i32>
  %changed = tt.load %p : !tt.ptr<i32>
  %chosen = scf.if %c -> (i32) {
    %sum = arith.addi %x, %again : i32
    %twice = arith.addi %x, %one : i32
    %both = arith.muli %sum, %twice : i32
    scf.yield %both : i32
  } else {
    %sum = arith.addi %x, %one : i32
    scf.yield %sum : i32
  }
  %outside = arith.addi %x, %one : i32
  %repeated = arith.addi %x, %again : i32
  "test.keep"(%zero, %wide, %less, %above, %lower, %to32, %to64, %read, %reread, %changed, %chosen,
            %outside, %repeated)
    : (i32, i64, i1, i1, i1, i32, i64, i32, i32, i32, i32, i32, i32) -> ()
  tt.return
}
"""


def merged(module: ModuleOp) -> ModuleOp:
    """The module behind the pass, which is as xDSL's own leaves it."""
    ours, theirs = module.clone(), module.clone()
    CommonSubexpressionElimination().apply(context(), ours)
    cse(theirs)
    assert str(ours) == str(theirs)
    return ours


def test_scopes_attributes_and_writes() -> None:
    # Nothing is known of the op that keeps all values.
    ctx = lazy_context()
    ctx.allow_unregistered = True
    names = [op.name for op in merged(Parser(ctx, TEXT).parse_module()).walk()]
    counts = {name: names.count(name) for name in names}
    # Each branch, and what is behind, has a sum of its own.
    assert counts["arith.addi"] == 3
    assert counts["arith.constant"] == 3
    assert counts["arith.cmpi"] == counts["arith.extui"] == counts["tt.load"] == 2


@pytest.mark.parametrize("file", ["matmul", "softmax"])
def test_modules_of_the_pipeline(file: str) -> None:
    modules = modules_of(file)
    places = [place for place, (name, _) in enumerate(modules) if name == "cse"]
    assert len(places) == 2
    for place in places:
        before, after = (module for _, module in modules[place - 1 : place + 1])
        assert str(merged(before)) == str(after)
