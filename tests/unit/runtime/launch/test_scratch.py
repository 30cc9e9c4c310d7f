"""Scratch memory that the programs of a launch share: allocated by each launch, and passed last."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import pytest
import torch

from ninetoothed.artifacts.artifact import Artifact, Scratch
from ninetoothed.errors import ConfigurationError, DeviceError, ScratchError
from ninetoothed.runtime.launch import device
from tests.support import driver_stub
from tests.support.launching import TYPES, Called, Gpu, artifact, bits, call, kernel

pytestmark = pytest.mark.skipif(not driver_stub.available(), reason="there is no C compiler")

Memories = list[torch.Tensor]


@pytest.fixture
def memories(monkeypatch: pytest.MonkeyPatch) -> Memories:
    """What torch allocated, filled with ones."""
    found: Memories = []
    real = torch.empty

    def allocated(size: Any, dtype: Any = None, device: Any = None) -> torch.Tensor:
        if device is None:
            return real(size, dtype=dtype)
        assert (dtype, device) == (torch.uint8, torch.device("cuda", 0))
        found.append(torch.ones(size, dtype=dtype))
        return found[-1]

    monkeypatch.setattr(torch, "empty", allocated)
    return found


def sharing() -> Artifact:
    """A kernel with partial results of 8 bytes a program, and a counter."""
    types = (*TYPES, ("partials", "*fp32"), ("arrivals", "*i32"))
    return replace(artifact(types=types), scratch=(Scratch(8), Scratch(4, zeroed=True)))


def test_each_launch_has_its_own(gpu: Gpu, memories: Memories) -> None:
    called = Called(gpu, description=sharing())
    x, y, scale, out = given = call()
    assert [called(*given) for _ in range(3)] == [False, True, True]
    wanted = (7, x.data_ptr(), y.data_ptr(), bits(scale), out.data_ptr(), 100)
    for launched, memory in zip(gpu.launched(), memories, strict=True):
        assert launched == (*wanted, memory.data_ptr() + 256, memory.data_ptr())
        assert memory.tolist() == [0] * 28 + [1] * (256 - 28 + 56)


def test_several_lie_in_one_tensor(gpu: Gpu, memories: Memories) -> None:
    """What is zeroed, and then what is not; each begins where a tensor may."""
    types = (*TYPES, ("one", "*fp32"), ("two", "*i32"), ("three", "*fp32"), ("four", "*i32"))
    scratch = (Scratch(8), Scratch(4, zeroed=True), Scratch(100), Scratch(1, zeroed=True))
    called = Called(gpu, description=replace(artifact(types=types), scratch=scratch))
    called(*call())
    ((launched,), (memory,)) = gpu.launched(), memories
    starts = [address - memory.data_ptr() for address in launched[-4:]]
    assert starts == [512, 0, 768, 256]
    assert len(memory) == 768 + 700
    assert memory.nonzero().flatten().tolist() == [*range(256 + 7, 768 + 700)]


def test_a_thread_that_has_never_used_the_device(gpu: Gpu, memories: Memories) -> None:
    called = Called(gpu, description=sharing())
    thread = threading.Thread(target=called, args=call())
    thread.start()
    thread.join()
    assert len(gpu.launched()) == 1
    assert memories[0][:28].tolist() == [0] * 28


def test_memory_that_cannot_be_cleared(gpu: Gpu, memories: Memories) -> None:
    gpu.stub.fail("clear", 400)
    with pytest.raises(DeviceError, match=r"^launching k: NAME of 400 \(text of 400\)$"):
        kernel(gpu, sharing()).launch(call())
    assert gpu.launched() == []


def test_artifacts_say_how_much() -> None:
    one = sharing()
    assert Artifact.from_json(one.to_json()) == one
    assert [argument.name for argument in one.given] == [name for name, _ in TYPES]
    assert artifact().given == artifact().arguments


@pytest.mark.parametrize(("most", "has_room"), [("84", True), ("83", False), ("0", False)])
def test_the_setting_bounds_it(
    gpu: Gpu, memories: Memories, monkeypatch: pytest.MonkeyPatch, most: str, has_room: bool
) -> None:
    monkeypatch.setenv("NINETOOTHED_SCRATCH_SIZE", most)
    one = kernel(gpu, sharing())
    if has_room:
        assert one.launch(call()) is not None
        return
    with pytest.raises(ScratchError, match=f"needs 84 bytes .* allows {most}$"):
        one.launch(call())
    assert memories == []
    assert gpu.launched() == []


def test_a_setting_that_is_no_size(gpu: Gpu, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NINETOOTHED_SCRATCH_SIZE", "some")
    with pytest.raises(ConfigurationError, match=r"^NINETOOTHED_SCRATCH_SIZE must be .* for none"):
        kernel(gpu, sharing()).launch(call())


def test_memory_that_is_short(
    gpu: Gpu, memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A call like an earlier one goes the full way then, which says it."""
    called = Called(gpu, description=sharing())
    given = call()
    assert not called(*given)
    error: type[Exception] = torch.cuda.OutOfMemoryError

    def empty(*args: Any, **keywords: Any) -> torch.Tensor:
        raise error("CUDA out of memory")

    monkeypatch.setattr(torch, "empty", empty)
    monkeypatch.setattr(device, "out_of_memory", lambda: error)
    with pytest.raises(ScratchError, match="no memory left"):
        called(*given)
    assert called.full == 2
    assert len(gpu.launched()) == 1
