"""Pictures of tensors and arrangements of concrete sizes.

    visualize(Tensor(shape=(4, 8), name="x").tile((2, 2)), save_path="x.svg")
    visualize_arrangement(arrangement, (Tensor(shape=(16,)), Tensor(shape=(16,))), "programs.png")

``pip install ninetoothed[visualization]`` installs what this package needs beside NineToothed:
matplotlib. A picture is saved without a window system.
"""

from __future__ import annotations

import colorsys
import itertools
import math
import operator
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import cast

from ninetoothed.definition.simulation import Simulation, check_concrete, level_sizes, simulate
from ninetoothed.errors import ArgumentError, ArrangementError, counted, user_facing
from ninetoothed.layout.meta_op import shape_text
from ninetoothed.tensor import Tensor
from ninetoothed.visualization.figure import (
    Face,
    Panel,
    Scene,
    check_installed,
    check_path,
    color_of,
    show_or_save,
)
from ninetoothed.visualization.tiles import Drawing, nested

MOST_ELEMENTS = 4096
"""Most elements, and most tiles, of a picture."""
_MOST_SEEN = 1 << 20
"""Most elements that all programs together see of a tensor."""

_DEFAULT_COLOR = "#9ecae1"
_OUTSIDE = Face("#ffffff", "")
_UNSEEN = Face("#bdbdbd", "")


@user_facing
def visualize(
    tensor: Tensor,
    color: object = None,
    save_path: str | os.PathLike[str] | None = None,
) -> None:
    """Draw a tensor of concrete sizes: its levels as nested tiles, outermost first.

    Every element of the last level is a square with the row-major number of the source's element
    that it is, and white without a number where there is none. Every element of the levels above
    is a frame with its index. Of each level the last dim runs to the right and the one before it
    down; two dims make a panel, and the dims before them place the panels in the same way. A long
    level of one dim continues in rows below.

    Args:
        tensor: The tensor, arranged or not; all sizes, and tile sizes, are numbers.
        color: The colour of elements, as matplotlib takes it; default: a light blue.
        save_path: Where to save the picture: a name that ends in ``.png`` or ``.svg``. None: show
            it in matplotlib's window.

    Raises:
        ArgumentError: ``tensor`` is no symbolic tensor, ``color`` no colour, or ``save_path`` has
            another ending.
        ArrangementError: a size has no number; the tensor is jagged, or an inner level; there are
            more than 4,096 elements or tiles.
        ConfigurationError: the file cannot be written.
        DependencyError: matplotlib is not installed.
    """
    path = _prepared("visualize", save_path)
    show_or_save(tensor_scene(tensor, _DEFAULT_COLOR if color is None else color), path)


@user_facing
def visualize_arrangement(
    arrangement: Callable[..., object],
    tensors: Iterable[object],
    save_path: str | os.PathLike[str] | None = None,
) -> None:
    """Draw which program of an arrangement sees which elements of the tensors that it takes.

    Every element has the colour and the number of the program that sees it. Those that several
    programs see have the colour of the first, the numbers of all, and a marked corner; those that
    none sees are grey.

    Args:
        arrangement: What ``make`` takes.
        tensors: Symbolic tensors of concrete sizes (``Tensor(shape=(4, 8))``), and anything else
            that the arrangement takes. Block sizes are numbers, too.
        save_path: Where to save the picture: a name that ends in ``.png`` or ``.svg``. None: show
            it in matplotlib's window.

    Raises:
        ArgumentError: ``tensors`` is not several objects, or holds tensors of data, or
            ``save_path`` has another ending.
        ArrangementError: a size or a block size has no number; a tensor is jagged; the arrangement
            is impossible; the tensors have more than 4,096 elements together.
        ConfigurationError: the file cannot be written.
        DependencyError: matplotlib is not installed.
    """
    path = _prepared("visualize_arrangement", save_path)
    show_or_save(arrangement_scene(arrangement, tensors), path)


