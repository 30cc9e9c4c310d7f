"""Packed copies: memory of its own in each launch, filled by a kernel that runs before."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch

from ninetoothed.artifacts.artifact import Artifact, Binary, Packing
from ninetoothed.artifacts.interface import Interface
from ninetoothed.errors import ScratchError
from ninetoothed.runtime import toolchain
from ninetoothed.runtime.launch import device
from ninetoothed.runtime.launch.loaded import Host, LoadedKernel
from ninetoothed.runtime.launch.packed import Layout
from tests.support import driver_stub
from tests.support.launching import Called, Gpu, artifact, host, interface, parameter

pytestmark = pytest.mark.skipif(not driver_stub.available(), reason="there is no C compiler")

COPY = artifact(
    host("x, x_packed", "x.data_ptr(), x_packed.data_ptr(), x_packed.shape[1]", "x.shape[0]"),
    "x x_packed",
    (("x", "*fp32"), ("x_packed", "*fp32"), ("n", "i32")),
    "x_packed",
)
KNOWN: Interface = interface(parameter("x")._replace(ndim=2), parameter("out"))


def packing() -> Artifact:
    """A kernel that reads a packed copy of `x`, whose rows have 16 elements."""
    source = host("x, out", "x.data_ptr(), out.data_ptr(), x.shape[1]", "out.shape[0]")
    source += "def packed(x, out):\n    return (((x.shape[0], 16), (16, 1)), )\n"
    types = (("x", "*fp32"), ("out", "*fp32"), ("n", "i32"))
    return replace(artifact(source, "x out", types), prologue=(Packing("x", (0,), COPY),))


class Packed(Called):
    """A kernel with packed copies, as users call it."""

    def __init__(self, gpu: Gpu, is_persistent: bool = False) -> None:
        super().__init__(gpu, KNOWN, artifact(types=(("x", "*fp32"), ("y", "*fp32"), ("n", "i32"))))
        driver, binary = toolchain.active_driver(), Binary(b"", "k", 0, 128)
        found = Host(replace(packing(), persistent=is_persistent))
        self.kernel = LoadedKernel(found, driver.load(binary), [driver.load(binary)])


@pytest.fixture
def memories(monkeypatch: pytest.MonkeyPatch) -> list[torch.Tensor]:
    """What torch allocated."""
    found: list[torch.Tensor] = []
    real = torch.empty

    def empty(size: Any, *, dtype: Any, device: Any) -> torch.Tensor:
        assert (dtype, device) == (torch.uint8, torch.device("cuda", 0))
        found.append(real(size, dtype=dtype))
        return found[-1]

    monkeypatch.setattr(torch, "empty", empty)
    return found


def call(rows: int = 5) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.zeros(rows, 13), torch.zeros(3)


def test_each_launch_has_its_own(gpu: Gpu, memories: list[torch.Tensor]) -> None:
    called = Packed(gpu)
    x, out = given = call()
    assert [called(*given) for _ in range(3)] == [False, True, True]
    assert [one.numel() for one in memories] == [5 * 16 * 4] * 3
    launched = gpu.launched()
    for copy, kernel, memory in zip(launched[::2], launched[1::2], memories, strict=True):
        assert copy == (5, x.data_ptr(), memory.data_ptr(), 16)
        assert kernel == (3, memory.data_ptr(), out.data_ptr(), 13)


def test_repeated_calls_of_other_tensors(gpu: Gpu, memories: list[torch.Tensor]) -> None:
    called = Packed(gpu)
    assert not called(*call())
    x, out = given = call()
    assert called(*given)
    copy, kernel = gpu.launched()[-2:]
    assert copy[1:3] == (x.data_ptr(), memories[-1].data_ptr())
    assert kernel[1:3] == (memories[-1].data_ptr(), out.data_ptr())


def test_of_persistent_programs_as_many_as_run_at_once(
    gpu: Gpu, memories: list[torch.Tensor]
) -> None:
    """Those that make the copies are others."""
    gpu.stub.set(multiprocessors=1)
    called = Packed(gpu, is_persistent=True)
    given = call()
    assert [called(*given) for _ in range(3)] == [False, True, True]
    assert [launched[0] for launched in gpu.launched()] == [5, 2] * 3


def test_nothing_is_copied_of_nothing(gpu: Gpu, memories: list[torch.Tensor]) -> None:
    called = Packed(gpu)
    assert not called(*call(0))
    assert [launched[0] for launched in gpu.launched()] == [3]
    assert [one.numel() for one in memories] == [0]


@pytest.mark.parametrize(("most", "has_room"), [("320", True), ("319", False)])
def test_the_setting_bounds_it(
    gpu: Gpu,
    memories: list[torch.Tensor],
    monkeypatch: pytest.MonkeyPatch,
    most: str,
    has_room: bool,
) -> None:
    monkeypatch.setenv("NINETOOTHED_SCRATCH_SIZE", most)
    kernel = Packed(gpu).kernel
    if has_room:
        assert kernel.launch(call()) is not None
        return
    with pytest.raises(ScratchError, match=f"needs 320 bytes .* allows {most}$"):
        kernel.launch(call())
    assert memories == []
    assert gpu.launched() == []


def test_memory_that_is_short(gpu: Gpu, monkeypatch: pytest.MonkeyPatch) -> None:
    error: type[Exception] = torch.cuda.OutOfMemoryError

    def empty(*args: Any, **keywords: Any) -> torch.Tensor:
        raise error("CUDA out of memory")

    monkeypatch.setattr(torch, "empty", empty)
    monkeypatch.setattr(device, "out_of_memory", lambda: error)
    with pytest.raises(ScratchError, match="no memory left for the kernel's packed copies"):
        Packed(gpu).kernel.launch(call())
    assert gpu.launched() == []


def test_offsets_of_copies_have_32_bits() -> None:
    layout = Layout((1 << 27, 16), (16, 1))
    with pytest.raises(ScratchError, match=f"would have {1 << 31} elements"):
        layout.bytes(2)
    assert Layout((1 << 26, 16), (16, 1)).bytes(2) == 1 << 31
