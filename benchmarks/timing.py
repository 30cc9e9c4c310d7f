"""The stopwatches: GPU time by events, host time by the clock, calls inside a CUDA graph.

README.md beside this says what is timed and what is not.
"""

from __future__ import annotations

import contextlib
import gc
import statistics
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import torch

from benchmarks.operation import Call
from benchmarks.records import Record

K = TypeVar("K")

FEWEST, MOST = 10, 100
"""Samples of GPU time."""
GPU_BUDGET_US = 40_000
"""GPU time of one provider's samples, as far as their number may be chosen."""
GRAPH_CALLS = 20
"""Calls in one CUDA graph."""
_GRAPH_REPLAYS = 20
_WARM_UP = 3
_HEAD_START_US = 20.0
"""What recording an event may take of the host."""
_TRIES = 6
"""How often a sample is taken, each time with twice the wait, until the host was ahead."""
_ROUNDS_AT_ONCE = 8
_HOST_BUDGET_US = 10_000
_HOST_CALLS, _HOST_BATCHES = 20, 7


@dataclass(frozen=True)
class Times:
    """The median of a number of samples, and the quantiles 20 % and 80 %."""

    median: float
    low: float
    high: float
    samples: int

    @staticmethod
    def of(values: Sequence[float]) -> Times:
        """Those of these samples; a quantile lies between two of them where need be."""
        ordered = sorted(values)

        def quantile(fraction: float) -> float:
            position = fraction * (len(ordered) - 1)
            below = int(position)
            above = min(below + 1, len(ordered) - 1)
            return ordered[below] + (position - below) * (ordered[above] - ordered[below])

        return Times(statistics.median(ordered), quantile(0.2), quantile(0.8), len(ordered))

    def fields(self, name: str) -> Record:
        """Of a record: the median has the name."""
        bounds = {f"{name}_low": self.low, f"{name}_high": self.high}
        return {name: self.median, **bounds, "samples": self.samples}


class Clock(Protocol):
    """What times calls: :class:`Stopwatch`, or what stands for it."""

    def gpu_us(
        self, calls: Mapping[K, Call], host_us: Mapping[K, float], samples: int | None = None
    ) -> dict[K, Times]: ...

    def host_us(self, call: Call) -> float: ...

    def graph_us(self, make: Callable[[], Call]) -> float: ...

    def once_us(self, call: Call) -> float: ...


def rotated(names: Sequence[K], round_: int) -> list[K]:
    """The order of a round: each name is first in as many rounds."""
    start = round_ % len(names)
    return [*names[start:], *names[:start]]


def sample_count(us: float) -> int:
    """How many samples of so many microseconds are taken."""
    return max(FEWEST, min(MOST, int(GPU_BUDGET_US / max(us, 1e-3))))


