"""Calls for which there is no scratch memory, or descriptor, launch the kernel that needs none."""

from __future__ import annotations

from typing import Any

import pytest

from ninetoothed.artifacts.configuration import SPLIT, Config
from ninetoothed.artifacts.sample import Sample
from ninetoothed.errors import ConfigurationError, DescriptorError, ScratchError
from ninetoothed.runtime.launch.loaded import Host
from ninetoothed.runtime.tuning import candidates
from tests.support.dispatching import SIGNATURE, World, blocks, values, without_guard_bands

(PLAIN,) = blocks(256)
PARTS = PLAIN.choosing(SPLIT, 4)


@pytest.fixture(params=[ScratchError, DescriptorError])
def ran(
    world: World, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> list[Config]:
    """The configurations of what is launched; those that split have memory for 1,000 elements."""
    found: list[Config] = []
    load = candidates._loaded  # pyright: ignore[reportPrivateUsage]

    def loaded(host: Host, binary: Any) -> Any:
        kernel = load(host, binary)
        launch = kernel.launch

        def noted(values: tuple[Any, ...]) -> Any:
            config = host.artifact.config
            if config.parts > 1 and values[0].shape[0] > 1000:
                raise request.param("the device has no memory left for what it takes")
            found.append(config)
            return launch(values)

        kernel.launch = noted  # pyright: ignore[reportAttributeAccessIssue]
        return kernel

    monkeypatch.setattr(candidates, "_loaded", loaded)
    return found


def test_another_kernel_runs_for_once(world: World, ran: list[Config]) -> None:
    one = world.dispatcher([PARTS])
    assert one.launch(SIGNATURE, values(1000)) == "launched"
    # Nothing is kept of how it was launched.
    assert one.launch(SIGNATURE, values(2000)) is None
    assert one.launch(SIGNATURE, values(1000)) == "launched"
    assert ran == [PARTS, PLAIN, PARTS]


def test_graphs_keep_it(world: World, ran: list[Config]) -> None:
    one = world.dispatcher([PARTS])
    one.launch(SIGNATURE, values(1000))
    world.capturing = True
    for _ in range(2):
        assert one.launch(SIGNATURE, values(2000)) is None
    assert ran == [PARTS, PLAIN, PLAIN]
    with one.families() as [(_, family)]:
        assert [pair.artifact.config for pair in family.replaced] == [PLAIN]


def test_where_that_cannot_run_either(world: World, ran: list[Config]) -> None:
    one = world.dispatcher([PARTS])
    one.launch(SIGNATURE, values(1000))
    world.uncompilable[256] = "it has too many registers"
    with pytest.raises(ConfigurationError, match="no memory left"):
        one.launch(SIGNATURE, values(2000))
    assert ran == [PARTS]


def test_not_every_configuration_has_room(
    world: World, ran: list[Config], monkeypatch: pytest.MonkeyPatch
) -> None:
    without_guard_bands(monkeypatch)
    world.legal = (((SPLIT, (4,)),),)
    one = world.dispatcher([PLAIN])
    for size, configs in ((1000, [PLAIN, PARTS]), (2000, [PLAIN])):
        runs = one.runs(SIGNATURE, values(size), Sample.parse("configs", "all"))
        assert [run.config for run in runs] == configs
