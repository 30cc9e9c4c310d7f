"""Writes the reference behind the introduction of ``docs/language.md``, from the table.

    python -m ninetoothed.tools.language_page docs/language.md

What stands above the marker line is kept; what stands below it is written anew.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from ninetoothed.language import table
from ninetoothed.language.table import LIBDEVICE, TABLE
from ninetoothed.language.table.primitive import Primitive

MARKER = "<!-- Below: written by `make docs`. -->\n"
_TOPICS = {
    "Elementwise": (table.elementwise, table.composites),
    "Reductions and scans": (table.reductions,),
    "Matrix multiplication": (table.dot,),
    "Creation": (table.creation,),
    "Shapes and order": (table.shapes,),
    "Control": (table.control,),
    "Pointers and atomics": (table.memory,),
    "Debugging and hints": (table.debug,),
    "Random numbers": (table.random,),
}
"""The sections, and the modules whose rows stand there."""


def reference() -> str:
    """The generated part of the page."""
    parts = ["## Operators\n", _operators()]
    for title, modules in _TOPICS.items():
        parts.append(f"## {title}\n")
        for rows in (module.ROWS for module in modules):
            # Functions stand in the order of their names.
            ordered = sorted(rows, key=lambda row: row.name if row.op == "inline" else "")
            parts += [_row(row) for row in ordered if row.public]
    parts += ["## The device libraries\n", _table(LIBDEVICE.values())]
    return "\n".join(parts)


def page(text: str) -> str:
    """``text`` with the part below the marker written anew."""
    introduction, marker, _ = text.partition(MARKER)
    if not marker:
        raise SystemExit(f"the page has no line {MARKER.strip()!r}")
    return f"{introduction}{MARKER}\n{reference()}"


def _operators() -> str:
    return _table(row for row in TABLE.values() if row.operator)


def _table(rows: Iterable[Primitive]) -> str:
    lines = ["| written | gives | element types |", "|---|---|---|"]
    for row in rows:
        lines.append(f"| {_code(row.title)} | {row.text} | {row.sections['Element types']} |")
    return "\n".join(lines).replace("``", "`") + "\n"


def _row(row: Primitive) -> str:
    title = f"### `{row.title}`\n"
    if row.body is not None:
        lines = [title, row.doc]
    else:
        lines = [title, row.text, ""]
        for heading, text in row.sections.items():
            text = _code(text) if heading == "Example" else " ".join(text.splitlines())
            lines.append(f"- {heading}: {text}")
    return "\n".join(lines).replace("``", "`") + "\n"


def _code(text: str) -> str:
    return f"`` {text} ``" if "`" in text else f"`{text}`".replace("|", "\\|")


def main() -> None:
    """Write the page that the command line names."""
    path = Path(sys.argv[1])
    path.write_text(page(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
