"""Figures: a scene that is laid out, as matplotlib's patches and texts.

The modules of this package import matplotlib only when something is drawn.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ninetoothed.errors import ArgumentError, ConfigurationError, DependencyError, any_of
from ninetoothed.pictures.scene import Scene
from ninetoothed.pictures.sheet import Element, Frame, Text, laid_out
from ninetoothed.pictures.tiles import Box

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

FORMATS = {".png": "png", ".svg": "svg"}
"""The formats of pictures, by the ending of a file's name."""

_TILE_EDGE = "#222222"
_TILE_FACES = ("#ffffff", "#ececec")
_ELEMENT_EDGE = "#555555"
_MARK = "#222222"
_HATCH = "////"


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
    sheet = laid_out(scene)
    figure.set_size_inches(sheet.width, sheet.height)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(0, sheet.width)
    axes.set_ylim(sheet.height, 0)
    for shape in sheet.shapes:
        _draw(axes, shape)


def _draw(axes: Axes, shape: Frame | Element | Text) -> None:
    from matplotlib.patches import Polygon

    match shape:
        case Frame(box, level, line):
            frame = _rectangle(box, _TILE_FACES[level % 2], _TILE_EDGE, line, f"tile {level}")
            axes.add_patch(frame)
        case Element(box, face, line):
            element = _rectangle(box, face.color, _ELEMENT_EDGE, line, "element")
            if face.outside:
                element.set_hatch(_HATCH)
            axes.add_patch(element)
            if face.marked:
                mark = Polygon(shape.mark, closed=True, color=_MARK, linewidth=0, label="mark")
                axes.add_patch(mark)
        case Text(text, x, y, size, None):
            axes.text(x, y, text, fontsize=size, ha="left", va="top", parse_math=False)
        case Text(text, x, y, size, on):
            color = _contrasting(on) if on else _TILE_EDGE
            axes.text(
                x, y, text, fontsize=size, ha="center", va="center", color=color, parse_math=False
            )


def _rectangle(box: Box, face: str, edge: str, line: float, label: str) -> Rectangle:
    from matplotlib.patches import Rectangle

    return Rectangle(
        (box.x, box.y),
        box.width,
        box.height,
        facecolor=face,
        edgecolor=edge,
        linewidth=line,
        label=label,
    )


def _contrasting(color: str) -> str:
    """Black, or white on dark colours; ``color`` is ``#rrggbb``."""
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return "#000000" if 0.299 * red + 0.587 * green + 0.114 * blue > 110 else "#ffffff"
