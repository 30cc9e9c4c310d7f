"""Cuts of tensors that are too large to be read: how many indices are drawn, and a word on others.

>>> shown_sizes([[3000]])
[[128]]
>>> notes([[3000]], [[128]])
('… 2,872 more columns',)
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

ACROSS, _DOWN = 32, 24
"""Most elements side by side, where there is room, and below one another."""
_ALONE = 128
"""Most elements of a tensor whose levels have one dim, and continue in rows below."""


def shown_sizes(levels: Sequence[Sequence[int]], across: int = ACROSS) -> list[list[int]]:
    """Of each dim of each level, how many indices are drawn, at most ``across`` elements side by
    side.

    Inner levels are cut first, but of an outer one two indices remain, where there is room.
    """
    found = [list(sizes) for sizes in levels]
    is_vector = all(len(sizes) <= 1 for sizes in levels)
    for direction, most in enumerate((_ALONE if is_vector else across, _DOWN)):
        # As in `tiles`: the last dim to the right, the one before down, and so on by turns.
        places = [
            (level, dim)
            for level in reversed(range(len(levels)))
            for dim in reversed(range(len(levels[level])))
            if (len(levels[level]) - 1 - dim) % 2 == direction
        ]
        room = most
        for number, (level, dim) in enumerate(places):
            outer = (min(levels[k][d], 2) for k, d in places[number + 1 :])
            kept = max(room // max(math.prod(outer), 1), min(room, 2))
            found[level][dim] = min(levels[level][dim], kept)
            room //= max(found[level][dim], 1)
    return found


def notes(levels: Sequence[Sequence[int]], kept: Sequence[Sequence[int]]) -> tuple[str, ...]:
    """A line for each level of which less is drawn than there is."""
    found: list[str] = []
    for level, (sizes, shown) in enumerate(zip(levels, kept, strict=True)):
        words = list(_left_out(sizes, shown, " of tiles" if level + 1 < len(levels) else ""))
        if words:
            where = " in each tile" if level else ""
            if level and len(levels) > 2:
                where += f" of level {level - 1}"
            found.append(f"… {', '.join(words)}{where}")
    return tuple(found)


def _left_out(sizes: Sequence[int], shown: Sequence[int], what: str) -> Iterator[str]:
    """How many indices of each dim are left out, last dim first; ``what`` they are of."""
    for place, (size, end) in enumerate(zip(reversed(sizes), reversed(shown), strict=True)):
        word, along = ("column", "row", "slice")[min(place, 2)], ""
        if place > 1:
            along = f" along dim {len(sizes) - 1 - place}"
        if end < size:
            ending = "" if size - end == 1 else "s"
            yield f"{size - end:,} more {word}{ending}{what}{along}"
