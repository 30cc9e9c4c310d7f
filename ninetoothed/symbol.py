"""Symbols: integer names and expressions over them, for arrangements.

>>> Symbol("BLOCK_SIZE_M") * Symbol("BLOCK_SIZE_N")
BLOCK_SIZE_M * BLOCK_SIZE_N
"""

from __future__ import annotations

import ast
import functools
import itertools
import threading
from collections.abc import Callable
from numbers import Integral
from typing import Any, NoReturn
from weakref import WeakValueDictionary

from ninetoothed.dtype import flag, number
from ninetoothed.errors import SymbolError, caller_loc, shown, user_facing
from ninetoothed.symbolic.decisions import record, truth
from ninetoothed.symbolic.expr import COMPARISONS, IndexExpr, SymbolInfo, binary, const, sym
from ninetoothed.symbolic.sympy_exchange import from_sympy, is_sympy, to_sympy

_META_BOUNDS = (32, 1024)
_CONSTEXPR_BOUNDS = (1, 1 << 20)

_MOST_BITS = 128
"""Of integers in expressions: twice what sizes have, so that products of two have a text, too."""

_counter = itertools.count()
_interned: WeakValueDictionary[IndexExpr, Symbol] = WeakValueDictionary()
_interning = threading.RLock()


class Symbol:
    """A name, or an expression over names and integers. Symbols are values: frozen and hashable.

    Args:
        expr: A name (``"BLOCK_SIZE"``), an expression as text (``"2 * n"``), a symbol, an
            integer, or an integer expression of sympy's.
        constexpr: The caller gives the value by keyword. Default bounds 1 to 2^20.
        meta: The compiler chooses the value (implies ``constexpr``). Default bounds 32 to 1024.
        lower_bound: The least value, inclusive.
        upper_bound: The greatest value, inclusive.
        power_of_two: Only powers of two are chosen. Default for meta symbols: True.

    Raises:
        SymbolError: the text is no expression, the options contradict one another, or options are
            given for something that is not a plain name.

    ``+ - * // %``, unary minus, comparisons, ``&``, :meth:`minimum` and :meth:`maximum` give
    expressions, which keep their structure; text is parsed as it is printed, with ``and`` for
    ``&``, ``min(a, b)`` and ``max(a, b)``.
    The truth of a comparison is the answer that the symbols' bounds prove; where they prove none,
    asking is an error.

    ``sympy.sympify(symbol)`` is the expression in sympy, where sizes are integers of at least 0.
    What sympy makes of it is taken wherever a symbol is, and its names are the same symbols.

    Example:
        >>> n = Symbol("n")
        >>> (n + 15) // 16 * 16
        (n + 15) // 16 * 16
    """

    __slots__ = ("__weakref__", "expr")
    # NumPy's integers defer operators to symbols.
    __array_ufunc__ = None

    expr: IndexExpr

    @user_facing
    def __new__(
        cls,
        expr: Symbol | IndexExpr | int | str,
        constexpr: bool | None = None,
        meta: bool | None = None,
        lower_bound: int | None = None,
        upper_bound: int | None = None,
        power_of_two: bool | None = None,
    ) -> Symbol:
        node = _parse(expr)
        options = (constexpr, meta, lower_bound, upper_bound, power_of_two)
        if any(option is not None for option in options):
            if node.op != "sym":
                raise SymbolError(
                    f"{node} is no plain name, so it takes no options; give them to the names in "
                    "it",
                    caller_loc(),
                )
            info = _declare(node.args[0], constexpr, meta, lower_bound, upper_bound, power_of_two)
            node = sym(node.args[0], info)
        return _intern(node)

    def __repr__(self) -> str:
        return str(self.expr)

    def __hash__(self) -> int:
        return hash(self.expr)

    def __reduce__(self) -> tuple[Callable[[IndexExpr], Symbol], tuple[IndexExpr]]:
        return _intern, (self.expr,)

    def __copy__(self) -> Symbol:
        return self

    def __deepcopy__(self, memo: object) -> Symbol:
        return self

    def _sympy_(self) -> Any:
        """The expression in sympy, which ``sympy.sympify`` asks for."""
        return to_sympy(self.expr)

    @user_facing
    def __bool__(self) -> bool:
        answer = truth(self.expr)
        if answer is not None:
            record(self.expr, answer, caller_loc)
            return answer
        op = self.expr.op
        question = "holds" if op in (*COMPARISONS, "and") else "is 0"
        raise SymbolError(
            f"whether {self} {question} depends on values that are not known when compiling; "
            "give its symbols bounds (lower_bound, upper_bound) that decide it, or write it "
            "without `if`",
            caller_loc(),
        )

    @user_facing
    def __index__(self) -> int:
        raise SymbolError(
            f"{self} is a symbol, whose value is not known here; compute with the symbol itself, "
            "or give it a number instead",
            caller_loc(),
        )

    @user_facing
    def _binary(self, op: str, other: object, reflected: bool = False) -> Symbol | int:
        if not isinstance(other, Symbol | Integral):
            other = number(other)
        if isinstance(other, float) and op not in ("eq", "ne"):
            raise SymbolError(
                f"{self} is an integer, and {other} is not; symbols take integers and symbols",
                caller_loc(),
            )
        right = as_integer(other)
        if right is None:
            return NotImplemented
        try:
            result = binary(op, right, self.expr) if reflected else binary(op, self.expr, right)
        except ZeroDivisionError as error:
            raise SymbolError(f"{error}; a divisor must be at least 1", caller_loc()) from None
        return as_value(result)

    @user_facing
    def _extremum(self, op: str, other: object) -> Symbol | int:
        found = self._binary(op, other)
        if found is NotImplemented:
            raise SymbolError(
                f"{self} is an integer, and {shown(other)} is not; symbols take integers and "
                "symbols",
                caller_loc(),
            )
        return found

    def minimum(self, other: object) -> Symbol | int:
        """Minimum of the two, as an expression; Python's ``min`` must know it now."""
        return self._extremum("min", other)

    def maximum(self, other: object) -> Symbol | int:
        """Maximum of the two, as an expression; Python's ``max`` must know it now."""
        return self._extremum("max", other)

    def __add__(self, other: object) -> Symbol | int:
        return self._binary("add", other)

    def __radd__(self, other: object) -> Symbol | int:
        return self._binary("add", other, reflected=True)

    def __sub__(self, other: object) -> Symbol | int:
        return self._binary("sub", other)

    def __rsub__(self, other: object) -> Symbol | int:
        return self._binary("sub", other, reflected=True)

    def __mul__(self, other: object) -> Symbol | int:
        return self._binary("mul", other)

    def __rmul__(self, other: object) -> Symbol | int:
        return self._binary("mul", other, reflected=True)

    def __floordiv__(self, other: object) -> Symbol | int:
        return self._binary("floordiv", other)

    def __rfloordiv__(self, other: object) -> Symbol | int:
        return self._binary("floordiv", other, reflected=True)

    @user_facing
    def __truediv__(self, other: object) -> NoReturn:
        raise SymbolError(f"symbols are integers; write {self} // {other}", caller_loc())

    @user_facing
    def __rtruediv__(self, other: object) -> NoReturn:
        raise SymbolError(f"symbols are integers; write {other} // {self}", caller_loc())

    @user_facing
    def __pow__(self, other: object) -> NoReturn:
        raise SymbolError(
            f"symbols have no power; write {self} * {self}, once a factor", caller_loc()
        )

    def __mod__(self, other: object) -> Symbol | int:
        return self._binary("mod", other)

    def __rmod__(self, other: object) -> Symbol | int:
        return self._binary("mod", other, reflected=True)

    def __neg__(self) -> Symbol | int:
        return as_value(-self.expr)

    def __and__(self, other: object) -> Symbol | int:
        return self._binary("and", other)

    def __rand__(self, other: object) -> Symbol | int:
        return self._binary("and", other, reflected=True)

    def __lt__(self, other: object) -> Symbol | int:
        return self._binary("lt", other)

    def __le__(self, other: object) -> Symbol | int:
        return self._binary("le", other)

    def __gt__(self, other: object) -> Symbol | int:
        return self._binary("gt", other)

    def __ge__(self, other: object) -> Symbol | int:
        return self._binary("ge", other)

    def __eq__(self, other: object) -> Symbol | int:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self._binary("eq", other)

    def __ne__(self, other: object) -> Symbol | int:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self._binary("ne", other)


