"""All dialects of the compiler, in a context."""

from __future__ import annotations

import functools

from xdsl.context import Context
from xdsl.dialects.builtin import Builtin
from xdsl.dialects.math import Math

from ninetoothed.ir.nt import NT
from ninetoothed.ir.scf import SCF
from ninetoothed.ir.tt import BLOCK_ARITH, TT


@functools.cache
def context() -> Context:
    """xDSL context with the dialects of the compiler. It is only read, so threads share it."""
    ctx = Context()
    for dialect in (Builtin, SCF, Math, BLOCK_ARITH, NT, TT):
        ctx.load_dialect(dialect)
    return ctx
