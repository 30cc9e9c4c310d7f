"""The Chromium of the tests shows a page and reaches no network."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def test_a_page_is_shown(chromium: Browser, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text("<title>before</title><script>document.title = 'run'</script>")
    page = chromium.new_page()
    try:
        page.goto(path.as_uri())
        assert page.title() == "run"
    finally:
        page.close()
