"""Divisions by sizes, which are multiplications by the host's numbers."""

from __future__ import annotations

import pytest
import torch

import ninetoothed
from ninetoothed import Tensor
from ninetoothed.testing import check_kernel
from tests.e2e.test_alignment_facts import check_hints

LEVELS = {"cpu": ("nt", "tt"), "cuda": "nt"}


def flat(input, output):
    return tuple(tensor.flatten().tile((64,)) for tensor in (input, output))


def columns(input, output):
    """The elements column by column."""
    return tuple(tensor.permute((2, 1, 0)).flatten().tile((64,)) for tensor in (input, output))


def double(input, output):
    output = input * 2


FLAT = ninetoothed.make(flat, double, (Tensor(3), Tensor(3)), num_warps=4)
COLUMNS = ninetoothed.make(columns, double, (Tensor(3), Tensor(3)), num_warps=4)


@pytest.mark.parametrize(
    "shape",
    [(0, 3, 5), (3, 0, 5), (1, 1, 1), (1, 7, 1), (2, 3, 16), (3, 32, 31), (2, 65, 33), (5, 16, 48)],
    ids=str,
)
@pytest.mark.parametrize("kernel", [FLAT, COLUMNS], ids=["rows", "columns"])
def test_dims_that_lie_apart(
    device: str,
    kernel: ninetoothed.Kernel,
    shape: tuple[int, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    check_hints(monkeypatch)
    a, b, c = shape
    x = torch.randn(a, b + 1, c + 16, device=device)[:, :b, :c]
    outputs = torch.full_like(x, 7), torch.full_like(x.float(), 7).contiguous()
    for output in outputs:
        check_kernel(kernel, (x, output), {"output": x * 2}, levels=LEVELS[device])


def test_numbers_of_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    assert FLAT.source(language="ttir").count("tt.mulhiui") == 4
    monkeypatch.setenv("NINETOOTHED_DISABLE_OPTIMIZATIONS", "reciprocals")
    assert "tt.mulhiui" not in FLAT.source(language="ttir")
