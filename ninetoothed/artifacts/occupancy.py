"""Occupancy: how many programs of a kernel run at once on a device, from their footprint.

:class:`Footprint` and :class:`Amounts` name the results of a space's cost function (see
``compiler.cost_function``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ninetoothed.artifacts.configuration import Config


class Dot(NamedTuple):
    """Matrix multiplication with padded sizes; ``kind``: an element type of tensor cores, or
    ``"fma"``.
    """

    kind: str
    m: int
    n: int
    k: int
    batch: int


class Buffer(NamedTuple):
    """Operand in shared memory; ``is_ahead``: prefetched, stages ahead."""

    bytes: int
    is_ahead: bool


class Stream(NamedTuple):
    """Block that is loaded, stored or atomically updated each iteration: ``lanes`` are padded, each
    of ``bytes``; ``run`` of them are contiguous. ``kind`` is ``"load"``, ``"store"`` or
    ``"atomic"``, ``dims`` the grid's dims that select the block, ``lane_guards`` the number of
    guards that differ by lane. ``is_awaited``: no dot reads what is loaded, and the same iteration
    does: it is not prefetched where operands are. ``is_tile``: it is a parameter's block, and not
    elements that are read or written one by one, by pointers or coordinates.
    """

    kind: str
    lanes: int
    bytes: int
    run: int
    is_wide: bool
    lane_guards: int
    dims: tuple[int, ...]
    is_awaited: bool
    is_tile: bool


class Scope(NamedTuple):
    """Work of one iteration of a loop, or of code outside of loops; ``live``: the bytes of blocks
    that are live at once in it.
    """

    dots: Sequence[Dot]
    buffers: Sequence[Buffer]
    streams: Sequence[Stream]
    operations: int
    special: int
    exchanges: int
    live: int
    is_loop: bool


class Footprint(NamedTuple):
    """Resources of a program: the lanes of its largest block, and the work of each scope."""

    lanes: int
    scopes: Sequence[Scope]

    @staticmethod
    def of(found: Any) -> Footprint:
        """Footprint from the tuples of the cost function."""
        lanes, scopes = found
        return Footprint(
            lanes,
            [
                Scope(
                    [Dot(*one) for one in dots],
                    [Buffer(*one) for one in buffers],
                    [Stream(*one) for one in streams],
                    *rest,
                )
                for dots, buffers, streams, *rest in scopes
            ],
        )

    def is_main(self, scope: Scope) -> bool:
        """True if a scope is a loop, or there is none: most of the time is spent there."""
        return scope.is_loop or not any(one.is_loop for one in self.scopes)

    @property
    def packed(self) -> Footprint:
        """The footprint with packed operands: what loops read for dots is wide, and prefetched."""
        scopes = [
            scope._replace(
                buffers=[buffer._replace(is_ahead=True) for buffer in scope.buffers],
                streams=[
                    stream._replace(is_wide=True) if is_packed(scope, stream) else stream
                    for stream in scope.streams
                ],
            )
            for scope in self.scopes
        ]
        return self._replace(scopes=scopes)


class Amounts(NamedTuple):
    """Size-dependent amounts: the grid, and for each scope its iterations and for each stream the
    valid lanes and the bytes of its parameter.
    """

    grid: tuple[int, ...]
    scopes: Sequence[tuple[float, Sequence[tuple[float, int]]]]


@dataclass(frozen=True)
class Architecture:
    """Limits and throughput of an architecture, by multiprocessor unless stated otherwise.

    ``shared_per_block`` and ``registers_per_thread`` are what one program and thread may take.
    ``lanes`` and ``special_lanes`` are operations and transcendental functions a cycle,
    ``shared_bandwidth`` bytes of shared memory a cycle. ``tensor``: operations of tensor cores a
    cycle, by element type, a multiply-add counting two. ``warp_groups``: four warps multiply
    together, out of shared memory. ``descriptors``: boxes of tensors are moved by tensor
    descriptors. ``tensor_columns``: what accumulators of a program may take of
    the tensor memory, in columns of 128 numbers; 0: there is none. ``stages``: depths of software
    pipelining to try. ``is_cumulative``: behind a barrier, one thread releases to other programs
    what all threads of its own have written.
    """

    shared_per_block: int
    shared: int
    threads: int
    programs: int
    tensor: Mapping[str, float]
    registers: int = 65536
    registers_per_thread: int = 255
    warp_size: int = 32
    lanes: int = 128
    special_lanes: int = 16
    shared_bandwidth: int = 128
    warp_groups: bool = False
    descriptors: bool = False
    tensor_columns: int = 0
    stages: tuple[int, ...] = (2, 3, 4, 5)
    is_cumulative: bool = False

    def most_registers(self, threads: int) -> int:
        """Register limit of a thread, with so many threads a program."""
        return min(self.registers_per_thread, self.registers // threads // 8 * 8)


_OTHER_REGISTERS = 18
"""Registers of a thread for all but blocks and their addresses."""

Legality = Callable[[Footprint, Architecture], tuple[int, ...]]
"""Legal values of a pass's choice beside its default, of block sizes with this footprint."""


