"""What pictures of tensors show: the numbers of ``eval``, and programs as they are launched."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings

from ninetoothed import Tensor
from ninetoothed.pictures.cuts import shown_sizes
from ninetoothed.pictures.scene import Face, program_color, tensor_scene
from ninetoothed.testing.random_arrangements import Case, arrange, arrangements
from tests.support.profiles import cases as count


def labels(faces: tuple[Face, ...]) -> list[str]:
    """The labels of elements."""
    return [face.label for face in faces]


@given(arrangements())
@settings(max_examples=count(200, 2_000))
def test_tiles_have_the_numbers_of_eval(case: Case) -> None:
    """As far as they are drawn; an element outside is hatched, and has none."""
    tensor: Any = arrange(case, Tensor(shape=case.shape), lambda value: value)
    panel = tensor_scene(tensor.chain).panels[-1]
    offsets = case.model.offsets
    levels = [case.model.sizes(level) for level in range(len(case.model.ranks))]
    kept = shown_sizes(levels)
    assert [list(sizes) for sizes in panel.levels] == kept
    corner = offsets[tuple(slice(size) for level in kept for size in level)].reshape(-1)
    assert labels(panel.faces) == ["" if number < 0 else str(number) for number in corner]
    assert [face.outside for face in panel.faces] == [number < 0 for number in corner]


def test_elements_have_the_colours_of_their_programs() -> None:
    scene = tensor_scene(Tensor(shape=(3, 5), name="x").tile((2, 4)).chain)
    source, tiles = scene.panels
    assert labels(source.faces) == list("000010000122223")
    assert [face.color for face in source.faces[3:5]] == [program_color(0), program_color(1)]
    assert scene.heading == "x: 4 programs"
    assert (source.title, tiles.title) == ("x: (3, 5)", "x: (2, 2) of (2, 4), from (3, 5)")
    assert [tiles.label(tile.level, tile.index) for tile in tiles.drawing.tiles] == [
        f"program {number}" for number in range(4)
    ]
    # The second tile has one column of the tensor.
    assert labels(tiles.faces[8:16]) == ["4", "", "", "", "9", "", "", ""]
    assert {face.color for face in tiles.faces[8:16]} == {program_color(1), "#ffffff"}
    assert tiles.faces[8].meaning == "program 1, x[0, 4]"
    assert tiles.faces[9].meaning == "program 1, outside of the tensor"
    assert scene.caption == (
        "In the tensor, numbers are programs; in the tiles, row-major positions in the tensor. "
        "Hatched: no element."
    )


def test_programs_have_their_numbers_where_tiles_are_left_out() -> None:
    _, tiles = tensor_scene(Tensor(shape=(100, 100)).tile((10, 10)).chain).panels
    labels = [tiles.label(tile.level, tile.index) for tile in tiles.drawing.tiles]
    assert labels == [f"program {row * 10 + column}" for row in range(2) for column in range(3)]
    assert tiles.notes == ("… 7 more columns of tiles, 8 more rows of tiles",)


def test_tensor_of_one_level_has_no_programs() -> None:
    scene = tensor_scene(Tensor(shape=(3,), name="x").pad(((1, 0),)).chain)
    (panel,) = scene.panels
    assert panel.title == "x: (4,), from (3,)"
    assert labels(panel.faces) == ["", "0", "1", "2"]
    assert len({face.color for face in panel.faces[1:]}) == 1
    assert [face.meaning for face in panel.faces[:2]] == ["outside of the tensor", "x[0]"]


def test_dims_before_the_last_two_are_slices() -> None:
    source, _ = tensor_scene(Tensor(shape=(2, 3, 2, 2), name="x").tile((1, 1, 2, 2)).chain).panels
    assert source.levels == ((2, 3), (2, 2))
    assert labels(source.faces) == [str(number) for number in range(6) for _ in range(4)]
    indices = [source.label(tile.level, tile.index) for tile in source.drawing.tiles]
    assert indices == ["0, 0", "0, 1", "0, 2", "1, 0", "1, 1", "1, 2"]
    assert source.faces[-1].meaning == "x[1, 2, 1, 1]: program 5"


def test_slices_are_cut() -> None:
    source, _ = tensor_scene(Tensor(shape=(9, 20, 20)).tile((1, -1, -1)).chain).panels
    assert source.levels == ((2,), (20, 16))
    assert source.notes == ("… 4 more columns, 7 more slices along dim 0",)


def test_unseen_and_shared_elements() -> None:
    tensor = Tensor(shape=(6,), name="x").tile((3,), strides=(2,), floor_mode=True)
    source, _ = tensor_scene(tensor.chain).panels
    assert labels(source.faces) == ["0", "0", "0, 1", "1", "1", ""]
    assert [face.marked for face in source.faces] == [False, False, True, False, False, False]
    assert [face.meaning for face in source.faces[2:6:3]] == [
        "x[2]: programs 0, 1",
        "x[5]: no program",
    ]
    assert source.faces[5].unseen


def test_too_many_programs_are_said() -> None:
    scene = tensor_scene(Tensor(shape=(8,)).tile((-1,)).expand((1 << 24,)).chain)
    assert (
        scene.words[1]
        == "Not all programs could be looked at: more may see an element than are shown."
    )
