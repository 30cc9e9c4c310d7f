"""Alias checks: a call's aliasing as conditions on the pointers of later calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ninetoothed.artifacts.artifact import Artifact
from ninetoothed.calls.aliasing import alias_sets, is_tensor, span


@dataclass(frozen=True)
class Placement:
    """Aliasing of a call's tensors, by their positions, as far as its kernel depends on it.

    ``together``: pairs whose pointers are as far apart as ``distances`` says. ``apart``: pairs that
    share no memory; the first one's pointer less the second one's is outside of the ``bounds``.
    """

    together: tuple[tuple[int, int], ...]
    apart: tuple[tuple[int, int], ...]
    distances: tuple[int, ...]
    bounds: tuple[tuple[int, int], ...]

    @property
    def numbers(self) -> tuple[int, ...]:
        """The values of :meth:`names`."""
        return (*self.distances, *(bound for pair in self.bounds for bound in pair))

    def names(self) -> list[str]:
        """The names in :meth:`conditions` beside the pointers ``p0``, ``p1``, …"""
        distances = [f"d{place}" for place in range(len(self.together))]
        return [*distances, *(f"{end}{place}" for place in range(len(self.apart)) for end in "lh")]

    def conditions(self) -> list[str]:
        """Python conditions, one of which is true where a call's tensors lie otherwise."""
        return [
            *(f"p{two} - p{one} != d{at}" for at, (one, two) in enumerate(self.together)),
            *(f"l{at} < p{one} - p{two} < h{at}" for at, (one, two) in enumerate(self.apart)),
        ]


def placement(
    values: Sequence[Any], artifact: Artifact, repeats: Sequence[tuple[int, int]]
) -> Placement:
    """The placement of a call's values; ``repeats`` are positions given one and the same tensor.

    Memory that nobody writes may be shared in any way. What shares memory with something written
    has to lie as it does here, and apart from all else: so all of its kernel's assumptions hold.
    """
    found = [span(value) if is_tensor(value) else None for value in values]
    first = alias_sets(found)
    written = {first[index] for index in artifact.written}
    spans = {index: one for index, one in enumerate(found) if one is not None}
    starts = {index: values[index].data_ptr() for index in spans}
    # What is one argument may lie on no device.
    together = {pair: values[pair[1]].data_ptr() - values[pair[0]].data_ptr() for pair in repeats}
    bounds: dict[tuple[int, int], tuple[int, int]] = {}
    for one in spans:
        if first[one] not in written:
            continue
        if first[one] != one:
            together[first[one], one] = starts[one] - starts[first[one]]
        for two in spans:
            if first[one] != first[two] and (two, one) not in bounds:
                (low, high), start = spans[one], starts[one]
                other_low, other_high = spans[two]
                other = starts[two]
                bounds[one, two] = (
                    (other_low - other) - (high - start),
                    (other_high - other) - (low - start),
                )
    return Placement(
        tuple(together), tuple(bounds), tuple(together.values()), tuple(bounds.values())
    )
