"""Names of generated Python."""

from __future__ import annotations

import pytest

from ninetoothed.backend.layout import MAX_COLUMNS, lines_of
from ninetoothed.backend.names import MAX_LENGTH, NameTable


@pytest.mark.parametrize(
    ("wanted", "name"),
    [
        ("x", "x"),
        ("lambda", "lambda_"),
        ("tl", "tl_1"),
        ("triton", "triton_1"),
        ("a.b$c-d", "a_b_c_d"),
        ("3d", "v3d"),
        ("", "v"),
        ("__init", "_init"),
        ("n" * 100, "n" * MAX_LENGTH),
    ],
)
def test_names_are_legal(wanted: str, name: str) -> None:
    assert NameTable().unique(wanted) == name
    assert name.isidentifier()


def test_names_are_unique() -> None:
    table = NameTable(["out"])
    assert [table.unique("x") for _ in range(3)] == ["x", "x_1", "x_2"]
    assert table.unique("x_1") == "x_1_1"
    assert table.unique("out") == "out_1"


def test_short_lines_stay() -> None:
    assert lines_of("    ", "if ", "a < b", ":") == ["    if a < b:"]


def test_long_calls_have_one_argument_a_line() -> None:
    names = ["a" * 40, "b" * 40, "(c, d)", 'mode="x"']
    assert lines_of("    ", "y = ", f"tl.f({', '.join(names)})") == [
        "    y = tl.f(",
        *(f"        {name}," for name in names),
        "    )",
    ]


def test_long_expressions_are_filled() -> None:
    text = " + ".join(["name" * 5] * 12)
    lines = lines_of("", "y = ", text)
    assert max(map(len, lines)) <= MAX_COLUMNS
    scope = {"name" * 5: 2}
    exec("\n".join(lines), scope)
    assert scope["y"] == 24
