"""Every verdict on random arrangements and stores against brute force over programs and lanes."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ninetoothed.layout.access import index_names
from ninetoothed.layout.inverse import Placement, Site
from ninetoothed.symbolic.expr import Arithmetic, const, evaluate, minimum
from ninetoothed.verification.counterexamples import Check, race, samples, unwritten
from tests.property.inverses import Brute, Placed, brute, placed, sites, small_sizes
from tests.support.profiles import examples

ARITHMETIC = Arithmetic(np.minimum, np.maximum, np.logical_and)


def every_lane(placement: Placement, env: dict[str, int]) -> dict[str, Any]:
    """All programs and lanes, and indices around those of the levels between."""
    access = placement.access
    rows = index_names(access.levels)
    ranges: dict[str, range] = {}
    for level, (row, sizes) in enumerate(zip(rows, access.levels, strict=True)):
        around = 1 if 0 < level < len(rows) - 1 else 0
        for name, size in zip(row, sizes, strict=True):
            ranges[name] = range(-around, max(evaluate(size, env), 0) + around)
    arrays: list[npt.NDArray[np.int64]] = []
    if ranges:
        arrays += np.meshgrid(*map(np.array, ranges.values()), indexing="ij")
    return {**env, **dict(zip(ranges, arrays, strict=True))}


@examples(500)
@given(st.data())
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_proofs_and_examples(data: st.DataObject) -> None:
    case = data.draw(placed)
    placement = case.placement
    stores = data.draw(sites(placement))
    found = list(brute(case, data.draw(small_sizes(case))))
    check_bounds(placement, found)
    covered, apart = placement.covered(stores), placement.apart(stores)
    certain = [site for site in stores if not site.conditional]
    for one in found:
        if covered:
            assert one.written(certain) == set(range(one.source))
        if apart:
            assert all(len(programs) == 1 for programs in one.writers(stores).values())
    check_examples(case, certain, covered, apart)


@examples(500)
@given(st.data())
def test_elements_of_one_program(data: st.DataObject) -> None:
    case = data.draw(placed)
    if not case.placement.distinct():
        return
    for one in brute(case, data.draw(small_sizes(case))):
        for program in np.ndindex(one.offsets.shape[: one.ranks[0]]):
            valid = one.offsets[program][one.offsets[program] >= 0]
            assert len(np.unique(valid)) == len(valid)


def check_bounds(placement: Placement, found: list[Brute]) -> None:
    """Check the proofs of bounds against brute force."""
    inside, never = placement.inside(), placement.never()
    for one in found:
        env = every_lane(placement, one.env)
        exists: Any = np.True_
        for guard in placement.access.guards:
            index = evaluate(guard.index, env, ARITHMETIC)
            holds = (index >= 0) & (index < evaluate(guard.size, env, ARITHMETIC))
            assert guard not in never or not np.any(_everywhere(holds, env))
            exists = exists & holds
        for proved, index, size in zip(
            inside, placement.access.indices, placement.source, strict=True
        ):
            number = evaluate(index, env, ARITHMETIC)
            within = (number >= 0) & (number < evaluate(size, env))
            assert not proved or np.all(_everywhere(within | np.logical_not(exists), env))


def _everywhere(holds: Any, env: dict[str, Any]) -> Any:
    """A condition at every lane; where there is no lane, there is none."""
    arrays: list[Any] = [value for value in env.values() if isinstance(value, np.ndarray)]
    return np.broadcast_arrays(holds, *arrays)[0]


def check_examples(case: Placed, certain: list[Site], covered: bool, apart: bool) -> None:
    """Check that counterexamples occur."""
    placement = case.placement
    checks: list[Check] = [(minimum(fact, 0), const(0)) for fact in placement.required]
    stores = [(placement, site) for site in certain]
    for values in list(samples(stores, checks, placement.assumptions, frozenset()))[1:3]:
        for find in (unwritten, race):
            if not certain:
                continue
            try:
                example = find(stores, values)
                if example is None:
                    continue
                found = Brute(case, example.sizes)
            except (OverflowError, ZeroDivisionError):
                continue
            shape = [evaluate(size, found.env) for size in placement.source]
            element = int(np.ravel_multi_index(example.element, shape))
            if find is unwritten:
                assert not covered
                assert element not in found.written(certain)
            else:
                assert not apart
                one, two = map(found.program, example.programs)
                assert one != two
                assert {one, two} <= found.writers(certain)[element]
