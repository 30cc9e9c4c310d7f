"""Verdicts on stores through several parameters of one tensor, against brute force."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from ninetoothed import NineToothedError, Symbol, Tensor
from ninetoothed.layout.inverse import Site
from ninetoothed.layout.joint import Store, apart, covered
from ninetoothed.symbolic.expr import const, minimum
from ninetoothed.verification.counterexamples import Check, race, samples, unwritten
from tests.property.inverses import Brute, Placed, Written
from tests.support.profiles import examples


def parts(t: Tensor, keys: list[Any], blocks: list[Any], values: dict[str, int]) -> list[Placed]:
    """Slices of the first dim, all tiled alike."""
    shape = (7, 5)[: t.ndim]
    return [Placed(t, t[key].tile(blocks), [f"{key}"], shape, values) for key in keys]


@st.composite
def joined(draw: st.DrawFn) -> list[Placed]:
    """Two or three parameters: most complete each other, some overlap or leave elements out."""
    t = Tensor(draw(st.sampled_from([1, 1, 2])))
    written = Written(draw)
    middle: Any = draw(st.sampled_from([t.shape[0] // 2, 1, 3, written.number(2), t.shape[0] - 2]))
    step = draw(st.sampled_from([2, 2, 3, -2]))
    symbol = Symbol("step", constexpr=True, lower_bound=2)
    steps = [slice(rest, None, step) for rest in range(step)] if step > 0 else []
    families: list[list[Any]] = [
        steps or [slice(None, None, -2), slice(-2, None, -2)],
        [slice(None, middle), slice(middle, None)],
        [slice(None, middle), slice(middle, None, 2), slice(middle + 1, None, 2)],
        [slice(None, middle), slice(None, middle, -1)],
        [slice(0, None, symbol), slice(1, None, symbol)],
        [slice(None), slice(1, None)],
        [slice(0, None, 2), slice(2, None, 2)],
        [slice(0, None, 4), slice(1, None, 2), slice(2, None, 4)],
    ]
    keys = draw(st.permutations(draw(st.sampled_from(families))))
    written.values["step"] = draw(st.integers(2, 4))
    if draw(st.integers(0, 4)) == 0:
        keys = keys[1:]
    blocks: list[Any] = [written.number(draw(st.integers(1, 4)))]
    blocks += [draw(st.sampled_from([1, -1, written.number(2)])) for _ in range(t.ndim - 1)]
    try:
        return parts(t, keys, blocks, written.values)
    except NineToothedError:
        assume(False)
        raise


def even_and_odd() -> list[Placed]:
    block = Symbol("block", constexpr=True)
    keys: list[Any] = [slice(0, None, 2), slice(1, None, 2)]
    return parts(Tensor(1), keys, [block], {"block": 2})


def programs(brute: Brute) -> dict[int, set[tuple[int, ...]]]:
    """The programs that write each element."""
    grid = brute.offsets.shape[: brute.ranks[0]]
    found = brute.writers([Site()])
    return {
        element: {tuple(map(int, np.unravel_index(number, grid))) for number in numbers}
        for element, numbers in found.items()
    }


@examples(500)
@given(joined(), st.lists(st.integers(0, 12), min_size=24, max_size=24))
@example(even_and_odd(), [7, 1, *range(1, 23)])
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_proofs_and_examples(cases: list[Placed], numbers: list[int]) -> None:
    stores: list[Store] = [(case.placement, Site()) for case in cases]
    all_written, alone = covered(stores), apart(stores)
    names = [name for name in cases[0].size_names if name is not None]
    symbols = [*names, *cases[0].values]
    for start in range(0, 24, 6):
        row = dict(zip(symbols, numbers[start:], strict=False))
        row = {name: n if name in names else n % 5 + 1 for name, n in row.items()}
        if "step" in row:
            row["step"] += 1
        _check_proofs(cases, row, all_written, alone)
    _check_examples(cases, stores, all_written, alone)


def _check_proofs(cases: list[Placed], row: dict[str, int], all_written: bool, alone: bool) -> None:
    try:
        found = [Brute(case, row) for case in cases]
    except (NineToothedError, ZeroDivisionError, OverflowError):
        return
    writers: dict[int, set[tuple[int, ...]]] = {}
    for brute in found:
        for element, some in programs(brute).items():
            writers.setdefault(element, set()).update(some)
    assert not all_written or set(writers) == set(range(found[0].source))
    assert not alone or all(len(some) == 1 for some in writers.values())


def _check_examples(
    cases: list[Placed], stores: list[Store], all_written: bool, alone: bool
) -> None:
    """Check that counterexamples occur, at sizes where all have as many programs."""
    grids = [placement.access.levels[0] for placement, _ in stores]
    checks: list[Check] = [pair for grid in grids[1:] for pair in zip(grids[0], grid, strict=True)]
    for placement, _ in stores:
        checks += [(minimum(fact, 0), const(0)) for fact in placement.required]
    ranges = {name: r for placement, _ in stores for name, r in placement.assumptions.items()}
    for values in list(samples(stores, checks, ranges, frozenset()))[:3]:
        for find in (unwritten, race):
            try:
                example = find(stores, values)
                if example is None:
                    continue
                found = [programs(Brute(case, example.sizes)) for case in cases]
            except (OverflowError, ZeroDivisionError):
                continue
            shape = cases[0].with_sizes(example.sizes)[0]
            element = int(np.ravel_multi_index(example.element, shape))
            writers = set[tuple[int, ...]]().union(*(one.get(element, ()) for one in found))
            if find is unwritten:
                assert not all_written
                assert not writers
            else:
                assert not alone
                assert set(example.programs) <= writers
                assert len(set(example.programs)) == 2


def test_stepped_slices_are_decided() -> None:
    stores: list[Store] = [(case.placement, Site()) for case in even_and_odd()]
    assert covered(stores)
    assert apart(stores)
    assert not covered(stores[:1])
