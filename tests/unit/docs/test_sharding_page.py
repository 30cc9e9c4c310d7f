"""docs/sharding.md: its program prints the table beside it, and the rules of all examples."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ninetoothed.tools.nt_opt.python_file import PythonFile
from ninetoothed.verification.sharding_rules import Sharding, derive
from tests.support.example_kernels import KERNELS, ExampleKernel
from tests.support.imports import ROOT

TEXT = (ROOT / "docs" / "sharding.md").read_text(encoding="utf-8")
PRINTED = re.findall(r"^```text\n(.*?)^```", TEXT, re.M | re.S)


def derived(kernel: ExampleKernel) -> Sharding:
    """The rules of an example's kernel."""
    options = dict(zip(kernel.options[::2], kernel.options[1::2], strict=True))
    definition = PythonFile(Path(kernel.arguments[0])).find(options.get("--kernel"))
    name, _, value = options.get("--set", "").partition("=")
    return derive(definition, {}, {name: True} if value == "True" else {})


def shown(sharding: Sharding) -> str:
    """The rules of a kernel or, where there is none, why."""
    lines = str(sharding).splitlines()
    kept = lines[: len(sharding.rules)] or lines
    return "\n".join([sharding.kernel, *(f"  {line}" for line in kept)])


def test_program(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    program, _ = re.findall(r"^```python\n(.*?)^```", TEXT, re.M | re.S)
    path = tmp_path / "program.py"
    path.write_text(program, encoding="utf-8")
    PythonFile(path)
    assert capsys.readouterr().out == PRINTED[0]


def test_refusal() -> None:
    (softmax,) = (kernel for kernel in KERNELS if kernel.file == "softmax")
    assert f"{derived(softmax)}\n" == PRINTED[1]


def test_examples() -> None:
    assert PRINTED[2] == "".join(f"{shown(derived(kernel))}\n" for kernel in KERNELS)
