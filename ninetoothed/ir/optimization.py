"""Optimizations of passes: what a setting switches off, and what the tuner chooses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ninetoothed.artifacts.occupancy import Legality
from ninetoothed.ir import nt


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

    ``legality(kernel)`` is worked out once a signature, of the kernel in stage ``composed``; what
    it returns, for all block sizes: a function of a configuration's footprint and the device's
    architecture that gives the option's legal values beside its default, which are integers. None:
    this kernel has no such choice.
    """

    legality: Callable[[nt.KernelOp], Legality | None]
