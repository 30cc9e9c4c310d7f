"""Fakes of all that dispatching a call reaches: the compiler, the device, the model, the clock."""

from __future__ import annotations

import ast
import contextlib
import time
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from ninetoothed import config as settings
from ninetoothed.artifacts.artifact import Artifact
from ninetoothed.artifacts.configuration import Choices, Config, Legal, Space
from ninetoothed.artifacts.signature import Agreement, ParamSignature, Signature
from ninetoothed.artifacts.target import Target
from ninetoothed.cache import artifact_store
from ninetoothed.calls import guard_bands
from ninetoothed.errors import ConfigurationError
from ninetoothed.runtime import dispatch
from ninetoothed.runtime.dispatch import Dispatcher
from ninetoothed.runtime.launch import device
from ninetoothed.runtime.launch.loaded import Host, Trial
from ninetoothed.runtime.toolchain.triton import compat
from ninetoothed.runtime.tuning import candidates, model, results, search, timing
from ninetoothed.runtime.tuning.isolation import StuckError
from ninetoothed.runtime.tuning.model import Ranked
from ninetoothed.runtime.tuning.search import Tune
from ninetoothed.runtime.tuning.timing import Effort, Measured
from tests.support import artifacts

SIGNATURE = Signature(tuple(ParamSignature(name, "tensor", "fp32", 1) for name in "xy"))


class FakeTensor:
    """Fake tensor: what the runtime reads of one before a launch."""

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
    """Requests to the fakes, and their prepared answers, by block size; ``gains`` are factors of
    times, by choices.
    """

    spaces: int = 0
    pruned: tuple[tuple[str, int], ...] = ()
    legal: tuple[Legal, ...] = ()
    gains: dict[Choices, float] = field(default_factory=dict[Choices, float])
    fits: dict[Agreement, str] = field(default_factory=dict["Agreement", str])
    made: list[int] = field(default_factory=list[int])
    compiled: list[int] = field(default_factory=list[int])
    launched: list[tuple[int, int, int]] = field(default_factory=list[tuple[int, int, int]])
    timed: list[int] = field(default_factory=list[int])
    races: list[list[int]] = field(default_factory=list[list[int]])
    efforts: list[Effort] = field(default_factory=list[Effort])
    unloaded: list[int] = field(default_factory=list[int])
    refused: dict[int, str] = field(default_factory=dict[int, str])
    uncompilable: dict[int, str] = field(default_factory=dict[int, str])
    unloadable: dict[int, Exception] = field(default_factory=dict[int, Exception])
    times: dict[int, float | str] = field(default_factory=dict[int, "float | str"])
    predicted: dict[int, float | str] = field(default_factory=dict[int, "float | str"])
    stuck: int | None = None
    between: Callable[[], object] = lambda: None
    capturing: bool = False
    current: int = 0
    delay: float = 0.0

    def dispatcher(
        self,
        configs: Sequence[Config],
        version: str = "1",
        make: Callable[..., Artifact] | None = None,
        tune: Tune | None = None,
        limit: int | None = None,
        name: str = "add",
        on_replaced: Callable[[], None] = lambda: None,
    ) -> Dispatcher:
        compiler = FakeCompiler(self, configs, version, make)
        return Dispatcher(name, compiler, tune, limit, on_replaced)


@dataclass
class FakeCompiler:
    """Knows one kernel, in these configurations."""

    world: World
    configs: Sequence[Config]
    version: str
    make: Callable[..., Artifact] | None

    def key(self, signature: Signature, target: Target) -> str:
        return f"/home/user/{self.version} {signature} {target} {settings.optimizations()}"

    def space(self, signature: Signature, target: Target) -> Space:
        self.world.spaces += 1
        fits = self.world.fits.get(signature.agreement, "")
        return Space(tuple(self.configs), "", self.world.pruned, fits, self.world.legal)

    def artifact(
        self, signature: Signature, config: Config, target: Target, full: bool = False
    ) -> Artifact:
        block = config.values[0][1]
        self.world.made.append(block)
        if self.make is not None:
            return replace(self.make(signature, config, target), full=full)
        if block in self.world.refused:
            raise ConfigurationError(self.world.refused[block])
        return replace(artifacts.add(block, target=target), config=config, full=full)


class FakeKernel:
    """A kernel that is loaded on the current device."""

    def __init__(self, world: World, host: Host) -> None:
        self._world = world
        self._host = host
        self._device = world.current
        self.artifact = host.artifact

    def launch(self, values: tuple[Any, ...]) -> Any:
        assert self._device == self._world.current
        programs, _ = self._host.checked(values)
        if programs == 0:
            return None
        self._world.launched.append((block_of(self.artifact), programs, self._device))
        return "launched"

    def trial(self) -> Trial:
        named = (str(block_of(self.artifact)), str(self.artifact.config.choices))
        return Trial(named, (), (), self.launch)


