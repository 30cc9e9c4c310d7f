"""Variables at control-flow joins: the ends of branches and of loop bodies."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence

from xdsl.ir import SSAValue

from ninetoothed.definition.source import own_nodes
from ninetoothed.frontend.context import Context
from ninetoothed.frontend.values import Value
from ninetoothed.ir import nt
from ninetoothed.layout.meta_op import shape_text

Places = Mapping[str, ast.AST]
"""The last assignments of variables, in the order of their first ones."""


def assigned(body: Iterable[ast.stmt]) -> dict[str, ast.AST]:
    """The names that statements bind, each with the node that does so last."""
    found: dict[str, ast.AST] = {}
    for statement in body:
        for node in own_nodes([statement]):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found[node.id] = node
            elif isinstance(node, ast.FunctionDef):
                found[node.name] = node
    return found


def passed(ctx: Context, before: Mapping[str, Value], places: Places) -> Places:
    """The variables that had values ``before`` and have others now, beside ``places``: those that
    calls have assigned.
    """
    frame = ctx.frame
    return {
        name: frame.passed[name]
        for name, value in before.items()
        if name not in places and name in frame.passed and frame.locals.get(name) is not value
    }


def held(ctx: Context, names: Sequence[str], places: Places) -> list[SSAValue]:
    """The values of variables at the end of a branch or a loop body, which yields them.

    Raises:
        TypeMismatchError: one holds neither a number nor a block.
    """
    values: list[SSAValue] = []
    for name in names:
        with ctx.at(places[name]):
            values.append(ctx.computed(ctx.frame.locals[name], name))
    return values


def shape_words(value: SSAValue) -> str:
    """The shape of a value, for an error."""
    shape = nt.shape_of(value.type)
    return f"a block of shape {shape_text(shape)}" if shape else "a scalar"
