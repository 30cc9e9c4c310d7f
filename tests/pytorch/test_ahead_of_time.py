"""Programs with kernels that are compiled ahead of time, and run without Python's tracing."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import torch

from examples.add import add
from tests.support.imports import ROOT


class Doubled(torch.nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return add(x, y) * 2


class Plain(torch.nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return torch.add(x, y) * 2


def check(module: torch.nn.Module, device: str, path: Path) -> None:
    size = torch.export.Dim("size", min=2, max=1000)
    x, y = torch.randn(2, 60, device=device).unbind()
    exported = torch.export.export(module, (x, y), dynamic_shapes=({0: size}, {0: size}))
    torch._inductor.aoti_compile_and_package(exported, package_path=str(path))
    loaded = torch._inductor.aoti_load_package(str(path))
    for count in (60, 7):
        assert torch.equal(loaded(x[:count], y[:count]), (x[:count] + y[:count]) * 2)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:`isinstance\\(treespec, LeafSpec\\)` is deprecated")
def test_aot_inductor(device: str, tmp_path: Path) -> None:
    if device != "cpu":
        # With some drivers and compilers, torch ends the process that loads its own package.
        code = (
            "import sys; from pathlib import Path; from tests.pytorch import test_ahead_of_time; "
            "tests = test_ahead_of_time; tests.check(tests.Plain(), sys.argv[1], Path(sys.argv[2]))"
        )
        command = [sys.executable, "-c", code, device, str(tmp_path / "plain.pt2")]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        if done.returncode < 0:
            pytest.skip(f"loading a package of torch's own operators ended by {-done.returncode}")
        assert done.returncode == 0, done.stderr
    check(Doubled(), device, tmp_path / "doubled.pt2")
