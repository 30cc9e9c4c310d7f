"""The driver: reads modules, runs passes over them, and prints what the target asks for.

What goes wrong by the user's hand is a line on the standard error stream, never a traceback.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import (
    DiagnosticException,
)

from ninetoothed.artifacts.target import DEFAULT_TARGET, Target
from ninetoothed.errors import InvalidIRError, NineToothedError
from ninetoothed.ir import nt
from ninetoothed.ir.continuation import Continuation
from ninetoothed.ir.dialects import context
from ninetoothed.passes.pipeline import pipeline_text
from ninetoothed.passes.pipeline import run as run_passes
from ninetoothed.tools.nt_opt.command_line import Arguments
from ninetoothed.tools.nt_opt.inputs import (
    ModuleInput,
    is_python,
    parse_chunk,
    python_module,
    read_chunks,
)
from ninetoothed.tools.nt_opt.observers import Printed, observers
from ninetoothed.tools.nt_opt.output_targets import STAGES, EmitOptions, OutputTarget, targets
from ninetoothed.tools.nt_opt.selection import select


def run(arguments: Arguments) -> None:
    """Read the input, run passes over it, and print.

    Raises:
        NineToothedError, DiagnosticException: the input or an option is wrong.
        OSError, ValueError: a file cannot be read or written.
    """
    texts = _texts(arguments)
    if arguments.output_file is not None:
        Path(arguments.output_file).write_text("".join(texts), encoding="utf-8")
        return
    for text in texts:
        sys.stdout.write(text)
        sys.stdout.flush()


def _message(error: BaseException) -> str:
    return "\n".join([str(error), *getattr(error, "__notes__", [])])


def _texts(arguments: Arguments) -> Iterator[str]:
    """What is printed, part by part."""
    # Stages are printed as they are.
    target = targets()["mlir" if arguments.target in STAGES else arguments.target]
    wants_all = arguments.dump_ir is not None or arguments.remarks or target.lowered
    continues = wants_all and arguments.passes is None
    printed = Printed()
    if is_python(arguments):
        is_asked = arguments.start is not None or arguments.stop is not None
        whole = continues or is_asked or arguments.target in STAGES or arguments.run
        if whole and arguments.arch is None and not arguments.run:
            arguments.arch = target.arch or DEFAULT_TARGET
        yield _text(python_module(arguments, whole), arguments, target, continues, printed)
        return
    for number, chunk in enumerate(read_chunks(arguments)):
        if number:
            yield "// -----\n"
        try:
            yield _text(parse_chunk(chunk, arguments), arguments, target, continues, printed)
        except InvalidIRError as error:
            if not (arguments.parsing_diagnostics or arguments.verify_diagnostics):
                raise
            yield f"{type(error).__name__}: {error}\n"
        except DiagnosticException as error:
            if not arguments.verify_diagnostics:
                raise
            yield f"{_message(error)}\n"


def _text(
    found: ModuleInput,
    arguments: Arguments,
    target: OutputTarget,
    continues: bool,
    printed: Printed,
) -> str:
    """The text of a module behind its passes."""
    settings = _settings(found.settings, arguments, target)
    arch = None if settings is None else settings.arch
    selected = select(arguments, found, continues, arch)
    pipeline = (*selected.steps, *(selected.rest or ()))
    watching = observers(arguments, printed, pipeline, settings, found.is_frontends)
    module = found.module
    if found.is_frontends:
        for observe in watching:
            observe("frontend", module)
    if arguments.remarks:
        nt.collect_remarks(module)
    try:
        if selected.steps:
            run_passes(context(), module, selected.steps, watching, verifying=True)
    except NineToothedError as error:
        if not arguments.verify_diagnostics:
            raise
        # What `--verify-diagnostics` prints, one after the other with `--split-input-file`.
        raise DiagnosticException(f"{type(error).__name__}: {error}") from error
    if arguments.remarks:
        sys.stderr.writelines(f"{remark}\n" for remark in nt.remarks_of(module))
    if arguments.run:
        return _run(found, module, arguments)
    if arguments.dump_ir == "-" and not target.lowered and selected.steps:
        # What was dumped to the terminal is not printed once more.
        return ""
    options = EmitOptions(
        arguments.target,
        *(None, None, None)
        if settings is None
        else (settings.arch, settings.num_warps, settings.num_stages),
        arguments.generic,
        arguments.debug_info,
        arguments.syntax_highlight,
    )
    text = target.emit(module, options)
    if target.lowered or settings is None:
        return text
    head = str(replace(settings, passes=pipeline_text(selected.rest or ())))
    return f"{head}\n{text}" if head else text


def _run(found: ModuleInput, module: ModuleOp, arguments: Arguments) -> str:
    """The report on a run of a module's kernel."""
    # It imports torch.
    from ninetoothed.tools.nt_opt import interpreting

    constants = interpreting.constants_of(found.rest or (), arguments)
    call = found.call or interpreting.module_call(module, constants, arguments)
    sys.stderr.write(call.assumed)
    return interpreting.run(module, call, constants, arguments)


def _settings(
    found: Continuation | None, arguments: Arguments, target: OutputTarget
) -> Continuation | None:
    """What the module says of its configuration, and over it the command line."""
    named = None if found is None else found.arch
    arch = arguments.arch or named or target.arch
    given = {
        "arch": None if arch is None else Target.parse(arch).arch,
        "num_warps": arguments.num_warps,
        "num_stages": arguments.num_stages,
    }
    given = {name: value for name, value in given.items() if value is not None}
    if not given:
        return found
    return replace(found or Continuation(), **given)  # pyright: ignore[reportArgumentType]
