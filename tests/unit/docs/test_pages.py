"""Generated pages of the documentation are up to date, and lead where they say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ninetoothed.ir.stages import STAGES
from ninetoothed.passes import pass_names
from ninetoothed.tools import view
from ninetoothed.tools.nt_opt.command_line import parser
from ninetoothed.tools.pages import pages, stale
from tests.support.imports import ROOT

PAGES = pages(ROOT)
DOCS = ROOT / "docs"


def test_there_is_a_page_a_pass() -> None:
    ours = [f"passes/{name}.md" for name in pass_names() if name.startswith("nt-")]
    assert ours
    assert set(ours) < set(PAGES)
    assert stale(ROOT, PAGES) == []


@pytest.mark.parametrize("name", PAGES)
def test_page_is_current(name: str) -> None:
    assert (DOCS / name).read_text(encoding="utf-8") == PAGES[name], "run `make docs`"


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name: str) -> None:
    for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", PAGES[name]):
        assert ((DOCS / name).parent / link).exists(), link


def test_every_stage_is_shown() -> None:
    shown = re.findall(r"^## (\w+)$.*?^```mlir\n(.*?)^```$", PAGES["stages.md"], re.M | re.S)
    assert [name for name, _ in shown] == list(STAGES)
    assert len({text for _, text in shown}) == len(STAGES)


def test_every_option_is_listed() -> None:
    text, _, of_view = PAGES["nt-opt.md"].partition("\n## nt-opt view\n")
    for found, shown in ((parser(), text), (view.parser(), of_view)):
        names = re.findall(r"--[a-z][a-z-]+", found.format_help())
        assert names
        assert [name for name in names if name not in shown] == []


def test_pages_of_passes_that_are_gone(tmp_path: Path) -> None:
    folder = tmp_path / "docs" / "passes"
    folder.mkdir(parents=True)
    for name in ("nt-specialize.md", "nt-gone.md"):
        (folder / name).write_text("")
    assert stale(tmp_path, PAGES) == [folder / "nt-gone.md"]
