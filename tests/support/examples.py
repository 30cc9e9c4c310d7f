"""The examples, as the tests take them: for every place where a kernel can run."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from types import ModuleType

import pytest

from ninetoothed import configurations
from ninetoothed.kernel import Kernel
from tests.support.imports import ROOT

FOLDER = ROOT / "examples"
NAMES = sorted(
    path.stem for path in FOLDER.glob("*.py") if path.stem not in ("__init__", "demo", "runner")
)
"""The examples, by file name."""


@dataclass(frozen=True)
class Place:
    """A device, and what kernels for it are emitted as."""

    device: str
    backend: str

    @property
    def is_gpu(self) -> bool:
        """Whether it is a GPU, where sizes may be large."""
        return self.device != "cpu"


PLACES = (
    pytest.param(Place("cpu", "ttir"), id="cpu"),
    *(
        pytest.param(Place("cuda", backend), id=backend, marks=pytest.mark.gpu)
        for backend in ("ttir", "triton-python")
    ),
)
places = pytest.mark.parametrize("place", PLACES)
"""Runs a test on the CPU and, on a GPU, with both backends."""


@cache
def _loaded(name: str, backend: str) -> ModuleType:
    path = FOLDER / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"{name}_{backend.replace('-', '_')}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def load(name: str, place: Place, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The example ``name`` as a module of its own, whose kernels are emitted as ``place`` says.

    The setting stands while the test runs, so that kernels that the example makes later follow it.
    So does a limit on how many configurations are compiled: the first ones.
    """
    monkeypatch.setenv("NINETOOTHED_BACKEND", place.backend)
    monkeypatch.setattr(configurations, "LIMIT", 3)
    return _loaded(name, place.backend)


def kernels(module: ModuleType) -> Iterator[Kernel]:
    """The kernels that a module made when it was imported."""
    return (value for value in vars(module).values() if isinstance(value, Kernel))
