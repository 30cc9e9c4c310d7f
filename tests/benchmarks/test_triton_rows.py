"""The Triton kernels over elements and rows agree with torch, in Triton's interpreter."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from ninetoothed.runtime import triton_compat
from tests.support.imports import ROOT


@pytest.mark.slow
@pytest.mark.skipif(not triton_compat.available(), reason="Triton is not installed")
def test_kernels_agree_with_torch() -> None:
    environment = os.environ | {"TRITON_INTERPRET": "1", "BENCHMARKS_COMPILE_ONLY": "1"}
    run = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.rows_interpreted"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    wrong: dict[str, str] = json.loads(run.stdout)
    assert not wrong, "\n".join(wrong.values())
