"""Generate the reference of ``docs/language.md`` from the table of primitives.

The introduction above the marker line is kept; everything below it is generated anew.
"""

from __future__ import annotations

from collections.abc import Iterable

from ninetoothed.language import table
from ninetoothed.language.table import LIBDEVICE, TABLE
from ninetoothed.language.table.primitive import Primitive

MARKER = "<!-- Below: written by `make docs`. -->\n"
_TOPICS = {
    "Elementwise": (table.elementwise, table.composites),
    "Reductions and scans": (table.reductions,),
    "Matrix multiplication": (table.dot,),
    "Creation": (table.creation,),
    "Shape manipulation": (table.shapes,),
    "Control": (table.control,),
    "Pointers and atomics": (table.memory,),
    "Debugging and hints": (table.debug,),
    "Random numbers": (table.random,),
}
"""The sections, each with the modules of its rows."""


def reference() -> str:
    """The generated part of the page."""
    parts = ["## Operators\n", _operators()]
    for title, modules in _TOPICS.items():
        parts.append(f"## {title}\n")
        for rows in (module.ROWS for module in modules):
            # Functions are sorted by name.
            ordered = sorted(rows, key=lambda row: row.name if row.op == "inline" else "")
            parts += [_row(row) for row in ordered if row.public]
    parts += ["## Device libraries\n", _table(LIBDEVICE.values())]
    return "\n".join(parts)


def page(text: str) -> str:
    """``text`` with the part below the marker generated anew."""
    introduction, marker, _ = text.partition(MARKER)
    if not marker:
        raise SystemExit(f"the page has no line {MARKER.strip()!r}")
    return f"{introduction}{MARKER}\n{reference()}"


def _operators() -> str:
    return _table(row for row in TABLE.values() if row.operator)


def _table(rows: Iterable[Primitive]) -> str:
    lines = ["| expression | result | element types |", "|---|---|---|"]
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
