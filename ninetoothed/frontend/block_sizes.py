"""Sizes of blocks that must be equal, where the compiler chooses them: equal for all choices."""

from __future__ import annotations

from collections.abc import Mapping

from ninetoothed.errors import ShapeError
from ninetoothed.frontend.context import Context
from ninetoothed.symbolic.choices import compared, with_values
from ninetoothed.symbolic.expr import IndexExpr, symbol_names


def require_equal(ctx: Context, one: IndexExpr, two: IndexExpr) -> None:
    """Check that two sizes of blocks are equal whatever the compiler chooses; sizes that it does
    not choose are left to the call.

    A block size on which the application is specialized has its value: the module is for no other.

    Raises:
        ShapeError: they differ for some choice, or no choice makes them equal for all calls.
    """
    chosen = [name for name in symbol_names(one, two) if name in ctx.choices]
    if not chosen:
        return
    fixed = {name: (ctx.blocks[name],) for name in chosen if name in ctx.specialized}
    found = compared(one, two, {**ctx.choices, **fixed})
    if found.are_equal:
        return
    why = (
        f"and no choice of {' and '.join(chosen)} makes them so in every call"
        if found.differ is None
        else f"and {_example(one, two, found.differ)}"
    )
    raise ShapeError(
        f"the sizes {one} and {two} must be equal whatever block sizes are chosen, {why}; give "
        "both one size, as by one block_size() symbol or by x.shape, or set their dims apart, as "
        "in x[:, None]"
    )


def _example(one: IndexExpr, two: IndexExpr, values: Mapping[str, int]) -> str:
    shown = " and ".join(f"{name} = {value}" for name, value in values.items())
    try:
        left, right = with_values(one, two, values)
    except ZeroDivisionError:
        return f"one divides by zero with {shown}"
    return f"are {left} and {right} with {shown}"
