"""Frozen data of the algebra as JSON: arranged tensors, and everything that they are made of.

Dataclasses are dicts with the class's name. Expressions are entries of one list, in which they name
one another by position: what they share is written once.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, cast

from ninetoothed.ir.index_expr import IndexExpr, SymbolInfo

Rename = Callable[[str, SymbolInfo | None], str]

_CLASS = "class"
_EXPRESSION = "expression"


class Encoder:
    """Writes values; ``rename`` gives the names of symbols.

    ``expressions`` is the list of those that were met.
    """

    def __init__(self, rename: Rename | None = None) -> None:
        self.expressions: list[list[Any]] = []
        self._rename = rename
        self._places: dict[IndexExpr, int] = {}

    def encode(self, value: Any) -> Any:
        """``value`` as JSON has it.

        Raises:
            TypeError: there is something else in it.
        """
        if value is None or isinstance(value, bool | int | float | str):
            return value
        if isinstance(value, IndexExpr):
            return {_EXPRESSION: self._place(value)}
        if isinstance(value, tuple | list):
            return [self.encode(item) for item in cast("tuple[Any, ...]", value)]
        if isinstance(value, type) or not dataclasses.is_dataclass(value):
            raise TypeError(f"{value!r} is no data")
        names = [field.name for field in dataclasses.fields(value)]
        fields = {name: self.encode(getattr(value, name)) for name in names}
        return {_CLASS: type(value).__name__, **fields}

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
            name, info = expr.args
            return [name if self._rename is None else self._rename(name, info), self.encode(info)]
        return [self._place(operand) for operand in expr.operands]


class Decoder:
    """Reads what an :class:`Encoder` wrote, with its list of expressions.

    ``classes`` has the dataclasses by name.
    """

    def __init__(
        self, expressions: list[list[Any]], classes: Mapping[str, Callable[..., object]]
    ) -> None:
        self._classes = classes
        self._expressions: list[IndexExpr] = []
        for op, *given in expressions:
            arguments: list[Any] = given
            if op == "sym":
                arguments[1] = self.decode(arguments[1])
            elif op != "const":
                arguments = [self._expressions[place] for place in arguments]
            self._expressions.append(IndexExpr(op, *arguments))

    def decode(self, value: object) -> Any:
        """The value; lists are tuples.

        Raises:
            KeyError, TypeError, IndexError: nothing like it was written.
        """
        if type(value) is list:
            return tuple(self.decode(item) for item in cast("list[Any]", value))
        return self._object(cast("dict[str, Any]", value)) if type(value) is dict else value

    def _object(self, fields: dict[str, Any]) -> object:
        if _EXPRESSION in fields:
            place: int = fields[_EXPRESSION]
            return self._expressions[place]
        given = {name: self.decode(item) for name, item in fields.items() if name != _CLASS}
        return self._classes[fields[_CLASS]](**given)
