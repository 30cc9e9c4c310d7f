"""Times configurations on the device, by successive halving.

Every launch is timed as calls are outside of benchmarks of one kernel alone: with nothing of its
data left in the caches, by events around it, on a device that the host is ahead of. The candidates
are launched round-robin, so that a clock that slows down slows all of them; of each, the median
counts. After each round the slower ones are left out, until one leads clearly or the finalists have
been timed often enough. Of small kernels, whose differences are less than what launches vary by,
those that are left are also launched many times in a row, inside a graph.

All that is compiled is compiled before the first launch: compilers on every core make the host late
and the device's clock low, and timing takes less than a second of a search that takes several.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import statistics
import threading
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ninetoothed import config
from ninetoothed.errors import ArgumentError, ConfigurationError
from ninetoothed.runtime.launch import device
from ninetoothed.runtime.launch.loaded import Trial
from ninetoothed.runtime.tuning.isolation import StuckError, isolated

# Whoever times, times alone: two threads would time each other's launches.
_lock = threading.Lock()
_this_thread = threading.local()

_FIRST_SAMPLES = 3
# A candidate is left out at once where its fastest sample takes so many times the best one's.
_HOPELESS = 2.0
# And after a round where its median is further behind than this, which shrinks with each round.
_FIRST_MARGIN, _LAST_MARGIN = 0.3, 0.02
# Of a round, so many go on in any case that are within the margin.
_FINALISTS = 3
# Of launches that take no longer than the first, in ms, differences up to the second tell little.
_SHORT, _CLOSE = 0.02, 0.0002
# Launches in one graph, and how often it is replayed.
REPEATED, _REPLAYS = 20, 5
_POLL_SECONDS = 0.0005
# How often the cache is filled before a launch, at most, and at most before the next one too.
_MOST_FILLS, _LASTING_FILLS = 32, 4


@dataclass(frozen=True)
class Effort:
    """Budget of a search: samples of one configuration, and seconds of timing in all."""

    samples: int
    seconds: float


QUICK = Effort(samples=24, seconds=1.5)
FULL = Effort(samples=96, seconds=20.0)


@dataclass(frozen=True)
class Measured:
    """The median time of a configuration, and of how many samples.

    ``is_finalist``: it was timed to the end, so that times of such can be compared. ``repeated``:
    the time of one of many launches in a row, with warm caches, of those that are close to the
    fastest of small kernels.
    """

    milliseconds: float
    samples: int
    is_finalist: bool
    repeated: float | None = None


class Clock(Protocol):
    """Stopwatch of the tuner."""

    def settle(self) -> None:
        """Waits for all that was enqueued before."""
        ...

    def first(self, launch: Callable[[], object], prepare: Callable[[], None]) -> Any:
        """Enqueues the first launch of a kernel, whose time does not count."""
        ...

    def start(self, launch: Callable[[], object], prepare: Callable[[], None]) -> Any:
        """Enqueues one launch to be timed, with ``prepare`` before it."""
        ...

    def repeated(self, launch: Callable[[], object], prepare: Callable[[], None]) -> Sequence[Any]:
        """Enqueues many launches in a row, several times; none where that cannot be done."""
        ...

    def collect(self, samples: Sequence[Any]) -> list[float]:
        """The milliseconds of what :meth:`first`, :meth:`start` and :meth:`repeated` have returned.

        Raises:
            StuckError: one did not end in time; its position.
        """
        ...

    def seconds(self) -> float:
        """The time of day, for what a search may take."""
        ...


def time_trials(
    trials: Sequence[Trial],
    values: tuple[Any, ...],
    effort: Effort = QUICK,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[Measured | str]:
    """Time of each trial on ``values``, or the reason why it cannot run.

    ``progress`` is told how many of the trials are settled.

    Raises:
        StuckError: a launch did not end in ``NINETOOTHED_TUNE_TIMEOUT`` seconds.
    """
    if not trials:
        return []
    with _lock, _marked(), isolated(trials, values) as (arguments, prepare):
        launches = [functools.partial(trial.launch, arguments) for trial in trials]
        return _Race(launches, prepare, _clock(), effort, progress).run()


def is_timing() -> bool:
    """True while this thread times: torch's own operations, by which data is copied and caches are
    filled, may be kernels of this package, and those are not tuned meanwhile.
    """
    return getattr(_this_thread, "is_timing", False)


@contextlib.contextmanager
def _marked() -> Generator[None]:
    _this_thread.is_timing = True
    try:
        yield
    finally:
        _this_thread.is_timing = False


def fastest(results: Sequence[Measured | str]) -> list[int]:
    """The positions of what ran, the best first: finalists, of which those that are close to the
    fastest count by both of their times, then the others by their times.
    """
    ran = [
        (not one.is_finalist, one.repeated is None, one.milliseconds + (one.repeated or 0), place)
        for place, one in enumerate(results)
        if isinstance(one, Measured)
    ]
    return [place for *_, place in sorted(ran)]


class _Race:
    """Successive halving: the candidates that are left, and the samples of all."""

    def __init__(
        self,
        launches: Sequence[Callable[[], object]],
        prepare: Callable[[], None],
        clock: Clock,
        effort: Effort,
        progress: Callable[[int, int], None],
    ) -> None:
        self._launches = launches
        self._prepare = prepare
        self._clock = clock
        self._effort = effort
        self._progress = progress
        self._failures: dict[int, str] = {}
        self._samples: dict[int, list[float]] = {}
        self._repeated: dict[int, float] = {}
        self._running = list(range(len(launches)))
        self._out_of_memory = device.out_of_memory()

    def run(self) -> list[Measured | str]:
        # What the caller has enqueued is no candidate's fault, however long it takes.
        self._clock.settle()
        # One launch each, alone, so that one that never ends is known. It is not counted: it
        # fetches the kernel's code.
        for position in list(self._running):
            self._pass([position], self._clock.first)
        self._samples = {position: [] for position in self._running}
        end = self._clock.seconds() + self._effort.seconds
        margin, samples = _FIRST_MARGIN, _FIRST_SAMPLES
        while len(self._running) > 1 and self._round(samples, end):
            self._halve(margin)
            if samples >= self._effort.samples or self._is_clear():
                break
            margin, samples = max(margin / 2, _LAST_MARGIN), 2 * samples
        self._repeat()
        if len(self._running) == 1 and not self._samples[self._running[0]]:
            self._pass(self._running, self._clock.start)
        return [self._result(position) for position in range(len(self._launches))]

    def _round(self, samples: int, end: float) -> bool:
        """Times all that are left until each has so many samples; False: the time is up."""
        passes = 0
        while min(len(self._samples[position]) for position in self._running) < samples:
            # Each is first in as many passes.
            first = passes % len(self._running)
            self._pass([*self._running[first:], *self._running[:first]], self._clock.start)
            passes += 1
            fastest = {position: min(self._samples[position]) for position in self._running}
            bound = _HOPELESS * min(fastest.values(), default=0.0)
            # One sample alone may be slow by chance.
            if passes > 1:
                self._keep([position for position in self._running if fastest[position] <= bound])
            if len(self._running) < 2 or self._clock.seconds() > end:
                return False
        return True

    def _pass(self, positions: Sequence[int], start: Callable[..., Any]) -> None:
        """One sample of each, which ``start`` enqueues."""
        started: list[tuple[int, Any]] = []
        for position in positions:
            try:
                sample = start(self._launches[position], self._prepare)
            except (ConfigurationError, ArgumentError) as error:
                self._fail(position, error.message)
            except self._out_of_memory as error:
                self._fail(position, f"out of GPU memory: {str(error).splitlines()[0]}")
            else:
                started.append((position, sample))
        try:
            times = self._clock.collect([sample for _, sample in started])
        except StuckError as error:
            raise StuckError(started[error.position][0]) from None
        for (position, _), milliseconds in zip(started, times, strict=True):
            self._samples.setdefault(position, []).append(milliseconds)

    def _fail(self, position: int, reason: str) -> None:
        self._failures[position] = reason
        self._keep([other for other in self._running if other != position])

    def _halve(self, margin: float) -> None:
        """Leaves out what is behind the best by more than ``margin``, and the slower half."""
        ranked = sorted(self._running, key=self._median)
        most = max(_FINALISTS, (len(ranked) + 1) // 2)
        bound = max((1 + margin) * self._median(ranked[0]), self._close())
        kept = {position for position in ranked[:most] if self._median(position) <= bound}
        self._keep([position for position in self._running if position in kept])

    def _repeat(self) -> None:
        """Times what is left, of small kernels, by many launches in a row."""
        if len(self._running) < 2:
            return
        bound = self._close()
        if bound > _SHORT:
            return
        close = [position for position in self._running if self._median(position) <= bound]
        if len(close) < 2:
            return
        for position in close:
            samples = self._clock.repeated(self._launches[position], self._prepare)
            try:
                times = self._clock.collect(samples)
            except StuckError:
                raise StuckError(position) from None
            if not times:
                self._repeated.clear()
                return
            self._repeated[position] = statistics.median(times) / REPEATED

    def _close(self) -> float:
        """The time up to which one is as fast as the fastest."""
        return _CLOSE + min((self._median(one) for one in self._running), default=0.0)

    def _is_clear(self) -> bool:
        """True if the leader's samples are below those of all others, apart from outliers."""
        first, *others = sorted(self._running, key=self._median)
        if not others:
            return True
        upper = statistics.quantiles(self._samples[first], n=4)[2]
        return all(upper < statistics.quantiles(self._samples[p], n=4)[0] for p in others)

    def _keep(self, positions: list[int]) -> None:
        self._running = positions
        self._progress(len(self._launches) - len(positions), len(self._launches))

    def _median(self, position: int) -> float:
        return statistics.median(self._samples[position])

    def _result(self, position: int) -> Measured | str:
        reason = self._failures.get(position)
        if reason is not None:
            return reason
        count = len(self._samples[position])
        repeated = self._repeated.get(position)
        return Measured(self._median(position), count, position in self._running, repeated)


