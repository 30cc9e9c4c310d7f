"""The page of ``nt-opt view`` in a browser: loads, links, search, keys, no errors."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ninetoothed.tools.nt_opt import main
from tests.support.imports import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture
def page(chromium: Browser, tmp_path: Path) -> Iterator[Page]:
    """The page of softmax; what its console says is an error."""
    path = tmp_path / "softmax.html"
    assert main(["view", str(ROOT / "examples" / "softmax.py"), "-o", str(path)]) == 0
    said: list[str] = []
    page = chromium.new_page(viewport={"width": 1500, "height": 900})
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-ready]")
    yield page
    page.close()
    assert not said


def test_a_pinned_line_shows_its_lines_in_all_panels(page: Page) -> None:
    assert page.locator(".panel").count() == 3
    page.locator(".panel").nth(0).locator(".line.linked", has_text="numerator = ").first.click()
    for panel in range(3):
        assert page.locator(".panel").nth(panel).locator(".line.pin").count() > 0
    assert page.locator("#pinned").inner_text().startswith("pinned softmax.py:22")
    exp = page.locator(".panel").nth(1).locator(".line.pin", has_text="math.exp")
    assert exp.count() == 1
    page.keyboard.press("Escape")
    assert page.locator(".line.pin").count() == 0


def test_a_line_that_is_pointed_at_shows_its_lines(page: Page) -> None:
    page.locator(".panel").nth(1).locator(".line", has_text="math.exp").hover()
    over = page.locator(".panel").nth(0).locator(".line.over:not(.remark)")
    assert over.count() == 1
    assert "numerator = " in over.inner_text()
    assert page.locator(".panel").nth(2).locator(".line.over").count() > 0


def test_search_finds_lines_in_all_panels(page: Page) -> None:
    page.keyboard.press("/")
    page.keyboard.type("tt.load")
    assert page.locator("#found").inner_text() == "1 lines"
    page.keyboard.press("Enter")
    assert "tt.load" in page.locator(".line.now").inner_text()
    assert page.locator("#elsewhere button", has_text="ttgir").count() == 1
    page.keyboard.press("Escape")
    assert page.locator(".line.hit").count() == 0


def test_keys_lead_through_stages_and_lines(page: Page) -> None:
    panel = page.locator(".panel").nth(1)
    panel.locator(".code").focus()
    page.keyboard.press("]")
    assert panel.locator("select").input_value() == "stage:ttir"
    page.keyboard.press("[")
    assert panel.locator("select").input_value().startswith("pass:")
    page.keyboard.press("d")
    assert panel.locator(".line.add").count() > 0
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.keyboard.press("?")
    assert page.locator("#help").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator("#help").is_visible()
    page.keyboard.press("a")
    assert page.locator(".panel").count() == 4
    page.keyboard.press("x")
    assert page.locator(".panel").count() == 3
