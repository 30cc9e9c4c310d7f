"""Calls whose sizes fit one another with some block sizes only, or in a laxer class only."""

from __future__ import annotations

import textwrap
import threading
from collections.abc import Sequence
from dataclasses import replace

import pytest

from ninetoothed.artifacts.artifact import Artifact
from ninetoothed.artifacts.configuration import Config
from ninetoothed.artifacts.signature import Agreement, Signature
from ninetoothed.artifacts.target import Target
from ninetoothed.errors import ArgumentError, ArrangementError
from ninetoothed.runtime.dispatch import Dispatcher
from tests.support import artifacts, counting
from tests.support.dispatching import (
    SIGNATURE,
    FakeTensor,
    World,
    block_of,
    blocks,
    blocks_launched,
    values,
)

# As many blocks of x as of y, in each class but the last; in the last as many of out at most.
AGREES = "-(-x.shape[0] // BLOCK) == -(-y.shape[0] // BLOCK)"
FITS = """
def fits(x, y, out):
    def choice(BLOCK):
        return -(-x.shape[0] // BLOCK) == -(-y.shape[0] // BLOCK)
    return choice
"""
CONDITIONS: dict[Agreement, str] = {
    "shapes": AGREES,
    "counts": "x.shape[0] == 2 * y.shape[0]",
    "any": "x.shape[0] >= out.shape[0]",
}


def launch(agreement: Agreement, is_open: bool) -> str:
    """Host functions of a class; ``is_open``: a laxer one may take what it does not."""
    text = f"""
        def launch(x, y, out):
            if x.shape[0] == 13:
                return "13 brings bad luck", 0, ()
            if not ({CONDITIONS[agreement]}):
                return f"{{x.shape[0]}} and {{y.shape[0]}} by {agreement}, BLOCK", 0, ()
            arguments = (x.data_ptr(), y.data_ptr(), out.data_ptr(), x.shape[0])
            return None, -(-x.shape[0] // BLOCK), arguments
    """
    agrees = f"""
        def agrees(x, y, out):
            return {CONDITIONS[agreement]}
    """
    return textwrap.dedent(text) + textwrap.dedent(agrees) * is_open


class Kernels:
    """The artifacts of all classes; ``classes``: those that were asked for, one a configuration."""

    def __init__(self, is_open: bool = True) -> None:
        self._is_open = is_open
        self.classes: list[tuple[str, int]] = []

    def __call__(self, signature: Signature, config: Config, target: Target) -> Artifact:
        (block,) = (value for _, value in config.values)
        self.classes.append((signature.agreement, block))
        text = launch(signature.agreement, self._is_open and signature.agreement != "any")
        return replace(artifacts.add(block, target=target, launch=text), config=config)


def sizes(x: int, y: int, out: int | None = None) -> tuple[FakeTensor, ...]:
    return FakeTensor(x), FakeTensor(y), FakeTensor(x if out is None else out)


def made(world: World, configs: Sequence[Config], make: Kernels, fits: str = FITS) -> Dispatcher:
    world.fits = {"shapes": fits}
    return world.dispatcher(configs, make=make)


def chosen(dispatcher: Dispatcher, *shapes: int) -> int | None:
    config = dispatcher.best(SIGNATURE, sizes(*shapes))
    return None if config is None else config.values[0][1]


def test_a_choice_that_does_not_fit_is_not_the_end(world: World) -> None:
    """Sizes of one bucket: the configuration of most of them, and one for those that it does not
    fit.
    """
    world.times = {128: 1.0}
    make = Kernels()
    dispatcher = made(world, blocks(64, 128, 2048, 4096), make)
    dispatcher.launch(SIGNATURE, sizes(1000, 1000))
    assert blocks_launched(world) == [128]
    timed = [*world.timed]
    assert timed == [64, 128, 2048, 4096]
    world.times = {4096: 2.0, 128: 1.0}
    for _ in range(3):
        dispatcher.launch(SIGNATURE, sizes(1000, 1030))
    assert blocks_launched(world)[1:] == [4096, 4096, 4096]
    assert world.timed == [*timed, 2048, 4096]
    dispatcher.launch(SIGNATURE, sizes(1001, 1001))
    assert blocks_launched(world)[4:] == [128]
    # Where the choice of the bucket fits, nothing is searched.
    dispatcher.launch(SIGNATURE, sizes(1000, 1010))
    assert blocks_launched(world)[5:] == [128]
    assert [chosen(dispatcher, 1000, one) for one in (1000, 1010, 1030)] == [128, 128, 4096]
    assert {agreement for agreement, _ in make.classes} == {"shapes"}


def test_what_fits_is_found_first(world: World) -> None:
    """Before any other call: what does not fit is neither compiled, timed, nor asked for."""
    make = Kernels()
    dispatcher = made(world, blocks(64, 128, 2048, 4096), make)
    dispatcher.launch(SIGNATURE, sizes(1000, 1030))
    assert make.classes == [("shapes", 2048), ("shapes", 4096)]
    assert world.races[0] == [2048, 4096]
    assert chosen(dispatcher, 1000, 1000) is None
    dispatcher.launch(SIGNATURE, sizes(1000, 1000))
    assert world.races[-1] == [64, 128, 2048, 4096]


