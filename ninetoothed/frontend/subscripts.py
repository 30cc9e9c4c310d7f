"""Subscripts of parameters, of their sources, of tuples and of blocks."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from xdsl.ir import SSAValue

from ninetoothed.errors import ShapeError, TypeMismatchError, UnsupportedSyntaxError, counted
from ninetoothed.frontend import addressing, element_access, operators
from ninetoothed.frontend.context import Context
from ninetoothed.frontend.data_movement import index_number, picked, reshaped
from ninetoothed.frontend.values import Source, Value, View, describe, is_sequence, is_ssa
from ninetoothed.frontend.walk import EXPRESSIONS, evaluate, starred
from ninetoothed.ir import nt
from ninetoothed.layout.meta_op import shape_text
from ninetoothed.symbolic.expr import const, product
from ninetoothed.symbolic.normal_form import normalize


@EXPRESSIONS.register(ast.Subscript)
def _subscript(ctx: Context, node: ast.Subscript) -> Value:
    value = evaluate(ctx, node.value)
    if isinstance(value, tuple | list | str):
        return _index_tuple(ctx, value, node.slice)
    nodes = _nodes(ctx, node.slice)
    if isinstance(value, View) and any(map(_is_new_dim, nodes)):
        value = _below_empty(value)
        value = ctx.read(value) if value.is_block else value
    if isinstance(value, View | Source):
        found = _place(ctx, value, nodes)
        return (
            element_access.read(ctx, found) if isinstance(found, element_access.Elements) else found
        )
    if is_ssa(value):
        nodes = _expanded(nodes, len(nt.shape_of(value.type)))
        new_dims = all(_is_new_dim(item) or _is_whole(item) for item in nodes)
        return _new_dims(ctx, value, nodes) if new_dims else _lanes(ctx, value, nodes)
    raise TypeMismatchError(f"{describe(value)} cannot be indexed")


def place(ctx: Context, value: Value, index: ast.expr) -> View | element_access.Elements:
    """``value[index]`` in memory: a view with more levels indexed, or elements.

    Raises:
        UnsupportedSyntaxError: ``value`` is not in memory.
        ShapeError: a wrong number of indices.
        TypeMismatchError: an index that holds no integers.
    """
    return _place(ctx, value, _nodes(ctx, index))


def _place(ctx: Context, value: Value, nodes: list[ast.expr]) -> View | element_access.Elements:
    if isinstance(value, Source):
        return element_access.source_elements(ctx, value, _expanded(nodes, len(value.sizes)))
    if not isinstance(value, View):
        raise UnsupportedSyntaxError(
            "only parameters are assigned by index; select lanes with ntl.where, or "
            "write to an output"
        )
    source = addressing.unarranged(value)
    if source is not None:
        return element_access.source_elements(ctx, source, _expanded(nodes, len(source.sizes)))
    view = _below_empty(value)
    above = sum(len(level.sizes) for level in view.levels[:-1])
    if any(map(_is_ellipsis, nodes[:above])):
        # It stands for whole dims, of which levels have none.
        ctx.require_block(view)
    nodes = _expanded(nodes, above + len(view.levels[-1].sizes))
    while nodes and not view.is_block:
        view, nodes = _level(ctx, view, nodes)
        view = _below_empty(view)
    return view if all(map(_is_whole, nodes)) and _fits(view, nodes) else _block(ctx, view, nodes)


class _Evaluated(ast.expr):
    """An expression that was evaluated."""

    def __init__(self, value: Value, node: ast.expr) -> None:
        super().__init__()
        self.value = value
        ast.copy_location(self, node)


@EXPRESSIONS.register(_Evaluated)
def _evaluated(ctx: Context, node: _Evaluated) -> Value:
    return node.value


def _nodes(ctx: Context, index: ast.expr) -> list[ast.expr]:
    """The indices; of tuples, ``x[place]`` and ``x[*place, i]``, each element.

    Raises:
        TypeMismatchError: what is starred is no tuple.
    """
    if isinstance(index, ast.Tuple):
        found: list[ast.expr] = []
        for item in index.elts:
            if isinstance(item, ast.Starred):
                found += _each(starred(ctx, item, "write the indices one by one"), item)
            else:
                found.append(item)
        return found
    if isinstance(index, ast.Constant | ast.UnaryOp | ast.Slice):
        return [index]
    value = evaluate(ctx, index)
    # As in NumPy, a list is no tuple of indices.
    is_tuple = is_sequence(value) and not isinstance(value, list)
    return _each(value, index) if is_tuple else [_Evaluated(value, index)]


def _each(values: Sequence[Value], node: ast.expr) -> list[ast.expr]:
    return [
        ast.copy_location(ast.Constant(one), node)
        if one is None or one is ...
        else _Evaluated(one, node)
        for one in values
    ]


def _is_new_dim(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _is_whole(node: ast.expr) -> bool:
    """True for ``:``."""
    return isinstance(node, ast.Slice) and not (node.lower or node.upper or node.step)


def _is_ellipsis(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is ...


def _expanded(nodes: list[ast.expr], rank: int) -> list[ast.expr]:
    """Indices of ``rank`` dims with ``...`` written out: a ``:`` for each dim that no other index
    is for.

    Raises:
        ShapeError: there are several.
    """
    places = [place for place, node in enumerate(nodes) if _is_ellipsis(node)]
    if not places:
        return nodes
    if len(places) > 1:
        raise ShapeError(f"an index holds one `...`, not {len(places)}; write `:` for a whole dim")
    (place,) = places
    others = len(nodes) - 1 - sum(map(_is_new_dim, nodes))
    whole: ast.expr = ast.copy_location(ast.Slice(), nodes[place])
    return [*nodes[:place], *[whole] * max(rank - others, 0), *nodes[place + 1 :]]


def _below_empty(view: View) -> View:
    """The view below levels of shape ``()``, which have one element and take no index."""
    while not view.is_block and not view.levels[0].sizes:
        view = replace(view, depth=view.depth + 1)
    return view


def _fits(view: View, nodes: Sequence[ast.expr]) -> bool:
    return not nodes or len(nodes) == len(view.levels[0].sizes)


def _level(ctx: Context, view: View, nodes: list[ast.expr]) -> tuple[View, list[ast.expr]]:
    """The view with its outermost level indexed, and the remaining indices."""
    sizes = view.levels[0].sizes
    if len(nodes) < len(sizes):
        raise ShapeError(
            f"a level of {view.name} has {counted(len(sizes), 'dim')}, of sizes "
            f"{shape_text(sizes)}; give as many indices, not {len(nodes)}"
        )
    indices = list(view.indices)
    for node, size in zip(nodes[: len(sizes)], sizes, strict=True):
        with ctx.at(node):
            element_access.refuse_slice(node)
            found = evaluate(ctx, node)
            what = f"a level of {view.name}"
            element_access.require_written_inside(ctx, node, found, size, what)
            element_access.require_index_type(ctx, found, size, what)
            value = index_number(ctx, ctx.scalar(found, "an index"))
            if nt.shape_of(value.type) or not operators.is_integer(value):
                raise TypeMismatchError(f"an index must be one integer, not {describe(value)}")
        indices.append(value)
    rest = nodes[len(sizes) :]
    return replace(view, indices=tuple(indices), depth=view.depth + 1), rest


def _block(ctx: Context, view: View, nodes: Sequence[ast.expr]) -> element_access.Elements:
    """The elements of a view's block at coordinates."""
    sizes = view.levels[-1].sizes
    if view.by_value:
        raise ShapeError(f"{view.name} is a number and is not indexed; write {view.name}")
    if len(nodes) != len(sizes):
        raise ShapeError(
            f"the block of {view.name} has {counted(len(sizes), 'dim')}, of sizes "
            f"{shape_text(sizes)}; give as many indices, or `:` for a whole dim, not {len(nodes)}"
            if sizes
            else f"{view.name} is one element here and is not indexed; write {view.name}"
        )
    what = f"the block of {view.name}"
    values = [
        None if _is_whole(node) else element_access.coordinate(ctx, node, size, what)
        for node, size in zip(nodes, sizes, strict=True)
    ]
    return element_access.block_elements(ctx, view, values)


