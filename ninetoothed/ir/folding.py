"""Folds and canonicalizations that ops of both dialects share."""

from __future__ import annotations

import abc
from collections.abc import Sequence

from xdsl.interfaces import HasCanonicalizationPatternsInterface, HasFolderInterface
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern


class Conversion(HasFolderInterface):
    """An op that is its operand where both have one type."""

    def fold(self) -> Sequence[SSAValue] | None:
        (value,), (result,) = self.operands, self.results
        return (value,) if value.type == result.type else None


class Reshaping(Conversion, HasCanonicalizationPatternsInterface):
    """A conversion of which, of several in a row, only the last counts."""

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (SkipReshaping(),)


class Transposition(HasFolderInterface, HasCanonicalizationPatternsInterface):
    """An op that reorders dims: new dim ``i`` is old dim ``dims[i]``."""

    @property
    @abc.abstractmethod
    def dims(self) -> tuple[int, ...]:
        """The order."""

    @abc.abstractmethod
    def __init__(self, value: SSAValue | Operation, order: Sequence[int]) -> None: ...

    def fold(self) -> Sequence[SSAValue] | None:
        return self.operands if self.dims == tuple(range(len(self.dims))) else None

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (ComposeTranspositions(),)


class SkipReshaping(RewritePattern):
    """``op(op(x))`` is ``op(x)``."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        before = op.operands[0].owner
        if isinstance(before, type(op)):
            op.operands[0] = before.operands[0]
            rewriter.notify_op_modified(op)


class ComposeTranspositions(RewritePattern):
    """Two orders in a row are one."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, Transposition)
        before = op.operands[0].owner
        if isinstance(before, type(op)):
            order = [before.dims[dim] for dim in op.dims]
            rewriter.replace(op, type(op)(before.operands[0], order))


def folded(op: Operation) -> SSAValue | None:
    """The value that there is in place of a new conversion, which is then dropped."""
    found = op.fold() if isinstance(op, Conversion) else None
    if found is None:
        return None
    op.erase()
    return found[0]