def test_the_model_alone_chooses_what_fits(world: World) -> None:
    world.predicted = {64: 1.0, 128: 2.0, 2048: 3.0, 4096: 2.5}
    world.fits = {"shapes": FITS}
    dispatcher = world.dispatcher(blocks(64, 128, 2048, 4096), make=Kernels(), tune="off")
    dispatcher.launch(SIGNATURE, sizes(1000, 1030))
    dispatcher.launch(SIGNATURE, sizes(1000, 1000))
    assert blocks_launched(world) == [4096, 64]


def test_what_fits_is_found_by_a_later_process(world: World) -> None:
    world.times = {4096: 1.0}
    world.fits = {"shapes": FITS}
    for make in (Kernels(), latest := Kernels()):
        dispatcher = world.dispatcher(blocks(64, 128, 2048, 4096), make=make)
        dispatcher.launch(SIGNATURE, sizes(1000, 1030))
        dispatcher.launch(SIGNATURE, sizes(1000, 1000))
    assert blocks_launched(world) == [4096] * 4
    assert len(world.races) == 2
    assert not latest.classes
    later = world.dispatcher(blocks(64, 128, 2048, 4096), make=latest)
    later.launch(SIGNATURE, sizes(1000, 1030))
    assert later.report(SIGNATURE, sizes(1000, 1030)).origin == "disk"


def test_a_report_says_what_does_not_fit(world: World) -> None:
    dispatcher = made(world, blocks(64, 128, 2048), Kernels())
    dispatcher.launch(SIGNATURE, sizes(1000, 1030))
    report = dispatcher.report(SIGNATURE, sizes(1000, 1030))
    assert report.chosen == blocks(2048)[0]
    reasons = {row.config.values[0][1]: row.reason for row in report.rows}
    left_out = "the sizes of this call do not fit its block sizes"
    assert reasons == {2048: None, 64: left_out, 128: left_out}


