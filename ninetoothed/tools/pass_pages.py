"""Pages of the passes, ``docs/passes``: one each, from its docstring, and the pipeline as index."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import re

from ninetoothed.compiler.optimizations import TABLE
from ninetoothed.ir.optimization import Choice
from ninetoothed.passes import find_pass, pass_names
from ninetoothed.passes.pipeline import ANNOTATED, SPECIALIZED
from ninetoothed.tools.nt_opt.pass_listing import documented

_STAGES = (*ANNOTATED, *SPECIALIZED)
_ROWS = [(stage, name) for stage, names in _STAGES for name in names]
_ROLE = re.compile(r":\w+:`~?(?:[\w.]*\.)?(\w+)`")
_DOUBLE = re.compile(r"(?<!`)``(?!`)")
_ITEMS = "| option | type | default | |\n|---|---|---|---|\n"


def pages() -> dict[str, str]:
    """The pages' texts by their names below ``docs``."""
    ours = [name for name in pass_names() if name.startswith("nt-")]
    return {"passes/README.md": _index(ours)} | {f"passes/{name}.md": _page(name) for name in ours}


def _index(ours: list[str]) -> str:
    parts = [
        "# Passes\n",
        "The pipeline, in order: a kernel's module runs through these passes, and each stage ends "
        "with a check of what may appear behind it ([stages](../stages.md)). The first two stages "
        "are reached once a signature, the others once a configuration of block sizes. Written by "
        "`make docs` from the passes' docstrings; `nt-opt --help-pass NAME` prints one. To add "
        "your own: [inside.md](../inside.md).\n",
    ]
    for stage, names in _STAGES:
        lines = [f"## To stage [`{stage}`](../compiler/stages/{stage}.md)\n"]
        lines += [f"{place}. {_entry(name, ours)}" for place, name in enumerate(names, 1)]
        parts.append("\n".join(lines) + "\n")
    others = [name for name in ours if name not in {name for _, name in _ROWS}]
    if others:
        lines = ["## Beside the pipeline\n", *(f"- {_entry(name, ours)}" for name in others)]
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def _entry(name: str, ours: list[str]) -> str:
    if name not in ours:
        return f"`{name}`: xDSL's."
    summary = " ".join(_docstring(name).split("\n\n")[0].split())
    return f"[`{name}`]({name}.md): {_markdown(summary)}"


def _page(name: str) -> str:
    parts = [f"# {name}\n", f"{_place(name)}\n", _markdown(_docstring(name)) + "\n"]
    options = _options(name)
    if options:
        parts.append("## Options\n\n" + _ITEMS + "".join(options))
    rows = [one for one in TABLE if one.pass_name == name]
    if rows:
        lines = [
            f"- `{one.name}`{', a choice of the tuner' if isinstance(one, Choice) else ''}: "
            f"{one.summary}"
            for one in rows
        ]
        parts.append("## Optimizations\n\n" + "\n".join(lines) + "\n")
    stem = name.removeprefix("nt-").replace("-", "_")
    parts.append(
        f"Source: [{stem}.py](../../ninetoothed/passes/{stem}.py). Test: "
        f"[{stem}.mlir](../../tests/filecheck/passes/{stem}.mlir).\n"
    )
    return "\n".join(parts)


def _place(name: str) -> str:
    """Where the pipeline has a pass."""
    places = [index for index, row in enumerate(_ROWS) if row[1] == name]
    if not places:
        return "Beside the [pipeline](README.md)."
    (index,) = places
    stage = _ROWS[index][0]
    parts = [f"On the way to stage [`{stage}`](../compiler/stages/{stage}.md)"]
    if index:
        parts.append(f"behind {_link(_ROWS[index - 1][1])}")
    if index + 1 < len(_ROWS):
        parts.append(f"before {_link(_ROWS[index + 1][1])}")
    return ", ".join(parts) + "."


def _link(name: str) -> str:
    return f"[`{name}`]({name}.md)" if name.startswith("nt-") else f"`{name}`"


def _docstring(name: str) -> str:
    module = importlib.import_module(find_pass(name).__module__)
    return inspect.cleandoc(module.__doc__ or "")


def _options(name: str) -> list[str]:
    """The rows of a pass's options: its fields, with the strings below them."""
    pass_ = find_pass(name)
    texts = dict(documented(pass_))
    rows: list[str] = []
    for field in dataclasses.fields(pass_):
        is_required = field.default is dataclasses.MISSING
        default = "required" if is_required else f"`{field.default!r}`"
        kind = str(field.type).replace("|", "\\|")
        text = " ".join(texts.get(field.name, "").split())
        rows.append(f"| `{field.name}` | `{kind}` | {default} | {_markdown(text)} |\n")
    return rows


def _markdown(text: str) -> str:
    return _DOUBLE.sub("`", _ROLE.sub(r"`\1`", text))
