"""The picture of the page in the documentation, which ``make docs-images`` draws."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from ninetoothed.tools.nt_opt import main
from tests.support.imports import ROOT

PICTURE = ROOT / "docs" / "images" / "view.png"


def draw() -> None:
    """Show the page of softmax with a line pinned, and keep the picture."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        path = Path(folder) / "softmax.html"
        if main(["view", str(ROOT / "examples" / "softmax.py"), "-o", str(path)]):
            raise SystemExit(1)
        program = shutil.which("chromium") or shutil.which("google-chrome")
        browser = driver.chromium.launch(executable_path=program, chromium_sandbox=False)
        page = browser.new_page(viewport={"width": 1280, "height": 640}, color_scheme="light")
        page.goto(path.as_uri())
        page.wait_for_selector("html[data-ready]")
        page.locator(".panel").nth(0).locator(".line", has_text="numerator = ").first.locator(
            "i"
        ).click()
        PICTURE.parent.mkdir(exist_ok=True)
        page.screenshot(path=PICTURE)
        browser.close()


if __name__ == "__main__":
    draw()
