"""Serialization of arranged tensors, and everything that they are made of, as text.

Dataclasses are dicts with the class's name. Expressions are entries of one list, in which they name
one another by position: what they share is written once.
"""

from __future__ import annotations

import dataclasses
import json
from typing import Any, cast

from ninetoothed.symbolic.expr import IndexExpr


def encoded(value: object) -> str:
    """Canonical text of ``value``, the same in every process; values that differ differ in it.

    Raises:
        TypeError: there is something else in it.
    """
    encoder = _Encoder()
    return json.dumps([encoder.encode(value), encoder.expressions])


class _Encoder:
    """JSON encoder of values; ``expressions`` is the list of those that were met."""

    def __init__(self) -> None:
        self.expressions: list[list[Any]] = []
        self._places: dict[IndexExpr, int] = {}

    def encode(self, value: Any) -> Any:
        if value is None or isinstance(value, bool | int | float | str):
            return value
        if isinstance(value, IndexExpr):
            return {"expression": self._place(value)}
        if isinstance(value, tuple | list):
            return [self.encode(item) for item in cast("tuple[Any, ...]", value)]
        if isinstance(value, type) or not dataclasses.is_dataclass(value):
            raise TypeError(f"{value!r} is no data")
        fields = [self.encode(getattr(value, field.name)) for field in dataclasses.fields(value)]
        return {type(value).__name__: fields}

    def _place(self, expr: IndexExpr) -> int:
        place = self._places.get(expr)
        if place is None:
            row = [expr.op, *self._arguments(expr)]
            place = self._places[expr] = len(self.expressions)
            self.expressions.append(row)
        return place

    def _arguments(self, expr: IndexExpr) -> list[Any]:
        if expr.op == "const":
            return [expr.value]
        if expr.op == "sym":
            return [self.encode(argument) for argument in expr.args]
        return [self._place(operand) for operand in expr.operands]
