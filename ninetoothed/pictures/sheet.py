"""Layout of a scene: its panels side by side, as rectangles and texts with their places.

Places are in inches, so that labels keep their size where elements must be small; sizes of texts
and widths of lines are in points.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ninetoothed.pictures.scene import Face, Panel, Scene
from ninetoothed.pictures.tiles import Box

POINTS = 72.0
"""Points of an inch."""

_SIDE = 0.42
"""Side of an element, in inches, where the sheet does not grow too large."""
_LARGEST = 60.0
"""Most inches of what is drawn along each axis; at 100 dots an inch, fewer than Agg can hold."""
_ROW = 16.0
"""Inches of a row of panels, where one panel is not wider by itself."""
_MARGIN = 0.25
_PANEL_GAP = 0.4
_TITLE, _HEADING, _CAPTION, _LABEL = 10.0, 12.0, 8.0, 8.0
"""Sizes of texts, in points."""
_SMALLEST = 1.5
"""A label that would have fewer points is left out."""
_ADVANCE = 0.62
"""Width of a character by the size of its font: a mean of matplotlib's own."""
_LINE = 1.8
"""Height of a line by the size of its font."""


@dataclass(frozen=True)
class Frame:
    """The frame of a tile of ``level``, and the width of its line."""

    box: Box
    level: int
    line: float


@dataclass(frozen=True)
class Element:
    """The square of an element, and the width of its line."""

    box: Box
    face: Face
    line: float

    @property
    def mark(self) -> tuple[tuple[float, float], ...]:
        """The corner that is marked, as a triangle."""
        right, top, side = self.box.x + self.box.width, self.box.y, self.box.width * 0.28
        return ((right - side, top), (right, top), (right, top + side))


@dataclass(frozen=True)
class Text:
    """A text that begins at a place, its top there; or ``on`` what has a colour, its middle there.

    ``on``: the colour of an element; ``""`` of a frame; None: of the page.
    """

    text: str
    x: float
    y: float
    size: float
    on: str | None = None


@dataclass(frozen=True)
class Sheet:
    """A scene laid out: what is drawn, in order; later things lie on top."""

    width: float
    height: float
    shapes: tuple[Frame | Element | Text, ...]


def laid_out(scene: Scene) -> Sheet:
    """Lay out a scene."""
    side = _SIDE
    places, width, height = _rows(scene, side)
    largest = max(width, height)
    if largest > _LARGEST:
        side *= _LARGEST / largest
        places, width, height = _rows(scene, side)
    shapes: list[Frame | Element | Text] = []
    if scene.heading:
        shapes.append(Text(scene.heading, _MARGIN, _MARGIN, _HEADING))
    for panel, (x, y) in zip(scene.panels, places, strict=True):
        shapes.append(Text(panel.title, x, y, _TITLE))
        shapes += _panel(panel, x, y + _line(_TITLE), side)
    shapes.append(Text(scene.caption, _MARGIN, height - _MARGIN - _line(_CAPTION), _CAPTION))
    return Sheet(width, height, tuple(shapes))


def _line(points: float) -> float:
    return points * _LINE / POINTS


def _width(text: str, points: float) -> float:
    return len(text) * points * _ADVANCE / POINTS


def _rows(scene: Scene, side: float) -> tuple[list[tuple[float, float]], float, float]:
    """The corner of each panel, in rows, and the sheet's extents."""
    sizes = [
        (
            max(
                panel.drawing.width * side,
                _width(panel.title, _TITLE),
                *(_width(note, _CAPTION) for note in panel.notes),
            ),
            panel.drawing.height * side + _line(_TITLE) + len(panel.notes) * _line(_CAPTION),
        )
        for panel in scene.panels
    ]
    places: list[tuple[float, float]] = []
    x, y = _MARGIN, _MARGIN + (_line(_HEADING) if scene.heading else 0.0)
    right = max(_width(scene.heading, _HEADING), _width(scene.caption, _CAPTION)) + _MARGIN
    below = y
    for width, height in sizes:
        if x > _MARGIN and x + width > _ROW:
            x, y = _MARGIN, below + _PANEL_GAP
        places.append((x, y))
        right, below = max(right, x + width), max(below, y + height)
        x += width + _PANEL_GAP
    return places, right + _MARGIN, below + 0.15 + _line(_CAPTION) + _MARGIN


def _panel(panel: Panel, x: float, y: float, side: float) -> Iterator[Frame | Element | Text]:
    """Tiles, outermost first, the elements on top of them, and the notes below."""

    def scaled(box: Box) -> Box:
        return Box(x + box.x * side, y + box.y * side, box.width * side, box.height * side)

    for tile in panel.drawing.tiles:
        box = scaled(tile.box)
        yield Frame(box, tile.level, max(1.6 - 0.5 * tile.level, 0.6))
        head = Box(box.x, box.y, box.width, 0.75 * side)
        yield from _label(panel.label(tile.level, tile.index), head, "")
    for place, face in zip(panel.drawing.elements, panel.faces, strict=True):
        box = scaled(place)
        yield Element(box, face, min(0.6, 2 * side))
        yield from _label(face.label, box, face.color)
    below = y + panel.drawing.height * side + 0.05
    for number, note in enumerate(panel.notes):
        yield Text(note, x, below + number * _line(_CAPTION), _CAPTION)


def _label(text: str, box: Box, on: str) -> Iterator[Text]:
    """A text in the middle of a box, as large as fits."""
    if not text:
        return
    fitting = 0.9 * box.width * POINTS / (_ADVANCE * len(text))
    size = min(_LABEL, fitting, 0.6 * box.height * POINTS)
    if size >= _SMALLEST:
        yield Text(text, box.x + box.width / 2, box.y + box.height / 2, size, on)
