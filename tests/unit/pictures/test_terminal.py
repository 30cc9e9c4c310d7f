"""``Tensor.draw``: the picture in characters."""

from __future__ import annotations

import pytest

from ninetoothed import Symbol, Tensor

B = Symbol("B")


def drawn(tensor: Tensor) -> str:
    """The picture, below a line break."""
    return f"\n{tensor.draw()}\n"


def test_tiles() -> None:
    assert (
        drawn(Tensor(shape=(3, 5), name="x").tile((2, 4)))
        == """
x: 4 programs

x: (3, 5)
0 0 0 0 1
0 0 0 0 1
2 2 2 2 3

x: (2, 2) of (2, 4), from (3, 5)
┌─program 0───┐ ┌─program 1───┐
│  0  1  2  3 │ │  4  ╱  ╱  ╱ │
│  5  6  7  8 │ │  9  ╱  ╱  ╱ │
└─────────────┘ └─────────────┘
┌─program 2───┐ ┌─program 3───┐
│ 10 11 12 13 │ │ 14  ╱  ╱  ╱ │
│  ╱  ╱  ╱  ╱ │ │  ╱  ╱  ╱  ╱ │
└─────────────┘ └─────────────┘

In the tensor, numbers are programs; in the tiles, row-major positions in the tensor. ╱: no element.
"""
    )


def test_levels_and_elements_that_several_programs_see_or_none() -> None:
    tensor = Tensor(shape=(6,), name="x").tile((2,), strides=(1,), floor_mode=True)
    assert (
        drawn(tensor.tile((2,), floor_mode=True))
        == """
x: 2 programs

x: (6,)
   0    0 0, 1    1    1    ·

x: (2,) of (2,) of (2,), from (6,)
┌─program 0───────┐ ┌─program 1───────┐
│ ┌─0───┐ ┌─1───┐ │ │ ┌─0───┐ ┌─1───┐ │
│ │ 0 1 │ │ 1 2 │ │ │ │ 2 3 │ │ 3 4 │ │
│ └─────┘ └─────┘ │ │ └─────┘ └─────┘ │
└─────────────────┘ └─────────────────┘

In the tensor, numbers are programs; in the tiles, row-major positions in the tensor. \
·: no program sees it.
"""
    )


def test_slices() -> None:
    """The last dim runs to the right, the one before down, and so on by turns."""
    assert (
        drawn(Tensor(shape=(2, 2, 2, 2), name="x"))
        == """
x: (2, 2, 2, 2)
 0  1    4  5
 2  3    6  7

 8  9   12 13
10 11   14 15

Numbers are row-major positions in the source.
"""
    )


def test_long_rows_continue_below() -> None:
    assert (
        drawn(Tensor(shape=(40,), name="x"))
        == """
x: (40,)
 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
32 33 34 35 36 37 38 39

Numbers are row-major positions in the source.
"""
    )


def test_cut() -> None:
    lines = Tensor(shape=(3000, 4096), name="x").tile((500, 1000)).draw().splitlines()
    assert [line for line in lines if "…" in line] == [
        "… 4,088 more columns, 2,976 more rows",
        "… 3 more columns of tiles, 4 more rows of tiles",
        "… 996 more columns, 488 more rows in each tile",
    ]
    # With eight columns side by side instead of 32, lines are no longer than a terminal's.
    assert max(map(len, lines)) <= 96
    assert len(lines) == 24 + 2 * (12 + 2) + 10


@pytest.mark.parametrize("shape", [(), (0,), (2, 0), (0, 2)], ids=str)
def test_nothing_and_one_element(shape: tuple[int, ...]) -> None:
    title, *cells = Tensor(shape=shape, name="x").draw().splitlines()[:-2]
    assert title.startswith("x: (")
    assert cells == ([] if shape else ["0"])


def test_sizes_are_given_as_to_eval() -> None:
    x = Tensor(1, name="x")
    found = x.tile((B,)).draw({x: {"shape": (5,)}, B: 2})
    assert found == Tensor(shape=(5,), name="x").tile((2,)).draw()
