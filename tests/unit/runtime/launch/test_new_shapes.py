"""Shapes that a kernel was not called with are remembered, and kept when they come back."""

from __future__ import annotations

import gc
import random
from typing import Any

import pytest
import torch

from ninetoothed.calls.numbers import number_class
from ninetoothed.runtime.launch.launch_cache import MOST, LaunchCache
from tests.support import driver_stub
from tests.support.launching import (
    ADD,
    Call,
    Called,
    Gpu,
    call,
    kernel,
)

pytestmark = pytest.mark.skipif(not driver_stub.available(), reason="there is no C compiler")


def test_nothing_is_kept_at_first() -> None:
    assert not LaunchCache(ADD, number_class).launch(call(), {})


def test_a_call_is_kept_the_second_time(gpu: Gpu) -> None:
    launches = kernel(gpu)
    repeated = LaunchCache(ADD, number_class)

    def found(args: Call) -> bool | None:
        """What the cache finds of a call, which is launched and kept where it is to be."""
        found = repeated.launch(args, {})
        if found is None:
            launched = launches.launch(args)
            assert launched is not None
            repeated.keep(args, {}, args, launched)
        return found

    # The kernel's first call, and the first of other shapes.
    assert found(call(100)) is None
    assert found(call(200)) is False
    assert not launches.loaded.is_kept
    assert found(call(100, scale=2.5)) is None
    assert launches.loaded.is_kept
    assert found(call(100)) is True
    assert found(call(200)) is None
    assert found(call(200)) is True
    # Numbers of another type are another kind, whose shapes are as good as new.
    assert found(call(200, scale=3)) is False


class Read:
    """A tensor, and what was read of it, in order."""

    def __init__(self, tensor: torch.Tensor) -> None:
        self.tensor = tensor
        self.found: list[str] = []

    def __getattr__(self, name: str) -> Any:
        self.found.append(name)
        return getattr(self.tensor, name)


def test_of_new_shapes_no_more_is_read(gpu: Gpu) -> None:
    args = call(100)
    launched = kernel(gpu).launch(args)
    assert launched is not None
    repeated = LaunchCache(ADD, number_class)
    repeated.keep(args, {}, args, launched)
    x, y, scale, out = call(200)
    tensors = [Read(one) for one in (x, y, out)]
    assert repeated.launch((*tensors[:2], scale, tensors[2]), {}) is False
    assert [one.found for one in tensors] == [["data_ptr", "shape"]] * 3


def test_the_number_of_launches_is_bounded(gpu: Gpu) -> None:
    called = Called(gpu)
    sizes = range(16, MOST + 200)
    tensors = torch.empty(3, 64 * 128)
    drawn = random.getstate()
    for size in sizes:
        x, y, out = tensors[:, :size]
        called(x, y, 0.5, out)
    assert called.full == len(sizes)
    assert random.getstate() == drawn
    again = 0
    for size in sizes:
        x, y, out = tensors[:, :size]
        again += bool(called.repeated.launch((x, y, 0.5, out), {}))
    # Calls that alternate find nearly all that there is room for.
    assert again == MOST


def test_calls_that_take_turns_are_kept(gpu: Gpu) -> None:
    launched = kernel(gpu).launch(call())
    assert launched is not None
    repeated = LaunchCache(ADD, number_class)
    tensors = torch.empty(3, 64 * 128)
    sizes = range(16, MOST + 16)
    for _ in range(2):
        for size in sizes:
            x, y, out = tensors[:, :size]
            args = (x, y, 0.5, out)
            if repeated.launch(args, {}) is None:
                repeated.keep(args, {}, args, launched)
    for size in sizes:
        x, y, out = tensors[:, :size]
        assert repeated.launch((x, y, 0.5, out), {})


def test_memory_is_flat(gpu: Gpu) -> None:
    called = Called(gpu)
    tensors = torch.empty(3, 64 * 128)

    def calls() -> int:
        for size in range(16, 216):
            x, y, out = tensors[:, :size]
            called(x, y, 0.5, out)
        gc.collect()
        return len(gc.get_objects())

    calls()
    calls()
    objects = calls()
    # A leak would be one object a call at least; what others leave may go meanwhile.
    assert calls() - objects < 100
    assert called.full == 200
