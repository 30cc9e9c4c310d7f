"""Kernels on DTensors that are placed at random: the results are those of whole tensors.

Functions that take a mesh run on its ranks.
"""

from __future__ import annotations

import random
from typing import Any

import pytest
import torch
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.tensor import Replicate, Shard

import examples.addmm
import examples.bmm
import examples.layer_norm
from ninetoothed.kernel.allocating_kernel import AllocatingKernel
from tests.support.mesh_ranks import MeshRanks, close, placed

ROUNDS = 8
SIZES = (1, 2, 3, 4, 5, 7, 8, 9)

bmm = AllocatingKernel.of(examples.bmm.bmm_kernel, ("output",))
addmm = AllocatingKernel.of(examples.addmm.addmm_kernel, ("output",))
layer_norm = AllocatingKernel.of(examples.layer_norm.layer_norm_kernel, {"output": "input"})


def random_placements(mesh: DeviceMesh) -> None:
    # All ranks draw the same.
    drawn = random.Random(0)
    is_split = False
    for _ in range(ROUNDS):
        b, m, k, n = (drawn.choice(SIZES) for _ in range(4))
        calls: list[tuple[Any, list[tuple[int, ...]], tuple[float, ...]]] = [
            (bmm, [(b, m, k), (b, k, n)], ()),
            (addmm, [(m, n), (m, k), (k, n)], (0.5, 2.0)),
            (layer_norm, [(m, k), (k,), (k,)], (1e-5,)),
        ]
        for kernel, shapes, numbers in calls:
            whole = [torch.randn(shape) for shape in shapes]
            split: list[Any] = []
            for tensor in whole:
                choices: list[Any] = [Replicate(), *[Shard(dim) for dim in range(tensor.ndim)]]
                split.append(placed(mesh, tensor, *drawn.choices(choices, k=mesh.ndim)))
            found = kernel(*split, *numbers)
            close(found, kernel(*whole, *numbers))
            is_split = is_split or any(not one.is_replicate() for one in found.placements)
    assert is_split


@pytest.mark.parametrize("shape", [(3,), (2, 2)], ids=str)
def test_random_placements(ranks: MeshRanks, shape: tuple[int, ...]) -> None:
    ranks(shape, random_placements)
