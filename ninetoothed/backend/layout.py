"""Lines of generated Python: none longer than 100 columns."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ninetoothed.errors import Loc

MAX_COLUMNS = 100
_STEP = "    "
_OPEN, _CLOSE = "([{", ")]}"
_QUOTES = "'\""


def lines_of(indent: str, prefix: str, text: str, suffix: str = "") -> list[str]:
    """``prefix text suffix`` as one line; where that is too long, broken inside brackets."""
    line = f"{indent}{prefix}{text}{suffix}"
    if len(line) <= MAX_COLUMNS:
        return [line]
    if _inside_strings(text) == [True] * len(text):
        return [*_pieces(indent, text, suffix)]
    head, arguments = _call(text)
    if arguments:
        inner = [
            part for argument in arguments for part in lines_of(indent + _STEP, "", argument, ",")
        ]
        return [f"{indent}{prefix}{head}(", *inner, f"{indent}){suffix}"]
    found: list[str] = []
    current = indent + _STEP
    for word in _words(text):
        if current.strip() and len(current) + len(word) + 1 > MAX_COLUMNS:
            found.append(current.rstrip())
            current = indent + _STEP
        current += f"{word} "
    return [f"{indent}{prefix}(", *found, current.rstrip(), f"{indent}){suffix}"]


def _call(text: str) -> tuple[str, list[str]]:
    """What is called and with what, where ``text`` is one call and nothing else."""
    start = text.find("(")
    head = text[:start]
    if start <= 0 or not head.replace(".", "").replace("_", "").replace(" ", "").isalnum():
        return "", []
    depth, last = 0, start + 1
    arguments: list[str] = []
    quoted = _inside_strings(text)
    for position in range(start, len(text)):
        char = " " if quoted[position] else text[position]
        depth += (char in _OPEN) - (char in _CLOSE)
        if depth == 0 and position != len(text) - 1:
            return "", []
        if (depth == 1 and char == ",") or depth == 0:
            arguments.append(text[last:position].strip())
            last = position + 1
    return head, [argument for argument in arguments if argument]


def _inside_strings(text: str) -> list[bool]:
    """Of each character, whether it belongs to a string literal."""
    found: list[bool] = []
    quote, escaped = "", False
    for char in text:
        found.append(bool(quote) or char in _QUOTES)
        if not quote:
            quote = char if char in _QUOTES else ""
        elif escaped or char == "\\":
            escaped = not escaped
        elif char == quote:
            quote = ""
    return found


def _words(text: str) -> list[str]:
    """What stands between blanks outside of strings."""
    quoted = _inside_strings(text)
    words = [""]
    for char, inside in zip(text, quoted, strict=True):
        if char == " " and not inside:
            words.append("")
        else:
            words[-1] += char
    return words


def _pieces(indent: str, text: str, suffix: str) -> Iterator[str]:
    """A long string literal as several, which Python joins inside brackets."""
    rest: str = ast.literal_eval(text)
    while rest:
        size = len(rest)
        # Escapes make some characters longer.
        while size > 1 and len(indent) + len(repr(rest[:size])) + len(suffix) > MAX_COLUMNS:
            size -= 1
        piece, rest = repr(rest[:size]), rest[size:]
        yield f"{indent}{piece}{suffix if not rest else ''}"


def comment(indent: str, loc: Loc, source: str) -> str:
    """The comment that shows a user's line: ``# softmax.py:12: row = …``."""
    name = loc.file.replace("\\", "/").rsplit("/", 1)[-1]
    text = f"{indent}# {name}:{loc.line}"
    if source:
        text += f": {source}"
    text = "".join(char if char.isprintable() else " " for char in text)
    return text if len(text) <= MAX_COLUMNS else f"{text[: MAX_COLUMNS - 3]}..."
