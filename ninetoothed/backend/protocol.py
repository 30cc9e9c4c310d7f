"""The compile half of a back end: what its targets can do, and text for them.

A back end NAME has two modules in ``ninetoothed/backend/NAME``: ``targets`` (:class:`Targets`),
which imports no IR, and ``emitter`` (:class:`Emitter`). The run half is a
:class:`~ninetoothed.runtime.toolchain.Toolchain`. No other module knows a vendor.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, cast

from ninetoothed.artifact import DEFAULT_TARGET, BackEnd, Language, Target
from ninetoothed.runtime.occupancy import Architecture

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp


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


class Emitter(Protocol):
    """The module ``emitter`` of a back end."""

    def emit_text(self, module: ModuleOp, language: Language) -> str:
        """The text of a module of the stage ``tt``.

        Raises:
            CompilerError: the module is not of that stage, or an op has no spelling.
        """
        ...


def capabilities(target: Target | None) -> Capabilities:
    """What a target can do; without one, the default target."""
    chosen = Target.parse(DEFAULT_TARGET) if target is None else target
    return cast("Targets", _module(chosen.back_end, "targets")).capabilities(chosen)


def emitter(back_end: BackEnd) -> Emitter:
    """What emits for a back end."""
    return cast("Emitter", _module(back_end, "emitter"))


def _module(back_end: BackEnd, name: str) -> object:
    return importlib.import_module(f"ninetoothed.backend.{back_end.name}.{name}")
