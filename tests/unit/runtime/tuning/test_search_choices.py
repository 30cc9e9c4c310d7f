"""Choices of passes in the search: varied, together, and with other block sizes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from ninetoothed.artifacts.artifact import Artifact
from ninetoothed.artifacts.configuration import (
    DESCRIPTORS,
    GROUPED,
    PERSISTENT,
    SPLIT,
    STAGED,
    Choices,
    Config,
    Space,
)
from ninetoothed.artifacts.signature import Signature
from ninetoothed.artifacts.target import Target
from ninetoothed.runtime.tuning import model, search
from ninetoothed.runtime.tuning.model import Ranked
from tests.support import artifacts
from tests.support.dispatching import SIGNATURE, World, blocks, values

LEGAL = (("group", (8,)), ("loop_depth", (2, 3)))


@pytest.mark.parametrize("mode", ["quick", "full"])
def test_choices_are_varied_around_the_best(world: World, mode: search.Tune) -> None:
    world.times = {128: 3.0, 256: 2.0}
    world.legal = ((), LEGAL)
    world.gains = {
        (("loop_depth", 2),): 0.5,
        (("group", 8),): 2.0,
        (("group", 8), ("loop_depth", 2)): 0.4,
        (("group", 8), ("loop_depth", 3)): 2.0,
    }
    dispatcher = world.dispatcher(blocks(128, 256), tune=mode)
    dispatcher.launch(SIGNATURE, values())
    # The best with three choices and with two at once, and with another one beside the best.
    assert world.races == [[128, 256], [256] * 5, [256] * 2]
    best = replace(blocks(256)[0], choices=(("group", 8), ("loop_depth", 2)))
    assert dispatcher.best(SIGNATURE, values()) == best
    report = dispatcher.report(SIGNATURE, values())
    assert "* BLOCK=256, num_warps=4, num_stages=3, group=8, loop_depth=2" in str(report)
    # Another process finds it, and one that knows no such choice does not.
    again = world.dispatcher(blocks(128, 256), tune=mode)
    again.launch(SIGNATURE, values())
    assert again.best(SIGNATURE, values()) == best


def test_how_many_parts_is_ranked_with_block_sizes(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def rank(space: Space, values: object, properties: object) -> list[Ranked]:
        rows = [
            Ranked(one, None, "too few iterations")
            if one.parts > 16
            else Ranked(one, 1 / one.parts)
            for one in space.configs
        ]
        return sorted(rows, key=lambda row: row.milliseconds or 2.0)

    monkeypatch.setattr(model, "rank", rank)
    world.legal = ((("group", (8,)), (SPLIT, (2, 4, 8, 16, 32))),)
    world.gains = {((SPLIT, 4),): 0.5, ((SPLIT, 4), ("group", 8)): 2.0}
    dispatcher = world.dispatcher(blocks(256))
    dispatcher.launch(SIGNATURE, values())
    # The default, and 2 to 16 parts; beside the best of them, 8 groups.
    assert world.races == [[256] * 5, [256] * 2]
    assert dispatcher.best(SIGNATURE, values()) == blocks(256)[0].choosing(SPLIT, 4)


@pytest.mark.parametrize(("reason", "timed"), [("all run at once", 2), ("", 4)])
def test_persistent_programs_are_timed_where_the_model_does_not_refuse_them(
    world: World, monkeypatch: pytest.MonkeyPatch, reason: str, timed: int
) -> None:
    def rank(space: Space, values: object, properties: object) -> list[Ranked]:
        return [
            Ranked(one, None, reason) if one.is_persistent and reason else Ranked(one, 1.0)
            for one in space.configs
        ]

    monkeypatch.setattr(model, "rank", rank)
    world.legal = (((PERSISTENT, (1,)), ("group", (8,))),)
    world.dispatcher(blocks(256)).launch(SIGNATURE, values())
    # Beside the default, 8 groups; and persistent programs, without groups and with them.
    assert world.races == [[256], [256] * timed]


GROUPS = (GROUPED, 16)
BOXES, LOADED = (DESCRIPTORS, 2), (DESCRIPTORS, 1)


@pytest.mark.parametrize(
    ("refused", "legal", "bundle"),
    [
        ("", (1, 2), (BOXES, GROUPS, (PERSISTENT, 1))),
        ("stores", (1, 2), (LOADED, GROUPS, (PERSISTENT, 1))),
        ("all", (1, 2), (BOXES, GROUPS)),
        # What is not stored through descriptors would be stored beside what is read.
        ("", (1,), (LOADED, GROUPS)),
    ],
)
def test_what_says_together_which_sizes_are_best_is_timed_with_them(
    world: World,
    monkeypatch: pytest.MonkeyPatch,
    refused: str,
    legal: tuple[int, ...],
    bundle: Choices,
) -> None:
    def rank(space: Space, values: object, properties: object) -> list[Ranked]:
        return [
            Ranked(one, None, "refused")
            if one.is_persistent and (refused == "all" or (refused and one.stores_boxes))
            else Ranked(one, float(one.values[0][1]))
            for one in space.configs
        ]

    monkeypatch.setattr(model, "rank", rank)
    sizes = [1 << bit for bit in range(4, 15)]
    row = ((DESCRIPTORS, legal), (GROUPED, (8, 16)), (PERSISTENT, (1,)), ("other", (1,)))
    world.legal = (row,) * len(sizes)
    world.gains = {bundle: 0.25}
    made: list[Config] = []
    dispatcher = world.dispatcher(blocks(*sizes), make=recorded(made))
    dispatcher.launch(SIGNATURE, values())
    assert made[:16] == [
        replace(one, choices=choices) for choices in ((), bundle) for one in blocks(*sizes[:8])
    ]
    best = dispatcher.best(SIGNATURE, values())
    assert best is not None
    assert best.choices == bundle


def test_loops_that_load_ahead_are_timed_with_the_first(world: World) -> None:
    """How far ahead says how many warps are best; no other choice need be legal."""
    world.times = {128: 2.0, 256: 3.0}
    world.legal = (((STAGED, (2, 3)),),) * 2
    world.gains = {((STAGED, 2),): 2.0, ((STAGED, 3),): 0.5}
    made: list[Config] = []
    world.dispatcher(blocks(128, 256), make=recorded(made)).launch(SIGNATURE, values())
    ahead = [one.choosing(STAGED, 3) for one in blocks(128, 256)]
    assert made[:4] == [*blocks(128, 256), *ahead]


def recorded(made: list[Config]) -> Callable[..., Artifact]:
    def make(signature: Signature, config: Config, target: Target) -> Artifact:
        made.append(config)
        return replace(artifacts.add(config.values[0][1], target=target), config=config)

    return make


def test_choices_may_gain_together_alone(world: World) -> None:
    names = ("descriptors", "group", "persistent")
    world.legal = (tuple((name, (1,)) for name in names),)
    world.gains = {((name, 1),): 2.0 for name in names}
    world.gains[tuple((name, 1) for name in names)] = 0.5
    dispatcher = world.dispatcher(blocks(256))
    dispatcher.launch(SIGNATURE, values())
    best = dispatcher.best(SIGNATURE, values())
    assert best is not None
    assert [name for name, _ in best.choices] == [*names]


def test_many_choices_leave_room_for_other_block_sizes(world: World) -> None:
    sizes = [1 << bit for bit in range(2, 15)]
    world.predicted = {size: float(size) for size in sizes}
    world.times = {512: 5.0}
    world.legal = ((("group", tuple(range(2, 12))),),) * len(sizes)
    world.dispatcher(blocks(*sizes)).launch(SIGNATURE, values())
    assert world.races[1] == [*[512] * 11, 1024]


def test_a_choice_is_kept_for_neighbours_where_it_is_legal(world: World) -> None:
    sizes = [1 << bit for bit in range(2, 15)]
    world.predicted = {size: float(size) for size in sizes}
    world.times = {512: 5.0}
    world.legal = tuple((("loop_depth", (2,)),) if size < 1024 else () for size in sizes)
    world.gains = {(("loop_depth", 2),): 0.5}
    world.dispatcher(blocks(*sizes)).launch(SIGNATURE, values())
    # The choice is legal for 256, and not for 1,024.
    assert world.races[1:] == [[512, 512, 1024], [512, 256]]