def _clock() -> Clock:
    return _Events()


def _flush_buffer() -> Any:
    """Bytes that fill the second-level cache twice over; None where there is no memory for them."""
    properties = device.module().get_device_properties(device.current())
    size = 2 * properties.L2_cache_size + (1 << 20)
    torch: Any = importlib.import_module("torch")
    try:
        return torch.empty(size, dtype=torch.uint8, device=device.kind())
    except device.out_of_memory():
        return None


class _Events:
    """The stopwatch of the current GPU."""

    def __init__(self) -> None:
        self._torch = device.module()
        self._timeout = config.tune_timeout()
        # Filled before each launch: nothing is left in the cache of what it reads, and the device
        # is busy while the host submits it.
        self._flush = _flush_buffer()
        self._fills = 1

    def settle(self) -> None:
        event = self._torch.Event()
        event.record()
        # Not by the device's own wait: Ctrl-C ends this one.
        while not event.query():
            time.sleep(_POLL_SECONDS)

    def first(self, launch: Callable[[], object], prepare: Callable[[], None]) -> Any:
        return self._submit(launch, prepare, 1)

    def start(self, launch: Callable[[], object], prepare: Callable[[], None]) -> Any:
        fills = self._fills
        sample = self._submit(launch, prepare, fills)
        # Where the device has begun with it already, it may have waited for the host, and that
        # time is in the sample: again, with more for it to do before.
        while self._flush is not None and sample[0].query() and fills < _MOST_FILLS:
            fills *= 2
            sample = self._submit(launch, prepare, fills)
        # A host that was late once is not always so.
        self._fills = min(fills, _LASTING_FILLS)
        return sample

    def _submit(
        self, launch: Callable[[], object], prepare: Callable[[], None], fills: int
    ) -> tuple[Any, Any]:
        prepare()
        if self._flush is not None:
            for _ in range(fills):
                self._flush.zero_()
        return self._between_events(launch)

    def _between_events(self, enqueue: Callable[[], object]) -> tuple[Any, Any]:
        start = self._torch.Event(enable_timing=True)
        end = self._torch.Event(enable_timing=True)
        start.record()
        enqueue()
        end.record()
        return start, end

    def repeated(self, launch: Callable[[], object], prepare: Callable[[], None]) -> Sequence[Any]:
        if not hasattr(self._torch, "CUDAGraph"):
            return ()
        prepare()
        graph, stream, found = self._torch.CUDAGraph(), self._torch.Stream(), list[Any]()
        stream.wait_stream(self._torch.current_stream())
        with self._torch.stream(stream):
            # Other threads go on allocating.
            graph.capture_begin(capture_error_mode="thread_local")
            try:
                for _ in range(REPEATED):
                    launch()
            finally:
                graph.capture_end()
            graph.replay()
            found += [self._between_events(graph.replay) for _ in range(_REPLAYS)]
        self._torch.current_stream().wait_stream(stream)
        return found

    def collect(self, samples: Sequence[Any]) -> list[float]:
        for position, (_, end) in enumerate(samples):
            self._wait(end, position)
        return [float(start.elapsed_time(end)) for start, end in samples]

    def seconds(self) -> float:
        return time.monotonic()

    def _wait(self, event: Any, position: int) -> None:
        deadline = time.monotonic() + self._timeout
        while not event.query():
            if time.monotonic() > deadline:
                raise StuckError(position)
            time.sleep(_POLL_SECONDS)
