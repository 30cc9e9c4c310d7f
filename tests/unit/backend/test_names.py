"""Names of generated Python."""

from __future__ import annotations

import ast

import pytest

from ninetoothed.backend.names import MAX_LENGTH, NameTable, legal_function_name
from ninetoothed.backend.triton.line_breaks import lines_of


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
    assert lines_of("    ", "if a < b:") == ["    if a < b:"]


def test_long_calls_have_one_argument_a_line() -> None:
    names = ["a" * 40, "b" * 40, "(c, d)", 'mode="x"']
    assert lines_of("    ", f"y = tl.f({', '.join(names)})") == [
        "    y = tl.f(",
        *(f"        {name}," for name in names),
        "    )",
    ]


def test_what_has_no_items_stays_long() -> None:
    assert lines_of("", f"def {'name' * 30}():") == [f"def {'name' * 30}():"]


def test_long_sums_get_brackets() -> None:
    text = " + ".join([*["name" * 5] * 4, "g(0)"])
    assert lines_of("", f"total = {text}") == ["total = (", f"    {text}", ")"]


@pytest.mark.parametrize(
    "text",
    [
        "y = f(x, [1, 2], {}, 3)",
        "y = (x + {})",
        "y = (x + {})[0:9]",
        "y = x + g({})",
        "y, z = x + {}, 4",
        "y = [x, {}, 'a, (b = \\'c']",
        "f('y = (', x, {})",
    ],
)
def test_broken_lines_mean_the_same(text: str) -> None:
    text = text.format(" + ".join(["xs[1]"] * 20))
    lines = lines_of("", text)
    assert len(lines) > 1
    assert ast.dump(ast.parse("\n".join(lines))) == ast.dump(ast.parse(text))


@pytest.mark.parametrize(
    ("wanted", "name"),
    [
        ("application", "application"),
        ("min", "min"),
        ("__add", "__add"),
        ("n" * 100, "n" * 100),
        ("tl", "tl_1"),
        ("triton", "triton_1"),
        ("libdevice", "libdevice_1"),
        ("range", "range_1"),
        ("float", "float_1"),
        ("vprintf", "vprintf_1"),
        ("class", "class_"),
        ("<lambda>", "_lambda_"),
        ("добавить", "kernel________"),
        ("_", "kernel_"),
    ],
)
def test_names_of_kernels_mean_nothing_else(wanted: str, name: str) -> None:
    assert legal_function_name(wanted) == name


def test_a_kernel_is_not_named_as_a_function_that_it_calls() -> None:
    assert legal_function_name("nv_expf", {"nv_expf", "nv_expf_1"}) == "nv_expf_2"
