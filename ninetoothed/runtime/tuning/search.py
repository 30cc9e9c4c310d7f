"""Search for the configuration of a bucket of sizes: by a result, the model, or timing."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

from ninetoothed import config as settings
from ninetoothed.artifacts.configuration import (
    BOUNDS,
    DESCRIPTORS,
    GROUPED,
    PACKED,
    PERSISTENT,
    SPLIT,
    STAGED,
    Config,
)
from ninetoothed.calls.aliasing import is_tensor
from ninetoothed.errors import ConfigurationError, DeviceError
from ninetoothed.runtime.launch.loaded import KernelPair
from ninetoothed.runtime.tuning import results, timing
from ninetoothed.runtime.tuning.candidates import Candidates, relaxed
from ninetoothed.runtime.tuning.isolation import StuckError
from ninetoothed.runtime.tuning.model import Ranked
from ninetoothed.runtime.tuning.progress import Progress, logger
from ninetoothed.runtime.tuning.report import ReportRow, TuningReport
from ninetoothed.runtime.tuning.results import Bucket, Result, Row
from ninetoothed.runtime.tuning.timing import Measured
from ninetoothed.version import __version__

Tune = Literal["off", "quick", "full"]
"""How a configuration is chosen where no result is known: by the model, by timing the model's best
few, or by timing all that the model does not refuse.
"""

# How many are timed: quick ones at least and at most, by how far apart the model sees them.
_QUICK_LEAST, _QUICK_MOST, _FULL_MOST = 8, 16, 160
_QUICK_BEHIND = 1.5
# What is taken off the promise of a configuration for each better one with equal block sizes.
_ALIKE = 0.04
REFINEMENTS = 3
"""How often the neighbours of the fastest are timed."""

# How many of them, of which so many at least are other block sizes, warps and stages: a kernel may
# have as many choices. And after how many seconds no more, but for the first time: what a choice
# gains is not known before.
_NEAR, _NEIGHBOURS, _REFINED_SECONDS = 8, 4, 2.5
# Of how many the model ranks all numbers of parts.
_SHARED = 32
# How many of these with other numbers of parts.
_MOST_PARTS = 3
# Choices that say which block sizes and warps are best, and do so together: the first ones are
# timed with all of them at the beginning.
_BUNDLED = (DESCRIPTORS, GROUPED, PERSISTENT, STAGED)
_UNBUNDLED = 8


@dataclass(frozen=True)
class Selection:
    """The kernel of one bucket, and how it came to it: ``origin`` as in ``report.ORIGINS``.

    ``timed``: the bucket whose result it is by. The result itself has hundreds of rows, and a
    service has many buckets: who wants to see it finds it on disk.
    """

    kernel: KernelPair
    origin: str
    timed: Bucket | None = None


class Search:
    """The choice for the bucket of one call, among the configurations that pass its checks.

    ``limit``: how many are compiled and timed at most. ``bucket``: of the sizes; calls that other
    configurations are for have another.
    """

    def __init__(
        self, candidates: Candidates, values: tuple[Any, ...], mode: Tune, limit: int | None
    ) -> None:
        self._candidates = candidates
        self._values = values
        self._mode: Tune = mode
        self._limit = limit
        self._fitting = candidates.fitting(values)
        self.bucket = (*results.bucket_of(values), *self._fitting.key)
        self._tried: set[Config] = set()
        self._failures: dict[Config, str] = {}

    def programs(self) -> int:
        """Number of programs of some configuration: 0 where there is nothing to do.

        Raises:
            CheckError: its sizes do not fit one another, whatever the configuration.
            ConfigurationError: no configuration can be compiled.
        """
        return self._candidates.programs(self._values, self._likely())

    def _likely(self) -> Iterator[Config]:
        # What will run is most likely on disk.
        if self._exact is not None:
            yield from self._existing(self._exact)

    def run(self) -> Selection:
        """The choice, after the mode.

        Raises:
            ConfigurationError: no configuration can run.
            DeviceError: one did not end while it was timed.
        """
        return self.known() or self._timed()

    def known(self) -> Selection | None:
        """The choice where the mode asks for no timing, or None.

        Raises:
            ConfigurationError: no configuration can run, or not the one that was agreed upon.
        """
        if self._mode == "off":
            return self.untimed()
        if self._mode == "quick":
            return self._agreed() or self._known()
        known, exact = self._agreed(), self._exact
        if known is None and exact is not None and (exact.imported or exact.mode == "full"):
            known = self._by_result(exact)
        return known

    def untimed(self) -> Selection:
        """The choice without a launch.

        Raises:
            ConfigurationError: no configuration can run, or not the one that was agreed upon.
        """
        known = self._agreed() or self._known()
        if known is not None:
            return known
        kernel = self._candidates.first_kernel(self._order(), self._values)
        if kernel is None:
            raise self._candidates.failure({})
        return Selection(kernel, "model")

    def promising(self) -> list[Config]:
        """The configurations that are timed next by the model; empty where all were."""
        left = [config for config in self._order() if config not in self._tried]
        return self._proposed(left[: self._at_once])

    def near(self, best: Config) -> list[Config]:
        """The configurations one step from the fastest that are timed next."""
        return self._proposed(self._near(best, self._tried))

    def _proposed(self, configs: list[Config]) -> list[Config]:
        self._tried.update(configs)
        return configs

    def load(self, configs: Sequence[Config]) -> None:
        """Compiles and loads what :meth:`rows` times."""
        with Progress(f"tuning {self._candidates.name}") as progress:
            self._kernels(configs, progress)

    def rows(self, configs: Sequence[Config]) -> list[Row]:
        """Times configurations: a row of each, those that ran first, the fastest before others.

        Raises:
            DeviceError: one did not end while it was timed.
        """
        with Progress(f"tuning {self._candidates.name}") as progress:
            rows = self._race(configs, progress) if configs else []
        reasons = {**self._candidates.failures, **self._failures}
        ran = {row.config for row in rows}
        left = [config for config in configs if config not in ran]
        return [*rows, *(Row(config, None, 0, reasons.get(config, "")) for config in left)]

    def failure(self, rows: Iterable[Row]) -> ConfigurationError:
        """The error that no configuration can run; ``rows``: those that cannot, and why."""
        return self._candidates.failure({row.config: row.reason or "" for row in rows})

    def precompile(self, refinements: int | None = None) -> list[Config]:
        """Compiles all that :meth:`run` may compile, whatever turns out to be fastest; returns what
        can be. ``refinements``: how often what is near the fastest; None: as often as it may.

        Raises:
            ConfigurationError: no configuration can.
        """
        with Progress(f"precompiling {self._candidates.name}") as progress:
            for result in self._usable():
                for config in self._existing(result):
                    if found := self._compiled([config], progress):
                        return found
            order, count = [*self._order()], self._at_once
            if self._mode == "off":
                count, refinements = 1, 0
            able: list[Config] = []
            while order and not able:
                batch, order = order[:count], order[count:]
                self._tried.update(batch)
                able = self._compiled(batch, progress)
            if not able:
                raise self._candidates.failure({})
            times = REFINEMENTS if refinements is None else min(refinements, REFINEMENTS)
            return [*able, *self._compiled_near(able, times, progress)]

    def _compiled(self, configs: Sequence[Config], progress: Progress) -> list[Config]:
        """Those that can be compiled."""
        return self._candidates.compiled(
            configs, self._values, lambda done, total: progress.update("compiled", done, total)
        )

    def _compiled_near(
        self, able: Sequence[Config], times: int, progress: Progress
    ) -> list[Config]:
        """Compiles what is one step from what may be the fastest, and again, as :meth:`_refined`
        would, whichever of them is.
        """
        compiled: dict[Config, bool] = {}
        fastest = [(best, frozenset(self._tried)) for best in able]
        for _ in range(times):
            steps = [(tried, self._near(best, tried)) for best, tried in fastest]
            new = dict.fromkeys(one for _, near in steps for one in near if one not in compiled)
            found = {*self._compiled([*new], progress)}
            compiled |= {one: one in found for one in new}
            fastest = list(
                dict.fromkeys(
                    (one, tried.union(near))
                    for tried, near in steps
                    for one in near
                    if compiled[one]
                )
            )
        return [one for one, is_able in compiled.items() if is_able]

    def _usable(self) -> Iterator[Result]:
        """The results that :meth:`run` takes in the place of timing, the best one first."""
        exact = self._exact
        if exact is not None and (self._mode != "full" or exact.imported or exact.mode == "full"):
            yield exact
        if self._mode != "full":
            tensors = sum(map(is_tensor, self._values))
            near = results.nearest(self._candidates.key, self.bucket, tensors)
            if near is not None and near != exact:
                yield near

    def report(self, choice: Selection | None) -> TuningReport:
        """Report of how ``choice`` was made."""
        timed = None if choice is None else choice.timed
        result = None if timed is None else results.load(self._candidates.key, timed)
        return TuningReport(
            self._candidates.name,
            self._candidates.device,
            self._mode,
            "none" if choice is None else choice.origin,
            results.shapes_of(self._values),
            results.rounded(self._values),
            None if result is None else result.shapes,
            None if choice is None else choice.kernel.artifact.config,
            tuple(self._report_rows(result)),
            self._candidates.space.pruned,
        )

    @cached_property
    def _exact(self) -> Result | None:
        """The result of this bucket that was known when the search began."""
        return results.load(self._candidates.key, self.bucket)

    @cached_property
    def _ranked(self) -> list[Ranked]:
        """What the model ranks: all of the space that fits, and the best with their iterations
        shared, since where programs are few, that decides which block sizes are best.
        """
        ranked = self._candidates.ranked(self._values, self._fitting.configs)
        best = (row.config for row in ranked[:_SHARED] if not row.reason)
        shared = [one for config in best for one in self._candidates.space.varied(config)]
        shared = tuple(one for one in shared if one.parts > 1)
        found = self._candidates.ranked(self._values, shared) if shared else []
        both = [*ranked, *(row for row in found if not row.reason)]
        return sorted(both, key=lambda row: row.order)

    def _agreed(self) -> Selection | None:
        """The choice that ranks have agreed upon, in the order in which calls look choices up.

        Raises:
            ConfigurationError: it cannot run here, and another one would not be theirs.
        """
        for bucket in (results.bucket_of(self._values), self.bucket):
            config = results.agreed.get((self._candidates.key, bucket))
            if config is not None and config.values in self._fitting.sizes:
                kernel = self._candidates.first_kernel([config], self._values)
                if kernel is None:
                    raise self._candidates.unable(config)
                return Selection(kernel, "synchronized", bucket)
        return None

    def _known(self) -> Selection | None:
        """The choice by a result of this bucket or a nearby one, if a configuration of it runs."""
        known = None if self._exact is None else self._by_result(self._exact)
        if known is not None:
            return known
        tensors = sum(map(is_tensor, self._values))
        near = results.nearest(self._candidates.key, self.bucket, tensors)
        if near is None or near == self._exact:
            return None
        known = self._by_result(near)
        return None if known is None else Selection(known.kernel, "nearby", near.bucket)

    def _by_result(self, result: Result) -> Selection | None:
        """The fastest configuration of a result that still exists and runs."""
        kernel = self._candidates.first_kernel(self._existing(result), self._values)
        if kernel is None:
            return None
        return Selection(kernel, "imported" if result.imported else "disk", result.bucket)

    def _existing(self, result: Result) -> list[Config]:
        sizes, space = self._fitting.sizes, self._candidates.space
        return [one for one in result.ranked if one.values in sizes and space.has(one)]

    def _order(self) -> Iterator[Config]:
        """The configurations to try, the most promising first, as many as the user allows."""
        return itertools.islice(self._every(), self._limit)

    def _every(self) -> Iterator[Config]:
        yield from self._unbundled
        # A search without timing mostly ends before.
        yield from self._bundled
        yield from _varied(self._ranked)[_UNBUNDLED:]
        # What the model refuses is tried where nothing else runs.
        yield from (row.config for row in self._ranked if row.reason)

    @cached_property
    def _unbundled(self) -> list[Config]:
        """The most promising, as they are."""
        return _varied(self._ranked)[:_UNBUNDLED]

    @cached_property
    def _at_once(self) -> int:
        """How many of :meth:`_order` are compiled and timed at once."""
        times = [row.milliseconds for row in self._ranked if row.milliseconds is not None]
        if self._mode == "full":
            return min(max(len(times) + len(self._bundled), 1), _FULL_MOST)
        near = sum(time <= _QUICK_BEHIND * times[0] for time in times)
        count = min(max(near, _QUICK_LEAST), _QUICK_MOST, max(len(times), 1))
        return max(count, min(len(times), _UNBUNDLED) + len(self._bundled))

    @cached_property
    def _bundled(self) -> list[Config]:
        """The most promising with all of :data:`_BUNDLED` that is legal, where that is several
        choices, or one that loads ahead: the model knows of none what it gains. Where blocks cannot
        be stored through descriptors, without persistent programs: threads would store beside what
        is read.
        """
        found: list[Config] = []
        for config in self._unbundled:
            varied = self._candidates.space.varied(config)
            highest = dict(choice for one in varied for choice in one.choices)
            bundle = config.choosing_each({name: highest.get(name) for name in _BUNDLED})
            if not bundle.stores_boxes:
                bundle = bundle.choosing(PERSISTENT, None)
            gained = len(bundle.choices) - len(config.choices)
            if config.parts == 1 and (gained > 1 or (gained and bundle.value(STAGED))):
                found.append(bundle)
        return self._with_room(found)

    def _with_room(self, configs: Sequence[Config]) -> list[Config]:
        """Each as it is; or, where the model refuses persistent programs with it, with loads alone
        through descriptors, or else without persistent programs.
        """
        # Of what stores no boxes, the second is refused as the first.
        variants = [
            (one, one.choosing(DESCRIPTORS, 1), one.choosing(PERSISTENT, None)) for one in configs
        ]
        every = tuple(dict.fromkeys(one for row in variants for one in row if one.is_persistent))
        refused = {row.config for row in self._candidates.ranked(self._values, every) if row.reason}
        found = (next(one for one in row if one not in refused) for row in variants)
        return list(dict.fromkeys(found))

    def _timed(self) -> Selection:
        """The choice by timing."""
        start = time.monotonic()
        with Progress(f"tuning {self._candidates.name}") as progress:
            rows = self._promising(progress)
            # In full mode, only choices are left to vary.
            seconds = _REFINED_SECONDS if self._mode == "quick" else math.inf
            rows = self._refined(rows, start + seconds, progress)
        return self._settled(rows)

    def _promising(self, progress: Progress) -> list[Row]:
        """Times the model's best; where none of them can run, the next ones."""
        order, count = [*self._order()], self._at_once
        logger.info(
            "tuning %s: %d of %d configurations",
            self._candidates.name,
            min(count, len(order)),
            len(self._ranked),
        )
        while order:
            batch, order = order[:count], order[count:]
            rows = self._race(batch, progress)
            if rows:
                return rows
        raise self._candidates.failure(self._failures)

    def _refined(self, rows: list[Row], end: float, progress: Progress) -> list[Row]:
        """Local search: times what is one step from the fastest, once, and again while there is
        time: the model sees the right region more surely than the best place in it.
        """
        for turn in range(REFINEMENTS):
            best = rows[0].config
            near = self._near(best, self._tried)
            if not near or (turn > 0 and time.monotonic() > end):
                break
            again = self._race([best, *near], progress)
            if not again:
                break
            timed = {row.config for row in again}
            others = [*again[1:], *(row for row in rows if row.config not in timed)]
            rows = [again[0], *sorted(others, key=lambda row: row.milliseconds or 0.0)]
            if rows[0].config == best:
                break
        return rows

    def _near(self, best: Config, tried: Collection[Config]) -> list[Config]:
        """Configurations one step from the fastest that are tried next, as many as the user allows:
        other choices of it first.
        """
        varied = self._varied(best)
        varied = [one for one in (*_together(best, varied), *varied) if one not in tried]
        others = [one for one in self._neighbours(best) if one not in tried]
        near = [*varied, *others[: max(_NEAR - len(varied), _NEIGHBOURS)]]
        return near if self._limit is None else near[: self._limit - len(tried)]

    def _varied(self, best: Config) -> list[Config]:
        """Other choices of the fastest; of numbers of parts, those that the model finds best, and
        packed operands and persistent programs where it does not refuse them.
        """
        varied = self._candidates.space.varied(best)
        if self._candidates.is_full(best, self._values):
            varied = [one for one in varied if one.value(BOUNDS) == best.value(BOUNDS)]
        parts = [one for one in varied if one.parts not in (1, best.parts)]
        others = [one for one in varied if one.is_packed and not best.is_packed]
        others += [one for one in varied if one.is_persistent and not best.is_persistent]
        if not (parts or others):
            return varied
        ranked = self._candidates.ranked(self._values, (*parts, *others))
        fitting = [row.config for row in ranked if not row.reason]
        kept = [one for one in fitting if one in parts][:_MOST_PARTS]
        kept += [one for one in fitting if one in others]
        return [one for one in varied if one in kept or one not in (*parts, *others)]

    def _neighbours(self, config: Config) -> list[Config]:
        """Configurations one step from ``config`` in one place, the most promising first, with the
        same choices where they are legal.
        """
        if self._mode == "full":
            return []
        steps, places = self._places
        here = _indices(config, steps)
        near = [
            replace(other, choices=config.choices)
            for other, there in places
            if other == other.listed and other.is_packed == config.is_packed
            if sum(abs(a - b) for a, b in zip(here, there, strict=True)) == 1
        ]
        return self._with_room([one for one in near if self._candidates.space.has(one)])

    @cached_property
    def _places(self) -> tuple[list[list[int]], list[tuple[Config, list[int]]]]:
        """The steps along each number of the configurations, and where lies what is not refused."""
        coordinates = [_coordinates(row.config) for row in self._ranked]
        steps = [sorted({*values}) for values in zip(*coordinates, strict=True)]
        able = (row.config for row in self._ranked if not row.reason)
        return steps, [(config, _indices(config, steps)) for config in able]

    def _race(self, configs: Sequence[Config], progress: Progress) -> list[Row]:
        """Compiles and times configurations; those that ran, the fastest first."""
        self._tried.update(configs)
        kernels = self._kernels(configs, progress)
        try:
            with relaxed():
                measured = timing.time_trials(
                    [one.trial() for kernel in kernels if (one := kernel.ready(self._values))],
                    self._values,
                    timing.FULL if self._mode == "full" else timing.QUICK,
                    lambda done, total: progress.update("settled", done, total),
                )
        except StuckError as error:
            raise self._stuck(kernels[error.position].artifact.config) from None
        for kernel, found in zip(kernels, measured, strict=True):
            if isinstance(found, str):
                self._failures[kernel.artifact.config] = found
        return [
            Row(kernels[place].artifact.config, found.milliseconds, found.samples)
            for place in timing.fastest(measured)
            if isinstance(found := measured[place], Measured)
        ]

    def _kernels(self, configs: Sequence[Config], progress: Progress) -> list[KernelPair]:
        # Timed is what this call launches: of a configuration whose guards all hold, the full one.
        return self._candidates.kernels(
            configs, self._values, lambda done, total: progress.update("compiled", done, total)
        )

    def result(self, rows: Iterable[Row]) -> Result:
        """The result of these rows, the chosen configuration's first."""
        candidates = self._candidates
        return Result(
            candidates.key,
            candidates.name,
            candidates.device,
            self.bucket,
            results.shapes_of(self._values),
            self._mode,
            tuple(rows),
            __version__,
            candidates.version,
        )

    def _settled(self, rows: Sequence[Row]) -> Selection:
        """Keeps what was found, unless another process was quicker: then all use its result."""
        candidates = self._candidates
        failures = {**candidates.failures, **self._failures}
        failed = (Row(config, None, 0, reason) for config, reason in failures.items())
        result = self.result((*rows, *failed))
        logger.info(
            "tuned %s: %s takes %.4g ms", candidates.name, rows[0].config, rows[0].milliseconds
        )
        other = results.load(candidates.key, self.bucket)
        if other is not None and other != self._exact and other.mode == self._mode:
            known = self._by_result(other)
            if known is not None:
                return known
        results.store(result)
        (kernel,) = candidates.kernels([rows[0].config], self._values)
        return Selection(kernel, "tuned", self.bucket)

    def _stuck(self, config: Config) -> DeviceError:
        """Leaves the configuration out in all later processes; the error for the user."""
        seconds = settings.tune_timeout()
        reason = f"it did not end within {seconds} s when it was timed"
        results.store_fault(self._candidates.key, config, reason)
        return DeviceError(
            f"kernel {self._candidates.name!r} did not end within {seconds} s "
            f"(NINETOOTHED_TUNE_TIMEOUT) when it was timed with {config}, and the device cannot "
            "stop it: end this process. Later ones leave this configuration out, until "
            "`python -m ninetoothed cache clear --kind tuning`"
        )

    def _report_rows(self, result: Result | None) -> list[ReportRow]:
        """Rows of the report: what was tried, then the others as the model ranks them."""
        tried = {row.config: row for row in result.rows} if result is not None else {}
        predictions = {row.config: row for row in self._ranked}
        rows: list[ReportRow] = []
        for config in dict.fromkeys([*tried, *predictions, *self._candidates.space.listed]):
            prediction, row = predictions.get(config), tried.get(config)
            # Without a model of the kernel, all times are 0.
            predicted = None if prediction is None else prediction.milliseconds or None
            if row is None:
                refused = None if prediction is None else prediction.reason or None
                if config.values not in self._fitting.sizes:
                    refused = "the sizes of this call do not fit its block sizes"
                reason = self._candidates.failures.get(config) or refused
                row = Row(config, None, 0, reason)
            rows.append(ReportRow(config, predicted, row.milliseconds, row.samples, row.reason))
        return rows


