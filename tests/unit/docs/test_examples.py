"""docs/examples.md shows every example, and nothing else."""

from __future__ import annotations

import re

from tests.support.examples import NAMES
from tests.support.imports import ROOT

TEXT = (ROOT / "docs" / "examples.md").read_text(encoding="utf-8")


def test_every_example_is_shown_once() -> None:
    shown = re.findall(r"^- \[(\w+)\]\(\.\./examples/(\w+)\.py\): \S", TEXT, re.M)
    assert all(name == file for name, file in shown)
    assert sorted(name for name, _ in shown) == NAMES


def test_links_lead_somewhere() -> None:
    for link in re.findall(r"\]\(([^)]*)\)", TEXT):
        assert (ROOT / "docs" / link).is_file(), link


def test_programs_run() -> None:
    (program,) = re.findall(r"^```python\n(.*?)^```", TEXT, re.M | re.S)
    exec(program, {})
