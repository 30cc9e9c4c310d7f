"""The table of primitives: the language as data, one row a primitive.

A row describes a primitive; its implementations are in handler tables keyed by the row's name: type
checking and building in ``frontend/``, lowering in ``passes/``, spelling in ``backend/``, torch
semantics in ``interpreters/``. A composition of others is one row with a body, which is written in
the language and inlined, and needs none of them: an elementwise one stands among the others, any
other is a function in ``composites`` or ``random``.
"""

from __future__ import annotations

from ninetoothed.language.rules import Operand
from ninetoothed.language.table import (
    composites,
    control,
    creation,
    debug,
    dot,
    elementwise,
    memory,
    random,
    reductions,
    shapes,
)
from ninetoothed.language.table.libdevice import LIBDEVICE, Extern
from ninetoothed.language.table.primitive import Primitive

_GROUPS = (elementwise, reductions, dot, creation, shapes, control, memory, debug)

TABLE: dict[str, Primitive] = {row.name: row for group in _GROUPS for row in group.ROWS}
PUBLIC: dict[str, Primitive] = {
    **{name: row for name, row in TABLE.items() if row.public},
    **{row.name: row for group in (composites, random) for row in group.ROWS},
}
"""The public functions; some have the name of an operator."""
ELEMENTWISE: dict[str, Primitive] = {
    **{
        name: row
        for name, row in TABLE.items()
        if row.op in ("elementwise", "where", "propagating") and row.body is None
    },
    **{row.name: row for row in LIBDEVICE.values()},
}
REDUCTIONS: dict[str, Primitive] = {name: row for name, row in TABLE.items() if row.op == "reduce"}
SCANS: dict[str, Primitive] = {name: row for name, row in TABLE.items() if row.op == "scan"}

__all__ = [
    "ELEMENTWISE",
    "LIBDEVICE",
    "PUBLIC",
    "REDUCTIONS",
    "SCANS",
    "TABLE",
    "Extern",
    "Operand",
    "Primitive",
]
