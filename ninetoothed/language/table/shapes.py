"""Rows of shape manipulation."""

from __future__ import annotations

from ninetoothed.language.table.kinds import NO_AXIS, NO_BROADCAST, SHAPES, TYPES, Kind
from ninetoothed.language.table.primitive import Primitive

_ONE_TYPE = f"{TYPES}the element types differ."

RESHAPE = Kind(
    "reshape",
    "``shape`` holds as many lanes.",
    (f"{SHAPES}it holds more or fewer lanes, or a size is not known when compiling.",),
    "Any.",
    "ntl.{name}(x, 4, 4)",
)
PERMUTE = Kind(
    "permute",
    "The sizes go with the dims.",
    (f"{SHAPES}a dim does not exist, or is not named once.",),
    "Any.",
    "ntl.{name}(a, 1, 0)",
)
EXPAND_DIMS = Kind("expand_dims", "One dim of size 1 more for each axis.", (NO_AXIS,), "Any.")
UNSQUEEZE = Kind("unsqueeze", "One dim of size 1 more.", (NO_AXIS,), "Any.")
SQUEEZE = Kind(
    "squeeze",
    "One dim of size 1 fewer.",
    (f"{SHAPES}there is no such dim, or it has another size.",),
    "Any.",
    "ntl.{name}(x[None, :], 0)",
)
BROADCAST_TO = Kind(
    "broadcast_to",
    "``shape``, to which the block broadcasts.",
    (f"{SHAPES}it does not, or a size is not known when compiling.",),
    "Any.",
    "ntl.{name}(x, (4, 16))",
)
BROADCAST = Kind(
    "broadcast",
    "Those that broadcast; both results have the one shape.",
    (NO_BROADCAST,),
    "Any.",
    "ntl.{name}(x[:, None], y[None, :])",
)
JOIN = Kind(
    "join", "Those that broadcast; a last dim of size 2 more.", (_ONE_TYPE, NO_BROADCAST), "Any."
)
CAT = Kind(
    "cat",
    "Two of one shape; ``dim`` becomes twice as large.",
    (_ONE_TYPE, f"{SHAPES}the shapes differ."),
    "Any.",
)
SPLIT = Kind(
    "split",
    "A last dim of size 2, which the results do not have.",
    (f"{SHAPES}the last dim has another size.",),
    "Any.",
    "ntl.{name}(ntl.join(x, y))",
)
FLIP = Kind("flip", "Any but a scalar; the result has the same.", (NO_AXIS,), "Any.")
GATHER = Kind(
    "gather",
    "Two that are alike but for ``axis``; the result has the shape of ``index``.",
    (f"{TYPES}``index`` holds no integers.", f"{SHAPES}the others of the sizes differ."),
    "Any; ``index`` holds integers.",
    "ntl.{name}(x, i, 0)",
)

_SIZES = "The sizes are given one by one or as a tuple."

ROWS = (
    Primitive(
        "reshape",
        RESHAPE,
        ("input", "*shape", "can_reorder=False"),
        "Reshape in row-major order. "
        + _SIZES
        + " One of them may be -1, which is inferred; none, "
        "for a block of one lane, gives a scalar. Lanes keep their order, also with "
        "``can_reorder``.",
        triton="tl.reshape({0}, {shape})",
    ),
    Primitive(
        "view",
        RESHAPE,
        ("input", "*shape"),
        "Reshape in row-major order, as ``reshape``. " + _SIZES,
        triton="tl.reshape({0}, {shape})",
    ),
    Primitive(
        "permute",
        PERMUTE,
        ("input", "*dims"),
        "Permute dims: dim ``i`` of the result is dim ``dims[i]`` of ``input``.",
        triton="tl.permute({0}, {dims})",
    ),
    Primitive(
        "trans",
        PERMUTE,
        ("input", "*dims"),
        "Transpose: permute dims as ``permute``; without ``dims`` the last two, as ``x.T``.",
        triton="tl.trans({0}, {dims})",
    ),
    Primitive(
        "expand_dims",
        EXPAND_DIMS,
        ("input", "axis"),
        "Insert dims of size 1, which are at ``axis``, one number or a tuple, of the result.",
        triton="tl.expand_dims({0}, {axis})",
    ),
    Primitive(
        "unsqueeze",
        UNSQUEEZE,
        ("x", "dim"),
        "Insert a dim of size 1, which is at ``dim`` of the result.",
        triton="tl.expand_dims({0}, {dim})",
    ),
    Primitive(
        "squeeze",
        SQUEEZE,
        ("x", "dim"),
        "Remove ``dim``, which has size 1.",
        triton="tl.reshape({0}, {shape})",
    ),
    Primitive(
        "broadcast_to",
        BROADCAST_TO,
        ("input", "*shape"),
        "Broadcast to a shape. " + _SIZES,
        triton="tl.broadcast_to({0}, {shape})",
    ),
    Primitive(
        "broadcast",
        BROADCAST,
        ("input", "other"),
        "Broadcast two blocks to one shape; a tuple of both.",
        triton="tl.broadcast({0}, {1})",
    ),
    Primitive(
        "join",
        JOIN,
        ("a", "b"),
        "Join two blocks, broadcast, along a new last dim of size 2: of shapes (4, 8), one of "
        "shape (4, 8, 2); of two scalars, a block of shape (2,).",
        triton="tl.join({0}, {1})",
    ),
    Primitive(
        "cat",
        CAT,
        ("input", "other", "can_reorder=False", "dim=0"),
        "Concatenate two blocks of one shape along ``dim``. Lanes keep their order, also with "
        "``can_reorder``.",
        triton="tl.cat({0}, {1}, dim={dim})",
    ),
    Primitive(
        "split",
        SPLIT,
        ("a",),
        "Split a block along its last dim, of size 2, into two: the inverse of ``join``.",
        triton="tl.split({0})",
    ),
    Primitive(
        "flip",
        FLIP,
        ("x", "dim=None"),
        "Reverse the lanes along ``dim``, by default the last. Blocks of any size.",
        triton="tl.flip({0}, {dim})",
    ),
    Primitive(
        "gather",
        GATHER,
        ("src", "index", "axis"),
        "Gather lanes of ``src`` along ``axis``: with axis 0 of two dims, ``src[index[i, j], j]``. "
        "``index`` holds integers and has the shape of ``src``, but for ``axis``. The value for an "
        "index out of bounds is unspecified.",
        triton="tl.gather({0}, {1}, axis={axis})",
    ),
)
