"""The benchmark of programs of one head: both variants are right, and programs can be merged."""

from __future__ import annotations

import pytest
import torch

from benchmarks import tiny_programs
from benchmarks.tiny_programs import SIZES, VARIANTS, heads_kernel
from ninetoothed.testing import check_kernel


def test_smoke(capsys: pytest.CaptureFixture[str]) -> None:
    assert tiny_programs.main(["--smoke"]) == 0
    lines = [line.split("|")[1:-1] for line in capsys.readouterr().out.splitlines()]
    names = [[cell.strip() for cell in line] for line in lines]
    assert names[0][1:3] == [*VARIANTS]
    assert [line[0] for line in names[2:]] == [*SIZES]
    assert [line[1:3] for line in names[2:]] == [["called", "called"]] * len(SIZES)


def test_a_program_takes_several_heads() -> None:
    input, (cos, sin) = torch.randn(2, 3, 5, 10), torch.randn(2, 3, 5)
    wanted = tiny_programs.heads(input, cos, sin)
    output = torch.empty_like(input)
    ran = check_kernel(heads_kernel, (input, cos, sin, output), {"output": wanted}, levels="tt")
    assert {dict(config.choices).get("coarsened_programs") for config in ran} >= {None, 2, 32}
