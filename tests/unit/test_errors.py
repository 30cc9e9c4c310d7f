"""Locations, carets and tracebacks: what a user sees of a mistake, letter for letter."""

from __future__ import annotations

import linecache
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from ninetoothed import errors
from ninetoothed.errors import (
    ArgumentError,
    Loc,
    NineToothedError,
    caller_loc,
    user_facing,
    user_traceback,
)

OURS = Path(errors.__file__).parent


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str], str]:
    """Write a source file; its name."""

    def write_source(text: str) -> str:
        path = tmp_path / "kernel.py"
        path.write_text(text, encoding="utf-8")
        linecache.checkcache(str(path))
        return str(path)

    return write_source


def columns(line: str, part: str) -> tuple[int, int]:
    """Columns of ``part`` in ``line``, in UTF-8 bytes as in ``ast``."""
    start = len(line[: line.index(part)].encode())
    return start, start + len(part.encode())


@pytest.mark.parametrize(
    ("line", "part", "shown", "caret"),
    [
        ("x = lhs + rsh", "rsh", "x = lhs + rsh", "          ^^^"),
        ("    x = lhs + rsh", "rsh", "x = lhs + rsh", "          ^^^"),
        ("\tx = rsh", "rsh", "x = rsh", "    ^^^"),
        ("变量 = lhs + 错误", "错误", "变量 = lhs + 错误", "             ^^^^"),
        ("é = lhs + rsh", "rsh", "é = lhs + rsh", "          ^^^"),
        ("e\u0301 = lhs + rsh", "rsh", "e\u0301 = lhs + rsh", "          ^^^"),
        ("x =\tlhs + rsh", "rsh", "x =\tlhs + rsh", "   \t      ^^^"),
    ],
    ids=["plain", "indented", "tab", "wide", "accent", "combining", "tab inside"],
)
def test_caret(write: Callable[[str], str], line: str, part: str, shown: str, caret: str) -> None:
    file = write(f"# first\n{line}\n")
    start, end = columns(line, part)
    rendered = Loc(file, 2, start, end, "application").render()
    assert rendered.splitlines()[1:] == [f"    {shown}", f"    {caret}"]


def test_where(write: Callable[[str], str]) -> None:
    file = write("x = lhs + rsh\n")
    where = f'  File "{file}", line 1, column 11'
    assert Loc(file, 1, 10).render() == f"{where}\n    x = lhs + rsh\n              ^"
    assert Loc(file, 1, 10, function="f").render().startswith(f"{where}, in f\n")


def test_columns_count_characters(write: Callable[[str], str]) -> None:
    line = "变量 = 错误"
    file = write(f"{line}\n")
    start, end = columns(line, "错误")
    rendered = Loc(file, 1, start, end).render()
    assert rendered.splitlines()[0].endswith(f"column {line.index('错误') + 1}")


def test_a_line_that_ends_elsewhere(write: Callable[[str], str]) -> None:
    file = write("x = (lhs +\n     rhs)\n")
    assert Loc(file, 1, 4, 100).render().splitlines()[2] == "        " + "^" * len("(lhs +")


@pytest.mark.parametrize("name", ["v000", "v050", "v099"])
def test_of_a_long_line_a_part_is_shown(write: Callable[[str], str], name: str) -> None:
    line = " + ".join(f"v{number:03}" for number in range(100))
    start = line.index(name) + 2
    _, text, marks = Loc(write(f"  {line}\n"), 1, start, start + 4).render().splitlines()
    assert (text[4] == "…", text[-1] == "…") == (name != "v000", name != "v099")
    assert len(text.strip(" …")) == 160
    assert text[marks.index("^") : len(marks)] == name


def test_blanks_at_the_end_are_not_marked(write: Callable[[str], str]) -> None:
    file = write("x = (lhs +   \n     rhs)\n")
    assert Loc(file, 1, 4, 100).render().splitlines()[2] == "        " + "^" * len("(lhs +")


def test_one_caret(write: Callable[[str], str]) -> None:
    """Python marks nothing in a line that it did not run: the message does."""
    error = ArgumentError("wrong", Loc(write("# first\nx = lhs + rsh\n"), 2, 10, 13, "application"))
    lines = traceback.format_exception(type(error), error, user_traceback(error))
    text = "".join(lines)
    assert text.count("x = lhs + rsh") == 2
    assert [line for line in text.splitlines() if "^" in line] == ["              ^^^"]


def test_a_file_that_is_gone() -> None:
    assert Loc("<gone>", 3, 4, function="f").render() == '  File "<gone>", line 3, column 5, in f'


def test_message_without_a_place() -> None:
    error = ArgumentError("too few")
    assert str(error) == "too few"
    assert error.message == "too few"
    assert error.loc is None


def test_every_error_has_the_one_base() -> None:
    classes = [value for value in vars(errors).values() if isinstance(value, type)]
    raised = [
        value
        for value in classes
        if issubclass(value, Exception) and not issubclass(value, Warning)
    ]
    assert len(raised) > 10
    assert all(issubclass(value, NineToothedError) and value.__doc__ for value in raised)


@pytest.fixture
def inside() -> ModuleType:
    """A module that counts as the package's own, with one function that errors may leave."""
    file = OURS / "kernel_of_a_test.py"
    module = ModuleType("inside")
    vars(module)["user_facing"] = user_facing
    vars(module)["caller_loc"] = caller_loc
    source = (
        "def fail(error):\n"
        "    raise error\n"
        "@user_facing\n"
        "def make(error, call=None):\n"
        "    fail(error) if call is None else call()\n"
        "def where():\n"
        "    return caller_loc()\n"
    )
    exec(compile(source, str(file), "exec"), vars(module))
    return module


def test_caller_loc_is_the_users_line(inside: ModuleType) -> None:
    loc = inside.where()
    assert loc.file == __file__
    assert linecache.getline(loc.file, loc.line).strip() == "loc = inside.where()"
    assert loc.function == "test_caller_loc_is_the_users_line"
    assert loc.render().splitlines()[2].strip() == "^" * len("inside.where()")


def test_user_traceback_without_a_place() -> None:
    assert user_traceback(ArgumentError("never raised")) is None


def test_other_exceptions_pass_through(inside: ModuleType) -> None:
    def arrangement() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        inside.make(None, arrangement)
