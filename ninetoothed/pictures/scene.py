"""Scenes: which elements and tiles a picture has, in which colours and with which labels.

Which program sees an element is what ``layout`` says, as for a kernel. Renderers decide nothing.
"""

from __future__ import annotations

import colorsys
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from ninetoothed.errors import counted
from ninetoothed.layout.chain import Chain, Source
from ninetoothed.layout.evaluate import Binding, offsets
from ninetoothed.layout.meta_op import shape_text
from ninetoothed.layout.programs_of_elements import (
    level_sizes,
    program_count,
    programs_of_elements,
)
from ninetoothed.pictures.cuts import ACROSS, notes, shown_sizes
from ninetoothed.pictures.tiles import Drawing, nested
from ninetoothed.symbolic.expr import evaluate

if TYPE_CHECKING:
    from ninetoothed.layout.programs_of_elements import Numbers

PLAIN = "#9ecae1"
"""Colour of elements where programs have none."""

_OUTSIDE, _UNSEEN = "#ffffff", "#bdbdbd"
_POSITIONS = "Numbers are row-major positions in the source."
_PARTLY = "Not all programs could be looked at: more may see an element than are shown."


@dataclass(frozen=True)
class Face:
    """How an element looks: its colour, its label, a marked corner, and whether it is hatched:
    outside of the tensor. ``meaning`` says in words what it is.
    """

    color: str
    label: str
    marked: bool = False
    outside: bool = False
    meaning: str = ""

    @property
    def unseen(self) -> bool:
        """True for an element that no program sees."""
        return not self.label and not self.outside


@dataclass(frozen=True)
class Panel:
    """A tensor's levels as far as they are drawn, outermost first, with a title above, a face for
    each element, row-major over all levels, and notes below on what is left out.

    ``grid``: the sizes of the outermost level, where its tiles are programs.
    """

    title: str
    levels: tuple[tuple[int, ...], ...]
    faces: tuple[Face, ...]
    notes: tuple[str, ...] = ()
    grid: tuple[int, ...] | None = None

    @cached_property
    def drawing(self) -> Drawing:
        """Where the elements and the tiles lie."""
        return nested(self.levels)

    def label(self, level: int, index: Sequence[int]) -> str:
        """What stands above a tile: its index, or the number of its program."""
        if level == 0 and self.grid is not None:
            return f"program {_row_major(index, self.grid)}"
        return ", ".join(map(str, index))


@dataclass(frozen=True)
class Scene:
    """Everything in a picture: panels, a line above all of them, and ``words`` on their numbers."""

    heading: str
    panels: tuple[Panel, ...]
    words: tuple[str, ...]

    @property
    def caption(self) -> str:
        """The line below, which says what is seen."""
        faces = [face for panel in self.panels for face in panel.faces]
        words = list(self.words)
        if any(face.marked for face in faces):
            words.append("A marked corner: several programs see it.")
        if any(face.unseen for face in faces):
            words.append("Grey: none sees it.")
        if any(face.outside for face in faces):
            words.append("Hatched: no element.")
        if any(panel.drawing.wrapped for panel in self.panels):
            words.append("Long rows continue below.")
        return " ".join(words)


@dataclass(frozen=True)
class Arranged:
    """A tensor: its name, its source, and how that is arranged, in any number of ways."""

    name: str
    source: Source
    chains: tuple[Chain, ...]


def sizes_of(source: Source) -> list[int]:
    """The sizes of a source, which are numbers."""
    return [evaluate(size, {}) for size in source.shape]


def tensor_scene(chain: Chain, across: int = ACROSS) -> Scene:
    """A tensor whose sizes are numbers: the programs of its elements, and its levels as tiles; at
    most ``across`` elements side by side.
    """
    levels = _levels_panel(chain, PLAIN if len(chain.levels) == 1 else None, across)
    if len(chain.levels) == 1:
        return Scene("", (levels,), (_POSITIONS,))
    programs = program_count([chain])
    tensor = Arranged(chain.source.name, chain.source, (chain,))
    source, is_complete = _source_panel(tensor, programs, across)
    words = [
        "In the tensor, numbers are programs; in the tiles, row-major positions in the tensor.",
        *_incomplete(is_complete),
    ]
    heading = f"{chain.source.name}: {counted(programs, 'program')}"
    return Scene(heading, (source, levels), tuple(words))


def programs_scene(
    name: str, tensors: Sequence[Arranged], programs: int, is_cut: bool = True
) -> Scene:
    """Tensors side by side, each element in the colour of the program that sees it.

    ``is_cut``: only what can be read.
    """
    across = ACROSS if is_cut else None
    found = [_source_panel(tensor, programs, across) for tensor in tensors]
    words = ["Numbers are programs.", *_incomplete(all(whole for _, whole in found))]
    panels = tuple(panel for panel, _ in found)
    return Scene(f"{name}: {counted(programs, 'program')}", panels, tuple(words))


