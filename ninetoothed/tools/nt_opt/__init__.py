"""``nt-opt``: see and run the stages of the compiler.

``command_line`` holds all options and their help, ``inputs`` reads files, ``output_targets`` are
the texts of ``-t``, ``observers`` show what passes do, and ``opt_main`` runs them. What a run does
not need is not imported: neither xDSL nor NumPy for ``--help`` and the lists.
"""

from __future__ import annotations

import gc
import importlib
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ninetoothed.tools.nt_opt.command_line import Arguments

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
    try:
        _run(parsed, is_process=argv is None)
    except KeyboardInterrupt:
        print("nt-opt: interrupted", file=sys.stderr)
        return 130  # As of a process that the signal ends.
    except BrokenPipeError:
        os.close(sys.stdout.fileno())
        return 1
    except Exception as error:
        if not _is_expected(error):
            raise
        notes = getattr(error, "__notes__", [])
        print("\n".join([f"nt-opt: {type(error).__name__}: {error}", *notes]), file=sys.stderr)
        return 1
    return 0


def _is_expected(error: Exception) -> bool:
    """True for an error of the user's, or of the IR; those of xDSL are known by their module, which
    may not be imported.
    """
    from ninetoothed.errors import NineToothedError

    if isinstance(error, NineToothedError | OSError | ValueError):
        return True
    return any(base.__module__ == "xdsl.utils.exceptions" for base in type(error).__mro__)


def _run(arguments: Arguments, is_process: bool) -> None:
    """Do what the command line says; ``is_process``: the process does nothing else."""
    for name in arguments.load:
        # Before the passes are looked up.
        from ninetoothed.plugins.loading import load

        load(name)
    if arguments.list_passes or arguments.help_pass is not None:
        from ninetoothed.tools.nt_opt.pass_listing import help_pass, list_passes

        named = arguments.help_pass
        sys.stdout.write(list_passes() if named is None else help_pass(named))
        return
    if is_process:
        _import_driver()
    from ninetoothed.tools.nt_opt.opt_main import run

    run(arguments)


def _import_driver() -> None:
    """Import the driver with garbage collection off: modules are no garbage, and looking for it
    among them takes a sixth of the time. It does not look at them later, either.
    """
    gc.disable()
    try:
        importlib.import_module("ninetoothed.tools.nt_opt.opt_main")
    finally:
        gc.freeze()
        gc.enable()
