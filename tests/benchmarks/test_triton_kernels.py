"""The Triton kernels, and the programs of launch and start, agree with torch, interpreted."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import version

import numpy
import pytest

from ninetoothed.runtime.toolchain.triton import compat
from tests.support.imports import ROOT

NUMPY = tuple(map(int, numpy.__version__.split(".")[:2]))


@pytest.mark.slow
@pytest.mark.skipif(not compat.available(), reason="Triton is not installed")
@pytest.mark.skipif(
    compat.available() and version("triton").startswith("3.6.") and NUMPY >= (2, 4),
    reason="Triton 3.6's interpreter cannot loop with NumPy 2.4",
)
@pytest.mark.parametrize(
    "topic", ["attention", "products_and_gathers", "elements_and_rows", "special", "programs"]
)
def test_kernels_agree_with_torch(topic: str) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.kernels_interpreted", topic],
        cwd=ROOT,
        env=os.environ | {"TRITON_INTERPRET": "1", "BENCHMARKS_COMPILE_ONLY": "1"},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    assert "results agree" in run.stdout
