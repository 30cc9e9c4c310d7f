"""Arrangements by NumPy: what is outside at a border, and what is beyond an end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ninetoothed.layout.chain import Chain
from ninetoothed.layout.meta_op import MetaOp
from ninetoothed.layout.meta_ops import (
    Expand,
    Flatten,
    Pad,
    Permute,
    Ravel,
    Slice,
    Squeeze,
    Tile,
    Unsqueeze,
)
from ninetoothed.symbolic.expr import IndexExpr, evaluate
from ninetoothed.symbolic.normal_form import normalize
from ninetoothed.testing.random_arrangements import Model

_BORDER = -2
"""In the place of -1: what is outside lies in padding, or in a window over a border."""


def bordered(chain: Chain, shape: Sequence[int], env: Mapping[str, int]) -> Model:
    """The offsets of an arrangement, those outside told apart."""
    model = Model.of(shape)
    for op in chain.ops:
        # What a former operation left outside is told from what this one does.
        inside = replace(model, offsets=model.offsets - _BORDER)
        model = _applied(inside, op, env)
        outside = np.where(_at_border(inside, op, env), _BORDER, -1)
        offsets = np.where(model.offsets == -1, outside, model.offsets + _BORDER)
        model = replace(model, offsets=offsets)
    return model


def _at_border(model: Model, op: MetaOp, env: Mapping[str, int]) -> npt.NDArray[np.bool_]:
    """Where what an operation leaves outside lies in padding or in a window, and beyond the end of
    no dim whose blocks are no windows.
    """
    if not isinstance(op, Tile):
        return np.array(isinstance(op, Pad))
    first, rank = model.axis(op.level), model.ranks[op.level]
    sizes, strides, dilation = (_numbers(row, env) for row in (op.sizes, op.strides, op.dilation))
    found = np.ones([1] * (model.offsets.ndim + rank), np.bool_)
    for dim, n in enumerate(model.sizes(op.level)):
        if normalize(op.strides[dim]) != normalize(op.sizes[dim]):
            continue
        line = Model.of((n,)).tile(0, [sizes[dim]], [strides[dim]], [dilation[dim]], op.floor_mode)
        others = {*range(found.ndim)} - {first + dim, first + rank + dim}
        found = found & np.expand_dims(line.offsets != -1, tuple(sorted(others)))
    return found


def _numbers(sizes: Sequence[IndexExpr], env: Mapping[str, int]) -> list[int]:
    return [evaluate(size, env) for size in sizes]


def _applied(model: Model, op: MetaOp, env: Mapping[str, int]) -> Model:
    level = op.level
    match op:
        case Tile():
            sizes, strides, dilation = (
                _numbers(row, env) for row in (op.sizes, op.strides, op.dilation)
            )
            return model.tile(level, sizes, strides, dilation, op.floor_mode)
        case Expand():
            return model.expand(level, _numbers(op.sizes, env))
        case Squeeze():
            return model.squeeze(level, op.dims)
        case Unsqueeze():
            return model.unsqueeze(level, op.dim)
        case Permute():
            return model.permute(level, op.dims)
        case Flatten():
            return model.flatten(level, op.start, op.end)
        case Ravel():
            return model.ravel(level)
        case Pad():
            pairs = zip(_numbers(op.left, env), _numbers(op.right, env), strict=True)
            return model.pad(level, [*pairs])
        case Slice():
            starts, steps, sizes = (_numbers(row, env) for row in (op.starts, op.steps, op.sizes))
            offsets = model.offsets
            for dim, (start, step, size) in enumerate(zip(starts, steps, sizes, strict=True)):
                places = start + step * np.arange(max(size, 0))
                offsets = offsets.take(places, model.axis(level) + dim)
            return replace(model, offsets=offsets)
        case _:
            raise NotImplementedError(op)
