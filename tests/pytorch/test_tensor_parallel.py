"""The benchmark of several GPUs: its products and its block are right, and reduce twice."""

from __future__ import annotations

import subprocess
import sys

import pytest
import torch
from torch.distributed.device_mesh import DeviceMesh

from benchmarks import tensor_parallel
from benchmarks.tensor_parallel import PRODUCTS, SMALL
from tests.support.mesh_ranks import MeshRanks, collectives


def calls(mesh: DeviceMesh) -> None:
    assert [*tensor_parallel.products(mesh, SMALL, torch.float32)] == [*PRODUCTS]
    for call in tensor_parallel.blocks(mesh, SMALL, torch.float32).values():
        assert collectives(call)[1] == {"all_reduce": 2}


def test_calls(ranks: MeshRanks) -> None:
    ranks((2,), calls)


def test_it_needs_ranks(capsys: pytest.CaptureFixture[str]) -> None:
    assert tensor_parallel.main(["--smoke"]) == 2
    assert capsys.readouterr().err == (
        "run it on several ranks, with torchrun; nothing was measured\n"
    )


def test_a_rank_alone() -> None:
    command = [sys.executable, "-m", "benchmarks.tensor_parallel", "--alone", "2", "--smoke"]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "called\n"


def test_there_is_a_rank(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        tensor_parallel.main(["--alone", "0", "--smoke"])
    assert "--alone takes the number of ranks, from 1, not 0" in capsys.readouterr().err
