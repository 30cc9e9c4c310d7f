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
import operator
import sys
from collections.abc import Callable, Iterator
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
    replace_all,
    sym,
)

_MAX_EXPONENT = 16
_MAX_ROUNDS = 8

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
        condition = _condition(expr)
        if condition in (sympy.true, sympy.false):
            return sympy.Integer(int(bool(condition)))
        # sympy 1.14 rewrites conditions on other such numbers without end.
        return sympy.Piecewise((1, condition), (0, True), evaluate=False)
    return _NUMBERS[expr.op](*map(_number, expr.args))


def _floor(left: Any, right: Any) -> Any:
    return sys.modules["sympy"].floor(left / right)


def _ceiling(left: Any, right: Any) -> Any:
    return sys.modules["sympy"].ceiling(left / right)


def _plain(name: str, left: Any, right: Any) -> Any:
    """``name`` of sympy's, computed of numbers only.

    Of symbols it is left as it is until somebody simplifies it: sympy 1.14 rewrites some remainders
    without end, and takes ``floor(1 / (p * q)) >= 1`` for true.
    """
    function: Any = getattr(sys.modules["sympy"], name)
    return function(left, right, evaluate=bool(left.is_number and right.is_number))


_NUMBERS: dict[str, Callable[..., Any]] = {
    "neg": operator.neg,
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "floordiv": _floor,
    "ceildiv": _ceiling,
    "mod": functools.partial(_plain, "Mod"),
    "min": functools.partial(_plain, "Min"),
    "max": functools.partial(_plain, "Max"),
}


def _condition(expr: IndexExpr) -> Any:
    sympy: Any = sys.modules["sympy"]
    if expr.op == "and":
        return sympy.And(*map(_condition, expr.args))
    # sympy folds a Piecewise within a condition, and may fail at that. So it is told what holds
    # where the inner condition does, and where it does not.
    inner = next((one for operand in expr.operands for one in _conditions(operand)), None)
    if inner is not None:
        where = _condition(inner)
        true, false = (_condition(replace_all(expr, {inner: const(truth)})) for truth in (1, 0))
        return sympy.Or(sympy.And(where, true), sympy.And(sympy.Not(where), false))
    if expr.op in COMPARISONS:
        return _plain(_RELATIONS[expr.op], *map(_number, expr.args))
    return sympy.Ne(_number(expr), 0)


def _conditions(expr: IndexExpr) -> Iterator[IndexExpr]:
    """The conditions of which numbers in it are made, those within others first."""
    for operand in expr.operands:
        yield from _conditions(operand)
    if expr.op in COMPARISONS or expr.op == "and":
        yield expr


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
    above, below = _fraction(value)
    if below != 1:
        if value.is_integer:
            return binary("floordiv", from_sympy(above), from_sympy(below))
        shorter = sympy.cancel(value)
        if shorter == value or _fraction(shorter)[1] != 1:
            raise _unknown(value)
        return from_sympy(shorter)
    if above != value and not all(one.is_integer for one in value.args):
        # Fractions that cancel out.
        return from_sympy(above)
    # As people write it: of a product numbers first, of a sum last, and what is subtracted there.
    if type(value).__name__ == "Mul":
        number, rest = value.as_coeff_Mul()
        if number != 1:
            return _times(number, rest)
        return product(tuple(map(from_sympy, _ordered(value.args))))
    terms = [(*term.as_coeff_Mul(), term) for term in _ordered(value.args)]
    terms.sort(key=lambda row: (bool(row[0].is_negative), bool(row[2].is_number)))
    total = _times(*terms[0][:2])
    for number, rest, _ in terms[1:]:
        total = (
            total - _times(-number, rest) if number.is_negative else total + _times(number, rest)
        )
    return total


def _fraction(value: Any) -> tuple[Any, Any]:
    """Numerator and denominator without fractions in them."""
    sympy: Any = sys.modules["sympy"]
    below: Any = 1
    for _ in range(_MAX_ROUNDS):
        # What cancels out may leave fractions of numbers.
        above, more = sympy.fraction(sympy.together(value))
        below *= more
        if above == value:
            break
        value = above
    return value, below


def _times(number: Any, rest: Any) -> IndexExpr:
    """The product, taken apart as it is: sympy would write it in another way again."""
    found = from_sympy(rest)
    return -found if number == -1 else from_sympy(number) * found


def _quotient(op: str) -> Callable[[Any], IndexExpr]:
    def convert(value: Any) -> IndexExpr:
        above, below = _fraction(value.args[0])
        return binary(op, from_sympy(above), from_sympy(below))

    return convert


def _comparison(op: str) -> Callable[[Any], IndexExpr]:
    def convert(value: Any) -> IndexExpr:
        # sympy writes 2 * n > 1 as n > 1/2.
        (left, one), (right, other) = map(_fraction, value.args)
        if not (one == other == 1 or (one * other).is_positive):
            raise _unknown(value)
        return binary(op, _scaled(left, other), _scaled(right, one))

    return convert


def _scaled(value: Any, factor: Any) -> IndexExpr:
    return from_sympy(value) * from_sympy(factor) if factor != 1 else from_sympy(value)


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
    **{name: _comparison(op) for name, op in _COMPARISONS.items()},
}
