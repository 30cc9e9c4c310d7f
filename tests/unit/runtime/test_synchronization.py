"""The same choices on all ranks: what is exchanged, and what follows from it, in one process.

``tests/pytorch/test_synchronize.py`` has the processes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from ninetoothed.artifacts.configuration import Config, Space
from ninetoothed.errors import ArgumentError, ConfigurationError, SynchronizationError
from ninetoothed.runtime.launch import device
from ninetoothed.runtime.synchronization import Offer, Offers, synchronize
from ninetoothed.runtime.tuning import results, timing
from ninetoothed.runtime.tuning.results import Result, Row, Slot
from tests.support.dispatching import (
    SIGNATURE,
    FakeCompiler,
    World,
    blocks,
    blocks_launched,
    constant,
    values,
)
from tests.unit.runtime.test_dispatch_full import make

Answer = Callable[[Any], Any]


@dataclass
class FakeGroup:
    """This process and another one, which answers each message."""

    answers: Sequence[Answer] = ()
    """The other's messages, by this one's; it says the same where there are no more."""
    ranks: Sequence[int] = (3, 5)
    place: int = 0
    failed: list[str | None] = field(default_factory=list["str | None"])

    def gather(self, message: Any) -> list[Any]:
        failure, made = message
        answer = self.answers[len(self.failed)] if len(self.failed) < len(self.answers) else same
        self.failed.append(failure)
        answers = [message, (None, answer(made))]
        return answers[::-1] if self.place else answers


def same(message: Any) -> Any:
    return message


def alone() -> FakeGroup:
    """A group that has no other rank."""
    group = FakeGroup(ranks=(0,))
    group.gather = lambda message: [message]
    return group


def measured(
    block: int = 128, milliseconds: float = 1.0, size: int = 1000, **changes: Any
) -> Result:
    rows = (Row(blocks(block)[0], milliseconds, 24),)
    made = Result("key", "add", "fake", (20,), ((size,),), "quick", rows, "0.1.0", "3.9.0")
    return replace(made, **changes)


def offer(*args: Any, **changes: Any) -> Offer:
    result = measured(*args, **changes)
    return Offer.of(result.rows[0].config, result)


def test_which_offer_counts() -> None:
    best_first = [
        offer(imported=True, milliseconds=9.0),
        offer(mode="full", milliseconds=8.0),
        offer(size=1400, milliseconds=1.5),
        offer(milliseconds=1.0),
        offer(milliseconds=2.0),
        Offer.of(blocks(256)[0], None),
    ]
    orders = [one.order for one in best_first]
    assert orders == sorted(orders)
    assert len({*orders}) == len(orders)
    assert [one.is_timed for one in best_first] == [True] * 5 + [False]


def untimed(config: Config) -> list[Answer]:
    """A rank that has chosen a configuration for the one slot of this one, without timing."""
    offer = Offer.of(config, None)
    return [same, lambda own: replace(own, chosen=dict.fromkeys(own.chosen, offer))]


def timed(config: Config, milliseconds: float, best: bool = True) -> list[Answer]:
    """A rank that has timed a configuration with the sizes that this one has."""
    kept: dict[Slot, Result] = {}

    def offers(own: Offers) -> Offers:
        ((slot, offer),) = own.chosen.items()
        found = measured(config.values[0][1], milliseconds, key=slot[0], bucket=slot[1])
        kept[slot] = replace(found, shapes=offer.order[4] or found.shapes)
        chosen = {slot: Offer.of(config, kept[slot])}
        return replace(own, chosen=chosen, wanted=frozenset[Slot]())

    return [same, offers, lambda _: kept if best else {}]


def test_the_other_rank_is_faster(world: World) -> None:
    world.times = {128: 2.0, 256: 3.0}
    replaced: list[int] = []
    dispatcher = world.dispatcher(blocks(128, 256), on_replaced=lambda: replaced.append(1))
    dispatcher.launch(SIGNATURE, values())
    assert synchronize(FakeGroup(timed(blocks(256)[0], 1.0))) == 1
    assert replaced == [1]
    dispatcher.launch(SIGNATURE, values(1001))
    assert blocks_launched(world) == [128, 256]
    # What graphs may still launch stays loaded, when others are chosen, too.
    dispatcher.launch(SIGNATURE, values(100_000))
    assert 128 not in world.unloaded[1:]
    assert str(dispatcher.report(SIGNATURE, values())) == (
        "kernel 'add' on fake device, sizes 1000 1000 1000 (as 1024 1024 1024)\n"
        "mode quick: the same on all ranks (ninetoothed.tuning.synchronize)\n"
        "  configuration                         predicted ms  measured ms  note\n"
        f"* BLOCK=256, num_warps=4, num_stages=3{'':26}1\n"
        "  BLOCK=128, num_warps=4, num_stages=3"
    )
    # A later process takes it from the disk.
    results.agreed.clear()
    later = world.dispatcher(blocks(128, 256))
    later.launch(SIGNATURE, values())
    assert later.best(SIGNATURE, values()) == blocks(256)[0]


def test_both_kernels_of_a_configuration(world: World) -> None:
    """Where the kernel that is replaced has one for calls in which all guards hold."""
    dispatcher = world.dispatcher(blocks(128, 256), make=make)
    dispatcher.launch(SIGNATURE, values(1024))
    world.compiled.clear()
    synchronize(FakeGroup(timed(blocks(256)[0], 1.0)))
    assert world.compiled == [256, 256]
    for size in (1024, 1000):
        dispatcher.launch(SIGNATURE, values(size))
    assert blocks_launched(world) == [128, 256, 256]
    assert world.compiled == [256, 256]


def test_the_other_rank_is_slower(world: World) -> None:
    replaced: list[int] = []
    dispatcher = world.dispatcher(blocks(128, 256), on_replaced=lambda: replaced.append(1))
    dispatcher.launch(SIGNATURE, values())
    assert synchronize(FakeGroup(timed(blocks(256)[0], 10.0, best=False))) == 1
    assert not replaced
    assert dispatcher.best(SIGNATURE, values()) == blocks(128)[0]
    assert dispatcher.report(SIGNATURE, values()).origin == "synchronized"


def test_choices_without_times(world: World) -> None:
    """Ranks that do not tune may still differ: one knows a result of sizes nearby."""
    dispatcher = world.dispatcher(blocks(128, 256), tune="off")
    dispatcher.launch(SIGNATURE, values())
    assert synchronize(FakeGroup(untimed(blocks(256)[0]), place=1)) == 1
    assert dispatcher.best(SIGNATURE, values()) == blocks(256)[0]
    assert not world.timed
    # It is this process's, and not on disk.
    assert results.load(*next(iter(results.agreed))) is None


def test_a_kernel_that_is_called_later(world: World) -> None:
    first = world.dispatcher(blocks(128, 256))
    first.launch(SIGNATURE, values())
    synchronize(FakeGroup(timed(blocks(256)[0], 1.0)))
    for mode in ("quick", "full", "off"):
        later = world.dispatcher(blocks(128, 256), tune=mode)
        later.launch(SIGNATURE, values())
        assert later.best(SIGNATURE, values()) == blocks(256)[0]
        assert later.report(SIGNATURE, values()).origin == "synchronized"
    assert world.timed == [128, 256]


def test_nothing_to_agree_upon(world: World) -> None:
    world.dispatcher(blocks(128, 256))
    single = world.dispatcher(blocks(512), name="single")
    single.launch(SIGNATURE, values())
    assert synchronize(FakeGroup()) == 0
    single.launch(SIGNATURE, values())
    assert blocks_launched(world) == [512, 512]
    assert not world.unloaded


def test_without_a_gpu(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "is_available", constant(False))
    monkeypatch.setattr(device, "name", None)
    assert synchronize(FakeGroup(), lambda: None) == 0


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        (
            "the GPU",
            "NVIDIA A100",
            "the GPU of rank 3 is fake device, and of rank 5 it is NVIDIA A100; a choice is for "
            "one product: synchronize a group for each (torch.distributed.new_group)",
        ),
        (
            "the version of the GPU's compiler",
            "3.6.0",
            "the version of the GPU's compiler of rank 3 is 3.9.0, and of rank 5 it is 3.6.0; "
            "install the same one on all ranks",
        ),
        (
            "the choice of optimizations",
            "all",
            "the choice of optimizations of rank 3 is none, and of rank 5 it is all; set "
            "NINETOOTHED_DISABLE_OPTIMIZATIONS to the same on all ranks",
        ),
    ],
)
def test_ranks_that_differ(world: World, name: str, value: str, message: str) -> None:
    with pytest.raises(SynchronizationError) as caught:
        synchronize(FakeGroup([lambda facts: {**facts, name: value}]))
    assert str(caught.value) == message


def test_kernels_that_differ(world: World) -> None:
    dispatcher = world.dispatcher(blocks(128, 256))
    dispatcher.launch(SIGNATURE, values())

    def others(offers: Offers) -> Offers:
        return replace(offers, kernels=dict.fromkeys(offers.kernels, frozenset({"another"})))

    with pytest.raises(SynchronizationError) as caught:
        synchronize(FakeGroup([same, others]))
    assert str(caught.value) == (
        "kernel 'add' has other configurations or costs on rank 5 than on rank 3; run the same "
        "sources and plugins on all ranks, and give kernels that are different ones a kernel_name "
        "each"
    )


def test_more_kernels_of_one_name(world: World) -> None:
    """One of them was called on both ranks."""
    kernels = [world.dispatcher(blocks(128, 256)), world.dispatcher(blocks(64, 512), version="2")]
    for kernel in kernels:
        kernel.launch(SIGNATURE, values())

    def others(offers: Offers) -> Offers:
        (named,) = offers.kernels
        return replace(offers, kernels={named: frozenset([min(offers.kernels[named])])})

    assert synchronize(FakeGroup([same, others])) == 2


def test_an_error_of_another_rank(world: World) -> None:
    dispatcher = world.dispatcher(blocks(128, 256))
    dispatcher.launch(SIGNATURE, values())
    group = FakeGroup()
    gather = group.gather
    group.gather = lambda message: [gather(message)[0], ("RuntimeError: no memory", None)]
    with pytest.raises(SynchronizationError) as caught:
        synchronize(group)
    assert str(caught.value) == (
        "the ranks cannot use the same choices, as rank 5 has failed: RuntimeError: no memory"
    )
    assert dispatcher.report(SIGNATURE, values()).origin == "tuned"


def test_an_error_is_told_to_all(world: World) -> None:
    group = FakeGroup()
    with pytest.raises(ZeroDivisionError):
        synchronize(group, lambda: 1 // 0)
    assert group.failed == [None, "ZeroDivisionError: integer division or modulo by zero"]
    assert synchronize(group, lambda: None) == 0


def test_a_choice_that_cannot_run_here(world: World) -> None:
    dispatcher = world.dispatcher(blocks(128, 256, 512))
    world.uncompilable = {256: "too large"}
    dispatcher.launch(SIGNATURE, values())
    group = FakeGroup(timed(blocks(256)[0], 1.0))
    with pytest.raises(ConfigurationError) as caught:
        synchronize(group)
    message = (
        "kernel 'add' cannot run with BLOCK=256, num_warps=4, num_stages=3, which the ranks of its "
        "process group use: too large"
    )
    assert str(caught.value) == message
    assert group.failed[-1] == message
    # Nothing has changed, in memory and on disk.
    assert dispatcher.best(SIGNATURE, values()) == blocks(128)[0]
    assert not results.agreed


def test_tuned_together(world: World) -> None:
    """The other rank finds what this one does."""
    world.times = {512: 1.0}
    dispatcher = world.dispatcher(blocks(128, 256, 512))
    made: list[list[int]] = []

    def warm_up() -> None:
        for size in (1000, 1001, 1000):
            dispatcher.launch(SIGNATURE, values(size))
        made.append(list(world.timed))

    assert synchronize(FakeGroup(), warm_up) == 1
    # The model's best meanwhile.
    assert blocks_launched(world) == [128] * 3
    assert made == [[]]
    assert world.races == [[128, 512], [512, 128]]
    dispatcher.launch(SIGNATURE, values())
    assert blocks_launched(world)[-1] == 512
    assert world.races == [[128, 512], [512, 128]]
    slot = next(iter(results.agreed))
    assert results.load(*slot) is not None


def test_alone(world: World) -> None:
    world.times = {256: 1.0}
    dispatcher = world.dispatcher(blocks(128, 256))
    assert synchronize(alone(), lambda: dispatcher.launch(SIGNATURE, values())) == 1
    assert world.races == [[128, 256]]
    assert dispatcher.best(SIGNATURE, values()) == blocks(256)[0]
    assert synchronize(alone()) == 1


def test_what_another_rank_has_timed_is_not_timed_again(world: World) -> None:
    dispatcher = world.dispatcher(blocks(128, 256))
    group = FakeGroup(timed(blocks(256)[0], 1.0))
    assert synchronize(group, lambda: dispatcher.launch(SIGNATURE, values())) == 1
    assert not world.timed
    assert dispatcher.best(SIGNATURE, values()) == blocks(256)[0]


def test_known_and_untuned_calls_of_a_warm_up(world: World) -> None:
    world.dispatcher(blocks(128, 256)).launch(SIGNATURE, values())
    world.times = {256: 1.0}
    known = world.dispatcher(blocks(128, 256))
    untuned = world.dispatcher(blocks(64, 32), "2", tune="off", name="untuned")

    def warm_up() -> None:
        known.launch(SIGNATURE, values())
        untuned.launch(SIGNATURE, values())

    assert synchronize(alone(), warm_up) == 2
    assert world.timed == [128, 256]
    assert known.best(SIGNATURE, values()) == blocks(128)[0]
    assert untuned.best(SIGNATURE, values()) == blocks(64)[0]


def test_full_is_not_content_with_a_quick_result(world: World) -> None:
    world.dispatcher(blocks(128, 256), tune="quick").launch(SIGNATURE, values())
    world.times = {256: 1.0}
    full = world.dispatcher(blocks(128, 256), tune="full")
    synchronize(alone(), lambda: full.launch(SIGNATURE, values()))
    assert world.efforts == [timing.QUICK, timing.FULL]
    assert full.best(SIGNATURE, values()) == blocks(256)[0]


@pytest.mark.parametrize("has_row", [True, False])
def test_a_result_that_was_written_since(world: World, has_row: bool) -> None:
    """Another process tunes, too: what this one uses counts."""
    world.times = {128: 1.0, 256: 2.0}
    dispatcher = world.dispatcher(blocks(128, 256))
    dispatcher.launch(SIGNATURE, values())
    assert synchronize(alone()) == 1
    (slot,) = results.agreed
    found = results.load(*slot)
    assert found is not None
    other = replace(found, rows=found.rows[::-1] if has_row else found.rows[1:])
    results.store(other)
    assert synchronize(alone()) == 1
    assert dispatcher.best(SIGNATURE, values()) == blocks(128)[0]
    assert results.load(*slot) == (found if has_row else other)


def test_a_kernel_whose_call_has_failed(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def space(*_: object) -> Space:
        raise ConfigurationError("too large")

    monkeypatch.setattr(FakeCompiler, "space", space)
    dispatcher = world.dispatcher(blocks(128, 256))
    with pytest.raises(ConfigurationError):
        dispatcher.launch(SIGNATURE, values())
    assert synchronize(FakeGroup()) == 0


def test_one_inside_of_another(world: World) -> None:
    with pytest.raises(ArgumentError) as caught:
        synchronize(alone(), lambda: synchronize(alone(), lambda: None))
    assert str(caught.value) == (
        "ninetoothed.tuning.synchronize was called by the function that another call of it runs; "
        "call one after the other"
    )


def test_a_warm_up_that_is_none(world: World) -> None:
    group = FakeGroup()
    with pytest.raises(ArgumentError) as caught:
        synchronize(group, 3)  # pyright: ignore[reportArgumentType]
    message = "warm_up must be a function without arguments, not 3"
    assert str(caught.value) == message
    assert group.failed == [None, message]