def _index_tuple(ctx: Context, value: Any, index: ast.expr) -> Value:
    if isinstance(index, ast.Slice):
        bounds = [
            None if part is None else ctx.known(evaluate(ctx, part))
            for part in (index.lower, index.upper, index.step)
        ]
        position: Any = slice(*bounds)
    else:
        position = ctx.known(evaluate(ctx, index))
    try:
        return value[position]
    except IndexError:
        raise ShapeError(
            f"index {position} is out of range for {describe(value)}; count from 0"
        ) from None
    except TypeError:
        raise TypeMismatchError(
            f"{describe(value)} is indexed by integers that are known when compiling"
        ) from None


def _new_dims(ctx: Context, block: SSAValue, nodes: Sequence[ast.expr]) -> SSAValue:
    """``x[:, None]``: dims of size 1 inserted; ``x[()]`` is the block."""
    if not nodes:
        return block
    added = [axis for axis, node in enumerate(nodes) if _is_new_dim(node)]
    rank, kept = len(nt.shape_of(block.type)), len(nodes) - len(added)
    if kept != rank:
        raise ShapeError(f"{kept} `:` for {describe(block)}; write one a dim, as in x[:, None]")
    for axis in added:
        block = ctx.add(nt.ExpandDimsOp(block, axis))
    return block


