"""Listings: texts line by line, each with the lines of the user's source that it stands for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ninetoothed.errors import Loc

Place = tuple[str, int]
"""A file, and a line of it from 1."""

Places = tuple[Place, ...]
"""Where an op comes from, then where the functions are called that it is in; empty: not known."""


@dataclass(frozen=True)
class Listing:
    """The lines of a text. ``places`` has an entry for each: None where it stands for no op."""

    lines: tuple[str, ...]
    places: tuple[Places | None, ...]

    @property
    def linked(self) -> float:
        """Share of the lines that stand for an op whose place is known."""
        counted = [places for places in self.places if places is not None]
        return sum(map(bool, counted)) / len(counted) if counted else 1.0

    def first(self, count: int, hint: str) -> Listing:
        """The first lines, and one on those that are left out, with a hint."""
        rest = len(self.lines) - count
        note = f"… {rest} more lines: {hint}"
        return Listing((*self.lines[:count], note), (*self.places[:count], None))


def listing(rows: Iterator[tuple[str, Places | None]]) -> Listing:
    """A listing of lines with their places."""
    found = list(rows)
    return Listing(tuple(line for line, _ in found), tuple(places for _, places in found))


def places_of(loc: Loc | None) -> Places:
    """The places of a location, innermost first."""
    found: list[Place] = []
    while loc is not None:
        if (loc.file, loc.line) not in found:
            found.append((loc.file, loc.line))
        loc = loc.caller
    return tuple(found)
