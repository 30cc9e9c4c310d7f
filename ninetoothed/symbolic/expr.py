"""Symbolic integer expressions: sizes, strides, indices and offsets.

An :class:`IndexExpr` is frozen and keeps its *structure*: ``str(expr)`` prints what was written,
and only ``x+0 0+x x-0 x*1 1*x x//1`` are folded. :func:`normalize` gives the *normal form*, a sum
of products of atoms (symbols, quotients, remainders, minima, …), which IR types hold and compare;
it lives, with the prover (:func:`always_nonnegative`, :func:`always_less`), in ``normal_form``.

``//`` and ``%`` are Python's: they round towards minus infinity. A symbolic divisor is taken to be
positive; sizes of blocks and strides of tilings, the only divisors that arrangements make, are.
"""

from __future__ import annotations

import operator
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from weakref import WeakValueDictionary


@dataclass(frozen=True)
class SymbolInfo:
    """Declaration of a symbol: its kind and bounds.

    ``kind``: ``"meta"`` (the compiler chooses), ``"constexpr"`` (the caller gives it by keyword),
    ``"size"`` and ``"stride"`` (a tensor's), ``"plain"``. Bounds are inclusive; None is no bound.
    ``anonymous``: the name was made up by ``block_size()`` and reaches nothing that is generated.
    ``given``: of the lower and the upper bound, whether the user gave it; of ``"meta"`` symbols,
    whose values no call gives, neither.
    """

    kind: str
    lower: int | None = None
    upper: int | None = None
    power_of_two: bool = False
    anonymous: bool = False
    given: tuple[bool, bool] = (False, False)


COMPARISONS: dict[str, str] = {"lt": "<", "le": "<=", "eq": "==", "ne": "!=", "gt": ">", "ge": ">="}
INFIX: dict[str, tuple[str, str, int]] = {
    "and": ("and", "and", 0),
    **{op: (text, op, 1) for op, text in COMPARISONS.items()},
    "add": ("+", "+", 2),
    "sub": ("-", "-", 2),
    "mul": ("*", "*", 3),
    "floordiv": ("//", "floordiv", 3),
    "mod": ("%", "mod", 3),
    "ceildiv": ("ceildiv", "ceildiv", 3),
}
"""Of each infix operator, Python's spelling, the IR's spelling, and how tightly it binds."""
_JAVASCRIPT = {"eq": "===", "ne": "!=="}
"""The infix operators that JavaScript spells otherwise than Python."""
_UNARY_PRECEDENCE = 4
_ATOM_PRECEDENCE = 5

_interned: defaultdict[str, WeakValueDictionary[tuple[Any, ...], IndexExpr]]
_interned = defaultdict(WeakValueDictionary)
"""The expressions of each ``op`` by their ``args``."""
_interning = threading.RLock()


class IndexExpr:
    """A frozen integer expression; build it with :func:`const`, :func:`sym` and operators.

    Equal expressions are identical, so they compare and hash as fast as any object.
    ``op`` is ``"const"``, ``"sym"``, ``"neg"``, ``"min"``, ``"max"`` or an infix operator's name;
    ``args`` holds the operands: an int for a constant; the name and its :class:`SymbolInfo` (or
    None) for a symbol.
    """

    __slots__ = (
        *("__weakref__", "_symbols", "_text", "args", "is_normal", "normal", "op"),
        "polynomial",
    )

    op: str
    args: tuple[Any, ...]
    normal: IndexExpr | None
    """The cached normal form without assumptions; owned by ``normal_form``, as ``is_normal`` is: a
    normal form does not name itself, which would be a cycle for the garbage collector."""
    is_normal: bool
    polynomial: dict[tuple[IndexExpr, ...], int] | None
    """The cached polynomial of a sum or a product; owned by ``polynomials``."""

    def __new__(cls, op: str, *args: Any) -> IndexExpr:
        """The one expression of this structure."""
        interned = _interned[op]
        found = interned.get(args)
        if found is not None:
            return found
        with _interning:
            # Another thread may have been faster.
            found = interned.get(args)
            if found is not None:
                return found
            self = object.__new__(cls)
            self.op = op
            self.args = args
            self.normal = None
            self.is_normal = False
            self.polynomial = None
            self._text = None
            self._symbols = None
            interned[args] = self
        return self

    _text: str | None
    _symbols: tuple[IndexExpr, ...] | None

    @property
    def symbols(self) -> tuple[IndexExpr, ...]:
        """The symbols that occur in it, each once, in the order of their first occurrence."""
        if self.op == "sym":
            return (self,)
        if self._symbols is None:
            found = (symbol for operand in self.operands for symbol in operand.symbols)
            self._symbols = tuple(dict.fromkeys(found))
        return self._symbols

    def __reduce__(self) -> tuple[Any, ...]:
        return (IndexExpr, (self.op, *self.args))

    def __add__(self, other: IndexExpr | int) -> IndexExpr:
        return binary("add", self, other)

    def __radd__(self, other: int) -> IndexExpr:
        return binary("add", other, self)

    def __sub__(self, other: IndexExpr | int) -> IndexExpr:
        return binary("sub", self, other)

    def __rsub__(self, other: int) -> IndexExpr:
        return binary("sub", other, self)

    def __mul__(self, other: IndexExpr | int) -> IndexExpr:
        return binary("mul", self, other)

    def __rmul__(self, other: int) -> IndexExpr:
        return binary("mul", other, self)

    def __floordiv__(self, other: IndexExpr | int) -> IndexExpr:
        return binary("floordiv", self, other)

    def __mod__(self, other: IndexExpr | int) -> IndexExpr:
        return binary("mod", self, other)

    def __neg__(self) -> IndexExpr:
        return const(-self.args[0]) if self.op == "const" else IndexExpr("neg", self)

    @property
    def value(self) -> int | None:
        """The number, if the expression is a constant."""
        return self.args[0] if self.op == "const" else None

    @property
    def operands(self) -> tuple[IndexExpr, ...]:
        """The operands that are expressions."""
        return () if self.op in ("const", "sym") else self.args

    def __str__(self) -> str:
        """Python's spelling, as users see it."""
        if self._text is None:
            self._text = _print(self, 0, python=True)
        return self._text

    def __repr__(self) -> str:
        return str(self)


