"""First line of a dumped module: which passes are still to come, and what a back end needs.

The line is a comment in the words of ``nt-opt``'s command line, which reads it, so that a stage on
disk is compiled to the end as it would have been::

    // nt-opt: --arch=sm_90 --num-warps=4 -p 'nt-lower-accesses{index_bits=32},cse'

A long line goes on behind a backslash, in the next comment. ``--load=`` names the modules that
register passes of other packages. It is said to who reads the text, and imports nothing: a text
runs no code that its reader has not named.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass

from ninetoothed.errors import ArgumentError

_MARK = "// nt-opt: "
_NEXT = "//   "
_WIDTH = 120
# xDSL copies the rest of a pipeline for each of its words.
_LONGEST = 1 << 15
_MOST_DIGITS = 9
_FOUND = re.compile(r"\s*// nt-opt:[ \t]*((?:.*\\\r?\n[ \t]*//[ \t]*)*.*)")
_BREAK = re.compile(r"\\\r?\n[ \t]*//[ \t]*")
_PIECE = re.compile(r"[^ ,]*[ ,]*")
_NUMBERS = {"--num-warps": "num_warps", "--num-stages": "num_stages"}


@dataclass(frozen=True)
class Continuation:
    """How a module goes on: ``passes`` in the syntax of ``nt-opt -p``, empty where none is known or
    left; ``arch``, ``num_warps`` and ``num_stages`` of the configuration, None where there is none;
    ``loads``: what ``nt-opt --load`` takes for passes of other packages.
    """

    passes: str = ""
    arch: str | None = None
    num_warps: int | None = None
    num_stages: int | None = None
    loads: tuple[str, ...] = ()

    def __str__(self) -> str:
        """The comment, without a line break at its end; lines hold at most 120 characters, where
        they can be broken; empty where there is nothing to say.
        """
        words: list[str] = []
        if self.arch is not None:
            words.append(f"--arch={self.arch}")
        if self.num_warps is not None:
            words.append(f"--num-warps={self.num_warps}")
        if self.num_stages is not None:
            words.append(f"--num-stages={self.num_stages}")
        words += [f"--load={name}" for name in self.loads]
        if self.passes:
            words += ["-p", self.passes]
        return _broken(shlex.join(words)) if words else ""

    @staticmethod
    def read(text: str) -> Continuation | None:
        """That of a module's text, or None where it begins otherwise.

        Raises:
            ArgumentError: the line says what no dump says.
        """
        match = _FOUND.match(text)
        if match is None:
            return None
        line = _BREAK.sub("", match[1])
        if len(line) > _LONGEST:
            raise ArgumentError(
                f"the first line, // nt-opt: …, has {len(line)} characters; {_LONGEST} is the most"
            )
        try:
            words = shlex.split(line)
        except ValueError as error:
            raise ArgumentError(f"the first line, // nt-opt: …, is broken: {error}") from error
        fields: dict[str, str | int] = {}
        loads: list[str] = []
        while words:
            name, _, value = words.pop(0).partition("=")
            if name == "-p" and words:
                fields["passes"] = words.pop(0)
            elif name == "--arch" and value:
                fields["arch"] = value
            elif name == "--load" and value:
                loads.append(value)
            elif name in _NUMBERS and value.isdecimal() and len(value) <= _MOST_DIGITS:
                fields[_NUMBERS[name]] = number = int(value)
                if name == "--num-warps" and number.bit_count() != 1:
                    raise ArgumentError(
                        f"the first line, // nt-opt: …, holds {number} warps, no power of two"
                    )
            else:
                raise ArgumentError(
                    f"the first line, // nt-opt: …, holds {name}; it takes --arch=, --num-warps=, "
                    "--num-stages=, --load= and -p"
                )
        return Continuation(**fields, loads=tuple(loads))  # pyright: ignore[reportArgumentType]


def _broken(text: str) -> str:
    """``text`` in comments, broken behind spaces and commas."""
    lines: list[str] = []
    line = _MARK
    for piece in _PIECE.findall(text):
        if len(line) + len(piece) >= _WIDTH and line not in (_MARK, _NEXT):
            lines.append(f"{line}\\")
            line = _NEXT
        line += piece
    return "\n".join([*lines, line])
