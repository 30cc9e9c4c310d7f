"""Performance model: predicts a configuration's time, so that few are compiled and timed.

A roofline (Williams et al., 2009) by waves. What a program needs of each unit of a multiprocessor
(tensor cores, lanes, shared memory, its way to L2) gives its time where enough programs share the
multiprocessor; what it waits for, one thing after the other, gives its time alone (by Little's law
that is what few bytes in flight cost). A wave is as many programs as are resident at once, by
registers, shared memory and threads; it takes the longer of the two, and more where the other is
about as long (the root of their squares). The whole takes its waves, and in the same way what
memory needs for all bytes: those that the programs of a wave share are read once a wave, or once
altogether where L2 holds them.

The counts come from :class:`~ninetoothed.artifacts.configuration.Space`, in which
``compiler.cost_function`` wrote them.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ninetoothed import config as settings
from ninetoothed.artifacts.capabilities import Product, capabilities
from ninetoothed.artifacts.combining import levels
from ninetoothed.artifacts.configuration import Config, Space
from ninetoothed.artifacts.occupancy import (
    Amounts,
    Architecture,
    Dot,
    Footprint,
    Scope,
    Stream,
    is_ahead,
    is_packed,
    resident,
    scope_registers,
    shared_bytes,
    uses_warp_groups,
)
from ninetoothed.artifacts.target import Target
from ninetoothed.calls.generated import defined
from ninetoothed.runtime.launch import device


@dataclass(frozen=True)
class Properties:
    """Device properties of the model: ``clock`` in Hz, ``bandwidth`` of memory in bytes/s."""

    architecture: Architecture
    multiprocessors: int
    clock: float
    bandwidth: float
    l2_bytes: int

    @staticmethod
    def of(index: int, target: Target) -> Properties:
        """Properties of a device by torch; what it does not tell is guessed."""
        found: Any = device.module().get_device_properties(index)
        count = int(found.multi_processor_count)
        # In kHz; of memory, two bits a wire and cycle.
        clock = float(getattr(found, "clock_rate", 0) or 1.5e6) * 1e3
        wires = float(getattr(found, "memory_bus_width", 0) or 0)
        rate = float(getattr(found, "memory_clock_rate", 0) or 0) * 1e3
        bandwidth = 2 * rate * wires / 8 or 15e9 * count
        cached = int(getattr(found, "L2_cache_size", 0) or 4 << 20)
        return Properties(capabilities(target).architecture, count, clock, bandwidth, cached)

    @staticmethod
    def described(product: Product, target: Target) -> Properties:
        """Properties of a device that is not here."""
        return Properties(
            capabilities(target).architecture,
            product.multiprocessors,
            product.clock,
            product.bandwidth,
            product.l2_bytes,
        )


@dataclass(frozen=True)
class Ranked:
    """A configuration, and the milliseconds predicted; or None, and why it cannot run."""

    config: Config
    milliseconds: float | None
    reason: str = ""

    @property
    def order(self) -> float:
        """Key by which configurations are sorted."""
        return math.inf if self.milliseconds is None else self.milliseconds


class Fitted(NamedTuple):
    """Numbers that no data sheet has, in cycles where nothing else is said.

    Fitted on an H200 to times of some 4,300 configurations in 27 calls (matmul, attention,
    convolution, norms, elementwise and row kernels); what gave nothing was dropped. Over these
    calls the choices take 1.03 times the best time, as a geometric mean, over the ten that are
    benchmarked 1.04, and the worst 1.20. How far that carries: fitted to half of the kernels alone,
    they take 1.05 and 1.14 times the best for the other half (in the latter case no kernel of the
    half that was fitted to spills), and with round numbers that nothing was fitted to 1.04.
    """

    program: float = 600
    """From a program's start to its first instruction that counts, and from its last to its end."""
    latency: float = 590
    """Of memory, where caches are cold: once a program, and in each iteration of a loop."""
    iteration: float = 30
    """Of a loop: its barrier and branch."""
    late: float = 0.5
    """Iterations by which what is fetched ahead comes later than its stages say."""
    product: float = 33
    """From a dot's start to its end, beside its work."""
    exchange: float = 300
    """A reduction across eight warps, less half across none; inside of a warp it costs nothing."""
    mma_rate: float = 0.39
    """The part of the tensor cores' rate that dots of one warp reach, on a device where four
    warps form one.
    """
    warps: float = 18
    """As many warps keep a multiprocessor's lanes busy."""
    guard: float = 4
    """Operations for each guard that a lane has of its own."""
    narrow: float = 2
    """How much slower than their bytes say accesses are that are not wide."""
    spill: float = 14
    """How often a spilled register is written or read in an iteration."""
    spill_once: float = 2
    """The same around loops, by counts of machine code."""
    l2_bytes: float = 64
    """A cycle, from L2 to one multiprocessor."""
    launch: float = 2.5e-6
    """Seconds of a launch."""


