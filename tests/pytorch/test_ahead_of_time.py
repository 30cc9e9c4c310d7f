"""Programs with kernels that are compiled ahead of time, and run without Python's tracing."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from examples.add import add


class Doubled(torch.nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return add(x, y) * 2


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:`isinstance\\(treespec, LeafSpec\\)` is deprecated")
def test_aot_inductor(device: str, tmp_path: Path) -> None:
    size = torch.export.Dim("size", min=2, max=1000)
    x, y = torch.randn(2, 60, device=device).unbind()
    exported = torch.export.export(Doubled(), (x, y), dynamic_shapes=({0: size}, {0: size}))
    path = str(tmp_path / "doubled.pt2")
    torch._inductor.aoti_compile_and_package(exported, package_path=path)
    loaded = torch._inductor.aoti_load_package(path)
    for count in (60, 7):
        assert torch.equal(loaded(x[:count], y[:count]), (x[:count] + y[:count]) * 2)
