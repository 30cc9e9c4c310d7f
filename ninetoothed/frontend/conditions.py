"""Conditions: comparisons, ``and`` and ``or``, ternaries, with Python's short-circuit evaluation.

Python evaluates the right side of ``and``, and the arms of a ternary, only where they are needed.
The value of ``and`` and ``or`` is one of their operands, of which a condition needs the truth only.
Cheap ops without effects are executed always, and selected; anything else becomes a branch.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import UnrealizedConversionCastOp
from xdsl.ir import Block, Operation, Region, SSAValue

from ninetoothed.dtype import DTYPES
from ninetoothed.errors import ShapeError, TypeMismatchError
from ninetoothed.frontend import dtypes, operators
from ninetoothed.frontend.context import Context
from ninetoothed.frontend.values import (
    ElementType,
    Size,
    Value,
    View,
    describe,
    is_sequence,
    is_ssa,
)
from ninetoothed.frontend.walk import EXPRESSIONS, evaluate
from ninetoothed.ir import nt

_CHEAP = (
    arith.ConstantOp,
    nt.SizeOp,
    nt.FullOp,
    nt.ArangeOp,
    nt.ElementwiseOp,
    nt.CastOp,
    nt.BroadcastOp,
    nt.ExpandDimsOp,
    nt.OffsetsOp,
    nt.PointerOp,
    nt.AddPtrOp,
    UnrealizedConversionCastOp,
)
"""Cheap ops without effects, which are executed speculatively."""
_DIVISIONS = ("floordiv", "mod")
"""Undefined for an integer divisor of 0, which a branch may rule out."""


def truth(ctx: Context, value: Value) -> bool | None:
    """The truth of ``value`` where it is known when compiling, else None."""
    value = ctx.known(value)
    return None if isinstance(value, SSAValue | View | Size) else bool(value)


def condition(ctx: Context, value: Value) -> SSAValue:
    """``value`` as one bit.

    Raises:
        ShapeError: it is a block of several lanes.
    """
    bit = ctx.scalar(value, "a condition")
    if nt.shape_of(bit.type):
        raise ShapeError(
            f"a condition must be one number, not {describe(bit)}; select lanes with ntl.where"
        )
    return operators.bits_of(ctx, bit)


@EXPRESSIONS.register(ast.BoolOp)
def _bool(ctx: Context, node: ast.BoolOp) -> Value:
    return _connected(ctx, isinstance(node.op, ast.And), node.values)


def _connected(ctx: Context, conjunction: bool, nodes: Sequence[ast.expr]) -> Value:
    first, *rest = nodes
    value = ctx.now(evaluate(ctx, first)) if rest else evaluate(ctx, first)
    known = truth(ctx, value)
    if not rest or known == (not conjunction):
        # Short-circuit: Python evaluates no further.
        return value
    if known is not None:
        return _connected(ctx, conjunction, rest)
    if _is_block(value):
        return _lanewise(ctx, conjunction, value, ctx.read(_connected(ctx, conjunction, rest)))
    bit = condition(ctx, value)
    block = Block()
    with ctx.inside(block):
        other: Value = ctx.read(_connected(ctx, conjunction, rest))
        lanes = _is_block(other)
        if not lanes and truth(ctx, other) is None:
            # A condition is one number.
            condition(ctx, other)
    if lanes:
        splice(ctx, block)
        return _lanewise(ctx, conjunction, value, other)
    if _is_bit(value) and _is_bit(other):
        return _both(ctx, conjunction, bit, block, other)
    if conjunction:
        return _chosen(ctx, bit, (block, other), (Block(), value))
    return _chosen(ctx, bit, (Block(), value), (block, other))


def _is_block(value: Value) -> bool:
    return is_ssa(value) and bool(nt.shape_of(value.type))


def _lanewise(ctx: Context, conjunction: bool, left: Value, right: Value) -> Value:
    """``left`` and, or else or, ``right``, of which at least one is a block: both are evaluated.

    Raises:
        TypeMismatchError: one holds no bits.
    """
    word = "and" if conjunction else "or"
    for value in (left, right):
        if not _is_bit(value):
            raise TypeMismatchError(
                f"`{word}` of blocks takes bits, not {describe(value)}; compare it, as in x != 0, "
                "or choose lanes with ntl.where"
            )
    return _joined(ctx, conjunction, left, right)


def _joined(ctx: Context, conjunction: bool, left: Value, right: Value) -> Value:
    """``left`` and, or else or, ``right``: bits, of which some are known when compiling."""
    for one, other in ((left, right), (right, left)):
        if isinstance(one, bool):
            return other if one == conjunction else one
    return operators.elementwise(ctx, "and" if conjunction else "or", [left, right])


def _is_bit(value: Value) -> bool:
    return isinstance(value, bool) or (is_ssa(value) and nt.dtype_of(value.type) == "i1")


def tested(ctx: Context, node: ast.expr) -> Value:
    """The value of an expression of which only the truth matters, which may be one bit.

    Raises:
        NineToothedError: it is wrong; with its place.
    """
    if not isinstance(node, ast.BoolOp):
        return evaluate(ctx, node)
    with ctx.at(node):
        return _tested(ctx, isinstance(node.op, ast.And), node.values)


def _tested(ctx: Context, conjunction: bool, nodes: Sequence[ast.expr]) -> Value:
    first, *rest = nodes
    value = tested(ctx, first)
    known = truth(ctx, value)
    if not rest or known == (not conjunction):
        return value
    if known is not None:
        return _tested(ctx, conjunction, rest)

    value = ctx.now(value)
    if _is_block(value):
        return _lanewise(ctx, conjunction, value, ctx.read(_tested(ctx, conjunction, rest)))

    def following() -> SSAValue | bool:
        other = ctx.now(_tested(ctx, conjunction, rest))
        if _is_block(other):
            return other
        known = truth(ctx, other)
        return condition(ctx, other) if known is None else known

    return _if_needed(ctx, conjunction, condition(ctx, value), following)


def _if_needed(
    ctx: Context,
    conjunction: bool,
    bits: SSAValue,
    following: Callable[[], SSAValue | bool],
) -> SSAValue | bool:
    """``bits`` and, or else or, what follows, which is executed where they do not decide."""
    block = Block()
    with ctx.inside(block):
        value = following()
    if _is_block(value):
        splice(ctx, block)
        return _lanewise(ctx, conjunction, bits, value)
    return _both(ctx, conjunction, bits, block, value)


def _both(
    ctx: Context, conjunction: bool, bits: SSAValue, block: Block, value: SSAValue | bool
) -> SSAValue | bool:
    """``bits`` and, or else or, the bits ``value``, which ``block`` computes."""
    if not _spliced(ctx, block, always=bool(nt.shape_of(bits.type))):
        return _branch(ctx, conjunction, bits, block, value)
    if isinstance(value, bool):
        return bits if value == conjunction else value
    return operators.elementwise(ctx, "and" if conjunction else "or", [bits, value])


def _branch(
    ctx: Context, conjunction: bool, bit: SSAValue, block: Block, value: SSAValue | bool
) -> SSAValue | bool:
    skipped = Block()
    with ctx.inside(skipped):
        known = ctx.constant(not conjunction, "i1")
        ctx.insert(scf.YieldOp(*(() if isinstance(value, bool) else (known,))))
    with ctx.inside(block):
        ctx.insert(scf.YieldOp(*(() if isinstance(value, bool) else (value,))))
    then, other = map(Region, (block, skipped) if conjunction else (skipped, block))
    op = scf.IfOp(bit, [] if isinstance(value, bool) else [value.type], then, other)
    ctx.insert(op)
    if isinstance(value, bool):
        return bit if value == conjunction else value
    return op.results[0]


@EXPRESSIONS.register(ast.Compare)
def _compare(ctx: Context, node: ast.Compare) -> Value:
    left = evaluate(ctx, node.left)
    return _chain(ctx, left, list(zip(node.ops, node.comparators, strict=True)))


def _chain(ctx: Context, left: Value, links: Sequence[tuple[ast.cmpop, ast.expr]]) -> Value:
    (op, item), *rest = links
    if not isinstance(op, ast.Is | ast.IsNot):
        left = ctx.now(left)
    right = evaluate(ctx, item)
    value = _comparison(ctx, op, left, right)
    if not rest or value is False:
        return value
    if value is True:
        return _chain(ctx, right, rest)
    right = ctx.now(right)
    return _if_needed(ctx, True, value, lambda: _chain(ctx, right, rest))


def _comparison(ctx: Context, op: ast.cmpop, left: Value, right: Value) -> Value:
    if isinstance(op, ast.Is | ast.IsNot):
        same = dtypes.is_same(left, right)
        if same is None:
            # Members of enumerations are their values here, and one object in Python.
            plain = isinstance(left, str | int | float) and type(left) is type(right)
            same = left is right or (plain and left == right)
        return same == isinstance(op, ast.Is)
    if isinstance(op, ast.In | ast.NotIn):
        if is_sequence(right) and not operators.is_runtime(left):
            found = _combined(ctx, False, (_equal(ctx, left, item) for item in right))
            return found if isinstance(op, ast.In) else negated(ctx, found)
        raise TypeMismatchError("`in` takes a tuple of values that are known when compiling")
    if isinstance(op, ast.Eq | ast.NotEq):
        if dtypes.is_same(left, right) is not None or (is_sequence(left) and is_sequence(right)):
            found = _equal(ctx, left, right)
            return found if isinstance(op, ast.Eq) else negated(ctx, found)
    elif isinstance(left, ElementType) or isinstance(right, ElementType):
        raise TypeMismatchError(
            "element types have no order; compare their widths, as in x.dtype.primitive_bitwidth"
        )
    return operators.apply(ctx, operators.COMPARE[type(op)], left, right)


def _equal(ctx: Context, left: Value, right: Value) -> Value:
    """``left == right``: of tuples, item by item; sizes in them may be known at run time only."""
    if is_sequence(left) and is_sequence(right):
        if type(left) is not type(right) or len(left) != len(right):
            return False
        pairs = zip(left, right, strict=True)
        return _combined(ctx, True, (_equal(ctx, one, two) for one, two in pairs))
    same = left is right if left is None or right is None else dtypes.is_same(left, right)
    return operators.apply(ctx, operators.COMPARE[ast.Eq], left, right) if same is None else same


def _combined(ctx: Context, conjunction: bool, values: Iterable[Value]) -> Value:
    """All of ``values``, or else any: bits, of which some are known when compiling."""
    result: Value = conjunction
    for value in values:
        result = _joined(ctx, conjunction, result, value)
    return result


def negated(ctx: Context, value: Value) -> Value:
    """``not value``, lane by lane."""
    known = truth(ctx, value)
    if known is not None:
        return not known
    return operators.elementwise(ctx, "eq", [value, False])


@EXPRESSIONS.register(ast.IfExp)
def _conditional(ctx: Context, node: ast.IfExp) -> Value:
    test = tested(ctx, node.test)
    known = truth(ctx, test)
    if known is not None:
        return evaluate(ctx, node.body if known else node.orelse)
    with ctx.at(node.test):
        bit = condition(ctx, test)
    arms: list[tuple[Block, Value]] = []
    for item in (node.body, node.orelse):
        block = Block()
        with ctx.inside(block):
            value = ctx.read(evaluate(ctx, item))
        if value is None:
            with ctx.at(item):
                raise TypeMismatchError(
                    "both sides of a conditional expression must be values, and this one gives "
                    "none; write an `if` statement"
                )
        arms.append((block, value))
    return _chosen(ctx, bit, *arms)


def _chosen(
    ctx: Context, bit: SSAValue, left: tuple[Block, Value], right: tuple[Block, Value]
) -> SSAValue:
    """``left`` where ``bit`` is set, else ``right``: values, each with the block of its ops."""
    blocks, arms = zip(left, right, strict=True)
    if _spliced(ctx, *blocks):
        return operators.elementwise(ctx, "where", [bit, *arms])
    scratch = Block()
    with ctx.inside(scratch):
        type = operators.elementwise(ctx, "where", [bit, *arms]).type
    scratch.drop_all_references()
    for block, value in zip(blocks, arms, strict=True):
        with ctx.inside(block):
            value = ctx.scalar(value) if isinstance(value, Size) else value
            scalar = operators.to_dtype(ctx, value, nt.dtype_of(type))
            ctx.insert(scf.YieldOp(operators.broadcast_to(ctx, scalar, nt.shape_of(type))))
    then, other = map(Region, blocks)
    return ctx.add(scf.IfOp(bit, [type], then, other))


def _spliced(ctx: Context, *blocks: Block, always: bool = False) -> bool:
    """Inline the blocks' ops here if all may be speculated, or ``always``; True if so."""
    if not always and not all(_is_speculatable(ctx, op) for block in blocks for op in block.ops):
        return False
    for block in blocks:
        splice(ctx, block)
    return True


def splice(ctx: Context, block: Block) -> None:
    """Move the block's ops to the insertion point."""
    for op in list(block.ops):
        op.detach()
        ctx.block.add_op(op)


def _is_speculatable(ctx: Context, op: Operation) -> bool:
    """True if ``op`` may be executed speculatively, where its result is not needed."""
    if isinstance(op, nt.LoadOp):
        return op.ref in ctx.numbers
    if isinstance(op, nt.ElementwiseOp) and op.function.data in _DIVISIONS:
        return DTYPES[nt.dtype_of(op.result.type)].kind == "float"
    return isinstance(op, _CHEAP)
