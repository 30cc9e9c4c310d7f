"""Golden files: IR and sources of the examples, for one configuration each, letter for letter.

Each example is compiled in fresh processes, for symbols without a name are numbered as they are
made. Two processes with different hash seeds must agree.
"""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys

import pytest

from tests.support.golden import Golden
from tests.support.imports import ROOT

EXAMPLES: dict[str, dict[str, dict[str, str | int]]] = {
    "add": {"values": {"BLOCK_SIZE_0": 256}},
    "matmul": {
        "dtypes": {"input": "fp16", "other": "fp16", "output": "fp16"},
        "values": {"BLOCK_SIZE_0": 64, "BLOCK_SIZE_1": 32, "BLOCK_SIZE_2": 128},
    },
    "softmax": {"dtypes": {"input": "fp16", "output": "fp16"}},
}
"""The examples, and what is fixed of each: element types and block sizes."""

FILES = ("nt.mlir", "tt.mlir", "ttir", "py", "remarks")
"""The texts of one example: stage ``composed``, stage ``tt``, both languages of Triton, and what
``nt-opt --remarks`` prints.
"""

_SCRIPT = """
import contextlib, importlib, io, json, os, sys
from ninetoothed.tools.nt_opt import main
name, fixed = sys.argv[1], json.loads(sys.argv[2])
kernel = getattr(importlib.import_module(f"examples.{name}"), f"{name}_kernel")
texts = {
    "nt.mlir": kernel.ir("composed", **fixed),
    "tt.mlir": kernel.ir("tt", **fixed),
    "ttir": kernel.source(language="ttir", **fixed),
    "py": kernel.source(language="triton-python", **fixed),
}
options = [f"--dtype={name}={dtype}" for name, dtype in fixed.get("dtypes", {}).items()]
options += [f"--set={name}={value}" for name, value in fixed.get("values", {}).items()]
printed = io.StringIO()
with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(printed):
    assert main([f"examples/{name}.py", "--remarks", "-t", "ttir", *options]) == 0
texts["remarks"] = printed.getvalue().replace(f"{os.getcwd()}/", "")
print(json.dumps(texts))
"""


@functools.cache
def texts(example: str, seed: str) -> dict[str, str]:
    """The texts of an example, made by a process with the hash seed ``seed``."""
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT, example, json.dumps(EXAMPLES[example])],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, str] = json.loads(done.stdout)
    return found


def without_locations(text: str) -> str:
    """TTIR without its ``loc(…)``, which hold absolute paths."""
    mark = " loc("
    parts: list[str] = []
    while (start := text.find(mark)) >= 0:
        end, depth = start + len(mark), 1
        while depth:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        parts.append(text[:start])
        text = text[end:]
    return "".join([*parts, text])


@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize("example", EXAMPLES)
def test_text_is_as_it_was(example: str, kind: str, golden: Golden) -> None:
    text = texts(example, "0")[kind]
    golden(f"{example}.{kind}", without_locations(text) if kind == "ttir" else text)


@pytest.mark.parametrize("example", EXAMPLES)
def test_hash_seed_changes_nothing(example: str) -> None:
    assert texts(example, "0") == texts(example, "12345")


@pytest.mark.parametrize("example", EXAMPLES)
def test_no_path_of_this_machine_is_left(example: str) -> None:
    found = texts(example, "0")
    assert str(ROOT) not in "".join(
        without_locations(text) if kind == "ttir" else text for kind, text in found.items()
    )


def test_locations_are_cut_out_whole() -> None:
    text = '%a: i32 loc("a"(unknown))\n%b = f(%a) loc(callsite("x.py":3:1 at "y.py":2:1))\nend'
    assert without_locations(text) == "%a: i32\n%b = f(%a)\nend"
