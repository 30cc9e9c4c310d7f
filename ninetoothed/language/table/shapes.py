"""Rows of what moves lanes."""

from __future__ import annotations

from ninetoothed.language.table.primitive import Primitive

_SIZES = "The sizes are given one by one or as a tuple."

ROWS = (
    Primitive(
        "reshape",
        "reshape",
        ("input", "*shape", "can_reorder=False"),
        "The lanes in row-major order, in another shape of as many. " + _SIZES + " One of them may "
        "be -1, which is what is left; no size, of a block of one lane, is a scalar. Lanes keep "
        "their order, also with ``can_reorder``.",
        triton="tl.reshape({0}, {shape})",
    ),
    Primitive(
        "view",
        "reshape",
        ("input", "*shape"),
        "The lanes in row-major order, in another shape of as many, as ``reshape``. " + _SIZES,
        triton="tl.reshape({0}, {shape})",
    ),
    Primitive(
        "permute",
        "permute",
        ("input", "*dims"),
        "The dims in another order: dim ``i`` of the result is dim ``dims[i]`` of ``input``.",
        triton="tl.permute({0}, {dims})",
    ),
    Primitive(
        "trans",
        "permute",
        ("input", "*dims"),
        "The dims in another order, as ``permute``; without ``dims`` the last two swapped, as "
        "``x.T``.",
        triton="tl.trans({0}, {dims})",
    ),
    Primitive(
        "expand_dims",
        "expand_dims",
        ("input", "axis"),
        "Dims of size 1 inserted, so that they are at ``axis``, one number or a tuple, of the "
        "result.",
        triton="tl.expand_dims({0}, {axis})",
    ),
    Primitive(
        "unsqueeze",
        "unsqueeze",
        ("x", "dim"),
        "A dim of size 1 inserted, so that it is at ``dim`` of the result.",
        triton="tl.expand_dims({0}, {dim})",
    ),
    Primitive(
        "squeeze",
        "squeeze",
        ("x", "dim"),
        "The block without ``dim``, which has size 1.",
        triton="tl.reshape({0}, {shape})",
    ),
    Primitive(
        "broadcast_to",
        "broadcast_to",
        ("input", "*shape"),
        "Dims of size 1 repeated to a shape. " + _SIZES,
        triton="tl.broadcast_to({0}, {shape})",
    ),
    Primitive(
        "broadcast",
        "broadcast",
        ("input", "other"),
        "A tuple of both blocks, with dims of size 1 repeated so that they have one shape.",
        triton="tl.broadcast({0}, {1})",
    ),
    Primitive(
        "join",
        "join",
        ("a", "b"),
        "Two blocks, broadcast, beside one another along a new last dim of size 2: of shapes (4, "
        "8), one of shape (4, 8, 2); of two scalars, a block of shape (2,).",
        triton="tl.join({0}, {1})",
    ),
    Primitive(
        "cat",
        "cat",
        ("input", "other", "can_reorder=False", "dim=0"),
        "Two blocks of one shape, one behind the other along ``dim``. Lanes keep their order, also "
        "with ``can_reorder``.",
        triton="tl.cat({0}, {1}, dim={dim})",
    ),
    Primitive(
        "split",
        "split",
        ("a",),
        "A tuple of the two halves of a block whose last dim has size 2: the inverse of ``join``.",
        triton="tl.split({0})",
    ),
    Primitive(
        "flip",
        "flip",
        ("x", "dim=None"),
        "The lanes along ``dim``, or along the last dim, in reverse order. Blocks of any size.",
        triton="tl.flip({0}, {dim})",
    ),
    Primitive(
        "gather",
        "gather",
        ("src", "index", "axis"),
        "Lanes of ``src`` picked along ``axis``: with axis 0 of two dims, ``src[index[i, j], j]``. "
        "``index`` holds integers and has the shape of ``src``, but for ``axis``. A lane whose "
        "index is below 0 or not below the size has no specified value.",
        triton="tl.gather({0}, {1}, axis={axis})",
    ),
)
