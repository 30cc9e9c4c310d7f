"""Optimizations: what can be switched off, and what passes may do in several ways.

An *optimization* is an option of a pass that is on, or a choice, and its name switches it off
(``NINETOOTHED_DISABLE_OPTIMIZATIONS``): to find out what it gains, or whether it is at fault.

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
class Optimization:
    """An option of a pass that is on, and that its name switches off.

    ``summary``: what it does, as `docs/optimizations.md` says it.
    """

    name: str
    pass_name: str
    option: str
    summary: str


@dataclass(frozen=True)
class Choice(Optimization):
    """An option of a pass with several values; switched off, it has its default.

    ``legality(kernel)`` is worked out once a signature; what it returns, for all block sizes.
    """

    legality: Callable[[nt.KernelOp], Legality | None]


TABLE: tuple[Optimization, ...] = (
    Optimization(
        *("checked_equalities", "nt-specialize", "merges_checked"),
        "Sizes that the checks of every call require to be equal are one argument.",
    ),
    Optimization(
        *("equal_sizes", "nt-specialize", "merges_equal"),
        "Sizes of two tensors that are equal in the call, and cut alike, are one argument.",
    ),
    Optimization(
        *("equal_strides", "nt-specialize", "merges_strides"),
        "Strides of tensors that are cut alike are one argument where they are equal.",
    ),
    Optimization(
        *("collapsed_dims", "nt-specialize", "collapses"),
        "Flattened contiguous dims are addressed as one, without divisions.",
    ),
    Optimization(
        *("longest_first", "nt-schedule-programs", "longest_first"),
        "Programs start from the last one down where the last ones iterate most.",
    ),
    Optimization(
        *("hoisted_loads", "nt-hoist-loads", "enabled"),
        "A tile that no iteration of a loop changes is loaded in front of it.",
    ),
    Optimization(
        *("vacuous_guards", "nt-fold-guards", "enabled"),
        "Calls whose sizes fill all blocks run a second kernel, without guards; comparisons with "
        "a size that are always true, or never, are left out.",
    ),
    Optimization(
        *("guarded_loads", "nt-guard-loads", "enabled"),
        "Loads that reach only stores take the stores' guards.",
    ),
    Optimization(
        *("skipped_programs", "nt-skip-programs", "enabled"),
        "Programs that store nothing do nothing.",
    ),
    Choice(
        *("loop_stages", "nt-stage-loops", "stages"),
        "A loop without dots loads for later iterations while it computes; the tuner says how far "
        "ahead.",
        stage_loops.legality,
    ),
    Choice(
        *("pointer_blocks", "nt-lower-accesses", "pointer_blocks"),
        "Blocks of pointers are made in front of a loop, and moved inside; the tuner says whether.",
        lower_accesses.legality,
    ),
    Optimization(
        *("unsigned_tests", "nt-lower-accesses", "unsigned_tests"),
        "An index that may be negative is compared once, as an unsigned number.",
    ),
    Optimization(
        *("narrow_indices", "nt-lower-accesses", "narrow_indices"),
        "Of tensors that 32 bits do not reach, indices of programs and most guards are computed in "
        "32 bits.",
    ),
    Optimization(
        *("alignment_facts", "nt-lower-accesses", "alignment_facts"),
        "Triton is told how indices are aligned behind divisions, where it cannot find out.",
    ),
)
"""All optimizations, in the order in which the pipeline comes to them."""

OPTIMIZATIONS = tuple(one.name for one in TABLE)
"""Their names: what can be switched off."""

CHOICES = tuple(one for one in TABLE if isinstance(one, Choice))
"""Those that the tuner varies."""


def options_of(choices: Choices) -> dict[str, dict[str, Any]]:
    """Options of passes, by their names, for a configuration's choices and the settings.

    Raises:
        KeyError: there is no such choice.
        ConfigurationError: the setting names an optimization that there is not.
    """
    found: dict[str, dict[str, Any]] = {}
    disabled = settings.disabled_optimizations(OPTIMIZATIONS)
    for one in TABLE:
        if one.name in disabled and not isinstance(one, Choice):
            found.setdefault(one.pass_name, {})[one.option] = False
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
