"""Pictures of tensors and arrangements of concrete sizes.

    visualize(Tensor(shape=(4, 8), name="x").tile((2, 2)), save_path="x.svg")
    visualize_arrangement(arrangement, (Tensor(shape=(16,)), Tensor(shape=(16,))), "programs.png")

``pip install ninetoothed[visualization]`` installs what this package needs beside NineToothed:
matplotlib. A picture is saved without a window system.
"""

from __future__ import annotations

import itertools
import math
import operator
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import cast

from ninetoothed.definition.simulation import check_concrete, simulate
from ninetoothed.errors import ArgumentError, ArrangementError, user_facing
from ninetoothed.layout.chain import Chain
from ninetoothed.layout.programs_of_elements import level_sizes
from ninetoothed.pictures.scene import (
    PLAIN,
    Arranged,
    Scene,
    levels_scene,
    programs_scene,
    sizes_of,
)
from ninetoothed.tensor import Tensor
from ninetoothed.visualization.figure import (
    check_installed,
    check_path,
    color_of,
    show_or_save,
)

MOST_ELEMENTS = 4096
"""Most elements, and most tiles, of a picture."""


@user_facing
def visualize(
    tensor: Tensor,
    color: object = None,
    save_path: str | os.PathLike[str] | None = None,
) -> None:
    """Draw a tensor of concrete sizes: its levels as nested tiles, outermost first.

    Every element of the last level is a square with the row-major number of the source's element
    that it is, and hatched without a number where there is none. Every element of the levels above
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
    show_or_save(tensor_scene(tensor, PLAIN if color is None else color), path)


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
    tiles = itertools.accumulate(map(math.prod, level_sizes(tensor.chain)), operator.mul)
    _check_count(tensor.name, max(tiles))
    return levels_scene(tensor.chain, color_of(color))


def arrangement_scene(arrangement: Callable[..., object], tensors: object) -> Scene:
    """What :func:`visualize_arrangement` draws."""
    found = simulate(arrangement, tensors)
    names: dict[str, list[str]] = {}
    for tensor, name in zip(found.sources, found.names, strict=True):
        names.setdefault(tensor.name, []).append(name)
    # An arrangement may make tensors of its own.
    names |= {t.name: [t.name] for t in found.arranged if t.name not in names}
    sources = {t.name: t.chain.source for t in (*found.sources, *found.arranged)}
    chains: dict[str, list[Chain]] = {}
    for tensor in found.arranged:
        chains.setdefault(tensor.name, []).append(tensor.chain)
    counts = (math.prod(sizes_of(sources[name])) for name in names)
    _check_count("the arrangement", sum(counts))
    drawn = [
        Arranged(", ".join(titles), sources[name], tuple(chains.get(name, ())))
        for name, titles in names.items()
    ]
    title = getattr(arrangement, "__name__", "arrangement")
    return programs_scene(title, drawn, found.programs, is_cut=False)


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
