"""Statements: assignments and stores, branches, assertions and returns."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import FunctionType

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, Region, SSAValue

from ninetoothed.definition.source import is_of_language
from ninetoothed.errors import (
    ShapeError,
    TypeMismatchError,
    UnsupportedSyntaxError,
    UnusedValueWarning,
    counted,
    warn,
)
from ninetoothed.frontend import element_access, operators
from ninetoothed.frontend.addressing import converted
from ninetoothed.frontend.bindings import Places, assigned, held, passed, shape_words
from ninetoothed.frontend.calls import call_statement
from ninetoothed.frontend.conditions import condition, tested, truth
from ninetoothed.frontend.context import Context
from ninetoothed.frontend.expressions import combined
from ninetoothed.frontend.inlining import is_function
from ninetoothed.frontend.subscripts import place
from ninetoothed.frontend.values import Value, View, describe, is_sequence, is_ssa
from ninetoothed.frontend.variables import claim
from ninetoothed.frontend.walk import STATEMENTS, Returned, call, evaluate, execute, unsupported
from ninetoothed.ir import nt
from ninetoothed.ir.effects import acts
from ninetoothed.ir.name_hints import hint
from ninetoothed.language.table import TABLE
from ninetoothed.layout.meta_op import shape_text


@STATEMENTS.register(ast.Pass)
def _pass(ctx: Context, node: ast.Pass) -> None:
    return None


@STATEMENTS.register(ast.Expr)
def _expression(ctx: Context, node: ast.Expr) -> None:
    if isinstance(node.value, ast.Constant):
        return
    last, printed, checks = ctx.block.last_op, len(ctx.printed), len(ctx.checks)
    if isinstance(node.value, ast.Call):
        value = call_statement(ctx, node.value)
    else:
        value = evaluate(ctx, node.value)
    op = first = ctx.block.first_op if last is None else last.next_op
    is_used = len(ctx.printed) > printed
    while op is not None:
        is_used = is_used or isinstance(op, nt.HintOp) or acts(op)
        op = op.next_op
    if value is None or is_used or _calls_users(ctx, node.value):
        return
    _drop(ctx, first)
    del ctx.checks[checks:]
    written = ""
    if isinstance(node.value, ast.Compare) and isinstance(node.value.ops[0], ast.Eq):
        left, right = (ast.unparse(item) for item in (node.value.left, node.value.comparators[0]))
        written = f"write `{left} = {right}` to store, or " if left in ctx.frame.parameters else ""
    warn(
        UnusedValueWarning(
            "this statement does nothing, for its value is unused; "
            f"{written or 'assign it, or '}leave it out",
            # The statement's own place: it is told once, whatever calls its function.
            ctx.loc and replace(ctx.loc, caller=None),
        )
    )


def _drop(ctx: Context, first: Operation | None) -> None:
    """Erase the ops from ``first`` to the end of the present block."""
    while first is not None and (last := ctx.block.last_op) is not None:
        last.detach()
        last.erase()
        if last is first:
            return


def _calls_users(ctx: Context, node: ast.expr) -> bool:
    """True for a call of a user's function, which may have effects for other arguments."""
    if not isinstance(node, ast.Call):
        return False
    with ctx.inside(Block()):
        callee = evaluate(ctx, node.func)
    ours = isinstance(callee, FunctionType) and is_of_language(callee)
    return is_function(callee) and not ours


@STATEMENTS.register(ast.Return)
def _return(ctx: Context, node: ast.Return) -> Returned:
    if ctx.conditional:
        raise UnsupportedSyntaxError(
            "`return` in a loop or under a condition that is known at run time only is not part "
            "of the language; assign to a variable and return it at the end"
        )
    value = None if node.value is None else evaluate(ctx, node.value)
    if len(ctx.frames) == 1 and value is not None:
        raise UnsupportedSyntaxError(
            "an application returns nothing; assign the value to an output parameter"
        )
    return Returned(value)


