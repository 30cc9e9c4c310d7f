"""The path of ``docs/inside.md``: files are written, the package is installed, commands run."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from tests.support.imports import ROOT
from tests.support.view_pages import data_of
from tests.tools.environment import Environment

TEXT = (ROOT / "docs" / "inside.md").read_text(encoding="utf-8")
PARTS = re.findall(r"^```\w+ (file=\S+|run|install)\n(.*?)^```", TEXT, re.M | re.S)
TOOLS = {"nt-opt": ("-m", "ninetoothed.tools.nt_opt"), "python": ()}


def test_the_path(tmp_path: Path) -> None:
    """From an empty folder to a pass with tests and a choice, in an environment of its own."""
    folder = tmp_path / "package"
    environment = Environment.made(tmp_path / "environment")
    ran: dict[str, str] = {}
    for kind, text in PARTS:
        if kind == "install":
            environment.install(folder)
        elif kind == "run":
            for line in text.splitlines():
                tool, *arguments = shlex.split(line)
                ran[line] = environment.run(*TOOLS[tool], *arguments, cwd=folder)
        else:
            path = folder / kind.removeprefix("file=")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    assert "3 passed" in ran["python -m pytest -q"]
    chosen = ran["nt-opt kernel.py --kernel \"make('my-hints')\" --choose my_hints=1 -t ttir"]
    assert "eviction_policy = evict_last" in chosen
    assert len(list((folder / "dump").glob("*.mlir"))) > 20
    data = data_of((folder / "out.html").read_text(encoding="utf-8"))
    (row,) = [row for row in data["passes"] if row["name"] == "my-hints"]
    assert row["diff"]
    remarks = [remark["message"] for remark in data["remarks"] if remark["pass"] == "my-hints"]
    assert remarks == ["load marked: every program reads it"]
