"""How many programs of a kernel a device runs at once, from what they take of it.

:class:`Footprint` and :class:`Amounts` name what the source of a space's costs gives (see
``cost_source``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ninetoothed.artifacts.configuration import Config


class Product(NamedTuple):
    """A product of matrices, with sizes rounded up; ``kind``: an element type of tensor cores, or
    ``"fma"``.
    """

    kind: str
    m: int
    n: int
    k: int
    batch: int


class Buffer(NamedTuple):
    """An operand in shared memory; ``is_ahead``: fetched stages ahead."""

    bytes: int
    is_ahead: bool


class Stream(NamedTuple):
    """A block that is moved each iteration: ``kind`` is ``"load"``, ``"store"`` or ``"atomic"``,
    ``lanes`` are rounded up, each of ``bytes``; ``run`` of them are neighbours in memory. ``dims``:
    the dims of the grid that decide which block. ``lane_guards``: how many guards each lane has of
    its own.
    """

    kind: str
    lanes: int
    bytes: int
    run: int
    is_wide: bool
    lane_guards: int
    dims: tuple[int, ...]


class Scope(NamedTuple):
    """What is done in an iteration of a loop, or once outside."""

    products: Sequence[Product]
    buffers: Sequence[Buffer]
    streams: Sequence[Stream]
    operations: int
    special: int
    exchanges: int


class Footprint(NamedTuple):
    """What a program takes: the lanes of its largest block, the bytes of blocks that are live at
    once, and what each scope does.
    """

    lanes: int
    live: int
    scopes: Sequence[Scope]

    @staticmethod
    def of(found: Any) -> Footprint:
        """The footprint that the source's function gives."""
        lanes, live, scopes = found
        return Footprint(
            lanes,
            live,
            [
                Scope(
                    [Product(*one) for one in products],
                    [Buffer(*one) for one in buffers],
                    [Stream(*one) for one in streams],
                    *rest,
                )
                for products, buffers, streams, *rest in scopes
            ],
        )


class Amounts(NamedTuple):
    """What sizes decide: the grid, and for each scope its iterations and for each stream the lanes that
    exist and the bytes of its parameter.
    """

    grid: tuple[int, ...]
    scopes: Sequence[tuple[float, Sequence[tuple[float, int]]]]


@dataclass(frozen=True)
class Architecture:
    """What all devices of one architecture have, by multiprocessor where nothing else is said.

    ``shared_per_block`` and ``registers_per_thread`` are what one program and thread may take.
    ``lanes`` and ``special_lanes`` are operations and transcendental functions a cycle,
    ``shared_bandwidth`` bytes of shared memory a cycle. ``tensor``: operations of tensor cores a
    cycle, by element type, a product counting two. ``warp_groups``: products of four warps are
    formed at once, out of shared memory. ``stages``: depths of pipelining that are worth a try.
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
    stages: tuple[int, ...] = (2, 3, 4, 5)

    def most_registers(self, threads: int) -> int:
        """What each of so many threads can have."""
        return min(self.registers_per_thread, self.registers // threads // 8 * 8)


def uses_warp_groups(product: Product, config: Config, device: Architecture) -> bool:
    """Whether a product is one of Hopper's, of four warps and 64 rows at least."""
    return (
        device.warp_groups
        and product.kind in ("fp16", "fp8", "i8", "tf32")
        and product.m >= 64
        and config.num_warps % 4 == 0
        and product.batch == 1
    )


def is_ahead(scope: Scope, config: Config) -> bool:
    """Whether operands are fetched while others are multiplied."""
    return config.num_stages > 1 and any(buffer.is_ahead for buffer in scope.buffers)


def shared_bytes(footprint: Footprint, config: Config, device: Architecture) -> int:
    """The bytes of shared memory that a program takes: operands, in as many copies as stages are in
    flight.
    """
    most = 0
    for scope in footprint.scopes:
        if not scope.buffers:
            continue
        grouped = any(uses_warp_groups(one, config, device) for one in scope.products)
        copies = max(config.num_stages - (0 if grouped else 1), 1)
        taken = sum(one.bytes * (copies if one.is_ahead else 1) for one in scope.buffers)
        most = max(most, taken)
    return most


def registers(footprint: Footprint, config: Config, device: Architecture) -> float:
    """The registers that a thread would have, were there no limit."""
    threads = config.num_warps * device.warp_size
    # Lanes that are moved one by one each have a mask, and many an address.
    alone = [one.lanes for scope in footprint.scopes for one in scope.streams if not one.is_wide]
    most = 0.8 * max(alone, default=0) / threads
    # Outside of loops, an address is there for one moment.
    for scope in footprint.scopes[1:] or footprint.scopes:
        own = 0.0
        for stream in scope.streams:
            lanes = max(stream.lanes / threads, 1.0)
            if stream.lanes > stream.run > 1 or stream.lane_guards:
                # Rows have an address each.
                own += 3 * max(lanes * stream.bytes / 16, 1.0) if stream.is_wide else 1.3 * lanes
        if scope.products and not is_ahead(scope, config):
            # What is multiplied passes through registers.
            loads = (one.lanes * one.bytes for one in scope.streams if one.kind == "load")
            own += sum(loads) / 4 / threads
        most = max(most, own)
    return 18 + footprint.live / 4 / threads + most


def resident(device: Architecture, threads: int, registers_: float, shared: int) -> int:
    """How many programs a multiprocessor runs at once; at least one."""
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
