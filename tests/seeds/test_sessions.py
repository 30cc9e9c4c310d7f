"""The documented interactive sessions, each in a fresh process, compared letter for letter."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SESSIONS = sorted(HERE.glob("*.txt"))


@pytest.mark.parametrize("session", SESSIONS, ids=[path.stem for path in SESSIONS])
def test_session(session: Path) -> None:
    command = [sys.executable, "-W", "error", "-m", "doctest", str(session)]
    done = subprocess.run(command, cwd=HERE.parents[1], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
