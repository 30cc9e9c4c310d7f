"""``ninetoothed.visualization``: what is drawn where, in which colour, and how it is saved."""

from __future__ import annotations

import io
import itertools
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ninetoothed import Tensor
from ninetoothed.errors import DependencyError
from ninetoothed.pictures.scene import Scene
from ninetoothed.pictures.tiles import Box, nested
from ninetoothed.visualization import (
    arrangement_scene,
    figure,
    tensor_scene,
    visualize,
    visualize_arrangement,
)
from tests.support.imports import ROOT

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

BLUE = "#9ecae1"
GREY = "#bdbdbd"
WHITE = "#ffffff"


def tensor(*shape: int) -> Tensor:
    """A tensor of a concrete shape."""
    return Tensor(shape=shape, name="x")


def blocks(*tensors: Tensor) -> tuple[Tensor, ...]:
    """An arrangement: blocks of two elements of vectors."""
    return tuple(tensor.tile((2,)) for tensor in tensors)


def drawn(scene: Scene) -> Figure:
    """The figure of a scene."""
    from matplotlib.figure import Figure

    found = Figure()
    figure.draw(found, scene)
    return found


def patches(found: Figure, kind: str) -> list[Patch]:
    """The patches of a kind: ``element``, ``tile 0``, ``mark``."""
    (axes,) = found.axes
    return [patch for patch in axes.patches if patch.get_label() == kind]


