"""Every code block of every page is run, here or by the test that is named here."""

from __future__ import annotations

from pathlib import Path

import pytest

from ninetoothed.tools.pages import pages
from tests.support.imports import ROOT
from tests.support.page_programs import PagePrograms, run

DOCS = ROOT / "docs"
FOLDERS = ("start", "how_to", "reference", "compiler", "arrangements")

HELD = {
    "examples.md": "tests/unit/docs/test_examples.py",
    "explore.md": "tests/unit/docs/test_explore_page.py",
    "inside.md": "tests/tools/test_inside.py",
    "ir.md": "tests/unit/docs/test_ir.py",
    "language.md": "tests/e2e/test_language_doc.py",
    "nt-opt.md": "tests/unit/docs/test_pages.py",
    "pictures.md": "tests/unit/docs/test_pictures_page.py",
    "pytorch.md": "tests/pytorch/test_pytorch_doc.py",
    "sharding.md": "tests/pytorch/test_sharding_doc.py",
    "stages.md": "tests/unit/docs/test_pages.py",
    "verification.md": "tests/e2e/test_verification_doc.py",
}
"""Pages of which another test runs the blocks."""

NOT_RUN = {
    "distributed_tuning.md": "needs several GPUs, and a model",
    "start/install.md": "installs the package",
    "validation.md": "a command with a program of the reader's",
}
"""Pages of which no test runs the blocks, and why."""

PAGES = {path.relative_to(DOCS).as_posix(): path for path in sorted(DOCS.rglob("*.md"))}
WITH_BLOCKS = {name: page for name, path in PAGES.items() if (page := PagePrograms(path)).blocks}
GENERATED = {name for name in pages(ROOT) if name.startswith(("passes/", "compiler/stages/"))}
"""Pages of passes and stages, which are what the compiler prints."""
RUN_HERE = [
    name
    for name in WITH_BLOCKS
    if name.split("/")[0] in FOLDERS and name not in {*NOT_RUN, *GENERATED}
]


@pytest.mark.parametrize("name", RUN_HERE)
def test_blocks_run(name: str, tmp_path: Path) -> None:
    printed = run(WITH_BLOCKS[name], tmp_path)
    for found, shown in zip(printed.found, printed.shown, strict=True):
        assert shown is None or found == shown
    assert printed.found


def test_every_page_with_blocks_is_held() -> None:
    """By this file, by another one that names it, or as a generated page."""
    held = {*RUN_HERE, *HELD, *NOT_RUN, *GENERATED}
    assert sorted(set(WITH_BLOCKS) - held) == []
    assert sorted({*HELD, *NOT_RUN} - set(WITH_BLOCKS)) == []
    for name, test in HELD.items():
        assert Path(name).stem in (ROOT / test).read_text(encoding="utf-8"), test


def test_blocks_of_no_kind_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text("```perl\nprint 1\n```\n", encoding="utf-8")
    with pytest.raises(ValueError, match="a block of kind 'perl' is not run"):
        run(PagePrograms(path), tmp_path)
