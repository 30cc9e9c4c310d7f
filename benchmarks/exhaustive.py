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
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Protocol

from benchmarks.contenders import reason
from benchmarks.correctness import WrongResultError
from benchmarks.operation import Call
from benchmarks.progress import Progress
from benchmarks.results import Times
from ninetoothed.artifact import Artifact, Binary, Config
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


class Clock(Protocol):
    """What times calls: ``benchmarks.timing.Stopwatch``."""

    def gpu_us(
        self, calls: Mapping[str, Call], host_us: Mapping[str, float], samples: int | None = None
    ) -> dict[str, Times]: ...

    def host_us(self, call: Call) -> float: ...

    def once_us(self, call: Call) -> float: ...


class Subject(Protocol):
    """A kernel with one call's arguments."""

    @property
    def configs(self) -> Sequence[Config]:
        """All that may be chosen for the call, in the model's order."""
        ...

    def artifact(self, config: Config) -> Artifact:
        """What is compiled of a configuration.

        Raises:
            Exception: it cannot be.
        """
        ...

    def call(self, artifact: Artifact, binary: Binary) -> Call:
        """The call with a configuration that was compiled.

        Raises:
            NineToothedError: the device cannot run it.
        """
        ...

    def check(self, call: Call) -> None:
        """Runs a call and compares its results with the reference.

        Raises:
            WrongResultError: they differ.
        """
        ...


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


@dataclass(frozen=True)
class _Chunk:
    """Artifacts that are compiled together, those of them that are ``new``, and what is to come."""

    artifacts: Sequence[Artifact]
    new: Sequence[Artifact]
    binaries: Future[Sequence[Binary | str]]


class Search:
    """Searches the spaces of several subjects; what was compiled once is kept."""

    def __init__(self, compile: Compile, clock: Clock) -> None:
        self._compile = compile
        self._clock = clock
        self._binaries: dict[str, Binary | str] = {}

    def run(
        self,
        subject: Subject,
        wanted: Sequence[Config],
        most: int | None,
        progress: Progress,
    ) -> Found:
        """Searches one space; ``wanted`` are tried and timed to the end in any case."""
        found = Found()
        configs = list(dict.fromkeys([*wanted, *picked(subject.configs, most)]))
        found.tried = len(configs)
        calls: dict[Config, Call] = {}
        with _timed(found, "compile"):
            for artifact, binary in self._compiled(subject, configs, found):
                progress.doing(f"{len(calls)} of {len(configs)} compiled")
                if isinstance(binary, str):
                    found.failures[brief(binary)] += 1
                    continue
                try:
                    calls[artifact.config] = subject.call(artifact, binary)
                except NineToothedError as error:
                    found.failures[brief(_why(error))] += 1
        with _timed(found, "time"):
            progress.doing(f"{len(calls)} are timed")
            self._time(subject, calls, wanted, found)
        return found

    def _compiled(
        self, subject: Subject, configs: Sequence[Config], found: Found
    ) -> Iterator[tuple[Artifact, Binary | str]]:
        """Each configuration compiled: while some are, the artifacts of the next are made."""
        running: list[_Chunk] = []
        with ThreadPoolExecutor(_CHUNKS_AT_ONCE) as threads:
            for start in range(0, len(configs), _CHUNK):
                artifacts: list[Artifact] = []
                for config in configs[start : start + _CHUNK]:
                    try:
                        artifacts.append(subject.artifact(config))
                    except Exception as error:
                        # A fault of our compiler in one configuration hides no other.
                        found.failures[brief(_why(error))] += 1
                new = [one for one in artifacts if one.hash not in self._binaries]
                running.append(_Chunk(artifacts, new, threads.submit(self._compile, new)))
                if len(running) > _CHUNKS_AT_ONCE:
                    yield from self._results(running.pop(0))
            for chunk in running:
                yield from self._results(chunk)

    def _results(self, chunk: _Chunk) -> Iterator[tuple[Artifact, Binary | str]]:
        for artifact, binary in zip(chunk.new, chunk.binaries.result(), strict=True):
            self._binaries[artifact.hash] = binary
        for artifact in chunk.artifacts:
            yield artifact, self._binaries[artifact.hash]

    def _time(
        self,
        subject: Subject,
        calls: dict[Config, Call],
        wanted: Sequence[Config],
        found: Found,
    ) -> None:
        self._once(calls, found)
        kept = self._kept(calls, wanted, found.rough, _ROUGH, _ROUGH_US)
        hosts = {str(config): self._clock.host_us(call) for config, call in list(kept.items())[:1]}
        # The host does the same for each.
        host_us = max(hosts.values(), default=0.0)
        self._sampled(kept, host_us, 1, found)
        kept = self._kept(kept, wanted, found.rough, _SAMPLE, _SAMPLE_US)
        self._sampled(kept, host_us, _SAMPLES, found)
        ordered = sorted(kept, key=lambda config: found.rough[config])
        finalists: dict[Config, Call] = {}
        for config in dict.fromkeys(
            [*ordered[:FINALISTS], *(one for one in wanted if one in kept)]
        ):
            try:
                subject.check(kept[config])
            except WrongResultError as error:
                found.failures[brief(f"wrong: {error}")] += 1
                del found.rough[config]
            else:
                finalists[config] = kept[config]
        if finalists:
            times = self._clock.gpu_us(_named(finalists), _hosts(finalists, host_us))
            found.times = {config: times[str(config)] for config in finalists}

    def _once(self, calls: dict[Config, Call], found: Found) -> None:
        """Calls each twice; those that fail are dropped. The second one's time is rough."""
        for config, call in list(calls.items()):
            try:
                call()
                found.rough[config] = self._clock.once_us(call)
            except NineToothedError as error:
                found.failures[brief(_why(error))] += 1
                del calls[config]

    def _sampled(
        self, calls: Mapping[Config, Call], host_us: float, samples: int, found: Found
    ) -> None:
        if calls:
            times = self._clock.gpu_us(_named(calls), _hosts(calls, host_us), samples)
            found.rough.update({config: times[str(config)].median for config in calls})

    def _kept(
        self,
        calls: Mapping[Config, Call],
        wanted: Sequence[Config],
        rough: Mapping[Config, float],
        factor: float,
        more_us: float,
    ) -> dict[Config, Call]:
        """Those whose times are near the least one, and those that are wanted."""
        limit = factor * min((rough[config] for config in calls), default=0.0) + more_us
        return {
            config: call
            for config, call in calls.items()
            if rough[config] <= limit or config in wanted
        }


def _named(calls: Mapping[Config, Call]) -> dict[str, Call]:
    return {str(config): call for config, call in calls.items()}


def _hosts(calls: Mapping[Config, Call], host_us: float) -> dict[str, float]:
    return {str(config): host_us for config in calls}


def _why(error: Exception) -> str:
    return error.message if isinstance(error, NineToothedError) else reason(error)


def brief(text: str) -> str:
    """A reason without its numbers, so that alike ones count as one."""
    lines = text.strip().splitlines() or ["no reason given"]
    return re.sub(r"\d+", "#", lines[0])[:_REASON_LENGTH]


@contextlib.contextmanager
def _timed(found: Found, part: str) -> Generator[None]:
    """Keeps the seconds inside ``with`` as a part of a search."""
    start = time.perf_counter()
    yield
    found.seconds[part] = round(time.perf_counter() - start, 2)
