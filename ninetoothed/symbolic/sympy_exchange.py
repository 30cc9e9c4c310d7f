"""Exchange with sympy: expressions to sympy's, and back.

sympy takes long to import, so it is used where the user's program has imported it, and looked up
among the modules that are loaded. What stems from a symbol of ours is that symbol again: sympy
keeps it through all its operations, with its declaration.

Comparisons are conditions in sympy and no numbers; as operands of arithmetic they become
``Piecewise((1, condition), (0, True))``.
"""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Callable
from typing import Any

from ninetoothed.symbolic.expr import (
    COMPARISONS,
    IndexExpr,
    SymbolInfo,
    binary,
    const,
    maximum,
    minimum,
    product,
    sym,
)

_MAX_EXPONENT = 16

_RELATIONS = {"lt": "Lt", "le": "Le", "eq": "Eq", "ne": "Ne", "gt": "Gt", "ge": "Ge"}
_COMPARISONS = {
    "StrictLessThan": "lt",
    "LessThan": "le",
    "Equality": "eq",
    "Unequality": "ne",
    "StrictGreaterThan": "gt",
    "GreaterThan": "ge",
}


def is_sympy(value: object) -> bool:
    """True for an object of sympy's."""
    sympy: Any = sys.modules.get("sympy")
    # Where sympy is being imported, it has made no object yet.
    basic: Any = getattr(sympy, "Basic", None)
    return basic is not None and isinstance(value, basic)


def to_sympy(expr: IndexExpr) -> Any:
    """``expr`` as sympy's: symbols are integers, not negative where their declaration says so.

    sympy is loaded already.
    """
    if expr.op in COMPARISONS or expr.op == "and":
        return _condition(expr)
    return _number(expr)


def _number(expr: IndexExpr) -> Any:
    sympy: Any = sys.modules["sympy"]
    if expr.op == "const":
        return sympy.Integer(expr.args[0])
    if expr.op == "sym":
        return _symbol_class()(*expr.args)
    if expr.op in COMPARISONS or expr.op == "and":
        return sympy.Piecewise((1, _condition(expr)), (0, True))
    operands = list(map(_number, expr.args))
    return _NUMBERS[expr.op](sympy, *operands)


_NUMBERS: dict[str, Callable[..., Any]] = {
    "neg": lambda sympy, one: -one,
    "add": lambda sympy, left, right: left + right,
    "sub": lambda sympy, left, right: left - right,
    "mul": lambda sympy, left, right: left * right,
    "floordiv": lambda sympy, left, right: sympy.floor(left / right),
    "ceildiv": lambda sympy, left, right: sympy.ceiling(left / right),
    "mod": lambda sympy, left, right: _remainder(left, right),
    "min": lambda sympy, left, right: sympy.Min(left, right),
    "max": lambda sympy, left, right: sympy.Max(left, right),
}


def _remainder(left: Any, right: Any) -> Any:
    sympy: Any = sys.modules["sympy"]
    # sympy 1.14 rewrites some remainders of sums by symbols without end, so they are left as they
    # are until somebody simplifies them.
    return sympy.Mod(left, right, evaluate=bool(left.is_number and right.is_number))


def _condition(expr: IndexExpr) -> Any:
    sympy: Any = sys.modules["sympy"]
    if expr.op == "and":
        return sympy.And(*map(_condition, expr.args))
    if expr.op in COMPARISONS:
        return getattr(sympy, _RELATIONS[expr.op])(*map(_number, expr.args))
    return sympy.Ne(_number(expr), 0)


@functools.cache
def _symbol_class() -> Any:
    """Class of our symbols in sympy: those of one name and different declarations differ."""
    sympy: Any = sys.modules["sympy"]

    class IntegerSymbol(sympy.Symbol):
        __slots__ = ("info",)

        def __new__(cls, name: str, info: SymbolInfo | None = None, **assumptions: Any) -> Any:
            lower = None if info is None else info.lower
            assumptions = {**assumptions, "integer": True}
            if lower is not None and lower >= 0:
                assumptions["positive" if lower else "nonnegative"] = True
            self: Any = sympy.Symbol.__xnew__(cls, name, **assumptions)
            self.info = info
            return self

        def __reduce__(self) -> Any:
            return _unpickled, (self.name, self.info)

        def _hashable_content(self) -> Any:
            # Text, since sympy puts the entries in order.
            return (*super()._hashable_content(), repr(self.info))

    return IntegerSymbol


def _unpickled(name: str, info: SymbolInfo | None) -> Any:
    # Who unpickles a symbol of sympy's wants sympy.
    importlib.import_module("sympy")
    return _symbol_class()(name, info)


