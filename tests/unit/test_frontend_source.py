"""What is read off a function's tree: which assignments nobody reads, and whether it returns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ninetoothed.frontend.source import function_source

Function = Callable[..., Any]


def written(a: Any, b: Any) -> None:
    a = b  # pyright: ignore[reportUnusedVariable]


def written_in_place(a: Any, b: Any) -> None:
    a += b


def fed_to_itself(a: Any, b: Any) -> None:
    b = a
    a = a + b
    a = a * 2


def fed_to_itself_in_a_loop(a: Any) -> None:
    for _ in range(4):
        a = a * 2


def returned(a: Any) -> Any:
    a = a * 2
    return a


def read_before(a: Any, b: Any) -> Any:
    c = a + b
    a = b
    return c


def read_in_the_next_turn(a: Any, b: Any) -> None:
    while b:
        b = a
        a = b * 2


def read_by_a_function(a: Any) -> Any:
    def inner() -> Any:
        return a

    a = 2
    return inner()


def read_with_another_target(a: Any, b: Any) -> Any:
    a = 2
    b, a = a, b
    return b


def returned_nothing(a: Any) -> None:
    if a:
        return
    return None


def returned_by_a_function_inside(a: Any) -> None:
    def inner() -> Any:  # pyright: ignore[reportUnusedFunction]
        return a


@pytest.mark.parametrize(
    ("function", "names"),
    [
        (written, {"a"}),
        (written_in_place, {"a"}),
        (fed_to_itself, {"a"}),
        (fed_to_itself_in_a_loop, {"a", "_"}),
        (returned, set[str]()),
        (read_before, {"a"}),
        (read_in_the_next_turn, set[str]()),
        (read_by_a_function, set[str]()),
        (read_with_another_target, set[str]()),
    ],
)
def test_assignments_that_nobody_reads(function: Function, names: set[str]) -> None:
    assert function_source(function, "a function").unread == names


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (returned, True),
        (read_by_a_function, True),
        (written, False),
        (returned_nothing, False),
        (returned_by_a_function_inside, False),
    ],
)
def test_whether_a_value_is_returned(function: Function, expected: bool) -> None:
    assert function_source(function, "a function").returns_value == expected


def test_local_names() -> None:
    source = function_source(read_in_the_next_turn, "a function")
    assert source.variables == ()
    assert function_source(read_before, "a function").variables == ("c",)
    loops = function_source(fed_to_itself_in_a_loop, "a function").loop_variables
    assert loops == {"_"}