def const(value: int) -> IndexExpr:
    """The constant ``value``."""
    return IndexExpr("const", int(value))


def sym(name: str, info: SymbolInfo | None = None) -> IndexExpr:
    """The symbol ``name``."""
    return IndexExpr("sym", name, info)


def as_expr(value: IndexExpr | int) -> IndexExpr:
    """``value`` as an expression."""
    return value if isinstance(value, IndexExpr) else const(value)


_FOLD: dict[str, Callable[[int, int], int]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "ceildiv": lambda left, right: -(-left // right),
    "min": min,
    "max": max,
    "and": lambda left, right: int(bool(left) and bool(right)),
    "lt": lambda left, right: int(left < right),
    "le": lambda left, right: int(left <= right),
    "eq": lambda left, right: int(left == right),
    "ne": lambda left, right: int(left != right),
    "gt": lambda left, right: int(left > right),
    "ge": lambda left, right: int(left >= right),
}
DIVISIONS = ("floordiv", "mod", "ceildiv")
"""The operations that divide by their second operand."""
# (op, neutral element, whether it may stand on the left)
_NEUTRAL: dict[str, tuple[int, bool]] = {
    "add": (0, True),
    "sub": (0, False),
    "mul": (1, True),
    "floordiv": (1, False),
    "ceildiv": (1, False),
}


def binary(op: str, left: IndexExpr | int, right: IndexExpr | int) -> IndexExpr:
    """``left op right``, folding constants and neutral elements only.

    Raises:
        ZeroDivisionError: a constant is divided by the constant 0.
    """
    left, right = as_expr(left), as_expr(right)
    if left.op == "const" and right.op == "const":
        return const(_FOLD[op](left.args[0], right.args[0]))
    if op in DIVISIONS and right.op == "const" and right.args[0] == 0:
        raise ZeroDivisionError(f"{left} is divided by zero")
    neutral = _NEUTRAL.get(op)
    if neutral is not None:
        number, on_left = neutral
        if right.op == "const" and right.args[0] == number:
            return left
        if on_left and left.op == "const" and left.args[0] == number:
            return right
    return IndexExpr(op, left, right)


def minimum(left: IndexExpr | int, right: IndexExpr | int) -> IndexExpr:
    """The smaller of the two."""
    return binary("min", left, right)


def maximum(left: IndexExpr | int, right: IndexExpr | int) -> IndexExpr:
    """The larger of the two."""
    return binary("max", left, right)


def product(values: tuple[IndexExpr, ...]) -> IndexExpr:
    """The product of ``values``; 1 of none."""
    result = const(1)
    for value in values:
        result = result * value
    return result


def _print(expr: IndexExpr, context: int, python: bool) -> str:
    """``expr`` with parentheses where it binds less tightly than ``context`` asks for."""
    op = expr.op
    if op == "const":
        value: int = expr.args[0]
        text, precedence = str(value), _ATOM_PRECEDENCE if value >= 0 else _UNARY_PRECEDENCE
    elif op == "sym":
        text, precedence = str(expr.args[0]), _ATOM_PRECEDENCE
    elif op in ("min", "max"):
        operands = ", ".join(_print(operand, 0, python) for operand in expr.args)
        text, precedence = f"{op}({operands})", _ATOM_PRECEDENCE
    elif op == "neg":
        text, precedence = "-" + _print(expr.args[0], _UNARY_PRECEDENCE, python), _UNARY_PRECEDENCE
    elif op == "ceildiv" and python:
        left, right = expr.args
        text = f"-(-{_print(left, _UNARY_PRECEDENCE, python)} // {_print(right, 4, python)})"
        precedence = _UNARY_PRECEDENCE
    else:
        spelling = INFIX[op]
        precedence = spelling[2]
        # Operators associate to the left, so an equal precedence on the right needs parentheses; of
        # comparisons Python makes a chain, so there it needs them on the left too.
        left = _print(expr.args[0], precedence + (op in COMPARISONS), python)
        right = _print(expr.args[1], precedence + 1, python)
        text = f"{left} {spelling[0] if python else spelling[1]} {right}"
    return f"({text})" if precedence < context else text


def ir_text(expr: IndexExpr) -> str:
    """``expr`` as the IR prints it: ``floordiv``, ``ceildiv`` and ``mod`` are words."""
    return _print(expr, 0, python=False)


def python_text(expr: IndexExpr) -> str:
    """``expr`` as Python source over its symbols' names, in parentheses where it is compound."""
    return _print(_with_truths(expr), _ATOM_PRECEDENCE, python=True)


def javascript_text(expr: IndexExpr, scope: str) -> str:
    """``expr`` as JavaScript source over the properties of the object ``scope`` that its symbols
    name, in parentheses where it is compound.

    Quotients are calls of ``floordiv``, ``mod`` and ``ceildiv`` (``arithmetic.js``), which round as
    Python does. All are Numbers: exact while every intermediate result is below 2**53 in magnitude,
    which sizes and indices of tensors that fit into memory are. A truth is 0 or 1.
    """
    return _print_javascript(_with_truths(expr), _ATOM_PRECEDENCE, scope)


def _print_javascript(expr: IndexExpr, context: int, scope: str) -> str:
    """:func:`_print`, but in JavaScript: a symbol is a property, so that it may have any name."""
    op = expr.op
    if op == "const":
        value: int = expr.args[0]
        text, precedence = str(value), _ATOM_PRECEDENCE if value >= 0 else _UNARY_PRECEDENCE
    elif op == "sym":
        text, precedence = f"{scope}.{expr.args[0]}", _ATOM_PRECEDENCE
    elif op == "neg":
        # Two signs in a row are another operator.
        operand = _print_javascript(expr.args[0], _ATOM_PRECEDENCE, scope)
        text, precedence = f"-{operand}", _UNARY_PRECEDENCE
    elif op in ("min", "max", *DIVISIONS):
        operands = ", ".join(_print_javascript(operand, 0, scope) for operand in expr.args)
        function = f"Math.{op}" if op in ("min", "max") else op
        text, precedence = f"{function}({operands})", _ATOM_PRECEDENCE
    elif op in (*COMPARISONS, "and"):
        spelling = "&&" if op == "and" else _JAVASCRIPT.get(op, INFIX[op][0])
        left, right = (_print_javascript(operand, INFIX[op][2] + 1, scope) for operand in expr.args)
        text, precedence = f"Number({left} {spelling} {right})", _ATOM_PRECEDENCE
    else:
        spelling, _, precedence = INFIX[op]
        left = _print_javascript(expr.args[0], precedence, scope)
        right = _print_javascript(expr.args[1], precedence + 1, scope)
        text = f"{left} {spelling} {right}"
    return f"({text})" if precedence < context else text


def _with_truths(expr: IndexExpr) -> IndexExpr:
    """``expr`` with comparisons as operands of ``and``, which in Python returns an operand."""
    operands = [_with_truths(operand) for operand in expr.operands]
    if expr.op == "and":
        operands = [
            one if one.op in (*COMPARISONS, "and") else binary("ne", one, 0) for one in operands
        ]
    if operands == list(expr.operands):
        return expr
    return -operands[0] if expr.op == "neg" else binary(expr.op, *operands)


def substitute(expr: IndexExpr, values: Mapping[str, IndexExpr | int]) -> IndexExpr:
    """``expr`` with symbols replaced by name, all at once.

    A quotient or a remainder whose divisor becomes 0 becomes 0: such a divisor is the size of an
    empty tensor, which has no element to be found.
    """
    return substitution(values)(expr)


def substitution(
    values: Mapping[str, IndexExpr | int],
) -> Callable[[IndexExpr], IndexExpr]:
    """:func:`substitute` for many expressions, which share what is found on the way."""
    memo: dict[IndexExpr, IndexExpr] = {}
    return lambda expr: _substituted(expr, values, memo) if values else expr


def _substituted(
    expr: IndexExpr,
    values: Mapping[str, IndexExpr | int],
    memo: dict[IndexExpr, IndexExpr],
) -> IndexExpr:
    if expr.op == "const":
        return expr
    if expr.op == "sym":
        found = values.get(expr.args[0])
        return expr if found is None else as_expr(found)
    known = memo.get(expr)
    if known is None:
        operands = [_substituted(operand, values, memo) for operand in expr.args]
        if expr.op in DIVISIONS and operands[1].value == 0:
            known = const(0)
        else:
            known = -operands[0] if expr.op == "neg" else binary(expr.op, *operands)
        memo[expr] = known
    return known


def replace_all(expr: IndexExpr, values: Mapping[IndexExpr, IndexExpr]) -> IndexExpr:
    """``expr`` with whole subexpressions replaced."""
    found = values.get(expr)
    if found is not None or not values or not expr.operands:
        return expr if found is None else found
    operands = [replace_all(operand, values) for operand in expr.operands]
    if expr.op in DIVISIONS and operands[1].value == 0:
        # Normal forms have quotients by the size of a tensor that is proved empty.
        return IndexExpr(expr.op, *operands)
    return -operands[0] if expr.op == "neg" else binary(expr.op, *operands)


def factors(expr: IndexExpr) -> tuple[IndexExpr, ...]:
    """The factors of a product; of anything else, itself."""
    if expr.op == "mul":
        return (*factors(expr.args[0]), *factors(expr.args[1]))
    return (expr,)


def divisors(expr: IndexExpr) -> Iterator[IndexExpr]:
    """All divisors in ``expr``, those inside of others first."""
    for operand in expr.operands:
        yield from divisors(operand)
    if expr.op in DIVISIONS:
        yield expr.args[1]


def divisions(*exprs: IndexExpr) -> set[IndexExpr]:
    """The different quotients and remainders in ``exprs``."""
    pending, seen = [*exprs], set(exprs)
    while pending:
        operands = {one for one in pending.pop().operands if one not in seen}
        pending += operands
        seen |= operands
    return {one for one in seen if one.op in DIVISIONS}


def has_extremes(expr: IndexExpr) -> bool:
    """True if a minimum or a maximum is in ``expr``."""
    return expr.op in ("min", "max") or any(map(has_extremes, expr.operands))


def symbols(*exprs: IndexExpr) -> Iterator[IndexExpr]:
    """The symbols of ``exprs``, each once, in the order of their first occurrence."""
    return iter(dict.fromkeys(symbol for expr in exprs for symbol in expr.symbols))


def fits(expr: IndexExpr, bits: int) -> bool:
    """True if signed integers of ``bits`` bits hold every constant in ``expr``."""
    if expr.value is not None:
        return -(1 << (bits - 1)) <= expr.value < 1 << (bits - 1)
    return all(fits(operand, bits) for operand in expr.operands)


def symbol_names(*exprs: IndexExpr) -> list[str]:
    """The names of the symbols of ``exprs``, each once, in the order of their first occurrence."""
    return list(dict.fromkeys(symbol.args[0] for symbol in symbols(*exprs)))


@dataclass(frozen=True)
class Arithmetic:
    """Operations of :func:`evaluate` for which arrays have no Python operator."""

    minimum: Callable[[Any, Any], Any] = min
    maximum: Callable[[Any, Any], Any] = max
    conjunction: Callable[[Any, Any], Any] = _FOLD["and"]


PYTHON = Arithmetic()


def evaluate(expr: IndexExpr, values: Mapping[str, Any], arithmetic: Arithmetic = PYTHON) -> Any:
    """The value of ``expr``; the symbols' values are ints, or arrays that broadcast together.

    Raises:
        KeyError: a symbol has no value.
        ZeroDivisionError: a division by zero.
    """
    op = expr.op
    if op == "const":
        return expr.args[0]
    if op == "sym":
        return values[expr.args[0]]
    operands = [evaluate(operand, values, arithmetic) for operand in expr.args]
    if op == "neg":
        return -operands[0]
    left, right = operands
    if op == "min":
        return arithmetic.minimum(left, right)
    if op == "max":
        return arithmetic.maximum(left, right)
    if op == "and":
        return arithmetic.conjunction(left, right)
    if op == "ceildiv":
        return -(-left // right)
    return _EVALUATE[op](left, right)


_EVALUATE: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    **{op: getattr(operator, op) for op in COMPARISONS},
}
