"""The examples, as the tests take them: for every place where a kernel can run."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any

import pytest
import torch

from tests.support.imports import ROOT

FOLDER = ROOT / "examples"
OTHERS = ("__init__", "checks", "demo", "runner", "transformer")
"""Files in the folder besides examples."""
NAMES = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem not in OTHERS)
"""The examples, by file name."""


@dataclass(frozen=True)
class Place:
    """A device, and what kernels for it are emitted as."""

    device: str
    backend: str

    @property
    def is_gpu(self) -> bool:
        """True for a GPU, where sizes may be large."""
        return self.device != "cpu"


CPU = Place("cpu", "ttir")
GPU = Place("cuda", "ttir")
GPU_OF_PYTHON = Place("cuda", "triton-python")
NAMES_OF_PLACES = {CPU: "cpu", GPU: "ttir", GPU_OF_PYTHON: "triton-python"}


def _parametrized(names: str, *cases: tuple[Any, ...]) -> pytest.MarkDecorator:
    """Of each case the first value is a place, and GPUs need to be there."""
    return pytest.mark.parametrize(
        names,
        [
            pytest.param(
                *case,
                id="-".join([NAMES_OF_PLACES[case[0]], *map(str, case[1:])]),
                marks=pytest.mark.gpu if case[0].is_gpu else (),
            )
            for case in cases
        ],
    )


every_place = _parametrized("place", (CPU,), (GPU,), (GPU_OF_PYTHON,))
"""Runs a test on the CPU and, on a GPU, with both backends."""

kinds = _parametrized(
    "place, dtype, strided",
    (CPU, torch.float16, False),
    (CPU, torch.bfloat16, False),
    (CPU, torch.float32, False),
    (CPU, torch.float16, True),
    # Few: each kind compiles every kernel again, of every size.
    (GPU, torch.float16, False),
    (GPU, torch.bfloat16, True),
    (GPU_OF_PYTHON, torch.float16, False),
)
"""Runs a test for element types, and for contiguous and strided tensors, everywhere."""


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

    The settings stand while the test runs, for kernels, too, that the example makes only then. Only
    the most promising configuration of each is compiled.
    """
    monkeypatch.setenv("NINETOOTHED_BACKEND", place.backend)
    monkeypatch.setenv("NINETOOTHED_TUNE", "off")
    return _loaded(name, place.backend)


Load = Callable[[str], ModuleType]
"""Loads an example for the place of a test."""
