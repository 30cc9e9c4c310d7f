"""docs/explore.md: its program writes the page."""

from __future__ import annotations

import linecache
import re
from pathlib import Path

import pytest

from tests.support.imports import ROOT

TEXT = (ROOT / "docs" / "explore.md").read_text(encoding="utf-8")


def test_the_program_writes_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (program,) = re.findall(r"^```python\n(.*?)^```", TEXT, re.M | re.S)
    path = tmp_path / "program.py"
    path.write_text(program, encoding="utf-8")
    linecache.checkcache(str(path))
    monkeypatch.chdir(tmp_path)
    exec(compile(program, str(path), "exec"), {"__name__": "program"})
    assert 0 < (tmp_path / "matmul.html").stat().st_size <= 50_000


def test_links_lead_somewhere() -> None:
    links = re.findall(r"\]\(([^)#]*)[^)]*\)", TEXT)
    assert links
    assert [link for link in links if not (ROOT / "docs" / link).is_file()] == []
