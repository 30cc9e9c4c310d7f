"""Shares: which iterations of loops a part of a program has, of several that share them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerType, i1
from xdsl.ir import Operation, SSAValue

from ninetoothed.ir import nt
from ninetoothed.ir.rewriting import Inserter
from ninetoothed.passes.analysis.backward_slice import backward_slice
from ninetoothed.passes.analysis.scalars import known_scalar
from ninetoothed.symbolic.expr import IndexExpr, binary, const
from ninetoothed.symbolic.normal_form import normalize

Share = tuple[SSAValue, SSAValue]
"""The indices at which a part begins and ends."""


def _type(index: SSAValue) -> IntegerType:
    return cast("IntegerType", index.type)


def known_share(
    here: Inserter, loop: scf.ForOp, part: SSAValue, parts: int, count: IndexExpr
) -> Share:
    """The share of the part with a number, of ``count`` iterations, as the launch knows; of an empty
    loop that may be below 0.
    """
    type = _type(part)
    size = here.add(nt.SizeOp(nt.ExprAttr(normalize(binary("ceildiv", count, parts))), type))
    size.name_hint = "share"
    first = here.add(nt.ElementwiseOp("mul", [part, size], type))
    end = here.add(nt.ElementwiseOp("add", [first, size], type))
    return _at_iteration(here, loop, first, count), _at_iteration(here, loop, end, count)


def _at_iteration(
    here: Inserter, loop: scf.ForOp, iteration: SSAValue, number: IndexExpr
) -> SSAValue:
    """The index with which an iteration begins, of a ``number``; behind the last one, that of the
    next, or any that is behind it.
    """
    type, is_first = _type(iteration), known_scalar(loop.lb) == const(0)
    if is_first and known_scalar(loop.step) == const(1):
        return iteration
    count = here.add(nt.SizeOp(nt.ExprAttr(number), type))
    found = here.add(nt.ElementwiseOp("minimum", [iteration, count], type))
    if known_scalar(loop.step) != const(1):
        found = here.add(nt.ElementwiseOp("mul", [found, loop.step], type))
    if not is_first:
        found = here.add(nt.ElementwiseOp("add", [loop.lb, found], type))
    return found


def found_share(here: Inserter, loops: Sequence[scf.ForOp], part: SSAValue, parts: int) -> Share:
    """The same of loops whose end the program finds: parts differ by one iteration at most. What is
    in front of the first loop's begin is the first part's, and what is behind the last one's end the
    last part's, so that each loop has the iterations that it had, wherever it begins and ends.
    """
    type = _type(part)

    def of(name: str, *values: SSAValue) -> SSAValue:
        return here.add(nt.ElementwiseOp(name, list(values), type))

    def number(value: int) -> SSAValue:
        return here.add(nt.constant(nt.number(value, type)))

    for op in needed_for_end(loops):
        op.detach()
        here.insert(op)
    lower, all_parts = loops[0].lb, number(parts)
    count = of("maximum", of("sub", loops[-1].ub, lower), number(0))
    share, left = of("floordiv", count, all_parts), of("mod", count, all_parts)
    share.name_hint = "share"

    def begin(part: SSAValue) -> SSAValue:
        return of("add", lower, of("add", of("mul", part, share), of("minimum", part, left)))

    def unless(place: int, value: int, other: SSAValue) -> SSAValue:
        is_there = here.add(nt.ElementwiseOp("eq", [part, number(place)], i1))
        return of("where", is_there, number(value), other)

    most = (1 << (type.width.data - 1)) - 1
    next_part = of("add", part, number(1))
    return unless(0, -most - 1, begin(part)), unless(parts - 1, most, begin(next_part))


def needed_for_end(loops: Sequence[scf.ForOp]) -> list[Operation]:
    """The ops behind the first loop that compute where the last one ends, in their order."""
    block = loops[0].parent
    assert block is not None
    ops = list(block.ops)
    behind = ops[ops.index(loops[0]) : ops.index(loops[-1])]
    owners = {value.owner for value in backward_slice(loops[-1].ub)}
    return [op for op in behind if op in owners]
