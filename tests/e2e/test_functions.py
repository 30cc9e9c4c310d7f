"""Functions that an application calls, with Python's own meaning: in both interpreters; Triton
takes both texts.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Tensor
from tests.e2e import elsewhere
from tests.e2e.elsewhere import Steps, clipped
from tests.rows import running
from tests.rows.case import PADDED, SCALARS, VECTORS, Array, Case, Values

SCALE = 2
REAL = Values(special=False, step=1 / 8)
SMALL = Values(0, 9, special=(0,))
TYPES = ("fp32", "fp64", "i32")
BLOCKS = (VECTORS, PADDED)


# Functions of modules and classes.


def through_a_module(x, y, output):
    elsewhere.add_application(x, y, output)


def with_own_globals(x, output):
    output = elsewhere.scaled(x) * SCALE


def of_a_class(x, output):
    output = Steps.shifted(x) - Steps.offset


def with_keywords(x, output):
    output = clipped(high=3, value=x, low=-2) + clipped(x, -3)


def total(*values, start=0):
    for i in ntl.static_range(len(values)):
        start = start + values[i]
    return start


def spread(x, y, output):
    """A tuple becomes arguments, and arguments a tuple."""
    pair = (x, y)
    output = total(*pair, x) + total(*pair, start=1)


double_more = functools.partial(clipped, -4, high=9)
at_most_two = functools.partial(clipped, high=2)


def through_a_partial(x, output):
    output = at_most_two(x, low=-2) + double_more(-7)


def several(x):
    return x + 1, (x - 1, x * 2)


def several_values(x, one, two):
    more, [less, twice] = several(x)
    one = more
    two = less + twice


# Outputs passed on.


def write(target, value):
    target = value


def write_deeper(place, value):
    write(place, value + 1)


def outputs_passed_on(x, one, two):
    """Under another name, through levels of calls."""
    write_deeper(one, x)
    write(value=x, target=two)
    write(two, two * 2)


def increase(target):
    target += 1


def update(target):
    increase(target)
    return target


def written_before_read(x, output):
    """Python evaluates from left to right."""
    output = x
    output = output + update(output) * 10 + output


def swapped(x, y, one, two):
    one = x
    two = y
    one, two = two, one


# Constexpr decisions.


def pick(x, kind):
    if kind == "double":
        return x * 2
    elif kind is None:
        return x
    for i in ntl.static_range(8):
        if i * i >= kind:
            return x + i
    return x


def early_returns(x, output):
    output = pick(x, "double") + pick(x, None) + pick(x, 5)


# Functions inside functions.


def nested(x, output):
    scale = 2

    def scaled(value, by=scale):
        """The default is of its definition, the free name of the call."""
        return value * by + scale

    scale = 3
    output = scaled(x) + scaled(x, 1)


def closures(x, output):
    def make_adder(amount):
        def add(value):
            return value + amount

        return add

    def twice(function, value):
        return function(function(value))

    add_block = make_adder(x)
    add_two = make_adder(2)
    output = twice(add_two, twice(add_block, x))


def nested_store(x, output):
    """A nested function reads the application's blocks, and writes through a parameter."""
    total = x

    def accumulate(target, times):
        for _ in range(times):
            target += total

    output = x
    total = total * 2
    accumulate(output, 3)


def in_a_loop(x, output):
    def step(value, index):
        return value + total * index

    total = x
    result = x
    for i in range(3):
        total = total + 1
        result = step(result, i)
    output = result


def _in_a_loop(x: Array) -> Array:
    return x + sum((x + i + 1) * i for i in range(3))


def same_function_again(x, output):
    """A function that is given another one of the same place is no recursion."""

    def power(function):
        def apply(value):
            return function(value) * 2

        return apply

    def start(value):
        return value + 1

    output = power(power(start))(x)


def combined(x, output):
    def larger(a, b):
        return ntl.where(a > b, a, b)

    output = ntl.reduce(x, 0, larger)


def blocks_of(size: int) -> Any:
    def oracle(x: Array) -> Array:
        parts = [x[i : i + size] for i in range(0, len(x), size)]
        return np.concatenate([np.full_like(part, part.max()) for part in parts])

    return oracle


# Operators and statements.


def blocks(*tensors: Tensor) -> tuple[Tensor, ...]:
    return tuple(tensor.tile((4,)) for tensor in tensors)


def whole_powers(x, output):
    y = x**3
    y **= 2
    output = y + x**1 + 2**3


def choices(x, output):
    kind = "b"
    dtype = ntl.float32
    known = kind in ("a", "b") and dtype is not ntl.float16 and dtype == ntl.float32
    factor = 2 if known else None
    assert factor is not None, "known when compiling"
    assert x.shape == (64,) or x.shape == (48,)
    output = x * factor if not 1 < 2 < factor else x


