"""``nt-opt``: see and run the stages of the compiler.

``command_line`` holds all options and their help, ``inputs`` reads files, ``output_targets`` are
the texts of ``-t``, ``observers`` show what passes do, and ``opt_main`` runs them. What a run does
not need is not imported: neither xDSL nor NumPy for ``--help`` and the lists.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence

_SUB_COMMANDS = {"view": "ninetoothed.tools.view"}
"""Modules of sub-commands, each with a function ``main(arguments) -> int``."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``nt-opt``; the exit status: 0, or 1 with the reason on the standard error stream, or 2
    where the command line is wrong.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments and arguments[0] in _SUB_COMMANDS:
        status: int = importlib.import_module(_SUB_COMMANDS[arguments[0]]).main(arguments[1:])
        return status
    from ninetoothed.tools.nt_opt.command_line import parse

    try:
        parsed = parse(arguments)
    except SystemExit as error:  # argparse's way to end
        return error.code if isinstance(error.code, int) else 1
    from ninetoothed.tools.nt_opt.opt_main import run

    return run(parsed)
