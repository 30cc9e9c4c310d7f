"""Optimizations: their switches, and what passes may do in several ways.

An *optimization* is an option of a pass that is on, or a choice, and can be switched off by its
name (``NINETOOTHED_DISABLE_OPTIMIZATIONS``): to find out what it gains, or whether it is at fault.

A *choice* is an option of a pass whose values are all right, declared as data, with its *legality*:
which values are legal for a kernel, with some block sizes on some architecture. That is asked
before any specialised pass runs, of the module in stage ``composed``. What is not the default is
carried by ``Config.choices``, by name, through the space, the tuner, the caches and the dumps; the
tuner varies it around what it has found to be best.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ninetoothed import config as settings
from ninetoothed.artifacts.configuration import Choices
from ninetoothed.artifacts.occupancy import Legality
from ninetoothed.ir import nt
from ninetoothed.passes import lower_accesses, stage_loops


@dataclass(frozen=True)
class Choice:
    """An option of a pass.

    ``legality(kernel)`` is worked out once a signature; what it returns, for all block sizes.
    """

    name: str
    pass_name: str
    option: str
    legality: Callable[[nt.KernelOp], Legality | None]


CHOICES = (
    Choice("loop_stages", "nt-stage-loops", "stages", stage_loops.legality),
    Choice("pointer_blocks", "nt-lower-accesses", "pointer_blocks", lower_accesses.legality),
)

_SWITCHES: dict[str, tuple[str, str]] = {
    "hoisted_loads": ("nt-hoist-loads", "enabled"),
    "vacuous_guards": ("nt-fold-guards", "enabled"),
    "guarded_loads": ("nt-guard-loads", "enabled"),
    "longest_first": ("nt-schedule-programs", "longest_first"),
    "skipped_programs": ("nt-skip-programs", "enabled"),
    "unsigned_tests": ("nt-lower-accesses", "unsigned_tests"),
    "checked_equalities": ("nt-specialize", "merges_checked"),
    "equal_sizes": ("nt-specialize", "merges_equal"),
    "equal_strides": ("nt-specialize", "merges_strides"),
    "collapsed_dims": ("nt-specialize", "collapses"),
    "alignment_facts": ("nt-lower-accesses", "alignment_facts"),
}
"""The options of passes that are on, by name."""

OPTIMIZATIONS = (*_SWITCHES, *(choice.name for choice in CHOICES))
"""Names of what can be switched off."""


def options_of(choices: Choices) -> dict[str, dict[str, Any]]:
    """Options of passes, by their names, for a configuration's choices and the settings.

    Raises:
        KeyError: there is no such choice.
        ConfigurationError: the setting names an optimization that there is not.
    """
    found: dict[str, dict[str, Any]] = {}
    for name in settings.disabled_optimizations(OPTIMIZATIONS):
        if name in _SWITCHES:
            pass_name, option = _SWITCHES[name]
            found.setdefault(pass_name, {})[option] = False
    known = {choice.name: choice for choice in CHOICES}
    for name, value in choices:
        found.setdefault(known[name].pass_name, {})[known[name].option] = value
    return found


def legalities_of(kernel: nt.KernelOp) -> list[tuple[str, Legality]]:
    """Legality of each choice that a kernel in stage ``composed`` has.

    Raises:
        ConfigurationError: the setting names an optimization that there is not.
    """
    disabled = settings.disabled_optimizations(OPTIMIZATIONS)
    choices = [choice for choice in CHOICES if choice.name not in disabled]
    found = [(choice.name, choice.legality(kernel)) for choice in choices]
    return [(name, legality) for name, legality in found if legality is not None]
