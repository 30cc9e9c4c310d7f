"""The language as data: one row a primitive.

A row says what a primitive is; what it does lies in handler tables keyed by the row's name: type
checking and building in ``frontend/``, lowering in ``passes/``, spelling in ``backend/``, torch
semantics in ``interpreters/``.
"""

from __future__ import annotations

from ninetoothed.language.rules import Operand
from ninetoothed.language.table import (
    control,
    creation,
    elementwise,
    memory,
    products,
    reductions,
    shapes,
)
from ninetoothed.language.table.primitive import Primitive

_GROUPS = (elementwise, reductions, products, creation, shapes, control, memory)

TABLE: dict[str, Primitive] = {row.name: row for group in _GROUPS for row in group.ROWS}
MAPS: dict[str, Primitive] = {
    name: row for name, row in TABLE.items() if row.op in ("map", "where")
}
REDUCTIONS: dict[str, Primitive] = {name: row for name, row in TABLE.items() if row.op == "reduce"}

__all__ = ["MAPS", "REDUCTIONS", "TABLE", "Operand", "Primitive"]
