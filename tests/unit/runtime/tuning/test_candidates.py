"""What is compiled of a configuration: its kernel, and those that make its packed copies."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from examples.matmul import matmul_kernel
from ninetoothed.artifacts.artifact import Artifact, Binary, Packing
from ninetoothed.artifacts.capabilities import capabilities
from ninetoothed.artifacts.configuration import Config
from ninetoothed.artifacts.signature import Signature
from ninetoothed.artifacts.target import Target
from ninetoothed.calls.arguments import bind
from ninetoothed.runtime.launch.loaded import Host
from ninetoothed.runtime.toolchain import pool
from ninetoothed.runtime.tuning.candidates import (
    Absent,
    Candidates,
    Compiler,
    _compiled,  # pyright: ignore[reportPrivateUsage]
)
from tests.support.launching import artifact

COPY = replace(artifact(), name="copy")
KERNELS = [
    replace(artifact(), name="one", prologue=(Packing("x", (0,), COPY), Packing("y", (1,), COPY))),
    replace(artifact(), name="two"),
]


def compiled(
    monkeypatch: pytest.MonkeyPatch, *wrong: str
) -> tuple[list[str | list[str]], list[tuple[int, int]]]:
    """The names of what belongs together, or a reason; and how many of how many were done."""
    progress: list[tuple[int, int]] = []

    def compile(
        artifacts: Iterable[Artifact], on_done: Callable[[int, Binary | str], None]
    ) -> list[Binary | str]:
        found: list[Binary | str] = []
        for position, one in enumerate([*artifacts]):
            binary = Binary(b"", one.name, 0, 128)
            found.append(f"{one.name} is wrong" if one.name in wrong else binary)
            on_done(position, found[-1])
        return found

    monkeypatch.setattr(pool, "compile", compile)
    hosts = [Host(one) for one in KERNELS]
    rows = _compiled(hosts, lambda done, total: progress.append((done, total)))
    names = [row if isinstance(row, str) else [one.entry for one in row] for row in rows]
    return names, progress


def test_copies_are_compiled_with_their_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    found, progress = compiled(monkeypatch)
    assert found == [["one", "copy", "copy"], ["two"]]
    assert progress == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_a_kernel_without_its_copies_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    assert compiled(monkeypatch, "copy")[0] == ["copy is wrong", ["two"]]
    assert compiled(monkeypatch, "two")[0] == [["one", "copy", "copy"], "two is wrong"]


class Counting:
    """A compiler that notes of which kernel it makes each text: True of the full one."""

    def __init__(self, compiler: Compiler) -> None:
        self._compiler = compiler
        self.made: list[bool] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._compiler, name)

    def artifact(
        self, signature: Signature, config: Config, target: Target, full: bool = False
    ) -> Artifact:
        self.made.append(full)
        return self._compiler.artifact(signature, config, target, full)


@pytest.mark.parametrize(
    ("size", "made"),
    [
        # What guards hold for in one configuration, they mostly hold for in others.
        (512, [False, True, True, True]),
        (500, [False, False, False]),
    ],
)
def test_texts_that_no_call_needs_are_not_made(
    size: int, made: list[bool], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def compile(
        artifacts: Iterable[Artifact], on_done: Callable[[int, Binary | str], None]
    ) -> list[Binary | str]:
        return [Binary(b"", one.name, 0, 128) for one in artifacts]

    monkeypatch.setattr(pool, "compile", compile)
    monkeypatch.setenv("NINETOOTHED_CACHE_DIR", str(tmp_path))
    matrices = tuple(torch.empty(size, size, device="meta").half() for _ in range(3))
    arguments = bind(matmul_kernel.interface, matrices, {})
    counting: Any = Counting(matmul_kernel._compilation)  # pyright: ignore[reportPrivateUsage]
    target = Target.parse("sm_90")
    absent = Absent(target, capabilities(target).products[0])
    candidates = Candidates("matmul", counting, arguments.signature, absent)
    configs = [one for one in candidates.space.configs if max(v for _, v in one.values) <= 128][:3]
    assert candidates.compiled(configs, arguments.values) == configs
    assert counting.made == made
    # Other calls take the general one's, made when the first of them comes.
    counting.made.clear()
    assert candidates.compiled(configs, tuple(one[:-12, :-12] for one in matrices)) == configs
    assert counting.made == [False] * (len(made) - 2 if True in made else 0)
