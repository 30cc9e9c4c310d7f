"""What is compiled of a configuration: its kernel, and those that make its packed copies."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import pytest

from ninetoothed.artifacts.artifact import Artifact, Binary, Packing
from ninetoothed.runtime.launch.loaded import Host
from ninetoothed.runtime.toolchain import pool
from ninetoothed.runtime.tuning.candidates import (
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
