"""Devices that can do little."""

from __future__ import annotations

import re

from ninetoothed.artifacts.capabilities import Capabilities
from ninetoothed.artifacts.occupancy import Architecture
from ninetoothed.artifacts.target import Target
from ninetoothed.dtype import DTYPES


def parse(text: str) -> Target | None:
    """``"fake1"``."""
    return Target("fake", text, 8) if re.fullmatch(r"fake\d+", text) else None


def names() -> list[str]:
    """Names of targets."""
    return ["fake1"]


def capabilities(target: Target) -> Capabilities:
    """Capabilities of a target."""
    return Capabilities(
        vendor="Fake",
        architecture=Architecture(1 << 14, 1 << 15, 512, 4, {}, warp_size=8, stages=(1,)),
        eight_bit_floats=(),
        dot_precisions=("ieee",),
        other_precision="ieee",
        dot_depths=dict.fromkeys(DTYPES, 1),
        imprecise_sums=0,
        combines_cache_hints=True,
    )
