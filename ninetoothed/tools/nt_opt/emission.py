"""Functions of the output targets: a module's own text, and those of the back ends and of the
compilers behind them.
"""

from __future__ import annotations

import io

from xdsl.dialects.builtin import ModuleOp
from xdsl.printer import Printer

from ninetoothed.artifacts.artifact import Artifact
from ninetoothed.artifacts.configuration import Config
from ninetoothed.artifacts.target import BACK_ENDS, DEFAULT_TARGET, Target
from ninetoothed.errors import ConfigurationError
from ninetoothed.ir.locations import place_of
from ninetoothed.ir.printing import text_of
from ninetoothed.tools.nt_opt.output_targets import EmitOptions


def mlir(module: ModuleOp, options: EmitOptions) -> str:
    """The module as it is."""
    if not (options.generic or options.syntax_highlight):
        return f"{text_of(module, options.debug_info, options.local_scope)}\n"
    stream = io.StringIO()
    kind = Printer
    if options.syntax_highlight:
        from xdsl.syntax_printer import SyntaxPrinter

        kind = SyntaxPrinter
    printer = kind(stream, print_generic_format=options.generic, print_debuginfo=options.debug_info)
    printer.print_op(module)
    return f"{stream.getvalue()}\n"


def back_end(module: ModuleOp, options: EmitOptions) -> str:
    """The text in the language of a back end that bears the target's name."""
    from ninetoothed.backend.protocol import emitter

    row = next(row for row in BACK_ENDS if options.target in row.languages)
    return emitter(row).emit_text(module, options.target)


def compiled(module: ModuleOp, options: EmitOptions) -> str:
    """The text of a stage of a back end's compiler, which needs no device.

    Raises:
        ArgumentError: the architecture has no such stage.
        ConfigurationError: the compiler does not take the module.
        DeviceError: it is not installed.
    """
    from ninetoothed.backend.device_function import device_function
    from ninetoothed.runtime.toolchain.inspection import inspect, require_stage

    target = Target.parse(options.arch or DEFAULT_TARGET)
    require_stage(target, options.target)
    if options.generic and options.target in target.back_end.languages:
        return back_end(module, options)
    config = Config(
        (), options.num_warps or Config.num_warps, options.num_stages or Config.num_stages
    )
    try:
        found = inspect(artifact(module, target, config), [options.target], options.debug_info)
    except ConfigurationError as error:
        error.loc = error.loc or place_of(device_function(module).location)
        raise
    text = found.texts[options.target]
    return text if text.endswith("\n") else f"{text}\n"


def artifact(module: ModuleOp, target: Target, config: Config) -> Artifact:
    """What a compiler takes of a module of the stage ``tt``, without what launches it."""
    from ninetoothed.backend.device_function import arguments, device_function, function_name
    from ninetoothed.backend.protocol import emitter

    function, language = device_function(module), target.back_end.languages[0]
    text = emitter(target.back_end).emit_text(module, language)
    name = function_name(function)
    return Artifact(name, language, text, (), arguments(function), "", (), (), target, config)
