"""RUN lines that cannot be run: the exact messages."""

from __future__ import annotations

from pathlib import Path

import pytest

from ninetoothed.testing.filecheck import RunError, RunLine, run, run_lines


def test_a_line_that_goes_on_nowhere() -> None:
    with pytest.raises(RunError) as caught:
        run_lines("// a comment\n// RUN: nt-opt %s \\\n")
    assert str(caught.value) == "line 2: the RUN line goes on, but no other follows"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mlir-opt %s", "unknown command 'mlir-opt': RUN lines know nt-opt, filecheck and not"),
        ("not not nt-opt %s", "unknown command 'not': RUN lines know nt-opt, filecheck and not"),
    ],
)
def test_unknown_commands(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(RunError) as caught:
        run(RunLine(1, text), tmp_path / "a.mlir")
    assert str(caught.value) == message
