"""Result types of every operator over every pair of element types, against Triton's own.

Where versions of Triton differ, 3.9 is followed. Bits count in arithmetic, unlike Triton's.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import pytest
from xdsl.ir import Block

from ninetoothed.dtype import DTYPES, literal
from ninetoothed.errors import TypeMismatchError
from ninetoothed.frontend import operators
from ninetoothed.frontend.calls import primitive
from ninetoothed.frontend.context import Context
from ninetoothed.frontend.values import is_ssa
from ninetoothed.ir import nt
from ninetoothed.language import rules
from ninetoothed.language.table import TABLE
from ninetoothed.runtime.toolchain.triton import compat
from tests.support import profiles
from tests.support.triton_types import OPERATORS, TritonTypes, triton_types

pytestmark = pytest.mark.skipif(not compat.available(), reason="Triton is not installed")

Operand = str | bool | int | float
Pair = tuple[Operand, Operand]

FLOATS = tuple(name for name, row in DTYPES.items() if row.kind == "float")
EIGHTS = tuple(name for name in FLOATS if DTYPES[name].bits == 8)
NUMBERS: tuple[bool | int | float, ...] = (
    *(True, 0, 1, -1, 3, 127, 128, 200, -128, -129, 255, 256, 300, 40000, 65536, -70000),
    *(2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**40, -(2**40), 2**63 - 1, 2**63, 2**64 - 1, -(2**63)),
    *(0.0, 1.5, 1e10, 1e300, -1e-320, float("inf"), float("nan")),
)
DIVISIONS = ("truediv", "floordiv", "mod")
COUNTING = ("add", "sub", "mul", *DIVISIONS, "lshift", "rshift")
"""Operators for which bits are numbers, 0 and 1, as in Python."""
_AST: dict[str, type[ast.AST]] = {
    **{"add": ast.Add, "sub": ast.Sub, "mul": ast.Mult, "truediv": ast.Div, "mod": ast.Mod},
    **{"floordiv": ast.FloorDiv, "and": ast.BitAnd, "or": ast.BitOr, "xor": ast.BitXor},
    **{"lshift": ast.LShift, "rshift": ast.RShift, "lt": ast.Lt, "le": ast.LtE, "gt": ast.Gt},
    **{"ge": ast.GtE, "eq": ast.Eq, "ne": ast.NotEq},
}
_ENTRIES: dict[type[ast.AST], operators.Operator] = {
    **operators.BINARY,
    **operators.COMPARE,
    **operators.UNARY,
}


def old() -> bool:
    """True if this Triton's rules are not those of 3.9."""
    major, minor = compat.version().split(".")[:2]
    return (int(major), int(minor)) < (3, 9)


def changed(name: str, operands: tuple[Operand, ...]) -> bool:
    """True if Triton before 3.9 had another rule."""
    types = [operand for operand in operands if isinstance(operand, str)]
    number = len(types) < len(operands)
    if number and (name in ("lt", "le", "gt", "ge", "eq", "ne") or set(types) & set(EIGHTS)):
        return True
    if name in ("truediv", "mod"):
        return bool(set(types) & set(EIGHTS))
    return name in ("maximum", "minimum") and (number or "bf16" in types)


def counted(name: str, operands: Pair, expected: str | None) -> str | None:
    """The expected type, where Triton computes with bits as one bit, or not at all: they count."""
    if "i1" not in operands or name not in COUNTING:
        return expected
    if expected == "i1":
        return "i32"
    left, right = operands
    other = right if left == "i1" else left
    dtype = other if isinstance(other, str) else literal(other)
    if expected is None and name in DIVISIONS and DTYPES[dtype].kind == "int":
        return "fp32" if name == "truediv" else dtype
    return expected


def undefined(name: str, right: Operand, dtype: str | None) -> bool:
    """True if an operation in ``dtype`` is undefined for the number ``right``, and refused."""
    if dtype is None or DTYPES[dtype].kind == "float" or not isinstance(right, int):
        return False
    if name in ("floordiv", "mod"):
        return right == 0
    return name in ("lshift", "rshift") and not 0 <= right < DTYPES[dtype].bits


