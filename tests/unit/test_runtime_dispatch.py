"""A call finds, makes, tunes and launches its kernel: the logic with fakes, the rest on a GPU."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ninetoothed.artifact import Artifact, Config, ParamSignature, Signature, Target
from ninetoothed.errors import ArgumentError, ConfigurationError, DeviceError, ShapeError
from ninetoothed.runtime import artifact_cache, compile_pool, device, triton_compat, tuner
from ninetoothed.runtime.dispatch import Dispatcher
from tests.support import artifacts

SIGNATURE = Signature(tuple(ParamSignature(name, "tensor", "fp32", 1) for name in "xy"))


class FakeTensor:
    """What the runtime asks of a tensor before it launches."""

    def __init__(self, size: int, place: str = "cuda:0") -> None:
        kind, _, index = place.partition(":")
        self.shape = (size,)
        self.device = FakeDevice(kind, int(index) if index else None)

    def data_ptr(self) -> int:
        return 4096


@dataclass(frozen=True)
class FakeDevice:
    type: str
    index: int | None

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"


def values(size: int = 1000, place: str = "cuda:0") -> tuple[FakeTensor, ...]:
    return tuple(FakeTensor(size, place) for _ in range(3))


def blocks(*sizes: int) -> list[Config]:
    return [artifacts.add(size).config for size in sizes]


@dataclass
class World:
    """What the fakes were asked for, and what they are to answer."""

    made: list[Config] = field(default_factory=list[Config])
    compiled: list[Config] = field(default_factory=list[Config])
    launched: list[tuple[Any, ...]] = field(default_factory=list[tuple[Any, ...]])
    pooled: list[int] = field(default_factory=list[int])
    timed: list[int] = field(default_factory=list[int])
    refused: dict[int, str] = field(default_factory=dict[int, str])
    unloadable: dict[int, str] = field(default_factory=dict[int, str])
    slow_in_pool: dict[int, str] = field(default_factory=dict[int, str])
    times: dict[int, float | str] = field(default_factory=dict[int, "float | str"])
    current: int = 0
    delay: float = 0.0

    def dispatcher(
        self, configs: Sequence[Config], version: str = "1", **options: Any
    ) -> Dispatcher:
        def make(signature: Signature, config: Config, target: Target) -> Artifact:
            self.made.append(config)
            block = config.values[0][1]
            if block in self.refused:
                raise ConfigurationError(self.refused[block])
            return artifacts.add(block, target=target)

        return Dispatcher(
            "add",
            options.pop("compile", make),
            lambda _: configs,
            lambda signature, config, target: f"{version} {signature} {config} {target}",
            **options,
        )


def constant(value: object) -> Callable[..., Any]:
    """A function of anything that returns ``value``."""

    def function(*_: object) -> object:
        return value

    return function


def block_of(artifact: Artifact) -> int:
    return artifact.config.values[0][1]


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    world = World()
    monkeypatch.setenv("NINETOOTHED_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(artifact_cache, "_memory", {})

    @contextlib.contextmanager
    def guard(index: int) -> Any:
        before, world.current = world.current, index
        yield
        world.current = before

    monkeypatch.setattr(device, "current", lambda: world.current)
    monkeypatch.setattr(device, "guard", guard)
    monkeypatch.setattr(device, "stream", lambda index: 100 + index)  # pyright: ignore
    monkeypatch.setattr(device, "name", constant("fake device"))

    def compile_artifact(artifact: Artifact) -> Any:
        time.sleep(world.delay)
        world.compiled.append(artifact.config)
        return SimpleNamespace(artifact=artifact)

    def load(compiled: Any) -> None:
        if (reason := world.unloadable.get(block_of(compiled.artifact))) is not None:
            raise ConfigurationError(reason)

    def launch(
        compiled: Any, artifact: Artifact, programs: int, arguments: Sequence[Any], stream: int
    ) -> None:
        assert compiled.artifact == artifact
        world.launched.append((block_of(artifact), programs, tuple(arguments), stream))

    def precompile(chosen: Sequence[Artifact]) -> list[str | None]:
        world.pooled += [block_of(artifact) for artifact in chosen]
        return [world.slow_in_pool.get(block_of(artifact)) for artifact in chosen]

    def time_trials(trials: Sequence[tuner.Trial], given: tuple[Any, ...]) -> list[float | str]:
        results: list[float | str] = []
        for trial in trials:
            trial.launch(given)
            block = world.launched.pop()[0]
            world.timed.append(block)
            results.append(world.times.get(block, 9.0))
        return results

    monkeypatch.setattr(triton_compat, "active_target", lambda: artifacts.SM_90)
    monkeypatch.setattr(triton_compat, "version", lambda: "3.9.0")
    monkeypatch.setattr(triton_compat, "compile_artifact", compile_artifact)
    monkeypatch.setattr(triton_compat, "load", load)
    monkeypatch.setattr(triton_compat, "launch", launch)
    monkeypatch.setattr(compile_pool, "precompile", precompile)
    monkeypatch.setattr(tuner, "time_trials", time_trials)
    return world


def test_one_configuration(world: World) -> None:
    dispatcher = world.dispatcher(blocks(256))
    assert dispatcher.best(SIGNATURE) is None
    dispatcher.launch(SIGNATURE, values(1000))
    dispatcher.launch(SIGNATURE, values(10))
    assert world.launched == [
        (256, 4, (4096, 4096, 4096, 1000), 100),
        (256, 1, (4096, 4096, 4096, 10), 100),
    ]
    assert world.made == world.compiled == blocks(256)
    assert not world.pooled
    assert not world.timed
    assert dispatcher.best(SIGNATURE) == blocks(256)[0]
    assert dispatcher.tuned(SIGNATURE) == []


def test_a_duplicate_is_no_competition(world: World) -> None:
    world.dispatcher(blocks(256, 256)).launch(SIGNATURE, values())
    assert not world.timed


def test_a_new_process_finds_its_artifact(world: World) -> None:
    world.dispatcher(blocks(256)).launch(SIGNATURE, values())
    world.dispatcher(blocks(256)).launch(SIGNATURE, values())
    assert world.made == blocks(256)
    world.dispatcher(blocks(256), version="2").launch(SIGNATURE, values())
    assert world.made == blocks(256, 256)


def test_one_kernel_a_signature(world: World) -> None:
    dispatcher = world.dispatcher(blocks(256))
    other = Signature(SIGNATURE.params, index_bits=64)
    for signature in (SIGNATURE, other, SIGNATURE):
        dispatcher.launch(signature, values())
    assert len(world.compiled) == 2


def test_the_fastest_configuration(world: World) -> None:
    world.times = {128: 3.0, 256: 1.0, 512: 1.0, 1024: "too many resources"}
    configs = blocks(128, 1024, 256, 512)
    dispatcher = world.dispatcher(configs)
    dispatcher.launch(SIGNATURE, values())
    dispatcher.launch(SIGNATURE, values())
    assert [launch[0] for launch in world.launched] == [256, 256]
    assert world.pooled == world.timed == [128, 1024, 256, 512]
    assert dispatcher.best(SIGNATURE) == blocks(256)[0]
    assert dispatcher.tuned(SIGNATURE) == list(
        zip(configs, [3.0, "too many resources", 1.0, 1.0], strict=True)
    )


def test_the_choice_is_kept_on_disk(world: World) -> None:
    world.times = {256: 1.0}
    world.dispatcher(blocks(128, 256)).launch(SIGNATURE, values())
    world.compiled.clear()
    later = world.dispatcher(blocks(128, 256))
    later.launch(SIGNATURE, values())
    assert world.compiled == blocks(256)
    assert world.timed == [128, 256]
    assert later.best(SIGNATURE) == blocks(256)[0]
    assert later.tuned(SIGNATURE) == []


@pytest.mark.parametrize("change", ["configs", "version", "triton", "device"])
def test_what_the_choice_depends_on(
    change: str, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.dispatcher(blocks(128, 256)).launch(SIGNATURE, values())
    world.compiled.clear()
    if change == "triton":
        monkeypatch.setattr(triton_compat, "version", lambda: "3.6.0")
    if change == "device":
        monkeypatch.setattr(device, "name", constant("another device"))
    configs = blocks(128, 512) if change == "configs" else blocks(128, 256)
    world.dispatcher(configs, "2" if change == "version" else "1").launch(SIGNATURE, values())
    assert len(world.timed) == 4


def test_a_choice_that_no_longer_loads_is_tuned_again(world: World) -> None:
    world.times = {256: 1.0}
    world.dispatcher(blocks(128, 256)).launch(SIGNATURE, values())
    world.unloadable = {256: "OutOfResources: shared memory"}
    world.compiled.clear()
    later = world.dispatcher(blocks(128, 256))
    later.launch(SIGNATURE, values())
    assert later.best(SIGNATURE) == blocks(128)[0]


def test_configurations_that_fail_are_dropped(world: World) -> None:
    world.refused = {64: "a block of 64 is refused"}
    world.slow_in_pool = {128: "compiling took over 60 s"}
    world.unloadable = {256: "OutOfResources: shared memory"}
    dispatcher = world.dispatcher(blocks(64, 128, 256, 512))
    dispatcher.launch(SIGNATURE, values())
    assert world.compiled == blocks(256, 512)
    assert [launch[0] for launch in world.launched] == [512]
    assert dispatcher.tuned(SIGNATURE) == list(
        zip(
            blocks(64, 128, 256, 512),
            [
                "a block of 64 is refused",
                "compiling took over 60 s",
                "OutOfResources: shared memory",
                9.0,
            ],
            strict=True,
        )
    )


def test_none_fits(world: World) -> None:
    world.refused = {64: "a block of 64 is refused"}
    world.slow_in_pool = {128: "compiling took over 60 s"}
    world.unloadable = {256: "OutOfResources: shared memory"}
    with pytest.raises(ConfigurationError) as caught:
        world.dispatcher(blocks(64, 128, 256)).launch(SIGNATURE, values())
    assert str(caught.value) == (
        "no configuration of kernel 'add' can run on sm_90:\n"
        "  BLOCK=64, num_warps=4, num_stages=3: a block of 64 is refused\n"
        "  BLOCK=128, num_warps=4, num_stages=3: compiling took over 60 s\n"
        "  BLOCK=256, num_warps=4, num_stages=3: OutOfResources: shared memory\n"
        "write smaller block sizes or a smaller num_stages, or leave the choice to the compiler "
        "with ninetoothed.block_size()"
    )
    assert not world.launched


@pytest.mark.parametrize("stage", ["refused", "unloadable"])
def test_the_only_one_does_not_fit(world: World, stage: str) -> None:
    setattr(world, stage, {256: "shared memory"})
    dispatcher = world.dispatcher(blocks(256))
    for _ in range(2):
        with pytest.raises(ConfigurationError, match="num_warps=4, num_stages=3: shared memory"):
            dispatcher.launch(SIGNATURE, values())
    assert dispatcher.best(SIGNATURE) is None


def test_none_survives_the_clock(world: World) -> None:
    world.times = {128: "too many resources", 256: "too many resources"}
    with pytest.raises(ConfigurationError, match=r"BLOCK=256, .*: too many resources"):
        world.dispatcher(blocks(128, 256)).launch(SIGNATURE, values())


def test_none_at_all(world: World) -> None:
    with pytest.raises(ConfigurationError, match="'add' has no configuration to run with on sm_90"):
        world.dispatcher([]).launch(SIGNATURE, values())


def test_a_mistake_of_the_user_is_no_matter_of_the_configuration(world: World) -> None:
    def make(*_: object) -> Artifact:
        raise ShapeError("cannot broadcast 3 with 4")

    with pytest.raises(ShapeError):
        world.dispatcher(blocks(128, 256), compile=make).launch(SIGNATURE, values())


def test_wrong_sizes(world: World) -> None:
    dispatcher = world.dispatcher(blocks(128, 256))
    wrong = (FakeTensor(3), FakeTensor(4), FakeTensor(3))
    with pytest.raises(ArgumentError) as caught:
        dispatcher.launch(SIGNATURE, wrong)
    assert str(caught.value) == "x has 3 elements and y has 4"
    # Told before anything is compiled, and told again once it is.
    assert not world.compiled
    dispatcher.launch(SIGNATURE, values())
    with pytest.raises(ArgumentError, match="x has 3 elements and y has 4"):
        dispatcher.launch(SIGNATURE, wrong)
    assert len(world.launched) == 1


def test_nothing_to_do(world: World) -> None:
    dispatcher = world.dispatcher(blocks(128, 256))
    dispatcher.launch(SIGNATURE, values(0))
    assert world.made == blocks(128)
    assert not world.compiled
    dispatcher.launch(SIGNATURE, values(5))
    dispatcher.launch(SIGNATURE, values(0))
    assert len(world.launched) == 1


def test_too_many_programs(world: World) -> None:
    dispatcher = world.dispatcher(blocks(16))
    dispatcher.launch(SIGNATURE, values(16 * (2**31 - 1)))
    with pytest.raises(ArgumentError) as caught:
        dispatcher.launch(SIGNATURE, values(2**35))
    assert str(caught.value) == (
        "this call needs 2147483648 programs, and a device takes at most 2147483647 (2^31 - 1) in "
        "one launch; write larger block sizes (it ran with BLOCK=16, num_warps=4, num_stages=3), "
        "or split the call"
    )
    assert len(world.launched) == 1


def test_cpu_tensors_are_interpreted(world: World) -> None:
    calls: list[tuple[Any, ...]] = []

    def interpret(*call: Any) -> None:
        calls.append(call)

    dispatcher = world.dispatcher(blocks(256), interpret=interpret)
    given = values(3, "cpu")
    dispatcher.launch(SIGNATURE, given)
    assert calls == [(SIGNATURE, given)]
    assert not world.made


def test_devices_that_nothing_serves(world: World) -> None:
    with pytest.raises(DeviceError) as caught:
        world.dispatcher(blocks(256)).launch(SIGNATURE, values(3, "cpu"))
    assert str(caught.value) == (
        "kernel 'add' was called with tensors on 'cpu'; pass tensors on a CUDA or HIP device "
        "(`tensor.cuda()`)"
    )
    dispatcher = world.dispatcher(blocks(256), interpret=constant(None))
    with pytest.raises(DeviceError, match=r"tensors on 'xpu'.*or CPU tensors \(`tensor.cpu\(\)`\)"):
        dispatcher.launch(SIGNATURE, values(3, "xpu:0"))


def test_devices_that_differ(world: World) -> None:
    given = (FakeTensor(3), FakeTensor(3, "meta"), FakeTensor(3, "cpu"))
    with pytest.raises(DeviceError) as caught:
        world.dispatcher(blocks(256)).launch(SIGNATURE, given)
    assert str(caught.value) == (
        "kernel 'add' was called with x on cuda:0 and argument 2 on cpu; move them to one device, "
        "for example `argument 2.to('cuda:0')`"
    )


def test_meta_tensors_and_numbers_have_no_device(world: World) -> None:
    given = (FakeTensor(9, "meta"), FakeTensor(9, "cuda:1"), FakeTensor(9, "meta"))
    world.dispatcher(blocks(256)).launch(SIGNATURE, given)
    assert world.launched[0][3] == 101
    launch = (
        "def check(n):\n    return None\n"
        "def programs(n):\n    return 1\n"
        "def arguments(n):\n    return (n,)\n"
    )
    dispatcher = world.dispatcher(
        blocks(256), "numbers", compile=constant(artifacts.add(launch=launch))
    )
    world.current = 2
    dispatcher.launch(SIGNATURE, (3,))
    assert world.launched[1] == (256, 1, (3,), 102)


def test_each_device_loads_its_own(world: World) -> None:
    dispatcher = world.dispatcher(blocks(256))
    for place in ("cuda:1", "cuda:0", "cuda:1"):
        dispatcher.launch(SIGNATURE, values(3, place))
    assert [launch[3] for launch in world.launched] == [101, 100, 101]
    assert len(world.compiled) == 2
    assert world.current == 0


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
                assert dispatcher.best(SIGNATURE) is not None
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=call) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert len(world.launched) == 160
    assert world.compiled == blocks(128, 256)


def gpu_dispatcher(language: str, *sizes: int) -> Dispatcher:
    def make(signature: Signature, config: Config, target: Target) -> Artifact:
        return artifacts.add(config.values[0][1], language=language, target=target)

    def cache_key(*parts: object) -> str:
        return f"{language} {parts}"

    return Dispatcher("add", make, lambda _: blocks(*sizes), cache_key)


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NINETOOTHED_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "triton"))


@pytest.mark.gpu
@pytest.mark.usefixtures("own_cache")
@pytest.mark.parametrize("language", ["ttir", "triton-python"])
@pytest.mark.parametrize("sizes", [(256,), (128, 1024)])
def test_on_a_device(language: str, sizes: tuple[int, ...]) -> None:
    torch: Any = pytest.importorskip("torch")
    dispatcher = gpu_dispatcher(language, *sizes)
    for size in (1, 4099, 0, 2**20 + 1):
        x, y = torch.randn(size, device="cuda"), torch.randn(size, device="cuda")
        out = torch.empty(size, device="cuda")
        dispatcher.launch(SIGNATURE, (x, y, out))
        assert torch.equal(out, x + y)
    assert dispatcher.best(SIGNATURE) in blocks(*sizes)
    timed = dispatcher.tuned(SIGNATURE)
    assert len(timed) == (len(sizes) if len(sizes) > 1 else 0)
    assert all(isinstance(result, float) for _, result in timed)


@pytest.mark.gpu
@pytest.mark.usefixtures("own_cache")
def test_tuning_in_place_on_a_device() -> None:
    torch: Any = pytest.importorskip("torch")
    x = torch.randn(4099, device="cuda")
    expected = x + x
    gpu_dispatcher("ttir", 128, 256, 1024).launch(SIGNATURE, (x, x, x))
    assert torch.equal(x, expected)


@pytest.mark.gpu
@pytest.mark.usefixtures("own_cache")
def test_threads_and_streams_on_a_device() -> None:
    torch: Any = pytest.importorskip("torch")
    dispatcher = gpu_dispatcher("ttir", 256)
    results: list[bool] = []

    def call(seed: int) -> None:
        with torch.cuda.stream(torch.cuda.Stream()):
            x = torch.full((100_003,), float(seed), device="cuda")
            out = torch.empty_like(x)
            for _ in range(50):
                dispatcher.launch(SIGNATURE, (x, x, out))
            results.append(bool((out == 2 * seed).all()))

    threads = [threading.Thread(target=call, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 8


@pytest.mark.gpu
@pytest.mark.usefixtures("own_cache")
def test_another_device_than_the_current() -> None:
    torch: Any = pytest.importorskip("torch")
    if torch.cuda.device_count() < 2:
        pytest.skip("one GPU only")
    dispatcher = gpu_dispatcher("ttir", 128, 256)
    for index in (1, 0):
        x = torch.randn(4099, device=f"cuda:{index}")
        out = torch.empty_like(x)
        dispatcher.launch(SIGNATURE, (x, x, out))
        assert torch.equal(out, x + x)
    assert torch.cuda.current_device() == 0
