"""The table of primitives' handlers, by the rows' ops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ninetoothed.frontend.context import Context
from ninetoothed.frontend.values import Value
from ninetoothed.language.table import Primitive

Bound = dict[str, Value]
"""The arguments of a call, by parameter."""
Handler = Callable[[Context, Primitive, Any], Value]

HANDLERS: dict[str, Handler] = {}


def handles(op: str) -> Callable[[Handler], Handler]:
    """Register the handler of the rows with this op."""

    def register(handler: Handler) -> Handler:
        HANDLERS[op] = handler
        return handler

    return register
