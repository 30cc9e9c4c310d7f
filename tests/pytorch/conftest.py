"""Fixtures of the tests of torch's compiler."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch

from ninetoothed.kernel.kernel import Kernel
from tests.support.mesh_ranks import MeshRanks

_OF_TORCH = (
    "ignore:<class 'torch.autograd.function.Function'> should not be:DeprecationWarning",
    "ignore:`torch.jit.script_method` is deprecated:DeprecationWarning",
    "ignore:NestedTensor does not implement _stable_hash_for_caching",
)
"""Warnings that torch gives while it compiles, with or without kernels."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out torch's warnings of itself."""
    for item in items:
        for one in _OF_TORCH:
            item.add_marker(pytest.mark.filterwarnings(one))


@pytest.fixture(params=["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
def device(request: pytest.FixtureRequest) -> str:
    """The device of a test's tensors."""
    return request.param


@pytest.fixture
def launches(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the kernels that are called, in order."""
    found: list[str] = []
    called = Kernel.__call__

    def call(kernel: Kernel, *args: Any, **kwargs: Any) -> Any:
        found.append(kernel.__name__)
        return called(kernel, *args, **kwargs)

    monkeypatch.setattr(Kernel, "__call__", call)
    return found


@pytest.fixture(autouse=True)
def forgetful(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test compiles anew, and its kernels are not tuned."""
    monkeypatch.setenv("NINETOOTHED_TUNE", "off")
    torch._dynamo.reset()


@pytest.fixture(scope="session")
def ranks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MeshRanks]:
    """Processes that call a function together, each with its part of a mesh."""
    found = MeshRanks(tmp_path_factory.mktemp("ranks"))
    yield found
    found.stop()
