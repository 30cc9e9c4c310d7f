"""The targets that kernels are compiled for offline, chosen by ``NINETOOTHED_TEST_TARGETS``."""

from __future__ import annotations

import os

TARGETS: tuple[str, ...] = tuple(
    os.environ.get("NINETOOTHED_TEST_TARGETS", "sm_90 gfx942").replace(",", " ").split()
)
"""Their names, as in ``Target.parse``: parametrise a test over it."""

CHOSEN = "NINETOOTHED_TEST_TARGETS" in os.environ
"""True if the targets were chosen: then what is costly is tried, too."""

FEW_TARGETS: tuple[str, ...] = TARGETS if CHOSEN else TARGETS[:1]
"""For tests of many kernels: one target, unless some were chosen."""