def as_integer(value: object) -> IndexExpr | None:
    """The expression of an integer, a symbol, or one of sympy's; None for anything else.

    Raises:
        SymbolError: it is an expression of sympy's that is no integer.
    """
    if isinstance(value, Symbol):
        return value.expr
    value = value if isinstance(value, Integral) else number(value)
    if isinstance(value, Integral):
        return const(_require_few_bits(int(value)))
    if not is_sympy(value):
        return None
    try:
        return from_sympy(value)
    except (ValueError, ZeroDivisionError) as error:
        raise SymbolError(str(error), caller_loc()) from None


def _require_few_bits(value: int) -> int:
    """``value``, if it may be a size or a part of one.

    Raises:
        SymbolError: it has more bits than any number that is computed with.
    """
    if value.bit_length() > _MOST_BITS:
        raise SymbolError(
            f"an integer of {value.bit_length()} bits is no size; give a smaller one", caller_loc()
        )
    return value


def _intern(expr: IndexExpr) -> Symbol:
    # Another thread may intern the same expression meanwhile.
    with _interning:
        found = _interned.get(expr)
        if found is None:
            found = object.__new__(Symbol)
            found.expr = expr
            _interned[expr] = found
        return found


def as_value(expr: IndexExpr) -> Symbol | int:
    """The user's view of ``expr``: an int if it is a number, else a symbol."""
    return _intern(expr) if expr.value is None else expr.value