@STATEMENTS.register(ast.Assert)
def _assert(ctx: Context, node: ast.Assert) -> None:
    test = tested(ctx, node.test)
    message = "" if node.msg is None else evaluate(ctx, node.msg)
    if not isinstance(message, str):
        assert node.msg is not None
        with ctx.at(node.msg):
            raise TypeMismatchError(
                f"the text of an assert must be a string, not {describe(message)}"
            )
    if truth(ctx, test) is None:
        message = message or "the assertion does not hold"
        call(ctx, TABLE["device_assert"], [test, message], {})
    else:
        call(ctx, TABLE["static_assert"], [test, message], {})


@STATEMENTS.register(ast.Assign)
def _assign(ctx: Context, node: ast.Assign) -> None:
    value = evaluate(ctx, node.value)
    if len(node.targets) > 1:
        value = ctx.now(value)
    for target in node.targets:
        assign(ctx, target, value)


@STATEMENTS.register(ast.AnnAssign)
def _annotated(ctx: Context, node: ast.AnnAssign) -> None:
    if node.value is not None:
        assign(ctx, node.target, evaluate(ctx, node.value))


@STATEMENTS.register(ast.AugAssign)
def _augmented(ctx: Context, node: ast.AugAssign) -> None:
    def updated(before: Value) -> Value:
        return combined(ctx, node.op, before, evaluate(ctx, node.value))

    if isinstance(node.target, ast.Subscript):
        with ctx.at(node.target):
            found = place(ctx, evaluate(ctx, node.target.value), node.target.slice)
        if isinstance(found, element_access.Elements):
            element_access.write(ctx, found, updated(element_access.read(ctx, found)))
        else:
            store(ctx, found, updated(ctx.now(found)))
        return
    read = ast.copy_location(
        ast.Name(node.target.id, ast.Load())
        if isinstance(node.target, ast.Name)
        else ast.Attribute(node.target.value, node.target.attr, ast.Load()),
        node.target,
    )
    target = evaluate(ctx, read)
    value = updated(ctx.now(target))
    if isinstance(target, View):
        store(ctx, target, value)
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
            found = place(ctx, evaluate(ctx, target.value), target.slice)
            if isinstance(found, element_access.Elements):
                element_access.write(ctx, found, value)
            else:
                store(ctx, found, value)
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
    if name in frame.numbers:
        raise TypeMismatchError(_by_value(name))
    if name in frame.borrowed:
        owner, variable = frame.borrowed[name]
        caller, around = ctx.frames[-2].source.name, owner.source.name
        raise UnsupportedSyntaxError(
            f"{frame.source.name} assigns {name}, which names {variable}, a variable of {around} "
            f"and not of {caller}; give {caller} a parameter {variable}, and pass it"
        )
    if name in frame.lost:
        held = frame.locals[name]
        raise TypeMismatchError(
            f"{frame.source.node.name} returns a value and so changes no parameter, and what is "
            f"assigned to {name} is lost; let it return nothing, or this value, too"
            if isinstance(held, View) and not held.by_value
            else f"{name} is a value of the caller, where assigning it here changes nothing; pass "
            "an output parameter, or return the value"
        )
    if name in frame.parameters:
        view = frame.locals[name]
        assert isinstance(view, View)
        store(ctx, view, value)
        return
    claim(ctx, name, name)
    value = ctx.now(value)
    if is_ssa(value) and (value.name_hint is None or isinstance(value.owner, nt.LoadOp)):
        hint(value, name)
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
            f"{counted(len(targets), 'target')}; write as many"
        )
    values = [ctx.now(item) for item in value]
    for target, item in zip(targets, values, strict=True):
        assign(ctx, target, item)


