"""The site holds together: links, pictures, sizes, and nothing from elsewhere."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.support.imports import ROOT
from tests.support.site_pages import Site, SitePage, build

pytestmark = pytest.mark.xdist_group("site")

PARTS = ("start", "arrangements", "how_to", "reference", "compiler")
_LARGEST = 1_000_000
_FROM_ELSEWHERE = re.compile(r"(?:https?:)?//")


def _target(page: SitePage, link: str) -> tuple[Path, str]:
    """The file that a link leads to, and the place in it."""
    parts = urlsplit(link)
    path = page.path.parent / unquote(parts.path) if parts.path else page.path
    return path.resolve(), unquote(parts.fragment)


def test_links_lead_somewhere(site: Site) -> None:
    ids = {page.path.resolve(): page.ids for page in site.pages.values()}
    wrong: list[str] = []
    followed = 0
    for name, page in site.pages.items():
        for link in page.links:
            if _FROM_ELSEWHERE.match(link) or link.startswith("mailto:"):
                continue
            path, place = _target(page, link)
            followed += 1
            if not path.is_file() or (place and path in ids and place not in ids[path]):
                wrong.append(f"{name}: {link}")
    assert followed
    assert not wrong


def test_pages_load_what_is_there_and_nothing_from_elsewhere(site: Site) -> None:
    wrong = [
        f"{name}: {source}"
        for name, page in site.pages.items()
        for source in page.loaded
        if _FROM_ELSEWHERE.match(source) or not _target(page, source)[0].is_file()
    ]
    assert any(page.loaded for page in site.pages.values())
    assert not wrong


def test_pictures_have_texts(site: Site) -> None:
    """A text of their own: Sphinx puts the file's name where there is none."""
    images = [(name, *image) for name, page in site.pages.items() for image in page.images]
    shown = [image for image in images if "_static" not in image[1]]
    assert len(shown) > len(list((ROOT / "docs" / "arrangements" / "drawn").glob("*.svg")))
    assert not [image for image in shown if len(image[2].split()) < 3 or "/" in image[2]]


def test_no_page_is_large(site: Site) -> None:
    large = [name for name, page in site.pages.items() if page.path.stat().st_size > _LARGEST]
    assert not large


def test_every_page_is_there(site: Site) -> None:
    """One for each file of docs; that each has a place in a part, Sphinx sees."""
    docs = ROOT / "docs"
    texts = [path.relative_to(docs).with_suffix(".html") for path in sorted(docs.rglob("*.md"))]
    assert not [path.as_posix() for path in texts if path.as_posix() not in site.pages]


def test_the_first_page_has_the_parts(site: Site) -> None:
    links = site.pages["index.html"].links
    assert [part for part in PARTS if f"{part}/index.html" in links] == list(PARTS)


def test_it_is_the_same_each_time(site: Site, tmp_path: Path) -> None:
    again = build(tmp_path).folder
    files = sorted(path.relative_to(site.folder) for path in site.folder.rglob("*.*"))
    assert files == sorted(path.relative_to(again) for path in again.rglob("*.*"))
    assert Path("_images/product.svg") in files
    differ = [
        path.as_posix()
        for path in files
        if (site.folder / path).is_file()
        and (site.folder / path).read_bytes() != (again / path).read_bytes()
    ]
    assert differ == []