@user_facing
def block_size(lower_bound: int | None = None, upper_bound: int | None = None) -> Symbol:
    """Create a fresh meta symbol: a block size that the compiler chooses, a power of two.

    Args:
        lower_bound: The least value, inclusive; default 32.
        upper_bound: The greatest value, inclusive; default 1024.

    Raises:
        SymbolError: the bounds are none.

    Example:
        >>> Tensor(1).tile((block_size(lower_bound=64),)).ndim
        1
    """
    name = f"ninetoothed_block_size_{next(_counter)}"
    info = _declare(name, None, True, lower_bound, upper_bound, None, anonymous=True)
    return _intern(sym(name, info))


def _declare(
    name: str,
    constexpr: bool | None,
    meta: bool | None,
    lower: int | None,
    upper: int | None,
    power_of_two: bool | None,
    anonymous: bool = False,
) -> SymbolInfo:
    constexpr, meta = _flag(name, "constexpr", constexpr), _flag(name, "meta", meta)
    power_of_two = _flag(name, "power_of_two", power_of_two)
    if meta and constexpr is False:
        raise SymbolError(f"{name}: meta=True implies constexpr; leave constexpr out", caller_loc())
    kind = "meta" if meta else "constexpr" if constexpr else "plain"
    lower, upper = number(lower), number(upper)
    for option, bound in (("lower_bound", lower), ("upper_bound", upper)):
        if bound is not None and type(bound) is not int:
            raise SymbolError(
                f"{name}: {option} must be an integer, not {shown(bound)}", caller_loc()
            )
        if bound is not None:
            _require_few_bits(bound)
    # Calls may exceed bounds of symbols that they give, and are warned where the user gave them.
    given = not meta and lower is not None, not meta and upper is not None
    defaults = {"meta": _META_BOUNDS, "constexpr": _CONSTEXPR_BOUNDS}.get(kind, (None, None))
    if lower is None:
        lower = defaults[0] if upper is None or defaults[0] is None else min(defaults[0], upper)
    if upper is None:
        upper = defaults[1] if lower is None or defaults[1] is None else max(defaults[1], lower)
    if lower is not None and upper is not None and lower > upper:
        raise SymbolError(
            f"{name}: lower_bound={lower} is above upper_bound={upper}; swap them", caller_loc()
        )
    if power_of_two is None:
        power_of_two = kind == "meta"
    if kind == "meta" and lower is not None and upper is not None:
        if lower < 1:
            raise SymbolError(
                f"{name}: lower_bound={lower}, but a block has at least 1 element", caller_loc()
            )
        if power_of_two and 1 << (lower - 1).bit_length() > upper:
            raise SymbolError(
                f"{name}: no power of two lies between {lower} and {upper}; widen the bounds, or "
                "write power_of_two=False",
                caller_loc(),
            )
    return SymbolInfo(kind, lower, upper, power_of_two, anonymous, given)


def _flag(name: str, option: str, value: object) -> bool | None:
    try:
        return flag(value)
    except TypeError:
        raise SymbolError(
            f"{name}: {option} must be True or False, not {shown(value)}", caller_loc()
        ) from None


_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.BitAnd: "and",
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
    ast.Eq: "eq",
    ast.NotEq: "ne",
}


def _parse(value: object) -> IndexExpr:
    value = number(value)
    if isinstance(value, Symbol):
        return value.expr
    if isinstance(value, IndexExpr):
        return value
    if isinstance(value, str):
        try:
            return _from_ast(ast.parse(value.strip(), mode="eval").body)
        except (SyntaxError, ValueError, ZeroDivisionError, RecursionError, MemoryError):
            # The last two: it is nested too deeply for Python to read.
            pass
    elif isinstance(value, int) or is_sympy(value):
        found = as_integer(value)
        if found is not None:
            return found
    raise SymbolError(
        f"{shown(value)} is no symbol; write a name, or an expression of names, integers, "
        "+ - * // %, comparisons, &, min and max",
        caller_loc(),
    )


def _from_ast(node: ast.expr) -> IndexExpr:
    if isinstance(node, ast.Name):
        return sym(node.id)
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return const(_require_few_bits(node.value))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_from_ast(node.operand)
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return binary(_OPERATORS[type(node.op)], _from_ast(node.left), _from_ast(node.right))
    if isinstance(node, ast.Compare):
        operands = [_from_ast(operand) for operand in (node.left, *node.comparators)]
        if not all(type(op) in _OPERATORS for op in node.ops):
            raise ValueError
        found = [
            binary(_OPERATORS[type(op)], left, right)
            for op, left, right in zip(node.ops, operands[:-1], operands[1:], strict=True)
        ]
        return functools.reduce(functools.partial(binary, "and"), found)
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
        return functools.reduce(functools.partial(binary, "and"), map(_from_ast, node.values))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        name = node.func.id
        if name in ("min", "max") and len(node.args) == 2 and not node.keywords:
            return binary(name, _from_ast(node.args[0]), _from_ast(node.args[1]))
    raise ValueError
