"""The best configuration of a space, by the clock: compiles all of them, and times what can run.

Nothing here chooses by a model or stops early for want of luck: a configuration is left out of the
next round only where it took far longer than another.
"""

from __future__ import annotations

import random
import re
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
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
    drawn = random.Random(seed).sample(list(configs[first:]), most - first)
    return [*configs[:first], *drawn]


class Search:
    """Searches the spaces of several subjects; what was compiled once is kept."""

    def __init__(self, compile: Compile, clock: Clock) -> None:
        self._compile = compile
        self._clock = clock
        self._binaries: dict[str, Binary | str] = {}

    def run(self, subject: CallSubject, wanted: Sequence[Config], most: int | None) -> Found:
        """Searches one space; ``wanted`` are tried and timed to the end in any case."""
        configs = list(dict.fromkeys([*wanted, *picked(subject.configs, most)]))
        found = Found(tried=len(configs))
        start = time.perf_counter()
        calls = self._compiled(subject, configs, found)
        compiled = time.perf_counter()
        self._time(subject, calls, wanted, found)
        found.seconds = {
            "compile": round(compiled - start, 2),
            "time": round(time.perf_counter() - compiled, 2),
        }
        return found

    def _compiled(
        self, subject: CallSubject, configs: Sequence[Config], found: Found
    ) -> dict[Config, Call]:
        """The calls of all that can be loaded: while some compile, the next artifacts are made."""

        def binaries(chunk: Sequence[Artifact]) -> list[Binary | str]:
            new = [artifact for artifact in chunk if artifact.hash not in self._binaries]
            hashes = [artifact.hash for artifact in new]
            self._binaries.update(zip(hashes, self._compile(new), strict=True))
            return [self._binaries[artifact.hash] for artifact in chunk]

        compiling: list[tuple[list[Artifact], Future[list[Binary | str]]]] = []
        with ThreadPoolExecutor(_CHUNKS_AT_ONCE) as threads:
            for first in range(0, len(configs), _CHUNK):
                chunk: list[Artifact] = []
                for config in configs[first : first + _CHUNK]:
                    try:
                        chunk.append(subject.artifact(config))
                    except Exception as error:
                        # A fault of our compiler in one configuration hides no other.
                        found.failures[brief(error)] += 1
                compiling.append((chunk, threads.submit(binaries, chunk)))
        calls: dict[Config, Call] = {}
        for chunk, compiled in compiling:
            for artifact, binary in zip(chunk, compiled.result(), strict=True):
                try:
                    if isinstance(binary, str):
                        found.failures[brief(binary)] += 1
                    else:
                        calls[artifact.config] = subject.call(artifact, binary)
                except NineToothedError as error:
                    found.failures[brief(error)] += 1
        return calls

    def _time(
        self,
        subject: CallSubject,
        calls: dict[Config, Call],
        wanted: Sequence[Config],
        found: Found,
    ) -> None:
        for config, call in list(calls.items()):
            try:
                call()
                found.rough[config] = self._clock.once_us(call)
            except NineToothedError as error:
                found.failures[brief(error)] += 1
                del calls[config]
        if not calls:
            return
        kept = _near(calls, wanted, found.rough, _ROUGH, _ROUGH_US)
        # The host does the same for each.
        hosts = dict.fromkeys(calls, self._clock.host_us(next(iter(kept.values()))))
        for samples in (1, _SAMPLES):
            times = self._clock.gpu_us(kept, hosts, samples)
            found.rough |= {config: one.median for config, one in times.items()}
            if samples == 1:
                kept = _near(kept, wanted, found.rough, _SAMPLE, _SAMPLE_US)
        finalists = sorted(kept, key=lambda config: found.rough[config])[:FINALISTS]
        right: dict[Config, Call] = {}
        for config in dict.fromkeys([*finalists, *(one for one in wanted if one in kept)]):
            try:
                subject.check(kept[config])
                right[config] = kept[config]
            except WrongResultError as error:
                found.failures[f"wrong: {brief(error)}"] += 1
                del found.rough[config]
        found.times = self._clock.gpu_us(right, hosts) if right else {}


def _near(
    calls: Mapping[Config, Call],
    wanted: Sequence[Config],
    rough: Mapping[Config, float],
    factor: float,
    more_us: float,
) -> dict[Config, Call]:
    """Those whose times are near the least one, and those that are wanted."""
    limit = factor * min(rough[config] for config in calls) + more_us
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