def talking(x, output):
    """A body is compiled more than once, until the types of Python's numbers are settled."""
    print("sizes", x.shape[0], 2.5)
    total = 0
    for i in range(2):
        print("in the loop", x.dtype)
        total = total + ntl.sum(x) * i
    print("total", total)
    output = x


def test_print(capsys: pytest.CaptureFixture[str]) -> None:
    kernel = ninetoothed.make(blocks, talking, (Tensor(1), Tensor(1)))
    capsys.readouterr()
    kernel(torch.ones(3), torch.zeros(3))
    text = "sizes 4 2.5\nin the loop fp32\npid (0, 0, 0) idx () total: 3.000000\n"
    assert capsys.readouterr().out == text


def one_more(function):
    @functools.wraps(function)
    def wrapper(*values):
        return function(*values) + 1

    return wrapper


@one_more
def product(x, y):
    return x * y


def called_twice(function):
    @functools.wraps(function)
    def wrapper(*values):
        function(*values)
        function(*values)

    return wrapper


@called_twice
def add_to(y, value):
    y += value


def decorated(x, y):
    """The decorated function is called, not the original."""
    y = product(x, 2)
    add_to(y, x)


def doubled_first(application):
    @functools.wraps(application)
    def wrapper(x, y):
        application(2 * x, y)

    return wrapper


@doubled_first
def decorated_application(x, y):
    y = x + 1


def powers_of_two(value, count):
    for _ in range(count):
        value = value * 2
    return value


def halvings(value, count):
    while count > 0:
        value = value + count
        count = count // 2
    return value


def parameters_in_loops(x, y):
    """A name that is a parameter of the caller is the function's own variable."""
    y = powers_of_two(powers_of_two(x, 3), 2)


def numbers_in_loops(n, result):
    result = halvings(n, n) + powers_of_two(n, n)


def _numbers_in_loops(n: Array) -> Array:
    return np.array([halvings(one, one) + powers_of_two(one, one) for one in n.tolist()])


CASES = (
    Case("", decorated, lambda x: 4 * x + 1, (REAL,), TYPES, BLOCKS),
    Case("", decorated_application, lambda x: 2 * x + 1, (REAL,), TYPES, BLOCKS),
    Case("", parameters_in_loops, lambda x: 32 * x, (REAL,), TYPES, BLOCKS),
    Case("", numbers_in_loops, _numbers_in_loops, (SMALL,), ("i32", "i64"), (SCALARS,)),
    Case("", through_a_module, lambda x, y: x + 3 * y, (REAL, REAL), TYPES, BLOCKS),
    Case("", with_own_globals, lambda x: x * 6, (REAL,), TYPES, BLOCKS),
    Case("", of_a_class, lambda x: x + 5, (REAL,), TYPES, BLOCKS),
    Case(
        *("", with_keywords, lambda x: np.clip(x, -2, 3) + np.clip(x, -3, 1)),
        *((REAL,), TYPES, BLOCKS),
    ),
    Case("", spread, lambda x, y: 3 * x + 2 * y + 1, (REAL, REAL), TYPES, BLOCKS),
    Case("", through_a_partial, lambda x: np.clip(x, -2, 2) - 4, (REAL,), TYPES, BLOCKS),
    Case("", several_values, lambda x: (x + 1, 3 * x - 1), (REAL,), TYPES, BLOCKS),
    Case("", outputs_passed_on, lambda x: (x + 1, x * 2), (REAL,), TYPES, BLOCKS),
    Case("", written_before_read, lambda x: x * 12 + 11, (REAL,), TYPES, BLOCKS),
    Case("", swapped, lambda x, y: (y, x), (REAL, REAL), TYPES, BLOCKS),
    Case("", early_returns, lambda x: 4 * x + 3, (REAL,), TYPES, BLOCKS),
    Case("", nested, lambda x: 3 * x + 6, (REAL,), TYPES, BLOCKS),
    Case("", closures, lambda x: 3 * x + 4, (REAL,), TYPES, BLOCKS),
    Case("", nested_store, lambda x: 7 * x, (REAL,), TYPES, BLOCKS),
    Case("", in_a_loop, _in_a_loop, (REAL,), TYPES, BLOCKS),
    Case("", same_function_again, lambda x: 4 * x + 4, (REAL,), TYPES, BLOCKS),
    Case("", combined, blocks_of(64), (REAL,), TYPES, (VECTORS,)),
    Case("", whole_powers, lambda x: x**6 + x + 8, (SMALL,), TYPES, (SCALARS, VECTORS), ulps=4),
    Case("", choices, lambda x: x * 2, (REAL,), TYPES, BLOCKS),
)
each = running.each(CASES)


@each
def test_on_cpu(case: Case, dtype: str) -> None:
    running.run_on_cpu(case, dtype)


@pytest.mark.gpu
@each
def test_on_gpu(case: Case, dtype: str) -> None:
    running.run_on_gpu(case, dtype)
