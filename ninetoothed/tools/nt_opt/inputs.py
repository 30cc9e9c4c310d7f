"""Inputs: IR of any stage as text, and kernels of Python files.

Text may be cut into parts by ``// -----`` (``--split-input-file``); each part has a first line of
its own. What a Python file needs is imported where there is one.
"""

from __future__ import annotations

import sys
import textwrap
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ModuleOp

from ninetoothed.artifacts.target import Target
from ninetoothed.errors import ArgumentError, DeviceError, InvalidIRError, Loc
from ninetoothed.ir.continuation import Continuation
from ninetoothed.ir.dialects import lazy_context
from ninetoothed.ir.parsing import decoded, parse_module
from ninetoothed.passes.pipeline import Step, parse_steps
from ninetoothed.tools.nt_opt.command_line import Arguments

if TYPE_CHECKING:
    from ninetoothed.definition.definition import Definition
    from ninetoothed.tools.nt_opt.interpreting import Call
    from ninetoothed.tools.nt_opt.python_file import PythonFile

_MARK = "// -----"
_LONGEST_MESSAGE = 400


@dataclass(frozen=True)
class Chunk:
    """A part of a text, and the number of lines in front of it."""

    text: str
    offset: int = 0


@dataclass(frozen=True)
class ModuleInput:
    """A module, and how it goes on: the steps that are still to come, and ``settings`` for what
    they do not say; None where nothing is known. ``is_frontends``: no pass has run. ``call``: for
    ``--run``, where the kernel was built for one.
    """

    module: ModuleOp
    rest: tuple[Step, ...] | None = None
    settings: Continuation | None = None
    is_frontends: bool = False
    call: Call | None = None


def is_python(arguments: Arguments) -> bool:
    """True if the input is a Python file."""
    if arguments.frontend is not None:
        return arguments.frontend == "py"
    return arguments.input_file is not None and arguments.input_file.endswith(".py")


def read_chunks(arguments: Arguments) -> list[Chunk]:
    """The text of the input, cut where it is asked for.

    Raises:
        OSError: the file cannot be read.
        InvalidIRError: it is not UTF-8.
    """
    text = decoded(_read(arguments.input_file), input_name(arguments))
    if not arguments.split_input_file:
        return [Chunk(text)]
    found: list[Chunk] = []
    offset = 0
    for part in text.split(_MARK):
        found.append(Chunk(part, offset))
        offset += part.count("\n")
    return found


def input_name(arguments: Arguments) -> str:
    """Name of the input in messages."""
    return "stdin" if arguments.input_file in (None, "-") else str(arguments.input_file)


def _read(path: str | None) -> bytes:
    return sys.stdin.buffer.read() if path in (None, "-") else Path(str(path)).read_bytes()


def parse_chunk(chunk: Chunk, arguments: Arguments) -> ModuleInput:
    """The module of a text.

    Raises:
        InvalidIRError: the text is wrong, or its first line; at its place in the whole input.
    """
    ctx = lazy_context()
    ctx.allow_unregistered = arguments.allow_unregistered_dialect
    module = parse_module(
        chunk.text,
        input_name(arguments),
        ctx=ctx,
        first_line=chunk.offset + 1,
        verifying=not arguments.disable_verify,
        implicit_module=not arguments.no_implicit_module,
    )
    try:
        found = Continuation.read(chunk.text)
        if found is None:
            return ModuleInput(module)
        if found.arch is not None:
            Target.parse(found.arch)
        rest = tuple(parse_steps(found.passes, found.loads)) if found.passes else ()
    except (ArgumentError, DeviceError) as error:
        line = chunk.offset + 1 + chunk.text[: chunk.text.index("//")].count("\n")
        message = textwrap.shorten(error.message, _LONGEST_MESSAGE, placeholder=" …")
        raise InvalidIRError(message, Loc(input_name(arguments), line)) from error
    return ModuleInput(module, rest, replace(found, passes="", loads=()))


def python_file(arguments: Arguments) -> PythonFile:
    """The kernels of a Python file, which is run.

    Raises:
        ArgumentError: there is no such file, or it fails.
    """
    from ninetoothed.tools.nt_opt.python_file import PythonFile

    return PythonFile(Path(str(arguments.input_file)))


def python_module(definition: Definition, arguments: Arguments, goes_on: bool) -> ModuleInput:
    """The module of a kernel in a Python file; ``goes_on``: with its pipeline.

    Raises:
        NineToothedError: the kernel is wrong, or an option does not fit it.
    """
    from ninetoothed.tools.nt_opt import kernel_pipeline

    if not goes_on:
        module = kernel_pipeline.frontend_module(definition, arguments)
        return ModuleInput(module, is_frontends=True)
    call = signature = None
    if arguments.run:
        from ninetoothed.tools.nt_opt import interpreting

        call, signature = interpreting.python_call(definition, arguments)
    found = kernel_pipeline.compiled(definition, arguments, signature)
    sys.stderr.write(found.assumed)
    return ModuleInput(found.module, found.pipeline, found.settings, is_frontends=True, call=call)


def refuse_python_options(arguments: Arguments) -> None:
    """Check that no option for Python files is given.

    Raises:
        ArgumentError: one is.
    """
    given = {
        "--list-kernels": arguments.list_kernels,
        "--kernel": arguments.kernel,
        "--dtype": arguments.dtype,
        "--set": arguments.set and not arguments.run,
        "--choose": arguments.choose,
    }
    for option, value in given.items():
        if value:
            raise ArgumentError(
                f"{option} is for Python files; in IR the options of its passes say it"
            )
