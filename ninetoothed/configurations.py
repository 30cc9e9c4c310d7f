"""Which configurations of a kernel are worth compiling: block sizes, warps and stages.

A plain choice by size, without a model of the device: blocks and accumulators that cannot run well
are left out, the rest is ranked by reuse (for kernels that multiply matrices) or by size, and at
most :data:`LIMIT` are kept.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue

from ninetoothed.artifact import Config, Signature
from ninetoothed.dtype import DTYPES
from ninetoothed.errors import ConfigurationError
from ninetoothed.ir import nt
from ninetoothed.ir.index_expr import IndexExpr, evaluate, symbol_names
from ninetoothed.passes.analysis.writes import enclosing

LIMIT = 24
MAX_BLOCK = 1 << 15
# Triton's own limit.
MAX_LANES = 1 << 20
MAX_ACCUMULATOR_REGISTERS = 128
_STAGES = 3
_THREADS_PER_WARP = 32
_REGISTER_BYTES = 4
# What a program may use of a multiprocessor's shared memory; the least of the supported devices'
# limits that hold a useful matrix tile. Larger ones fail to load and are dropped then.
_SHARED_BYTES = 200 << 10
_LARGE_BLOCK = 1 << 14
# A vector block of this many lanes keeps every thread of four warps busy with several loads.
_GOOD_BLOCK = 1 << 11
_VARIANTS_OF_ONE_TILE = 2


@dataclass(frozen=True)
class _Buffer:
    """An operand of a product as it lies in shared memory: its sizes, the bytes of a lane, and
    whether it is fetched stages ahead.
    """

    sizes: tuple[IndexExpr, ...]
    lane: int
    is_ahead: bool


@dataclass(frozen=True)
class _Shapes:
    """The shapes of a kernel's blocks, over its block sizes."""

    blocks: tuple[tuple[tuple[IndexExpr, ...], int], ...]
    """Each block's sizes, and the bytes of a lane."""
    dots: tuple[tuple[tuple[IndexExpr, ...], tuple[IndexExpr, ...]], ...]
    """Each dot's operands' sizes."""
    loops: tuple[tuple[_Buffer, ...], ...]
    """What the dots of each loop read; those outside of loops count as one."""


@dataclass(frozen=True)
class _Footprint:
    """What one configuration takes."""

    largest: int
    accumulator: int
    tile: tuple[tuple[int, ...], ...]
    shared: int
    reuse: float


