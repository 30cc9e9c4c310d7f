"""The tutorial's notebook runs from its first cell to its last one, in a kernel of Jupyter's."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.support.imports import ROOT

TUTORIAL = ROOT / "docs" / "start" / "tutorial"

RUN = """
import sys

import jupytext
from nbclient import NotebookClient

notebook = jupytext.read(sys.argv[1])
kinds = [cell.cell_type for cell in notebook.cells]
NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
assert all(cell.execution_count for cell in cells)
print(len(cells), kinds.count("markdown"))
"""


def test_it_runs(tmp_path: Path) -> None:
    """In a folder of its own, with the project importable, and no warning turned off."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(tmp_path)}
    environment["PATH"] = os.pathsep.join((str(Path(sys.executable).parent), environment["PATH"]))
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(TUTORIAL / "tutorial.py")],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    # A program and two texts a step, and the file and the commands of the last one.
    assert done.stdout.split() == ["10", "18"]
    assert (tmp_path / "kernels.py").is_file()
