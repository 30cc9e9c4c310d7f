"""Which ``while`` loops are unrolled: those of whose variables a number is needed when compiling.

A ``while`` is a loop of the run time, whose variables are scalars. Where a shape, an index of a
tuple or the like needs one of them as a number, what it stands in fails. The loops that the scalars
of the failing expression come from are noted, and the application is built again with these loops
unrolled, so that their variables are Python's numbers.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from xdsl.dialects import arith, scf
from xdsl.ir import SSAValue

from ninetoothed.errors import Loc
from ninetoothed.frontend.context import Context
from ninetoothed.frontend.values import Size, Value, is_sequence, is_ssa
from ninetoothed.ir import nt

MOST_ITERATIONS = 1024
"""Iterations that a loop is unrolled to."""

_WITHOUT_VALUES = (ast.While, ast.Return, ast.FunctionDef)


def note_loops(ctx: Context, node: ast.expr | ast.stmt) -> None:
    """Note the loops of whose variables ``node``, which failed, may need the numbers: the innermost
    expression or statement around the error's place, which has all that the error can come from.
    """
    if ctx.noted:
        return
    ctx.noted = True
    for value in _values_read(ctx, node):
        for scalar in _scalars(value):
            ctx.wanted |= _loops(ctx, scalar, {}) or frozenset()


def _values_read(ctx: Context, node: ast.expr | ast.stmt) -> Iterator[Value]:
    """The values of the variables and of the calls in ``node``."""
    if isinstance(node, _WITHOUT_VALUES):
        return
    if isinstance(node, ast.If | ast.For):
        # The body's statements have noted theirs.
        node = node.test if isinstance(node, ast.If) else node.iter
    for item in ast.walk(node):
        if isinstance(item, ast.Call):
            yield ctx.returned.get(item)
        elif isinstance(item, ast.Name) and isinstance(item.ctx, ast.Load):
            yield _value(ctx, item.id)


def _value(ctx: Context, name: str) -> Value:
    """The value of a variable; None without one."""
    frame = ctx.frame.owner(name)
    while frame is not None and name in frame.lent:
        frame, name = frame.lent[name]
    return None if frame is None else frame.locals.get(name)


def is_known(value: Value) -> bool:
    """True for what is known when compiling: numbers and texts, and tuples of such."""
    if is_sequence(value):
        return all(map(is_known, value))
    return value is None or isinstance(value, bool | int | float | str | Size)


def _scalars(value: Value) -> Iterator[SSAValue]:
    if is_sequence(value):
        for item in value:
            yield from _scalars(item)
    elif is_ssa(value) and not nt.is_pointer(value.type) and not nt.shape_of(value.type):
        yield value


def _loops(
    ctx: Context, value: SSAValue, known: dict[SSAValue, frozenset[Loc] | None]
) -> frozenset[Loc] | None:
    """The loops whose unrolling makes a number of ``value``; None: nothing does."""
    if value not in known:
        known[value] = None
        operands = _operands(ctx, value)
        place = ctx.carried[value][:1] if value in ctx.carried else ()
        found = None if operands is None else frozenset(place)
        for operand in operands or ():
            more = _loops(ctx, operand, known)
            found = None if found is None or more is None else found | more
        known[value] = found
    return known[value]


def _operands(ctx: Context, value: SSAValue) -> Sequence[SSAValue] | None:
    """What a scalar is computed from; None: from what only a program knows."""
    op = value.owner
    if value in ctx.carried:
        return ctx.carried[value][1:]
    if isinstance(op, arith.ConstantOp):
        return ()
    if isinstance(op, nt.SizeOp):
        return () if ctx.is_known(op.expr.data) else None
    if isinstance(op, nt.ElementwiseOp | nt.CastOp):
        return op.operands
    if isinstance(op, scf.IfOp):
        index = op.results.index(value)
        ends = [region.block.last_op for region in op.regions]
        return (op.cond, *(end.operands[index] for end in ends if end is not None))
    return None
