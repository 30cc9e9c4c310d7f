"""Calls that are statements: parameters that are given plain variables name them."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Tensor
from tests.rows import running
from tests.rows.case import PADDED, SCALARS, VECTORS, Array, Case, Values

REAL = Values(special=False, step=1 / 8)
SMALL = Values(0, 9, special=(0,))
TYPES = ("fp32", "fp64", "i32")
BLOCKS = (VECTORS, PADDED)


def accumulate(x, y, total):
    total += x * y


def straight(x, y, output):
    total = x
    accumulate(x, y, total)
    accumulate(x, total=total, y=2)
    output = total


def accumulate_thrice(x, y, sums):
    for _ in ntl.static_range(3):
        accumulate(x, y, sums)


def through_nested_calls(x, y, output):
    total = x
    accumulate_thrice(x, y, total)
    output = total


def in_loops(x, y, output):
    total = x
    other = x
    for i in range(3):
        for _ in range(2):
            accumulate(x, 1, total)
        accumulate_thrice(y, i, total)
        accumulate(y, 1, other)
    output = total + other


def _in_loops(x: Array, y: Array) -> Array:
    return 2 * x + 6 * x + 9 * y + 3 * y


def step(index):
    index += 1


def while_a_call_changes_it(x, output):
    i = 0
    total = x
    while i < 5:
        accumulate(x, i, total)
        step(i)
    output = total + i


def in_branches(x, output):
    total = x * 0
    for i in range(4):
        if i % 2 == 0:
            accumulate(x, 2, total)
        else:
            step(total)
        if i > 2:
            accumulate(x, 1, total)
    output = total


def add_if(x, i, total):
    if i > 1:
        total += x
    else:
        one = 1
        accumulate(x, one, total)
        step(one)


def branches_in_the_function(x, output):
    total = x
    for i in range(4):
        add_if(x, i, total)
    output = total


def grow(total, by):
    total = total + by
    total = total + by


def one_for_two(x, output):
    """The read sees the assignment, as both are one variable."""
    total = x
    grow(total, total)
    output = total


def grow_deeper(total, by):
    total = total + 1
    grow(total, by)


def grow_by_the_read_one(total, by):
    grow(by, total)


def one_for_two_deeper(x, output):
    total = x
    grow_deeper(total, total)
    grow_by_the_read_one(total, total)
    output = total


def exchange(a, b):
    a, b = b, a


def exchanged(x, y, one, two):
    first = x
    second = y
    exchange(first, second)
    one = first
    two = second


def read_by_a_closure(x, output):
    """A nested function sees the variable by its own name, too."""
    total = x

    def twice(value):
        return value + total

    def change(value, function):
        value = value + 1
        value = function(value)
        for _ in range(2):
            value = function(value)

    change(total, twice)
    output = total


def returned(total, x):
    total = total + x
    return total


def returning(x, output):
    """A function that returns a value has Python's meaning, in a statement, too."""
    total = x
    returned(total, x)
    output = total


def in_an_expression(x, output):
    """So has a call that is no statement."""
    total = x

    def change(value):
        value = value * 2
        output_of(value)

    def output_of(value):
        return value

    nothing = change(total)
    output = total if nothing is None else x


accumulate_two = functools.partial(accumulate, y=2)


def through_a_partial(x, output):
    total = x
    accumulate_two(x, total=total)
    output = total


def with_defaults(total, x, by=3):
    by = by * 2
    total += x * by


def defaults(x, output):
    total = x
    two = 2
    with_defaults(total, x)
    with_defaults(total, x, two)
    output = total + two


def spread(total, *values):
    for i in ntl.static_range(len(values)):
        total += values[i]
    values = ()


def starred(x, output):
    total = x
    pair = (x, x)
    spread(total, x, *pair)
    output = total


def widen(value):
    value = value + 0.5
    value = value > 1


def other_type(x, output):
    """In a straight line a variable may get another type, as by an assignment."""
    flag = x
    widen(flag)
    output = ntl.where(flag, x, -x)


def to_outputs(x, one, two):
    """Outputs are stored to, whatever the variables beside them."""

    def write(target, value):
        value = value * 2
        target = value

    value = x
    write(one, value)
    write(two, value)


def halve(count, steps):
    while count > 0:
        count = count // 2
        steps += 1


def numbers_in_loops(n, result):
    steps = 0
    count = n
    for _ in range(2):
        halve(count, steps)
    result = steps + count


CASES = (
    Case("", straight, lambda x, y: x + x * y + x * 2, (REAL, REAL), TYPES, BLOCKS),
    Case("", through_nested_calls, lambda x, y: x + 3 * x * y, (REAL, REAL), TYPES, BLOCKS),
    Case("", in_loops, _in_loops, (REAL, REAL), TYPES, BLOCKS),
    Case("", while_a_call_changes_it, lambda x: 11 * x + 5, (REAL,), TYPES, BLOCKS),
    Case("", in_branches, lambda x: 5 * x + 2, (REAL,), TYPES, BLOCKS),
    Case("", branches_in_the_function, lambda x: 5 * x, (REAL,), TYPES, BLOCKS),
    Case("", one_for_two, lambda x: 4 * x, (REAL,), TYPES, BLOCKS),
    Case("", one_for_two_deeper, lambda x: 16 * x + 16, (REAL,), TYPES, BLOCKS),
    Case("", exchanged, lambda x, y: (y, x), (REAL, REAL), TYPES, BLOCKS),
    Case("", read_by_a_closure, lambda x: 8 * x + 8, (REAL,), TYPES, BLOCKS),
    Case("", returning, lambda x: x, (REAL,), TYPES, BLOCKS),
    Case("", in_an_expression, lambda x: x, (REAL,), TYPES, BLOCKS),
    Case("", through_a_partial, lambda x: 3 * x, (REAL,), TYPES, BLOCKS),
    Case("", defaults, lambda x: 11 * x + 4, (REAL,), TYPES, BLOCKS),
    Case("", starred, lambda x: 4 * x, (REAL,), TYPES, BLOCKS),
    Case("", other_type, lambda x: np.where(x + 0.5 > 1, x, -x), (REAL,), TYPES, BLOCKS),
    Case("", to_outputs, lambda x: (2 * x, 4 * x), (REAL,), TYPES, BLOCKS),
    Case("", numbers_in_loops, lambda n: np.ceil(np.log2(n + 1)), (SMALL,), ("i32",), (SCALARS,)),
)
each = running.each(CASES)


@each
def test_on_cpu(case: Case, dtype: str) -> None:
    running.run_on_cpu(case, dtype)


@pytest.mark.gpu
@each
def test_on_gpu(case: Case, dtype: str) -> None:
    running.run_on_gpu(case, dtype)


def tiles(*tensors: Any) -> tuple[Any, ...]:
    return tuple(tensor.tile((16,)) if tensor.ndim else tensor for tensor in tensors)


def test_a_number_of_the_call_is_the_callers() -> None:
    def scale(x, factor):
        factor = factor * 2

    def application(x, factor, mode, output):
        for _ in range(2):
            scale(x, factor)
        scale(x, mode)
        output = x * factor + mode

    tensors = (Tensor(1), Tensor(0), Tensor(0, constexpr=True), Tensor(1))
    kernel = ninetoothed.make(tiles, application, tensors)
    x, output = torch.arange(40.0), torch.empty(40)
    kernel(x, 3, 5, output)
    assert torch.equal(output, x * 12 + 10)
