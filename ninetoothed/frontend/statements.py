"""Statements: assignments (to an output, a store), loops, branches and returns."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from xdsl.dialects import scf
from xdsl.ir import Block, Region, SSAValue

from ninetoothed.errors import (
    ShapeError,
    TypeMismatchError,
    UnsupportedSyntaxError,
    counted,
)
from ninetoothed.frontend import memory, operators
from ninetoothed.frontend.context import Context
from ninetoothed.frontend.expressions import addressed, condition, index_share, truth
from ninetoothed.frontend.ranges import Counted, loop_range
from ninetoothed.frontend.values import Share, Size, Value, describe, is_sequence
from ninetoothed.frontend.walk import Returned, evaluate, execute, statement, unsupported
from ninetoothed.ir import nt
from ninetoothed.ir.meta_op import shape_text


@statement(ast.Pass)
def _pass(ctx: Context, node: ast.Pass) -> None:
    return None


@statement(ast.Expr)
def _expression(ctx: Context, node: ast.Expr) -> None:
    if not isinstance(node.value, ast.Constant):
        evaluate(ctx, node.value)


@statement(ast.Return)
def _return(ctx: Context, node: ast.Return) -> Returned:
    if ctx.conditional:
        raise UnsupportedSyntaxError(
            "`return` in a loop or under a condition that is known at run time only is not part "
            "of the "
            "language; assign to a variable and return it at the end"
        )
    value = None if node.value is None else evaluate(ctx, node.value)
    if len(ctx.frames) == 1 and value is not None:
        raise UnsupportedSyntaxError(
            "an application returns nothing; assign the value to an output parameter"
        )
    return Returned(value)


@statement(ast.Assign)
def _assign(ctx: Context, node: ast.Assign) -> None:
    value = evaluate(ctx, node.value)
    for target in node.targets:
        assign(ctx, target, value)


@statement(ast.AnnAssign)
def _annotated(ctx: Context, node: ast.AnnAssign) -> None:
    if node.value is not None:
        assign(ctx, node.target, evaluate(ctx, node.value))


@statement(ast.AugAssign)
def _augmented(ctx: Context, node: ast.AugAssign) -> None:
    entry = operators.BINARY.get(type(node.op))
    if entry is None:
        raise unsupported(node.op)
    if isinstance(node.target, ast.Subscript):
        source = addressed(evaluate(ctx, node.target.value))
        if source is not None:
            memory.update_source(ctx, source, node.target.slice, entry, node.value)
            return
    read = ast.copy_location(
        ast.Name(node.target.id, ast.Load())
        if isinstance(node.target, ast.Name)
        else ast.Subscript(node.target.value, node.target.slice, ast.Load())
        if isinstance(node.target, ast.Subscript)
        else ast.Attribute(node.target.value, node.target.attr, ast.Load()),
        node.target,
    )
    before = evaluate(ctx, read)
    value = operators.apply(ctx, entry, before, evaluate(ctx, node.value))
    if isinstance(before, Share):
        store(ctx, before, value)
    else:
        assign(ctx, node.target, value)


def assign(ctx: Context, target: ast.expr, value: Value) -> None:
    """Bind a local, or store to an output.

    Raises:
        UnsupportedSyntaxError: the target is neither.
        TypeMismatchError, ShapeError: the value does not fit the output, or the targets' number.
    """
    with ctx.at(target):
        if isinstance(target, ast.Name):
            _assign_name(ctx, target.id, value)
        elif isinstance(target, ast.Tuple | ast.List):
            _unpack(ctx, target.elts, value)
        elif isinstance(target, ast.Subscript):
            share = evaluate(ctx, target.value)
            source = addressed(share)
            if source is not None:
                memory.write_source(ctx, source, target.slice, value)
                return
            if not isinstance(share, Share):
                raise UnsupportedSyntaxError(
                    "only parameters are assigned by index; select lanes with ntl.where, or "
                    "write to an output"
                )
            store(ctx, index_share(ctx, share, target.slice), value)
        else:
            raise UnsupportedSyntaxError(
                "an assignment goes to a variable or to a parameter; attributes cannot be assigned"
            )


def _assign_name(ctx: Context, name: str, value: Value) -> None:
    frame = ctx.frame
    if name in frame.constants:
        raise TypeMismatchError(
            f"{name} is a parameter that is known when compiling and cannot be assigned; use "
            "another name"
        )
    if name in frame.parameters:
        share = frame.locals[name]
        assert isinstance(share, Share)
        store(ctx, share, value)
        return
    if isinstance(value, Share) and value.is_block:
        value = ctx.read(value)
    if isinstance(value, SSAValue) and (
        value.name_hint is None or isinstance(value.owner, nt.LoadOp)
    ):
        value.name_hint = name
    frame.locals[name] = value
    frame.undefined.pop(name, None)


def _unpack(ctx: Context, targets: Sequence[ast.expr], value: Value) -> None:
    for target in targets:
        if isinstance(target, ast.Starred):
            with ctx.at(target):
                raise unsupported(target)
    if not is_sequence(value):
        raise TypeMismatchError(f"{describe(value)} cannot be unpacked; only tuples can")
    if len(value) != len(targets):
        raise TypeMismatchError(
            f"{counted(len(value), 'value')} cannot be unpacked into "
            f"{counted(len(targets), 'target')}; "
            "write as many"
        )
    for target, item in zip(targets, value, strict=True):
        assign(ctx, target, item)


def store(ctx: Context, share: Share, value: Value) -> None:
    """Write ``value`` to a share: cast to its element type, broadcast to its shape.

    Raises:
        TypeMismatchError: the share has levels that are not indexed, or is a number.
        ShapeError: the shapes do not fit.
    """
    if not share.is_block:
        ctx.read(share)
    if share.by_value:
        raise TypeMismatchError(
            f"{share.name} is a number, which is passed by value and cannot be assigned; use "
            "another name"
        )
    block = share.levels[-1]
    dtype = nt.dtype_of(block)
    value = ctx.read(value)
    scalar = (
        ctx.constant(value, dtype)
        if isinstance(value, bool | int | float)
        else ctx.cast(ctx.scalar(value, "the assigned value"), dtype)
    )
    if len(nt.shape_of(scalar.type)) > len(block.sizes):
        raise ShapeError(
            f"{describe(scalar)} cannot be assigned to {share.name}, whose block has the shape "
            f"{shape_text(block.sizes)}; reduce it, as in ntl.sum(x, 0), or arrange {share.name} "
            "anew"
        )
    scalar = operators.broadcast_to(ctx, scalar, block.sizes)
    ctx.insert(nt.StoreOp(scalar, share.ref, share.indices))


def _assigned(body: Sequence[ast.stmt]) -> dict[str, ast.Name]:
    """The names that statements bind, with the places where they do."""
    found: dict[str, ast.Name] = {}
    for node in body:
        for child in ast.walk(node):
            if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store):
                found[child.id] = child
    return found


def _results(ctx: Context, names: Sequence[str], places: Mapping[str, ast.Name]) -> list[SSAValue]:
    """What the variables hold, to be handed on by a branch or a loop."""
    values: list[SSAValue] = []
    for name in names:
        with ctx.at(places[name]):
            values.append(ctx.computed(ctx.frame.locals[name], name))
    return values


@statement(ast.If)
def _if(ctx: Context, node: ast.If) -> Returned | None:
    test = evaluate(ctx, node.test)
    known = truth(ctx, test)
    if known is not None:
        return execute(ctx, node.body if known else node.orelse)
    with ctx.at(node.test):
        bit = condition(ctx, test)
    before = dict(ctx.frame.locals)
    branches: list[tuple[Block, dict[str, Value]]] = []
    for body in (node.body, node.orelse):
        block = Block()
        ctx.frame.locals = dict(before)
        with ctx.inside(block):
            execute(ctx, body)
        branches.append((block, ctx.frame.locals))
    ctx.frame.locals = before
    names = _merged(ctx, node, branches)
    places = _assigned([*node.body, *node.orelse])
    yielded: list[list[SSAValue]] = []
    for block, values in branches:
        ctx.frame.locals = values
        with ctx.inside(block):
            yielded.append(_results(ctx, names, places))
            ctx.insert(scf.YieldOp(*yielded[-1]))
    ctx.frame.locals = before
    for name, one, two in zip(names, *yielded, strict=True):
        with ctx.at(places[name]):
            if nt.shape_of(one.type) != nt.shape_of(two.type):
                raise ShapeError(
                    f"{name} is {_shape(one)} in one branch and {_shape(two)} in the other; give "
                    "both one "
                    "shape, as in ntl.full(x.shape, 0, x.dtype)"
                )
            if one.type != two.type:
                raise TypeMismatchError(
                    f"{name} is {describe(one)} in one branch and {describe(two)} in the other; "
                    "convert one "
                    "of them"
                )
    types = [result.type for result in yielded[0]]
    (then, _), (other, _) = branches
    op = scf.IfOp(bit, types, Region(then), Region(other))
    ctx.insert(op)
    for name, result in zip(names, op.results, strict=True):
        result.name_hint = name
        ctx.frame.locals[name] = result
    return None


def _merged(
    ctx: Context, node: ast.If, branches: list[tuple[Block, dict[str, Value]]]
) -> list[str]:
    """The variables that differ after the branches and have a value in both."""
    names: list[str] = []
    (_, one), (_, two) = branches
    for name in _assigned([*node.body, *node.orelse]):
        if name in ctx.frame.parameters:
            continue
        if name in one and name in two:
            if one[name] is not two[name]:
                names.append(name)
            continue
        if name in one or name in two:
            ctx.frame.undefined[name] = (
                f"is assigned in one branch of the `if` at line {node.lineno} only; assign it in "
                "both, "
                "or before"
            )
    return names


@statement(ast.For)
def _for(ctx: Context, node: ast.For) -> Returned | None:
    if node.orelse:
        raise UnsupportedSyntaxError(
            "`else` of a loop is not part of the language; write it after it"
        )
    if not isinstance(node.target, ast.Name):
        with ctx.at(node.target):
            raise UnsupportedSyntaxError("a loop has one variable; write `for i in range(n)`")
    with ctx.at(node.iter):
        loop = loop_range(ctx, node.iter)
    if isinstance(loop, range):
        return _unrolled(ctx, node, loop)
    frame = ctx.frame
    target = node.target.id
    places = _assigned(node.body)
    names = [
        name
        for name in places
        if name in frame.locals and name not in frame.parameters and name != target
    ]
    initial = [_initial(ctx, name, frame.locals[name], places[name]) for name in names]
    before = dict(frame.locals)
    undefined = dict(frame.undefined)
    block, final = _body(ctx, node, loop, names, initial)
    changed = [
        name for name, one, two in zip(names, initial, final, strict=True) if one.type != two.type
    ]
    if changed and all(_literal(before[name]) for name in changed):
        # A Python number takes the type that the loop gives it.
        frame.locals, frame.undefined = dict(before), undefined
        initial = [
            _retyped(ctx, name, before[name], one, two)
            for name, one, two in zip(names, initial, final, strict=True)
        ]
        block, final = _body(ctx, node, loop, names, initial)
    for name, one, two in zip(names, initial, final, strict=True):
        with ctx.at(places[name]):
            if nt.shape_of(one.type) != nt.shape_of(two.type):
                raise ShapeError(
                    f"{name} is {_shape(one)} before the loop and {_shape(two)} behind its body; "
                    "give it its "
                    "last shape before the loop, as in ntl.zeros(x.shape, x.dtype)"
                )
            if one.type != two.type:
                raise TypeMismatchError(
                    f"{name} changes its type in the loop, from {describe(one)} to "
                    f"{describe(two)}; give it "
                    "its last type before the loop"
                )
    op = scf.ForOp(loop.lower, loop.upper, loop.step, initial, Region(block))
    op.attributes.update(loop.hints)
    ctx.insert(op)
    frame.locals = before
    for name, result in zip(names, op.results, strict=True):
        result.name_hint = name
        frame.locals[name] = result
    for name in [target, *places]:
        if name not in frame.locals:
            frame.undefined[name] = (
                f"is assigned in the loop at line {node.lineno}, which may not run; assign it "
                "before the loop"
            )
    return None


def _unrolled(ctx: Context, node: ast.For, indices: range) -> Returned | None:
    """The body once an index, each a number known when compiling."""
    frame = ctx.frame
    assert isinstance(node.target, ast.Name)
    for index in indices:
        frame.locals[node.target.id] = index
        frame.undefined.pop(node.target.id, None)
        returned = execute(ctx, node.body)
        if returned is not None:
            return returned
    for name in [node.target.id, *_assigned(node.body)]:
        if name not in frame.locals:
            frame.undefined.setdefault(
                name,
                f"is assigned in the loop at line {node.lineno}, which does not run; assign it "
                "before the loop",
            )
    return None


def _shape(value: SSAValue) -> str:
    shape = nt.shape_of(value.type)
    return f"a block of shape {shape_text(shape)}" if shape else "a scalar"


def _literal(value: Value) -> bool:
    return isinstance(value, bool | int | float | Size)


def _initial(ctx: Context, name: str, value: Value, place: ast.Name) -> SSAValue:
    if not isinstance(value, SSAValue) and not _literal(value):
        with ctx.at(place):
            raise TypeMismatchError(
                f"{name} is {describe(value)} and cannot be assigned in a loop; use another name"
            )
    return ctx.computed(value, name)


def _retyped(ctx: Context, name: str, value: Value, one: SSAValue, two: SSAValue) -> SSAValue:
    if one.type == two.type or nt.shape_of(two.type):
        return one
    return operators.to_dtype(
        ctx, value if not isinstance(value, Size) else one, nt.dtype_of(two.type)
    )


def _body(
    ctx: Context, node: ast.For, loop: Counted, names: list[str], initial: list[SSAValue]
) -> tuple[Block, list[SSAValue]]:
    """The loop's block, and what its last statement leaves in the carried variables."""
    frame = ctx.frame
    assert isinstance(node.target, ast.Name)
    block = Block(arg_types=[loop.lower.type, *(value.type for value in initial)])
    for name, argument in zip(names, block.args[1:], strict=True):
        argument.name_hint = name
        frame.locals[name] = argument
    with ctx.inside(block):
        index = loop.index(ctx, block.args[0])
        index.name_hint = node.target.id
        frame.locals[node.target.id] = index
        execute(ctx, node.body)
        final = _results(ctx, names, _assigned(node.body))
        ctx.insert(scf.YieldOp(*final))
    return block, final
