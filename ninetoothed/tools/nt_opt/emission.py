"""Functions of the output targets: a module's own text, and those of the back ends."""

from __future__ import annotations

import io

from xdsl.dialects.builtin import ModuleOp
from xdsl.printer import Printer

from ninetoothed.artifacts.target import BACK_ENDS
from ninetoothed.tools.nt_opt.output_targets import EmitOptions


def mlir(module: ModuleOp, options: EmitOptions) -> str:
    """The module as it is."""
    text = io.StringIO()
    kind = Printer
    if options.syntax_highlight:
        from xdsl.syntax_printer import SyntaxPrinter

        kind = SyntaxPrinter
    kind(text, print_generic_format=options.generic, print_debuginfo=options.debug_info).print_op(
        module
    )
    return f"{text.getvalue()}\n"


def back_end(module: ModuleOp, options: EmitOptions) -> str:
    """The text in the language of a back end that bears the target's name."""
    from ninetoothed.backend.protocol import emitter

    row = next(row for row in BACK_ENDS if options.target in row.languages)
    return emitter(row).emit_text(module, options.target)
