"""Frames: functions that are being walked, and functions defined inside them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ninetoothed.definition.source import FunctionSource
from ninetoothed.errors import Loc


@dataclass(eq=False)
class Frame:
    """A call frame: a function's source, its locals and its call site."""

    source: FunctionSource
    locals: dict[str, Any]
    caller: Loc | None = None
    undefined: dict[str, str] = field(default_factory=dict[str, str])
    """Names that only some paths assign, with the reason why they have no value."""
    parameters: frozenset[str] = frozenset()
    """Names whose assignment is a store."""
    numbers: frozenset[str] = frozenset()
    """Parameters that hold numbers, which are passed by value."""
    constants: frozenset[str] = frozenset()
    """Parameters that hold numbers known when compiling."""
    lost: frozenset[str] = frozenset()
    """Parameters that hold values of the caller, and whose assignment is lost."""
    receiver: object = None
    """The object whose method it is, if any."""
    enclosing: Frame | None = None
    """The frame of the function that this one is defined in."""
    lent: dict[str, tuple[Frame, str]] = field(default_factory=dict[str, "tuple[Frame, str]"])
    """Variables that have another name at present, which holds their values: that of a parameter of
    a function that is being called."""
    shared: dict[str, str | None] = field(default_factory=dict[str, "str | None"])
    """Parameters that hold the variable of several, with the one of these that is assigned."""
    borrowed: dict[str, tuple[Frame, str]] = field(default_factory=dict[str, "tuple[Frame, str]"])
    """Parameters that were given a variable of a function around the caller."""
    passed: dict[str, ast.AST] = field(default_factory=dict[str, ast.AST])
    """Variables that calls have assigned, each with its mention in the last of these."""
    passed_in: dict[ast.AST, dict[str, ast.AST]] = field(
        default_factory=dict[ast.AST, "dict[str, ast.AST]"]
    )
    """Those of each loop that was built."""

    def owner(self, name: str) -> Frame | None:
        """The frame, this or an enclosing one, with the local ``name``; None: it is a global."""
        frame: Frame | None = self
        while frame is not None:
            if name in frame.locals or name in frame.source.local_names:
                return frame
            frame = frame.enclosing if name in frame.source.free_names else None
        return None

    def slot(self, name: str) -> str:
        """The local that holds the value of the parameter or variable ``name``."""
        return self.lent[name][1] if name in self.lent and self.lent[name][0] is self else name

    def outwards(self) -> Iterator[Frame]:
        """This frame and the enclosing ones."""
        frame: Frame | None = self
        while frame is not None:
            yield frame
            frame = frame.enclosing


@dataclass(frozen=True, eq=False)
class LocalFunction:
    """A closure: a function defined inside an application or a function that it calls.

    Its free names are read from ``frame`` when it is called, as in Python.
    """

    source: FunctionSource
    frame: Frame