WARP_GROUP_ROWS = 64
"""Rows that a dot of a warp group has at least."""


def uses_warp_groups(dot: Dot, config: Config, device: Architecture) -> bool:
    """True if a dot uses warp-group instructions (Hopper's ``wgmma``: four warps, at least 64
    rows).
    """
    return (
        device.warp_groups
        and dot.kind in ("fp16", "fp8", "i8", "tf32")
        and dot.m >= WARP_GROUP_ROWS
        and config.num_warps % 4 == 0
        and dot.batch == 1
    )


def is_packed(scope: Scope, stream: Stream) -> bool:
    """True if packed operands make a stream of ``scope`` wide."""
    return bool(scope.dots) and stream.kind == "load" and stream.is_tile and not stream.is_wide


def is_ahead(scope: Scope, config: Config) -> bool:
    """True if operands are prefetched while others are multiplied."""
    return config.num_stages > 1 and any(buffer.is_ahead for buffer in scope.buffers)


def shared_bytes(footprint: Footprint, config: Config, device: Architecture) -> int:
    """Shared memory of a program in bytes: operands, one copy for each stage in flight."""
    most = 0
    for scope in footprint.scopes:
        if not scope.buffers:
            continue
        grouped = any(uses_warp_groups(one, config, device) for one in scope.dots)
        copies = max(config.num_stages - (0 if grouped else 1), 1)
        taken = sum(one.bytes * (copies if one.is_ahead else 1) for one in scope.buffers)
        most = max(most, taken)
    return most


def registers(footprint: Footprint, config: Config, device: Architecture) -> float:
    """Estimated registers of a thread, without a limit."""
    return max(scope_registers(footprint, config, device))


def scope_registers(footprint: Footprint, config: Config, device: Architecture) -> Sequence[float]:
    """Estimated registers of a thread in each scope, without a limit."""
    threads = config.num_warps * device.warp_size
    found: list[float] = []
    for scope in footprint.scopes:
        # Around loops, addresses are short-lived.
        own = _addresses(scope, config, threads) if footprint.is_main(scope) else 0.0
        own = max(_lone(scope) / threads, own)
        found.append(_OTHER_REGISTERS + scope.live / 4 / threads + own)
    return found


def _lone(scope: Scope) -> float:
    """Registers of all threads for scalar accesses: lanes have a mask each, and many an address."""
    return 0.8 * max((one.lanes for one in scope.streams if not one.is_wide), default=0)


def _addresses(scope: Scope, config: Config, threads: int) -> float:
    """Registers of a thread for the addresses of a scope, and for what passes through them."""
    found = 0.0
    for stream in scope.streams:
        lanes = max(stream.lanes / threads, 1.0)
        if stream.lanes > stream.run > 1 or stream.lane_guards:
            # Each row has an address.
            found += 3 * max(lanes * stream.bytes / 16, 1.0) if stream.is_wide else 1.3 * lanes
    if scope.dots and not is_ahead(scope, config):
        # Operands pass through registers.
        loads = (one.lanes * one.bytes for one in scope.streams if one.kind == "load")
        found += sum(loads) / 4 / threads
    return found


def resident(device: Architecture, threads: int, registers_: float, shared: int) -> int:
    """Programs that a multiprocessor runs at once; at least one."""
    taken = max(int(-(-registers_ // 8) * 8), 16) * threads
    return max(
        min(
            device.threads // threads,
            device.registers // taken,
            device.shared // (shared + 1024),
            device.programs,
        ),
        1,
    )
