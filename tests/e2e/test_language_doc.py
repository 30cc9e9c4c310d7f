"""docs/language.md is up to date with the table, and its program prints what the page shows."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from ninetoothed.tools import language_page
from tests.support.imports import ROOT

TEXT = (ROOT / "docs" / "language.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """The code of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", TEXT, re.M | re.S)


def test_reference_is_current() -> None:
    assert language_page.page(TEXT) == TEXT, "run `make docs`"


def test_program(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text("\n\n".join(blocks("python")), encoding="utf-8")
    environment = {"PYTHONPATH": str(ROOT), "HOME": str(tmp_path), "PATH": ""}
    done = subprocess.run(
        [sys.executable, "-W", "error", str(path)],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "".join(blocks("text"))
