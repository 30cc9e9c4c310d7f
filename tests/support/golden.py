"""Golden files: text that a refactor must not change."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "golden"


@dataclass(frozen=True)
class Golden:
    """The fixture: ``golden("add.ttir", text)`` compares with ``tests/golden/add.ttir``."""

    update: bool
    root: Path = ROOT

    def __call__(self, name: str, text: str) -> None:
        """Compare ``text`` with the file ``name``, or write the file under ``--update-golden``."""
        __tracebackhide__ = True
        path = self.root / name
        if not text.endswith("\n"):
            text += "\n"
        if self.update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            return
        if not path.is_file():
            pytest.fail(
                f"{path} is missing: write it with `make golden` and read it", pytrace=False
            )
        expected = path.read_text(encoding="utf-8")
        if expected != text:
            diff = difflib.unified_diff(
                expected.splitlines(), text.splitlines(), str(path), "now", lineterm=""
            )
            message = "\n".join(diff)
            hint = "if that is meant: `make golden`, and read the diff before you commit it"
            pytest.fail(f"{message}\n\n{hint}", pytrace=False)
