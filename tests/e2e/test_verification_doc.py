"""The program in docs/verification.md prints the report beside it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tests.support.imports import ROOT

TEXT = (ROOT / "docs" / "verification.md").read_text(encoding="utf-8")


def test_program(tmp_path: Path) -> None:
    ((program, printed),) = re.findall(
        r"^```python\n(.*?)^```\n\n```text\n(.*?)^```", TEXT, re.M | re.S
    )
    path = tmp_path / "program.py"
    path.write_text(program, encoding="utf-8")
    environment = {"PYTHONPATH": str(ROOT), "HOME": str(tmp_path), "PATH": ""}
    done = subprocess.run(
        [sys.executable, "-W", "error", str(path)],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == printed
