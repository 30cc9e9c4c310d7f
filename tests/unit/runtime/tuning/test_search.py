"""Search for a configuration: known results, the model, timing; and the report of it."""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path

import pytest

from ninetoothed import tuning
from ninetoothed.artifacts.artifact import Artifact
from ninetoothed.artifacts.configuration import (
    Config,
)
from ninetoothed.errors import ConfigurationError, DeviceError, ShapeError
from ninetoothed.runtime.launch import device
from ninetoothed.runtime.toolchain.triton import compat
from ninetoothed.runtime.tuning import search, timing
from tests.support.dispatching import (
    SIGNATURE,
    World,
    blocks,
    blocks_launched,
    constant,
    values,
)


def test_the_fastest_configuration(world: World) -> None:
    world.times = {128: 3.0, 256: 1.0, 512: 1.0, 1024: "too many resources"}
    dispatcher = world.dispatcher(blocks(128, 1024, 256, 512))
    dispatcher.launch(SIGNATURE, values())
    dispatcher.launch(SIGNATURE, values())
    assert blocks_launched(world) == [256, 256]
    assert world.compiled == world.timed == [128, 1024, 256, 512]
    assert dispatcher.best(SIGNATURE, values()) == blocks(256)[0]
    assert sorted(world.unloaded) == [128, 512, 1024]


def test_sizes_far_away_are_tuned_for_themselves(world: World) -> None:
    world.times = {256: 1.0}
    dispatcher = world.dispatcher(blocks(128, 256))
    dispatcher.launch(SIGNATURE, values(1000))
    world.times = {128: 1.0}
    dispatcher.launch(SIGNATURE, values(100_000))
    assert world.timed == [128, 256, 128, 256]
    assert dispatcher.best(SIGNATURE, values(1000)) == blocks(256)[0]
    assert dispatcher.best(SIGNATURE, values(110_000)) == blocks(128)[0]
    assert world.unloaded == [128]


def test_full_tunes_each_bucket(world: World) -> None:
    dispatcher = world.dispatcher(blocks(128, 256), tune="full")
    for size in (1000, 1001, 2000):
        dispatcher.launch(SIGNATURE, values(size))
    assert world.timed == [128, 256] * 2
    assert world.efforts == [timing.FULL] * 2
    world.dispatcher(blocks(128, 256), tune="full").launch(SIGNATURE, values(1000))
    assert world.timed == [128, 256] * 2


def test_full_is_not_content_with_a_quick_result(world: World) -> None:
    world.dispatcher(blocks(128, 256), tune="quick").launch(SIGNATURE, values())
    world.times = {256: 1.0}
    world.dispatcher(blocks(128, 256), tune="full").launch(SIGNATURE, values())
    quick = world.dispatcher(blocks(128, 256), tune="quick")
    quick.launch(SIGNATURE, values())
    assert world.efforts == [timing.QUICK, timing.FULL]
    assert blocks_launched(world) == [128, 256, 256]


def test_off_takes_the_best_of_the_model(world: World) -> None:
    world.predicted = {128: 3.0, 256: 1.0, 512: 2.0}
    world.unloadable = {256: ConfigurationError("shared memory")}
    dispatcher = world.dispatcher(blocks(128, 256, 512), tune="off")
    dispatcher.launch(SIGNATURE, values())
    assert world.compiled == [256, 512]
    assert blocks_launched(world) == [512]
    assert not world.timed
    assert str(dispatcher.report(SIGNATURE, values())) == (
        "kernel 'add' on fake device, sizes 1000 1000 1000 (as 1024 1024 1024)\n"
        "mode off: the best by the model of the device\n"
        "  configuration                         predicted ms  measured ms  note\n"
        "  BLOCK=256, num_warps=4, num_stages=3             1               shared memory\n"
        "* BLOCK=512, num_warps=4, num_stages=3             2\n"
        "  BLOCK=128, num_warps=4, num_stages=3             3"
    )


def test_off_knows_what_was_tuned(world: World) -> None:
    world.times = {256: 1.0}
    world.dispatcher(blocks(128, 256)).launch(SIGNATURE, values(1000))
    for size, origin in ((1000, "disk"), (1900, "nearby"), (10_000, "model")):
        dispatcher = world.dispatcher(blocks(128, 256), tune="off")
        dispatcher.launch(SIGNATURE, values(size))
        assert dispatcher.report(SIGNATURE, values(size)).origin == origin
    assert blocks_launched(world) == [256, 256, 256, 128]
    assert len(world.timed) == 2


