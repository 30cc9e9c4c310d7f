"""The page of ``nt-opt view`` in a browser: loads, links, search, keys, no errors."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ninetoothed.tools.nt_opt import main
from tests.support.chromium import shown
from tests.support.imports import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture(scope="module")
def softmax(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of softmax."""
    path = tmp_path_factory.mktemp("view") / "softmax.html"
    assert main(["view", str(ROOT / "examples" / "softmax.py"), "-o", str(path)]) == 0
    return path


@pytest.fixture
def page(chromium: Browser, softmax: Path) -> Iterator[Page]:
    """The page of softmax in the browser."""
    with shown(chromium, softmax, width=1500) as page:
        yield page


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
    assert page.locator("#found").inner_text() == "1 line"
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


def test_keys_work_before_anything_has_the_focus(page: Page) -> None:
    page.keyboard.press("ArrowDown")
    assert page.locator(".panel").nth(0).locator(".line.cursor").count() == 1
    assert page.locator("#unshown").is_hidden()


def test_without_javascript_the_page_says_so(chromium: Browser, softmax: Path) -> None:
    page = chromium.new_page(java_script_enabled=False)
    page.goto(softmax.as_uri())
    assert page.locator("#unshown").is_visible()
    assert page.locator("#unshown").inner_text().startswith("This page needs JavaScript")
    page.close()


SOURCE = """\
import ninetoothed
from ninetoothed import Tensor

def application(x, y):  # </script><img src=x onerror=alert(1)>\u2028<!--
    y = x

kernel = ninetoothed.make(
    lambda x, y: (x.tile((4,)), y.tile((4,))), application, (Tensor(1), Tensor(1))
)
"""


def test_the_source_is_text(chromium: Browser, tmp_path: Path) -> None:
    kernel, path = tmp_path / "<b>'é\".py", tmp_path / "out.html"
    kernel.write_text(SOURCE, encoding="utf-8")
    assert main(["view", str(kernel), "-o", str(path)]) == 0
    with shown(chromium, path, width=1500) as page:
        source = page.locator(".panel").nth(0)
        texts = source.locator(".line:not(.remark) > .text").all_text_contents()
        assert texts == SOURCE.rstrip("\n").split("\n")
        assert page.locator("img, b:not(.fact b)").count() == 0
        source.locator(".line.linked", has_text="y = x").click()
        for panel in range(3):
            assert page.locator(".panel").nth(panel).locator(".line.pin").count() > 0
