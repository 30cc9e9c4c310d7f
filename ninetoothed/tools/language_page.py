"""Writes the reference behind the introduction of ``docs/language.md``, from the table.

    python -m ninetoothed.tools.language_page docs/language.md

What stands above the marker line is kept; what stands below it is written anew.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import ninetoothed.language as ntl
from ninetoothed.language import table
from ninetoothed.language.table import LIBDEVICE
from ninetoothed.language.table.kinds import SECTIONS
from ninetoothed.language.table.primitive import Primitive

MARKER = "<!-- Below: written by `make docs`. -->\n"
_TOPICS = {
    "elementwise": "Lane by lane",
    "reductions": "Lanes combined",
    "products": "Products of matrices",
    "creation": "Blocks made",
    "shapes": "Lanes moved",
    "control": "Control",
    "memory": "Pointers and atomics",
    "debug": "Said and demanded",
    "random": "Random numbers",
}
"""The sections: modules of the table, and of functions written in the language."""

_COMPOSITES = {"composites": "elementwise", "random": "random"}
"""Where the functions of a module of the language stand."""


def reference() -> str:
    """The generated part of the page."""
    parts = ["## Operators\n", _operators()]
    for topic, title in _TOPICS.items():
        parts.append(f"## {title}\n")
        parts += [_row(row) for row in _rows(topic) if row.public]
        parts += [_function(function) for function in _functions(topic)]
    parts += ["## The device libraries\n", _table(LIBDEVICE.values())]
    return "\n".join(parts)


def page(text: str) -> str:
    """``text`` with the part below the marker written anew."""
    introduction, marker, _ = text.partition(MARKER)
    if not marker:
        raise SystemExit(f"the page has no line {MARKER.strip()!r}")
    return f"{introduction}{MARKER}\n{reference()}"


def _rows(topic: str) -> Sequence[Primitive]:
    module: ModuleType | None = getattr(table, topic, None)
    return () if module is None else module.ROWS


def _functions(topic: str) -> list[Callable[..., Any]]:
    """The functions of the topic that are written in the language, in the order of their files."""
    found = [getattr(ntl, name) for name in ntl.__all__]
    functions = [value for value in found if inspect.isfunction(value)]
    return [f for f in functions if _COMPOSITES[f.__module__.rpartition(".")[2]] == topic]


def _operators() -> str:
    return _table([row for topic in _TOPICS for row in _rows(topic) if row.operator])


def _table(rows: Iterable[Primitive]) -> str:
    lines = ["| written | gives | element types |", "|---|---|---|"]
    for row in rows:
        lines.append(f"| {_code(row.title)} | {row.text} | {row.sections['Element types']} |")
    return "\n".join(lines).replace("``", "`") + "\n"


def _row(row: Primitive) -> str:
    sections = row.sections
    lines = [f"### `{row.title}`\n", row.text, ""]
    for heading in SECTIONS:
        if heading not in sections:
            continue
        text = sections[heading]
        if heading == "Example":
            text = _code(text)
        lines.append(f"- {heading}: {' '.join(text.splitlines())}")
    return "\n".join(lines).replace("``", "`") + "\n"


def _function(function: Callable[..., Any]) -> str:
    signature = inspect.signature(function)
    parameters = ", ".join(
        name if one.default is one.empty else f"{name}={one.default!r}"
        for name, one in signature.parameters.items()
    )
    text = inspect.getdoc(function) or ""
    return f"### `ntl.{function.__name__}({parameters})`\n\n{text}\n".replace("``", "`")


def _code(text: str) -> str:
    return f"`` {text} ``" if "`" in text else f"`{text}`".replace("|", "\\|")


def main() -> None:
    """Write the page that the command line names."""
    path = Path(sys.argv[1])
    path.write_text(page(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
