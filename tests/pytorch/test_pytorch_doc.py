"""The programs of ``docs/pytorch.md`` run as they stand, one after the other."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

from tests.support.imports import ROOT


def test_programs(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "pytorch.md").read_text(encoding="utf-8")
    programs = re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)
    assert len(programs) == 8
    path = tmp_path / "program.py"
    path.write_text("\n\n".join(programs), encoding="utf-8")
    runpy.run_path(str(path))
