"""A Chromium to look at pages with, or why there is none."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Generator, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """A headless Chromium of the machine, driven by Playwright; skipped where there is none."""
    path = next(filter(None, map(shutil.which, _NAMES)), None)
    if path is None:
        pytest.skip(f"there is no Chromium: none of {', '.join(_NAMES)} is on PATH")
    if find_spec("playwright") is None:
        pytest.skip("Playwright, which drives Chromium, is not installed: make test-tools does")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        # Its sandbox needs privileges that containers do not have.
        browser = driver.chromium.launch(executable_path=path, chromium_sandbox=False)
        yield browser
        browser.close()


@contextlib.contextmanager
def shown(
    chromium: Browser, path: Path, width: int = 1200, is_dark: bool = False
) -> Generator[Page]:
    """A page in the browser; what its console says, and what it loads, are errors."""
    said: list[str] = []
    page = chromium.new_page(
        viewport={"width": width, "height": 900}, color_scheme="dark" if is_dark else "light"
    )
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: said.append(request.url))
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-ready]")
    yield page
    page.close()
    assert said == [path.as_uri()]
