"""Values that options may have. This file is no pass.

Passes check them when they are made, which is when the text of a pipeline is read.
"""

from __future__ import annotations

from collections.abc import Sequence

from ninetoothed.artifacts.occupancy import Architecture, Footprint
from ninetoothed.errors import ArgumentError, any_of

WIDTHS = (32, 64)
"""Widths of indices, in bits."""


def everywhere(footprint: Footprint, unit: Architecture) -> tuple[int, ...]:
    """The :class:`Legality` of a choice that is 0 or 1, whatever the block sizes and the GPU."""
    return (1,)


def require_among(pass_name: str, option: str, value: object, values: Sequence[object]) -> None:
    """Check that an option has one of some values.

    Raises:
        ArgumentError: it has another.
    """
    if value not in values:
        raise ArgumentError(f"{pass_name}: {option} is {any_of([*map(str, values)])}, not {value}")


def require_at_least(pass_name: str, option: str, value: int, least: int) -> None:
    """Check that an option is no number below ``least``.

    Raises:
        ArgumentError: it is.
    """
    if value < least:
        raise ArgumentError(f"{pass_name}: {option} is at least {least}, not {value}")
