"""Loops, branches and what is evaluated only if needed: in both interpreters; Triton takes both
texts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ninetoothed.language as ntl
from ninetoothed import Tensor
from ninetoothed.runtime.toolchain.triton import compat
from tests.rows import running
from tests.rows.case import PADDED, SCALARS, VECTORS, Array, Case, Layout, Result, Values
from tests.support import profiles
from tests.support.targets import FEW_TARGETS, TARGETS
from tests.support.ttir_stage import to_ttir

SMALL = Values(0, 9, special=(0,))
REAL = Values(special=False)
INTEGERS = ("i32", "i64")
FLOATS = ("fp32", "fp64")


def _programs(*tensors: Tensor) -> tuple[Tensor, ...]:
    """A program an element, and all of the last tensor but one."""
    *numbers, table, result = tensors
    arranged = [tensor.tile((1,)) for tensor in (*numbers, result)]
    for tensor in arranged:
        tensor.dtype = tensor.dtype.squeeze(0)
    whole = table.tile((1,)).tile((-1,)).expand(arranged[-1].shape)
    whole.dtype.dtype = whole.dtype.dtype.squeeze(0)
    return (*arranged[:-1], whole, arranged[-1])


TABLES = Layout("tables", _programs, (((37,), (16,), (37,)),))
"""Each program has a number and the same 16 elements."""
TABLED_PAIRS = Layout("tabled pairs", _programs, (((37,), (37,), (16,), (37,)),))
"""Each program has two numbers and the same 16 elements."""


def each_number(function: Callable[..., Any]) -> Callable[..., Array]:
    """The oracle of a function of Python numbers."""

    def oracle(*arrays: Array) -> Any:
        rows = [function(*row) for row in zip(*(a.tolist() for a in arrays), strict=True)]
        if rows and isinstance(rows[0], tuple):
            return tuple(np.array(column) for column in zip(*rows, strict=True))
        return np.array(rows)

    return oracle


# Loops that end when their condition does.


def collatz(n, result):
    """Each program has a count of its own."""
    steps = 0
    value = n
    while value > 1:
        if value % 2 == 0:
            value //= 2
        else:
            value = 3 * value + 1
        steps += 1
    result = steps


def _collatz(n: int) -> int:
    steps = 0
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def gcd(a, b, result):
    one = a
    two = b
    while two != 0:
        one, two = two, one % two
    result = one


def counted(n, result):
    """Python numbers take the types that the loop gives them."""
    i = 0
    total = 0
    while i < n:
        total += i * n
        i += 1
    result = total


def powers(x, result):
    """A block is carried, with one condition for all programs."""
    y = x
    i = 0
    while i < 3:
        y = y * x
        i += 1
    result = y


def halved(x, result):
    """A condition that combines lanes: those outside take no part."""
    y = ntl.abs(x)
    while ntl.max(y) > 1:
        y = y / 2
    result = ntl.sum(y)


def _halved(x: Array) -> Array:
    result = np.empty_like(x)
    for start in range(0, len(x), 48):
        y = np.abs(x[start : start + 48])
        while y.max() > 1:
            y = y / 2
        result[start : start + 48] = y.sum()
    return result


def never(x, result):
    total = x
    while False:
        total = total + x
    result = total


def nested(n, result):
    """Loops of both kinds and branches in one another."""
    total = 0
    for i in range(n):
        j = 0
        while j < i:
            if j % 2 == 0:
                for k in range(j):
                    total += k
            elif j % 3 == 0:
                last = j
                total -= last
            j += 1
        total += j
    result = total


def _nested(n: int) -> int:
    total = 0
    for i in range(n):
        j = 0
        while j < i:
            if j % 2 == 0:
                total += sum(range(j))
            elif j % 3 == 0:
                total -= j
            j += 1
        total += j
    return total


def search(n, table, result):
    """The condition reads memory: beyond the end, ``and`` does not."""
    i = 0
    while i < 16 and table[i] != n:
        i += 1
    result = i


def _search(n: Array, table: Array) -> Array:
    found = {value: index for index, value in reversed(list(enumerate(table.tolist())))}
    return np.array([found.get(value, 16) for value in n.tolist()])


def first_above(n, table, result):
    """The condition calls a function with a loop of its own."""

    def seen(i):
        total = 0
        for j in range(i):
            total += table[j]
        return total

    i = 0
    while seen(i) < n and i < 16:
        i += 1
    result = i


def _first_above(n: Array, table: Array) -> Array:
    sums = [0, *np.cumsum(table).tolist()]
    return np.array([next(i for i in range(17) if sums[i] >= m or i == 16) for m in n.tolist()])


# Branches.


def chosen(n, result):
    """Variables first assigned in all branches, and in one and not used behind."""
    if n > 6:
        name = n * 2
        spare = name
        kind = 3
    elif n > 3:
        name = n
        kind = 3
    else:
        kind = 3
        name = n - n
    result = name + kind


def ternary(a, b, result):
    """By zero nothing is divided."""
    result = a // b if b != 0 else -1


def ternary_of_types(n, result):
    """One arm is of fp32, and no arm but the chosen one runs."""
    half = ntl.cast(n, ntl.float32) / 2
    result = (n if n > 4 else half if n > 2 else 1) * 2


def read_if_needed(n, table, result):
    index = n * 4
    result = table[index] if index < 16 else 0


def written_if_needed(n, result):
    """A known right side keeps its effects."""

    def note(value):
        result.source[0 * value] = value
        return value > 0

    def write(target, value):
        target = value

    def noted(value):
        write(result, value)
        return True

    both = n > 100 and note(n)
    either = n < 100 or note(n)
    result = n + both + either
    same = n > 4 and noted(n * 10)
    always = n > 2 or noted(-n)
    result = result + same + always


def between(n, table, result):
    """The second comparison reads memory if the first holds."""
    result = 0 < n < table[n]


def first_or_second(a, b, table, result):
    """The value is an operand; the second reads memory where the first is 0."""
    result = (a or b) + 10 * (a or table[b]) + 1000 * (a and b) + (a and 0.5)


def _first_or_second(a: Array, b: Array, table: Array) -> Array:
    read = np.where(a != 0, a, table[b])
    return np.where(a, a, b) + 10 * read + 1000 * np.where(a, b, a) + np.where(a, 0.5, 0)


def written_operands(a, b, result):
    """Some are known when compiling, some are bits; a condition asks for the truth only."""
    result = (a or 5) + (a > 2 and b) + (0 or a) + (a and b and 3) + (False or b or 1)
    if (a and b) or not (a or b):
        result += 100


def _written_operands(a: int, b: int) -> int:
    written = (a or 5) + (a > 2 and b) + a + (a and b and 3) + (b or 1)
    return written + (100 if (a and b) or not (a or b) else 0)


def neither(n, result):
    result = not (n > 3 and n < 6) and not n > 8


CASES = (
    Case("", collatz, each_number(_collatz), (SMALL,), INTEGERS, (SCALARS,)),
    Case("", gcd, np.gcd, (SMALL, SMALL), INTEGERS, (SCALARS,)),
    Case("", counted, each_number(lambda n: sum(range(n)) * n), (SMALL,), INTEGERS, (SCALARS,)),
    Case("", powers, lambda x: x**4, (REAL,), (*FLOATS, "i32"), (VECTORS, PADDED), ulps=4),
    Case("", halved, _halved, (REAL,), FLOATS, (PADDED,), ulps=64),
    Case("", never, lambda x: x, (REAL,), FLOATS, (VECTORS,)),
    Case("", nested, each_number(_nested), (SMALL,), INTEGERS, (SCALARS,)),
    Case("", search, _search, (SMALL, SMALL), INTEGERS, (TABLES,)),
    Case("", first_above, _first_above, (Values(0, 99, special=(0,)), SMALL), INTEGERS, (TABLES,)),
    Case(
        *("", chosen, each_number(lambda n: (n * 2 if n > 6 else n if n > 3 else 0) + 3)),
        *((SMALL,), INTEGERS, (SCALARS,)),
    ),
    Case(
        *("", ternary, each_number(lambda a, b: a // b if b else -1), (SMALL, SMALL), INTEGERS),
        layouts=(SCALARS,),
    ),
    Case(
        *("", ternary_of_types, each_number(lambda n: 2 * (n if n > 4 else n / 2 if n > 2 else 1))),
        *((SMALL,), INTEGERS, (SCALARS,), (Result("fp32"),)),
    ),
    Case(
        *("", read_if_needed, lambda n, table: np.where(n < 4, table[n % 4 * 4], 0)),
        *((SMALL, SMALL), INTEGERS, (TABLES,)),
    ),
    Case(
        *("", written_if_needed),
        each_number(lambda n: 10 * n + 2 if n > 4 else n + 2 if n > 2 else 1 - n),
        *((SMALL,), INTEGERS, (SCALARS,)),
    ),
    Case(
        *("", between, lambda n, table: ((n > 0) & (n < table[n])).astype(int)),
        *((SMALL, SMALL), INTEGERS, (TABLES,)),
    ),
    Case(
        *("", first_or_second, _first_or_second),
        *((SMALL, SMALL, SMALL), INTEGERS, (TABLED_PAIRS,), (Result("fp64"),)),
    ),
    Case(
        *("", written_operands, each_number(_written_operands)),
        *((SMALL, SMALL), INTEGERS, (SCALARS,)),
    ),
    Case(
        *("", neither, each_number(lambda n: int(not (3 < n < 6) and n <= 8))),
        *((SMALL,), INTEGERS, (SCALARS,)),
    ),
)
each = running.each(CASES)


@each
def test_on_cpu(case: Case, dtype: str) -> None:
    for lowered in running.run_on_cpu(case, dtype):
        if not compat.available():
            continue
        for target in TARGETS if profiles.full() else FEW_TARGETS[:1]:
            for artifact in lowered.artifacts(target):
                if profiles.full():
                    compat.compile_binary(artifact)
                else:
                    to_ttir(artifact)


@pytest.mark.gpu
@each
def test_on_gpu(case: Case, dtype: str) -> None:
    running.run_on_gpu(case, dtype)