def store(ctx: Context, view: View, value: Value) -> None:
    """Store ``value`` to a view: cast to its element type, broadcast to its shape.

    Raises:
        TypeMismatchError: the view has levels that are not indexed, or is a number.
        ShapeError: the shapes do not fit.
    """
    if not view.is_block:
        ctx.read(view)
    if view.by_value:
        raise TypeMismatchError(_by_value(view.name))
    block = view.levels[-1]
    scalar = converted(ctx, value, nt.dtype_of(block), "the assigned value")
    if len(nt.shape_of(scalar.type)) > len(block.sizes):
        raise ShapeError(
            f"{describe(scalar)} cannot be assigned to {view.name}, whose block has the shape "
            f"{shape_text(block.sizes)}; reduce it, as in ntl.sum(x, 0), or arrange {view.name} "
            "anew"
        )
    scalar = operators.broadcast_to(ctx, scalar, block.sizes)
    ctx.insert(nt.StoreOp(scalar, view.ref, view.indices))


def _by_value(name: str) -> str:
    return f"{name} is a number, which is passed by value and cannot be assigned; use another name"


@STATEMENTS.register(ast.If)
def _if(ctx: Context, node: ast.If) -> Returned | None:
    test = tested(ctx, node.test)
    known = truth(ctx, test)
    if known is not None:
        return execute(ctx, node.body if known else node.orelse)
    with ctx.at(node.test):
        bit = condition(ctx, test)
    frame = ctx.frame
    before, undefined = frame.locals, frame.undefined
    reasons = dict(undefined)
    branches: list[tuple[Block, dict[str, Value]]] = []
    places = assigned([*node.body, *node.orelse])
    for body in (node.body, node.orelse):
        block = Block()
        frame.locals, frame.undefined = dict(before), dict(undefined)
        with ctx.inside(block):
            execute(ctx, body)
        branches.append((block, frame.locals))
        places.update(passed(ctx, before, places))
        reasons.update(frame.undefined)
    frame.locals, frame.undefined = dict(before), reasons
    names = _merged(ctx, node, places, branches[0][1], branches[1][1])
    after = frame.locals
    yielded: list[list[SSAValue]] = []
    for block, values in branches:
        frame.locals = values
        with ctx.inside(block):
            yielded.append(held(ctx, names, places))
            ctx.insert(scf.YieldOp(*yielded[-1]))
    frame.locals = after
    for name, one, two in zip(names, *yielded, strict=True):
        with ctx.at(places[name]):
            if nt.shape_of(one.type) != nt.shape_of(two.type):
                raise ShapeError(
                    f"{name} is {shape_words(one)} in one branch and {shape_words(two)} in the "
                    "other; give both one shape, as in ntl.full(x.shape, 0, x.dtype)"
                )
            if one.type != two.type:
                raise TypeMismatchError(
                    f"{name} is {describe(one)} in one branch and {describe(two)} in the other; "
                    "convert one of them"
                )
    types = [result.type for result in yielded[0]]
    (then, _), (other, _) = branches
    op = scf.IfOp(bit, types, Region(then), Region(other))
    ctx.insert(op)
    for name, result in zip(names, op.results, strict=True):
        hint(result, name)
        frame.locals[name] = result
    for name in frame.locals:
        frame.undefined.pop(name, None)
    return None


def _merged(
    ctx: Context,
    node: ast.If,
    places: Places,
    one: Mapping[str, Value],
    two: Mapping[str, Value],
) -> list[str]:
    """The variables whose values differ after the branches, which the ``if`` yields; the frame is
    updated for those that do not differ, or are undefined in one branch.
    """
    names: list[str] = []
    frame = ctx.frame
    for name in places:
        if name in frame.parameters or (name not in one and name not in two):
            continue
        if name in one and name in two:
            if one[name] is two[name]:
                frame.locals[name] = one[name]
            else:
                names.append(name)
            continue
        if frame.locals.pop(name, None) is None:
            frame.undefined[name] = (
                f"is assigned in one branch of the `if` at line {node.lineno} only; assign it in "
                "both, or before"
            )
    return names