def test_the_setting_counts_where_make_says_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NINETOOTHED_TUNE", "off")
    world.dispatcher(blocks(128, 256)).launch(SIGNATURE, values())
    assert not world.timed
    world.dispatcher(blocks(128, 256), tune="quick").launch(SIGNATURE, values())
    assert world.timed
    monkeypatch.setenv("NINETOOTHED_TUNE", "fast")
    with pytest.raises(ConfigurationError, match="must be off, quick or full, not 'fast'"):
        world.dispatcher(blocks(128, 256), version="2").launch(SIGNATURE, values())


def many(*sizes: int) -> list[Config]:
    """Each block size with six choices of warps and stages."""
    return [
        replace(config, num_warps=warps, num_stages=stages)
        for config in blocks(*sizes)
        for warps in (2, 4, 8)
        for stages in (2, 3)
    ]


def test_quick_times_the_few_best_of_the_model(world: World) -> None:
    sizes = [1 << bit for bit in range(4, 15)]
    # Behind by far, so the fewest are timed first; none of them is faster than its neighbours.
    world.predicted = {size: float(size) for size in sizes} | {16: "threads without work"}
    world.dispatcher(many(*sizes)).launch(SIGNATURE, values())
    assert world.races[0] == [32] * 6 + [64] * 2
    # Close together: more of them, and those with equal block sizes stand back a little.
    world.predicted = {size: 1.0 + size / 1e6 for size in sizes}
    world.dispatcher(many(*sizes), name="close").launch(SIGNATURE, values())
    assert len(world.races[-2]) == 16
    assert {*world.races[-2]} == {*sizes}
    world.dispatcher(many(*sizes), name="full", tune="full").launch(SIGNATURE, values())
    assert len(world.races[-1]) == 6 * len(sizes)


def test_quick_goes_on_from_the_fastest(world: World) -> None:
    sizes = [1 << bit for bit in range(2, 15)]
    world.predicted = {size: float(size) for size in sizes}
    # The model is wrong: the fastest has larger blocks than it thinks.
    world.times = {size: abs(size - 2048) + 1.0 for size in sizes}
    dispatcher = world.dispatcher(blocks(*sizes))
    dispatcher.launch(SIGNATURE, values())
    assert world.races == [
        [4, 8, 16, 32, 64, 128, 256, 512],
        [512, 1024],
        [1024, 2048],
        [2048, 4096],
    ]
    assert dispatcher.best(SIGNATURE, values()) == blocks(2048)[0]
    report = dispatcher.report(SIGNATURE, values())
    assert [row.measured for row in report.rows[:3]] == [1.0, 1025.0, 1537.0]


def test_the_bound_holds_for_neighbours(world: World) -> None:
    world.times = {size: 1.0 / size for size in (16, 32, 64, 128)}
    world.dispatcher(blocks(16, 32, 64, 128), limit=2).launch(SIGNATURE, values())
    assert world.races == [[16, 32]]


@pytest.mark.parametrize(("seconds", "races"), [(-1.0, 2), (60.0, 4)])
def test_neighbours_are_timed_once_and_again_while_there_is_time(
    seconds: float, races: int, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "_REFINED_SECONDS", seconds)
    sizes = [1 << bit for bit in range(2, 15)]
    world.predicted = {size: float(size) for size in sizes}
    world.times = {size: 1.0 / size for size in sizes}
    world.dispatcher(blocks(*sizes)).launch(SIGNATURE, values())
    assert len(world.races) == races


def test_the_user_bounds_how_many(world: World) -> None:
    world.refused = {128: "refused"}
    dispatcher = world.dispatcher(blocks(128, 256, 512, 1024), limit=2, tune="full")
    dispatcher.launch(SIGNATURE, values())
    assert world.compiled == world.timed == [256]


def test_what_the_model_refuses_is_tried_last(world: World) -> None:
    world.predicted = {128: "too many registers", 256: 2.0, 512: 1.0}
    world.uncompilable = {256: "no", 512: "no"}
    world.dispatcher(blocks(128, 256, 512)).launch(SIGNATURE, values())
    assert world.compiled == [512, 256, 128]
    assert blocks_launched(world) == [128]


