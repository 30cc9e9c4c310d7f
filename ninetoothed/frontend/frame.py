"""Frames: functions that are being walked, and functions defined inside them."""

from __future__ import annotations

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
    constants: frozenset[str] = frozenset()
    """Parameters that hold numbers known when compiling."""
    lost: frozenset[str] = frozenset()
    """Parameters that hold values of the caller, and whose assignment is lost."""
    enclosing: Frame | None = None
    """The frame of the function that this one is defined in."""

    def owner(self, name: str) -> Frame | None:
        """The frame, this or an enclosing one, with the local ``name``; None: it is a global."""
        frame: Frame | None = self
        while frame is not None:
            if name in frame.locals or name in frame.source.local_names:
                return frame
            frame = frame.enclosing if name in frame.source.free_names else None
        return None

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
