"""RUN lines as pytest items, executed in this process: a few milliseconds each, not a process each.

A test file says how it is run in comments, in lit's words::

    // RUN: nt-opt %s -p nt-compose-arrangement | filecheck %s
    // RUN: nt-opt %s | nt-opt | filecheck %s --check-prefix=ROUNDTRIP
    // RUN: not nt-opt %s 2>&1 | filecheck %s --check-prefix=ERROR

``%s`` is the file, ``%S`` its folder, ``%t`` a file name of the run's own. A trailing backslash
goes on in the next RUN line. The commands are ``nt-opt`` and ``filecheck``; ``not`` before one
wants it to fail. An exception that leaves ``nt-opt`` is a failure in every case.

Below a ``conftest.py`` with this line, every ``.mlir`` file is a test::

    from ninetoothed.testing import pytest_collect_file
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from filecheck.finput import FInput
from filecheck.matcher import Matcher
from filecheck.options import parse_argv_options
from filecheck.parser import Parser

_RUN = re.compile(r"^\s*(?://|#|;)\s*RUN:\s*(.*?)\s*$")
_PIPE = re.compile(r"\s\|\s")


class RunError(Exception):
    """A RUN line that fails, or that cannot be understood."""


@dataclass(frozen=True)
class RunLine:
    """One RUN line: where it begins, and its text with the continuation lines joined."""

    line: int
    text: str


@dataclass(frozen=True)
class Result:
    """Result of a command: exit code and output."""

    code: int
    out: str
    err: str


def run_lines(text: str) -> tuple[RunLine, ...]:
    """The RUN lines of a file's text."""
    found: list[RunLine] = []
    open_line: RunLine | None = None
    for number, source in enumerate(text.splitlines(), 1):
        match = _RUN.match(source)
        if match is None:
            continue
        line = RunLine(number, match[1])
        if open_line is not None:
            line = RunLine(open_line.line, f"{open_line.text} {match[1]}")
        if line.text.endswith("\\"):
            open_line = RunLine(line.line, line.text[:-1].rstrip())
        else:
            open_line = None
            found.append(line)
    if open_line is not None:
        raise RunError(f"line {open_line.line}: the RUN line goes on, but no other follows")
    return tuple(found)


def nt_opt(arguments: Iterable[str], stdin: str = "", *, merge: bool = False) -> Result:
    """Run ``nt-opt`` here; with ``merge``, standard error goes where standard output goes."""
    from ninetoothed.tools import nt_opt as tool

    out = io.StringIO()
    err = out if merge else io.StringIO()
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode()))),
    ):
        try:
            code = tool.main(list(arguments))
        except SystemExit as exit:  # argparse's way to end
            code = exit.code if isinstance(exit.code, int) else int(exit.code is not None)
    return Result(code, out.getvalue(), "" if merge else err.getvalue())


def _filecheck(arguments: list[str], stdin: str) -> Result:
    out, err = io.StringIO(), io.StringIO()
    # The matcher takes the standard streams that it finds when it is made.
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            options = parse_argv_options(["filecheck", *arguments])
        except RuntimeError as error:
            raise RunError(f"filecheck: {error}") from None
        code = Matcher(options, FInput("<input>", stdin), Parser.from_opts(options)).run()
    return Result(code, "", err.getvalue())


def _command(words: list[str], stdin: str) -> Result:
    merge = "2>&1" in words
    words = [word for word in words if word != "2>&1"]
    match words:
        case ["not", *inverted] if inverted and inverted[0] != "not":
            result = _command([*inverted, "2>&1"] if merge else inverted, stdin)
            return Result(int(result.code == 0), result.out, result.err)
        case ["nt-opt", *arguments]:
            return nt_opt(arguments, stdin, merge=merge)
        case ["filecheck", *arguments]:
            return _filecheck(arguments, stdin)
        case _:
            name = words[0] if words else ""
            raise RunError(f"unknown command {name!r}: RUN lines know nt-opt, filecheck and not")


def run(line: RunLine, path: Path) -> None:
    """Execute one RUN line of the file ``path``.

    Raises:
        RunError: a command failed; the text shows what it was given and what it printed.
    """
    with tempfile.TemporaryDirectory() as folder:
        names = {"%s": str(path), "%S": str(path.parent), "%t": str(Path(folder) / "tmp")}
        stdin = ""
        for command in _PIPE.split(line.text):
            words = [_substitute(word, names) for word in shlex.split(command)]
            result = _command(words, stdin)
            if result.code != 0:
                raise RunError(_report(line, path, command, stdin, result))
            stdin = result.out


def _substitute(word: str, names: dict[str, str]) -> str:
    return re.sub(r"%[sSt]\b", lambda match: names[match[0]], word)


def _report(line: RunLine, path: Path, command: str, stdin: str, result: Result) -> str:
    parts = [f"{path}:{line.line}: RUN: {line.text}", f"`{command.strip()}` fails"]
    for title, text in (("input", stdin), ("output", result.out), ("errors", result.err)):
        if text.strip():
            parts.append(f"--- {title}\n{text.rstrip()}")
    return "\n".join(parts)


def pytest_collect_file(parent: pytest.Collector, file_path: Path) -> pytest.Collector | None:
    """Hook of pytest that collects the ``.mlir`` files."""
    if file_path.suffix != ".mlir":
        return None
    return FilecheckFile.from_parent(parent, path=file_path)


class FilecheckFile(pytest.File):
    """A file with RUN lines; one item a line."""

    def collect(self) -> Iterator[pytest.Item]:
        """The file's RUN lines as items; an ``.mlir`` file without one is an error."""
        lines = run_lines(self.path.read_text(encoding="utf-8"))
        if not lines and self.path.suffix == ".mlir":
            raise self.CollectError(f"{self.path} has no RUN line")
        for line in lines:
            yield FilecheckItem.from_parent(self, name=f"line{line.line}", line=line)


class FilecheckItem(pytest.Item):
    """One RUN line."""

    def __init__(self, *, line: RunLine, **keywords: object) -> None:
        super().__init__(**keywords)  # pyright: ignore[reportArgumentType]
        self.line = line

    def runtest(self) -> None:
        """Execute the line."""
        run(self.line, self.path)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Ours is the report alone; any other exception is shown as pytest shows it."""
        if isinstance(excinfo.value, RunError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Path and number of the line."""
        return self.path, self.line.line - 1, f"{self.path.name}:{self.line.line}"
