"""Search that several ranks make together, each on a device of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from ninetoothed.artifacts.artifact import Artifact
from ninetoothed.artifacts.configuration import BOUNDS, Config
from ninetoothed.artifacts.signature import Signature
from ninetoothed.artifacts.target import Target
from ninetoothed.errors import ConfigurationError
from ninetoothed.runtime.tuning.candidates import Candidates
from ninetoothed.runtime.tuning.joint_search import JointSearch
from ninetoothed.runtime.tuning.results import Result, Row
from ninetoothed.runtime.tuning.search import Search, Tune
from tests.support import artifacts
from tests.support.artifacts import LAUNCH
from tests.support.dispatching import SIGNATURE, FakeCompiler, World, blocks, values

Times = dict[int, float | str]


def block(row: Row) -> int:
    """The block size of a row."""
    return row.config.values[0][1]


class Ranks:
    """Ranks in one process: of each, what it times, step by step."""

    def __init__(
        self,
        world: World,
        configs: list[Config],
        times: list[Times],
        mode: Tune = "quick",
        make: Callable[..., Artifact] | None = None,
    ) -> None:
        self._world = world
        self._times = times
        self.steps: list[list[list[int]]] = []
        compiler = FakeCompiler(world, configs, "1", make)
        self.ranks = [
            JointSearch(
                Search(Candidates("add", compiler, SIGNATURE, 0), values(), mode, None),
                place,
                len(times),
            )
            for place in range(len(times))
        ]

    def run(self) -> list[Result]:
        while any(rank.result is None for rank in self.ranks):
            for rank in self.ranks:
                rank.prepare()
            compiled = len(self._world.compiled)
            parts = [self._rows(place) for place in range(len(self.ranks))]
            assert len(self._world.compiled) == compiled, "nothing is compiled while ranks time"
            self.steps.append([sorted(map(block, part)) for part in parts])
            for rank in self.ranks:
                rank.take(parts)
        return [rank.result for rank in self.ranks if rank.result is not None]

    def _rows(self, place: int) -> list[Row]:
        self._world.times = self._times[place]
        return self.ranks[place].time()


def test_each_rank_times_its_share(world: World) -> None:
    sizes = [1 << bit for bit in range(2, 15)]
    world.predicted = {size: float(size) for size in sizes}
    times: Times = {size: abs(size - 2048) + 1.0 for size in sizes}
    ranks = Ranks(world, blocks(*sizes), [times, times])
    found = ranks.run()
    assert ranks.steps == [
        [[4, 16, 64, 256], [8, 32, 128, 512]],
        [[1024], []],
        [[2048], []],
        [[4096], []],
        [[512, 1024, 2048], [512, 1024, 2048]],
    ]
    assert found[0] == found[1]
    assert [*map(block, found[0].rows[:4])] == [2048, 1024, 512, 256]
    assert found[0].rows[0].milliseconds == 1.0
    assert found[0].rows[0].samples == 48


def test_all_know_alike_whether_a_call_has_guards(world: World) -> None:
    """Also of what another rank compiles: how guards are computed is tried by none."""

    def make(signature: Signature, config: Config, target: Target) -> Artifact:
        is_full = "\ndef is_full(x, y, out):\n    return True\n"
        found = artifacts.add(config.values[0][1], target=target, launch=LAUNCH + is_full)
        return replace(found, config=config)

    world.legal = (((BOUNDS, (1,)), ("group", (8,))),) * 3
    times: Times = {128: 3.0, 256: 2.0, 512: 1.0}
    found = Ranks(world, blocks(128, 256, 512), [times] * 3, make=make).run()
    assert found[0] == found[1] == found[2]
    assert {row.config.choices for row in found[0].rows} == {(), (("group", 8),)}


def test_the_fastest_over_all_devices(world: World) -> None:
    """Of two devices, one is better at small blocks."""
    times: list[Times] = [{128: 1.0, 256: 4.0}, {128: 4.0, 256: 2.0}]
    ranks = Ranks(world, blocks(128, 256), times)
    (found, _) = ranks.run()
    assert ranks.steps == [[[128], [256]], [[128, 256], [128, 256]]]
    assert [(block(row), row.milliseconds) for row in found.rows] == [
        (128, 2.5),
        (256, 3.0),
    ]


def test_times_of_one_device_do_not_count_beside_those_of_all(world: World) -> None:
    times: list[Times] = [{128: 1.0, 256: 5.0, 512: 2.0}, {128: 9.0, 256: 1.1, 1024: 2.05}]
    ranks = Ranks(world, blocks(128, 256, 512, 1024), times)
    (found, _) = ranks.run()
    # That of 1,024 is below the mean of 256.
    assert [*map(block, found.rows)] == [256, 128, 512, 1024]
    assert found.rows[0].milliseconds == 3.05


def test_what_fails_on_one_rank(world: World) -> None:
    times: list[Times] = [
        {128: 1.0, 256: "out of GPU memory", 512: 3.0},
        {128: "too slow", 256: 2.0, 512: 3.5},
    ]
    ranks = Ranks(world, blocks(128, 256, 512), times)
    (found, _) = ranks.run()
    rows = [(block(row), row.milliseconds, row.reason) for row in found.rows]
    assert rows == [
        (512, 3.25, None),
        (128, None, "too slow"),
        (256, None, "out of GPU memory"),
    ]


def test_the_next_ones_where_none_runs(world: World) -> None:
    sizes = [1 << bit for bit in range(2, 15)]
    world.predicted = {size: float(size) for size in sizes}
    world.refused = dict.fromkeys(sizes[:8], "refused")
    ranks = Ranks(world, blocks(*sizes), [{1024: 0.5}, {}])
    (found, _) = ranks.run()
    assert ranks.steps[:2] == [
        [[4, 16, 64, 256], [8, 32, 128, 512]],
        [[1024, 4096, 16384], [2048, 8192]],
    ]
    assert found.rows[0].config == blocks(1024)[0]


def test_no_configuration_runs(world: World) -> None:
    world.refused = {128: "refused", 256: "refused, too"}
    ranks = Ranks(world, blocks(128, 256), [{}, {}])
    with pytest.raises(ConfigurationError) as caught:
        ranks.run()
    assert str(caught.value) == (
        "no configuration of kernel 'add' can run on sm_90:\n"
        "  BLOCK=128, num_warps=4, num_stages=3: refused\n"
        "  BLOCK=256, num_warps=4, num_stages=3: refused, too\n"
        "write smaller block sizes or a smaller num_stages, or leave the choice to the compiler "
        "with ninetoothed.block_size()"
    )


def test_one_rank_alone(world: World) -> None:
    ranks = Ranks(world, blocks(128, 256), [{256: 1.0}], "full")
    (found,) = ranks.run()
    assert ranks.steps == [[[128, 256]]]
    assert (found.mode, found.rows[0].config) == ("full", blocks(256)[0])
