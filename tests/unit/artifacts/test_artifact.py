"""Targets are parsed and printed; an artifact survives its own text."""

from __future__ import annotations

import dataclasses
import json

import pytest

from ninetoothed.artifacts.artifact import Argument, Artifact
from ninetoothed.artifacts.configuration import Config, Space
from ninetoothed.artifacts.target import Target
from ninetoothed.errors import DeviceError

ARTIFACT = Artifact(
    name="add",
    language="ttir",
    text="module {}\n",
    params=("lhs", "rhs", "output"),
    arguments=(Argument("lhs", "*fp16", 16), Argument("lhs_size_0", "i32")),
    launch="def programs(lhs, rhs, output): return 1\n",
    reads=("lhs", "rhs"),
    writes=("output",),
    target=Target("cuda", "sm_90", 32),
    config=Config((("BLOCK_SIZE", 128),), num_warps=8),
)


@pytest.mark.parametrize(
    ("text", "target", "printed"),
    [
        ("sm_90", Target("cuda", "sm_90", 32), "sm_90"),
        ("sm90a", Target("cuda", "sm_90", 32), "sm_90"),
        ("cuda:100", Target("cuda", "sm_100", 32), "sm_100"),
        ("gfx942", Target("hip", "gfx942", 64), "gfx942"),
        ("hip:gfx1100", Target("hip", "gfx1100", 32), "gfx1100"),
    ],
)
def test_target(text: str, target: Target, printed: str) -> None:
    assert Target.parse(text) == target
    assert str(target) == printed
    assert Target.parse(printed) == target


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        *((text, "write for example 'sm_90' or 'gfx942'") for text in ("", "h200", "cpu")),
        ("sm_", "did you mean sm_90?"),
        ("sm-90", "did you mean sm_90?"),
        ("gfx", "did you mean gfx950?"),
    ],
)
def test_no_target(text: str, meant: str) -> None:
    with pytest.raises(DeviceError) as caught:
        Target.parse(text)
    assert str(caught.value) == f"unknown target {text!r}; {meant}"


def test_config_prints_as_keywords() -> None:
    assert str(ARTIFACT.config) == "BLOCK_SIZE=128, num_warps=8, num_stages=3"


STAGED = Config((("B", 64),), choices=(("group", 8), ("loop_stages", 3)))


def test_choices_print_behind_the_others() -> None:
    assert str(STAGED) == "B=64, num_warps=4, num_stages=3, group=8, loop_stages=3"


def test_a_configuration_survives_its_text() -> None:
    for config in (ARTIFACT.config, STAGED):
        assert Config.of(json.loads(json.dumps(dataclasses.asdict(config)))) == config


def test_choices_of_a_configuration() -> None:
    assert STAGED.plain == Config((("B", 64),))
    assert STAGED.choosing("group", None).choices == (("loop_stages", 3),)
    assert STAGED.choosing("loop_stages", 2).choices == (("group", 8), ("loop_stages", 2))
    assert STAGED.plain.choosing("z", 1).choosing("a", 2).choices == (("a", 2), ("z", 1))


def test_a_space_varies_choices() -> None:
    small, large = Config((("B", 64),)), Config((("B", 128),))
    space = Space((small, large), "", legal=((("group", (8,)), ("loop_stages", (2, 3))), ()))
    text = space.to_json()
    assert Space.from_json(text) == space
    with pytest.raises(ValueError, match="each configuration has its choices"):
        Space.from_json(text.replace('"legal": [0, 1]', '"legal": [0]'))
    assert [config.choices for config in space.varied(small)] == [
        (("group", 8),),
        (("loop_stages", 2),),
        (("loop_stages", 3),),
    ]
    assert [config.choices for config in space.varied(STAGED)] == [
        (("loop_stages", 3),),
        (("group", 8),),
        (("group", 8), ("loop_stages", 2)),
    ]
    assert not space.varied(large)
    assert all(map(space.has, (small, large, STAGED)))
    assert not space.has(Config((("B", 256),)))
    assert not space.has(STAGED.choosing("loop_stages", 4))
    assert not space.has(STAGED.choosing("other", 1))
    assert not space.has(large.choosing("group", 8))
    assert not Space((small,), "").varied(small)


def test_artifact_survives_its_text() -> None:
    again = Artifact.from_json(ARTIFACT.to_json())
    assert again == ARTIFACT
    assert again.hash == ARTIFACT.hash


def test_hash_depends_on_every_field() -> None:
    changed = [
        dataclasses.replace(ARTIFACT, text="module { }\n"),
        dataclasses.replace(ARTIFACT, config=Config((("BLOCK_SIZE", 64),), num_warps=8)),
        dataclasses.replace(ARTIFACT, target=Target("cuda", "sm_80", 32)),
        dataclasses.replace(ARTIFACT, arguments=()),
    ]
    assert len({artifact.hash for artifact in [ARTIFACT, *changed]}) == 5
