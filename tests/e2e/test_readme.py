"""The README's programs run as they stand."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from ninetoothed.kernel.kernel import Kernel
from tests.support.imports import ROOT

PROGRAMS = re.findall(
    r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(encoding="utf-8"), re.M | re.S
)


@pytest.mark.parametrize("number", range(len(PROGRAMS)))
def test_program(number: int, tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(PROGRAMS[number], encoding="utf-8")
    command = [sys.executable, "-W", "error", str(path)]
    environment = {"PYTHONPATH": str(ROOT), "HOME": str(tmp_path), "PATH": ""}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("number", range(len(PROGRAMS)))
def test_what_its_kernels_store_is_defined(number: int, tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(PROGRAMS[number], encoding="utf-8")
    for value in runpy.run_path(str(path)).values():
        if isinstance(value, Kernel):
            answers = [one.answer for one in value.report().verdicts if one.question == "defined"]
            assert answers
            assert set(answers) <= {"proved", "checked"}


def test_there_are_programs() -> None:
    assert len(PROGRAMS) == 1