def tensor_scene(tensor: object, color: object) -> Scene:
    """What :func:`visualize` draws."""
    if not isinstance(tensor, Tensor):
        raise ArgumentError(
            f"visualize draws a symbolic tensor, not {tensor!r}; write "
            "visualize(Tensor(shape=(4, 8)))"
        )
    check_concrete(tensor)
    if tensor.level:
        raise ArrangementError(
            f"visualize: this is an inner level of {tensor.name}; draw the tensor itself"
        )
    levels = level_sizes(tensor)
    tiles = itertools.accumulate(map(math.prod, levels), operator.mul)
    _check_count(tensor.name, max(tiles))
    face = color_of(color)
    faces = tuple(
        Face(face, str(number)) if number >= 0 else _OUTSIDE
        for number in tensor.eval().reshape(-1).tolist()
    )
    title = f"{tensor.name}: {' of '.join(map(shape_text, levels))}"
    if len(levels) > 1:
        title += f", from {shape_text(tensor.source.shape)}"
    caption = "Numbers are row-major positions in the source."
    if _OUTSIDE in faces:
        caption += " White: no element."
    drawing = nested(levels)
    return Scene("", (Panel(title, drawing, faces),), caption + _wrapping([drawing]))


def arrangement_scene(arrangement: Callable[..., object], tensors: object) -> Scene:
    """What :func:`visualize_arrangement` draws."""
    found = simulate(arrangement, tensors, _MOST_SEEN)
    sources: dict[str, list[str]] = {}
    for tensor, name in zip(found.sources, found.names, strict=True):
        sources.setdefault(tensor.name, []).append(name)
    # An arrangement may make tensors of its own.
    sources |= {t.name: [t.name] for t in found.arranged if t.name not in sources}
    shapes = {
        tensor.name: [int(size) for size in tensor.source.shape]
        for tensor in (*found.sources, *found.arranged)
    }
    _check_count("the arrangement", sum(math.prod(shapes[name]) for name in sources))
    colors = [_program_color(program) for program in range(found.programs)]
    panels: list[Panel] = []
    for name, titles in sources.items():
        shape = shapes[name]
        faces = tuple(_face(seen, colors) for seen in _seeing(found, name, math.prod(shape)))
        title = f"{', '.join(titles)}: {shape_text(shape)}"
        panels.append(Panel(title, nested([shape]), faces))
    faces = [face for panel in panels for face in panel.faces]
    caption = "Numbers are programs."
    if any(face.marked for face in faces):
        caption += " A marked corner: several programs see it."
    if _UNSEEN in faces:
        caption += " Grey: none sees it."
    caption += _wrapping([panel.drawing for panel in panels])
    name = getattr(arrangement, "__name__", "arrangement")
    return Scene(f"{name}: {counted(found.programs, 'program')}", tuple(panels), caption)


def _prepared(what: str, save_path: object) -> Path | None:
    check_installed(what)
    if save_path is None:
        return None
    if not isinstance(save_path, str | os.PathLike):
        raise ArgumentError(f"save_path must be a path, not {save_path!r}; write 'picture.svg'")
    path = Path(cast("str | os.PathLike[str]", save_path))
    check_path(path)
    return path


def _check_count(what: str, count: int) -> None:
    if count > MOST_ELEMENTS:
        raise ArrangementError(
            f"{what} has {count} elements to draw, and a picture has room for {MOST_ELEMENTS}; "
            "give smaller sizes"
        )


def _wrapping(drawings: Iterable[Drawing]) -> str:
    wrapped = any(drawing.wrapped for drawing in drawings)
    return " Long rows continue below." if wrapped else ""


def _seeing(found: Simulation, name: str, count: int) -> list[list[int]]:
    """The programs that see each of the ``count`` elements of a source, in order."""
    seeing: list[dict[int, None]] = [{} for _ in range(count)]
    for tensor, target in zip(found.arranged, found.targets, strict=True):
        if tensor.name != name:
            continue
        for program, numbers in enumerate(target):
            for number in numbers.flat:
                if number >= 0:
                    seeing[number][program] = None
    return [sorted(programs) for programs in seeing]


def _face(programs: Sequence[int], colors: Sequence[str]) -> Face:
    if not programs:
        return _UNSEEN
    return Face(colors[programs[0]], _listed(programs), len(programs) > 1)


def _listed(programs: Sequence[int]) -> str:
    """Numbers of programs, in order, as a short text: ``0–3``, ``0, 4``, ``0, 4, …, 12``."""
    first, last = programs[0], programs[-1]
    if len(programs) > 2 and last - first == len(programs) - 1:
        return f"{first}–{last}"
    if len(programs) > 3:
        return f"{first}, {programs[1]}, …, {last}"
    return ", ".join(map(str, programs))


def _program_color(program: int) -> str:
    """A light colour, far from those of the programs nearby: hues a golden section apart."""
    hue = (0.58 + program * 0.618034) % 1.0
    rgb = colorsys.hls_to_rgb(hue, 0.72 if program % 2 else 0.8, 0.7)
    return "#" + "".join(f"{round(255 * part):02x}" for part in rgb)
