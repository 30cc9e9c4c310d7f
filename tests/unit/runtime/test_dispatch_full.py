"""Calls in which all guards hold launch the kernel without them, compiled when one needs it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ninetoothed.artifacts.artifact import Artifact
from ninetoothed.artifacts.configuration import BOUNDS, Config
from ninetoothed.artifacts.sample import Sample
from ninetoothed.artifacts.signature import Signature
from ninetoothed.artifacts.target import Target
from ninetoothed.errors import ArgumentError, ConfigurationError
from ninetoothed.runtime.dispatch import Dispatcher
from ninetoothed.runtime.launch.loaded import Host
from ninetoothed.runtime.tuning import candidates
from ninetoothed.runtime.tuning.search import Tune
from tests.support import artifacts
from tests.support.artifacts import LAUNCH
from tests.support.dispatching import (
    SIGNATURE,
    FakeTensor,
    World,
    blocks,
    values,
    without_guard_bands,
)

IS_FULL = "\ndef is_full(x, y, out):\n    return x.shape[0] % BLOCK == 0\n"


def make(signature: Signature, config: Config, target: Target) -> Artifact:
    """Additions whose general kernel says where another may run."""
    return artifacts.add(config.values[0][1], target=target, launch=LAUNCH + IS_FULL)


@pytest.fixture
def ran(world: World, monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, bool]]:
    """The block sizes of what is launched, and whether it was a full kernel."""
    found: list[tuple[int, bool]] = []
    load = candidates._loaded  # pyright: ignore[reportPrivateUsage]

    def loaded(host: Host, binary: Any) -> Any:
        kernel = load(host, binary)
        launch = kernel.launch

        def noted(values: tuple[Any, ...]) -> Any:
            found.append((host.artifact.config.values[0][1], host.artifact.full))
            return launch(values)

        kernel.launch = noted  # pyright: ignore[reportAttributeAccessIssue]
        return kernel

    monkeypatch.setattr(candidates, "_loaded", loaded)
    return found


def dispatcher(world: World, *sizes: int) -> Dispatcher:
    return world.dispatcher(blocks(*sizes), make=make)


def test_each_is_compiled_when_it_is_needed(world: World, ran: list[tuple[int, bool]]) -> None:
    one = dispatcher(world, 256)
    one.launch(SIGNATURE, values(512))
    assert world.made == [256, 256]
    assert world.compiled == [256]
    one.launch(SIGNATURE, values(1024))
    assert world.compiled == [256]
    for size in (1000, 10, 256):
        one.launch(SIGNATURE, values(size))
    assert world.made == world.compiled == [256, 256]
    assert ran == [(256, True), (256, True), (256, False), (256, False), (256, True)]


def test_a_call_that_divides_nothing_compiles_no_second_kernel(
    world: World, ran: list[tuple[int, bool]]
) -> None:
    dispatcher(world, 256).launch(SIGNATURE, values(1000))
    assert world.made == world.compiled == [256]
    assert ran == [(256, False)]


def test_what_is_launched_is_kept(world: World) -> None:
    assert dispatcher(world, 256).launch(SIGNATURE, values(512)) == "launched"


def test_a_new_process_finds_both(world: World) -> None:
    for _ in range(2):
        one = dispatcher(world, 256)
        one.launch(SIGNATURE, values(512))
        one.launch(SIGNATURE, values(1000))
    assert world.made == [256, 256]


def test_timed_is_what_the_call_launches(world: World, ran: list[tuple[int, bool]]) -> None:
    world.times = {512: 1.0}
    one = dispatcher(world, 128, 512)
    one.launch(SIGNATURE, values(1280))
    # 128 divides, 512 does not.
    assert world.timed == [128, 512]
    assert ran == [(512, False)]
    one.launch(SIGNATURE, values(1536))
    assert world.timed == [128, 512]
    assert ran[1:] == [(512, True)]
    assert one.best(SIGNATURE, values(1536)) == blocks(512)[0]


def test_wrong_sizes_and_empty_ones_compile_nothing(world: World) -> None:
    one = dispatcher(world, 256)
    one.launch(SIGNATURE, values(10))
    assert one.launch(SIGNATURE, values(0)) is None
    wrong = (FakeTensor(256), FakeTensor(4), FakeTensor(256))
    with pytest.raises(ArgumentError, match="x has 256 elements and y has 4"):
        one.launch(SIGNATURE, wrong)
    assert world.compiled == [256]


def test_the_general_kernel_runs_while_a_graph_is_captured(
    world: World, ran: list[tuple[int, bool]]
) -> None:
    one = dispatcher(world, 256)
    one.launch(SIGNATURE, values(1000))
    world.capturing = True
    # Not for good.
    assert one.launch(SIGNATURE, values(512)) is None
    world.capturing = False
    assert one.launch(SIGNATURE, values(512)) == "launched"
    assert ran == [(256, False), (256, False), (256, True)]


@pytest.mark.parametrize(("size", "timed"), [(512, 2), (1000, 4)])
def test_how_guards_are_computed_is_not_tried_without_any(
    size: int, timed: int, world: World
) -> None:
    def chosen(signature: Signature, config: Config, target: Target) -> Artifact:
        return replace(make(signature, config, target), config=config)

    world.legal = (((BOUNDS, (1,)), ("group", (8,))),)
    world.dispatcher(blocks(256), make=chosen).launch(SIGNATURE, values(size))
    # The default, and groups; else bounds, too, alone and together with groups.
    assert world.races == [[256], [256] * timed]


@pytest.mark.parametrize("sizes", [(512, 1000, 256), (1000, 512, 256)])
@pytest.mark.parametrize("fails", ["compile", "binary", "load"])
def test_the_general_kernel_does_where_there_is_no_other(
    fails: str,
    sizes: tuple[int, ...],
    world: World,
    ran: list[tuple[int, bool]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compiled, load = (
        candidates._compiled,  # pyright: ignore[reportPrivateUsage]
        candidates._loaded,  # pyright: ignore[reportPrivateUsage]
    )

    def failing(signature: Signature, config: Config, target: Target) -> Artifact:
        if fails == "compile" and world.made[1:]:
            raise ConfigurationError("no registers")
        return make(signature, config, target)

    def binaries(hosts: Any, on_done: Any) -> list[Any]:
        hosts = list(hosts)
        found = compiled(hosts, on_done)
        full = [fails == "binary" and host.artifact.full for host in hosts]
        return ["no registers" if one else binary for one, binary in zip(full, found, strict=True)]

    generals: list[Host] = []

    def loaded(host: Host, binary: Any) -> Any:
        if fails == "load" and host.artifact.full:
            raise ConfigurationError("no memory")
        generals.append(host)
        return load(host, binary)

    monkeypatch.setattr(candidates, "_compiled", binaries)
    monkeypatch.setattr(candidates, "_loaded", loaded)
    one = world.dispatcher(blocks(256), make=failing)
    for size in sizes:
        assert one.launch(SIGNATURE, values(size)) == "launched"
    assert ran == [(256, False)] * 3
    # What is loaded twice is never unloaded.
    assert len(generals) == 1


@pytest.mark.parametrize("fails", ["binary", "load"])
@pytest.mark.parametrize("tune", ["quick", "off", "full"])
def test_another_configuration_serves_where_the_general_kernel_cannot_run(
    fails: str,
    tune: Tune,
    world: World,
    ran: list[tuple[int, bool]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compiled, load = (
        candidates._compiled,  # pyright: ignore[reportPrivateUsage]
        candidates._loaded,  # pyright: ignore[reportPrivateUsage]
    )

    def has_none(host: Host) -> bool:
        return host.artifact.config.values[0][1] == 512 and not host.artifact.full

    def binaries(hosts: Any, on_done: Any) -> list[Any]:
        hosts = list(hosts)
        found = compiled(hosts, on_done)
        failing = [fails == "binary" and has_none(host) for host in hosts]
        return ["no registers" if one else two for one, two in zip(failing, found, strict=True)]

    def loaded(host: Host, binary: Any) -> Any:
        if fails == "load" and has_none(host):
            raise ConfigurationError("no memory")
        return load(host, binary)

    monkeypatch.setattr(candidates, "_compiled", binaries)
    monkeypatch.setattr(candidates, "_loaded", loaded)
    world.times, world.predicted = {512: 1.0}, {128: 2.0, 512: 1.0}
    for _ in range(2):
        one = world.dispatcher(blocks(128, 512), make=make, tune=tune)
        ran.clear()
        for size in (1536, 1500, 1536, 1500):
            assert one.launch(SIGNATURE, values(size)) == "launched"
        assert ran == [(512, True), (128, False), (128, True), (128, False)]
        assert one.best(SIGNATURE, values(1500)) == blocks(128)[0]
    # Where none can, the error has the reason.
    only = world.dispatcher(blocks(512), version="2", make=make, tune=tune)
    only.launch(SIGNATURE, values(1536))
    with pytest.raises(ConfigurationError, match=r"BLOCK=512.*: no (registers|memory)"):
        only.launch(SIGNATURE, values(1500))


def test_both_are_run_where_the_sizes_let_them(
    world: World, ran: list[tuple[int, bool]], monkeypatch: pytest.MonkeyPatch
) -> None:
    without_guard_bands(monkeypatch)
    one = dispatcher(world, 128, 512)
    runs = list(one.runs(SIGNATURE, values(640), Sample.parse("configs", "all")))
    expected = [(128, False), (128, True), (512, False)]
    assert [(run.config.values[0][1], run.full) for run in runs] == expected
    assert ran == expected


def test_settings_that_changed_since_calls_are_those_of_what_is_run(
    world: World, ran: list[tuple[int, bool]], monkeypatch: pytest.MonkeyPatch
) -> None:
    without_guard_bands(monkeypatch)
    one = dispatcher(world, 128, 512)
    every = Sample.parse("configs", "all")
    one.launch(SIGNATURE, values(640))
    list(one.runs(SIGNATURE, values(640), every))
    assert world.spaces == 1
    monkeypatch.setenv("NINETOOTHED_DISABLE_OPTIMIZATIONS", "all")
    unloaded = list(world.unloaded)
    list(one.runs(SIGNATURE, values(640), every))
    assert world.spaces == 2
    # Nothing of them stays.
    assert set(world.unloaded[len(unloaded) :]) == {128, 512}
    one.launch(SIGNATURE, values(640))
    assert world.spaces == 2


def test_the_others_are_unloaded(world: World) -> None:
    world.times = {256: 1.0}
    dispatcher(world, 128, 256).launch(SIGNATURE, values(1024))
    assert world.unloaded == [128]
