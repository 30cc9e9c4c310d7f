"""The tutorial as a notebook, in jupytext's text form: cells of its pages, one behind the other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

_BLOCK = re.compile(r"^```([^\n]*)\n(.*?)^```\n", re.M | re.S)
_HEAD = """\
# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---
"""
_FILE = "python file="


def page(tutorial: Path) -> str:
    """The notebook of the pages of the folder ``tutorial``, in order of their names.

    Text is a cell of text, a program one of code; a file and commands are those of the notebook's
    ``%%writefile`` and ``!``. What programs print is left out, since the notebook prints it.
    """
    cells = [cell for path in sorted(tutorial.glob("[1-9]_*.md")) for cell in _cells(path)]
    return "\n".join([_HEAD, *cells])


def _cells(path: Path) -> Iterator[str]:
    text = path.read_text(encoding="utf-8")
    end = 0
    for block in _BLOCK.finditer(text):
        yield from _text(text[end : block.start()])
        yield from _code(block[1], block[2])
        end = block.end()
    yield from _text(text[end:])


def _text(text: str) -> Iterator[str]:
    lines = text.strip().splitlines()
    if lines:
        yield "# %% [markdown]\n" + _commented(lines)


def _code(kind: str, text: str) -> Iterator[str]:
    if kind == "python":
        yield f"# %%\n{text}"
    elif kind.startswith(_FILE):
        name = kind.removeprefix(_FILE)
        yield f"# %%\n# %%writefile {name}\n{text}"
    elif kind == "shell run":
        yield "# %%\n" + _commented([f"!{line}" for line in text.splitlines()])


def _commented(lines: list[str]) -> str:
    """Lines as a comment, which jupytext takes for text, or for commands of the notebook."""
    return "".join(f"# {line}".rstrip() + "\n" for line in lines)
