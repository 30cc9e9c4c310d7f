"""A call finds, makes and launches its kernel: the logic with fakes, the rest on a GPU."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from ninetoothed.artifacts.artifact import Artifact
from ninetoothed.artifacts.configuration import Config, Space
from ninetoothed.artifacts.signature import Signature
from ninetoothed.artifacts.target import Target
from ninetoothed.cache import artifact_store
from ninetoothed.errors import ArgumentError, DeviceError
from ninetoothed.runtime.dispatch import Dispatcher
from tests.support import artifacts
from tests.support.dispatching import (
    SIGNATURE,
    FakeTensor,
    World,
    blocks,
    constant,
    values,
)


def test_one_configuration(world: World) -> None:
    dispatcher = world.dispatcher(blocks(256))
    assert dispatcher.best(SIGNATURE, values()) is None
    dispatcher.launch(SIGNATURE, values(1000))
    dispatcher.launch(SIGNATURE, values(10))
    assert world.launched == [(256, 4, 0), (256, 1, 0)]
    assert world.made == world.compiled == [256]
    assert not world.timed
    assert dispatcher.best(SIGNATURE, values()) == blocks(256)[0]


def test_a_new_process_asks_the_compiler_nothing(world: World) -> None:
    world.dispatcher(blocks(128, 256)).launch(SIGNATURE, values())
    assert (world.spaces, world.made) == (1, [128, 256])
    world.dispatcher(blocks(128, 256)).launch(SIGNATURE, values())
    assert (world.spaces, world.made) == (1, [128, 256])
    world.dispatcher(blocks(128, 256), version="2").launch(SIGNATURE, values())
    assert world.spaces == 2


def test_one_kernel_a_signature(world: World) -> None:
    dispatcher = world.dispatcher(blocks(256))
    other = Signature(SIGNATURE.params, index_bits=64)
    for signature in (SIGNATURE, other, SIGNATURE):
        dispatcher.launch(signature, values())
    assert len(world.compiled) == 2


def test_many_shapes_are_one_bucket(world: World) -> None:
    world.times = {256: 1.0}
    dispatcher = world.dispatcher(blocks(128, 256))
    for size in range(1000, 2000):
        dispatcher.launch(SIGNATURE, values(size))
    assert world.timed == [128, 256]
    # The winner is loaded, and compiled, once.
    assert world.compiled == [128, 256]
    assert world.spaces == 1


def test_wrong_sizes(world: World) -> None:
    dispatcher = world.dispatcher(blocks(128, 256))
    wrong = (FakeTensor(3), FakeTensor(4), FakeTensor(3))
    with pytest.raises(ArgumentError) as caught:
        dispatcher.launch(SIGNATURE, wrong)
    assert str(caught.value) == "x has 3 elements and y has 4"
    # Told before anything is compiled, and told again once it is.
    assert not world.compiled
    dispatcher.launch(SIGNATURE, values(3))
    with pytest.raises(ArgumentError, match="x has 3 elements and y has 4"):
        dispatcher.launch(SIGNATURE, wrong)
    assert len(world.launched) == 1


def test_nothing_to_do(world: World) -> None:
    dispatcher = world.dispatcher(blocks(128, 256))
    dispatcher.launch(SIGNATURE, values(0))
    assert world.made == [128]
    assert not world.compiled
    dispatcher.launch(SIGNATURE, values(5))
    dispatcher.launch(SIGNATURE, values(0))
    assert len(world.launched) == 1


def test_devices_that_nothing_serves(world: World) -> None:
    with pytest.raises(DeviceError) as caught:
        world.dispatcher(blocks(256)).launch(SIGNATURE, values(3, "cpu"))
    assert str(caught.value) == (
        "kernel 'add' was called with tensors on 'cpu'; pass tensors on a CUDA or HIP device "
        "(`tensor.cuda()`)"
    )


def test_meta_tensors_and_numbers_have_no_device(world: World) -> None:
    given = (FakeTensor(9, "meta"), FakeTensor(9, "cuda:1"), FakeTensor(9, "meta"))
    world.dispatcher(blocks(256)).launch(SIGNATURE, given)
    assert world.launched == [(256, 1, 1)]
    launch = "def launch(n):\n    return None, 1, (n,)\n"
    make = constant(artifacts.add(launch=launch))
    world.current = 2
    world.dispatcher(blocks(256), "numbers", make).launch(SIGNATURE, (3,))
    assert world.launched[1:] == [(256, 1, 2)]


def test_each_device_loads_its_own(world: World) -> None:
    dispatcher = world.dispatcher(blocks(256))
    for place in ("cuda:1", "cuda:0", "cuda:1"):
        dispatcher.launch(SIGNATURE, values(3, place))
    assert [index for _, _, index in world.launched] == [1, 0, 1]
    assert len(world.compiled) == 2
    assert world.current == 0


def test_what_is_ready_does_not_wait_for_what_is_tuned(world: World) -> None:
    dispatcher = world.dispatcher(blocks(128, 256))
    dispatcher.launch(SIGNATURE, values(1000))
    is_tuning, may_end = threading.Event(), threading.Event()

    def wait() -> None:
        is_tuning.set()
        assert may_end.wait(60)

    world.between = wait
    other = threading.Thread(target=dispatcher.launch, args=(SIGNATURE, values(100_000)))
    other.start()
    assert is_tuning.wait(60)
    # Another shape of the same bucket, and another kernel.
    dispatcher.launch(SIGNATURE, values(1001))
    world.dispatcher(blocks(64), "of one").launch(SIGNATURE, values(1000))
    assert len(world.launched) == 3
    may_end.set()
    other.join()
    assert len(world.launched) == 4


def test_empty_calls_read_nothing_twice(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    dispatcher = world.dispatcher(blocks(128, 256))
    dispatcher.launch(SIGNATURE, values(0))
    monkeypatch.setattr(artifact_store, "_content", None)
    dispatcher.launch(SIGNATURE, values(0))


def test_threads_share_one_kernel(world: World) -> None:
    world.delay = 0.05
    dispatcher = world.dispatcher(blocks(128, 256))
    barrier = threading.Barrier(8)
    errors: list[BaseException] = []

    def call() -> None:
        try:
            barrier.wait()
            for _ in range(20):
                dispatcher.launch(SIGNATURE, values())
                assert dispatcher.best(SIGNATURE, values()) is not None
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=call) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert len(world.launched) == 160
    assert world.compiled == [128, 256]


class GpuCompiler:
    """Additions, by blocks of two sizes."""

    def key(self, signature: Signature, target: Target) -> str:
        return f"{signature} {target}"

    def space(self, signature: Signature, target: Target) -> Space:
        return Space(tuple(blocks(128, 256)), "")

    def artifact(
        self, signature: Signature, config: Config, target: Target, full: bool = False
    ) -> Artifact:
        return artifacts.add(config.values[0][1], target=target)


@pytest.mark.gpu
def test_the_first_call_may_be_inside_a_graph(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What else a GPU has to say of this is in tests/e2e/test_gpu.py and test_tuning.py."""
    monkeypatch.setenv("NINETOOTHED_CACHE_DIR", str(tmp_path))
    torch: Any = pytest.importorskip("torch")
    dispatcher = Dispatcher("add", GpuCompiler(), None)
    x = torch.randn(4099, device="cuda")
    out = torch.zeros_like(x)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        dispatcher.launch(SIGNATURE, (x, x, out))
    x.fill_(3)
    graph.replay()
    torch.cuda.synchronize()
    assert bool((out == 6).all())
    assert dispatcher.report(SIGNATURE, (x, x, out)).origin == "model"
    dispatcher.launch(SIGNATURE, (x, x, out))
    assert dispatcher.report(SIGNATURE, (x, x, out)).origin == "tuned"
    x.fill_(4)
    graph.replay()
    torch.cuda.synchronize()
    assert bool((out == 8).all())
