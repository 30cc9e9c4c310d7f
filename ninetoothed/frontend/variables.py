"""Variables of the caller that parameters name, in calls that are statements.

While such a call runs, the variable's value is held by the parameter's name, in the frame of the
function that is called: branches and loops of that function merge and carry it as they do all
locals. After the call the caller's variable has it again.
"""

from __future__ import annotations

import ast
from collections.abc import Generator, Mapping
from contextlib import contextmanager

from ninetoothed.errors import ArgumentError
from ninetoothed.frontend.bindings import assigned
from ninetoothed.frontend.context import Context
from ninetoothed.frontend.frame import Frame
from ninetoothed.frontend.values import Value, Variable, View


def variable(ctx: Context, node: ast.expr, value: Value) -> Value:
    """An argument ``value``; where ``node`` is a plain variable that holds it, as such.

    Outputs are none: assigning the parameter stores to them.
    """
    if not isinstance(node, ast.Name) or (isinstance(value, View) and not value.by_value):
        return value
    owner = ctx.frame.owner(node.id)
    return value if owner is None else Variable(owner.slot(node.id), node, owner, value)


@contextmanager
def lent(ctx: Context, frame: Frame, named: Mapping[str, Variable]) -> Generator[None]:
    """Run the function of ``frame``, whose parameters name variables of the caller.

    Raises:
        ArgumentError: two parameters name one variable, and are assigned.
    """
    caller = ctx.frame
    slots: dict[str, str] = {}
    for variable in named.values():
        if variable.owner is caller and variable.name not in slots:
            slots[variable.name] = _slot(ctx, frame, named, variable)
    for parameter, variable in named.items():
        if variable.owner is not caller:
            frame.borrowed[parameter] = variable.owner, variable.name
    caller.lent.update({name: (frame, slot) for name, slot in slots.items()})
    ctx.frames.append(frame)
    try:
        yield
    finally:
        ctx.frames.pop()
        for name in slots:
            del caller.lent[name]
    for name, slot in slots.items():
        if slot not in frame.locals:
            del caller.locals[name]
            caller.undefined[name] = frame.undefined[slot]
        elif frame.locals[slot] is caller.locals[name]:
            continue
        else:
            caller.locals[name] = frame.locals[slot]
        parameter = frame.shared.get(slot) or slot
        caller.passed[name] = named[parameter].node
        with ctx.at(named[parameter].node):
            claim(ctx, name, named[parameter].node.id)


def _slot(ctx: Context, frame: Frame, named: Mapping[str, Variable], variable: Variable) -> str:
    """The parameter whose name holds the value of ``variable``: of several, the assigned one."""
    names = [
        parameter
        for parameter, other in named.items()
        if other.owner is variable.owner and other.name == variable.name
    ]
    if len(names) == 1:
        return names[0]
    written = [name for name in names if name in assigned(frame.source.node.body)]
    if len(written) > 1:
        with ctx.at(named[written[1]].node):
            raise _assigned_twice(frame, written[0], written[1])
    slot = written[0] if written else names[0]
    frame.shared[slot] = written[0] if written else None
    for name in names:
        if name != slot:
            del frame.locals[name]
            frame.lent[name] = frame, slot
    return slot


def claim(ctx: Context, slot: str, name: str) -> None:
    """Note that the local ``slot`` is assigned, as the parameter ``name``.

    Raises:
        ArgumentError: it was assigned as another parameter before.
    """
    frame = ctx.frame
    if slot not in frame.shared:
        return
    first = frame.shared[slot]
    if first is not None and first != name:
        raise _assigned_twice(frame, first, name)
    frame.shared[slot] = name


def _assigned_twice(frame: Frame, one: str, other: str) -> ArgumentError:
    return ArgumentError(
        f"{frame.source.name} assigns {one} and {other}, which are given one variable; copy it "
        "first, as in `y = x`, and pass both"
    )
