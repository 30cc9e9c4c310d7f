"""Analysis of a function's tree: assignments that nothing reads, and returned values."""

from __future__ import annotations

import ast
import inspect
import linecache
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ninetoothed.definition.source import function_source
from ninetoothed.errors import UnsupportedSyntaxError
from ninetoothed.symbol import block_size

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


def test_the_module_is_not_searched_for(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[object] = []

    def getmodule(of: object, file: str | None = None) -> None:
        found.append(of)

    monkeypatch.setattr(inspect, "getmodule", getmodule)
    assert function_source(test_local_names, "the application").node
    assert not found


def test_code_of_no_file_is_not_taken_from_the_module_it_runs_in() -> None:
    line = block_size.__code__.co_firstlineno
    text = "\n" * (line - 1) + "def block_size():\n    pass\n"
    space: dict[str, Any] = {"__name__": block_size.__module__}
    exec(compile(text, "generated.py", "exec"), space)
    source = function_source(space["block_size"], "the application")
    with pytest.raises(UnsupportedSyntaxError, match=r"in generated\.py cannot be read"):
        _ = source.node


CELL = """\
import math
def application(x, y):
    y = math.floor(x)
"""


def cell(text: str, monkeypatch: pytest.MonkeyPatch) -> Function:
    """The application of a notebook's cell: IPython compiles it statement by statement."""
    name = "/nowhere/cell.py"
    # An entry without a time is of no file, so that none is looked for.
    monkeypatch.setitem(linecache.cache, name, (len(text), None, text.splitlines(True), name))
    names: dict[str, Any] = {}
    for statement in ast.parse(CELL).body:
        exec(compile(ast.Module([statement], []), name, "exec"), names)
    return names["application"]


def test_a_cell_that_imports_is_its_own_source(monkeypatch: pytest.MonkeyPatch) -> None:
    found = function_source(cell(CELL, monkeypatch), "the application").node
    assert ast.unparse(found.body[0]) == "y = math.floor(x)"


def test_a_cell_of_other_text_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    application = cell(CELL.replace("floor", "ceil"), monkeypatch)
    with pytest.raises(UnsupportedSyntaxError) as raised:
        _ = function_source(application, "the application").node
    assert raised.value.message == (
        "application is not what was imported at line 2 of /nowhere/cell.py; the file has changed "
        "since; import it again, in a new process or by importlib.reload"
    )


def test_code_of_another_file_is_read_there(tmp_path: Path) -> None:
    path = tmp_path / "generated.py"
    path.write_text("def application(x):\n    return x\n", encoding="utf-8")
    space: dict[str, Any] = {"__name__": __name__}
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), space)
    source = function_source(space["application"], "the application")
    assert (source.file, source.node.name) == (str(path), "application")
