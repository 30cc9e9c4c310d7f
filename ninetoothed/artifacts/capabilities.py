"""Capabilities of targets, as back ends declare them in their modules ``targets``."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, cast

from ninetoothed.artifacts.occupancy import Architecture
from ninetoothed.artifacts.target import DEFAULT_TARGET, Target


@dataclass(frozen=True)
class Product:
    """A device of a target, as torch describes it: its ``name``, the ``clock`` in Hz, the
    ``bandwidth`` of memory in bytes/s.
    """

    name: str
    multiprocessors: int
    clock: float
    bandwidth: float
    l2_bytes: int


@dataclass(frozen=True)
class Capabilities:
    """Capabilities of a target.

    ``vendor``: whose devices they are, and the column of the device libraries' functions.
    ``dot_precisions``: input precisions of a ``dot`` of fp32, the default first;
    ``other_precision`` is that of other element types. ``dot_depths``: the least ``k`` of its
    matrix units, by element type. ``imprecise_sums``: the default number of products of eight-bit
    floats that are summed imprecisely. ``combines_cache_hints``: an access may have more than one
    cache hint. ``products``: devices that kernels can be ranked for where none is, the most common
    one first.
    """

    vendor: str
    architecture: Architecture
    eight_bit_floats: tuple[str, ...]
    dot_precisions: tuple[str, ...]
    other_precision: str
    dot_depths: Mapping[str, int]
    imprecise_sums: int
    combines_cache_hints: bool
    products: tuple[Product, ...] = ()


class Targets(Protocol):
    """Interface of a back end's module ``targets``."""

    def parse(self, text: str) -> Target | None:
        """The target of a name; None where the back end has none."""
        ...

    def names(self) -> Sequence[str]:
        """Names of targets, which a wrong one may be meant for."""
        ...

    def capabilities(self, target: Target) -> Capabilities:
        """Capabilities of a target of the back end."""
        ...


def capabilities(target: Target | None) -> Capabilities:
    """Capabilities of a target; without one, of the default target."""
    chosen = Target.parse(DEFAULT_TARGET) if target is None else target
    module = importlib.import_module(f"{chosen.back_end.emits}.targets")
    return cast("Targets", module).capabilities(chosen)
