"""The page of every kernel of every example: its links and its size."""

from __future__ import annotations

import importlib
import re
import shutil
from pathlib import Path

import pytest

from ninetoothed.artifacts.target import Target
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.tools.nt_opt.command_line import Arguments, parser
from ninetoothed.tools.nt_opt.kernel_pipeline import configured_call
from ninetoothed.tools.nt_opt.python_file import PythonFile
from ninetoothed.view.collection import collect
from ninetoothed.view.page import page
from tests.support import profiles
from tests.support.examples import NAMES
from tests.support.imports import ROOT
from tests.support.view_pages import data_of

LINKED = 0.75
"""The least share of the lines of a stage that are linked."""
SIZE = 250_000


def kernels(name: str) -> list[Kernel]:
    """The kernels of an example."""
    values = vars(importlib.import_module(f"examples.{name}")).values()
    return list(dict.fromkeys(value for value in values if isinstance(value, Kernel)))


@pytest.mark.parametrize(
    ("name", "arch"), profiles.pairs(NAMES, ["sm_90", "gfx942"], profiles.full())
)
def test_stages_are_linked_and_the_page_is_small(name: str, arch: str) -> None:
    for kernel in kernels(name):
        definition = kernel.definition
        flags = [row.name for row in definition.parameters if row.kind == "constexpr"]
        options = [word for flag in flags for word in ("--set", f"{flag}=True")]
        arguments = parser().parse_args(["-", *options], Arguments())
        call = configured_call(definition, arguments)
        found = collect(definition, call.signature, call.config, Target.parse(arch))
        assert not found.missing
        shares = {stage: listing.linked for stage, listing in found.listings}
        low = {stage: share for stage, share in shares.items() if share < LINKED}
        assert not low, f"{definition.name}: {low}"
        assert len(page(found)) <= SIZE, definition.name


@pytest.mark.parametrize("file", ['it\'s a "kernel".py', "é 核\\\n100%.py", "</script>.py"])
def test_a_file_may_have_any_name(file: str, tmp_path: Path) -> None:
    path = tmp_path / file
    path.parent.mkdir(exist_ok=True)
    shutil.copy(ROOT / "examples" / "add.py", path)
    definition = PythonFile(path).find("add_kernel")
    call = configured_call(definition, parser().parse_args(["-"], Arguments()))
    found = collect(definition, call.signature, call.config, Target.parse("sm_90"))
    assert not found.missing
    for stage, listing in found.listings:
        assert listing.linked >= LINKED, stage
        linked = {file for places in listing.places for file, _ in places or ()}
        assert linked == {str(path)}, stage
    assert re.search(r", line \d+ \([a-z_]+", found.texts["sass"])
    assert data_of(page(found))["files"][0]["text"] == path.read_text(encoding="utf-8")
