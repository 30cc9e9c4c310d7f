"""Every public name has an entry in the reference, and tables say what the code does."""

from __future__ import annotations

import doctest
import inspect
import re

import pytest
import torch

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


def _described() -> dict[str, object]:
    """What a program calls: not errors, warnings, element types and the version."""
    public = {name: getattr(ninetoothed, name) for name in ninetoothed.__all__}
    errors_ = (errors.NineToothedError, errors.NineToothedWarning)
    return {
        name: one
        for name, one in public.items()
        if callable(one) and not (isinstance(one, type) and issubclass(one, errors_))
    }


@pytest.mark.parametrize("name", sorted(_described()))
def test_entries_are_whole(name: str) -> None:
    """Each parameter is told of, or where to read of it; so is what is raised, and an example
    runs.
    """
    described = _described()[name]
    text = inspect.getdoc(described) or ""
    # What makes kernels tells of theirs.
    if described is not ninetoothed.Kernel:
        parameters = inspect.signature(described).parameters  # pyright: ignore[reportArgumentType]
        shown = [
            one for one in parameters if not one.startswith("_") and one not in ("args", "kwargs")
        ]
        assert not [one for one in shown if not re.search(rf"\b{one}\b", text)]
        assert "\nRaises:\n" in text
    known = {"ninetoothed": ninetoothed, "ntl": ntl, "torch": torch}
    known |= {one: getattr(ninetoothed, one) for one in ("Symbol", "Tensor", "block_size")}
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    example = parser.get_doctest(text, known, name, None, None)
    assert example.examples
    assert runner.run(example).failed == 0


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
