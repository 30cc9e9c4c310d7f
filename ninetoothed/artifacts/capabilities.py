"""What a target can do, as its back end says it in ``ninetoothed/backend/NAME/targets.py``."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, cast

from ninetoothed.artifacts.occupancy import Architecture
from ninetoothed.artifacts.target import DEFAULT_TARGET, Target


@dataclass(frozen=True)
class Capabilities:
    """What a target can do.

    ``vendor``: whose devices they are, and the column of the device libraries' functions.
    ``dot_precisions``: how products of fp32 are formed, the default first; ``other_precision`` is
    what stands in a ``dot`` of other element types. ``dot_depths``: how many products its matrix
    units sum at least, by element type. ``imprecise_sums``: how many products of floats of eight
    bits are summed imprecisely, where nobody says. ``combines_cache_hints``: an access may have
    more than one hint about caches.
    """

    vendor: str
    architecture: Architecture
    eight_bit_floats: tuple[str, ...]
    dot_precisions: tuple[str, ...]
    other_precision: str
    dot_depths: Mapping[str, int]
    imprecise_sums: int
    combines_cache_hints: bool


class Targets(Protocol):
    """The module ``targets`` of a back end."""

    def parse(self, text: str) -> Target | None:
        """The target of a name; None: the back end has none of that name."""
        ...

    def capabilities(self, target: Target) -> Capabilities:
        """What a target of the back end can do."""
        ...


def capabilities(target: Target | None) -> Capabilities:
    """What a target can do; without one, the default target."""
    chosen = Target.parse(DEFAULT_TARGET) if target is None else target
    module = importlib.import_module(f"ninetoothed.backend.{chosen.back_end.name}.targets")
    return cast("Targets", module).capabilities(chosen)
