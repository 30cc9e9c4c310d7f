"""A Chromium to look at pages with, or why there is none."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

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
