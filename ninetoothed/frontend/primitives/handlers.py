"""The table of handlers that build primitives, by the rows' ops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ninetoothed.frontend.context import Context
from ninetoothed.frontend.values import Value
from ninetoothed.language.registry import Registry
from ninetoothed.language.table import Primitive

Bound = dict[str, Value]
"""The arguments of a call, by parameter."""
Handler = Callable[[Context, Primitive, Any], Value]

HANDLERS: Registry[str, Handler] = Registry("the frontend")
"""The modules of this package fill it."""
