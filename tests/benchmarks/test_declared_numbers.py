"""The benchmark of declared numbers: its kernels run, and mean the same in all variants."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from benchmarks import declared_numbers
from benchmarks.declared_numbers import KERNELS, VARIANTS


def test_smoke(capsys: pytest.CaptureFixture[str]) -> None:
    assert declared_numbers.main(["--smoke"]) == 0
    lines = [line.replace("|", " ").split() for line in capsys.readouterr().out.splitlines()]
    assert lines[0][-3:] == [*VARIANTS]
    assert [line[0] for line in lines[2:]] == [*KERNELS]


@pytest.mark.parametrize("name", KERNELS)
def test_variants_agree(name: str) -> None:
    results: list[torch.Tensor] = []
    for variant in VARIANTS:
        torch.manual_seed(0)
        call: Any = KERNELS[name](variant, "cpu", True)
        call()
        results.append(call.args[-1])
    undeclared, declared, double = results
    assert torch.equal(undeclared, declared)
    torch.testing.assert_close(declared, double)
