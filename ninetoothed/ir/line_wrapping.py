"""Line breaks in texts of the IR, where its syntax has a space: parsers do not see them.

What does not fit in a line goes on in the next one, indented by four; a list that does not fit in a
line has one entry a line, indented by two. Of what opens a region only lists go on in other lines, so
that the region is told from them::

    %accumulator = scf.for %k = %0 to %1 step %2 iter_args(
      %accumulator_1 = %zeros,
      …
    ) -> (!accumulator, …) : i32 {
      %other = nt.load %input[%k]
          : !input[i32] -> !input_load
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

WIDTH = 120
"""Characters of a line; words that are longer stay whole."""

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|->| +|[^\s"\[\](){}<>,-]+|.')
_CLOSER = {"[": "]", "(": ")", "{": "}", "<": ">"}
_NAME = re.compile(r"[#!]?[A-Za-z_][\w.]*")
_WITH_NEXT = frozenset(("->", ":", "=", "+", "-", "*", "x", "if", "mod", "floordiv", "ceildiv"))


def break_line(line: str) -> list[str]:
    """The lines of one line: itself, if it is at most ``WIDTH`` long, or has no place for a break."""
    return [line] if len(line) <= WIDTH else _broken(line)


@dataclass(frozen=True)
class _List:
    """Brackets and the entries between, which commas separate."""

    opener: str
    entries: tuple[_Parts, ...]

    @property
    def closer(self) -> str:
        return _CLOSER[self.opener]

    @cached_property
    def text(self) -> str:
        """The list in one line."""
        return f"{self.opener}{', '.join(map(_text, self.entries))}{self.closer}"


_Parts = tuple["str | _List", ...]
"""Text, piece by piece; spaces are pieces of their own."""


def _text(parts: Iterable[str | _List]) -> str:
    return "".join(part if isinstance(part, str) else part.text for part in parts)


class _UnbalancedError(Exception):
    """Brackets that do not fit each other."""


def _broken(line: str) -> list[str]:
    """The lines of one that is too long; itself where its brackets are not balanced."""
    text = line.lstrip(" ")
    indent = line[: len(line) - len(text)]
    # Braces of regions open or close in other lines.
    leading = "} " if text.startswith("} ") else ""
    trailing = " {" if text.endswith(" {") else ""
    try:
        parts = _line(_TOKEN.findall(text[len(leading) : len(text) - len(trailing)]))
    except _UnbalancedError:
        return [line]
    layout = _Layout(indent + leading)
    if trailing or text.startswith("^"):
        layout.write(parts, len(trailing))
    else:
        units = _with_types(_units(parts, is_outermost=True), WIDTH - len(indent) - 4)
        layout.fill(units, len(indent))
    return [*layout.lines, layout.line + trailing]


def _line(tokens: Sequence[str]) -> _Parts:
    """The pieces of a line, with the commas that are in no brackets."""
    entries = _entries(iter(tokens), None)
    parts = [part for entry in entries for part in (*entry, ",", " ")]
    return tuple(parts[:-2])


def _entries(tokens: Iterator[str], closer: str | None) -> Iterator[_Parts]:
    """The entries up to ``closer``, which is taken; None: up to the end."""
    parts: list[str | _List] = []
    for token in tokens:
        if token in _CLOSER:
            parts.append(_List(token, tuple(_entries(tokens, _CLOSER[token]))))
        elif token == closer:
            if parts:
                yield tuple(parts)
            return
        elif token in _CLOSER.values():
            raise _UnbalancedError
        elif token == ",":
            yield tuple(parts)
            parts = []
        elif parts or not token.isspace():
            parts.append(token)
    if closer is not None:
        raise _UnbalancedError
    yield tuple(parts)


def _units(parts: _Parts, is_outermost: bool) -> list[_Parts]:
    """The parts between which a line may break: at spaces, but neither behind an operator, nor in
    ``name = value``, nor, in an op's own text, behind a keyword.
    """
    units: list[_Parts] = []
    unit: list[str | _List] = []
    words = list(_words(parts))
    for index, word in enumerate(words):
        unit += [" ", *word] if unit else word
        text = _text(word)
        is_name = _NAME.fullmatch(text) is not None
        is_named = index + 1 < len(words) and words[index + 1] == ("=",)
        if text not in _WITH_NEXT and not (is_name and (is_outermost or is_named)):
            units.append(tuple(unit))
            unit = []
    if unit:
        units.append(tuple(unit))
    return units


def _words(parts: _Parts) -> Iterator[_Parts]:
    """The parts between spaces."""
    spaces = [index for index, part in enumerate(parts) if part == " "]
    for start, end in pairwise((-1, *spaces, len(parts))):
        yield parts[start + 1 : end]


def _with_types(units: list[_Parts], width: int) -> list[_Parts]:
    """The units; what is behind the last colon, the types, is one of them if it fits in ``width``."""
    for index in reversed(range(1, len(units))):
        if units[index][0] == ":":
            types = tuple(part for unit in units[index:] for part in (" ", *unit))[1:]
            return [*units[:index], types] if len(_text(types)) <= width else units
    return units


def _longest(parts: _Parts) -> tuple[int, _List] | None:
    """The longest list, with its index."""
    lists = [(index, part) for index, part in enumerate(parts) if isinstance(part, _List)]
    return max(lists, key=lambda found: len(found[1].text), default=None)


def _head(parts: _Parts) -> str:
    """What is in one line where the longest list is spread."""
    longest = _longest(parts)
    return _text(parts) if longest is None else _text(parts[: longest[0]]) + longest[1].opener


class _Layout:
    """The lines that are done, and the one that is being written."""

    def __init__(self, start: str) -> None:
        self.lines: list[str] = []
        self.line = start

    def fill(self, units: Sequence[_Parts], indent: int, tail: str = "") -> None:
        """Write units in as many lines as they need; ``tail`` follows the last one.

        ``indent``: of the first line. Of a text in several literals each has a line.
        """
        behind_literal = False
        for index, unit in enumerate(units):
            reserved = len(tail) if index == len(units) - 1 else 0
            text = _text(unit)
            is_first = not self.line.strip()
            space = "" if is_first or self.line.endswith(" ") else " "
            is_literal = text.startswith('"')
            if is_literal and behind_literal:
                self._start(indent)
            elif is_first or self._fits(space + text, reserved):
                self.line += space
            elif indent + 4 + len(text) + reserved <= WIDTH or not self._fits(space + _head(unit)):
                self._start(indent + 4)
            else:
                self.line += space
            self.write(unit, reserved)
            behind_literal = is_literal
        self.line += tail

    def write(self, parts: _Parts, reserved: int = 0) -> None:
        """Write parts in one line if they fit with ``reserved`` more characters; else with a line for
        each entry of the longest list.
        """
        longest = _longest(parts)
        if longest is None or self._fits(_text(parts), reserved):
            self.line += _text(parts)
            return
        index, spread = longest
        self.write(parts[:index], len(spread.opener))
        indent = len(self.line) - len(self.line.lstrip(" "))
        self.line += spread.opener
        for number, entry in enumerate(spread.entries, 1):
            self._start(indent + 2)
            comma = "," if number < len(spread.entries) else ""
            self.fill(_units(entry, is_outermost=False), indent + 2, comma)
        self._start(indent)
        self.line += spread.closer
        self.write(parts[index + 1 :], reserved)

    def _fits(self, text: str, reserved: int = 0) -> bool:
        return len(self.line) + len(text) + reserved <= WIDTH

    def _start(self, indent: int) -> None:
        self.lines.append(self.line.rstrip(" "))
        self.line = " " * indent
