"""Wrong programs with their errors as comments: one pytest item a program.

The files of ``tests/errors/programs`` hold programs, each below a line with its title, and under
the line that a message points at the message, as in MLIR's ``-verify-diagnostics``::

    # ---- a pointer that is a number
    def application(x, out):
        out = ntl.load(3)
    #         ^^^^^^^^^^^
    # error: TypeMismatchError: ntl.load takes a pointer, not 3; take one from x.source.data_ptr()

    vectors(application)(torch.zeros(64), torch.zeros(64))

Lines with ``#`` in the first column are no part of the program, which is run, and whose lines are
counted, without them. They hold the whole text of the error:

- ``# error:`` its class and message, of which further lines begin with ``# |``;
- carets, above or before it, the columns; ``#<^^`` begins in the first column, and without carets
  the whole line is meant;
- ``# caller``, ``# caller 2`` … the places from which the function was called that has the error;
- ``in NAME`` or ``in no function`` behind these words the function that the message names, where
  it is not the one whose definition holds the line.

A test writes these lines from the error that its program ends with and compares the two texts;
with ``--update-errors`` (``make errors``) it writes them to the file.
"""

from __future__ import annotations

import ast
import difflib
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.messages import check_frames, message, run

PROGRAMS = Path(__file__).parents[1] / "errors" / "programs"

_TITLE = re.compile(r"^# ---- (.+)\n", re.MULTILINE)
_REQUIRES = re.compile(r"^# REQUIRES: (\w+)$", re.MULTILINE)
_FRAME = re.compile(
    r'  File "kernel\.py", line (\d+), column (\d+)(?:, in (.+))?\n    (.+)\n    ( *)(\^+)'
)
_WIDTH = 100


class Mismatch(Exception):
    """The error of a program is not the one that its comments say."""


@dataclass(frozen=True)
class Case:
    """A program: its title, the line of it, and the text below with the expected error."""

    title: str
    line: int
    text: str

    @property
    def program(self) -> str:
        """The text without the error."""
        lines = self.text.split("\n")
        return "\n".join(line for line in lines if not line.startswith("#")).strip("\n")


def parse(text: str) -> tuple[str, tuple[Case, ...]]:
    """Preamble of a file (above the first title), and its programs."""
    head, *parts = _TITLE.split(text)
    lines = [1 + text.count("\n", 0, match.start()) for match in _TITLE.finditer(text)]
    found = zip(parts[::2], lines, parts[1::2], strict=True)
    return head, tuple(Case(title, line, body.strip("\n")) for title, line, body in found)


def annotated(program: str, message: str) -> str:
    """A program with its error as comments.

    Raises:
        Mismatch: the notation has no form for the message, since its columns contradict one
            another or it does not show a line of the program.
    """
    lines = program.split("\n")
    text, *frames = re.split(r'\n(?=  File ")', message)
    comments: dict[int, list[str]] = {}
    for depth, frame in enumerate(frames):
        match = _FRAME.fullmatch(frame)
        number = int(match[1]) if match else 0
        source = lines[number - 1] if 1 <= number <= len(lines) else ""
        start, indent = int(match[2]) - 1 if match else 0, len(source) - len(source.lstrip())
        if match is None or match[4] != source.lstrip() or start != indent + len(match[5]):
            raise Mismatch(f"the notation has no form for this message:\n{message}")
        callers = len(frames) - 1 - depth
        label = "error" if not callers else "caller" if callers == 1 else f"caller {callers}"
        if match[3] != _function(program, number):
            label += f" in {match[3] or 'no function'}"
        if not callers:
            label += ": " + text.replace("\n", "\n# | ")
        carets = _carets(source, start, len(match[6]))
        apart = len(carets) + 1 + len(label.partition("\n")[0]) > _WIDTH
        note = f"{carets}\n# {label}" if carets != "#" and apart else f"{carets} {label}"
        comments.setdefault(number, []).append(note)
    if not frames:
        raise Mismatch(f"the message says no place:\n{message}")
    parts = ([line, *comments.get(number, ())] for number, line in enumerate(lines, 1))
    return "\n".join(line for part in parts for line in part)


def _carets(source: str, start: int, width: int) -> str:
    if width == len(source.lstrip()) == len(source) - start:
        return "#"
    if start == 0:
        return "#<" + "^" * (width - 1)
    return "#" + " " * (start - 1) + "^" * width


def _function(program: str, line: int) -> str:
    """The name of the innermost function whose definition holds ``line``, or ``<module>``."""
    found = "<module>"
    for node in ast.walk(ast.parse(program)):
        if isinstance(node, ast.FunctionDef) and node.lineno <= line <= (node.end_lineno or 0):
            found = node.name
    return found


def actual(case: Case) -> str:
    """The text of ``case`` with the error that its program really ends with."""
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as monkeypatch:
        folder = Path(name)
        error = run(case.program, folder, monkeypatch=monkeypatch)
        check_frames(error)
        return annotated(case.program, message(error, folder))


def check(case: Case) -> None:
    """Compare the error that the program of ``case`` ends with.

    Raises:
        Mismatch: it is another than the comments say, in whatever part.
    """
    found = actual(case)
    if found != case.text:
        diff = difflib.unified_diff(
            case.text.split("\n"), found.split("\n"), "expected", "now", lineterm=""
        )
        hint = "if that is meant: `make errors`, and read the diff before you commit it"
        raise Mismatch("\n".join(diff) + f"\n\n{hint}")


def update(path: Path, case: Case) -> None:
    """Write the error that the program of ``case`` ends with to the file ``path``."""
    import fcntl  # Not every system on which errors are compared has it.

    found = actual(case)
    with path.open("r+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # Other processes update other programs of the file.
        head, cases = parse(file.read())
        cases = [replace(c, text=found) if c.title == case.title else c for c in cases]
        file.seek(0)
        file.write(head + "".join(f"# ---- {c.title}\n{c.text}\n" for c in cases))
        file.truncate()


class ErrorFile(pytest.File):
    """A file of wrong programs; one item a program."""

    def collect(self) -> Iterator[pytest.Item]:
        """The file's programs as items; titles are unique."""
        head, cases = parse(self.path.read_text(encoding="utf-8"))
        titles = [case.title for case in cases]
        if not cases or len(set(titles)) < len(titles):
            raise self.CollectError(f"{self.path} has no program, or two of one title")
        for case in cases:
            requires = _REQUIRES.findall(head)
            yield ErrorItem.from_parent(self, name=case.title, case=case, requires=requires)


class ErrorItem(pytest.Item):
    """One wrong program."""

    def __init__(self, *, case: Case, requires: list[str], **keywords: object) -> None:
        super().__init__(**keywords)  # pyright: ignore[reportArgumentType]
        self.case, self.requires = case, requires

    def runtest(self) -> None:
        """Run the program; compare its error, or write it under ``--update-errors``."""
        for module in self.requires:
            pytest.importorskip(module)
        if self.config.getoption("--update-errors"):
            update(self.path, self.case)
        else:
            check(self.case)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Ours is the difference alone; any other exception is shown as pytest shows it."""
        if isinstance(excinfo.value, Mismatch):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Path and line of the program."""
        return self.path, self.case.line - 1, f"{self.path.name}: {self.case.title}"
