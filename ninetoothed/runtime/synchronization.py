"""The same tuning choices on all ranks of a process group.

Ranks that choose differently round differently, and wait for one another where they communicate. So
they exchange what they have chosen; of each bucket of each kernel the best result counts, and all
ranks use it from then on. Ranks may also time together what none has chosen yet, each a share of
the candidates (see ``tuning.joint_search``).

All steps end in an exchange that all ranks take part in, whatever happened before it, and go on by
what was exchanged alone. So an error of one rank is an error of all, and none of them is left
waiting; and all of them change their choices, or none does.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar

from ninetoothed import config as settings
from ninetoothed.artifacts.configuration import Config
from ninetoothed.errors import ArgumentError, NineToothedError, SynchronizationError, shown
from ninetoothed.runtime import dispatch, toolchain
from ninetoothed.runtime.dispatch import Dispatcher, Family, Postponed
from ninetoothed.runtime.launch import device
from ninetoothed.runtime.launch.loaded import KernelPair
from ninetoothed.runtime.tuning import results
from ninetoothed.runtime.tuning.joint_search import JointSearch
from ninetoothed.runtime.tuning.results import Bucket, Result, Shapes, Slot
from ninetoothed.version import __version__

_T = TypeVar("_T")

Prepared = dict[Dispatcher, dict[Family, dict[Bucket, KernelPair]]]


class Group(Protocol):
    """The ranks that synchronize."""

    @property
    def ranks(self) -> Sequence[int]:
        """Their numbers."""
        ...

    @property
    def place(self) -> int:
        """Which of them this process is."""
        ...

    def gather(self, message: object) -> list[Any]:
        """The messages of all ranks, in their order."""
        ...


Order = tuple[bool, bool, bool, int, Shapes, float]


@dataclass(frozen=True)
class Offer:
    """What a rank uses for one bucket; of several offers, the one with the least ``order`` counts.
    ``is_timed``: its times are those of this bucket.
    """

    config: Config
    order: Order
    is_timed: bool

    @staticmethod
    def of(config: Config, result: Result | None) -> Offer:
        """The offer of a configuration by a result, which it leads; None: it was not timed.

        What was loaded from a file comes first, then what was timed thoroughly. Times are compared
        where the sizes are the same ones, else larger ones count.
        """
        if result is None:
            return Offer(config, (True, True, True, 0, (), 0.0), False)
        time = result.rows[0].milliseconds or 0.0
        elements = sum(math.prod(shape) for shape in result.shapes)
        order = not result.imported, result.mode != "full", False, -elements, result.shapes, time
        return Offer(config, order, True)


@dataclass(frozen=True)
class Offers:
    """What a rank offers by slot, and the slots that it wants to be tuned.

    ``kernels``: the keys of its kernels' results, by their names and signatures.
    """

    kernels: dict[tuple[str, str], frozenset[str]]
    chosen: dict[Slot, Offer]
    wanted: frozenset[Slot]


def synchronize(group: Group, warm_up: Callable[[], object] | None = None) -> int:
    """Makes all ranks use the same choices; returns how many there are. ``warm_up`` is run first,
    and what it calls is tuned together.

    Raises:
        SynchronizationError: the ranks do not go together, or another one has failed.
        Exception: whatever ``warm_up`` raises here.
    """
    ranks = _Ranks(group)
    ranks.check(ranks.exchange(_facts))
    known: dict[Slot, Result] = {}
    postponed: dict[Slot, Postponed] = {}

    def chosen() -> Offers:
        if warm_up is not None:
            if not callable(warm_up):
                raise ArgumentError(
                    f"warm_up must be a function without arguments, not {shown(warm_up)}"
                )
            with dispatch.postponing() as found:
                warm_up()
            postponed.update(found)
        return _offers(known, postponed)

    offers = ranks.exchange(chosen)
    ranks.check_kernels([one.kernels for one in offers])
    best = _best([one.chosen for one in offers])
    timed = {slot for slot, (_, offer) in best.items() if offer.is_timed}
    tuned = _tuned(ranks, postponed, [one.wanted - timed for one in offers])
    own = {slot for slot, (place, _) in best.items() if place == ranks.place}
    wanted = own & (known.keys() - tuned.keys())
    shared = ranks.exchange(lambda: {slot: known[slot] for slot in wanted})
    found = {slot: result for part in (*shared, tuned) for slot, result in part.items()}
    configs = {slot: offer.config for slot, (_, offer) in best.items()}
    configs |= {slot: result.rows[0].config for slot, result in found.items()}
    prepared: Prepared = {}
    ranks.exchange(lambda: prepared.update(_prepared(configs)))
    results.agreed.update(configs)
    for result in found.values():
        results.store(result)
    for dispatcher, families in prepared.items():
        dispatcher.adopt(families)
    return len(configs)


class _Ranks:
    """The ranks of a group, which exchange what they have, or their errors."""

    def __init__(self, group: Group) -> None:
        self._group = group
        self.place = group.place

    def exchange(self, make: Callable[[], _T]) -> list[_T]:
        """What ``make`` returns on each rank.

        Raises:
            SynchronizationError: it failed on another one.
            Exception: whatever it raises here.
        """
        made, failure = None, None
        try:
            made = make()
        except Exception as error:
            failure = error
        text = None if failure is None else _described(failure)
        messages: list[tuple[str | None, Any]] = self._group.gather((text, made))
        if failure is not None:
            raise failure
        for rank, (text, _) in zip(self._group.ranks, messages, strict=True):
            if text is not None:
                raise SynchronizationError(
                    f"the ranks cannot use the same choices, as rank {rank} has failed: {text}"
                )
        return [made for _, made in messages]

    def check(self, facts: Sequence[Mapping[str, str]]) -> None:
        """Check that the ranks are alike.

        Raises:
            SynchronizationError: they are not.
        """
        first = self._group.ranks[0]
        for rank, others in zip(self._group.ranks, facts, strict=True):
            for name, here in facts[0].items():
                if others[name] != here:
                    raise SynchronizationError(
                        f"{name} of rank {first} is {here}, and of rank {rank} it is "
                        f"{others[name]}; {_REMEDIES[name]}"
                    )

    def check_kernels(self, kernels: Sequence[Mapping[tuple[str, str], frozenset[str]]]) -> None:
        """Check that kernels of one name and signature are the same on all ranks.

        Raises:
            SynchronizationError: they are not.
        """
        found: dict[tuple[str, str], tuple[int, frozenset[str]]] = {}
        for rank, known in zip(self._group.ranks, kernels, strict=True):
            for named, keys in sorted(known.items()):
                first, others = found.setdefault(named, (rank, keys))
                found[named] = first, others | keys
                if not keys & others:
                    raise SynchronizationError(
                        f"kernel {named[0]!r} has other configurations or costs on rank {rank} "
                        f"than on rank {first}; run the same sources and plugins on all ranks, and "
                        "give kernels that are different ones a kernel_name each"
                    )


_REMEDIES = {
    "the GPU": "a choice is for one product: synchronize a group for each "
    "(torch.distributed.new_group)",
    "the version of ninetoothed": "install the same one on all ranks",
    "the version of the GPU's compiler": "install the same one on all ranks",
    "the choice of optimizations": "set NINETOOTHED_DISABLE_OPTIMIZATIONS to the same on all ranks",
}


def _facts() -> dict[str, str]:
    """What has to be the same on all ranks."""
    gpu, version = "none", "none"
    if device.is_available():
        gpu = device.name(device.current())
        target = toolchain.active().active_target()
        version = toolchain.of(target).version() + target.back_end.origin
    return {
        "the version of ninetoothed": __version__,
        "the GPU": gpu,
        "the version of the GPU's compiler": version,
        "the choice of optimizations": settings.optimizations() or "none",
    }


def _offers(known: dict[Slot, Result], postponed: Mapping[Slot, Postponed]) -> Offers:
    """What this rank offers; the results of what was timed go to ``known``."""
    kernels: dict[tuple[str, str], set[str]] = {}
    chosen: dict[Slot, Offer] = {}
    for dispatcher in dispatch.dispatchers():
        with dispatcher.families() as families:
            for _, family in families:
                candidates = family.candidates
                named = candidates.name, str(candidates.signature)
                kernels.setdefault(named, set()).add(candidates.key)
                for slot, config, result in _choices(family):
                    offer = Offer.of(config, result)
                    if slot not in chosen or offer.order < chosen[slot].order:
                        chosen[slot] = offer
                        if result is not None:
                            known[slot] = result
    keys = {named: frozenset(keys) for named, keys in kernels.items()}
    return Offers(keys, chosen, frozenset(postponed))


def _choices(family: Family) -> Iterator[tuple[Slot, Config, Result | None]]:
    """The choices of a family, and their results where they were timed."""
    key = family.candidates.key
    for bucket, selection in {**family.untimed, **family.chosen}.items():
        config = selection.kernel.artifact.config
        # What could not be timed is to be, whatever it was chosen by.
        result = results.load(key, bucket) if bucket in family.chosen else None
        yield (key, bucket), config, None if result is None else _led(result, config)


def _led(result: Result, config: Config) -> Result | None:
    """The result with the row of ``config`` first; None where it was not timed. Another process may
    have written it since the choice was made.
    """
    first = [row for row in result.rows if row.config == config and row.milliseconds is not None]
    others = (row for row in result.rows if row.config != config)
    return replace(result, rows=(*first, *others)) if first else None


def _best(chosen: Sequence[Mapping[Slot, Offer]]) -> dict[Slot, tuple[int, Offer]]:
    """The best offer for each slot, and which rank's it is: of equal ones, the first's."""
    best: dict[Slot, tuple[int, Offer]] = {}
    for place, offers in enumerate(chosen):
        for slot, offer in offers.items():
            if slot not in best or offer.order < best[slot][1].order:
                best[slot] = place, offer
    return best


def _tuned(
    ranks: _Ranks, postponed: Mapping[Slot, Postponed], wanted: Sequence[frozenset[Slot]]
) -> dict[Slot, Result]:
    """The results of slots that ranks want to be tuned: each is tuned by all that want it."""
    members = {
        slot: [place for place, slots in enumerate(wanted) if slot in slots]
        for slot in sorted(frozenset[Slot]().union(*wanted))
    }
    if not members:
        return {}
    searches: dict[Slot, JointSearch] = {}

    def begin() -> None:
        for slot, places in members.items():
            if ranks.place in places:
                place = places.index(ranks.place)
                with _held(postponed[slot]):
                    searches[slot] = JointSearch(postponed[slot].search, place, len(places))

    def step(act: Callable[[Slot, JointSearch], _T]) -> dict[Slot, _T]:
        """What ``act`` returns for each search that goes on."""
        found: dict[Slot, _T] = {}
        for slot, search in searches.items():
            if search.result is None:
                with _held(postponed[slot]):
                    found[slot] = act(slot, search)
        return found

    def take(slot: Slot, search: JointSearch) -> None:
        search.take([parts[place].get(slot, []) for place in members[slot]])

    ranks.exchange(begin)
    # In between, all have compiled before any rank times.
    while any(ranks.exchange(lambda: step(lambda _, search: search.prepare()))):
        parts = ranks.exchange(lambda: step(lambda _, search: search.time()))
        ranks.exchange(lambda: step(take))
    ended = ranks.exchange(lambda: {slot: search.result for slot, search in searches.items()})
    firsts = {slot: ended[places[0]][slot] for slot, places in members.items()}
    return {slot: result for slot, result in firsts.items() if result is not None}


@contextlib.contextmanager
def _held(postponed: Postponed) -> Generator[None]:
    """What is postponed, on its device, while no other thread prepares its kernel."""
    with device.guard(postponed.index), postponed.lock:
        yield


def _prepared(configs: Mapping[Slot, Config]) -> Prepared:
    """The kernels that all ranks use from now on, loaded for calls that this one has made."""
    of_keys: dict[str, dict[Bucket, Config]] = {}
    for (key, bucket), config in configs.items():
        of_keys.setdefault(key, {})[bucket] = config
    found: Prepared = {}
    for dispatcher in dispatch.dispatchers():
        with dispatcher.families() as families:
            for index, family in families:
                if family.candidates.key in of_keys:
                    wanted = of_keys[family.candidates.key]
                    with device.guard(index):
                        found.setdefault(dispatcher, {})[family] = family.prepared(wanted)
    return found


def _described(error: Exception) -> str:
    if isinstance(error, NineToothedError):
        return error.message
    return f"{type(error).__name__}: {error}"
