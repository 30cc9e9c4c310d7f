"""Geometry of nested levels: where each element and each tile lies in a drawing.

A drawing's unit is the side of an element; x grows to the right and y down. The last dim of a level
runs to the right, the one before it down, the one before that to the right again, as panels of two
dims, and so on outwards. An element of a level above the last is a tile: a frame around the level
below, with room for its index above.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

_PAD = 0.2
"""Between a frame and what it surrounds."""
_HEAD = 0.55
"""Above what a frame surrounds, for its index."""
_GAP = 0.25
"""Between two frames."""
_PANEL_GAP = 0.75
"""Between two panels of two dims; panels of panels are further apart."""
_ROW = 40.0
"""A level of one dim that is longer continues below."""
_ROW_GAP = 0.4
"""Between these rows, which are no dim."""


@dataclass(frozen=True)
class Box:
    """A rectangle: its upper left corner and its size."""

    x: float
    y: float
    width: float
    height: float

    def moved(self, x: float, y: float) -> Box:
        """The box, further to the right and down."""
        return Box(self.x + x, self.y + y, self.width, self.height)


@dataclass(frozen=True)
class Tile:
    """A frame: an element of ``level``, outermost 0, at ``index`` of it."""

    box: Box
    level: int
    index: tuple[int, ...]


@dataclass(frozen=True)
class Drawing:
    """All tiles, outermost first, and the boxes of all elements, row-major over all levels.

    ``wrapped``: a level continues in rows below.
    """

    width: float
    height: float
    tiles: tuple[Tile, ...]
    elements: tuple[Box, ...]
    wrapped: bool = False


@dataclass(frozen=True)
class _Grid:
    """Every index of a level with the corner of its element, row-major."""

    width: float
    height: float
    places: tuple[tuple[tuple[int, ...], float, float], ...]
    wrapped: bool


def nested(levels: Sequence[Sequence[int]]) -> Drawing:
    """Lay out a tensor of these levels, outermost first."""
    sizes, below = levels[0], levels[1:]
    if not below:
        grid = _grid(sizes, 1.0, 1.0, 0.0)
        elements = tuple(Box(x, y, 1.0, 1.0) for _, x, y in grid.places)
        return Drawing(grid.width, grid.height, (), elements, grid.wrapped)
    inner = nested(below)
    tile_width, tile_height = inner.width + 2 * _PAD, inner.height + 2 * _PAD + _HEAD
    # Tiles of tiles are further apart than tiles of elements.
    grid = _grid(sizes, tile_width, tile_height, _GAP * len(below))
    frames: list[Tile] = []
    inside: list[Tile] = []
    boxes: list[Box] = []
    for index, x, y in grid.places:
        frames.append(Tile(Box(x, y, tile_width, tile_height), 0, index))
        left, top = x + _PAD, y + _PAD + _HEAD
        inside += [
            Tile(tile.box.moved(left, top), tile.level + 1, tile.index) for tile in inner.tiles
        ]
        boxes += [box.moved(left, top) for box in inner.elements]
    wrapped = grid.wrapped or inner.wrapped
    return Drawing(grid.width, grid.height, (*frames, *inside), tuple(boxes), wrapped)


def _grid(sizes: Sequence[int], width: float, height: float, gap: float) -> _Grid:
    """Lay out a level whose elements have the extents ``width`` and ``height``."""
    if len(sizes) == 1 and sizes[0] * (width + gap) - gap > _ROW:
        return _wrapped(sizes[0], width, height, gap)
    extents = [width, height]
    steps: list[tuple[float, float]] = []
    for position, size in enumerate(reversed(sizes)):
        axis = position % 2
        step = extents[axis] + gap + _PANEL_GAP * (position // 2)
        steps.insert(0, (0.0, step) if axis else (step, 0.0))
        extents[axis] = (size - 1) * step + extents[axis] if size else 0.0
    places: list[tuple[tuple[int, ...], float, float]] = []
    for index in itertools.product(*(range(size) for size in sizes)):
        moves = [(i * dx, i * dy) for i, (dx, dy) in zip(index, steps, strict=True)]
        places.append((index, sum(x for x, _ in moves), sum(y for _, y in moves)))
    return _Grid(extents[0], extents[1], tuple(places), False)


def _wrapped(size: int, width: float, height: float, gap: float) -> _Grid:
    """Lay out a long level of one dim, in rows of a power of two."""
    across, down = width + gap, height + gap + _ROW_GAP
    # Of very long ones, wider than it is high.
    room = max(_ROW, 1.6 * math.sqrt(size * across * down))
    row = 1 << (max(int((room + gap) / across), 1).bit_length() - 1)
    places = tuple(((i,), i % row * across, i // row * down) for i in range(size))
    rows = -(-size // row)
    return _Grid(min(row, size) * across - gap, rows * down - gap - _ROW_GAP, places, rows > 1)
