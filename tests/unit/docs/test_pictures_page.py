"""docs/pictures.md: its program prints what the page shows, and writes the picture beside it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tests.support.imports import ROOT

DOCS = ROOT / "docs"
TEXT = (DOCS / "pictures.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """The code of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", TEXT, re.M | re.S)


def test_program(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text("\n\n".join(blocks("python")), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-W", "error", str(path)],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "HOME": str(tmp_path), "PATH": "", "PYTHONUTF8": "1"},
        capture_output=True,
        encoding="utf-8",
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "".join(blocks("text"))
    written = (tmp_path / "matmul.svg").read_text(encoding="utf-8")
    shown = (DOCS / "images" / "matmul.svg").read_text(encoding="utf-8")
    assert written == shown, "copy the picture that the page's program writes to docs/images"


def test_links_lead_somewhere() -> None:
    links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", TEXT)
    assert "images/matmul.svg" in links
    assert [link for link in links if not (DOCS / link).exists()] == []
