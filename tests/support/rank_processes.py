"""Processes that are the ranks of a process group, each with a fake GPU."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Generator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

import pytest

from tests.support.dispatching import World, fake_world

_P = ParamSpec("_P")
_R = TypeVar("_R")

_SECONDS = 120.0


class Ranks:
    """The processes of a group."""

    def __init__(self, folder: Path, connections: list[Connection[Any, Any]]) -> None:
        self._folder = folder
        self._connections = connections
        self._runs = 0

    def run(
        self,
        function: Callable[Concatenate[World, int, _P], _R],
        *args: _P.args,
        **kwargs: _P.kwargs,
    ) -> list[_R]:
        """What ``function`` of an own world and of the rank returns on each of them; it is
        imported there. Each rank has a new cache folder.
        """
        self._runs += 1
        for rank, connection in enumerate(self._connections):
            folder = self._folder / f"{self._runs}" / f"{rank}"
            connection.send((function, args, kwargs, folder))
        for rank, connection in enumerate(self._connections):
            if not connection.poll(_SECONDS):
                raise AssertionError(f"rank {rank} is left waiting")
        found = [connection.recv() for connection in self._connections]
        wrong = [one for one in found if isinstance(one, BaseException)]
        if wrong:
            raise wrong[0]
        return found


@contextmanager
def ranks(count: int, folder: Path) -> Generator[Ranks]:
    """Ranks of a group of gloo's, until the end of the block."""
    context = multiprocessing.get_context("spawn")
    pipes = [context.Pipe() for _ in range(count)]
    store = folder / "store"
    processes = [
        context.Process(target=_serve, args=(rank, count, store, there), daemon=True)
        for rank, (_, there) in enumerate(pipes)
    ]
    for process in processes:
        process.start()
    try:
        yield Ranks(folder, [here for here, _ in pipes])
        for here, _ in pipes:
            here.send(None)
        for process in processes:
            process.join(_SECONDS)
    finally:
        for process in processes:
            process.terminate()


def _serve(rank: int, count: int, store: Path, connection: Connection[Any, Any]) -> None:
    import torch.distributed as dist

    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=count)
    while (task := connection.recv()) is not None:
        function, args, kwargs, folder = task
        folder.mkdir(parents=True)
        with pytest.MonkeyPatch.context() as monkeypatch:
            try:
                connection.send(function(fake_world(folder, monkeypatch), rank, *args, **kwargs))
            except BaseException as error:
                connection.send(error)
    dist.destroy_process_group()
