"""The search of a whole space, with a compiler and a clock that are made up."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from benchmarks.correctness import WrongResultError
from benchmarks.exhaustive import FINALISTS, Found, Search, brief, picked
from benchmarks.operation import Call
from benchmarks.timing import K, Times
from ninetoothed.artifacts.artifact import Artifact, Binary
from ninetoothed.artifacts.configuration import Config
from ninetoothed.artifacts.target import Target
from ninetoothed.errors import ConfigurationError

TARGET = Target("cuda", "sm_90", 32)


def configs(count: int) -> list[Config]:
    """So many, whose block sizes are their numbers."""
    return [Config((("BLOCK", number),)) for number in range(count)]


def number(config: Config) -> int:
    """The configuration's."""
    return config.values[0][1]


class Subject:
    """Configurations that take given microseconds, of which some cannot be compiled or run."""

    def __init__(
        self,
        us: Sequence[float],
        no_artifact: Sequence[int] = (),
        no_launch: Sequence[int] = (),
        wrong: Sequence[int] = (),
    ) -> None:
        self.configs = configs(len(us))
        self.us = us
        self.no_artifact, self.no_launch, self.wrong = no_artifact, no_launch, wrong
        self.called: list[int] = []
        self.checked: list[int] = []

    def artifact(self, config: Config) -> Artifact:
        if number(config) in self.no_artifact:
            raise ConfigurationError(f"a block of {number(config)} lanes\nis too large")
        return Artifact(
            "kernel", "ttir", "", (), (), "", (), (), TARGET, config
        )  # fmt: skip

    def call(self, artifact: Artifact, binary: Binary) -> Call:
        mine = number(artifact.config)

        def call() -> None:
            self.called.append(mine)
            if mine in self.no_launch:
                raise ConfigurationError("out of resources")

        return call

    def check(self, call: Call) -> None:
        call()
        self.checked.append(self.called[-1])
        if self.called[-1] in self.wrong:
            raise WrongResultError("error 1.0e+00")


class Clock:
    """Gives the times of a subject's configurations; notes how many samples were asked for."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.rounds: list[tuple[int, int | None]] = []

    def gpu_us(
        self, calls: Mapping[K, Call], host_us: Mapping[K, float], samples: int | None = None
    ) -> dict[K, Times]:
        assert calls.keys() <= host_us.keys()
        self.rounds.append((len(calls), samples))
        return {name: Times.of([self._us(call)]) for name, call in calls.items()}

    def host_us(self, call: Call) -> float:
        return 7.0

    def graph_us(self, make: Callable[[], Call]) -> float:
        raise NotImplementedError

    def once_us(self, call: Call) -> float:
        return self._us(call) + 50.0

    def _us(self, call: Call) -> float:
        call()
        return self.subject.us[self.subject.called[-1]]


def compile(artifacts: Sequence[Artifact]) -> list[Binary | str]:
    """A binary for each but the fifth."""
    return [
        "PTXASError: register 260 of 255" if number(one.config) == 5 else Binary(b"", "k", 0, 32)
        for one in artifacts
    ]


def search(subject: Any, wanted: Sequence[Config] = (), **options: Any) -> Found:
    """What a search finds; ``most`` is the number of configurations, all where it is left out."""
    clock = options.pop("clock", None) or Clock(subject)
    return Search(compile, clock).run(subject, wanted, options.get("most"))


def test_the_best_is_found_wherever_the_model_ranks_it() -> None:
    us = [1000.0 + 10 * place for place in range(100)]
    us[97] = 900.0
    found = search(Subject(us))
    assert found.best == configs(100)[97]
    assert found.tried == 100
    assert len(found.rough) == 99
    assert found.failures == {"PTXASError: register # of #": 1}
    assert len(found.times) == FINALISTS
    assert found.seconds.keys() == {"compile", "time"}


def test_slow_ones_are_left_out_of_the_next_round() -> None:
    subject = Subject([100.0, 10_000.0, 120.0, 380.0, 160.0])
    clock = Clock(subject)
    found = search(subject, clock=clock)
    # 10 ms is more than three times the least and what a host may be late by; 380 and 160 µs are
    # more than half as much again as 100.
    assert clock.rounds == [(4, 1), (2, 5), (2, None)]
    assert found.best == subject.configs[0]
    assert found.rough[subject.configs[1]] == 10_050.0


def test_what_is_wanted_is_timed_to_the_end() -> None:
    subject = Subject([100.0, 10_000.0, 120.0])
    found = search(subject, [subject.configs[1]], most=1)
    # The model's first, and the one that is wanted.
    assert found.tried == 2
    assert found.times[subject.configs[1]].median == 10_000.0


def test_failures_are_counted() -> None:
    found = search(Subject([100.0] * 5, no_artifact=[0, 1], no_launch=[2], wrong=[3]))
    assert found.failures == {
        "a block of # lanes": 2,
        "out of resources": 1,
        "wrong: error #.#e+#": 1,
    }
    assert list(found.times) == configs(5)[4:]
    assert list(found.rough) == configs(5)[4:]


def test_nothing_can_run() -> None:
    found = search(Subject([100.0], no_artifact=[0]))
    assert found.best is None


def test_compiled_once() -> None:
    subject: Any = Subject([100.0] * 70)
    compiled: list[int] = []

    def counting(artifacts: Sequence[Artifact]) -> list[Binary | str]:
        compiled.extend(number(one.config) for one in artifacts)
        return compile(artifacts)

    both = Search(counting, Clock(subject))
    for _ in range(2):
        both.run(subject, [], None)
    assert sorted(compiled) == list(range(70))


def test_picked() -> None:
    some = configs(100)
    assert picked(some, None) == some
    assert picked(some, 100) == some
    twenty = picked(some, 21)
    assert twenty[:11] == some[:11]
    assert len(set(twenty)) == 21
    assert twenty == picked(some, 21)
    # Others are drawn from all that is left.
    drawn = {number(one) for seed in range(40) for one in picked(some, 21, seed)[11:]}
    assert min(drawn) == 11
    assert max(drawn) > 90


def test_reasons_alike_are_one() -> None:
    assert brief("shared memory, Required: 262144\nmore") == "shared memory, Required: #"
    assert brief("") == "no reason given"
