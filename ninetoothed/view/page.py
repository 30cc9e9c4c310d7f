"""The page: one HTML file that holds all it shows, and loads nothing.

Its data are JSON, compressed and in Base64, so that nothing of the user's is part of the markup;
the script, which shows data as text alone, takes them apart.
"""

from __future__ import annotations

import base64
import difflib
import json
import linecache
import zlib
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ninetoothed.ir.nt import Remark
from ninetoothed.version import __version__
from ninetoothed.view.collection import Compilation, Snapshot
from ninetoothed.view.line_forms import LineForms
from ninetoothed.view.listing import Listing, Place, Places, places_of
from ninetoothed.view.skeleton import document, filled, part

_SCRIPTS = ("tokens.js", "listing.js", "panel.js", "page.js")
"""In this order they are one script."""

LIMIT = 250_000
"""Characters of a page."""

_SHRINKING = 0.8
_LEAST = 500


def page(compilation: Compilation, timings: bool = True) -> str:
    """The HTML page of a compilation; without ``timings`` the same input gives the same text.

    A page has at most ``LIMIT`` characters: of the longest text of the target's compiler, the end
    is left out that does not fit, and the page says so.
    """
    text = _page(compilation, timings)
    machine = dict(compilation.machine)
    kept = {name: len(listing.lines) for name, listing in machine.items()}
    while len(text) > LIMIT and machine:
        name = max(kept, key=lambda name: kept[name])
        kept[name] = int(kept[name] * _SHRINKING)
        if kept[name] < _LEAST:
            break
        machine[name] = compilation.machine[name].first(kept[name], f"nt-opt -t {name} prints all")
        text = _page(replace(compilation, machine=machine), timings)
    return text


def _page(compilation: Compilation, timings: bool) -> str:
    data = json.dumps(page_data(compilation, timings), separators=(",", ":"), sort_keys=True)
    artifact = compilation.artifact
    body = filled(
        part("page.html"), {"DATA": base64.b64encode(zlib.compress(data.encode(), 9)).decode()}
    )
    return document(
        f"{artifact.name}, {artifact.target}",
        body,
        part("page.css"),
        "\n".join(map(part, _SCRIPTS)),
    )


def page_data(compilation: Compilation, timings: bool = True) -> dict[str, Any]:
    """The page's data, as JSON has them (see ``page.js``)."""
    artifact = compilation.artifact
    tables = _Tables()
    # The kernel's own file is the first one: its first line has the kernel's place.
    passes = _passes(compilation.snapshots, tables, timings)
    remarks = [_remark(remark, tables) for remark in compilation.remarks]
    stages = [
        {"name": name, "text": tables.text(listing)}
        for name, listing in compilation.machine.items()
    ]
    config = artifact.config
    return {
        "kernel": artifact.name,
        "target": str(artifact.target),
        "version": __version__,
        "full": compilation.full,
        "assumed": compilation.assumed,
        "config": [
            *([name, value] for name, value in config.values),
            ["num_warps", config.num_warps],
            ["num_stages", config.num_stages],
            *([name, value] for name, value in config.choices),
        ],
        "resources": {
            "registers": compilation.registers,
            "spills": compilation.spills,
            "shared": compilation.shared,
        },
        "passes": passes,
        "stages": stages,
        "missing": compilation.missing,
        "remarks": remarks,
        "forms": tables.line_forms.forms,
        "texts": tables.texts,
        "places": [list(places) for places in tables.place_sets],
        "files": [
            {"name": name, "text": "".join(linecache.getlines(name))} for name in tables.files
        ],
    }


class _Tables:
    """Texts, sets of places and files, each once; data name them by number."""

    def __init__(self) -> None:
        self.texts: list[dict[str, list[int]]] = []
        self.line_forms = LineForms()
        self.files: dict[str, int] = {}
        self.place_sets: dict[tuple[int, ...], int] = {}
        self._numbers: dict[Listing, int] = {}

    def text(self, listing: Listing) -> int:
        """The number of a listing."""
        number = self._numbers.get(listing)
        if number is None:
            number = self._numbers[listing] = len(self.texts)
            forms, numbers = self.line_forms.encoded(listing.lines)
            sets = [-1 if found is None else self._set(found) for found in listing.places]
            self.texts.append({"forms": forms, "numbers": numbers, "sets": sets})
        return number

    def place(self, place: Place) -> tuple[int, int]:
        """The number of a file, and the line."""
        file, line = place
        return self.files.setdefault(file, len(self.files)), line

    def _set(self, places: Places) -> int:
        """The number of a set of places, which is the numbers of its places one behind another."""
        flat = tuple(number for place in places for number in self.place(place))
        return self.place_sets.setdefault(flat, len(self.place_sets))


def _passes(snapshots: Iterable[Snapshot], tables: _Tables, timings: bool) -> list[dict[str, Any]]:
    """The passes, each with the number of the text behind it, and how that differs from the one
    before: rows of SequenceMatcher's opcodes.
    """
    found: list[dict[str, Any]] = []
    before: Listing | None = None
    for snapshot in snapshots:
        now = snapshot.listing
        row: dict[str, Any] = {"name": snapshot.pass_name, "text": tables.text(now)}
        if snapshot.stage is not None:
            row["stage"] = snapshot.stage
        if timings:
            row["ms"] = round(snapshot.milliseconds, 2)
        if before is not None and before.lines != now.lines:
            matcher = difflib.SequenceMatcher(None, before.lines, now.lines, autojunk=False)
            row["diff"] = [list(one) for one in matcher.get_opcodes()]
        found.append(row)
        before = now
    return found


def _remark(remark: Remark, tables: _Tables) -> dict[str, Any]:
    row: dict[str, Any] = {
        "kind": remark.kind,
        "pass": remark.pass_name,
        "message": remark.message,
    }
    if remark.loc is not None:
        row["places"] = [tables.place(place) for place in places_of(remark.loc)]
        row["column"] = remark.loc.col + 1
    return row
