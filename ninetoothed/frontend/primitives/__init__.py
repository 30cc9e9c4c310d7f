"""Handlers that build the primitives of the language, by the op of the table's row."""

from __future__ import annotations

from ninetoothed.frontend.primitives import (
    casts,
    control,
    creation,
    debug,
    dot,
    elementwise,
    extern,
    hints,
    pointers,
    reductions,
    shapes,
)
from ninetoothed.frontend.primitives.handlers import HANDLERS

GROUPS = (
    elementwise,
    casts,
    extern,
    reductions,
    dot,
    creation,
    shapes,
    control,
    pointers,
    debug,
    hints,
)
"""The modules that fill the table."""

__all__ = ["GROUPS", "HANDLERS"]
