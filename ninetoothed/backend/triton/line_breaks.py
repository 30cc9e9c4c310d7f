"""Line breaks of generated Python, and comments that show the user's lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from ninetoothed.errors import Loc

MAX_COLUMNS = 100
# A string literal, or a character outside of one.
_TOKEN = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|.")
_ASSIGNED = re.compile(r"([\w, ]+ = )(.+)")


def lines_of(indent: str, text: str) -> list[str]:
    """``text`` on one line. Where that is too long, its longest brackets hold one item a line; if
    they are less than half of what is assigned, that gets brackets around it.
    """
    if len(indent) + len(text) <= MAX_COLUMNS:
        return [indent + text]
    first, *commas, last = max(_brackets(text), key=_length, default=(0, 0))
    assigned = _ASSIGNED.match(text)
    if assigned and 2 * (last - first) < len(assigned[2]):
        inner = lines_of(f"{indent}    ", assigned[2])
        return [f"{indent}{assigned[1]}(", *inner, f"{indent})"]
    if last <= first + 1:
        return [indent + text]
    items = [text[start + 1 : end].strip() for start, end in pairwise((first, *commas, last))]
    # A comma behind a single item in parentheses would make a tuple of it.
    behind = "," if commas or re.match(r"[\w)\]]\(", text[first - 1 : first + 1]) else ""
    lines = [indent + text[: first + 1]]
    for item in items[:-1]:
        lines += lines_of(f"{indent}    ", f"{item},")
    return [*lines, *lines_of(f"{indent}    ", items[-1] + behind), indent + text[last:]]


def _length(brackets: tuple[int, ...]) -> int:
    return brackets[-1] - brackets[0]


def _brackets(text: str) -> Iterator[tuple[int, ...]]:
    """Positions of each outermost pair of brackets: opening, commas, closing."""
    depth, found = 0, []
    for token in _TOKEN.finditer(text):
        if token[0] in "([{":
            depth += 1
        if (token[0] in "([{" or token[0] == ",") and depth == 1:
            found.append(token.start())
        if token[0] in ")]}":
            depth -= 1
            if depth == 0:
                yield (*found, token.start())
                found = []


def comment(indent: str, loc: Loc, source: str) -> str:
    """The comment that shows a user's line: ``# softmax.py:12: row = …``."""
    name = loc.file.replace("\\", "/").rsplit("/", 1)[-1]
    text = f"{indent}# {name}:{loc.line}"
    if source:
        text += f": {source}"
    text = "".join(char if char.isprintable() else " " for char in text)
    return text if len(text) <= MAX_COLUMNS else f"{text[: MAX_COLUMNS - 3]}..."