FITTED = Fitted()
_SCHEDULERS = 4
_SECTOR = 32
"""Bytes that memory moves at least."""
_WIDE = 16
"""Bytes that a thread moves at most."""
_MOST_PROGRAMS = 1 << 31
_MOST_SPLIT = 2
"""Programs a multiprocessor, from which on they do not share iterations."""
_LEAST_SHARE = 2
"""Iterations of a part."""
_PARTIAL = 4
"""Bytes of a lane of what a part has found."""
_BYTES = {"fp16": 2, "fp8": 1, "i8": 1}


@functools.lru_cache(maxsize=256)
def _functions(source: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The functions ``footprint`` and ``cost`` of a space's source."""
    footprint, cost = defined(("footprint", "cost"), source, {})
    return footprint, cost


def rank(space: Space, values: Sequence[Any], properties: Properties) -> list[Ranked]:
    """The configurations of ``space`` for a call with these arguments, best first; those that
    cannot run stand last, with a reason.

    ``values`` are the kernel's tensors and numbers, in launch order. Where nothing can be
    predicted, the configurations keep their order, and all times are 0.
    """
    if not space.cost:
        return [Ranked(config, 0.0) for config in space.listed]
    footprint_of, cost = _functions(space.cost)
    choices: dict[tuple[tuple[str, int], ...], _Choice] = {}
    rows: list[Ranked] = []
    try:
        amounts_of = cost(*values)
        for config in space.listed:
            choice = choices.get(config.values)
            if choice is None:
                sizes = [value for _, value in config.values]
                footprint = Footprint.of(footprint_of(*sizes))
                choice = _Choice(footprint, Amounts(*amounts_of(*sizes)), properties)
                choices[config.values] = choice
            rows.append(choice.packed.ranked(config) if config.is_packed else choice.ranked(config))
    except (ArithmeticError, TypeError):
        # Sizes of empty tensors, and numbers that are tensors.
        return [Ranked(config, 0.0) for config in space.listed]
    return sorted(rows, key=lambda row: row.order)


class _Work(NamedTuple):
    """Work of a dot: cycles of the tensor cores, and of reading shared memory.
    ``is_grouped``: four warps form it together; ``columns``: how many warps share a row.
    """

    cycles: float
    reading: float
    is_grouped: bool
    columns: int


class _Iteration(NamedTuple):
    """One iteration of a scope, in cycles: how long a program alone computes, how long it waits for
    what it reads, and what it takes of the tensor cores, lanes and special lanes, shared memory and
    the way to L2.
    """

    compute: float
    wait: float
    tensor: float
    lanes: float
    special: float
    shared: float
    l2: float


class _Choice:
    """One choice of block sizes: what all warps and stages have in common is computed once."""

    def __init__(
        self,
        footprint: Footprint,
        amounts: Amounts,
        properties: Properties,
        unpacked: _Choice | None = None,
    ) -> None:
        self._footprint = footprint
        self._amounts = amounts
        self._properties = properties
        self._unpacked = unpacked
        self._programs = math.prod(max(size, 0) for size in amounts.grid)
        self._multiplies = any(scope.dots for scope in footprint.scopes)
        self._scopes = [
            (
                iterations,
                scope,
                [
                    lanes * stream.bytes
                    for stream, (lanes, _) in zip(scope.streams, streams, strict=True)
                ],
            )
            for scope, (iterations, streams) in zip(footprint.scopes, amounts.scopes, strict=True)
        ]

    @functools.cached_property
    def packed(self) -> _Choice:
        """The same with packed operands."""
        return _Choice(self._footprint.packed, self._amounts, self._properties, self)

    @functools.cached_property
    def _copies(self) -> list[int]:
        """The bytes of each operand that is packed."""
        return [
            whole
            for (_, scope, _), (_, streams) in zip(self._scopes, self._amounts.scopes, strict=True)
            for stream, (_, whole) in zip(scope.streams, streams, strict=True)
            if is_packed(scope, stream)
        ]

    @functools.cached_property
    def _exceeds_scratch(self) -> bool:
        """True if there may not be as much scratch memory as its packed operands take."""
        return sum(self._copies) > settings.scratch_size()

    @functools.cached_property
    def _copying(self) -> float:
        """The seconds of what packs its operands: a launch each, which reads and writes it."""
        return sum(FITTED.launch + 2 * whole / self._properties.bandwidth for whole in self._copies)

    def ranked(self, config: Config) -> Ranked:
        if self._programs >= _MOST_PROGRAMS:
            return Ranked(config, None, f"{self._programs} programs, which no device counts")
        if config.parts > 1 and (reason := self._unsplit(config.parts)):
            return Ranked(config, None, reason)
        if config.is_persistent and (reason := self._unpersistent(config)):
            return Ranked(config, None, reason)
        copying = 0.0
        if self._unpacked is not None:
            if self._unpacked._exceeds_scratch:
                return Ranked(config, None, "packed operands over NINETOOTHED_SCRATCH_SIZE")
            copying = self._unpacked._copying
            if copying >= self._unpacked._seconds(config):
                return Ranked(config, None, "packing its operands takes longer than all else")
        return Ranked(config, (copying + self._seconds(config)) * 1e3)

    def _unsplit(self, parts: int) -> str:
        """Why it does not pay that programs share iterations; empty: it may."""
        if self._programs >= _MOST_SPLIT * self._properties.multiprocessors:
            return f"{self._programs} programs, which need not share their iterations"
        iterations = next((one for one, _, _ in self._scopes if one > 1), 0.0)
        if iterations < _LEAST_SHARE * parts:
            return f"{iterations:.0f} iterations, which are too few for {parts} programs"
        return ""

    def _unpersistent(self, config: Config) -> str:
        """Why it does not pay that programs do the work of others; empty: it may."""
        if config.parts > 1:
            return "programs that share iterations, and so end with their own work"
        if self._programs <= self._properties.multiprocessors:
            return f"{self._programs} programs, which all run at once"
        if config.stores_boxes:
            unit = self._properties.architecture
            # One block is stored while the next one's operands are read.
            room = unit.shared_per_block - shared_bytes(self._footprint, config, unit)
            if self._stored > room:
                return "its shared memory has no room for what it stores beside what it reads"
        return ""

    @functools.cached_property
    def _stored(self) -> int:
        """The bytes of the blocks that a program stores."""
        streams = (stream for scope in self._footprint.scopes for stream in scope.streams)
        return sum(stream.lanes * stream.bytes for stream in streams if stream.kind == "store")

    def _combining(self, parts: int) -> float:
        """The cycles of what programs do beside their shares, level by level: each writes and
        counts, and the last one reads. Of a dot its accumulator, else as much as is stored.
        """
        lanes = sum(dot.m * dot.n * dot.batch for _, scope, _ in self._scopes for dot in scope.dots)
        if not lanes:
            stored = (one for one in self._footprint.scopes[0].streams if one.kind == "store")
            lanes = sum(one.lanes for one in stored)
        return sum(
            3 * FITTED.latency + (count + 1) * lanes * _PARTIAL / FITTED.l2_bytes
            for count in levels(parts, int(lanes))
        )

    def _seconds(self, config: Config) -> float:
        device, programs = self._properties, self._programs * config.parts
        if not programs:
            return 0.0
        unit = device.architecture
        threads = config.num_warps * unit.warp_size
        wanted = scope_registers(self._footprint, config, unit)
        limit = unit.most_registers(threads)
        shared = shared_bytes(self._footprint, config, unit)
        together = resident(unit, threads, min(max(wanted), limit), shared)
        alone, busy = self._program(config, [max(one - limit, 0.0) for one in wanted])
        capacity = device.multiprocessors * together
        waves = math.ceil(programs / capacity)
        if waves == 1:
            together = math.ceil(programs / device.multiprocessors)
        # Programs on one multiprocessor come into each other's way; one alone does not.
        crowded = alone * math.hypot(alone, together * busy) / math.hypot(alone, busy)
        # About one program a cycle is started.
        cycles = max(waves * max(crowded, together * busy), programs)
        memory = self._memory_bytes(max(capacity // config.parts, 1)) / device.bandwidth
        launches = FITTED.launch
        if config.parts > 1:
            cycles += self._combining(config.parts)
            # One fills the counters with zeros.
            launches *= 2
        return math.hypot(cycles / device.clock, memory) + launches

    def _program(self, config: Config, spilled: Sequence[float]) -> tuple[float, float]:
        """The cycles of a program alone, and those that it keeps the busiest unit busy; ``spilled``
        are the registers of a thread that each scope spills.
        """
        alone = FITTED.program
        tensor = lanes = special = shared = l2 = 0.0
        for (iterations, scope, moved), excess in zip(self._scopes, spilled, strict=True):
            if iterations > 1 and config.parts > 1:
                iterations = math.ceil(iterations / config.parts)
            iteration = self._iteration(scope, moved, config, excess)
            tensor += iterations * iteration.tensor
            lanes += iterations * iteration.lanes
            special += iterations * iteration.special
            shared += iterations * iteration.shared
            l2 += iterations * iteration.l2
            reads = any(stream.kind != "store" for stream in scope.streams)
            if iterations <= 1:
                latency = FITTED.latency if reads else 0.0
                alone += iterations * (iteration.compute + iteration.wait + latency)
                continue
            compute = iteration.compute + FITTED.iteration
            wait = iteration.wait + (FITTED.latency if reads else 0.0)
            if is_ahead(scope, config):
                wait = iteration.l2 + FITTED.latency
                if any(stream.is_awaited for stream in scope.streams):
                    compute += FITTED.latency
                hidden = config.num_stages - 1 - FITTED.late
                alone += iterations * max(compute, wait / hidden) + FITTED.latency
            else:
                alone += iterations * (compute + wait)
        return alone, max(tensor, lanes, special, shared, l2)

    def _iteration(
        self, scope: Scope, moved: Sequence[float], config: Config, spilled: float
    ) -> _Iteration:
        """One iteration of a scope; ``moved`` are the bytes of each stream that exist."""
        device, warps = self._properties.architecture, config.num_warps
        threads = warps * device.warp_size
        few = max(_SCHEDULERS / warps, 1.0)
        # Threads with little to do at once wait for the result of each operation.
        slow = max(FITTED.warps / warps, 1.0)
        tensor = multiplying = reading = 0.0
        is_split = not scope.dots and warps > 1
        for product in scope.dots:
            work = _work(product, config, device)
            multiplying += max(work.cycles * (1.0 if work.is_grouped else few), work.reading)
            multiplying += FITTED.product
            tensor += work.cycles
            reading += work.reading
            is_split |= work.columns > 1
        operations = float(scope.operations)
        addresses = far_bytes = 0.0
        near_bytes = float(sum(buffer.bytes for buffer in scope.buffers))
        for stream, bytes_ in zip(scope.streams, moved, strict=True):
            instructions, near = _requests(stream, threads)
            near_bytes += near
            computed = instructions * (1 + FITTED.guard * stream.lane_guards)
            if stream.is_wide:
                operations += computed
            else:
                addresses += computed
            far_bytes += bytes_
        often = FITTED.spill if self._footprint.is_main(scope) else FITTED.spill_once
        spilling = spilled * 4 * threads * often / device.shared_bandwidth
        lanes = (operations + addresses) / device.lanes
        special = scope.special / device.special_lanes
        writing = near_bytes / device.shared_bandwidth
        l2 = far_bytes / FITTED.l2_bytes
        # The blocks of dots give each thread much to do at once; addresses that each lane has
        # of its own do not.
        near = few if self._multiplies else slow
        compute = multiplying + spilling
        compute += (operations / device.lanes + special) * near + addresses / device.lanes * slow
        if is_split:
            exchanges = scope.exchanges
            if len(scope.dots) > 1:
                # What one dot gives another goes through shared memory.
                first = scope.dots[0]
                exchanges += 1
                compute += 4 * first.m * first.n / device.shared_bandwidth
            compute += exchanges * FITTED.exchange * (0.5 + warps / 8)
        return _Iteration(
            compute, l2 + writing, tensor, lanes, special, reading + writing + spilling, l2
        )

    def _memory_bytes(self, capacity: int) -> float:
        """The bytes that come from memory, of ``capacity`` programs a wave."""
        rows: list[tuple[float, float, Stream]] = []
        for (iterations, scope, moved), (_, streams) in zip(
            self._scopes, self._amounts.scopes, strict=True
        ):
            for stream, bytes_, (_, whole) in zip(scope.streams, moved, streams, strict=True):
                read = iterations * bytes_ * self._programs
                rows.append((read, min(read, whole or read), stream))
        fits = sum(once for _, once, _ in rows) <= self._properties.l2_bytes
        total = 0.0
        for read, once, stream in rows:
            if fits or read <= once:
                total += once
                continue
            waves = max(self._programs / capacity, 1.0)
            different = waves * self._different(stream, capacity) * read / self._programs
            total += min(max(different, once), read)
        return total

    def _different(self, stream: Stream, capacity: int) -> float:
        """Number of different blocks that the programs of a wave move: they follow each other in
        the order of the grid, whose last dim moves fastest.
        """
        left = float(min(capacity, self._programs))
        different = 1.0
        for dim, size in reversed(list(enumerate(self._amounts.grid))):
            if dim in stream.dims:
                different *= min(size, left)
            left = max(left / size, 1.0)
        return different


def _requests(stream: Stream, threads: int) -> tuple[float, float]:
    """The lanes' instructions for a stream, and the bytes of L1 that they keep busy beyond what is
    moved by wide accesses.
    """
    least = min(stream.lanes, threads)
    if stream.is_wide:
        return max(stream.lanes * stream.bytes / _WIDE, least), 0.0
    if stream.run == 1:
        return stream.lanes, float(stream.lanes * _SECTOR)
    # Each thread has adjacent lanes, and moves one at a time: all threads together go over the same
    # bytes as often.
    again = min(stream.lanes / threads, _WIDE / stream.bytes)
    return stream.lanes, stream.lanes * stream.bytes * max(again * FITTED.narrow, 1.0)


def _work(product: Dot, config: Config, device: Architecture) -> _Work:
    m, n, k, batch = product.m, product.n, product.k, product.batch
    warps = config.num_warps
    size = _BYTES.get(product.kind, 4)
    rate = device.tensor.get(product.kind, 0.0)
    if product.kind == "tf32x3":
        rate = device.tensor["tf32"] / 3
    operations = 2.0 * max(m, 16) * max(n, 8) * max(k, 16) * batch
    if uses_warp_groups(product, config, device):
        groups = warps // 4
        down = min(groups, max(m // 64, 1))
        columns = max(groups // down, 1)
        # An instruction of 64 rows and 32 bytes of K reads its operands from shared memory.
        instructions = (m / 64) * columns * (k * size / 32)
        bytes_ = instructions * 32.0 * (64 + max(n // columns, 8))
        cycles = operations / rate
        return _Work(cycles, bytes_ / device.shared_bandwidth, True, columns)
    rows = max(min(m // 16, warps), 1)
    columns = max(warps // rows, 1)
    # Warps that get no columns of their own do the same again.
    operations *= max(8 * columns / n, 1.0)
    bytes_ = float((m * columns + n * rows) * k * size * batch)
    if not rate:
        # Lanes multiply; each reads its operands for a few multiplications only.
        return _Work(
            operations / (2 * device.lanes), 4 * bytes_ / device.shared_bandwidth, False, columns
        )
    part = FITTED.mma_rate if device.warp_groups else 1.0
    return _Work(operations / (rate * part), bytes_ / device.shared_bandwidth, False, columns)