def extents(patch: Patch) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of a patch, in inches."""
    points = patch.get_path().vertices
    box = patch.get_patch_transform().transform(points)
    (left, top), (right, bottom) = box.min(axis=0).tolist(), box.max(axis=0).tolist()
    return left, top, right, bottom


def colors(found: Figure) -> list[str]:
    """The colours of the elements."""
    from matplotlib.colors import to_hex

    return [to_hex(patch.get_facecolor()) for patch in patches(found, "element")]


def texts(found: Figure) -> list[str]:
    """All texts, in the order in which they were drawn."""
    (axes,) = found.axes
    return [text.get_text() for text in axes.texts]


def overlap(one: Box, two: Box) -> bool:
    """True if two boxes share more than an edge."""
    return (
        one.x < two.x + two.width - 1e-9
        and two.x < one.x + one.width - 1e-9
        and one.y < two.y + two.height - 1e-9
        and two.y < one.y + one.height - 1e-9
    )


def inside(inner: Box, outer: Box) -> bool:
    """True if a box lies in another one."""
    return (
        outer.x <= inner.x
        and outer.y <= inner.y
        and inner.x + inner.width <= outer.x + outer.width + 1e-9
        and inner.y + inner.height <= outer.y + outer.height + 1e-9
    )


SHAPES: list[list[list[int]]] = [
    [[3]],
    [[]],
    [[2, 3]],
    [[2, 3, 4]],
    [[2, 2, 3, 3]],
    [[2, 1, 2, 2, 2]],
    [[2, 4], [2, 2]],
    [[2], [3], [2, 2]],
    [[2, 2, 2], [2, 1, 3]],
    [[2], []],
    [[100]],
    [[70], [3]],
    [[2], [90]],
]


@pytest.mark.parametrize("levels", SHAPES, ids=str)
def test_nothing_overlaps(levels: list[list[int]]) -> None:
    """Tiles of one level and elements lie apart, in the drawing, and each in its tile."""
    drawing = nested(levels)
    whole = Box(0, 0, drawing.width, drawing.height)
    layers = [
        [tile.box for tile in drawing.tiles if tile.level == level]
        for level in range(len(levels) - 1)
    ]
    layers.append(list(drawing.elements))
    count = 1
    for sizes, layer in zip(levels, layers, strict=True):
        for size in sizes:
            count *= size
        assert len(layer) == count
        assert not any(overlap(one, two) for one, two in itertools.combinations(layer, 2))
        assert all(inside(box, whole) for box in layer)
    for outer, inner in itertools.pairwise(layers):
        each = len(inner) // len(outer)
        for place, tile in enumerate(outer):
            assert all(inside(box, tile) for box in inner[place * each : (place + 1) * each])


def test_directions_of_dims() -> None:
    """The last dim runs to the right, the one before down, the one before that to the right."""
    places = [(box.x, box.y) for box in nested([[2, 2, 2, 2]]).elements]
    (x, y), right, down = places[0], places[1], places[2]
    assert right == (x + 1, y)
    assert down == (x, y + 1)
    assert places[4][0] > x + 2
    assert places[4][1] == y
    assert places[8][0] == x
    assert places[8][1] > y + 2


def test_long_level_continues_below() -> None:
    drawing = nested([[100]])
    assert drawing.wrapped
    assert drawing.elements[31] == Box(31, 0, 1, 1)
    assert drawing.elements[32].x == 0
    assert drawing.elements[32].y > 1
    assert drawing.width == 32
    assert not nested([[40]]).wrapped
    assert not nested([[100, 100]]).wrapped


def test_tiled_matrix() -> None:
    found = drawn(tensor_scene(tensor(4, 7).tile((2, 4)), BLUE))
    elements, tiles = patches(found, "element"), patches(found, "tile 0")
    assert (len(elements), len(tiles)) == (32, 4)
    assert colors(found)[:8] == [BLUE] * 8
    assert colors(found)[8:16] == [BLUE, BLUE, BLUE, WHITE] * 2
    title, *labels, caption = texts(found)
    assert title == "x: (2, 2) of (2, 4), from (4, 7)"
    assert labels[:4] == ["0, 0", "0, 1", "1, 0", "1, 1"]
    assert labels[4:] == [
        *("0", "1", "2", "3", "7", "8", "9", "10"),
        *("4", "5", "6", "11", "12", "13"),
        *("14", "15", "16", "17", "21", "22", "23", "24"),
        *("18", "19", "20", "25", "26", "27"),
    ]
    assert caption == "Numbers are row-major positions in the source. Hatched: no element."
    for place, tile in enumerate(tiles):
        left, top, right, bottom = extents(tile)
        for element in elements[8 * place : 8 * place + 8]:
            a, b, c, d = extents(element)
            assert left < a < c < right
            assert top < b < d < bottom
            assert c - a == pytest.approx(d - b)


def test_everything_lies_in_the_figure() -> None:
    found = drawn(tensor_scene(tensor(4, 6).tile((2, 2)).tile((1, -1)), BLUE))
    width, height = found.get_size_inches()
    for kind in ("tile 0", "tile 1", "element"):
        for patch in patches(found, kind):
            left, top, right, bottom = extents(patch)
            assert 0 < left < right < width
            assert 0 < top < bottom < height


def test_large_picture_is_scaled() -> None:
    """Where elements are too small for their numbers, the title and the caption remain."""
    found = drawn(tensor_scene(tensor(1, 4096), BLUE))
    width, height = found.get_size_inches()
    assert 60 < width < 61
    assert height < 2
    assert len(patches(found, "element")) == 4096
    assert texts(found) == ["x: (1, 4096)", "Numbers are row-major positions in the source."]


@pytest.mark.parametrize("shape", [(0,), (3, 0), ()])
def test_nothing_and_one_element(shape: tuple[int, ...]) -> None:
    found = drawn(tensor_scene(tensor(*shape), BLUE))
    assert len(patches(found, "element")) == (not shape)


@pytest.mark.parametrize(
    ("color", "face", "label"), [("navy", "#000080", WHITE), ((1, 1, 0), "#ffff00", "#000000")]
)
def test_color(color: object, face: str, label: str) -> None:
    found = drawn(tensor_scene(tensor(2), color))
    assert colors(found) == [face, face]
    (axes,) = found.axes
    assert axes.texts[1].get_color() == label


def test_arrangement() -> None:
    """An element has its program's colour in every tensor; unseen ones are grey, shared marked."""

    def arrangement(x: Tensor, y: Tensor, z: Tensor) -> Any:
        return x.tile((2,)), y.tile((-1,)).expand((3,)), z[1:4].tile((1,))

    scene = arrangement_scene(arrangement, (tensor(5), Tensor(shape=(2,)), Tensor(shape=(5,))))
    x, y, z = scene.panels
    assert [panel.title for panel in scene.panels] == ["x: (5,)", "y: (2,)", "z: (5,)"]
    assert [face.label for face in x.faces] == ["0", "0", "1", "1", "2"]
    assert [face.label for face in y.faces] == ["0–2"] * 2
    assert [face.label for face in z.faces] == ["", "0", "1", "2", ""]
    first, second, third = x.faces[0].color, x.faces[2].color, x.faces[4].color
    assert len({first, second, third, GREY, WHITE}) == 5
    assert [face.color for face in x.faces] == [first, first, second, second, third]
    assert [face.color for face in y.faces] == [first, first]
    assert [face.color for face in z.faces] == [GREY, first, second, third, GREY]
    found = drawn(scene)
    assert colors(found) == [face.color for panel in scene.panels for face in panel.faces]
    elements, marks = patches(found, "element"), patches(found, "mark")
    assert len(marks) == 2
    for element, mark in zip(elements[5:7], marks, strict=True):
        _, top, right, _ = extents(element)
        assert extents(mark)[1:3] == pytest.approx((top, right))
    assert scene.heading == "arrangement: 3 programs"
    assert scene.caption == (
        "Numbers are programs. A marked corner: several programs see it. Grey: none sees it."
    )


def test_panels_lie_side_by_side_and_below() -> None:
    """In rows, as far as there is room."""
    shapes = (tensor(2, 20), Tensor(shape=(2, 10)), Tensor(shape=(2, 20)))

    def arrangement(*tensors: Tensor) -> Any:
        return tuple(tensor.tile((2, 10)) for tensor in tensors)

    found = drawn(arrangement_scene(arrangement, shapes))
    elements = patches(found, "element")
    first, second, third = (extents(elements[place]) for place in (0, 40, 60))
    assert second[0] > extents(elements[19])[2]
    assert second[1] == pytest.approx(first[1])
    assert third[0] == pytest.approx(first[0])
    assert third[1] > extents(elements[20])[3]