def _together(best: Config, varied: Sequence[Config]) -> list[Config]:
    """``best`` with all at once of what is ``varied`` one by one, if that is several choices: some
    gain with others alone. What the model ranks stays as it is.
    """
    highest = dict(choice for one in varied for choice in one.choices)
    found = best.choosing_each({**highest, SPLIT: None, PACKED: None, **dict(best.choices)})
    return [found] if len(found.choices) > len(best.choices) + 1 else []


def _varied(ranked: Sequence[Ranked]) -> list[Config]:
    """Configurations that the model does not refuse, the most promising first: of those with
    equal block sizes, each further one is less so, since the model may be wrong about all of them.
    """
    seen: dict[object, int] = {}
    rows: list[tuple[float, int]] = []
    for place, row in enumerate(ranked):
        if row.milliseconds is not None:
            blocks = row.config.values, row.config.is_packed
            alike = seen[blocks] = seen.get(blocks, -1) + 1
            rows.append((row.milliseconds * (1 + _ALIKE * alike), place))
    return [ranked[place].config for _, place in sorted(rows)]


def _coordinates(config: Config) -> tuple[int, ...]:
    return (*(value for _, value in config.values), config.num_warps, config.num_stages)


def _indices(config: Config, steps: Sequence[Sequence[int]]) -> list[int]:
    """Where a configuration lies, in steps along each of its numbers."""
    return [row.index(value) for row, value in zip(steps, _coordinates(config), strict=True)]