def test_the_choice_is_kept_on_disk(world: World) -> None:
    world.times = {256: 1.0}
    world.dispatcher(blocks(128, 256)).launch(SIGNATURE, values())
    world.compiled.clear()
    later = world.dispatcher(blocks(128, 256))
    later.launch(SIGNATURE, values())
    assert world.compiled == [256]
    assert world.timed == [128, 256]
    assert later.best(SIGNATURE, values()) == blocks(256)[0]


def test_a_choice_is_found_from_another_checkout(world: World, tmp_path: Path) -> None:
    world.times = {256: 1.0}
    world.dispatcher(blocks(128, 256)).launch(SIGNATURE, values())
    tuning.export(tmp_path / "results.json")
    for file in (tmp_path / "tuning").iterdir():
        file.unlink()
    tuning.load(tmp_path / "results.json")
    later = world.dispatcher(blocks(128, 256), version="elsewhere", tune="full")
    later.launch(SIGNATURE, values())
    assert later.report(SIGNATURE, values()).origin == "imported"
    assert world.timed == [128, 256]


@pytest.mark.parametrize("change", ["configs", "name", "triton", "device"])
def test_what_the_choice_depends_on(
    change: str, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.dispatcher(blocks(128, 256)).launch(SIGNATURE, values())
    if change == "triton":
        monkeypatch.setattr(compat, "version", lambda: "3.6.0")
    if change == "device":
        monkeypatch.setattr(device, "name", constant("another device"))
    configs = blocks(128, 512) if change == "configs" else blocks(128, 256)
    name = "sub" if change == "name" else "add"
    world.dispatcher(configs, "2", name=name).launch(SIGNATURE, values())
    assert len(world.timed) == 4


def test_a_choice_that_no_longer_loads(world: World) -> None:
    world.times = {256: 1.0, 512: 2.0}
    world.dispatcher(blocks(128, 256, 512)).launch(SIGNATURE, values())
    world.unloadable = {256: ConfigurationError("shared memory")}
    later = world.dispatcher(blocks(128, 256, 512))
    later.launch(SIGNATURE, values())
    assert later.best(SIGNATURE, values()) == blocks(512)[0]
    assert len(world.timed) == 3


def test_two_processes_use_one_result(world: World) -> None:
    """Another process stores its result while this one times."""
    world.times = {256: 1.0}

    def other() -> None:
        world.between = lambda: None
        world.dispatcher(blocks(128, 256)).launch(SIGNATURE, values())
        world.times = {128: 1.0, 256: 2.0}

    world.between = other
    dispatcher = world.dispatcher(blocks(128, 256))
    dispatcher.launch(SIGNATURE, values())
    assert blocks_launched(world) == [256, 256]
    assert dispatcher.report(SIGNATURE, values()).origin == "disk"


def test_configurations_that_fail_are_dropped(world: World) -> None:
    world.refused = {64: "a block of 64 is refused"}
    world.uncompilable = {128: "compiling took over 60 s"}
    world.unloadable = {256: ConfigurationError("shared memory")}
    world.times = {1024: "out of GPU memory", 512: 0.25}
    dispatcher = world.dispatcher(blocks(64, 128, 256, 512, 1024))
    dispatcher.launch(SIGNATURE, values())
    assert blocks_launched(world) == [512]
    assert str(dispatcher.report(SIGNATURE, values(1001))) == (
        "kernel 'add' on fake device, sizes 1001 1001 1001 (as 1024 1024 1024)\n"
        "mode quick: tuned by this process\n"
        "timed with sizes 1000 1000 1000\n"
        "  configuration                          predicted ms  measured ms  note\n"
        "* BLOCK=512, num_warps=4, num_stages=3                        0.25\n"
        f"  BLOCK=64, num_warps=4, num_stages=3{'':31}a block of 64 is refused\n"
        f"  BLOCK=128, num_warps=4, num_stages=3{'':30}compiling took over 60 s\n"
        f"  BLOCK=256, num_warps=4, num_stages=3{'':30}shared memory\n"
        f"  BLOCK=1024, num_warps=4, num_stages=3{'':29}out of GPU memory"
    )


def test_a_failure_of_one_size_is_none_of_others(world: World) -> None:
    world.times = {256: "out of GPU memory", 128: 5.0}
    dispatcher = world.dispatcher(blocks(128, 256))
    dispatcher.launch(SIGNATURE, values(100_000))
    world.times = {256: 1.0}
    dispatcher.launch(SIGNATURE, values(100))
    assert blocks_launched(world) == [128, 256]


def test_what_did_not_load_once_may_later(world: World) -> None:
    world.unloadable = {256: ConfigurationError("out of memory")}
    dispatcher = world.dispatcher(blocks(256))
    with pytest.raises(ConfigurationError, match="out of memory"):
        dispatcher.launch(SIGNATURE, values())
    world.unloadable = {}
    dispatcher.launch(SIGNATURE, values())
    assert blocks_launched(world) == [256]
    assert [row.reason for row in dispatcher.report(SIGNATURE, values()).rows] == [None]


def test_an_interrupted_search_begins_anew(world: World) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    dispatcher = world.dispatcher(blocks(128, 256))
    world.between = interrupt
    with pytest.raises(KeyboardInterrupt):
        dispatcher.launch(SIGNATURE, values())
    assert dispatcher.report(SIGNATURE, values()).origin == "none"
    world.between = lambda: None
    world.times = {256: 1.0}
    dispatcher.launch(SIGNATURE, values())
    assert blocks_launched(world) == [256]
    assert sorted(world.compiled) == [128, 256]


def test_kernels_called_by_what_is_timed_are_not_tuned(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As where torch's own copies are made by a kernel of this package, the timed one even.
    dispatcher = world.dispatcher(blocks(128, 256))
    world.predicted = {128: 2.0, 256: 1.0}
    world.times = {128: 1.0}
    nested: list[bool] = []

    def copy() -> None:
        nested.append(True)
        dispatcher.launch(SIGNATURE, values())

    world.between = copy
    monkeypatch.setattr(timing, "is_timing", lambda: bool(nested))
    dispatcher.launch(SIGNATURE, values())
    assert blocks_launched(world) == [256, 128]
    assert world.races == [[256, 128]]


def test_none_fits(world: World) -> None:
    world.refused = {64: "a block of 64 is refused"}
    world.uncompilable = {128: "compiling took over 60 s"}
    world.unloadable = {256: ConfigurationError("shared memory")}
    world.times = {512: "too many resources"}
    with pytest.raises(ConfigurationError) as caught:
        world.dispatcher(blocks(64, 128, 256, 512)).launch(SIGNATURE, values())
    assert str(caught.value) == (
        "no configuration of kernel 'add' can run on sm_90:\n"
        "  BLOCK=64, num_warps=4, num_stages=3: a block of 64 is refused\n"
        "  BLOCK=128, num_warps=4, num_stages=3: compiling took over 60 s\n"
        "  BLOCK=256, num_warps=4, num_stages=3: shared memory\n"
        "  BLOCK=512, num_warps=4, num_stages=3: too many resources\n"
        "write smaller block sizes or a smaller num_stages, or leave the choice to the compiler "
        "with ninetoothed.block_size()"
    )
    assert not world.launched


@pytest.mark.parametrize("stage", ["refused", "uncompilable"])
def test_the_only_one_does_not_fit(world: World, stage: str) -> None:
    setattr(world, stage, {256: "shared memory"})
    dispatcher = world.dispatcher(blocks(256))
    for _ in range(2):
        with pytest.raises(ConfigurationError, match="num_warps=4, num_stages=3: shared memory"):
            dispatcher.launch(SIGNATURE, values())
    assert dispatcher.best(SIGNATURE, values()) is None


def test_none_at_all(world: World) -> None:
    with pytest.raises(ConfigurationError, match="'add' has no configuration to run with on sm_90"):
        world.dispatcher([]).launch(SIGNATURE, values())


def test_a_mistake_of_the_user_is_no_matter_of_the_configuration(world: World) -> None:
    def make(*_: object) -> Artifact:
        raise ShapeError("cannot broadcast 3 with 4")

    with pytest.raises(ShapeError):
        world.dispatcher(blocks(128, 256), make=make).launch(SIGNATURE, values())


def test_what_hangs_is_left_out_by_the_next_process(world: World) -> None:
    world.stuck = 256
    with pytest.raises(DeviceError) as caught:
        world.dispatcher(blocks(128, 256)).launch(SIGNATURE, values())
    assert str(caught.value) == (
        "kernel 'add' did not end within 30 s (NINETOOTHED_TUNE_TIMEOUT) when it was timed with "
        "BLOCK=256, num_warps=4, num_stages=3, and the device cannot stop it: end this process. "
        "Later ones leave this configuration out, until `python -m ninetoothed cache clear --kind "
        "tuning`"
    )
    later = world.dispatcher(blocks(128, 256))
    later.launch(SIGNATURE, values())
    assert blocks_launched(world) == [128]
    reasons = [row.reason for row in later.report(SIGNATURE, values()).rows]
    assert reasons == [None, "it did not end within 30 s when it was timed"]


def test_inside_a_graph_nothing_is_timed(world: World) -> None:
    world.predicted = {128: 2.0, 256: 1.0}
    world.times = {128: 1.0}
    dispatcher = world.dispatcher(blocks(128, 256))
    world.capturing = True
    # Nothing to be repeated: outside, the clock decides.
    assert dispatcher.launch(SIGNATURE, values()) is None
    assert dispatcher.launch(SIGNATURE, values()) is None
    assert not world.timed
    assert world.compiled == [256]
    world.capturing = False
    assert dispatcher.launch(SIGNATURE, values()) == "launched"
    assert world.timed == [256, 128]
    world.capturing = True
    assert dispatcher.launch(SIGNATURE, values()) == "launched"
    assert blocks_launched(world) == [256, 256, 128, 128]
    # A graph may hold its code.
    assert not world.unloaded


def test_inside_a_graph_a_result_serves(world: World) -> None:
    world.times = {256: 1.0}
    world.dispatcher(blocks(128, 256), tune="full").launch(SIGNATURE, values(1000))
    world.capturing = True
    for size in (1000, 1900):
        world.dispatcher(blocks(128, 256), tune="full").launch(SIGNATURE, values(size))
    assert blocks_launched(world) == [256] * 3


@pytest.mark.parametrize("sizes", [(256,), (128, 256)])
def test_inside_a_graph_code_may_not_load(sizes: tuple[int, ...], world: World) -> None:
    error = DeviceError("loading add: CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED")
    world.unloadable = dict.fromkeys(sizes, error)
    dispatcher = world.dispatcher(blocks(*sizes))
    world.capturing = True
    with pytest.raises(DeviceError) as caught:
        dispatcher.launch(SIGNATURE, values())
    assert str(caught.value) == (
        "kernel 'add' is called for the first time while a CUDA graph is captured, and its code "
        "cannot be loaded then (loading add: CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED); call it once "
        "before the capture"
    )
    world.capturing = False
    with pytest.raises(DeviceError, match=r"^loading add"):
        dispatcher.launch(SIGNATURE, values())


def test_reports(world: World) -> None:
    dispatcher = world.dispatcher(blocks(128, 256))
    assert dispatcher.report(SIGNATURE, values(3, "cpu")).origin == "interpreted"
    assert str(dispatcher.report(SIGNATURE, values(3, "cpu"))) == (
        "kernel 'add' on cpu, sizes 3 3 3\n"
        "mode quick: CPU tensors are evaluated without a choice: nothing is tuned there"
    )
    report = dispatcher.report(SIGNATURE, values())
    assert (report.origin, report.chosen, report.timed_sizes) == ("none", None, None)
    assert [row.config for row in report.rows] == blocks(128, 256)
    world.times = {256: 0.5}
    dispatcher.launch(SIGNATURE, values())
    report = dispatcher.report(SIGNATURE, values())
    assert (report.origin, report.chosen) == ("tuned", blocks(256)[0])
    assert [(row.measured, row.samples) for row in report.rows] == [(0.5, 24), (9.0, 24)]
    only = world.dispatcher(blocks(512), "of one")
    only.launch(SIGNATURE, values())
    assert only.report(SIGNATURE, values()).origin == "only"


def test_a_long_report_is_cut(world: World) -> None:
    world.pruned = (("too many registers", 7),)
    report = world.dispatcher(blocks(*range(1, 60))).report(SIGNATURE, values())
    assert len(report.rows) == 59
    assert report.pruned == world.pruned
    last = "  and 19 more, which .rows has\n  7 left out: too many registers"
    assert str(report).endswith(f"\n{last}")


def test_what_is_logged(world: World, caplog: pytest.LogCaptureFixture) -> None:
    world.times = {256: 0.125}
    with caplog.at_level(logging.INFO, "ninetoothed"):
        world.dispatcher(blocks(128, 256)).launch(SIGNATURE, values())
    assert caplog.messages == [
        "tuning add: 2 of 2 configurations",
        "tuned add: BLOCK=256, num_warps=4, num_stages=3 takes 0.125 ms",
    ]
