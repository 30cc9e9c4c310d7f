"""Generated pages of the documentation are up to date, and lead where they say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ninetoothed.ir.parsing import parse_module
from ninetoothed.ir.printing import text_of
from ninetoothed.ir.stages import STAGES, check_stage
from ninetoothed.passes import pass_names
from ninetoothed.tools import stages_page, view
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


def _shown(stage: str) -> str:
    """The kernel on the page of a stage."""
    (text,) = re.findall(
        r"^```mlir\n(.*?)^```$", PAGES[f"{stages_page.FOLDER}/{stage}.md"], re.M | re.S
    )
    return text


def test_there_is_a_page_a_stage_in_the_order_of_the_pipeline() -> None:
    names = [*STAGES, stages_page.EMITTED]
    paths = [f"{stages_page.FOLDER}/{name}" for name in names]
    assert re.findall(r"\]\((.*)\.md\):", PAGES["stages.md"]) == paths
    index = (DOCS / "compiler" / "index.md").read_text(encoding="utf-8")
    assert [f"compiler/{name}" for name in re.findall(r"^stages/.*$", index, re.M)] == paths


@pytest.mark.parametrize("stage", STAGES)
def test_what_a_stage_shows_is_of_the_stage_and_parses(stage: str) -> None:
    text = _shown(stage)
    module = parse_module(text, "page.mlir")
    check_stage(module, stage)
    assert f"{text_of(module)}\n" == text


def test_stages_differ() -> None:
    assert len({_shown(stage) for stage in STAGES}) == len(STAGES)


def test_what_changed_is_computed() -> None:
    composed, padded = (PAGES[f"{stages_page.FOLDER}/{name}.md"] for name in ("composed", "padded"))
    assert "- New ops: `nt.access` (3).\n" in composed
    assert "- Ops that are gone: `nt.expand` (2), `nt.squeeze` (2), `nt.tile` (5).\n" in composed
    # Of few changed lines, both forms.
    (diff,) = re.findall(r"^```diff\n(.*?)^```$", padded, re.M | re.S)
    before, after = (set(_shown(stage).splitlines()) for stage in ("specialized", "padded"))
    lines = diff.splitlines()
    assert {line[1:] for line in lines if line.startswith("-")} >= before - after
    assert {line[1:] for line in lines if line.startswith("+")} >= after - before
    assert "```diff" not in composed


def test_every_option_is_listed() -> None:
    text, _, of_view = PAGES["nt-opt.md"].partition("\n## nt-opt view\n")
    for found, shown in ((parser(), text), (view.parser(), of_view)):
        names = re.findall(r"--[a-z][a-z-]+", found.format_help())
        assert names
        assert [name for name in names if name not in shown] == []


@pytest.mark.parametrize(
    ("folder", "name"), [("passes", "nt-specialize.md"), (stages_page.FOLDER, "padded.md")]
)
def test_pages_of_what_is_gone(tmp_path: Path, folder: str, name: str) -> None:
    path = tmp_path / "docs" / folder
    path.mkdir(parents=True)
    for one in (name, "gone.md"):
        (path / one).write_text("")
    assert stale(tmp_path, PAGES) == [path / "gone.md"]