def _bytes(scalar: Attribute) -> int:
    return 8 if nt.is_pointer(scalar) else max(DTYPES[nt.dtype_of(scalar)].bits // 8, 1)


def _shapes(module: ModuleOp) -> _Shapes:
    blocks: dict[tuple[tuple[IndexExpr, ...], int], None] = {}
    dots: list[tuple[tuple[IndexExpr, ...], tuple[IndexExpr, ...]]] = []
    loops: dict[Operation | None, dict[object, _Buffer]] = {}
    for op in module.walk():
        for result in op.results:
            type = result.type
            if isinstance(op, nt.SourceOp) or not isinstance(type, nt.TensorType):
                continue
            if not isinstance(type.element_type, nt.TensorType):
                blocks[type.sizes, _bytes(type.element_type)] = None
        if isinstance(op, nt.DotOp):
            dots.append((nt.shape_of(op.a.type), nt.shape_of(op.b.type)))
            loop = _loop(op)
            buffers = loops.setdefault(loop, {})
            buffers.update(_buffer(operand, loop) for operand in (op.a, op.b))
    return _Shapes(
        tuple(blocks), tuple(dots), tuple(tuple(found.values()) for found in loops.values())
    )


def _loop(op: Operation) -> Operation | None:
    """The innermost loop around an op."""
    return next((parent for parent in enclosing(op) if isinstance(parent, scf.ForOp)), None)


def _buffer(operand: SSAValue, loop: Operation | None) -> tuple[object, _Buffer]:
    """A dot's operand, behind what tells it from others: one block that is loaded is one buffer,
    however often it is read, and transposed or masked.
    """
    origins = _origins(operand)
    loads = [op for op in origins if not isinstance(op, nt.DotOp)]
    is_ahead = loop is not None and len(loads) == len(origins) and loop in map(_loop, loads)
    buffer = _Buffer(nt.shape_of(operand.type), _bytes(nt.scalar_of(operand.type)), is_ahead)
    if len(origins) == 1 and isinstance(load := origins[0], nt.LoadOp):
        return (load.ref, *load.indices), buffer
    return operand, buffer


def _origins(value: SSAValue) -> list[Operation]:
    """The loads and dots that a value is computed from."""
    found: dict[Operation, None] = {}
    seen: set[SSAValue] = set()
    open_values = [value]
    while open_values:
        value = open_values.pop()
        if value in seen or not isinstance(op := value.owner, Operation):
            continue
        seen.add(value)
        if isinstance(op, nt.LoadOp | nt.PointerLoadOp | nt.DotOp):
            found[op] = None
        else:
            open_values.extend(op.operands)
    return list(found)


def _padded(sizes: Sequence[IndexExpr], values: Mapping[str, int]) -> tuple[int, ...]:
    """The sizes rounded up to powers of two; a size that no value decides counts 1.

    ``values`` are those of symbols, and of expressions that are block sizes themselves.
    """
    result: list[int] = []
    for size in sizes:
        known = all(name in values for name in symbol_names(size))
        number = max(evaluate(size, values), 1) if known else values.get(str(size), 1)
        result.append(1 << (number - 1).bit_length())
    return tuple(result)


def _product(sizes: Iterable[int]) -> int:
    result = 1
    for size in sizes:
        result *= size
    return result


def _footprint(shapes: _Shapes, values: Mapping[str, int]) -> _Footprint:
    largest = max((_product(_padded(sizes, values)) for sizes, _ in shapes.blocks), default=1)
    accumulator = 0
    tile: list[tuple[int, ...]] = []
    reuse = 0.0
    for a, b in shapes.dots:
        one, two = _padded(a, values), _padded(b, values)
        tile.append((one[0], two[1]))
        accumulator = max(accumulator, one[0] * two[1])
        reuse = max(reuse, one[0] * two[1] / (one[0] + two[1]))
    shared = max((_shared(buffers, values) for buffers in shapes.loops), default=0)
    return _Footprint(largest, accumulator, tuple(tile), shared, reuse)


def _shared(buffers: Sequence[_Buffer], values: Mapping[str, int]) -> int:
    """The bytes of a loop's buffers."""
    return sum(
        _product(_padded(buffer.sizes, values)) * buffer.lane * (_STAGES if buffer.is_ahead else 1)
        for buffer in buffers
    )


def _candidates(kernel: nt.KernelOp) -> Iterator[dict[str, int]]:
    """Every choice of powers of two inside the meta symbols' bounds, ascending."""
    metas = [decl for decl in kernel.declarations if decl.kind == "meta"]
    ranges: list[list[int]] = []
    for decl in metas:
        lower, upper = max(decl.lower or 1, 1), decl.upper or 1
        powers = [1 << bits for bits in range(upper.bit_length()) if lower <= 1 << bits <= upper]
        ranges.append(powers or [lower])
    for values in itertools.product(*ranges):
        yield {decl.name: value for decl, value in zip(metas, values, strict=True)}


def _warps(footprint: _Footprint) -> int:
    return 8 if max(footprint.largest, footprint.accumulator) >= _LARGE_BLOCK else 4


def _fits(footprint: _Footprint, warps: int) -> bool:
    registers = footprint.accumulator // (warps * _THREADS_PER_WARP)
    return (
        footprint.largest <= MAX_BLOCK
        and registers <= MAX_ACCUMULATOR_REGISTERS
        and footprint.shared <= _SHARED_BYTES
    )


def configurations(
    module: ModuleOp,
    signature: Signature,
    num_warps: Sequence[int] | None = None,
    num_stages: Sequence[int] | None = None,
    limit: int | None = None,
) -> list[Config]:
    """The configurations to try, the best guess first, at most ``limit`` (default and most: 24).

    ``num_warps`` and ``num_stages`` are what the user chose; None: 4 or 8 by size, and 3.

    Raises:
        ConfigurationError: no choice of block sizes keeps blocks and accumulators small enough, or
            a block that the user fixed is larger than any can be.
    """
    (kernel,) = module.body.ops
    assert isinstance(kernel, nt.KernelOp)
    shapes = _shapes(module)
    fixed = {**dict(signature.constants), **_extents(kernel, signature)}
    ranked: list[tuple[tuple[float, ...], dict[str, int], _Footprint]] = []
    smallest: tuple[int, dict[str, int]] | None = None
    for values in _candidates(kernel):
        footprint = _footprint(shapes, fixed | values)
        if smallest is None or footprint.largest < smallest[0]:
            smallest = (footprint.largest, values)
        if _fits(footprint, max(num_warps or [_warps(footprint)])):
            ranked.append((_rank(footprint), values, footprint))
    assert smallest is not None
    if not ranked:
        if smallest[1]:
            raise ConfigurationError(
                f"no choice of block sizes fits: the smallest, {smallest[1]}, has a block of "
                f"{smallest[0]} lanes, and at most {MAX_BLOCK} lanes and "
                f"{MAX_ACCUMULATOR_REGISTERS} registers of accumulator a thread can run; give "
                "block_size() a smaller lower_bound"
            )
        if smallest[0] > MAX_LANES:
            raise ConfigurationError(
                f"a block has {smallest[0]} lanes, and on a GPU at most {MAX_LANES} can be one "
                "block; tile it, and go through the tiles in a loop"
            )
        # Nothing to choose: what the user fixed is tried as it is.
        ranked.append(((0.0,), {}, _footprint(shapes, fixed)))
    ranked.sort(key=lambda row: row[0])
    chosen = _varied(ranked)
    result = [
        Config(tuple(values.items()), warps, stages)
        for values, footprint in chosen
        for warps in num_warps or [_warps(footprint)]
        for stages in num_stages or [_STAGES]
    ]
    return result[: min(LIMIT, limit or LIMIT)]


def largest_block(module: ModuleOp, signature: Signature, config: Config) -> int:
    """The lanes of the largest block in a configuration."""
    (kernel,) = module.body.ops
    assert isinstance(kernel, nt.KernelOp)
    fixed = {**dict(signature.constants), **_extents(kernel, signature)}
    return _footprint(_shapes(module), fixed | dict(config.values)).largest


def _rank(footprint: _Footprint) -> tuple[float, ...]:
    """What is sorted by: most reuse, then operand tiles near 32 KiB a stage; else a good block."""
    if footprint.reuse:
        return (-footprint.reuse, abs(footprint.shared / _STAGES - (32 << 10)))
    ratio = footprint.largest / _GOOD_BLOCK
    return (max(ratio, 1 / ratio),)


def _varied(
    ranked: Sequence[tuple[tuple[float, ...], dict[str, int], _Footprint]],
) -> list[tuple[dict[str, int], _Footprint]]:
    """The best few of each accumulator tile, so that small tiles are tried too."""
    seen: dict[tuple[tuple[int, ...], ...], int] = {}
    kept: list[tuple[dict[str, int], _Footprint]] = []
    for _, values, footprint in ranked:
        count = seen.get(footprint.tile, 0)
        seen[footprint.tile] = count + 1
        if not footprint.tile or count < _VARIANTS_OF_ONE_TILE:
            kept.append((values, footprint))
    return kept


def _extents(kernel: nt.KernelOp, signature: Signature) -> dict[str, int]:
    """Sizes that are blocks themselves, by their text, rounded up."""
    found = dict(signature.extents)
    for length, longest in kernel.longest.items():
        if str(longest) in found:
            found[length] = found[str(longest)]
    return found


def interpreted_values(module: ModuleOp, signature: Signature, lanes: int) -> dict[str, int]:
    """The block sizes for evaluation: those of the fewest programs whose blocks have at most
    ``lanes`` lanes.
    """
    (kernel,) = module.body.ops
    assert isinstance(kernel, nt.KernelOp)
    shapes = _shapes(module)
    fixed = {**dict(signature.constants), **_extents(kernel, signature)}
    best: tuple[int, dict[str, int]] | None = None
    smallest: tuple[int, dict[str, int]] | None = None
    for values in _candidates(kernel):
        largest = _footprint(shapes, fixed | values).largest
        if smallest is None or largest < smallest[0]:
            smallest = (largest, values)
        size = _product(values.values())
        if largest <= lanes and (best is None or size > best[0]):
            best = (size, values)
    chosen = best or smallest
    return {} if chosen is None else chosen[1]
