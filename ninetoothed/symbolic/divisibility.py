"""Divisibility of integer expressions by powers of two."""

from __future__ import annotations

import math
from collections.abc import Mapping

from ninetoothed.symbolic.expr import IndexExpr

MULTIPLE = 16
"""More is not asked for: no access takes more bytes at once."""


def known_divisor(expr: IndexExpr, divisors: Mapping[str, int]) -> int:
    """Power of two, at most 16, that is proved to divide ``expr``.

    ``divisors``: powers of two that divide symbols.
    """
    if expr.value is not None:
        return math.gcd(expr.value, MULTIPLE)
    if expr.op == "sym":
        return divisors.get(expr.args[0], 1)
    known = [known_divisor(operand, divisors) for operand in expr.operands]
    if expr.op == "mul":
        return min(math.prod(known), MULTIPLE)
    if expr.op in ("add", "sub", "neg", "min", "max", "mod"):
        return min(known)
    if expr.op == "floordiv" and expr.args[1].value and known[0] % expr.args[1].value == 0:
        return known[0] // expr.args[1].value
    return 1
