"""The devices of the tests of whole kernels."""

from __future__ import annotations

from types import FunctionType, ModuleType

import pytest

from tests.support.triton_interpreter import TRITON


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
    """Without ``everywhere``, tests would run twice on the CPU."""
    items[:] = [item for item in items if not _is_repeated(item)]


def _is_repeated(item: pytest.Item) -> bool:
    if not isinstance(item, pytest.Function) or not hasattr(item, "callspec"):
        return False
    return item.callspec.params.get("device") is TRITON and not _calls_everywhere(
        item.function, item.module
    )


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
