"""What each primitive of the language becomes: a handler an op of the table's rows."""

from __future__ import annotations

from ninetoothed.frontend.primitives import (
    control,
    creation,
    elementwise,
    pointers,
    products,
    reductions,
    shapes,
)
from ninetoothed.frontend.primitives.registry import HANDLERS

GROUPS = (elementwise, reductions, products, creation, shapes, control, pointers)
"""The modules that fill the table."""

__all__ = ["GROUPS", "HANDLERS"]