def _lanes(ctx: Context, block: SSAValue, nodes: Sequence[ast.expr]) -> SSAValue:
    """Lanes of a computed block: one along a dim, or of one dim a gather by a block of indices."""
    if any(map(_is_new_dim, nodes)):
        raise UnsupportedSyntaxError(
            "None stands beside : only, as in x[:, None]; pick lanes in a step of its own"
        )
    sizes = nt.shape_of(block.type)
    if len(nodes) != len(sizes):
        raise ShapeError(
            f"{describe(block)} has {counted(len(sizes), 'dim')}; give as many indices, or `:` for "
            f"a whole dim, not {len(nodes)}"
        )
    what = describe(block)
    indices = [
        None if _is_whole(node) else element_access.coordinate(ctx, node, size, what)
        for node, size in zip(nodes, sizes, strict=True)
    ]
    for axis in reversed(range(len(sizes))):
        index = indices[axis]
        if index is not None:
            block = _pick(ctx, block, axis, index)
    return block


def _pick(ctx: Context, block: SSAValue, axis: int, index: SSAValue | int) -> SSAValue:
    """The block without dim ``axis``, at the lane ``index``; of a block of one dim, also a gather
    by a block of indices.
    """
    sizes = nt.shape_of(block.type)
    if index == 0 and isinstance(op := block.owner, nt.OffsetsOp) and op.source_dim is not None:
        return _first_coordinate(ctx, op, axis)
    lanes = element_access.counted_from_0(ctx, index, sizes[axis])
    shape = nt.shape_of(lanes.type)
    if shape and len(sizes) > 1:
        raise UnsupportedSyntaxError(
            f"a block of indices picks lanes of a block of one dim, not of {describe(block)}; "
            "write ntl.gather(x, index, axis)"
        )
    if shape:
        count = normalize(product(shape))
        found = picked(ctx, block, reshaped(ctx, lanes, (count,), "an index"), 0)
        return reshaped(ctx, found, shape, "an index")
    lanes = ctx.full(lanes, (*sizes[:axis], const(1), *sizes[axis + 1 :]))
    found = picked(ctx, block, lanes, axis)
    return reshaped(ctx, found, (*sizes[:axis], *sizes[axis + 1 :]), "an index")


def _first_coordinate(ctx: Context, op: nt.OffsetsOp, axis: int) -> SSAValue:
    """The first coordinate along ``axis``, computed instead of gathered."""
    along = (*op.dims[:axis], *op.dims[axis + 1 :])
    return ctx.add(nt.OffsetsOp(op.ref, op.indices, op.source_dim, along, ctx.index_type))