class Frontend:
    """The frontend on values of every element type, blocks and scalars."""

    def __init__(self) -> None:
        self.ctx = Context(32)
        scalars = [nt.scalar_type(name) for name in DTYPES]
        blocks = [nt.block_type((16,), scalar) for scalar in scalars]
        self._values = Block(arg_types=[*scalars, *blocks]).args

    def value(self, operand: Operand, form: str) -> Any:
        """A value of an element type; a number as it is."""
        if not isinstance(operand, str):
            return operand
        index = list(DTYPES).index(operand)
        return self._values[index if form == "scalar" else index + len(DTYPES)]

    def of(self, build: Callable[[], Any]) -> str | None:
        """The element type of what is built; None where the frontend refuses."""
        try:
            value = build()
        except TypeMismatchError:
            return None
        assert is_ssa(value)
        return nt.dtype_of(value.type)

    def operator(self, name: str, *operands: Any) -> str | None:
        """The element type of operands joined by one of Python's operators."""
        entry = _ENTRIES[_AST[name]]
        return self.of(lambda: operators.apply(self.ctx, entry, *operands))

    def function(self, name: str, *arguments: Any, **options: Any) -> str | None:
        """The element type of what a function of the language gives."""
        return self.of(lambda: primitive(self.ctx, TABLE[name], list(arguments), options))


def pairs() -> Iterator[Pair]:
    """Two element types, or one and a number, in both orders."""
    yield from product(DTYPES, DTYPES)
    yield from product(DTYPES, NUMBERS)
    yield from product(NUMBERS, DTYPES)


Types = Callable[..., str | None]


def differences(
    name: str, ours: Types, theirs: Types, forms: tuple[tuple[str, str], ...]
) -> list[tuple[Any, ...]]:
    """Types that the frontend and Triton promote differently."""
    frontend, triton = Frontend(), triton_types()
    found: list[tuple[Any, ...]] = []
    for (left, right), (one, two) in product(pairs(), forms):
        number = not (isinstance(left, str) and isinstance(right, str))
        # What meets a number may as well be a scalar.
        if number and "scalar" in (one, two) and not profiles.full():
            continue
        if old() and changed(name, (left, right)):
            continue
        mine = ours(frontend, frontend.value(left, one), frontend.value(right, two))
        values = [
            triton.value(operand, form) if isinstance(operand, str) else operand
            for operand, form in ((left, one), (right, two))
        ]
        expected = counted(name, (left, right), theirs(triton, *values))
        if undefined(name, right, expected):
            expected = None
        if mine != expected:
            found.append((left, one, right, two, mine, expected))
    return found


FORMS = (("block", "block"), ("scalar", "block"), ("scalar", "scalar"))


@pytest.mark.parametrize("name", OPERATORS)
def test_operators(name: str) -> None:
    def ours(frontend: Frontend, left: Any, right: Any) -> str | None:
        return frontend.operator(name, left, right)

    def theirs(triton: TritonTypes, left: Any, right: Any) -> str | None:
        return triton.operator(name, left, right)

    assert not differences(name, ours, theirs, FORMS)


@pytest.mark.parametrize("name", ["maximum", "minimum"])
def test_functions(name: str) -> None:
    def ours(frontend: Frontend, left: Any, right: Any) -> str | None:
        return frontend.function(name, left, right)

    def theirs(triton: TritonTypes, left: Any, right: Any) -> str | None:
        return triton.function(name, left, right)

    assert not differences(name, ours, theirs, FORMS[:1])


def test_choices() -> None:
    def ours(frontend: Frontend, left: Any, right: Any) -> str | None:
        return frontend.function("where", frontend.value("i1", "block"), left, right)

    def theirs(triton: TritonTypes, left: Any, right: Any) -> str | None:
        return triton.function("where", triton.value("i1"), left, right)

    assert not differences("where", ours, theirs, FORMS[:2])


