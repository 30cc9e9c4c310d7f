"""The devices of the tests of whole kernels."""

from __future__ import annotations

import importlib.util
from collections import defaultdict
from types import FunctionType, ModuleType

import pytest

from tests.support import profiles
from tests.support.triton_interpreter import LEFT_OUT, TRITON

_MOST = 8
"""Cases of a test that Triton's interpreter runs, unless all is tried."""


@pytest.fixture(
    params=[
        "cpu",
        pytest.param(TRITON, id="triton", marks=pytest.mark.triton_interpreter),
        pytest.param("cuda", marks=pytest.mark.gpu),
    ]
)
def device(request: pytest.FixtureRequest) -> str:
    """The CPU, the CPU with Triton's interpreter and, where there is one, a GPU.

    The second is for tests that run their kernels by ``everywhere``.
    """
    return request.param


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of the tests by Triton's interpreter, keep those that run kernels, a few cases each."""
    cases: dict[object, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.get_closest_marker("triton_interpreter") is not None:
            assert isinstance(item, pytest.Function)
            cases[item.function].append(item)
    kept = {item for function, found in cases.items() for item in _few(function, found)}
    items[:] = [
        item
        for item in items
        if item.get_closest_marker("triton_interpreter") is None or item in kept
    ]


def _few(function: object, items: list[pytest.Item]) -> list[pytest.Item]:
    module = items[0].getparent(pytest.Module)
    assert module is not None
    if (
        importlib.util.find_spec("triton") is None
        or module.path.stem in LEFT_OUT
        or not _calls_everywhere(function, module.obj)
    ):
        return []
    return items if profiles.full() else items[:: -(-len(items) // _MOST)]


def _calls_everywhere(function: object, module: ModuleType) -> bool:
    """True if a function of a test module calls ``everywhere``, or another one that does."""
    waiting, seen = [function], [function]
    while waiting:
        one = waiting.pop()
        if not isinstance(one, FunctionType):
            continue
        if "everywhere" in one.__code__.co_names:
            return True
        named = [getattr(module, name, None) for name in one.__code__.co_names]
        found = [other for other in named if isinstance(other, FunctionType) and other not in seen]
        seen += found
        waiting += found
    return False
