"""Runs Triton-Python under Triton's interpreter, on CPU tensors, in a process of its own."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from tests.support.imports import ROOT


@dataclass
class Case:
    """One call: the source, the function's name, its arguments and the number of programs."""

    source: str
    name: str
    arguments: list[Any]
    programs: int = 1


def run(cases: list[Case], folder: Path) -> list[list[Any]]:
    """The arguments of each case, as the kernels left them."""
    calls: list[tuple[str, str, list[Any], int]] = []
    for index, case in enumerate(cases):
        path = folder / f"kernel_{index}.py"
        path.write_text(case.source, encoding="utf-8")
        calls.append((str(path), case.name, case.arguments, case.programs))
    torch.save(calls, folder / "calls.pt")
    subprocess.run(
        [sys.executable, "-m", "tests.support.interpreted", str(folder)],
        cwd=ROOT,
        env={**os.environ, "TRITON_INTERPRET": "1", "PYTHONPATH": str(ROOT)},
        check=True,
        timeout=300,
    )
    return torch.load(folder / "results.pt")


def _main(folder: Path) -> None:
    results: list[list[Any]] = []
    for path, name, arguments, programs in torch.load(folder / "calls.pt"):
        spec = importlib.util.spec_from_file_location(Path(path).stem, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        getattr(module, name)[(programs,)](*arguments)
        results.append(arguments)
    torch.save(results, folder / "results.pt")


if __name__ == "__main__":
    _main(Path(sys.argv[1]))
