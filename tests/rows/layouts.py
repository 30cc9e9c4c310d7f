"""Arrangements that several topics share, with the shapes that they are tried with."""

from __future__ import annotations

from ninetoothed import Tensor
from tests.rows.case import MANY, Layout

SIZES = (MANY, 0, 1, 3, 5)


def _whole(*tensors: Tensor) -> tuple[Tensor, ...]:
    return tuple(tensor.tile((-1,) * tensor.ndim) for tensor in tensors)


def _rows(x: Tensor, *outputs: Tensor) -> tuple[Tensor, ...]:
    return x.tile((2, -1)).squeeze(1), *(output.tile((2,)) for output in outputs)


def _columns(x: Tensor, *outputs: Tensor) -> tuple[Tensor, ...]:
    return x.tile((-1, 2)), *(output.tile((1, 2)) for output in outputs)


def _totals(x: Tensor, *outputs: Tensor) -> tuple[Tensor, ...]:
    return x.tile((3, -1)), *(output.tile((1,)).unsqueeze(1) for output in outputs)


def _tiles(*tensors: Tensor) -> tuple[Tensor, ...]:
    return tuple(tensor.tile((4, 6)) for tensor in tensors)


def _pairs(*tensors: Tensor) -> tuple[Tensor, ...]:
    return tuple(tensor.tile((2, -1)) for tensor in tensors)


def _stripes(*tensors: Tensor) -> tuple[Tensor, ...]:
    return tuple(tensor.tile((-1, 2)) for tensor in tensors)


ROWS_TO_ROWS = Layout("pairs", _pairs, tuple(((5, n),) for n in (MANY, 1, 3)))
"""Two rows a program, and so for the outputs."""


COLUMNS_TO_COLUMNS = Layout("stripes", _stripes, tuple(((n, 5),) for n in (MANY, 1, 3)))
"""Two columns a program, and so for the outputs."""


def along_rows(outputs: int) -> Layout:
    """Two rows a program, one number a row comes out."""
    return Layout("rows", _rows, tuple(((5, n), *((5,),) * outputs) for n in SIZES))


def along_columns(outputs: int) -> Layout:
    """Two columns a program, one number a column comes out, its dim kept."""
    return Layout("columns", _columns, tuple(((n, 5), *((1, 5),) * outputs) for n in SIZES))


def of_all(outputs: int) -> Layout:
    """Three rows a program, one number a program comes out."""
    calls = tuple(((6, n), *((2,),) * outputs) for n in SIZES[:1] + SIZES[2:])
    return Layout("totals", _totals, (*calls, ((5, 3), *((2,),) * outputs)))


TILES = Layout("tiles", _tiles, tuple(((shape,)) for shape in ((9, 14), (1, 1), (3, 5), (0, 4))))
"""Blocks of 4 by 6, which are padded to 4 by 8."""