def levels_scene(chain: Chain, color: str) -> Scene:
    """All of a tensor's levels as tiles, its elements in one colour."""
    return Scene("", (_levels_panel(chain, color, None),), (_POSITIONS,))


def _levels_panel(chain: Chain, color: str | None, across: int | None) -> Panel:
    """The levels of a tensor whose sizes are numbers, as nested tiles, and elements with their
    row-major numbers in the source.

    ``color``: of all elements; None: those of the programs. ``across``: None: nothing is left out.
    """
    levels = level_sizes(chain)
    kept = levels if across is None else shown_sizes(levels, across)
    found = offsets(chain, Binding(), [size for level in kept for size in level])
    inner = math.prod(size for level in kept[1:] for size in level)
    shape = sizes_of(chain.source)
    faces: list[Face] = []
    for place, number in enumerate(found.reshape(-1).tolist()):
        program = _row_major(_index(place // inner, kept[0]), levels[0])
        who = f"program {program}"
        if number < 0:
            nothing = "outside of the tensor"
            meaning = nothing if color else f"{who}, {nothing}"
            faces.append(Face(_OUTSIDE, "", outside=True, meaning=meaning))
            continue
        element = _element(chain.source.name, number, shape)
        meaning = element if color else f"{who}, {element}"
        faces.append(Face(color or program_color(program), str(number), meaning=meaning))
    title = f"{chain.source.name}: {' of '.join(map(shape_text, levels))}"
    if chain.ops:
        title += f", from {shape_text(shape)}"
    grid = None if color else tuple(levels[0])
    return Panel(title, tuple(map(tuple, kept)), tuple(faces), notes(levels, kept), grid)


def program_color(program: int) -> str:
    """A light colour, far from those of the programs nearby: hues a golden section apart."""
    hue = (0.58 + program * 0.618034) % 1.0
    rgb = colorsys.hls_to_rgb(hue, 0.72 if program % 2 else 0.8, 0.7)
    return "#" + "".join(f"{round(255 * part):02x}" for part in rgb)


def _source_panel(tensor: Arranged, programs: int, across: int | None) -> tuple[Panel, bool]:
    """A source with the programs of its elements, and whether these are all."""
    shape = sizes_of(tensor.source)
    # What lies before the last two dims is a grid of slices.
    levels = [shape[:-2], shape[-2:]] if len(shape) > 2 else [shape]
    kept = levels if across is None else shown_sizes(levels, across)
    corner = [size for level in kept for size in level]
    found = programs_of_elements(tensor.chains, corner, programs)
    faces = tuple(
        _seen(_element(tensor.name, place, corner), numbers)
        for place, numbers in enumerate(found.numbers)
    )
    title = f"{tensor.name}: {shape_text(shape)}"
    panel = Panel(title, tuple(map(tuple, kept)), faces, notes([shape], [corner]))
    return panel, found.is_complete


def _seen(element: str, programs: Numbers) -> Face:
    if not len(programs):
        return Face(_UNSEEN, "", meaning=f"{element}: no program")
    label = _listed(programs)
    several = len(programs) > 1
    meaning = f"{element}: program{'s' if several else ''} {label}"
    return Face(program_color(int(programs[0])), label, several, meaning=meaning)


def _listed(programs: Numbers) -> str:
    """Numbers of programs, in order, as a short text: ``0–3``, ``0, 4``, ``0, 4, …, 12``."""
    first, last = programs[0], programs[-1]
    if len(programs) > 2 and last - first == len(programs) - 1:
        return f"{first}–{last}"
    if len(programs) > 3:
        return f"{first}, {programs[1]}, …, {last}"
    return ", ".join(map(str, programs))


def _incomplete(is_complete: bool) -> list[str]:
    return [] if is_complete else [_PARTLY]


def _element(name: str, number: int, shape: Sequence[int]) -> str:
    """An element as users write it, by its row-major number: ``x[0, 3]``."""
    return f"{name}[{', '.join(map(str, _index(number, shape)))}]" if shape else name


def _index(number: int, sizes: Sequence[int]) -> list[int]:
    """The index of a row-major number."""
    found: list[int] = []
    for size in reversed(sizes):
        number, place = divmod(number, size)
        found.insert(0, place)
    return found


def _row_major(index: Sequence[int], sizes: Sequence[int]) -> int:
    """The row-major number of an index."""
    number = 0
    for place, size in zip(index, sizes, strict=True):
        number = number * size + place
    return number
