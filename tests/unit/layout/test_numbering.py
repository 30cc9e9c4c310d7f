"""The rule by which programs are given elements, and what the renumbering lets be proved."""

from __future__ import annotations

import itertools
import math
from typing import get_args

import numpy as np
import pytest

from ninetoothed import Tensor
from ninetoothed.artifacts.signature import Agreement
from ninetoothed.layout.access import compose
from ninetoothed.layout.inverse import Placement, Site
from ninetoothed.layout.meta_op import Sizes
from ninetoothed.layout.meta_ops import Renumber
from ninetoothed.layout.numbering import Numbering, Use, numbering, renumbering
from ninetoothed.symbolic.expr import IndexExpr, as_expr, evaluate, sym
from ninetoothed.symbolic.intervals import Range, declared_ranges

M, N, K = sym("m"), sym("n"), sym("k")
RANGES = {name: Range.of(0) for name in "mnk"}


def shape(*sizes: IndexExpr | int) -> Sizes:
    return tuple(map(as_expr, sizes))


def decided(grid: Sizes, own: Sizes, use: Use, agreement: Agreement) -> Numbering:
    return numbering(grid, own, use, agreement, RANGES)


CASES: list[tuple[Sizes, Sizes, Use, tuple[str, str, str]]] = [
    # The rule and what is proved, in each class.
    (shape(M), shape(M), "read", ("shapes =", "shapes =", "shapes =")),
    (shape(M), shape(N), "read", ("shapes ", "counts ", "any ")),
    (shape(M), shape(N), "write", ("shapes ", "counts ", "any ")),
    (shape(M, N), shape(N, M), "read", ("shapes ", "counts =", "counts =")),
    (shape(M, N), shape(M * N), "read", ("counts =", "counts =", "counts =")),
    (shape(M, N), shape(K), "read", ("counts ", "counts ", "any ")),
    (shape(2, 3), shape(6), "read", ("counts =", "counts =", "counts =")),
    (shape(2, 3), shape(5), "read", ("any <", "any <", "any <")),
    (shape(2, 3), shape(7), "write", ("any >", "any >", "any >")),
    (shape(M), shape(M + 1), "read", ("any >", "any >", "any >")),
    (shape(M), shape(M, 2), "read", ("counts ", "counts ", "any >=")),
    (shape(M, 2), shape(M), "read", ("counts ", "counts ", "any <=")),
    (shape(), shape(1), "read", ("counts =", "counts =", "counts =")),
    (shape(M), shape(N), "none", ("None ", "None ", "None ")),
    (shape(M), shape(M), "none", ("None ", "None ", "None ")),
    # Where elements lie must be right, whatever their number.
    (shape(M), shape(N), "offsets", ("shapes ", "any ", "any ")),
    (shape(M), shape(N, K), "offsets", ("any ", "any ", "any ")),
]


def test_what_is_left_over() -> None:
    more, fewer = [
        decided(*shapes, "read", "any")
        for shapes in ((shape(M), shape(M, 2)), (shape(M, 2), shape(M)))
    ]
    assert (more.surplus, more.unreached) == (False, True)
    assert (fewer.surplus, fewer.unreached) == (True, False)


@pytest.mark.parametrize(("grid", "own", "use", "expected"), CASES, ids=str)
def test_rule(grid: Sizes, own: Sizes, use: Use, expected: tuple[str, str, str]) -> None:
    found = [decided(grid, own, use, agreement) for agreement in get_args(Agreement)]
    assert tuple(f"{one.rule} {one.proved}" for one in found) == expected


def test_more_and_fewer() -> None:
    pairs = {
        (one.surplus, one.unreached)
        for one in (
            decided(shape(2), shape(count), "read", "any") for count in range(4) if count != 2
        )
    }
    assert pairs == {(True, False), (False, True)}
    unknown = decided(shape(M), shape(N), "read", "any")
    assert unknown.surplus
    assert unknown.unreached
    assert not decided(shape(M), shape(N), "read", "counts").surplus


@pytest.mark.parametrize("count", ["equal", "fewer", "any"])
def test_map_against_numpy(count: str) -> None:
    shapes = [(6,), (2, 3), (3, 2), (1, 6), (2, 1, 3), (4,), (2, 2), (7,), (2, 4), (1,), (0, 2)]
    for grid, own in itertools.product(shapes, shapes):
        differ = math.prod(own) - math.prod(grid)
        if (count == "equal" and differ) or (count == "fewer" and differ > 0):
            continue
        access = compose(shape(*own), (Renumber(0, shape(*grid), count),), {})
        for program, index in enumerate(np.ndindex(*grid)):
            values = {f"g{dim}": number for dim, number in enumerate(index)}
            exists = all(
                0 <= evaluate(guard.index, values) < evaluate(guard.size, values)
                for guard in access.guards
            )
            assert exists == (program < math.prod(own))
            if exists:
                found = tuple(evaluate(one, values) for one in access.indices)
                assert found == tuple(map(int, np.unravel_index(program, own)))


def test_equal_counts_need_no_mask() -> None:
    """What a call has checked proves that every index is inside."""
    t = Tensor(shape=(None, None), name="t").tile((1, 1))
    chain = t.chain
    ranges = {**declared_ranges([*chain.expressions, K])}
    for count, masks in (("equal", 0), ("any", 1)):
        ops = (*chain.ops, Renumber(0, shape(K), count))
        assert len(compose(chain.source.shape, ops, ranges).guards) == masks


def test_dims_with_equal_products_are_reshaped_apart() -> None:
    access = compose(shape(M, N * K, 2), (Renumber(0, shape(M, N, K, 2), "equal"),), RANGES)
    assert [str(index) for index in access.indices] == ["g0", "g1 * k + g2", "g3"]


@pytest.mark.parametrize(
    ("own", "grid"),
    [
        (shape(M, N), shape(K)),
        (shape(K), shape(M, N)),
        (shape(M, N), shape(N, M)),
        (shape(M), shape(N)),
    ],
    ids=str,
)
@pytest.mark.parametrize("count", ["equal", "fewer"])
def test_coverage_and_races_are_proved(own: Sizes, grid: Sizes, count: str) -> None:
    placement = Placement(own, (Renumber(0, grid, count),), RANGES)
    assert placement.covered([Site()])
    assert placement.apart([Site()])
    assert all(placement.inside())


def test_more_elements_are_not_covered() -> None:
    placement = Placement(shape(M), (Renumber(0, shape(N), "any"),), RANGES)
    assert not placement.covered([Site()])
    assert placement.apart([Site()])


def test_a_level_of_no_dims_is_given_one() -> None:
    known = decided(shape(M), shape(), "read", "any")
    access = compose((), renumbering(known, shape(M), ()), RANGES)
    assert [(str(guard.index), str(guard.size)) for guard in access.guards] == [("g0", "1")]
