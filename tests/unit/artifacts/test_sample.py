"""Samples of a space: evenly spread, and of what varies at each place."""

from __future__ import annotations

import pytest

from ninetoothed.artifacts.sample import Sample


def test_a_count_is_spread_from_the_first_to_the_last() -> None:
    assert Sample(3).of("abcdefg") == ["a", "d", "g"]
    assert Sample(9).of("abc") == ["a", "b", "c"]
    assert Sample(1).of("abc") == ["a"]


@pytest.mark.parametrize("count", range(1, 14))
@pytest.mark.parametrize("lengths", [(3, 3, 3, 3), (1, 4, 2, 5), (12,)])
def test_a_count_of_each_row(count: int, lengths: tuple[int, ...]) -> None:
    """No member is taken twice, and none of a row again before all rows have as many."""
    rows = [[(place, index) for index in range(length)] for place, length in enumerate(lengths)]
    members = [one for row in rows for one in row]
    found = Sample(count).of_each(rows)
    assert found == sorted({*found})
    assert len(found) == min(count, len(members))
    taken = [sum(one in found for one in row) for row in rows]
    for one, length in zip(taken, lengths, strict=True):
        assert one == length or max(taken) - one <= 1


@pytest.mark.parametrize("count", [3, 6, 24])
def test_all_that_varies_is_there(count: int) -> None:
    """Also where rows are sampled at the distance in which members vary."""
    rows = [[(place, value) for value in range(3)] for place in range(70)]
    assert {value for _, value in Sample(count).of_each(rows)} == {0, 1, 2}


def test_some_that_are_drawn_are_the_same_each_time() -> None:
    rows = [[place, place + 1] for place in range(0, 100, 2)]
    found = Sample(seed=1).of_each(rows)
    assert found == Sample(seed=1).of_each(rows) == Sample(seed=1).of(range(100))
    assert len(found) == 8
    assert Sample().of_each(rows) == [*range(100)]
