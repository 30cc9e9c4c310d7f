"""All dialects of the compiler, in a context."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable

from xdsl.context import Context
from xdsl.ir import Dialect

_DIALECTS = {
    "builtin": ("xdsl.dialects.builtin", "Builtin"),
    "scf": ("ninetoothed.ir.scf", "SCF"),
    "math": ("xdsl.dialects.math", "Math"),
    "arith": ("ninetoothed.ir.tt", "BLOCK_ARITH"),
    "nt": ("ninetoothed.ir.nt", "NT"),
    "tt": ("ninetoothed.ir.tt", "TT"),
}


def factories() -> dict[str, Callable[[], Dialect]]:
    """Functions that import the dialects, by name."""

    def factory(module: str, attribute: str) -> Callable[[], Dialect]:
        return lambda: getattr(importlib.import_module(module), attribute)

    return {name: factory(*place) for name, place in _DIALECTS.items()}


@functools.cache
def context() -> Context:
    """xDSL context with the dialects of the compiler. It is only read, so threads share it."""
    ctx = Context()
    for factory in factories().values():
        ctx.load_dialect(factory())
    return ctx


def lazy_context() -> Context:
    """A context of one's own, which imports a dialect when a text has it."""
    ctx = Context()
    for name, factory in factories().items():
        ctx.register_dialect(name, factory)
    ctx.load_registered_dialect("builtin")
    return ctx
