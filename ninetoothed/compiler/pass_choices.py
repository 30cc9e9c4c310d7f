"""Choices: what passes may do in several ways, each of them right, declared as data.

A pass declares an option, the values that it can take beside its default, and its *legality*: which
of them are legal for a kernel, with some block sizes on some architecture. That is asked before any
specialised pass runs, of the module in stage ``composed``. What is not the default is carried by
``Config.choices``, by name, through the space, the tuner, the caches and the dumps; the tuner
varies it around what it has found to be best.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ninetoothed.ir import nt
from ninetoothed.passes import stage_loops
from ninetoothed.passes.stage_loops import Legality


@dataclass(frozen=True)
class Choice:
    """An option of a pass.

    ``legality(kernel)`` is worked out once a signature; what it returns, for all block sizes.
    """

    name: str
    pass_name: str
    option: str
    legality: Callable[[nt.KernelOp], Legality | None]


CHOICES = (Choice("loop_stages", "nt-stage-loops", "stages", stage_loops.legality),)


def options_of(choices: Mapping[str, int]) -> dict[str, dict[str, Any]]:
    """Options of passes for choices that are not the default, by name.

    Raises:
        KeyError: there is no such choice.
    """
    known = {choice.name: choice for choice in CHOICES}
    found: dict[str, dict[str, Any]] = {}
    for name, value in choices.items():
        choice = known[name]
        found.setdefault(choice.pass_name, {})[choice.option] = value
    return found


def legalities_of(kernel: nt.KernelOp) -> list[tuple[str, Legality]]:
    """Legality of each choice that a kernel in stage ``composed`` has."""
    found = [(choice.name, choice.legality(kernel)) for choice in CHOICES]
    return [(name, legality) for name, legality in found if legality is not None]
