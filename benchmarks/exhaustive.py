"""The best configuration of a space, by the clock: compiles all of them, and times what can run.

Nothing here chooses by a model or stops early for want of luck: a configuration is left out of the
next round only where it took far longer than another.
"""

from __future__ import annotations

import contextlib
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from benchmarks.contenders import reason
from benchmarks.correctness import WrongResultError
from benchmarks.operation import Call
from benchmarks.subject import CallSubject
from benchmarks.timing import Clock, Times
from ninetoothed.artifacts.artifact import Artifact, Binary
from ninetoothed.artifacts.configuration import Config
from ninetoothed.errors import NineToothedError

FINALISTS = 20
"""The best of the last round, timed again beside the choices, with many samples."""
_ROUGH, _ROUGH_US = 3.0, 200.0
"""Of one call on the host's clock: this many times the least, and what a host may be late by."""
_SAMPLE, _SAMPLE_US = 1.5, 2.0
"""The same of one sample of GPU time."""
_SAMPLES = 5
_CHUNK = 32
_CHUNKS_AT_ONCE = 3
_REASON_LENGTH = 140

Compile = Callable[[Sequence[Artifact]], Sequence[Binary | str]]
"""Compiles several at once; a text is the reason why one cannot be."""


@dataclass
class Found:
    """What a search found. ``times`` are those of the last round, of the right configurations.

    ``rough`` is the last time that each of the others was given, in µs.
    """

    tried: int = 0
    failures: Counter[str] = field(default_factory=Counter[str])
    rough: dict[Config, float] = field(default_factory=dict[Config, float])
    times: dict[Config, Times] = field(default_factory=dict[Config, Times])
    seconds: dict[str, float] = field(default_factory=dict[str, float])

    @property
    def best(self) -> Config | None:
        """The fastest, or None where nothing was timed."""
        return min(self.times, key=lambda config: self.times[config].median, default=None)


def picked(configs: Sequence[Config], most: int | None, seed: int = 0) -> list[Config]:
    """All configurations, or ``most`` of them: the model's first half, and a random sample of the
    others. What the model ranks low is then as likely to be tried as anything else behind.
    """
    if most is None or len(configs) <= most:
        return list(configs)
    first = most - most // 2
    return [
        *configs[:first],
        *random.Random(seed).sample(list(configs[first:]), most - first),
    ]


class Search:
    """Searches the spaces of several subjects; what was compiled once is kept."""

    def __init__(self, compile: Compile, clock: Clock) -> None:
        self._compile = compile
        self._clock = clock
        self._binaries: dict[str, Binary | str] = {}

    def run(self, subject: CallSubject, wanted: Sequence[Config], most: int | None) -> Found:
        """Searches one space; ``wanted`` are tried and timed to the end in any case."""
        found = Found()
        configs = list(dict.fromkeys([*wanted, *picked(subject.configs, most)]))
        found.tried = len(configs)
        calls: dict[Config, Call] = {}
        with _timed(found, "compile"):
            for artifact, binary in self._compiled(subject, configs, found):
                if isinstance(binary, str):
                    found.failures[brief(binary)] += 1
                    continue
                try:
                    calls[artifact.config] = subject.call(artifact, binary)
                except NineToothedError as error:
                    found.failures[brief(error)] += 1
        with _timed(found, "time"):
            self._time(subject, calls, wanted, found)
        return found

    def _compiled(
        self, subject: CallSubject, configs: Sequence[Config], found: Found
    ) -> Iterator[tuple[Artifact, Binary | str]]:
        """Each configuration compiled: while some are, the artifacts of the next are made."""
        artifacts: list[Artifact] = []

        def chunks() -> Iterator[Sequence[Artifact]]:
            """What is yet to be compiled, several at once."""
            new: list[Artifact] = []
            for config in configs:
                try:
                    artifact = subject.artifact(config)
                except Exception as error:
                    # A fault of our compiler in one configuration hides no other.
                    found.failures[brief(error)] += 1
                    continue
                artifacts.append(artifact)
                if artifact.hash not in self._binaries:
                    new.append(artifact)
                if len(new) == _CHUNK:
                    yield new
                    new = []
            yield new

        def compile(chunk: Sequence[Artifact]) -> None:
            hashes = [artifact.hash for artifact in chunk]
            self._binaries.update(zip(hashes, self._compile(chunk), strict=True))

        with ThreadPoolExecutor(_CHUNKS_AT_ONCE) as threads:
            # A chunk is handed over before the next one is made.
            list(threads.map(compile, chunks()))
        return ((artifact, self._binaries[artifact.hash]) for artifact in artifacts)

    def _time(
        self,
        subject: CallSubject,
        calls: dict[Config, Call],
        wanted: Sequence[Config],
        found: Found,
    ) -> None:
        self._once(calls, found)
        kept = _near(calls, wanted, found.rough, _ROUGH, _ROUGH_US)
        # The host does the same for each.
        host_us = max((self._clock.host_us(call) for call in list(kept.values())[:1]), default=0.0)
        found.rough |= _medians(self._times(kept, host_us, 1))
        kept = _near(kept, wanted, found.rough, _SAMPLE, _SAMPLE_US)
        found.rough |= _medians(self._times(kept, host_us, _SAMPLES))
        finalists = sorted(kept, key=lambda config: found.rough[config])[:FINALISTS]
        right: dict[Config, Call] = {}
        for config in dict.fromkeys([*finalists, *(one for one in wanted if one in kept)]):
            try:
                subject.check(kept[config])
                right[config] = kept[config]
            except WrongResultError as error:
                found.failures[f"wrong: {brief(error)}"] += 1
                del found.rough[config]
        found.times = self._times(right, host_us)

    def _once(self, calls: dict[Config, Call], found: Found) -> None:
        """Calls each twice; those that fail are dropped. The second one's time is rough."""
        for config, call in list(calls.items()):
            try:
                call()
                found.rough[config] = self._clock.once_us(call)
            except NineToothedError as error:
                found.failures[brief(error)] += 1
                del calls[config]

    def _times(
        self, calls: Mapping[Config, Call], host_us: float, samples: int | None = None
    ) -> dict[Config, Times]:
        if not calls:
            return {}
        named = {str(config): call for config, call in calls.items()}
        times = self._clock.gpu_us(named, dict.fromkeys(named, host_us), samples)
        return {config: times[str(config)] for config in calls}


def _medians(times: Mapping[Config, Times]) -> dict[Config, float]:
    return {config: one.median for config, one in times.items()}


def _near(
    calls: Mapping[Config, Call],
    wanted: Sequence[Config],
    rough: Mapping[Config, float],
    factor: float,
    more_us: float,
) -> dict[Config, Call]:
    """Those whose times are near the least one, and those that are wanted."""
    limit = factor * min((rough[config] for config in calls), default=0.0) + more_us
    return {
        config: call for config, call in calls.items() if rough[config] <= limit or config in wanted
    }


def brief(why: Exception | str) -> str:
    """A reason without its numbers, so that alike ones count as one."""
    if isinstance(why, NineToothedError):
        why = why.message
    elif not isinstance(why, WrongResultError | str):
        why = reason(why)
    lines = str(why).strip().splitlines() or ["no reason given"]
    return re.sub(r"\d+", "#", lines[0])[:_REASON_LENGTH]


@contextlib.contextmanager
def _timed(found: Found, part: str) -> Generator[None]:
    """Keeps the seconds inside ``with`` as a part of a search."""
    start = time.perf_counter()
    yield
    found.seconds[part] = round(time.perf_counter() - start, 2)
