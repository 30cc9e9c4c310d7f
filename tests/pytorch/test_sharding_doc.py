"""The program of ``docs/sharding.md`` that uses DTensors runs as it stands, on two processes."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tests.support.imports import ROOT


def test_program(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "sharding.md").read_text(encoding="utf-8")
    (program,) = re.findall(r"^```python\n(# torchrun.*?)^```", text, re.M | re.S)
    path = tmp_path / "columns_and_rows.py"
    path.write_text(f"import sys\n\nsys.path.insert(0, {str(ROOT)!r})\n{program}", encoding="utf-8")
    launcher = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    subprocess.run([sys.executable, *launcher, path.name], cwd=tmp_path, check=True)
