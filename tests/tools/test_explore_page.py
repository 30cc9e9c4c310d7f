"""The page of ``kernel.explore`` in a browser: pointing, typing, keys, no errors."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import ninetoothed
from ninetoothed import Symbol, Tensor
from tests.support.chromium import shown
from tests.unit.kernel.test_explore import BLOCKS, MATMUL, SHAPES

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CELL = 18
"""Pixels of a cell of a small tensor."""


@pytest.fixture(scope="module")
def matmul(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a matmul of 3 by 3 programs."""
    path = tmp_path_factory.mktemp("explore") / "matmul.html"
    MATMUL.explore(path, **SHAPES, **BLOCKS)
    return path


@pytest.fixture
def page(chromium: Browser, matmul: Path) -> Iterator[Page]:
    """The page of the matmul in the browser."""
    with shown(chromium, matmul) as page:
        yield page


def point(page: Page, panel: str, row: int, column: int) -> None:
    """Point at a cell of a panel."""
    page.locator(f"section[aria-label={panel}] canvas").hover(
        position={"x": column * CELL + CELL / 2, "y": row * CELL + CELL / 2}
    )


def status(page: Page) -> str:
    """What the page says of what is pointed at."""
    return page.get_by_role("status").inner_text()


def count(page: Page, panel: str) -> str:
    """What a panel counts."""
    return page.locator(f"section[aria-label={panel}] .count").inner_text()


def colour(page: Page, panel: str, row: int, column: int) -> list[int]:
    """The colour in a corner of a cell: transparent where nothing is touched."""
    return page.locator(f"section[aria-label={panel}] canvas").evaluate(
        """(canvas, [x, y]) => {
          const copy = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
          copy.drawImage(canvas, -x, -y);
          return [...copy.getImageData(0, 0, 1, 1).data];
        }""",
        [column * CELL + 5, row * CELL + 14],
    )


def test_a_program_that_is_pointed_at_shows_what_it_touches(page: Page) -> None:
    point(page, "programs", 2, 1)
    assert status(page) == "program (2, 1) of 9"
    assert count(page, "x") == "read: 18 elements drawn; 48 lanes, 30 of them outside the tensor"
    assert count(page, "z") == "write: 8 elements drawn; 16 lanes, 8 of them outside the tensor"
    assert colour(page, "x", 7, 0)[3] == 0
    rows = {tuple(colour(page, "x", 8, column)) for column in range(9)}
    # One colour an iteration.
    assert len(rows) == 3
    assert all(row[3] == 255 for row in rows)
    facts = page.locator("section[aria-label=z] .fact").all_inner_texts()
    assert facts == ["in bounds: proved", "coverage: proved", "races: proved", "defined: checked"]


def test_an_element_that_is_pointed_at_shows_its_programs(page: Page) -> None:
    point(page, "y", 3, 5)
    assert status(page) == "element (3, 5) of y: touched by 3 programs: (0, 1), (1, 1), (2, 1)"
    point(page, "z", 9, 11)
    assert status(page) == "element (9, 11) of z: touched by 1 program: (2, 2)"


def test_iterations(page: Page) -> None:
    page.get_by_label("iteration").select_option("2")
    assert count(page, "x") == "read: 4 elements drawn; 48 lanes, 12 of them outside the tensor"
    page.locator("canvas").nth(0).focus()
    page.keyboard.press("[")
    assert count(page, "x").startswith("read: 16 elements drawn")
    assert colour(page, "x", 0, 3)[3] == 0
    assert colour(page, "x", 0, 4)[3] == 255


def test_keys_lead_through_cells_and_panels(page: Page) -> None:
    page.get_by_label("iteration").focus()
    page.keyboard.press("Tab")
    assert status(page) == "program (0, 0) of 9"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert status(page) == "program (1, 2) of 9"
    page.keyboard.press("Tab")
    page.keyboard.press("End")
    assert status(page).startswith("element (9, 8) of x: touched by 3 programs")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowLeft")
    assert status(page).startswith("element (0, 0) of x")
    roles = page.get_by_role("application")
    labels = [roles.nth(place).get_attribute("aria-label") for place in range(roles.count())]
    assert labels[:2] == [
        "programs, 3 × 3 programs; arrow keys move",
        "x, 10 × 9 elements; arrow keys move",
    ]


def test_sizes_are_typed(page: Page) -> None:
    page.get_by_role("textbox", name="BM", exact=True).fill("2")
    point(page, "programs", 4, 0)
    assert status(page) == "program (4, 0) of 15"
    page.get_by_role("textbox", name="x", exact=True).fill("(10, 10)")
    alert = page.get_by_role("alert")
    assert alert.inner_text().startswith("y ends before x, with which it is combined")
    assert "x_size_1 <= y_size_0 must hold, but they are (10, 9)" in alert.inner_text()
    assert not page.locator("#panels").is_visible()
    page.get_by_role("textbox", name="x", exact=True).fill("10, nine")
    assert alert.inner_text() == "the shape of x: 2 sizes with commas between them, as in 10, 9"
    assert page.get_by_role("textbox", name="x", exact=True).get_attribute("aria-invalid") == "true"
    page.get_by_role("textbox", name="x", exact=True).fill("10, 9")
    assert alert.inner_text() == ""
    page.get_by_role("textbox", name="BM", exact=True).fill("65")
    assert alert.inner_text().startswith("BM=65 is outside its bounds, 2 to 64")


def test_large_sizes_are_cut(page: Page) -> None:
    for name, shape in (("x", "3000, 50"), ("y", "50, 2000"), ("z", "3000, 2000")):
        page.get_by_role("textbox", name=name, exact=True).fill(shape)
    texts = [text for text in page.locator("section .words").all_inner_texts() if "cut" in text]
    assert texts == [
        "cut: the first 64 × 96 are drawn",
        "cut: the first 64 × 50 are drawn",
        "cut: the first 50 × 96 are drawn",
        "cut: the first 64 × 96 are drawn",
    ]
    page.locator("canvas").nth(0).focus()
    page.keyboard.press("End")
    assert status(page) == "program (63, 95) of 375000"
    assert count(page, "x") == "read: 0 elements drawn; 208 lanes, 8 of them outside the tensor"


@pytest.mark.parametrize("is_dark", [False, True], ids=["light", "dark"])
def test_a_narrow_page_is_readable(chromium: Browser, matmul: Path, is_dark: bool) -> None:
    with shown(chromium, matmul, 400, is_dark) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= 400
        background = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert background == ("rgb(22, 24, 29)" if is_dark else "rgb(246, 247, 249)")


def arrange_gather(x: Tensor, y: Tensor, z: Tensor) -> tuple[Tensor, ...]:
    size = Symbol("B", meta=True, lower_bound=2, upper_bound=8)
    return x.tile((1,)).tile((1,)), y.tile((size,)).tile((-1,)), z.tile((size,))


def left_out(x: Any, y: Any, z: Any) -> None:
    z = y[x[0]]  # pyright: ignore[reportUnusedVariable]


def test_what_depends_on_data_is_left_out_in_words(chromium: Browser, tmp_path: Path) -> None:
    kernel = ninetoothed.make(
        arrange_gather,
        left_out,
        (Tensor(1, dtype="i32"), Tensor(1), Tensor(1)),
    )
    kernel.explore(tmp_path / "page.html", x=(1,), y=(6,), z=(2,))
    with shown(chromium, tmp_path / "page.html") as page:
        text = "left out: it is indexed by what the application computes while it runs"
        assert count(page, "y") == text
        point(page, "y", 0, 3)
        assert status(page) == "element (3,) of y"
