"""A user's files and cache, and programs over them, each in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.imports import ROOT

KERNELS = """
import helpers
from helpers import size_of
from ninetoothed import Symbol, Tensor, make, jit, block_size

FACTOR = 2


def arrangement(x, y):
    return x.tile((size_of(x),)), y.tile((size_of(y),))


def application(x, y):
    y = x * FACTOR + helpers.OFFSET


options = {"num_warps": 4, "num_stages": 1}
kernel = make(arrangement, application, (Tensor(1), Tensor(1)), **options)
"""
HELPERS = """
OFFSET = 1


def size_of(tensor):
    return 64
"""
FULL = ("xdsl", "sympy", "triton", "numpy.f2py", "ninetoothed.frontend", "ninetoothed.passes")


@dataclass
class User:
    """Programs over two files of a user's, and one cache."""

    folder: Path

    def __post_init__(self) -> None:
        self.write("kernels", KERNELS)
        self.write("helpers", HELPERS)

    def write(self, name: str, text: str) -> None:
        """A module of the user's."""
        (self.folder / f"{name}.py").write_text(text, encoding="utf-8")

    def run(self, program: str, **environment: str) -> dict[str, Any]:
        """The values of ``found`` of a program; and its output, warnings and imports."""
        text = (
            "import json, sys, warnings\n"
            "from tests.support import fake_gpu\n"
            "from tests.support.fake_gpu import Array\n"
            "fake_gpu.install()\n"
            "found = {}\n"
            "with warnings.catch_warnings(record=True) as caught:\n"
            "    warnings.simplefilter('always')\n"
            f"{textwrap.indent(textwrap.dedent(program), '    ')}\n"
            "found['warnings'] = [[str(w.message), w.filename, w.lineno] for w in caught]\n"
            f"found['imported'] = fake_gpu.imported(*{FULL})\n"
            "found['launches'] = fake_gpu.launches\n"
            "print('|' + json.dumps(found))\n"
        )
        path = self.folder / "program.py"
        path.write_text(text, encoding="utf-8")
        # A copy of the package in the folder is taken.
        paths = os.pathsep.join((str(self.folder), str(ROOT)))
        given = {
            **os.environ,
            "PYTHONPATH": paths,
            # Files are written faster than their times change.
            "PYTHONDONTWRITEBYTECODE": "1",
            "NINETOOTHED_CACHE_DIR": str(self.folder / "cache"),
            **environment,
        }
        command = [sys.executable, str(path)]
        done = subprocess.run(command, env=given, capture_output=True, text=True)
        assert not done.returncode, done.stderr
        printed, _, result = done.stdout.rpartition("|")
        return {**json.loads(result), "printed": printed.split()}

    @property
    def records(self) -> list[Path]:
        """The cache entries of kernels."""
        return sorted((self.folder / "cache" / "kernels").glob("*"))


CALL = """
import kernels
kernels.kernel(Array(100), Array(100, pointer=8192))
"""
