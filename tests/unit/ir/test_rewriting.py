"""Patterns that are applied once, in order, and keep locations."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.dialects import arith
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, IntegerAttr, ModuleOp, StringAttr, i32
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from ninetoothed.ir import tt
from ninetoothed.ir.rewriting import Inserter, op_pattern, rewrite_once

HERE = FileLineColLoc(StringAttr("kernel.py"), IntAttr(3), IntAttr(1))


@dataclass
class Next(RewritePattern):
    """A constant becomes the next larger one."""

    seen: list[int] = field(default_factory=list[int])

    @op_pattern
    def match_and_rewrite(self, op: arith.ConstantOp, rewriter: PatternRewriter) -> None:
        assert isinstance(op.value, IntegerAttr)
        number = op.value.value.data
        self.seen.append(number)
        rewriter.replace(op, arith.ConstantOp.from_int_and_width(number + 1, i32))


@dataclass
class Note(RewritePattern):
    """Notes the ops that it is given."""

    seen: list[str] = field(default_factory=list[str])

    @op_pattern
    def match_and_rewrite(
        self, op: arith.ConstantOp | arith.AddiOp, rewriter: PatternRewriter
    ) -> None:
        self.seen.append(op.name)


def sums() -> tuple[ModuleOp, Operation]:
    module = ModuleOp([one := arith.ConstantOp.from_int_and_width(1, i32), arith.AddiOp(one, one)])
    one.location = HERE
    return module, one


def numbers(module: ModuleOp) -> list[str]:
    return [str(op.value) for op in module.walk() if isinstance(op, arith.ConstantOp)]


def test_new_ops_are_not_matched_and_have_the_location() -> None:
    module, _ = sums()
    pattern = Next()
    rewrite_once(module.body, [pattern])
    assert pattern.seen == [1]
    assert numbers(module) == ["2 : i32"]
    (new, _) = module.body.block.ops
    assert new.location == HERE


def test_patterns_are_applied_until_one_replaces_the_op() -> None:
    module, _ = sums()
    before, behind = Note(), Note()
    rewrite_once(module.body, [before, Next(), behind])
    assert before.seen == ["arith.constant", "arith.addi"]
    assert behind.seen == ["arith.addi"]


def test_an_inserter_stands_behind_an_op_in_order() -> None:
    module, one = sums()
    inserter = Inserter.behind(one)
    for number in (5, 6):
        inserter.add(arith.ConstantOp.from_int_and_width(number, i32))
    assert numbers(module) == ["1 : i32", "5 : i32", "6 : i32"]
    assert [op.location for op in module.body.block.ops][:3] == [HERE] * 3


def test_what_folds_as_it_is_built_is_not_built() -> None:
    row = tt.MakeRangeOp(0, 4)
    module = ModuleOp([row])
    inserter = Inserter.behind(row)
    assert inserter.add(tt.BroadcastOp(row, [4])) is row.result
    assert list(module.body.block.ops) == [row]
    assert not list(row.result.uses)
    assert inserter.add(tt.ReshapeOp(row, [2, 2])) is not row.result
