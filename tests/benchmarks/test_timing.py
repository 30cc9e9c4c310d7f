"""The stopwatches, on a GPU that is simulated, and their statistics."""

from __future__ import annotations

import contextlib
from collections.abc import Generator
from types import SimpleNamespace
from typing import Any

import pytest

from benchmarks.timing import (
    FEWEST,
    GRAPH_CALLS,
    MOST,
    Stopwatch,
    Times,
    rotated,
    sample_count,
)

CYCLES_PER_US = 2000


class Event:
    """A point in the time of a simulated GPU."""

    def __init__(self, gpu: Gpu) -> None:
        self.gpu, self.time = gpu, 0.0

    def record(self) -> None:
        self.time = self.gpu.now

    def synchronize(self) -> None:
        pass

    def query(self) -> bool:
        return self.gpu.is_late(self)

    def elapsed_time(self, other: Event) -> float:
        return (other.time - self.time) / 1e3


class Stream:
    """A stream, on which nothing waits."""

    def wait_stream(self, other: Any) -> None:
        pass


class Gpu:
    """``torch.cuda`` with a clock of its own: a call adds its microseconds."""

    def __init__(self) -> None:
        self.now = 0.0
        self.waits: list[float] = []
        self.order: list[str] = []
        self.captured: float | None = None
        self.host_us = 0.0
        """What the host needs for a call; the GPU waits before each."""

    def is_late(self, event: Event) -> bool:
        return self.waits[-1] <= self.host_us

    def work(self, name: str, us: float) -> None:
        self.order.append(name)
        if self.captured is None:
            self.now += us
        else:
            self.captured += us

    def _sleep(self, cycles: int) -> None:
        self.waits.append(cycles / CYCLES_PER_US)
        self.now += cycles / CYCLES_PER_US

    def Event(self, enable_timing: bool) -> Any:
        assert enable_timing
        return Event(self)

    def synchronize(self) -> None:
        pass

    def current_device(self) -> int:
        return 0

    def get_device_properties(self, index: int) -> Any:
        return SimpleNamespace(L2_cache_size=1000)

    def Stream(self) -> Any:
        return Stream()

    def current_stream(self) -> Any:
        return None

    def stream(self, stream: Any) -> Any:
        return contextlib.nullcontext()

    def CUDAGraph(self) -> Any:
        graph = SimpleNamespace(us=0.0)
        graph.replay = lambda: self.work("replay", graph.us)
        return graph

    @contextlib.contextmanager
    def graph(self, graph: Any, stream: Any) -> Generator[None]:
        self.captured = 0.0
        yield
        graph.us, self.captured = self.captured, None


@pytest.fixture
def gpu() -> Gpu:
    return Gpu()


def test_gpu_time_leaves_the_wait_for_the_host_out(gpu: Gpu) -> None:
    calls = {"a": lambda: gpu.work("a", 5.0), "b": lambda: gpu.work("b", 9.0)}
    times = Stopwatch(gpu, "cpu").gpu_us(calls, {"a": 100.0, "b": 40.0}, samples=20)
    assert times["a"].median == pytest.approx(5.0)
    assert times["b"].median == pytest.approx(9.0)
    assert times["a"].samples == times["b"].samples == 20
    # Half as much again as the host needs, at least.
    assert min(gpu.waits[5:]) > 60


def test_samples_of_a_late_host_are_taken_again(gpu: Gpu) -> None:
    gpu.host_us = 1000.0
    calls = {"a": lambda: gpu.work("a", 5.0)}
    times = Stopwatch(gpu, "cpu").gpu_us(calls, {"a": 100.0}, samples=4)
    assert times["a"].samples == 4
    # 170 µs were expected to do; 1360 µs did.
    assert max(gpu.waits[5:]) == pytest.approx(1360.0)
    assert gpu.waits[-1] > gpu.host_us


def test_a_call_that_waits_for_the_gpu_is_timed_as_it_is(gpu: Gpu) -> None:
    gpu.host_us = float("inf")
    calls = {"a": lambda: gpu.work("a", 5.0)}
    times = Stopwatch(gpu, "cpu").gpu_us(calls, {"a": 100.0}, samples=4)
    assert times["a"].median == pytest.approx(5.0)
    assert gpu.waits[-4:] == pytest.approx([170.0] * 4)


def test_providers_alternate(gpu: Gpu) -> None:
    calls = {name: lambda name=name: gpu.work(name, 1.0) for name in "abc"}
    Stopwatch(gpu, "cpu").gpu_us(calls, dict.fromkeys(calls, 1.0), samples=3)
    # The first three only show whether the host is ahead of them.
    assert "".join(gpu.order) == "abc" + "abcbcacab"


def test_as_many_samples_as_the_slowest_allows(gpu: Gpu) -> None:
    calls = {"a": lambda: gpu.work("a", 1.0), "b": lambda: gpu.work("b", 1000.0)}
    times = Stopwatch(gpu, "cpu").gpu_us(calls, {"a": 1.0, "b": 1.0})
    assert times["a"].samples == times["b"].samples == 40
    assert sample_count(1.0) == MOST
    assert sample_count(1e6) == FEWEST


def test_graph_time_is_of_one_call(gpu: Gpu) -> None:
    made: list[str] = []

    def make() -> Any:
        made.append("call")
        return lambda: gpu.work("call", 3.0)

    assert Stopwatch(gpu, "cpu").graph_us(make) == pytest.approx(3.0)
    assert made == ["call"]
    assert gpu.order.count("call") == 3 + GRAPH_CALLS


def test_host_time(gpu: Gpu) -> None:
    assert 0 < Stopwatch(gpu, "cpu").host_us(lambda: gpu.work("a", 1.0)) < 1000


def test_statistics() -> None:
    assert Times.of([5.0, 1.0, 2.0, 4.0, 3.0, 100.0]) == Times(3.5, 2.0, 5.0, 6)
    assert Times.of([0.0, 10.0]) == Times(5.0, 2.0, 8.0, 2)
    assert Times.of([4.0]) == Times(4.0, 4.0, 4.0, 1)
    assert rotated(["a", "b", "c"], 4) == ["b", "c", "a"]