class Stopwatch:
    """Times calls on the current GPU; made once a process.

    ``cuda`` is ``torch.cuda``, or what stands for it in a test.
    """

    def __init__(self, cuda: Any = torch.cuda, device: str = "cuda") -> None:
        self._cuda = cuda
        properties = cuda.get_device_properties(cuda.current_device())
        # More than twice the L2: nothing of a case's inputs and outputs is left there.
        flushed = 2 * properties.L2_cache_size + (1 << 20)
        self._flush = torch.empty(flushed, dtype=torch.uint8, device=device)
        self._cycles_per_us = self._calibrate()

    def gpu_us(
        self, calls: Mapping[K, Call], host_us: Mapping[K, float], samples: int | None = None
    ) -> dict[K, Times]:
        """GPU time of each call, alternated sample by sample.

        ``host_us`` is what a call takes of the host at most; the GPU waits for the host that long.
        ``samples`` is their number, chosen by the time of the slowest call where None.
        """
        names = list(calls)
        waits = {name: 1.5 * host_us[name] + _HEAD_START_US for name in names}
        # Of a call that waits for the GPU itself, the host is never ahead.
        waiting = [name for name in names if self._ahead(calls[name], waits[name]) is None]
        if samples is None:
            first = [self._record(calls[name], waits[name]) for name in names]
            samples = sample_count(max(self._elapsed(first)))
        times: dict[K, list[float]] = {name: [] for name in names}
        taken: list[tuple[K, tuple[Any, Any]]] = []
        with no_collection():
            for round_ in range(samples):
                for name in rotated(names, round_):
                    call, wait_us = calls[name], waits[name]
                    sample = None if name in waiting else self._ahead(call, wait_us)
                    taken.append((name, sample or self._record(call, wait_us)))
                if round_ % _ROUNDS_AT_ONCE == _ROUNDS_AT_ONCE - 1 or round_ == samples - 1:
                    elapsed = self._elapsed([events for _, events in taken])
                    for (name, _), us in zip(taken, elapsed, strict=True):
                        times[name].append(us)
                    taken.clear()
        return {name: Times.of(values) for name, values in times.items()}

    def host_us(self, call: Call) -> float:
        """Host time of one asynchronous call."""
        for _ in range(_WARM_UP):
            call()
        duration = self.once_us(call)
        count = max(3, min(_HOST_CALLS, int(_HOST_BUDGET_US / max(duration, 1e-3))))
        batches = _HOST_BATCHES if duration * count < 2 * _HOST_BUDGET_US else 3
        times: list[float] = []
        with no_collection():
            for _ in range(batches):
                self._cuda.synchronize()
                start = time.perf_counter()
                for _ in range(count):
                    call()
                times.append((time.perf_counter() - start) * 1e6 / count)
        self._cuda.synchronize()
        return statistics.median(times)

    def graph_us(self, make: Callable[[], Call]) -> float:
        """Time of one call of several inside a CUDA graph, warm.

        ``make`` makes the call, on the stream that is captured: a backward pass runs on the stream
        of its forward pass.
        """
        cuda = self._cuda
        stream = cuda.Stream()
        stream.wait_stream(cuda.current_stream())
        with cuda.stream(stream):
            call = make()
            for _ in range(_WARM_UP):
                call()
        cuda.synchronize()
        graph = cuda.CUDAGraph()
        with cuda.graph(graph, stream=stream):
            for _ in range(GRAPH_CALLS):
                call()
        for _ in range(_WARM_UP):
            graph.replay()
        # A replay takes the host some microseconds and some for each kernel.
        ahead = _HEAD_START_US + 5 * GRAPH_CALLS
        samples = [self._record(graph.replay, ahead, flush=False) for _ in range(_GRAPH_REPLAYS)]
        return statistics.median(self._elapsed(samples)) / GRAPH_CALLS

    def _ahead(self, call: Call, wait_us: float) -> tuple[Any, Any] | None:
        """One sample that had been submitted before the GPU began with it, or None.

        A host that is late, because other programs use it, would be in the sample.
        """
        for _ in range(_TRIES):
            start, end = self._record(call, wait_us)
            if not start.query():
                return start, end
            wait_us *= 2
        return None

    def _record(self, call: Call, wait_us: float, flush: bool = True) -> tuple[Any, Any]:
        """Submits one sample; its two events."""
        start = self._cuda.Event(enable_timing=True)
        end = self._cuda.Event(enable_timing=True)
        if flush:
            self._flush.zero_()
        # While the GPU waits here, the host submits the call: its own time is not in the sample.
        self._cuda._sleep(int(wait_us * self._cycles_per_us))
        start.record()
        call()
        end.record()
        return start, end

    def _elapsed(self, samples: Sequence[tuple[Any, Any]]) -> list[float]:
        """Waits for these samples; their microseconds."""
        self._cuda.synchronize()
        return [float(start.elapsed_time(end)) * 1e3 for start, end in samples]

    def once_us(self, call: Call) -> float:
        """Microseconds from here to the end of one call, host time included."""
        self._cuda.synchronize()
        start = time.perf_counter()
        call()
        self._cuda.synchronize()
        return (time.perf_counter() - start) * 1e6

    def _calibrate(self) -> float:
        """Clock cycles in a microsecond, on a GPU that is warm."""
        cycles = 10_000_000
        rates: list[float] = []
        for _ in range(5):
            start, end = (self._cuda.Event(enable_timing=True) for _ in range(2))
            start.record()
            self._cuda._sleep(cycles)
            end.record()
            rates.append(cycles / self._elapsed([(start, end)])[0])
        return max(rates)


@contextlib.contextmanager
def no_collection() -> Generator[None]:
    """Python's garbage collector does not run meanwhile."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
