"""Optimizations at random: which are switched off, and what passes choose."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from unittest import mock

from hypothesis import strategies as st

from ninetoothed.artifacts.configuration import Choices
from ninetoothed.compiler.optimizations import CHOICES, OPTIMIZATIONS

_VALUES = {
    "coarsened_programs": (None, 2, 8, 32),
    "cyclic_lanes": (None, 1),
    "deferred_reductions": (None, 1),
    "descriptors": (None, 1, 2),
    "early_loads": (None, 1),
    "grouped_programs": (None, 8, 16),
    "interchanged_reductions": (None, 1),
    "loop_stages": (None, 2, 3),
    "moving_bounds": (None, 1),
    "packed_operands": (None, 1),
    "persistent_programs": (None, 1),
    "pointer_blocks": (None, 1),
    "split_reductions": (None, 2, 8),
    "reread_rows": (None, 1),
}
"""Values of each choice; None: its default."""


@dataclass(frozen=True)
class Optimizations:
    """Names of those that are switched off, and the choices that are no defaults."""

    disabled: tuple[str, ...]
    choices: Choices

    @contextmanager
    def set(self) -> Generator[None]:
        """Switch off while something compiles."""
        setting = {"NINETOOTHED_DISABLE_OPTIMIZATIONS": ",".join(self.disabled)}
        with mock.patch.dict(os.environ, setting):
            yield


@st.composite
def optimizations(draw: st.DrawFn) -> Optimizations:
    """Any combination."""
    disabled = draw(st.sets(st.sampled_from(OPTIMIZATIONS)))
    chosen = {one.name: draw(st.sampled_from(_VALUES[one.name])) for one in CHOICES}
    choices = sorted((name, value) for name, value in chosen.items() if value is not None)
    return Optimizations(tuple(sorted(disabled)), tuple(choices))
