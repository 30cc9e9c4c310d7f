"""``nt-opt view``: a kernel's compilation on one HTML page, which needs no network.

nt-opt view kernel.py -o out.html
nt-opt view kernel.py --kernel add_kernel --arch gfx942 -o out.html --trace DIR
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from ninetoothed.artifacts.target import DEFAULT_TARGET, Target
from ninetoothed.cache.atomic import write_atomically
from ninetoothed.errors import NineToothedError
from ninetoothed.tools.nt_opt.command_line import (
    Arguments,
    Parser,
    add_load,
    add_python,
    unknown_word,
)

_DESCRIPTION = """\
Write one HTML page on a kernel's compilation: the source, every stage's IR, what each pass changed,
remarks and timings, and what Triton makes of it, down to machine code, with lines that belong
together linked. Nothing is launched, and no GPU is needed; what no call has fixed is assumed, and
said on the page.
"""


class ViewArguments(Arguments):
    """The options of one page."""

    page: str | None
    no_timings: bool
    trace: str | None


def parser() -> Parser:
    """The parser of ``nt-opt view``."""
    made = Parser(
        prog="nt-opt view",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    made.add_argument("input_file", metavar="FILE", help="a Python file")
    add_python(made, str(DEFAULT_TARGET))
    add_load(made.add_argument_group("passes").add_argument)
    add = made.add_argument_group("output").add_argument
    add("-o", dest="page", metavar="PAGE", help="the page to write (default: KERNEL.html)")
    add(
        "--no-timings",
        action="store_true",
        help="leave out what passes took: the same input gives the same bytes",
    )
    add(
        "--trace",
        metavar="DIR",
        help="write structured logs to DIR, too, which tritonparse and tlparse read",
    )
    return made


def main(arguments: Sequence[str]) -> int:
    """Run ``nt-opt view``; the exit status: 0, or 1 with the reason on the standard error stream,
    or 2 where the command line is wrong.
    """
    made = parser()
    try:
        parsed, unknown = made.parse_known_args(arguments, ViewArguments())
        if unknown:
            made.error(unknown_word(made, unknown[0]))
    except SystemExit as error:  # argparse's way to end
        return error.code if isinstance(error.code, int) else 1
    try:
        print(_written(parsed))
    except (NineToothedError, OSError, ValueError) as error:
        print(f"nt-opt view: {type(error).__name__}: {error}", file=sys.stderr)
        return 1
    return 0


def _written(arguments: ViewArguments) -> str:
    """Write the page; what to tell of it."""
    from ninetoothed.plugins.loading import load
    from ninetoothed.tools.nt_opt.kernel_pipeline import configured_call
    from ninetoothed.tools.nt_opt.python_file import PythonFile
    from ninetoothed.view.collection import collect
    from ninetoothed.view.page import page
    from ninetoothed.view.structured_logs import Stamp, write_trace

    for name in arguments.load:
        load(name)
    target = Target.parse(arguments.arch or DEFAULT_TARGET)
    definition = PythonFile(Path(str(arguments.input_file))).find(arguments.kernel)
    call = configured_call(definition, arguments)
    compilation = collect(definition, call.signature, call.config, target, assumed=call.assumed)
    path = Path(arguments.page or f"{definition.name}.html")
    write_atomically(path, page(compilation, timings=not arguments.no_timings))
    said = [f"wrote {path}"]
    if arguments.trace is not None:
        stamp = Stamp() if arguments.no_timings else Stamp.now()
        logs = write_trace(compilation, Path(arguments.trace), stamp)
        said += [f"wrote {log}" for log in logs]
    if compilation.missing:
        said.append(f"only our own stages are in it: {compilation.missing}")
    return "\n".join(said)
