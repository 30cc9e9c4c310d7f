"""Where the examples are tested, the examples for there, and their inputs."""

from __future__ import annotations

import functools
from typing import Any

import pytest
import torch

from examples.runner import Draw
from ninetoothed.artifacts.signature import Signature
from ninetoothed.calls import places as devices
from ninetoothed.calls.aliasing import is_tensor
from ninetoothed.calls.guard_bands import banded, stray_write
from ninetoothed.calls.sequences import elements_of
from ninetoothed.runtime.dispatch import Dispatcher
from tests.support import examples
from tests.support.examples import CPU, GPU, NAMES_OF_PLACES, Load, Place


@pytest.fixture(
    params=[CPU, pytest.param(GPU, marks=pytest.mark.gpu)], ids=NAMES_OF_PLACES.__getitem__
)
def place(request: pytest.FixtureRequest) -> Place:
    """The CPU and a GPU, unless a test names its places."""
    return request.param


@pytest.fixture
def dtype() -> torch.dtype:
    """The element type of what ``draw`` draws, unless a test names its own."""
    return torch.float32


@pytest.fixture
def strided() -> bool:
    """Contiguous tensors, unless a test names its own."""
    return False


@pytest.fixture
def draw(place: Place, dtype: torch.dtype, strided: bool) -> Draw:
    """Draws the inputs of a test."""
    return Draw(place.device, dtype, strided)


@pytest.fixture
def load(place: Place, monkeypatch: pytest.MonkeyPatch) -> Load:
    """Loads examples for the place."""
    return functools.partial(examples.load, place=place, monkeypatch=monkeypatch)


@pytest.fixture(autouse=True)
def guard_bands(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a GPU, each launch is one on copies with guard bands, which stay as they are."""
    if not place.is_gpu:
        return
    launch = Dispatcher.launch

    def launch_on_copies(
        dispatcher: Dispatcher,
        signature: Signature,
        values: tuple[Any, ...],
        place: devices.Place | None = None,
    ) -> None:
        copies = tuple(banded(values))
        launch(dispatcher, signature, copies, place)
        assert stray_write(values, copies) is None
        for value, copy in zip(map(elements_of, values), map(elements_of, copies), strict=True):
            if is_tensor(value):
                band = (copy.storage_offset() - value.storage_offset()) * value.itemsize
                memory(value).copy_(memory(copy)[band : len(memory(copy)) - band])

    monkeypatch.setattr(Dispatcher, "launch", launch_on_copies)


def memory(tensor: torch.Tensor) -> torch.Tensor:
    """All bytes that the tensor's storage has."""
    return tensor.new_empty(0, dtype=torch.uint8).set_(tensor.untyped_storage())
