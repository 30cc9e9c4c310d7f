"""Observers of a run: the IR after every pass, what each one changed, and how long it took.

What is in place of the result goes to the standard output, what is beside it to the standard error
stream.
"""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from ninetoothed.compiler.dumps import dump_to
from ninetoothed.ir.continuation import Continuation
from ninetoothed.ir.printing import text_of
from ninetoothed.passes.pipeline import Observer, Step
from ninetoothed.tools.nt_opt.command_line import Arguments

_COLORS = {"+": "\033[32m", "-": "\033[31m", "@": "\033[36m"}
_BOLD, _PLAIN = "\033[1m", "\033[0m"


class Dumps:
    """What ``--dump-ir``, ``--dump-ir-diff`` and ``--print-between-passes`` show of a whole run, of
    several modules with ``--split-input-file``.

    ``part``: the number of the module among these, by which its files have a folder of their own.
    """

    def __init__(self, arguments: Arguments) -> None:
        self.part: int | None = None
        self._arguments = arguments
        self._has_printed = False
        self._colored = sys.stdout.isatty() and not os.environ.get("NO_COLOR")

    def replaces_result(self) -> bool:
        """True if the standard output shows what the passes do, and a module would come again."""
        return self._arguments.dump_ir == "-" or self._arguments.dump_ir_diff

    def observers(
        self,
        before: ModuleOp,
        pipeline: Sequence[Step],
        count: int,
        settings: Continuation | None,
        is_frontends: bool,
    ) -> list[Observer]:
        """Those of one module, ``before`` its passes: the first ``count`` of ``pipeline``."""
        found: list[Observer] = []
        if self._arguments.dump_ir == "-":
            found.append(self._print)
        elif self._arguments.dump_ir is not None:
            behind = pipeline if is_frontends else pipeline[1:]
            folder = Path(self._arguments.dump_ir)
            if self.part is not None:
                folder /= str(self.part)
            found.append(
                dump_to(folder, 0 if is_frontends else 1, behind, settings, text=self._text)
            )
        if self._arguments.dump_ir_diff:
            found.append(self._diffs(before))
        if self._arguments.print_between_passes:
            found.append(self._between(count, is_frontends))
        return found

    def _text(self, module: ModuleOp) -> str:
        return text_of(module, self._arguments.debug_info, self._arguments.local_scope)

    def _print(self, name: str, module: ModuleOp) -> None:
        # Marks between the parts, so that the whole is an input of `--split-input-file`.
        mark = "// -----\n" if self._has_printed else ""
        print(f"{mark}// after {name}\n{self._text(module)}")
        self._has_printed = True

    def _diffs(self, before: ModuleOp) -> Observer:
        """Prints the lines that each pass changed; nothing of one that changed none."""
        last = self._text(before).splitlines()

        def observe(name: str, module: ModuleOp) -> None:
            nonlocal last
            now = self._text(module).splitlines()
            names = f"before {name}", f"after {name}"
            for line in difflib.unified_diff(last, now, *names, lineterm=""):
                print(self._painted(line))
            last = now

        return observe

    def _painted(self, line: str) -> str:
        if not self._colored:
            return line
        if line.startswith(("--- before", "+++ after")):
            return f"{_BOLD}{line}{_PLAIN}"
        color = _COLORS.get(line[:1])
        return line if color is None else f"{color}{line}{_PLAIN}"

    def _between(self, count: int, is_frontends: bool) -> Callable[[str, ModuleOp], None]:
        """Prints the module between two passes."""
        left = count

        def observe(name: str, module: ModuleOp) -> None:
            nonlocal left
            if name != "frontend" or not is_frontends:
                left -= 1
            if left:
                head = f"// -----// IR Dump After {name} //----- //"
                print(f"{head}\n{self._text(module)}\n", file=sys.stderr)

        return observe
