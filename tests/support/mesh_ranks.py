"""Processes that run a function of a test together, as the ranks of a mesh, and what such functions
share.
"""

from __future__ import annotations

import importlib
import multiprocessing
import os
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.distributed
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.tensor import DTensor, Partial, distribute_tensor
from torch.distributed.tensor.debug import CommDebugMode

from ninetoothed.errors import NineToothedError, PlacementError

LONGEST_S = 120
"""How long ranks may take: those that wait for one that is gone would wait forever."""

COUNT = 4
MESHES = ((2,), (3,), (4,), (2, 2))
"""Shapes of meshes, of the first of the ranks."""


class MeshRanks:
    """Four processes of one group of torch's, with the back end gloo. They are started once, and
    again after a failure.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._starts = 0
        self._processes: list[Any] = []
        self._connections: list[Any] = []

    def __call__(self, shape: tuple[int, ...], function: Callable[..., Any], *args: Any) -> None:
        """Call a function of a module on each rank of a mesh, which it is given first.

        Raises:
            AssertionError: it failed on one.
        """
        if not self._processes:
            self._start()
        ranks = torch.Size(shape).numel()
        for one in self._connections[:ranks]:
            one.send((shape, function.__module__, function.__qualname__, args))
        waiting: list[Any] = self._connections[:ranks]
        while waiting:
            ready: list[Any] = [*wait(waiting, LONGEST_S)]
            failure = "".join(one.recv() for one in ready) if ready else "ranks do not answer"
            if failure:
                self.stop()
                raise AssertionError(failure)
            waiting = [one for one in waiting if one not in ready]

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._starts += 1
        store = self._folder / f"store{self._starts}"
        for rank in range(COUNT):
            ours, theirs = context.Pipe()
            process = context.Process(target=_serve, args=(rank, str(store), theirs), daemon=True)
            process.start()
            theirs.close()
            self._processes.append(process)
            self._connections.append(ours)

    def stop(self) -> None:
        """End the processes."""
        for one in self._processes:
            one.kill()
        for one in self._processes:
            one.join()
        self._processes.clear()
        self._connections.clear()


def _serve(rank: int, store: str, connection: Connection) -> None:
    """Run functions until the process is ended; it sends back how one failed, or an empty text."""
    torch.set_num_threads(1)
    # torch's cache of compiled graphs takes ranks for one another whose parts are uneven.
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = f"{store}-graphs{rank}"
    torch.distributed.init_process_group(
        "gloo", init_method=f"file://{store}", rank=rank, world_size=COUNT
    )
    meshes = {
        shape: DeviceMesh("cpu", torch.arange(torch.Size(shape).numel()).view(shape))
        for shape in MESHES
    }
    while True:
        shape, module, name, args = connection.recv()
        try:
            torch.manual_seed(0)
            getattr(importlib.import_module(module), name)(meshes[shape], *args)
        except BaseException:
            connection.send(f"rank {rank}:\n{traceback.format_exc()}")
        else:
            connection.send("")


def close(found: Any, expected: torch.Tensor) -> None:
    """Check a DTensor's elements."""
    torch.testing.assert_close(found.full_tensor(), expected, rtol=1e-4, atol=1e-4)


def placed(mesh: DeviceMesh, tensor: torch.Tensor, *placements: Any) -> DTensor:
    """A DTensor; of parts of sums, the first rank has all."""
    if not any(isinstance(one, Partial) for one in placements):
        return distribute_tensor(tensor, mesh, placements)
    first = all(place == 0 for place in mesh.get_coordinate() or ())
    return DTensor.from_local(tensor if first else torch.zeros_like(tensor), mesh, placements)


def collectives(function: Any) -> tuple[Any, dict[str, int]]:
    """What a function returns, and how often it called each collective operation."""
    with CommDebugMode() as found:
        result = function()
    counts = found.get_comm_counts().items()
    return result, {str(one).split(".")[-1]: count for one, count in counts}


def refused(function: Any, kind: type[NineToothedError] = PlacementError) -> str:
    """The message of the error that a call raises."""
    with pytest.raises(NineToothedError) as error:
        function()
    assert type(error.value) is kind
    return error.value.message
