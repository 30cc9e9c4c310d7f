"""xDSL's ``canonicalize``, which drops the locations of the constants that it folds to, and asks
each op for its traits at every look.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
)
from xdsl.traits import ConstantLike, HasCanonicalizationPatternsTrait, HasFolder
from xdsl.transforms import canonicalize
from xdsl.transforms.dead_code_elimination import is_trivially_dead

from ninetoothed.ir.dead_code import erase_dead_ops
from ninetoothed.ir.rewriting import keep_location


@functools.cache
def _has_rules(kind: type[Operation]) -> bool:
    """True if ops of a class may fold, or have canonicalization patterns."""
    if kind.has_trait(HasCanonicalizationPatternsTrait, value_if_unregistered=False):
        return True
    # Constants fold to themselves.
    return kind.has_trait(HasFolder, value_if_unregistered=False) and not kind.has_trait(
        ConstantLike
    )


@dataclass(frozen=True)
class _Located(RewritePattern):
    """A pattern whose new ops take the location of the op that it matches."""

    pattern: RewritePattern

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if not _has_rules(type(op)) and not is_trivially_dead(op):
            return
        keep_location(rewriter, op)
        self.pattern.match_and_rewrite(op, rewriter)


class CanonicalizePass(canonicalize.CanonicalizePass):
    """Fold ops and apply their canonicalization patterns, with their locations."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        patterns: list[RewritePattern] = [canonicalize.CanonicalizationRewritePattern()]
        greedy = GreedyRewritePatternApplier(patterns, ctx=ctx, folding_enabled=True)
        PatternRewriteWalker(_Located(greedy), post_walk_func=erase_dead_ops).rewrite_module(op)
