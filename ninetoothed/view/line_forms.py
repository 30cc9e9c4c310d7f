"""Lines as forms with numbers, which is how the page holds them: a tenth of the text.

A form is a line whose numbers are left out. Numbers are told as differences to those of the line of
the same form before: in ``fma.f32 %r12, %r9, %r4`` and all that follow it, mostly 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

DECIMAL, HEXADECIMAL = "\0", "\1"
"""What stands in a form for a number."""

# Numbers that are printed as they were: without leading zeros, and exact in JavaScript.
_NUMBER = re.compile(
    r"(?<![\w.])0x[1-9a-f][0-9a-f]{0,11}\b|(?<![\d.])(?:0|[1-9]\d{0,14})(?!\w|\.\d)"
)


class LineForms:
    """The forms of all texts, in the order in which they were first met."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    @property
    def forms(self) -> list[str]:
        """All forms, by number."""
        return list(self._numbers)

    def encoded(self, lines: Iterable[str]) -> tuple[list[int], list[int]]:
        """The number of each line's form, and the differences of the numbers in all lines."""
        forms: list[int] = []
        differences: list[int] = []
        before: dict[int, list[int]] = {}
        for line in lines:
            texts: list[str] = _NUMBER.findall(line)
            form = self._numbers.setdefault(_NUMBER.sub(_mark, line), len(self._numbers))
            found = [int(text, 0) for text in texts]
            known = before.get(form, [0] * len(found))
            differences += [now - then for now, then in zip(found, known, strict=True)]
            before[form] = found
            forms.append(form)
        return forms, differences


def decoded(table: Sequence[str], forms: Iterable[int], differences: Iterable[int]) -> list[str]:
    """The inverse of :meth:`LineForms.encoded`; the page's script does the same."""
    rest = iter(differences)
    before: dict[int, list[int]] = {}
    lines: list[str] = []
    for form in forms:
        parts = re.split(f"([{DECIMAL}{HEXADECIMAL}])", table[form])
        marks = parts[1::2]
        known = before.get(form, [0] * len(marks))
        before[form] = [then + next(rest) for then in known]
        parts[1::2] = [
            str(number) if mark == DECIMAL else hex(number)
            for mark, number in zip(marks, before[form], strict=True)
        ]
        lines.append("".join(parts))
    return lines


def _mark(found: re.Match[str]) -> str:
    return HEXADECIMAL if found[0].startswith("0x") else DECIMAL
