"""xDSL's ``canonicalize``, which drops the locations of the constants that it folds to."""

from __future__ import annotations

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
from xdsl.transforms import canonicalize
from xdsl.transforms.dead_code_elimination import region_dce

from ninetoothed.ir.rewriting import keep_location


@dataclass(frozen=True)
class _Located(RewritePattern):
    """A pattern whose new ops take the location of the op that it matches."""

    pattern: RewritePattern

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        keep_location(rewriter, op)
        self.pattern.match_and_rewrite(op, rewriter)


class CanonicalizePass(canonicalize.CanonicalizePass):
    """Fold ops and apply their canonicalization patterns, with their locations."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        patterns: list[RewritePattern] = [canonicalize.CanonicalizationRewritePattern()]
        greedy = GreedyRewritePatternApplier(patterns, ctx=ctx, folding_enabled=True)
        PatternRewriteWalker(_Located(greedy), post_walk_func=region_dce).rewrite_module(op)
