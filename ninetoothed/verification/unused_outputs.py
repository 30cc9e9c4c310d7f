"""Warnings of kernels that store nothing, and of assignments to what looks like an output."""

from __future__ import annotations

import ast
from collections.abc import Collection

from xdsl.dialects.builtin import ModuleOp

from ninetoothed.definition.definition import Definition
from ninetoothed.definition.source import own_nodes
from ninetoothed.errors import UnusedValueWarning, warn
from ninetoothed.ir.effects import acts
from ninetoothed.ir.nt import kernel_of

_CHECKS = ("print", "static_print", "static_assert")
"""Functions that act when compiling, and leave nothing in the module."""
_BRANCHES = (ast.If, ast.IfExp, ast.For, ast.While, ast.BoolOp)
_SHORTEST = 3
"""Length of names of which one letter is a mistake, and not another name."""


def warn_of_misspelt_outputs(definition: Definition) -> None:
    """Warn of variables that nothing reads, and that are called nearly as a parameter."""
    source = definition.application
    tensors = [item.name for item in definition.parameters if item.kind == "tensor"]
    read: set[str] = set()
    assigned: dict[str, ast.Name] = {}
    for node in ast.walk(source.node):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            read.add(node.id)
    for node in own_nodes(source.node.body):
        if isinstance(node, ast.For):
            # Its variable counts.
            read.update(item.id for item in ast.walk(node.target) if isinstance(item, ast.Name))
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            assigned.setdefault(node.id, node)
    for name, node in assigned.items():
        if name in read or name in source.parameters:
            continue
        meant = [tensor for tensor in tensors if _is_near(name, tensor)]
        if meant:
            warn(
                UnusedValueWarning(
                    f"{name} is assigned and never read; did you mean the parameter {meant[-1]}?",
                    source.place(node),
                )
            )


def _is_near(name: str, other: str) -> bool:
    """True if two names differ by case, or by one letter."""
    if name.lower() == other.lower():
        return True
    short, long = sorted((name, other), key=len)
    if len(short) < _SHORTEST or len(long) - len(short) > 1:
        return False
    pairs = zip(short, long, strict=False)
    same = next((i for i, (one, two) in enumerate(pairs) if one != two), len(short))
    return short[same + (len(short) == len(long)) :] == long[same + 1 :]


def warn_if_nothing_is_stored(definition: Definition, module: ModuleOp) -> None:
    """Warn of an application without effect, whatever its element types and constants."""
    source = definition.application
    if any(acts(op) for op in kernel_of(module).apply.block.ops) or _may_act(definition):
        return
    *_, last = [item.name for item in definition.parameters]
    warn(
        UnusedValueWarning(
            f"{source.name} stores nothing, so that its kernel has no effect; assign to a "
            f"parameter, as in `{last} = …`",
            source.place(source.node),
        )
    )


def _may_act(definition: Definition) -> bool:
    """True if it acts when compiling, or under a condition, which may be known then."""
    node = definition.application.node
    names = [item.name for item in definition.parameters]
    for inner in ast.walk(node):
        if isinstance(inner, ast.Assert):
            return True
        if isinstance(inner, ast.Call) and _called(inner) in _CHECKS:
            return True
    own = {*definition.application.local_names}
    branches = [
        inner
        for inner in own_nodes(node.body)
        if isinstance(inner, _BRANCHES) and _is_open(inner, own)
    ]
    return any(_is_effect(inner, names) for branch in branches for inner in ast.walk(branch))


def _is_open(branch: ast.AST, names: Collection[str]) -> bool:
    """True if a branch's condition depends on variables, so that other calls may take it."""
    match branch:
        case ast.If() | ast.IfExp() | ast.While():
            condition = branch.test
        case ast.For():
            condition = branch.iter
        case _:
            condition = branch
    found = (node.id for node in ast.walk(condition) if isinstance(node, ast.Name))
    return any(name in names for name in found)


def _called(node: ast.Call) -> str | None:
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else None


def _is_effect(node: ast.AST, names: list[str]) -> bool:
    if isinstance(node, ast.Name | ast.Subscript) and isinstance(node.ctx, ast.Store):
        return isinstance(node, ast.Subscript) or node.id in names
    return isinstance(node, ast.Call)
