"""Checks of loop-carried accumulators: lanes that only some iterations of a loop read.

A block that is accumulated over a loop is valid where every iteration read a value. Where the last
block of a tensor is not full, lanes that all other iterations have read would be left out with it:
nobody means that. So a reduction of such a block requires that the blocks are full, by a check of
the call where it can know, or else ``other``.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import scf
from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.traits import Pure

from ninetoothed.errors import ShapeError
from ninetoothed.ir import nt
from ninetoothed.ir.diagnostics import fail
from ninetoothed.layout.access import holds, index_names
from ninetoothed.layout.meta_op import Guard
from ninetoothed.passes.analysis.guards import Guards, carried, joined_positions
from ninetoothed.passes.analysis.loop_nests import Loop
from ninetoothed.passes.analysis.scalars import known_scalar
from ninetoothed.passes.analysis.value_numbering import ValueNumbering
from ninetoothed.symbolic.expr import (
    IndexExpr,
    binary,
    const,
    maximum,
    minimum,
    substitute,
    sym,
    symbol_names,
)
from ninetoothed.symbolic.intervals import Range
from ninetoothed.symbolic.normal_form import always_nonnegative, normalize

Read = nt.TileRead | nt.PointerLoadOp | nt.AtomicOp


def check_iterations(kernel: nt.KernelOp, guards: Guards, needed: frozenset[SSAValue]) -> None:
    """Add checks to the call that the blocks are full which loops accumulate in ``needed``, the
    values whose guards combine lanes.

    Raises:
        ShapeError: no call can know.
    """
    checks = dict.fromkeys(kernel.checks)
    for loop in kernel.apply.walk():
        if not isinstance(loop, Loop):
            continue
        # A single iteration leaves out the lanes that it has not read, and nothing else.
        several = minimum(maximum(_trip_count(loop) - 1, 0), 1)
        for op, reduced in _accumulated(loop, guards, needed):
            for check in _full(kernel, loop, op, reduced, several):
                checks[nt.CheckAttr(check)] = None
    kernel.checks = ArrayAttr(checks)


def _accumulated(
    loop: Loop, guards: Guards, needed: frozenset[SSAValue]
) -> list[tuple[Read, frozenset[int]]]:
    """The reads without ``other`` of the loop-carried values in ``needed``, each with the dims of
    which one lane is enough, since they are reduced.
    """
    none: frozenset[int] = frozenset()
    values = [carried(loop)[position] for position in joined_positions(loop, needed)]
    pending = [(end, none) for _, _, end in values]
    seen = {*pending, *((value, none) for _, inside, _ in values for value in inside)}
    found: dict[tuple[Read, frozenset[int]], None] = {}
    while pending:
        value, reduced = pending.pop()
        owner = value.owner
        if isinstance(owner, Read) and not guards.all_valid(value) and loop.is_ancestor(owner):
            found[owner, reduced] = None
        if isinstance(owner, nt.ReduceOp | nt.ReduceByOp):
            reduced = frozenset((owner.dim,))
        elif not isinstance(owner, nt.ElementwiseOp | nt.CastOp):
            # The dims may be others behind it.
            reduced = none
        origins = [(origin, reduced) for origin in guards.origins(value)]
        pending += [origin for origin in origins if origin not in seen]
        seen.update(origins)
    return list(found)


def _full(
    kernel: nt.KernelOp, loop: Loop, op: Read, reduced: frozenset[int], several: IndexExpr
) -> Iterator[nt.Check]:
    """Checks that ``op`` reads the same lanes in all iterations; ``several``: 0 if there is one."""
    if isinstance(op, nt.TileRead):
        for outside in _outside(kernel, loop, op, reduced):
            left = normalize(outside * several)
            message = f"{_message(kernel, op)}, or pass sizes that fill all blocks"
            if left.value != 0:
                yield nt.Check((left,), (const(0),), message)
    elif op.mask is not None and _varies(op.mask, loop):
        raise fail(
            op,
            "what is read under a mask is accumulated over a loop and then reduced, but where "
            "the mask is false it has no value; give it one, as in other=0",
            ShapeError,
        )


def _trip_count(loop: Operation) -> IndexExpr:
    """Trip count of a loop; two where that is not known."""
    if isinstance(loop, scf.ForOp):
        lower, upper, step = map(known_scalar, (loop.lb, loop.ub, loop.step))
        if lower is not None and upper is not None and step is not None and step.value:
            return normalize(binary("ceildiv", upper - lower, step))
    return const(2)


def _varies(value: SSAValue, loop: Operation) -> bool:
    """True if ``value`` may change from iteration to iteration."""
    pending, seen = [value], {value}
    while pending:
        value = pending.pop()
        owner = value.owner
        if owner is loop or not loop.is_ancestor(owner):
            continue
        if isinstance(owner, Block) or not owner.has_trait(Pure) or owner.regions:
            return True
        pending += [operand for operand in owner.operands if operand not in seen]
        seen.update(owner.operands)
    return False


def _outside(
    kernel: nt.KernelOp, loop: Operation, op: nt.TileRead, reduced: frozenset[int]
) -> Iterator[IndexExpr]:
    """How far lanes may lie out of bounds in some iteration: expressions that must be 0."""
    assert isinstance(op.ref, BlockArgument)
    _, attribute = nt.access_of(kernel.arranged.values[op.ref.index], kernel.assumptions)
    access = attribute.data
    numbers = ValueNumbering()
    rows = index_names(access.levels)
    between = [name for row in rows[1:-1] for name in row]
    given = dict(zip(between, op.indices, strict=True))
    values: dict[str, IndexExpr | int] = {
        name: numbers.expression(index) for name, index in given.items()
    }
    varying = {name for name, index in given.items() if _varies(index, loop)}
    ranges = dict(kernel.assumptions)
    moving: list[str] = []
    last = len(rows) - 1
    for level, (row, sizes) in enumerate(zip(rows, access.levels, strict=True)):
        for name, size in zip(row, sizes, strict=True):
            if level in (0, last):
                ranges[name] = Range(const(0), size - 1)
                moving.append(name)
    for name in symbol_names(*(substitute(sym(name), values) for name in between)):
        value = numbers.value_of(name)
        if value is not None:
            ranges[name] = _induction_range(value)
            moving.append(name)
    # Where lanes are reduced, one of them is enough.
    some = {name for dim, name in enumerate(rows[-1]) if dim in reduced}
    for guard in access.guards:
        if varying.isdisjoint(symbol_names(guard.index, guard.size)):
            continue
        put = Guard(
            normalize(substitute(guard.index, values)), normalize(substitute(guard.size, values))
        )
        if not holds(put, ranges):
            yield from _ends(kernel, op, put, ranges, moving, some)


def _induction_range(value: SSAValue) -> Range:
    """The range of an induction variable; of anything else, none."""
    loop = value.owner.parent_op() if isinstance(value.owner, Block) else None
    if not isinstance(loop, scf.ForOp) or value is not loop.body.block.args[0]:
        return Range()
    lower, upper = known_scalar(loop.lb), known_scalar(loop.ub)
    return Range(lower, None if upper is None else upper - 1)


def _ends(
    kernel: nt.KernelOp,
    op: nt.TileRead,
    guard: Guard,
    ranges: dict[str, Range],
    moving: list[str],
    some: set[str],
) -> Iterator[IndexExpr]:
    """How far the index may lie out of bounds, at either end: 0 where it does not. Along the
    variables in ``some`` the index that lies furthest inside counts.
    """
    own = [decl.name for decl in kernel.declarations if decl.kind in ("length", "start")]
    for top in (True, False):
        end: IndexExpr | None = guard.index
        for name in moving:
            end = None if end is None else _extreme(end, name, ranges, top != (name in some))
        room = None if end is None else normalize(guard.size - 1 - end if top else end)
        if room is not None and always_nonnegative(room, kernel.assumptions):
            continue
        if room is None or any(name in own for name in symbol_names(room)):
            raise fail(op, _message(kernel, op), ShapeError)
        yield normalize(minimum(room, 0))


def _extreme(expr: IndexExpr, name: str, ranges: dict[str, Range], top: bool) -> IndexExpr | None:
    """The maximum or minimum of ``expr`` over the range of ``name``."""
    if name not in symbol_names(expr):
        return expr
    step = normalize(substitute(expr, {name: sym(name) + 1}) - expr)
    grows = always_nonnegative(step, ranges)
    if not grows and not always_nonnegative(-step, ranges):
        return None
    range_ = ranges[name]
    end = range_.upper if grows == top else range_.lower
    return None if end is None else normalize(substitute(expr, {name: end}))


def _message(kernel: nt.KernelOp, op: nt.TileRead) -> str:
    assert isinstance(op.ref, BlockArgument)
    source = kernel.sources[op.ref.index]
    name, rank = source.param.data, len(source.sizes)
    return (
        f"{name} is accumulated over a loop, block by block, and then reduced, but where a block "
        "reaches beyond its end nothing is read; say what is read there, as in other=0 for a sum: "
        f"declare {name} as Tensor({rank}, other=0)"
    )
