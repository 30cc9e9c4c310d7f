"""Sizes that one index is compared with where they are equal, and that a call may give otherwise.

Two tensors are cut alike if their levels are the same but for the tensors' own sizes: then program
``g`` has block ``g`` of both, and iteration ``k`` block ``k``. Checks say only that there are as
many blocks. Where the sizes are equal too, what lies inside of one tensor lies inside of the other.

Or a dim is cut into one tile by another tensor's size, as images by the channels of filters. What
is left behind it is dropped, and checks say only that there is one tile.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ninetoothed.layout.meta_op import Levels, MetaOp, Sizes
from ninetoothed.symbolic.expr import IndexExpr
from ninetoothed.symbolic.normal_form import normalize

MOST = 4
"""Facts at most: as each holds or does not, calls are of 16 classes. Of more, one fact is made."""

Pair = tuple[str, str]


def equal_sizes(
    arranged: Sequence[Levels], sizes: Sequence[str], single: Iterable[Pair] = ()
) -> list[list[Pair]]:
    """Facts about equal sizes of tensors with these levels: pairs of names of ``sizes``, of each
    fact all that are equal together. ``single``: those of dims that are one tile of another size
    (see :func:`single_tiles`).

    That plain sizes of the outermost level are equal is checked, and no question.
    """
    order = {name: place for place, name in enumerate(sizes)}
    found = [pair for pair in single if order.keys() >= {*pair}]
    for level in range(max((len(levels) - 1 for levels in arranged), default=0)):
        rows = [
            tuple(map(normalize, levels[level])) for levels in arranged if level < len(levels) - 1
        ]
        for number, row in enumerate(rows):
            for dim, size in enumerate(row):
                if level == 0 and size.op == "sym":
                    continue
                others = (other[dim] for other in rows[:number] if len(other) == len(row))
                for other in dict.fromkeys(others):
                    pairs = _apart(other, size, order)
                    if pairs is not None:
                        found += pairs
                        # It stands for those behind.
                        break
    return _facts(found, order)


def single_tiles(source: Sizes, ops: Sequence[MetaOp]) -> Iterator[Pair]:
    """The names of sizes of which operations on a source require that one goes once into the
    other.
    """
    levels: Levels = (source,)
    for op in ops:
        for needed in op.requirements(levels):
            tiles = normalize(needed.left)
            if tiles.op == "floordiv" and needed.right.value == 1:
                size, tile = tiles.args
                if size.op == tile.op == "sym":
                    yield size.args[0], tile.args[0]
        levels = op.result(levels)


def alike(arranged: Sequence[Levels], sizes: Sequence[str]) -> list[tuple[int, int]]:
    """Pairs of positions of tensors with these levels: a later one, behind the first that is alike
    but for the tensors' own sizes. Where their strides are equal, so are their offsets.

    Only those with the most levels: others are accessed before and behind loops over these, and
    offsets of theirs would be kept in registers meanwhile.
    """
    most = max(map(len, arranged), default=0)
    order = {name: place for place, name in enumerate(sizes)}
    normal = [tuple(tuple(map(normalize, level)) for level in levels) for levels in arranged]
    found: list[tuple[int, int]] = []
    for later, levels in enumerate(normal):
        for earlier, others in enumerate(normal[:later]):
            if (
                len(levels) == most
                and [*map(len, levels)] == [*map(len, others)]
                and all(
                    _apart(*pair, order) is not None
                    for rows in zip(others, levels, strict=True)
                    for pair in zip(*rows, strict=True)
                )
            ):
                found.append((earlier, later))
                break
    return found


def _apart(left: IndexExpr, right: IndexExpr, order: Mapping[str, int]) -> list[Pair] | None:
    """Pairs of symbols whose equality makes two sizes equal; None if there are none."""
    if left is right:
        return []
    if left.op != right.op or left.op == "const":
        return None
    if left.op == "sym":
        pair = (left.args[0], right.args[0])
        return [pair] if order.keys() >= {*pair} else None
    one, two = left.operands, right.operands
    if left.op == "mul":
        # The factors of either are in the order of their names.
        one, two = _factors(left), _factors(right)
        for common in [factor for factor in one if factor in two]:
            if common in two:
                one.remove(common)
                two.remove(common)
        if len(one) != len(two) or not all(factor.op == "sym" for factor in (*one, *two)):
            return None
        one, two = (
            sorted(row, key=lambda factor: order.get(factor.args[0], -1)) for row in (one, two)
        )
    found = [_apart(*pair, order) for pair in zip(one, two, strict=True)]
    return None if None in found else [pair for pairs in found if pairs for pair in pairs]


def _factors(expr: IndexExpr) -> list[IndexExpr]:
    if expr.op != "mul":
        return [expr]
    return [factor for operand in expr.operands for factor in _factors(operand)]


def _facts(pairs: Sequence[Pair], order: Mapping[str, int]) -> list[list[Pair]]:
    """Chains of the sizes that pairs connect; of too many, one."""
    groups: list[set[str]] = []
    for pair in pairs:
        joined = [group for group in groups if not group.isdisjoint(pair)]
        groups = [group for group in groups if group not in joined]
        groups.append(set(pair).union(*joined))
    rows = [sorted(group, key=order.__getitem__) for group in groups]
    rows.sort(key=lambda row: order[row[0]])
    facts = [[(row[0], name) for name in row[1:]] for row in rows]
    return facts if len(facts) <= MOST else [[pair for fact in facts for pair in fact]]