def constant(value: object) -> Callable[..., Any]:
    """A function of anything that returns ``value``."""

    def function(*_: object) -> object:
        return value

    return function


def block_of_trial(trial: Trial) -> int:
    """The block size of what is timed: the name of its first parameter."""
    return int(trial.params[0])


def block_of(artifact: Artifact) -> int:
    return artifact.config.values[0][1]


def fake_world(folder: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """Puts the fakes in the place of the device, the compile processes, the model and the clock."""
    world = World()
    monkeypatch.setenv("NINETOOTHED_CACHE_DIR", str(folder))
    monkeypatch.delenv("NINETOOTHED_TUNE", raising=False)
    monkeypatch.setattr(artifact_store, "_memory", {})
    dispatchers = weakref.WeakValueDictionary[int, Dispatcher]()
    monkeypatch.setattr(dispatch, "_dispatchers", dispatchers)
    monkeypatch.setattr(results, "agreed", {})

    @contextlib.contextmanager
    def guard(index: int) -> Any:
        before, world.current = world.current, index
        yield
        world.current = before

    def compiled(hosts: Sequence[Host], on_done: candidates.OnDone) -> list[Any]:
        time.sleep(world.delay)
        blocks = [block_of(host.artifact) for host in hosts]
        world.compiled += blocks
        for number in range(len(blocks)):
            on_done(number + 1, len(blocks))
        return [world.uncompilable.get(block, artifacts.BINARY) for block in blocks]

    def loaded(host: Host, binary: object) -> FakeKernel:
        if (error := world.unloadable.get(block_of(host.artifact))) is not None:
            raise error
        return FakeKernel(world, host)

    def rank(space: Space, values: object, properties: object) -> list[Ranked]:
        able: list[Ranked] = []
        unable: list[Ranked] = []
        for config in space.configs:
            time = world.predicted.get(config.values[0][1], 0.0)
            if isinstance(time, str):
                unable.append(Ranked(config, None, time))
            else:
                able.append(Ranked(config, time))
        return [*sorted(able, key=lambda row: row.milliseconds or 0.0), *unable]

    def time_trials(
        trials: Sequence[Trial],
        values: tuple[Any, ...],
        effort: Effort,
        progress: Callable[[int, int], None],
    ) -> list[Measured | str]:
        world.between()
        world.efforts.append(effort)
        world.races.append([block_of_trial(trial) for trial in trials])
        results: list[Measured | str] = []
        for position, trial in enumerate(trials):
            block = block_of_trial(trial)
            if block == world.stuck:
                raise StuckError(position)
            world.timed.append(block)
            found = world.times.get(block, 9.0)
            if not isinstance(found, str):
                found *= world.gains.get(ast.literal_eval(trial.params[1]), 1.0)
            results.append(found if isinstance(found, str) else Measured(found, 24, True))
        return results

    monkeypatch.setattr(device, "is_available", constant(True))
    monkeypatch.setattr(device, "current", lambda: world.current)
    monkeypatch.setattr(device, "guard", guard)
    monkeypatch.setattr(device, "name", constant("fake device"))
    monkeypatch.setattr(device, "is_capturing", lambda: world.capturing)
    monkeypatch.setattr(compat, "active_target", lambda: artifacts.SM_90)
    monkeypatch.setattr(compat, "version", lambda: "3.9.0")
    monkeypatch.setattr(candidates, "_compiled", compiled)

    def unload(kernels: Sequence[FakeKernel]) -> None:
        world.unloaded += [block_of(kernel.artifact) for kernel in kernels]

    monkeypatch.setattr(candidates, "_loaded", loaded)
    monkeypatch.setattr(candidates, "_unload", unload)
    monkeypatch.setattr(search, "relaxed", contextlib.nullcontext)
    monkeypatch.setattr(model.Properties, "of", constant(None))
    monkeypatch.setattr(model, "rank", rank)
    monkeypatch.setattr(timing, "time_trials", time_trials)
    return world


def without_guard_bands(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let runs have the fake tensors themselves, around which nothing is written."""
    monkeypatch.setattr(guard_bands, "banded", list)
    monkeypatch.setattr(guard_bands, "stray_write", constant(None))


def blocks_launched(world: World) -> list[int]:
    """The block sizes that ran, in order."""
    return [block for block, _, _ in world.launched]