@pytest.mark.parametrize(
    ("rows", "columns", "label"),
    [(1, 2, "0"), (2, 1, "0, 1"), (3, 1, "0–2"), (2, 2, "0, 2"), (5, 5, "0, 5, …, 20")],
)
def test_several_programs(rows: int, columns: int, label: str) -> None:
    def repeated(x: Tensor) -> Tensor:
        return x.unsqueeze(0).expand((rows, -1)).flatten()

    scene = arrangement_scene(repeated, (tensor(columns),))
    assert scene.panels[0].faces[0].label == label


def test_tensor_given_twice_is_one_panel() -> None:
    """As is one that is returned twice; what the arrangement makes itself is drawn, too."""
    x = tensor(4)

    def arrangement(one: Tensor, two: Tensor) -> Any:
        return one[::2].tile((1,)), two[1::2].tile((1,)), Tensor(shape=(2,), name="made")

    scene = arrangement_scene(arrangement, (x, x))
    assert [panel.title for panel in scene.panels] == ["one, two: (4,)", "made: (2,)"]
    assert [face.label for face in scene.panels[0].faces] == ["0", "0", "1", "1"]


def test_names_of_several_tensors_are_their_own() -> None:
    scene = arrangement_scene(blocks, (tensor(2), Tensor(shape=(2,), name="y")))
    assert [panel.title for panel in scene.panels] == ["x: (2,)", "y: (2,)"]


def test_an_arrangement_of_no_programs() -> None:
    scene = arrangement_scene(blocks, (tensor(0), Tensor(shape=(3,), name="y")))
    assert [len(panel.faces) for panel in scene.panels] == [0, 3]
    assert not any(face.label for face in scene.panels[1].faces)
    drawn(scene)


Draw = Callable[[str], None]


def save_tensor(path: str) -> None:
    visualize(tensor(4, 7).tile((2, 4)), save_path=path)


def save_arrangement(path: str) -> None:
    visualize_arrangement(blocks, (tensor(5), Tensor(shape=(4,), name="y")), save_path=path)


@pytest.mark.parametrize("save", [save_tensor, save_arrangement])
def test_saving(save: Draw, tmp_path: Path) -> None:
    """The same bytes every time, and text that stays text in SVG."""
    for name in ("one.png", "two.PNG", "one.svg", "two.svg"):
        save(str(tmp_path / name))
    image = (tmp_path / "one.png").read_bytes()
    assert image == (tmp_path / "two.PNG").read_bytes()
    assert image.startswith(b"\x89PNG\r\n")
    text = (tmp_path / "one.svg").read_text(encoding="utf-8")
    assert text == (tmp_path / "two.svg").read_text(encoding="utf-8")
    assert re.search(r"<text [^>]*>x: \(", text)
    assert "dc:date" not in text


def test_path_object(tmp_path: Path) -> None:
    visualize(tensor(2), save_path=tmp_path / "x.svg")
    assert (tmp_path / "x.svg").is_file()


def test_mathematics_in_a_name_is_text(tmp_path: Path) -> None:
    visualize(Tensor(shape=(2,), name="$x_{"), save_path=tmp_path / "x.svg")
    assert "$x_{: (2,)" in (tmp_path / "x.svg").read_text(encoding="utf-8")


def test_settings_of_matplotlib_are_left_alone(tmp_path: Path) -> None:
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    save_tensor(str(tmp_path / "x.svg"))
    assert dict(mpl.rcParams) == before


def test_saving_opens_no_window(tmp_path: Path) -> None:
    """Without pyplot, so that no backend with windows is looked for."""
    code = (
        "import sys\n"
        "from ninetoothed import Tensor\n"
        "from ninetoothed.visualization import visualize\n"
        f"visualize(Tensor(shape=(2,)), save_path={str(tmp_path / 'x.png')!r})\n"
        "print('matplotlib.pyplot' in sys.modules, 'torch' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "False False\n"
    assert (tmp_path / "x.png").is_file()


@pytest.mark.parametrize("arranged", [False, True])
def test_showing(arranged: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    import matplotlib as mpl
    from matplotlib import pyplot

    mpl.use("agg")
    shown: list[Figure] = []

    def show() -> None:
        shown.extend(pyplot.figure(number) for number in pyplot.get_fignums())

    monkeypatch.setattr(pyplot, "show", show)
    try:
        if arranged:
            visualize_arrangement(blocks, (tensor(5),))
        else:
            visualize(tensor(5))
        (found,) = shown
        assert len(patches(found, "element")) == 5
        found.savefig(io.BytesIO(), format="png")
    finally:
        pyplot.close("all")


@pytest.mark.parametrize("save", [save_tensor, save_arrangement])
def test_matplotlib_is_not_installed(save: Draw, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [*sys.modules]:
        if name.startswith("matplotlib."):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(DependencyError) as caught:
        save("x.svg")
    function = "visualize" if save is save_tensor else "visualize_arrangement"
    assert caught.value.message == (
        f"{function} draws with matplotlib, which is not installed; "
        "pip install ninetoothed[visualization]"
    )