def from_sympy(value: Any) -> IndexExpr:
    """The expression of sympy's ``value``; a name that is none of our symbols is a plain one.

    Raises:
        ValueError: it is no integer, or of functions that expressions do not have.
    """
    sympy: Any = sys.modules["sympy"]
    if isinstance(value, _symbol_class()):
        return sym(value.name, value.info)
    if isinstance(value, sympy.Symbol):
        return sym(value.name)
    if isinstance(value, sympy.Integer):
        return const(int(value))
    if value in (sympy.true, sympy.false):
        return const(int(bool(value)))
    convert = _INTEGERS.get(type(value).__name__)
    if convert is None:
        raise _unknown(value)
    return convert(value)


def _unknown(value: Any) -> ValueError:
    return ValueError(
        f"{value} is no integer expression; write one of integers, symbols, +, -, *, floor, "
        "ceiling, Mod, Min, Max and comparisons, for example sympy.floor(n / 2)"
    )


def _folded(op: Callable[[IndexExpr, IndexExpr], IndexExpr]) -> Callable[[Any], IndexExpr]:
    # In sympy's order, which is the same in each process.
    return lambda value: functools.reduce(op, map(from_sympy, _ordered(value.args)))


def _ordered(args: Any) -> list[Any]:
    sympy: Any = sys.modules["sympy"]
    return list(sympy.ordered(args))


def _rational(value: Any) -> IndexExpr:
    """A sum or a product, of terms and factors that are fractions perhaps."""
    sympy: Any = sys.modules["sympy"]
    above, below = sympy.fraction(sympy.together(value))
    if below != 1:
        if not value.is_integer:
            shorter = sympy.cancel(value)
            if sympy.fraction(shorter)[1] != 1:
                raise _unknown(value)
            return from_sympy(shorter)
        return binary("floordiv", from_sympy(above), from_sympy(below))
    # As people write it: of a product numbers first, of a sum last, and what is subtracted there.
    terms = _ordered(value.args)
    if type(value).__name__ == "Mul":
        if value.args[0] == -1:
            return -from_sympy(-value)
        return product(tuple(map(from_sympy, terms)))
    terms.sort(key=lambda term: (bool(term.could_extract_minus_sign()), bool(term.is_number)))
    total = from_sympy(terms[0])
    for term in terms[1:]:
        if term.could_extract_minus_sign():
            total = total - from_sympy(-term)
        else:
            total = total + from_sympy(term)
    return total


def _quotient(op: str) -> Callable[[Any], IndexExpr]:
    def convert(value: Any) -> IndexExpr:
        sympy: Any = sys.modules["sympy"]
        above, below = sympy.fraction(sympy.together(value.args[0]))
        return binary(op, from_sympy(above), from_sympy(below))

    return convert


def _power(value: Any) -> IndexExpr:
    sympy: Any = sys.modules["sympy"]
    base, exponent = value.args
    if not isinstance(exponent, sympy.Integer) or not 0 < exponent <= _MAX_EXPONENT:
        raise _unknown(value)
    return product((from_sympy(base),) * int(exponent))


def _piecewise(value: Any) -> IndexExpr:
    """The first whose condition holds; conditions are 0 or 1, of which sums and products choose."""
    sympy: Any = sys.modules["sympy"]
    *pieces, (last, condition) = value.args
    if condition != sympy.true:
        raise _unknown(value)
    result = from_sympy(last)
    for one, condition in reversed(pieces):
        result = _chosen(from_sympy(condition), from_sympy(one), result)
    return result


def _chosen(condition: IndexExpr, one: IndexExpr, other: IndexExpr) -> IndexExpr:
    return other + (one - other) * condition


_INTEGERS: dict[str, Callable[[Any], IndexExpr]] = {
    "Add": _rational,
    "Mul": _rational,
    "Pow": _power,
    "floor": _quotient("floordiv"),
    "ceiling": _quotient("ceildiv"),
    "Mod": lambda value: binary("mod", *map(from_sympy, value.args)),
    "Min": _folded(minimum),
    "Max": _folded(maximum),
    "And": _folded(functools.partial(binary, "and")),
    "Or": _folded(maximum),
    "Not": lambda value: const(1) - from_sympy(value.args[0]),
    "ITE": lambda value: _chosen(*map(from_sympy, value.args)),
    "Piecewise": _piecewise,
    **{
        name: lambda value, op=op: binary(op, *map(from_sympy, value.args))
        for name, op in _COMPARISONS.items()
    },
}
