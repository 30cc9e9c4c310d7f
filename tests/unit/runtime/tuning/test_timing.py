"""Successive halving: which configuration wins, when others are left out, and failures."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest

from ninetoothed.errors import ArgumentError, ConfigurationError
from ninetoothed.runtime.launch.loaded import Trial
from ninetoothed.runtime.tuning import isolation, timing
from ninetoothed.runtime.tuning.timing import Effort, Measured

torch: Any = pytest.importorskip("torch")


class FakeClock:
    """Trials launch by naming what they take, to which noise is added; time passes accordingly."""

    def __init__(self, noise: float = 0.0, seed: int = 0) -> None:
        self.launched: list[float] = []
        self.repeats: list[float] = []
        self.warm: dict[float, float] = {}
        """What launches take many times in a row, where that is something else."""
        self.now = 0.0
        self._noise = noise
        self._random = random.Random(seed)

    def settle(self) -> None:
        pass

    def first(self, launch: Callable[[], object], prepare: Callable[[], None]) -> float:
        return self.start(launch, prepare)

    def start(self, launch: Callable[[], object], prepare: Callable[[], None]) -> float:
        prepare()
        milliseconds = launch()
        assert isinstance(milliseconds, float)
        self.launched.append(milliseconds)
        # Noise only slows down, and now and then a lot.
        factor = 1 + self._noise * self._random.expovariate(1.0)
        return milliseconds * (factor + (5 * self._noise if self._random.random() < 0.05 else 0))

    def repeated(
        self, launch: Callable[[], object], prepare: Callable[[], None]
    ) -> Sequence[float]:
        prepare()
        milliseconds = launch()
        assert isinstance(milliseconds, float)
        self.repeats.append(milliseconds)
        return [timing.REPEATED * self.warm.get(milliseconds, milliseconds)]

    def collect(self, samples: Sequence[float]) -> list[float]:
        self.now += sum(samples) / 1e3
        for position, sample in enumerate(samples):
            if sample == float("inf"):
                raise isolation.StuckError(position)
        return list(samples)

    def seconds(self) -> float:
        return self.now


def taking(milliseconds: float) -> Trial:
    return Trial(("x",), (), (), lambda _: milliseconds)


def raising(error: Exception) -> Trial:
    def launch(_: object) -> None:
        raise error

    return Trial(("x",), (), (), launch)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> FakeClock:
    return use(monkeypatch, FakeClock())


def use(monkeypatch: pytest.MonkeyPatch, clock: FakeClock) -> FakeClock:
    monkeypatch.setattr(timing, "_clock", lambda: clock)
    return clock


def race(times: Sequence[float], effort: Effort = timing.QUICK) -> list[Measured]:
    results = timing.time_trials([taking(time) for time in times], (1,), effort)
    assert all(isinstance(result, Measured) for result in results)
    return [result for result in results if isinstance(result, Measured)]


@pytest.mark.parametrize("noise", [0.0, 0.01, 0.04, 0.2])
@pytest.mark.parametrize("seed", range(5))
def test_the_fastest_wins_under_noise(
    noise: float, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = [0.1 * 1.03**step for step in range(16)]
    random.Random(seed).shuffle(times)
    use(monkeypatch, FakeClock(noise, seed))
    results = race(times)
    best = times[timing.fastest(results)[0]]
    assert best <= 0.1 * (1.0001 if noise <= 0.01 else 1 + noise)


def test_slow_ones_are_left_out_early(clock: FakeClock) -> None:
    results = race([1.0, 1.0, 5.0, 1.25])
    assert [result.is_finalist for result in results] == [True, True, False, False]
    # One launch that is not counted, and two passes.
    assert clock.launched.count(5.0) == 3
    assert results[2] == Measured(5.0, 2, False)
    assert results[1].samples > results[3].samples


def test_a_clear_leader_ends_it(clock: FakeClock) -> None:
    race([1.0, 1.2])
    assert len(clock.launched) == 2 * (1 + 3)


def test_equals_are_timed_no_longer_than_allowed(clock: FakeClock) -> None:
    results = race([1.0] * 4, Effort(samples=24, seconds=100.0))
    assert max(result.samples for result in results) == 24
    assert timing.fastest(results)[0] == 0


def test_time_that_is_up(clock: FakeClock) -> None:
    results = race([100.0, 101.0, 102.0, 103.0], Effort(samples=96, seconds=0.5))
    assert [result.samples for result in results] == [2, 2, 2, 2]
    assert timing.fastest(results) == [0, 1, 2, 3]


def test_finalists_come_before_others() -> None:
    # A first sample may be lucky: what was left out does not win by it.
    results = [Measured(0.9, 3, False), Measured(1.0, 24, True), "reason", Measured(1.1, 24, True)]
    assert timing.fastest(results) == [1, 3, 0]


def test_small_ones_are_launched_many_times(clock: FakeClock) -> None:
    """Less than 0.2 µs apart, both times count: that of one launch and that of many in a row."""
    clock.warm = {0.0050: 0.0030, 0.0051: 0.0022, 0.0054: 0.0001}
    results = race([0.0050, 0.0051, 0.0054])
    assert sorted(set(clock.repeats)) == [0.0050, 0.0051]
    assert [result.repeated for result in results] == [0.0030, 0.0022, None]
    assert timing.fastest(results)[:2] == [1, 0]


def test_larger_ones_are_not(clock: FakeClock) -> None:
    race([0.05, 0.0501])
    assert not clock.repeats


def test_one_is_timed_too(clock: FakeClock) -> None:
    assert race([2.0]) == [Measured(2.0, 1, True)]
    assert timing.time_trials([], ()) == []


def test_failures_cost_one(clock: FakeClock) -> None:
    trials = [
        taking(1.0),
        raising(ConfigurationError("too many registers")),
        raising(torch.cuda.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB\nMore")),
        raising(ArgumentError("2^31 programs")),
        taking(3.0),
    ]
    results = timing.time_trials(trials, (1,))
    assert results[1:4] == [
        "too many registers",
        "out of GPU memory: CUDA out of memory. Tried to allocate 2 GiB",
        "2^31 programs",
    ]
    assert timing.fastest(results) == [0, 4]
    assert timing.time_trials(trials[1:2], (1,)) == ["too many registers"]


def test_failing_later_costs_one(clock: FakeClock) -> None:
    left = iter([1.0] * 3)

    def launch(_: object) -> float:
        try:
            return next(left)
        except StopIteration:
            raise ConfigurationError("no more") from None

    results = timing.time_trials([Trial(("x",), (), (), launch), taking(1.0), taking(1.0)], (1,))
    assert results[0] == "no more"
    assert timing.fastest(results) == [1, 2]


def test_a_thread_knows_that_it_times(clock: FakeClock) -> None:
    seen: list[bool] = []

    def launch(_: object) -> float:
        seen.append(timing.is_timing())
        with ThreadPoolExecutor() as others:
            seen.append(others.submit(timing.is_timing).result())
        return 1.0

    timing.time_trials([Trial(("x",), (), (), launch)], (1,))
    assert seen[:2] == [True, False]
    with pytest.raises(ValueError, match="mistake"):
        timing.time_trials([raising(ValueError("mistake"))], (1,))
    assert not timing.is_timing()


def test_other_errors_are_told(clock: FakeClock) -> None:
    with pytest.raises(RuntimeError, match="illegal"):
        timing.time_trials([raising(RuntimeError("an illegal memory access"))], (1,))


def test_what_hangs_is_named(clock: FakeClock) -> None:
    trials = [taking(1.0), raising(ConfigurationError("no")), taking(float("inf"))]
    with pytest.raises(isolation.StuckError) as caught:
        timing.time_trials(trials, (1,))
    assert caught.value.position == 2


def test_progress(clock: FakeClock) -> None:
    seen: list[tuple[int, int]] = []
    trials = [taking(1.0), taking(9.0), raising(ConfigurationError("no"))]
    timing.time_trials(trials, (1,), timing.QUICK, lambda done, total: seen.append((done, total)))
    assert list(dict.fromkeys(seen)) == [(1, 3), (2, 3)]


class FakeEvent:
    """An event that is reached after so many questions."""

    def __init__(self, questions: float) -> None:
        self._left = questions

    def record(self) -> None:
        pass

    def query(self) -> bool:
        self._left -= 1
        return self._left < 0

    def elapsed_time(self, end: FakeEvent) -> float:
        return 0.25


def events(
    monkeypatch: pytest.MonkeyPatch, questions: Sequence[float], flush: Any
) -> timing._Events:  # pyright: ignore[reportPrivateUsage]
    """The stopwatch over events that are made with these, in order."""
    made = iter(questions)

    class Cuda:
        @staticmethod
        def Event(enable_timing: bool = False) -> FakeEvent:
            return FakeEvent(next(made))

    # Time passes while one waits, and at no other time.
    now = [0.0]

    def sleep(seconds: float) -> None:
        now[0] += seconds

    monkeypatch.setattr(timing, "time", SimpleNamespace(monotonic=lambda: now[0], sleep=sleep))
    watch = object.__new__(timing._Events)  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(watch, "_torch", Cuda, raising=False)
    monkeypatch.setattr(watch, "_timeout", 0.01, raising=False)
    monkeypatch.setattr(watch, "_flush", flush, raising=False)
    monkeypatch.setattr(watch, "_fills", 1, raising=False)
    return watch


def test_a_host_that_is_late_is_given_more_time(monkeypatch: pytest.MonkeyPatch) -> None:
    flush = torch.ones(4)
    # Start and end of three samples: twice the device was quicker.
    watch = events(monkeypatch, [0, 0, 0, 0, 1, 0], flush)
    launches: list[int] = []
    prepared: list[int] = []
    sample = watch.start(lambda: launches.append(1), lambda: prepared.append(1))
    assert len(launches) == len(prepared) == 3
    assert watch.collect([sample]) == [0.25]
    assert not flush.any()


def test_what_was_enqueued_before_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    watch = events(monkeypatch, [40, 0, 0], None)
    # Longer than a launch may take.
    watch.settle()
    assert watch.collect([watch.first(lambda: None, lambda: None)]) == [0.25]


def test_an_event_that_never_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    watch = events(monkeypatch, [0, 0, 0, float("inf")], None)
    samples = [watch.start(lambda: None, lambda: None) for _ in range(2)]
    with pytest.raises(isolation.StuckError) as caught:
        watch.collect(samples)
    assert caught.value.position == 1


@pytest.mark.gpu
def test_clock() -> None:
    small = torch.zeros(1 << 10, device="cuda")
    large = torch.zeros(1 << 28, device="cuda")

    def fill(values: tuple[Any, ...]) -> None:
        values[0].fill_(1)

    def time(tensor: Any) -> float:
        (result,) = timing.time_trials([Trial(("x",), (), ("x",), fill)], (tensor,))
        assert isinstance(result, Measured)
        return result.milliseconds

    # 1 GiB takes at least 0.1 ms at 10 TB/s.
    assert time(large) > max(time(small), 0.1)
    assert not bool(small.any())
    assert not bool(large.any())


@pytest.mark.gpu
def test_launches_in_a_row() -> None:
    """In a graph: the arguments are prepared once, and each replay launches as often."""
    x = torch.zeros(1 << 10, device="cuda")
    prepared: list[None] = []
    watch = timing._clock()  # pyright: ignore[reportPrivateUsage]
    samples = watch.repeated(lambda: x.add_(1), lambda: prepared.append(None))
    times = watch.collect(samples)
    assert len(prepared) == 1
    # One replay more than is timed.
    assert x[0].item() == timing.REPEATED * (len(times) + 1)
    assert min(times) > 0


@pytest.mark.gpu
def test_a_launch_that_does_not_end_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NINETOOTHED_TUNE_TIMEOUT", "1")
    x = torch.zeros(10, device="cuda")
    # Some four seconds: it does end, so that later tests have the device.
    sleeping = Trial(("x",), (), ("x",), lambda _: torch.cuda._sleep(8_000_000_000))
    with pytest.raises(isolation.StuckError):
        timing.time_trials([sleeping], (x,))
    torch.cuda.synchronize()
