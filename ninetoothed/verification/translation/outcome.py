"""Outcome of a translation validation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Report:
    """Counts of what was compared.

    ``cases``: the calls that were run. ``skipped``: those that the kernel's checks reject, or that
    are too large; one that a pass fails on is an error. ``touches``: how many elements the lanes of
    all cases touch. ``proved`` and ``evaluated``: by pass, in how many cases it was decided
    symbolically (or had left the module as it was), and in how many by running. ``full``: the cases
    in which all guards hold, and the second kernel was compared, too.
    """

    cases: int
    skipped: int
    touches: int
    proved: Mapping[str, int]
    evaluated: Mapping[str, int]
    full: int = 0

    def __str__(self) -> str:
        lines = [f"{self.cases} cases, {self.skipped} skipped, {self.touches} elements touched"]
        if self.full:
            lines.append(f"{self.full} cases of the kernel without guards")
        for name in {**self.proved, **self.evaluated}:
            lines.append(
                f"{name}: proved in {self.proved.get(name, 0)}, "
                f"evaluated in {self.evaluated.get(name, 0)}"
            )
        return "\n".join(lines)
