"""Serialization of arranged tensors, and everything that they are made of, as text.

Dataclasses are written with the class's name. Expressions are entries of one list, in which they
name one another by position: what they share is written once.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable
from typing import Any, cast

from ninetoothed.symbolic.expr import IndexExpr


def encoded(value: object) -> str:
    """Canonical text of ``value``, the same in every process; values that differ differ in it.

    Raises:
        TypeError: there is something else in it.
    """
    encoder = _Encoder()
    text = encoder.encode(value)
    return "\n".join([text, *encoder.expressions])


class _Encoder:
    """Text of values; ``expressions`` is the list of those that were met.

    Nothing but text is built: thousands of lists would have the garbage collector walk through all
    that torch has imported.
    """

    def __init__(self) -> None:
        self.expressions: list[str] = []
        self._places: dict[IndexExpr, int] = {}

    def encode(self, value: Any) -> str:
        if value is None or type(value) in (bool, int, float, str):
            return repr(value)
        if isinstance(value, int | float | str):
            # A class of its own, as NumPy's float64, may be shown otherwise.
            return json.dumps(value)
        if isinstance(value, IndexExpr):
            return f"#{self._place(value)}"
        if isinstance(value, tuple | list):
            return f"[{self._listed(cast('tuple[Any, ...]', value))}]"
        if isinstance(value, type) or not dataclasses.is_dataclass(value):
            raise TypeError(f"{value!r} is no data")
        fields = (getattr(value, field.name) for field in dataclasses.fields(value))
        return f"{type(value).__name__}({self._listed(fields)})"

    def _listed(self, values: Iterable[Any]) -> str:
        return ",".join(map(self.encode, values))

    def _place(self, expr: IndexExpr) -> int:
        place = self._places.get(expr)
        if place is None:
            row = f"{expr.op} {self._listed(expr.args)}"
            place = self._places[expr] = len(self.expressions)
            self.expressions.append(row)
        return place
