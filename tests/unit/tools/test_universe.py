"""xDSL's own tools know our dialects and passes."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from xdsl.universe import XDSL_UNIVERSE

from ninetoothed.passes import pass_names
from ninetoothed.tools.universe import UNIVERSE
from tests.support.imports import ROOT
from tests.support.outside import write_metadata
from tests.unit.passes.test_pipeline import KERNEL

GROUP = "xdsl.universe"


def test_no_name_is_xdsls() -> None:
    assert set(UNIVERSE.all_dialects) == {"nt", "tt"}
    assert not set(UNIVERSE.all_dialects) & set(XDSL_UNIVERSE.all_dialects)
    assert not set(UNIVERSE.all_passes) & set(XDSL_UNIVERSE.all_passes)
    assert not set(UNIVERSE.all_targets) & set(XDSL_UNIVERSE.all_targets)
    assert {*UNIVERSE.all_passes, "canonicalize", "cse", "dce"} == set(pass_names())


@pytest.mark.parametrize("tool", ["xdsl_opt", "xdsl_run"])
def test_tools(tool: str, tmp_path: Path) -> None:
    """As installed: the entry point is the project's own."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    write_metadata(tmp_path, {GROUP: project["entry-points"][GROUP]}, "ninetoothed", "0")
    path = tmp_path / "kernel.mlir"
    path.write_text(KERNEL, encoding="utf-8")
    options = ["-p", "nt-check-arrangement,cse"] if tool == "xdsl_opt" else ["--verbose"]
    done = subprocess.run(
        [sys.executable, "-m", f"xdsl.tools.{tool}", str(path), *options],
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(tmp_path), str(ROOT)))},
        capture_output=True,
        text=True,
    )
    if tool == "xdsl_opt":
        assert not done.returncode, done.stderr
        assert 'nt.source "x" "tensor" strides [1]' in done.stdout
    else:
        # It reads the module, which has no function `main`.
        assert "Could not find symbol main" in done.stderr, done.stderr
