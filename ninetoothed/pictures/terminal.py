"""Text of a scene in characters, for terminals: tiles are boxes, and elements their labels."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence

from ninetoothed.pictures.cuts import ACROSS
from ninetoothed.pictures.scene import Face, Panel, Scene

_WIDTH = 96
"""Characters of a line, behind which a level of one dim continues below, and others are cut."""
_OUTSIDE, _UNSEEN = "╱", "·"

_Block = list[str]
"""Lines of one length."""


def drawn(scene_of: Callable[[int], Scene]) -> str:
    """The picture as lines, the last of which ends without a line break. ``scene_of`` is asked for
    scenes of fewer elements side by side, until one is as wide as a terminal.
    """
    across = ACROSS
    while True:
        scene = scene_of(across)
        lines = [scene.heading, ""] if scene.heading else []
        for panel in scene.panels:
            lines += [panel.title, *_lines(panel), *panel.notes, ""]
        if across == 1 or max(map(len, lines)) <= _WIDTH:
            return "\n".join(line.rstrip() for line in [*lines, _caption(scene)])
        across //= 2


def _caption(scene: Scene) -> str:
    faces = [face for panel in scene.panels for face in panel.faces]
    words = list(scene.words)
    if any(face.outside for face in faces):
        words.append(f"{_OUTSIDE}: no element.")
    if any(face.unseen for face in faces):
        words.append(f"{_UNSEEN}: no program sees it.")
    return " ".join(words)


def _character(face: Face) -> str:
    return face.label or (_OUTSIDE if face.outside else _UNSEEN)


def _lines(panel: Panel) -> _Block:
    cells = [_character(face) for face in panel.faces]
    width = max(map(len, cells), default=0)
    return _level(panel, 0, [cell.rjust(width) for cell in cells])


def _level(panel: Panel, level: int, cells: Sequence[str]) -> _Block:
    """A level of which these are all elements, row-major."""
    sizes, below = panel.levels[level], panel.levels[level + 1 :]
    if not math.prod(sizes):
        return []
    if not below:
        return _grid(sizes, [[cell] for cell in cells])
    each = len(cells) // math.prod(sizes)
    labels = [
        panel.label(level, index) for index in itertools.product(*(range(size) for size in sizes))
    ]
    width = max(map(len, labels))
    tiles = [
        _framed(label, width, _level(panel, level + 1, cells[place * each : (place + 1) * each]))
        for place, label in enumerate(labels)
    ]
    return _grid(sizes, tiles)


def _framed(label: str, width: int, inner: _Block) -> _Block:
    """A box around lines, with a label of at most ``width`` characters above."""
    width = max(width, *map(len, inner)) if inner else width
    return [
        f"┌─{label.ljust(width, '─')}─┐",
        *(f"│ {line.ljust(width)} │" for line in inner),
        f"└─{'─' * width}─┘",
    ]


def _grid(sizes: Sequence[int], blocks: Sequence[_Block]) -> _Block:
    """Blocks of one size: the last dim to the right, the one before down, and so on by turns."""
    if len(sizes) == 1:
        return _wrapped(blocks)
    found = list(blocks)
    for position, size in enumerate(reversed(sizes)):
        groups = [found[start : start + size] for start in range(0, len(found), size)]
        apart = position // 2
        if position % 2:
            found = [_down(group, apart) for group in groups]
        else:
            found = [_across(group, 1 + 2 * apart) for group in groups]
    return found[0]


def _wrapped(blocks: Sequence[_Block]) -> _Block:
    """Blocks side by side, a power of two of them in a row where there is no room for all."""
    width = len(blocks[0][0]) + 1
    row = len(blocks)
    if row * width > _WIDTH:
        row = 1 << (max(_WIDTH // width, 1).bit_length() - 1)
    rows = [_across(blocks[start : start + row], 1) for start in range(0, len(blocks), row)]
    return _down(rows, 0)


def _across(blocks: Sequence[_Block], apart: int) -> _Block:
    return [(" " * apart).join(lines) for lines in zip(*blocks, strict=True)]


def _down(blocks: Sequence[_Block], apart: int) -> _Block:
    found: _Block = list(blocks[0])
    for block in blocks[1:]:
        found += [*[""] * apart, *block]
    return found
