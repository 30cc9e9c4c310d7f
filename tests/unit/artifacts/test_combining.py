"""How many parts of a split reduction are combined at each level."""

from __future__ import annotations

import math

import pytest

from ninetoothed.artifacts.combining import levels


@pytest.mark.parametrize(
    ("parts", "lanes", "expected"),
    [
        (2, 1 << 20, (2,)),
        (4, 1 << 20, (4,)),
        (8, 128 * 128, (8,)),
        (8, 128 * 256, (4, 2)),
        (16, 16 * 128, (16,)),
        (16, 64 * 128, (4, 4)),
        (32, 16 * 128, (8, 4)),
        (64, 1, (64,)),
        (64, 16 * 64, (8, 8)),
    ],
)
def test_groups_are_combined_first_where_that_saves_much_to_read(
    parts: int, lanes: int, expected: tuple[int, ...]
) -> None:
    assert levels(parts, lanes) == expected
    assert math.prod(expected) == parts
