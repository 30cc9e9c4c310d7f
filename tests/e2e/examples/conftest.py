"""Where the examples are tested, the examples for there, and their inputs."""

from __future__ import annotations

import functools

import pytest
import torch

from examples.runner import Draw
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