@pytest.mark.parametrize("name", ["fma", "clamp"])
def test_functions_of_three(name: str) -> None:
    if old():
        pytest.skip("Triton 3.9 joins three operands in another way")
    frontend, triton = Frontend(), triton_types()
    wide = [name for name in FLOATS if name not in EIGHTS]
    operands: tuple[Operand, ...] = (*wide, 1, 1.5, 1e300)
    for three in product(operands, repeat=3):
        types = [operand for operand in three if isinstance(operand, str)]
        if not types:
            continue
        mine = frontend.function(name, *(frontend.value(operand, "block") for operand in three))
        values = [triton.value(item) if isinstance(item, str) else item for item in three]
        assert mine == triton.function(name, *values), three


@pytest.mark.parametrize("name", ["neg", "invert"])
@pytest.mark.parametrize("form", ["block", "scalar"])
def test_unary_operators(name: str, form: str) -> None:
    frontend, triton = Frontend(), triton_types()
    entry = operators.UNARY[ast.USub if name == "neg" else ast.Invert]
    for dtype in DTYPES:
        value = frontend.value(dtype, form)
        mine = frontend.of(functools.partial(operators.apply, frontend.ctx, entry, value))
        expected = triton.method(name, triton.value(dtype, form))
        if name == "neg" and dtype == "i1":
            expected = "i32"
        assert mine == expected, dtype


@pytest.mark.parametrize("rounding", [None, "rtne", "rtz"])
def test_casts(rounding: str | None) -> None:
    frontend, triton = Frontend(), triton_types()
    for source, target in product(DTYPES, DTYPES):
        mine = frontend.function(
            "cast", frontend.value(source, "block"), target, fp_downcast_rounding=rounding
        )
        expected = triton.function(
            "cast", triton.value(source), triton.dtype(target), fp_downcast_rounding=rounding
        )
        if rounding == "rtz" and expected and source != target and mine is None:
            # Triton has a type for them, and no code.
            assert source == "fp64" or target not in ("fp16", "bf16", "fp8e5")
            continue
        assert mine == expected, (source, target)


def test_bitcasts() -> None:
    frontend, triton = Frontend(), triton_types()
    for source, target in product(DTYPES, DTYPES):
        mine = frontend.function("cast", frontend.value(source, "block"), target, bitcast=True)
        value, dtype = triton.value(source), triton.dtype(target)
        assert mine == triton.function("cast", value, dtype, bitcast=True), (source, target)


def dots() -> Iterator[tuple[str, str, str | None, str | None]]:
    """Element types of operands, the accumulator and ``out_dtype``."""
    outs = (None, "fp16", "bf16", "fp32", "fp64", "i32")
    yield from product(DTYPES, DTYPES, (None, *DTYPES), outs)


def test_dots() -> None:
    triton = triton_types()
    for left, right, acc, out in dots():
        if old() and acc is not None and out is None:
            # There, out_dtype has a default.
            continue
        try:
            mine = rules.dot_type(left, right, acc, out)
        except TypeError:
            mine = None
        if never(left, right, acc, out):
            assert mine is None, (left, right, acc, out)
            continue
        options: dict[str, Any] = {} if out is None else {"out_dtype": triton.dtype(out)}
        if acc is not None:
            options["acc"] = triton.value(acc, "acc")
        operands = triton.value(left, "left"), triton.value(right, "right")
        expected = triton.function("dot", *operands, **options)
        assert mine == expected, (left, right, acc, out)


def never(left: str, right: str, acc: str | None, out: str | None) -> bool:
    """True if Triton gives a type to a dot that it cannot build, or stops the process."""
    try:
        found = rules.dot_types(left, right)
    except TypeError:
        return False
    if acc is not None:
        return acc not in found
    return len(found) > 1 and out not in (None, "bf16", *found)
