"""The inverse of a chain of operations, proved operation by operation.

Flattened, an index is a sum of products of what lies before: ``i // 2 * ceil(n / 2) + j // 2``. No
bound of it follows from those of ``i`` and ``j`` alone, but it does from those of the parts. So
before an operation that numbers elements, each index that is proved to lie inside its size gets a
name, and so does the size.
"""

from __future__ import annotations

from collections.abc import Sequence

from ninetoothed.layout.meta_op import Levels, MetaOp, Sizes, replaced
from ninetoothed.layout.meta_ops import Flatten, Renumber
from ninetoothed.symbolic.expr import IndexExpr, const, substitute, sym
from ninetoothed.symbolic.intervals import Range
from ninetoothed.symbolic.normal_form import always_nonnegative, normalizer
from ninetoothed.symbolic.polynomials import polynomial_of


class Names:
    """Names of parts of an index, of which each has a meaning and a range."""

    def __init__(self, ranges: dict[str, Range]) -> None:
        self.ranges = ranges
        self.meanings: dict[str, IndexExpr] = {}
        self._sizes: dict[IndexExpr, IndexExpr] = {}

    def meaning(self, expr: IndexExpr) -> IndexExpr:
        """``expr`` without names."""
        return substitute(expr, self.meanings)

    def index(self, index: IndexExpr, size: IndexExpr) -> IndexExpr:
        """Name an index inside a size."""
        return self._named(index, Range(const(0), size - 1))

    def size(self, size: IndexExpr) -> IndexExpr:
        """Name a size of at least 1, unless it is a sum of products of symbols."""
        if all(atom.op == "sym" for monomial in polynomial_of(size) for atom in monomial):
            return size
        if size not in self._sizes:
            self._sizes[size] = self._named(size, Range.of(1))
        return self._sizes[size]

    def _named(self, expr: IndexExpr, range_: Range) -> IndexExpr:
        name = f"$p{len(self.meanings)}"
        # A name's meaning has none.
        self.meanings[name] = self.meaning(expr)
        self.ranges[name] = range_
        return sym(name)


def located(
    source: Sizes, ops: Sequence[MetaOp], element: Sizes, names: Names, facts: Sequence[IndexExpr]
) -> tuple[Levels, Levels] | None:
    """Indices of all levels that are proved to lead to an element of the source, and the sizes of
    the levels; both over ``names``. None: there is no proof.
    """
    levels: Levels = (source,)
    indices: Levels = (element,)
    for op in ops:
        normal = normalizer(names.ranges)
        levels = tuple(tuple(map(normal, row)) for row in levels)
        if isinstance(op, Flatten | Renumber):
            row, sizes = _named(indices[op.level], levels[op.level], names, facts)
            indices, levels = replaced(indices, op.level, row), replaced(levels, op.level, sizes)
            normal = normalizer(names.ranges)
        new = tuple(tuple(map(normal, row)) for row in op.locate(levels, indices, names.ranges))
        back = op.source(levels, new)
        pairs = zip(sum(back, ()), sum(indices, ()), strict=True)
        if not all(normal(one - other).value == 0 for one, other in pairs):
            return None
        for guard in op.guards(levels, back, new):
            index, size = normal(guard.index), normal(guard.size)
            if not _inside(index, size, names, facts):
                return None
        levels, indices = op.result(levels), new
    return indices, levels


def _named(
    indices: Sizes, sizes: Sizes, names: Names, facts: Sequence[IndexExpr]
) -> tuple[Sizes, Sizes]:
    """The indices of a level and its sizes, named where that is proved to be right."""
    found: list[IndexExpr] = []
    new: list[IndexExpr] = []
    for index, size in zip(indices, sizes, strict=True):
        if index.op == "const" or not _inside(index, size, names, facts):
            found.append(index)
            new.append(size)
            continue
        # There is an index below it.
        new.append(names.size(size))
        found.append(names.index(index, new[-1]))
    return tuple(found), tuple(new)


def _inside(index: IndexExpr, size: IndexExpr, names: Names, facts: Sequence[IndexExpr]) -> bool:
    return always_nonnegative(index, names.ranges, facts) and always_nonnegative(
        size - 1 - index, names.ranges, facts
    )
