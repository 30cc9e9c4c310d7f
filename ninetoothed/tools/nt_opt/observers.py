"""Observers of a run: the IR after every pass, printed or as files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from ninetoothed.compiler.dumps import dump_to
from ninetoothed.ir.continuation import Continuation
from ninetoothed.passes.pipeline import Observer, Step
from ninetoothed.tools.nt_opt.command_line import Arguments


class Printed:
    """Prints modules one behind the other, with marks between them, so that the whole is an input
    of ``--split-input-file``.
    """

    def __init__(self) -> None:
        self._has_printed = False

    def __call__(self, name: str, module: ModuleOp) -> None:
        """Print the module that a pass left."""
        mark = "// -----\n" if self._has_printed else ""
        print(f"{mark}// after {name}\n{module!s}")
        self._has_printed = True


def observers(
    arguments: Arguments,
    printed: Printed,
    pipeline: Sequence[Step],
    settings: Continuation | None,
    is_frontends: bool,
) -> list[Observer]:
    """Those that the command line asks for."""
    found: list[Observer] = []
    if arguments.dump_ir == "-":
        found.append(printed)
    elif arguments.dump_ir is not None:
        behind = pipeline if is_frontends else pipeline[1:]
        start = 0 if is_frontends else 1
        found.append(dump_to(Path(arguments.dump_ir), start, behind, settings))
    return found
