"""Rows of what moves lanes."""

from __future__ import annotations

import numpy as np

import ninetoothed.language as ntl
from ninetoothed import Tensor
from tests.rows.case import FINITE, NUMBERS, Array, Case, Layout, Values
from tests.rows.layouts import TILES


def _transposed(x: Tensor, *outputs: Tensor) -> tuple[Tensor, ...]:
    return x.tile((4, 6)).permute((1, 0)), *(output.tile((6, 4)) for output in outputs)


def _repeated(x: Tensor, *outputs: Tensor) -> tuple[Tensor, ...]:
    return x.tile((6,)).unsqueeze(1), *(output.tile((6, 5)) for output in outputs)


def _blocks(*tensors: Tensor) -> tuple[Tensor, ...]:
    return tuple(tensor.tile((6,)) for tensor in tensors)


TRANSPOSED = Layout(
    "transposed",
    _transposed,
    tuple(((m, n), (n, m), (n, m)) for m, n in ((9, 14), (1, 1), (3, 5), (0, 4))),
)
REPEATED = Layout("repeated", _repeated, tuple(((n,), (n, 5), (n, 5)) for n in (14, 3, 1)))
# Whole blocks only: what lies outside a tensor would come first.
BLOCKS = Layout("blocks", _blocks, (((12,),), ((6,),), ((0,),)))


def transpose(x, function, attribute):
    function = ntl.trans(x)
    attribute = x.T


def repeat(x, expanded, broadcast):
    expanded = ntl.broadcast_to(ntl.expand_dims(x, 1), (6, 5))
    broadcast = ntl.broadcast_to(x[:, None], expanded.shape)


def flip(x, backwards):
    backwards = ntl.flip(x)


def flip_rows(x, backwards):
    backwards = ntl.flip(x, 0)


def batches(*shapes: tuple[int, ...]) -> Layout:
    """A block of its own shape of each tensor a program, whatever number of programs."""

    def arrange(*tensors: Tensor) -> tuple[Tensor, ...]:
        arranged: list[Tensor] = []
        for tensor, shape in zip(tensors, shapes, strict=True):
            tiled = tensor.tile((1, *shape))
            tiled.dtype = tiled.dtype.squeeze(0)
            arranged.append(tiled.flatten())
        return tuple(arranged)

    return Layout("batches", arrange, tuple(tuple((n, *s) for s in shapes) for n in (3, 1, 0)))


def join(x, y, first, second, turns):
    first, second = ntl.split(ntl.join(x, y))
    turns = ntl.interleave(x, y)


def put_together(x, y, below, beside):
    left, right = ntl.broadcast(x, y)
    below = ntl.cat(left, right)
    beside = ntl.cat(left, right, dim=1)


def another_shape(x, reshaped, viewed, flat, lane):
    reshaped = ntl.reshape(x, 5, -1)
    viewed = x.view((2, 15))
    flat = ntl.ravel(x)
    lane = ntl.gather(ntl.ravel(x), ntl.full((1,), 7, ntl.int32), 0).item()


def other_dims(x, turned, more, fewer):
    turned = ntl.permute(x, (2, 0, 1))
    more = ntl.unsqueeze(x, 1)
    fewer = ntl.squeeze(ntl.unsqueeze(x, -1), 3)


def gather(x, across, down, picked, rows):
    picked = ntl.gather(x, across, 1)
    rows = x.gather(down, 0)


def _gather(x: Array, across: Array, down: Array) -> tuple[Array, Array]:
    return np.take_along_axis(x, across, 2), np.take_along_axis(x, down, 1)


def _repeat(x: Array) -> tuple[Array, Array]:
    return (np.repeat(x[:, None], 5, 1),) * 2


PAIRS = Layout(
    "pairs",
    lambda *tensors: (*(one.tile((6,)) for one in tensors[:-1]), tensors[-1].tile((12,))),
    tuple((*[(n,)] * 4, (2 * n,)) for n in (14, 6, 1, 0)),
)
TYPES = ("fp16", "bf16", "fp32", "fp64", "i8", "i32", "u64", "i1")

CASES = (
    Case(
        *("join split interleave", join),
        lambda x, y: (x, y, np.stack([x, y], -1).reshape(-1)),
        *((NUMBERS, NUMBERS), TYPES, (PAIRS,)),
    ),
    Case(
        *("cat broadcast", put_together),
        lambda x, y: (np.concatenate([x, y + 0 * x], 1), np.concatenate([x, y + 0 * x], 2)),
        (FINITE, FINITE),
        *(TYPES[:-1], (batches((3, 5), (1, 5), (6, 5), (3, 10)),)),
    ),
    Case(
        *("reshape view ravel item", another_shape),
        lambda x: (
            *(x.reshape(-1, 5, 6), x.reshape(-1, 2, 15), x.reshape(-1, 30)),
            x.reshape(-1, 30)[:, 7:8],
        ),
        *((NUMBERS,), TYPES, (batches((3, 5, 2), (5, 6), (2, 15), (30,), (1,)),)),
    ),
    Case(
        *("permute unsqueeze squeeze", other_dims),
        lambda x: (x.transpose(0, 3, 1, 2), x[:, :, None], x),
        *((NUMBERS,), TYPES, (batches((3, 5, 2), (2, 3, 5), (3, 1, 5, 2), (3, 5, 2)),)),
    ),
    Case(
        *("gather", gather, _gather),
        (
            NUMBERS,
            Values(0, 4, "i32", special=False),
            Values(0, 2, "i64", special=False),
        ),
        TYPES,
        layouts=(batches((3, 5), (3, 7), (7, 5), (3, 7), (7, 5)),),
    ),
    Case("trans", transpose, lambda x: (x.T, x.T), (NUMBERS,), TYPES, (TRANSPOSED,)),
    Case("expand_dims broadcast_to", repeat, _repeat, (NUMBERS,), TYPES, (REPEATED,)),
    Case(
        *("flip", flip, lambda x: x.reshape(-1, 6)[:, ::-1].reshape(-1), (NUMBERS,), TYPES),
        layouts=(BLOCKS,),
    ),
    Case(
        *("flip", flip_rows, lambda x: x.reshape(-1, 4, x.shape[1])[:, ::-1].reshape(x.shape)),
        dtypes=("fp32",),
        layouts=(Layout("tiles", TILES.arrange, (((8, 14),), ((4, 1),))),),
    ),
)
