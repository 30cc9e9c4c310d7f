"""Rows that are the same are loaded once."""

from __future__ import annotations

import pytest
import torch

import ninetoothed
from examples.addmm import addmm, addmm_kernel
from ninetoothed import Tensor
from ninetoothed.artifacts.configuration import Config
from ninetoothed.artifacts.target import DEFAULT_TARGET, Target
from ninetoothed.calls.arguments import bind
from ninetoothed.compiler.compile import compile_kernel
from ninetoothed.testing import check_kernel

LEVELS = {"cpu": ("nt", "tt"), "cuda": "nt"}
TARGET = Target.parse(DEFAULT_TARGET)


def arrangement(x, y, output):
    return tuple(tensor.tile((32, 64)) for tensor in (x, y, output))


def add(x, y, output):
    output = x + y


ADD = ninetoothed.make(arrangement, add, tuple(Tensor(2, other=3) for _ in range(3)), num_warps=4)


def expanded(kind: str, m: int, n: int, device: str) -> torch.Tensor:
    """A matrix whose rows, columns, or elements are one."""
    sizes = {"rows": (1, n), "columns": (m, 1), "elements": (1, 1), "none": (m, n)}[kind]
    return torch.randn(sizes, device=device).expand(m, n)


@pytest.mark.parametrize("sizes", [(64, 128), (33, 65), (1, 64), (64, 1), (0, 64)], ids=str)
@pytest.mark.parametrize("kind", ["rows", "columns", "elements", "none"])
def test_a_sum_of_what_is_expanded(device: str, kind: str, sizes: tuple[int, int]) -> None:
    x, y = torch.randn(sizes, device=device), expanded(kind, *sizes, device)
    output = torch.full_like(x, 7)
    check_kernel(ADD, (x, y, output), {"output": x + y}, levels=LEVELS[device])


def test_a_row_is_added_to_a_product(device: str) -> None:
    row, one, other = (torch.randn(size, device=device) for size in ((96,), (64, 32), (32, 96)))
    expected = torch.addmm(row.double(), one.double(), other.double(), beta=0.5, alpha=2.0)
    # Tensor cores round what they multiply to tf32.
    atol = 2e-1 if device == "cuda" else 1e-5
    found = addmm(row, one, other, 0.5, 2.0).double()
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=atol)


def test_what_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    def shapes(value: torch.Tensor) -> tuple[bool, bool]:
        """Whether a row, and whether a block of what is added is loaded."""
        values = (value, half(256, 256), half(256, 256), 1.0, 1.0, half(256, 256))
        signature = bind(addmm_kernel.definition.interface, values, {}).signature
        module = addmm_kernel.composed(signature)
        sizes = [name for name, _ in addmm_kernel.configs[0].values]
        config = Config(tuple(zip(sizes, (64, 128, 32), strict=True)), 4, 3)
        text = compile_kernel(module, signature, config, TARGET, "ttir", full=True).text
        loads = [line for line in text.splitlines() if '"tt.load"' in line]
        return any("<1x128x" in line for line in loads), any("<64x128x" in line for line in loads)

    def half(*shape: int) -> torch.Tensor:
        return torch.empty(shape, dtype=torch.float16, device="meta")

    assert shapes(half(256).expand(256, 256)) == (True, False)
    assert shapes(half(256, 256)) == (False, True)
    monkeypatch.setenv("NINETOOTHED_DISABLE_OPTIMIZATIONS", "broadcast_loads")
    assert shapes(half(256).expand(256, 256)) == (False, True)
