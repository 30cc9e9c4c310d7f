"""The documentation's site as it was built, its pages taken apart."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from html.parser import HTMLParser
from pathlib import Path

from tests.support.imports import ROOT

_HEADINGS = ("h1", "h2", "h3", "h4")


@dataclass
class SitePage:
    """One page: where it lies, and what of it the tests ask for.

    ``links`` are of anchors, ``loaded`` what a browser loads to show the page, and ``images`` the
    sources and alternative texts of images.
    """

    path: Path
    ids: set[str] = field(default_factory=set[str])
    links: list[str] = field(default_factory=list[str])
    loaded: list[str] = field(default_factory=list[str])
    images: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    headings: list[str] = field(default_factory=list[str])


class _Reader(HTMLParser):
    def __init__(self, page: SitePage) -> None:
        super().__init__()
        self._page = page
        self._heading: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        page, given = self._page, {name: value or "" for name, value in attrs}
        if "id" in given:
            page.ids.add(given["id"])
        if tag == "a" and "href" in given:
            page.links.append(given["href"])
        if tag == "img":
            page.images.append((given["src"], given.get("alt", "")))
        if tag == "link" and given.get("rel") in ("stylesheet", "icon", "preload"):
            page.loaded.append(given["href"])
        if tag in ("script", "img", "source", "iframe") and "src" in given:
            page.loaded.append(given["src"])
        if tag in _HEADINGS:
            self._heading = []

    def handle_endtag(self, tag: str) -> None:
        if tag in _HEADINGS and self._heading is not None:
            self._page.headings.append("".join(self._heading).removesuffix("¶"))
            self._heading = None

    def handle_data(self, data: str) -> None:
        if self._heading is not None:
            self._heading.append(data)


@dataclass(frozen=True)
class Site:
    """A built site, in ``folder``."""

    folder: Path

    @cached_property
    def pages(self) -> Mapping[str, SitePage]:
        """Its pages by their names below the folder, in order of name."""
        found: dict[str, SitePage] = {}
        for path in sorted(self.folder.rglob("*.html")):
            if "_static" not in path.relative_to(self.folder).parts:
                page = SitePage(path)
                _Reader(page).feed(path.read_text(encoding="utf-8"))
                found[path.relative_to(self.folder).as_posix()] = page
        return found


def build(folder: Path) -> Site:
    """Build the site in an empty folder; a warning of Sphinx is an error."""
    pages = folder / "html"
    options = ["-W", "--keep-going", "--quiet", "-d", str(folder / "doctrees")]
    command = [sys.executable, "-m", "sphinx", *options, str(ROOT / "docs"), str(pages)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    return Site(pages)
