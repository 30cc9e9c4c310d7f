"""What each primitive of the language becomes: a handler an op of the table's rows."""

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
