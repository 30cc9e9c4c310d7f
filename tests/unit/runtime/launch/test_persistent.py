"""Persistent programs: a launch starts no more than run at once, whichever way it goes."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import pytest
import torch

from ninetoothed.artifacts.artifact import Artifact, Scratch
from ninetoothed.errors import DeviceError, FallbackError
from ninetoothed.runtime.launch.loaded import MAX_PROGRAMS
from ninetoothed.runtime.toolchain.triton.drivers import HIP
from tests.support import driver_stub
from tests.support.driver_stub import Stub
from tests.support.launching import SOURCE, TYPES, Called, Gpu, artifact, call, host, kernel

pytestmark = pytest.mark.skipif(not driver_stub.available(), reason="there is no C compiler")

AT_ONCE = 8
"""Of a kernel, on the fake GPU."""


def persistent(source: str = SOURCE) -> Artifact:
    return replace(artifact(source), persistent=True)


def test_as_many_as_run_at_once(gpu: Gpu) -> None:
    """Calls with less work start as many as they have."""
    called = Called(gpu, description=persistent())
    for size in (1000, 112, 111, 15):
        given = call(size)
        assert [called(*given) for _ in range(3)] == [False, True, True]
    programs = [launched[0] for launched in gpu.launched()]
    assert programs == [8] * 6 + [7] * 3 + [1] * 3
    # It is asked of once.
    assert gpu.stub.occupancy_asked == 1


def test_others_start_all(gpu: Gpu) -> None:
    Called(gpu)(*call(1000))
    assert [launched[0] for launched in gpu.launched()] == [63]
    assert gpu.stub.occupancy_asked == 0


def test_nothing_to_do(gpu: Gpu) -> None:
    source = host("x, y, scale, out", "x.data_ptr(), 0, scale, 0, 0", "x.shape[0]")
    assert kernel(gpu, persistent(source)).launch(call(0)) is None
    assert gpu.launched() == []


def test_scratch_memory_is_of_those_that_are_launched(
    gpu: Gpu, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    real = torch.empty

    def empty(size: Any, dtype: Any = None, device: Any = None) -> torch.Tensor:
        if device is not None:
            sizes.append(size)
        return real(size, dtype=dtype)

    monkeypatch.setattr(torch, "empty", empty)
    monkeypatch.setenv("NINETOOTHED_SCRATCH_SIZE", str(AT_ONCE * 4))
    types = (*TYPES, ("memory", "*fp32"))
    found = replace(artifact(types=types), persistent=True, scratch=(Scratch(4),))
    called = Called(gpu, description=found)
    given = call(1000)
    assert [called(*given), called(*given)] == [False, True]
    assert sizes == [AT_ONCE * 4] * 2


@pytest.mark.parametrize(
    ("programs", "counts"),
    [(MAX_PROGRAMS - AT_ONCE + 1, True), (MAX_PROGRAMS - AT_ONCE + 2, False)],
)
def test_the_number_behind_the_last_has_32_bits(gpu: Gpu, programs: int, counts: bool) -> None:
    source = host("x, y, scale, out", "0, 0, scale, 0, 0", str(programs))
    one = kernel(gpu, persistent(source))
    if counts:
        assert one.launch(call()) is not None
        return
    with pytest.raises(FallbackError, match="do not count up to"):
        one.launch(call())
    assert gpu.launched() == []


def test_a_driver_that_does_not_say(gpu: Gpu) -> None:
    one = kernel(gpu, persistent())
    gpu.stub.fail("occupancy", 400)
    with pytest.raises(DeviceError, match="asking how many programs of k run at once"):
        one.launch(call())
    # It is asked again.
    assert one.launch(call()) is not None


def test_one_that_takes_more_than_a_multiprocessor_has(gpu: Gpu) -> None:
    """A launch of it says so; one of no programs would not."""
    gpu.stub.set(per_multiprocessor=0)
    assert kernel(gpu, persistent()).launch(call(1000)) is not None
    assert gpu.launched()[0][0] == 4


def test_a_thread_that_has_never_used_the_device(gpu: Gpu) -> None:
    one = kernel(gpu, persistent())
    found: list[object] = []
    thread = threading.Thread(target=lambda: found.append(one.launch(call(1000))))
    thread.start()
    thread.join()
    assert len(found) == 1
    assert gpu.launched()[0][0] == AT_ONCE


def test_hip(gpu: Gpu) -> None:
    gpu.stub = Stub(HIP)
    gpu.stub.set(multiprocessors=3)
    assert kernel(gpu, persistent()).launch(call(1000)) is not None
    assert [launch.grid[0] for launch in gpu.stub.launches()] == [6]


def test_artifacts_say_so() -> None:
    one = persistent()
    assert Artifact.from_json(one.to_json()) == one
    assert one.hash != artifact().hash