def test_a_laxer_class_is_taken_where_nothing_fits(world: World) -> None:
    make = Kernels()
    dispatcher = made(world, blocks(64, 128), make)
    for _ in range(3):
        dispatcher.launch(SIGNATURE, sizes(1000, 500))
    compiled = [*make.classes]
    assert compiled == [("shapes", 64), ("counts", 64), ("counts", 128)]
    for size in range(1000, 1020, 2):
        dispatcher.launch(SIGNATURE, sizes(size, size // 2))
    assert make.classes == compiled
    assert len(world.launched) == 13
    dispatcher.launch(SIGNATURE, sizes(1000, 300))
    assert make.classes[3:] == [("any", 64), ("any", 128)]


@pytest.mark.parametrize("block", [[64], [64, 128]])
def test_the_strictest_class_that_takes_a_call(world: World, block: list[int]) -> None:
    make = Kernels()
    dispatcher = made(world, blocks(*block), make, FITS if len(block) > 1 else "")
    for shapes in ((1000, 500), (1000, 1000), (1000, 300), (1000, 500), (1000, 1000)):
        dispatcher.launch(SIGNATURE, sizes(*shapes))
    used = [agreement for agreement, _ in make.classes]
    assert [*dict.fromkeys(used)] == ["shapes", "counts", "any"]
    assert len(world.launched) == 5
    for shapes in ((1000, 500), (1000, 1000), (1000, 300)):
        assert chosen(dispatcher, *shapes) is not None
        assert dispatcher.report(SIGNATURE, sizes(*shapes)).chosen is not None


def test_the_last_error_is_raised(world: World) -> None:
    dispatcher = made(world, blocks(64, 128), Kernels())
    for _ in range(2):
        with pytest.raises(ArgumentError) as caught:
            dispatcher.launch(SIGNATURE, sizes(1000, 300, 2000))
        assert str(caught.value) == "1000 and 300 by any, 64"
        assert type(caught.value) is ArgumentError
    assert not world.launched
    assert dispatcher.best(SIGNATURE, sizes(1000, 300, 2000)) is None


def test_other_errors_stay_what_they_are(world: World) -> None:
    """No other class is tried where its checks would fail, too."""
    make = Kernels()
    dispatcher = made(world, blocks(64), make, "")
    with pytest.raises(ArgumentError) as caught:
        dispatcher.launch(SIGNATURE, sizes(13, 13))
    assert str(caught.value) == "13 brings bad luck"
    assert make.classes == [("shapes", 64)]


@pytest.mark.parametrize("block", [[64], [64, 128]])
def test_a_kernel_without_checks_of_outermost_levels(world: World, block: list[int]) -> None:
    make = Kernels(is_open=False)
    dispatcher = made(world, blocks(*block), make)
    for shapes in ((1000, 500), (1000, 300)):
        with pytest.raises(ArgumentError) as caught:
            dispatcher.launch(SIGNATURE, sizes(*shapes))
        assert str(caught.value) == f"1000 and {shapes[1]} by shapes, 64"
    assert make.classes == [("shapes", 64)]
    dispatcher.launch(SIGNATURE, sizes(1000, 1000))
    with pytest.raises(ArgumentError, match="by shapes"):
        dispatcher.launch(SIGNATURE, sizes(1000, 500))
    assert {agreement for agreement, _ in make.classes} == {"shapes"}


@pytest.mark.parametrize("block", [[64], [64, 128]])
def test_calls_that_would_store_lanes_without_a_value(world: World, block: list[int]) -> None:
    """No class takes them, so no other is asked, whose warnings nobody needs."""

    class Undefined(Kernels):
        def __call__(self, signature: Signature, config: Config, target: Target) -> Artifact:
            artifact = super().__call__(signature, config, target)
            text = "def is_undefined(x, y, out):\n    return x.shape[0] == y.shape[0]\n"
            return replace(artifact, launch=f"{artifact.launch}\n{text}")

    make = Undefined()
    never = "def fits(x, y, out):\n    return lambda BLOCK: x.shape[0] != 13\n"
    dispatcher = made(world, blocks(*block), make, never)
    for _ in range(2):
        with pytest.raises(ArgumentError) as caught:
            dispatcher.launch(SIGNATURE, sizes(13, 13))
        assert str(caught.value) == "13 brings bad luck"
        assert type(caught.value) is ArgumentError
        dispatcher.launch(SIGNATURE, sizes(14, 14))
    assert {agreement for agreement, _ in make.classes} == {"shapes"}


def test_no_programs(world: World) -> None:
    make = Kernels()
    dispatcher = made(world, blocks(64, 128), make)
    dispatcher.launch(SIGNATURE, sizes(0, 1))
    assert not world.launched
    assert not world.compiled
    assert make.classes == [("shapes", 64), ("counts", 64), ("any", 64)]


def test_what_the_compiler_says_of_a_class(world: World) -> None:
    """A strict kernel has no class of any numbers."""

    class Strict(Kernels):
        def __call__(self, signature: Signature, config: Config, target: Target) -> Artifact:
            if signature.agreement == "any":
                raise ArrangementError("there are fewer elements than programs")
            return super().__call__(signature, config, target)

    dispatcher = made(world, blocks(64, 128), Strict())
    dispatcher.launch(SIGNATURE, sizes(1000, 500))
    with pytest.raises(ArrangementError, match="there are fewer elements than programs"):
        dispatcher.launch(SIGNATURE, sizes(1000, 300))


def test_a_first_call_inside_a_graph(world: World) -> None:
    world.capturing = True
    dispatcher = made(world, blocks(64, 128, 2048), Kernels())
    dispatcher.launch(SIGNATURE, sizes(1000, 500))
    dispatcher.launch(SIGNATURE, sizes(1000, 1030))
    assert blocks_launched(world) == [2048, 2048]
    dispatcher.launch(SIGNATURE, sizes(3000, 900))
    assert blocks_launched(world)[2:] == [64]
    assert not world.timed
    assert dispatcher.report(SIGNATURE, sizes(3000, 900)).origin == "model"


def test_a_class_that_is_ready_does_not_wait(world: World) -> None:
    dispatcher = made(world, blocks(64, 128), Kernels())
    for shapes in ((1000, 1000), (1000, 500), (1000, 300)):
        dispatcher.launch(SIGNATURE, sizes(*shapes))
    is_tuning, may_end = threading.Event(), threading.Event()

    def wait() -> None:
        is_tuning.set()
        assert may_end.wait(60)

    world.between = wait
    other = threading.Thread(target=dispatcher.launch, args=(SIGNATURE, sizes(100_000, 100_000)))
    other.start()
    assert is_tuning.wait(60)
    for shapes in ((1002, 1002), (1002, 501), (1002, 301)):
        dispatcher.launch(SIGNATURE, sizes(*shapes))
    assert len(world.launched) == 6
    may_end.set()
    other.join()
    assert len(world.launched) == 7


def test_a_call_that_fits_costs_what_it_did(world: World) -> None:
    """Neither the other classes nor the other block sizes are looked at."""
    world.times = {128: 1.0}
    plain = world.dispatcher(blocks(64, 128), "plain")
    dispatcher = made(world, blocks(64, 128), Kernels())
    for one in (plain, dispatcher):
        one.launch(SIGNATURE, values(1000))
    dispatcher.launch(SIGNATURE, sizes(1000, 500))
    dispatcher.launch(SIGNATURE, sizes(1000, 1030))

    def cost(one: Dispatcher) -> int:
        return counting.lines(lambda: one.launch(SIGNATURE, values(1000)))

    # The check of this kernel has a line more.
    assert cost(dispatcher) == cost(plain) + 1
    assert block_of(artifacts.add(blocks_launched(world)[-1])) == 128
