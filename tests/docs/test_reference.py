"""Every public name has an entry in the reference, and tables say what the code does."""

from __future__ import annotations

import re

import pytest

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import errors
from ninetoothed.dtype import DTYPES
from tests.support.imports import ROOT
from tests.support.page_programs import PagePrograms
from tests.support.site_pages import Site

pytestmark = pytest.mark.xdist_group("site")

_CAUGHT = {"CheckError", "FallbackError", "ScratchError", "DescriptorError"}
"""Errors that do not reach a user."""

_REFERENCE = ROOT / "docs" / "reference"


def _entries(site: Site) -> set[str]:
    """The names that have an entry: as Sphinx and the headings of the language's page have them."""
    names = {
        one
        for name, page in site.pages.items()
        if name.startswith("reference/")
        for one in page.ids
    }
    headings = site.pages["language.html"].headings
    functions = [re.match(r"ntl\.(\w+)\(", heading) for heading in headings]
    return names | {f"ninetoothed.language.{found[1]}" for found in functions if found}


def test_names_of_the_package(site: Site) -> None:
    public = {f"ninetoothed.{name}" for name in ninetoothed.__all__}
    assert sorted(public - _entries(site)) == []


def test_names_of_the_language(site: Site) -> None:
    public = {f"ninetoothed.language.{name}" for name in dir(ntl)}
    assert {"ninetoothed.language.dot", "ninetoothed.language.float16"} < public
    # The modules have ids of their own form.
    entries = {name.removeprefix("module-") for name in _entries(site)}
    assert sorted(public - entries) == []


def test_errors_and_warnings(site: Site) -> None:
    """An entry each, and a row that says what it means."""
    text = (_REFERENCE / "errors.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \|", text, re.M)
    bases = (errors.NineToothedError, errors.NineToothedWarning)
    classes = [v for v in vars(errors).values() if isinstance(v, type) and issubclass(v, bases)]
    names = [one.__name__ for one in classes if one not in bases and one.__name__ not in _CAUGHT]
    assert sorted(rows) == sorted(names)
    entries = {name.rpartition(".")[2] for name in _entries(site)}
    assert sorted(set(names) - entries) == []


def test_what_strict_makes_an_error() -> None:
    text = (_REFERENCE / "errors.md").read_text(encoding="utf-8")
    marked = re.findall(r"^\| `(\w+Warning)` \|[^|]*\| error \|$", text, re.M)
    warnings = vars(errors).values()
    found = [
        one.__name__
        for one in warnings
        if isinstance(one, type) and getattr(one, "is_error_if_strict", False)
    ]
    assert sorted(marked) == sorted(found)


def test_element_types() -> None:
    text = (_REFERENCE / "dtypes.md").read_text(encoding="utf-8")
    cells = re.findall(
        r"^\| `(\w+)` \| (\w+) \| (\d+) \| `torch\.(\w+)` \| `(\w+)` \| `(\w+)` \|$", text, re.M
    )
    shown = {row[4]: row for row in cells}
    assert sorted(shown) == sorted(DTYPES)
    for name, row in DTYPES.items():
        spelled, kind, bits, of_torch, _, ir = shown[name]
        assert getattr(ntl, spelled) == name
        assert (kind, int(bits), of_torch, ir) == (row.kind, row.bits, row.torch, row.ir)


def test_lines_of_triton_and_ours() -> None:
    """Both are lines of the page's programs, which run and agree."""
    page = PagePrograms(_REFERENCE / "triton.md")
    code = "\n".join(text for kind, text in page.blocks if kind == "python")
    text = page.path.read_text(encoding="utf-8").partition("\n## Names\n")[0]
    rows = re.findall(r"^\| (`.*`) \|(?: (`.*`) )?\s*\|[^|]*\|$", text, re.M)
    assert len(rows) == text.count("\n| `")
    missing = [cell for row in rows for cell in row if cell and cell.strip("`") not in code]
    assert not missing


def test_names_of_triton() -> None:
    """The page lists those that the language has not, and no others."""
    tl = pytest.importorskip("triton.language")
    names = (
        (_REFERENCE / "triton.md").read_text(encoding="utf-8").partition("\nNot there are:\n")[2]
    )
    cells = re.findall(r"^\| (`[^|]*`) \|", names, re.M)
    listed = sorted(name for cell in cells for name in re.findall(r"`(\w+)`", cell))
    assert listed == sorted(set(tl.__all__) - set(dir(ntl)))
