"""Figures: drawings with colours and labels, side by side, as matplotlib's patches and texts.

Everything is placed in inches, so that labels keep their size where elements must be small. The
modules of this package import matplotlib only when something is drawn.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ninetoothed.errors import ArgumentError, ConfigurationError, DependencyError, any_of
from ninetoothed.visualization.tiles import Box, Drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = {".png": "png", ".svg": "svg"}
"""The formats of pictures, by the ending of a file's name."""

_SIDE = 0.42
"""Side of an element, in inches, where the figure does not grow too large."""
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
_POINTS = 72.0
_ADVANCE = 0.62
"""Width of a character by the size of its font: a mean of matplotlib's own."""
_LINE = 1.8
"""Height of a line by the size of its font."""

_TILE_EDGE = "#222222"
_TILE_FACES = ("#ffffff", "#ececec")
_ELEMENT_EDGE = "#555555"
_MARK = "#222222"


@dataclass(frozen=True)
class Face:
    """How an element looks: its colour, its label, and a marked corner."""

    color: str
    label: str
    marked: bool = False


@dataclass(frozen=True)
class Panel:
    """A tensor's drawing, its title above it, and a face for each of its elements."""

    title: str
    drawing: Drawing
    faces: tuple[Face, ...]


@dataclass(frozen=True)
class Scene:
    """Everything in a picture: panels, and the lines above and below all of them."""

    heading: str
    panels: tuple[Panel, ...]
    caption: str


def check_installed(what: str) -> None:
    """Check that matplotlib can be imported, which the function ``what`` needs.

    Raises:
        DependencyError: it cannot.
    """
    try:
        importlib.import_module("matplotlib.figure")
    except ModuleNotFoundError:
        raise DependencyError(
            f"{what} draws with matplotlib, which is not installed; "
            "pip install ninetoothed[visualization]"
        ) from None


def check_path(path: Path) -> None:
    """Check the ending of a picture's name.

    Raises:
        ArgumentError: it is no format's.
    """
    if path.suffix.lower() not in FORMATS:
        raise ArgumentError(
            f"save_path is {str(path)!r}, whose ending is no format of pictures; write a name that "
            f"ends in {any_of(list(FORMATS))}"
        )


def color_of(color: object) -> str:
    """A colour of matplotlib as ``#rrggbb``.

    Raises:
        ArgumentError: it is none.
    """
    from matplotlib.colors import to_hex

    try:
        given: Any = color
        return to_hex(given)
    except (ValueError, TypeError):
        raise ArgumentError(
            f"{color!r} is no colour of matplotlib; write a name such as 'orange', or '#ffa500'"
        ) from None


def show_or_save(scene: Scene, path: Path | None) -> None:
    """Save the picture to ``path``, the same bytes for the same scene; without one, show it.

    Raises:
        ConfigurationError: the file cannot be written.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    # Texts stay texts in SVG; the salt makes its identifiers the same every time.
    settings: dict[Any, object] = {
        "svg.hashsalt": "ninetoothed",
        "svg.fonttype": "none",
        "text.usetex": False,
    }
    with mpl.rc_context(settings):
        if path is None:
            from matplotlib import pyplot

            draw(pyplot.figure(), scene)
            pyplot.show()
            return
        # A figure of its own, beside pyplot, saves where no window can be opened.
        figure = Figure()
        draw(figure, scene)
        kind = FORMATS[path.suffix.lower()]
        metadata = {"Date": None} if kind == "svg" else {}
        try:
            figure.savefig(path, format=kind, dpi=100, metadata=metadata)
        except OSError as error:
            raise ConfigurationError(
                f"{path} cannot be written ({error.strerror}); write save_path=… with a folder "
                "that exists"
            ) from None


def draw(figure: Figure, scene: Scene) -> None:
    """Draw ``scene`` on an empty figure, and give the figure its size."""
    side = _SIDE
    places, width, height = _rows(scene, side)
    largest = max(width, height)
    if largest > _LARGEST:
        side *= _LARGEST / largest
        places, width, height = _rows(scene, side)
    figure.set_size_inches(width, height)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(0, width)
    axes.set_ylim(height, 0)
    if scene.heading:
        _text(axes, scene.heading, _MARGIN, _MARGIN, _HEADING)
    for panel, (x, y) in zip(scene.panels, places, strict=True):
        _text(axes, panel.title, x, y, _TITLE)
        _panel(axes, panel, x, y + _line(_TITLE), side)
    _text(axes, scene.caption, _MARGIN, height - _MARGIN - _line(_CAPTION), _CAPTION)


def _line(points: float) -> float:
    return points * _LINE / _POINTS


def _width(text: str, points: float) -> float:
    return len(text) * points * _ADVANCE / _POINTS


def _rows(scene: Scene, side: float) -> tuple[list[tuple[float, float]], float, float]:
    """The corner of each panel, in rows, and the figure's extents."""
    sizes = [
        (
            max(panel.drawing.width * side, _width(panel.title, _TITLE)),
            panel.drawing.height * side + _line(_TITLE),
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


def _panel(axes: Axes, panel: Panel, x: float, y: float, side: float) -> None:
    """Draw tiles, outermost first, and the elements on top of them."""
    from matplotlib.patches import Polygon, Rectangle

    def scaled(box: Box) -> Box:
        return Box(x + box.x * side, y + box.y * side, box.width * side, box.height * side)

    for tile in panel.drawing.tiles:
        box = scaled(tile.box)
        index = ", ".join(map(str, tile.index))
        frame = Rectangle(
            (box.x, box.y),
            box.width,
            box.height,
            facecolor=_TILE_FACES[tile.level % 2],
            edgecolor=_TILE_EDGE,
            linewidth=max(1.6 - 0.5 * tile.level, 0.6),
            label=f"tile {tile.level}",
        )
        axes.add_patch(frame)
        _label(axes, index, Box(box.x, box.y, box.width, 0.75 * side), _TILE_EDGE)
    for place, face in zip(panel.drawing.elements, panel.faces, strict=True):
        box = scaled(place)
        element = Rectangle(
            (box.x, box.y),
            box.width,
            box.height,
            facecolor=face.color,
            edgecolor=_ELEMENT_EDGE,
            linewidth=min(0.6, 2 * side),
            label="element",
        )
        axes.add_patch(element)
        if face.marked:
            mark, right = side * 0.28, box.x + side
            corner = [(right - mark, box.y), (right, box.y), (right, box.y + mark)]
            axes.add_patch(Polygon(corner, closed=True, color=_MARK, linewidth=0, label="mark"))
        _label(axes, face.label, box, _contrasting(face.color))


def _label(axes: Axes, text: str, box: Box, color: str) -> None:
    """A text in the middle of a box, as large as fits."""
    if not text:
        return
    fitting = 0.9 * box.width * _POINTS / (_ADVANCE * len(text))
    size = min(_LABEL, fitting, 0.6 * box.height * _POINTS)
    if size >= _SMALLEST:
        middle = (box.x + box.width / 2, box.y + box.height / 2)
        axes.text(
            *middle, text, fontsize=size, ha="center", va="center", color=color, parse_math=False
        )


def _text(axes: Axes, text: str, x: float, y: float, points: float) -> None:
    axes.text(x, y, text, fontsize=points, ha="left", va="top", parse_math=False)


def _contrasting(color: str) -> str:
    """Black, or white on dark colours; ``color`` is ``#rrggbb``."""
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return "#000000" if 0.299 * red + 0.587 * green + 0.114 * blue > 110 else "#ffffff"
