"""The pictures of the page on arrangements: what stands here is what the page shows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ninetoothed import Tensor
from ninetoothed.visualization import visualize, visualize_arrangement


def blocks(x, y):
    return x.tile((4,)), y.tile((4,))


def rows(x, y):
    return x.tile((1, -1)), y.tile((1, -1))


def row_sums(x, y):
    return x.tile((1, -1)), y.tile((1,))[:, None]


def product(lhs, rhs, output):
    output = output.tile((2, 2))
    lhs = lhs.tile((2, 2)).tile((1, -1)).expand((-1, output.shape[1]))
    rhs = rhs.tile((2, 2)).tile((-1, 1)).expand((output.shape[0], -1))
    lhs.dtype = lhs.dtype.squeeze(0)
    rhs.dtype = rhs.dtype.squeeze(1)
    return lhs, rhs, output


def windows(x, y):
    return x.tile((3,), strides=(1,)), y.tile((1,))


def columns(x, y):
    return x.permute((1, 0)).tile((1, -1)), y.permute((1, 0)).tile((1, -1))


_SHAPES: dict[Callable[..., object], tuple[tuple[int, ...], ...]] = {
    blocks: ((14,), (14,)),
    rows: ((4, 6), (4, 6)),
    row_sums: ((4, 6), (4,)),
    product: ((4, 6), (6, 4), (4, 4)),
    windows: ((8,), (6,)),
    columns: ((3, 5), (3, 5)),
}
"""Arrangements, and the shapes of the tensors that they are drawn for."""


def draw(folder: Path) -> None:
    """Draw all of them into ``folder``, a file an arrangement."""
    folder.mkdir(exist_ok=True)
    visualize(Tensor(shape=(4, 6), name="x").tile((2, 3)), save_path=folder / "levels.svg")
    for arrangement, shapes in _SHAPES.items():
        tensors = tuple(Tensor(shape=shape) for shape in shapes)
        visualize_arrangement(arrangement, tensors, folder / f"{arrangement.__name__}.svg")
