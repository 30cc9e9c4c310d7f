"""The benchmark of attention by two warp groups: it compiles, and is right on a GPU."""

from __future__ import annotations

import itertools

import pytest

from benchmarks import warp_groups
from benchmarks.warp_groups import SIZES, VARIANTS


@pytest.mark.parametrize("columns", [1, pytest.param(3, marks=pytest.mark.gpu)])
def test_smoke(capsys: pytest.CaptureFixture[str], columns: int) -> None:
    """On a GPU, results are compared."""
    assert warp_groups.main(["--smoke"]) == 0
    lines = [line.split("|")[1:-1] for line in capsys.readouterr().out.splitlines()]
    names = [[cell.strip() for cell in line] for line in lines]
    assert names[0][1:4] == [*VARIANTS]
    assert [line[0] for line in names[2:]] == [*SIZES]
    assert all(line[1:4].count("called") >= columns for line in names[2:])


@pytest.mark.parametrize("dim", [64, 128])
@pytest.mark.filterwarnings("ignore:TRITON_DEFAULT_FP_FUSION")
def test_products_run_beside_the_softmax(dim: int) -> None:
    """Eight warps compute and one copies; weights are computed while a product is at work."""
    gluon_attention = pytest.importorskip("benchmarks.triton_kernels.gluon_attention")
    compiled = gluon_attention.compiled(dim)
    assert compiled.metadata.num_warps == 12
    lines = compiled.asm["ptx"].splitlines()
    waits = [place for place, line in enumerate(lines) if "wgmma.wait_group.sync" in line]
    begun, ended = next(pair for pair in itertools.pairwise(waits) if "aligned 1" in lines[pair[0]])
    assert sum("ex2.approx" in line for line in lines[begun:ended]) >= 64
