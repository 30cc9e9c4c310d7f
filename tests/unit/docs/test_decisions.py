"""Every decision names what holds it, and that exists."""

from __future__ import annotations

import re

import pytest

from tests.support.imports import ROOT

TEXT = (ROOT / "docs" / "decisions.md").read_text(encoding="utf-8")
ENTRIES = re.findall(r"^### (.+?)\n(.*?)(?=^##|\Z)", TEXT, flags=re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(("title", "entry"), ENTRIES, ids=[title for title, _ in ENTRIES])
def test_what_holds_a_decision_exists(title: str, entry: str) -> None:
    named = re.findall(r"`((?:tests|benchmarks)/[^`]+)`", entry.partition("Held by:")[2])
    assert "Held by:" in entry
    for path, _, test in (name.partition("::") for name in named):
        assert (ROOT / path).exists(), path
        name = test.partition("[")[0]
        assert not name or f"def {name}(" in (ROOT / path).read_text(encoding="utf-8"), test
