"""Pages of the site in a browser: from the file system, in both colour schemes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import pytest

from tests.support.site_pages import Site

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.xdist_group("site")

PAGES = (
    "index.html",
    "arrangements/index.html",
    "arrangements/chains.html",
    "language.html",
    "reference/kernels.html",
    "compiler/benchmarks.html",
)


@pytest.mark.parametrize("width", [1280, 400])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_shown(chromium: Browser, site: Site, name: str, width: int) -> None:
    """Without an error or a request that fails, and no wider than the window, on a phone, too."""
    page = chromium.new_page(viewport={"width": width, "height": 900})
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("requestfailed", lambda request: wrong.append(request.url))
    try:
        page.goto((site.folder / name).as_uri())
        assert page.locator("h1").first.is_visible()
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        drawn = "[...document.images].every(one => one.complete && one.naturalWidth > 0)"
        assert page.evaluate(drawn)
        assert wrong == []
    finally:
        page.close()


def _brightness(chromium: Browser, site: Site, scheme: Literal["dark", "light"]) -> int:
    """Of the background behind the text, the sum of red, green and blue."""
    page = chromium.new_page(color_scheme=scheme)
    try:
        page.goto((site.folder / "index.html").as_uri())
        color: str = page.evaluate("getComputedStyle(document.body).backgroundColor")
        return sum(int(part) for part in color.removeprefix("rgb(").removesuffix(")").split(","))
    finally:
        page.close()


def test_dark_and_light(chromium: Browser, site: Site) -> None:
    assert _brightness(chromium, site, "dark") < 200 < 600 < _brightness(chromium, site, "light")
