"""``kernel.view``: the page of a call."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from examples.matmul import matmul_kernel
from ninetoothed.errors import ArgumentError, DeviceError
from ninetoothed.view import collection
from tests.support.view_pages import data_of


@pytest.fixture(autouse=True)
def without_triton(monkeypatch: pytest.MonkeyPatch) -> None:
    def inspect(*_: object) -> None:
        raise DeviceError("Triton is not installed")

    monkeypatch.setattr(collection, "inspect", inspect)


def test_the_page_is_of_the_kernel_that_the_call_launches(tmp_path: Path) -> None:
    path = tmp_path / "matmul.html"
    tensors = [torch.empty(512, 512, dtype=torch.float16) for _ in range(3)]
    config = matmul_kernel.configs[0]
    matmul_kernel.view(path, *tensors, config=config)
    data = data_of(path.read_text(encoding="utf-8"))
    assert data["kernel"] == "matmul_kernel"
    assert [pair for pair in data["config"] if pair[0].startswith("BLOCK")] == [
        list(pair) for pair in config.values
    ]
    report = matmul_kernel.remarks(*tensors, config=config)
    assert data["full"] == report.full
    assert [row["message"] for row in data["remarks"]] == [one.message for one in report.remarks]
    assert any("x f16>" in line for line in data["texts"][0]["lines"])


def test_arguments_are_checked_as_those_of_a_call(tmp_path: Path) -> None:
    path = tmp_path / "matmul.html"
    with pytest.raises(ArgumentError, match="missing"):
        matmul_kernel.view(str(path), torch.empty(4, 5))
    assert not path.exists()
