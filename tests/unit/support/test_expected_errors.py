"""Expected errors as comments: every part of a message counts, and updates write what is true."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.expected_errors import Case, Mismatch, annotated, check, parse, update

TEXT = """\
# Functions and calls.

# ---- an argument too many
def inner(x):
    return ntl.exp(x, x)
#          ^^^^^^^^^^^^^ error: ArgumentError: ntl.exp(x) takes 1 argument, not 2

def application(x, output):
    output = inner(x) + 1
#            ^^^^^^^^ caller

make(blocks, application, (Tensor(1), Tensor(1)))
# ---- dims
def application(x, output):
    output = x

kernel = vectors(application)
kernel(torch.ones(4, 4), torch.ones(4))
# error: ArgumentError: x must have 1 dim, but its shape is (4, 4)
"""
HEAD, (INLINED, CALLED) = parse(TEXT)

PROGRAM = "a = 1\nwith b:\n\n    cd = c + d"
MESSAGE = """\
ShapeError: no
such block
  File "kernel.py", line 2, column 6
    with b:
         ^
  File "kernel.py", line 1, column 1, in <module>
    a = 1
    ^
  File "kernel.py", line 4, column 10, in f
    cd = c + d
         ^^^^^"""


def test_cases() -> None:
    assert HEAD == "# Functions and calls.\n\n"
    assert (INLINED.title, INLINED.line) == ("an argument too many", 3)
    assert (CALLED.title, CALLED.line) == ("dims", 13)
    assert INLINED.program.split("\n")[:4] == [
        "def inner(x):",
        "    return ntl.exp(x, x)",
        "",
        "def application(x, output):",
    ]


@pytest.mark.parametrize("case", [INLINED, CALLED], ids=lambda case: case.title)
def test_what_is_true_passes(case: Case) -> None:
    check(case)


@pytest.mark.parametrize(
    ("case", "old", "new"),
    [
        (INLINED, "ArgumentError", "TypeMismatchError"),
        (INLINED, "  ^", " ^^"),  # a caret that begins before
        (INLINED, "# " + " " * 9 + "^" * 13 + " error", "# error"),  # the whole line
        (INLINED, "error:", "error in application:"),
        (INLINED, "caller", "caller 2"),
        (INLINED, "\n#            ^^^^^^^^ caller", ""),
        (INLINED, "not 2", "not 2\n# | more"),
        (CALLED, "# error", "#<^^ error"),
        (CALLED, "# error", "error"),  # no comment, but a part of the program
        (CALLED, "\n# error: ArgumentError: x must have 1 dim, but its shape is (4, 4)", ""),
    ],
)
def test_any_other_comment_fails(case: Case, old: str, new: str) -> None:
    assert old in case.text
    with pytest.raises((Mismatch, SyntaxError)):
        check(replace(case, text=case.text.replace(old, new, 1)))


def test_a_comment_below_another_line_fails() -> None:
    *lines, error = CALLED.text.split("\n")
    with pytest.raises(Mismatch, match="make errors"):
        check(replace(CALLED, text="\n".join([*lines[:-1], error, lines[-1]])))


def test_a_program_without_an_error_fails() -> None:
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        check(replace(CALLED, text="x = 1"))


def test_notation() -> None:
    assert annotated(PROGRAM, MESSAGE).split("\n") == [
        "a = 1",
        "#< caller",
        "with b:",
        "#    ^ caller 2 in no function",
        "",
        "    cd = c + d",
        "#        ^^^^^ error in f: ShapeError: no",
        "# | such block",
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("ShapeError", "ArgumentError"),
        ("such block", "such blocks"),
        ("no\nsuch", "no such"),
        ("line 4", "line 3"),
        ("line 1, column 1", "line 1, column 2"),
        ("column 10", "column 9"),
        ("column 6\n    with b:\n         ^", "column 5\n    with b:\n        ^"),
        ("a = 1\n    ^", "a = 1\n    ^^"),
        ("a = 1\n    ^", "a = 1\n    ^^^^^"),
        ("column 1, in <module>\n    a = 1\n    ^", "column 2, in <module>\n    a = 1\n     ^"),
        ("<module>", "f"),
        (", in f", ""),
        (", in f", ", in g"),
        ("cd =", "cd  ="),
        ("^^^^^", "^^^^"),
        ("     ^^^^^", "    ^^^^^"),
        ("\n    cd = c + d\n         ^^^^^", ""),
        ('kernel.py", line 4', 'other.py", line 4'),
    ],
)
def test_every_part_of_a_message_is_in_the_notation(old: str, new: str) -> None:
    assert old in MESSAGE
    try:
        found = annotated(PROGRAM, MESSAGE.replace(old, new))
    except Mismatch:
        return
    assert found != annotated(PROGRAM, MESSAGE)


def test_callers_have_an_order() -> None:
    text, *frames = MESSAGE.split("\n  File")
    other = "\n  File".join([text, frames[1], frames[0], frames[2]])
    assert annotated(PROGRAM, other) != annotated(PROGRAM, MESSAGE)


def test_an_update_writes_what_is_true(tmp_path: Path) -> None:
    path = tmp_path / "calls.py"
    path.write_text(TEXT.replace("not 2", "not 3").replace(" caller", "").replace("(4, 4)\n", ""))
    for case in parse(path.read_text())[1]:
        update(path, case)
    assert path.read_text() == TEXT
