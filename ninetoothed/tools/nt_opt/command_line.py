"""Command line of ``nt-opt``: the options and their help, by ``argparse`` alone."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence
from typing import NoReturn

from ninetoothed.artifacts.target import find_others
from ninetoothed.errors import NineToothedError, did_you_mean
from ninetoothed.tools.nt_opt.output_targets import STAGES, targets
from ninetoothed.version import __version__

_Add = Callable[..., argparse.Action]

_DESCRIPTION = "See and run the stages of the NineToothed compiler."

_EPILOG = """\
examples:
  nt-opt kernel.py --dump-ir                 every stage of a kernel, one behind the other
  nt-opt kernel.py --dump-ir=DIR             the same, a file a pass
  nt-opt kernel.py --kernel add_kernel --dtype lhs=fp16 --set BLOCK_SIZE=128 -t ttir
  nt-opt kernel.py --choose loop_stages=3 --remarks -t tt
  nt-opt kernel.py -t composed > stage.mlir  one stage
  nt-opt stage.mlir -t ttir                  goes on from it to the end
  nt-opt stage.mlir -t ptx --arch sm_90      and through Triton, which needs no GPU
  nt-opt kernel.py -t tt --run --shape x=64x100     what the interpreter makes of a stage
  nt-opt stage.mlir -p canonicalize --from composed --to padded
  nt-opt view kernel.py -o out.html          all of it on a page

A Python file is imported, and its kernel is built as for a call: what no call has fixed is assumed,
as in Kernel.ir, and said on the standard error stream. A module that is printed begins with a
comment that says which passes are to come, with their options: nt-opt reads it where -t, --from or
--to asks to go on, and needs nothing else, but for passes that --load registered: it names those
modules, and --load has to be given again, for a text runs no code but that of installed packages'
passes. Texts hold no source locations without --debug-info. What a launch runs before the kernel,
to make packed copies, is printed before it, where the passes that are run say how wide offsets are.
"""

VERIFY_EACH = "leave out --no-verify-each"
"""What gives a file that reproduces an error of a pass."""

# Options whose value may be left out follow `=`, so that a file name behind them is none.
_ONLY_WITH_EQUALS = {"--dump-ir": "-"}


class Arguments(argparse.Namespace):
    """The options of one run, as the command line gives them."""

    input_file: str | None
    frontend: str | None
    kernel: str | None
    dtype: list[str]
    set: list[str]
    choose: list[str]
    arch: str | None
    num_warps: int | None
    num_stages: int | None
    list_kernels: bool
    passes: str | None
    start: str | None
    stop: str | None
    load: list[str]
    target: str
    output_file: str | None
    run: bool
    shape: list[str]
    inputs: str | None
    seed: int
    outputs: str | None
    generic: bool
    debug_info: bool
    local_scope: bool
    syntax_highlight: bool
    dump_ir: str | None
    dump_ir_diff: bool
    print_between_passes: bool
    time_passes: bool
    remarks: bool
    verify_each: bool
    disable_verify: bool
    split_input_file: bool
    verify_diagnostics: bool
    parsing_diagnostics: bool
    allow_unregistered_dialect: bool
    no_implicit_module: bool
    list_passes: bool
    help_pass: str | None


class Parser(argparse.ArgumentParser):
    """Its errors are a line, without the usage of all options."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: error: {message}\n")

    def option_names(self) -> list[str]:
        """All options."""
        return [name for action in self._actions for name in action.option_strings]


def _positive(text: str) -> int:
    if text.isdecimal() and int(text) > 0:
        return int(text)
    raise argparse.ArgumentTypeError(f"a positive integer, not {text!r}")


def _power_of_two(text: str) -> int:
    number = _positive(text)
    if number.bit_count() == 1:
        return number
    raise argparse.ArgumentTypeError(f"a power of two, not {text!r}")


def _seed(text: str) -> int:
    if text.isdecimal() and int(text) < 1 << 63:
        return int(text)
    raise argparse.ArgumentTypeError(f"an integer from 0 to {(1 << 63) - 1}, not {text!r}")


def parser() -> Parser:
    """The parser, with all options in groups."""
    made = Parser(
        prog="nt-opt",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    made.add_argument(
        "input_file",
        nargs="?",
        metavar="FILE",
        help="a .py file, or IR of any stage; - or none: IR from the standard input",
    )
    add_python(made, _ARCHITECTURE)
    _add_pipeline(made.add_argument_group("passes").add_argument)
    _add_output(made.add_argument_group("output").add_argument)
    _add_running(made.add_argument_group("running").add_argument)
    _add_observers(made.add_argument_group("what the passes do").add_argument)
    _add_parsing(made.add_argument_group("reading and checking IR").add_argument)
    _add_lists(made.add_argument_group("lists and help").add_argument)
    return made


def add_python(made: argparse.ArgumentParser, architecture: str) -> None:
    """Add the options that say which kernel of a Python file is compiled, and for which call;
    ``architecture``: the one without ``--arch``.
    """
    add = made.add_argument_group("kernels of Python files").add_argument
    add("--kernel", metavar="NAME", help="the kernel, where there are several; or a call of it")
    add("--dtype", action="append", default=[], metavar="PARAM=TYPE", help="an element type")
    add("--set", action="append", default=[], metavar="SYMBOL=VALUE", help="a symbol's value")
    add("--choose", action="append", default=[], metavar="CHOICE=VALUE", help="a pass's choice")
    add(
        "--arch",
        metavar="ARCH",
        help=f"the architecture, as sm_90 or gfx942 (default: {architecture})",
    )
    add("--num-warps", type=_power_of_two, metavar="N", help="warps of a program")
    add("--num-stages", type=_positive, metavar="N", help="stages of software pipelining")


_ARCHITECTURE = "the one that the IR's first line names, else sm_90, or gfx942 for AMD's texts"


def _add_pipeline(add: _Add) -> None:
    add(
        "-p",
        "--passes",
        metavar="PASSES",
        help="these passes, as in 'nt-fold-guards{full=true},cse', and no others without --from "
        "or --to",
    )
    add(
        "--from",
        dest="start",
        metavar="STAGE|PASS",
        help="run the pipeline behind a stage, or from a pass on (behind -p)",
    )
    add("--to", dest="stop", metavar="STAGE|PASS", help="run it as far as a stage or a pass")
    add_load(add)


def add_load(add: _Add) -> None:
    """Add the option that imports passes of other packages."""
    add(
        "--load",
        action="append",
        default=[],
        metavar="MODULE",
        help="import a module first, which registers passes: its dotted name, or a .py file",
    )


def _add_output(add: _Add) -> None:
    stages = ", ".join(STAGES)
    rows = "; ".join(f"{row.name}: {row.summary}" for row in targets().values())
    add(
        "-t",
        "--target",
        default="mlir",
        metavar="TARGET",
        help=f"what to print; {rows}; or a stage, which the pipeline runs to: {stages} (default: "
        "mlir)",
    )
    add("-o", "--output-file", metavar="FILE", help="write to a file")
    add("--generic", "--print-op-generic", action="store_true", help="ops in the generic form")
    add("--debug-info", "--print-debuginfo", action="store_true", help="print source locations")
    add(
        "--print-local-scope",
        dest="local_scope",
        action="store_true",
        help="an op a line, without aliases of types and locations, as CHECK lines like it",
    )
    add("--syntax-highlight", action="store_true", help="colours")


def _add_running(add: _Add) -> None:
    add(
        "--run",
        action="store_true",
        help="interpret the kernel, in the stage that would be printed, and print of each output "
        "its type, a digest and some elements (numbers: --set)",
    )
    add(
        "--shape",
        action="append",
        default=[],
        metavar="NAME=AxB",
        help="a tensor's shape, as x=128x64 (default: one that goes with the others)",
    )
    add("--inputs", metavar="FILE", help="an .npz file with the inputs (default: random ones)")
    add("--seed", type=_seed, default=0, metavar="N", help="of what is random (default: 0)")
    add("--outputs", metavar="FILE", help="keep the outputs as an .npz file")


def _add_observers(add: _Add) -> None:
    add(
        "--dump-ir",
        nargs="?",
        const="-",
        metavar="DIR",
        help="print the IR after every pass, or write it to files in DIR (as --dump-ir=DIR)",
    )
    add("--dump-ir-diff", action="store_true", help="print what each pass changed, if anything")
    add(
        "--print-between-passes",
        action="store_true",
        help="print the IR between passes to standard error",
    )
    add(
        "--time-passes",
        action="store_true",
        help="print how long reading, passes and printing took to standard error",
    )
    add(
        "--verify-each",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="verify the IR after every pass, and keep it, so that a pass that fails "
        "leaves a file that reproduces it",
    )
    add("--remarks", action="store_true", help="print the passes' remarks to standard error")


def _add_parsing(add: _Add) -> None:
    add("-f", "--frontend", choices=("mlir", "py"), help="the file's kind (default: by its suffix)")
    add(
        "--split-input-file",
        action="store_true",
        help="take the parts between // ----- apart (--dump-ir=DIR: the first one's files are in "
        "DIR/1)",
    )
    add("--verify-diagnostics", action="store_true", help="print errors of the IR, and exit with 0")
    add("--parsing-diagnostics", action="store_true", help="print errors of syntax, and go on")
    add("--disable-verify", action="store_true", help="do not verify the IR that is read")
    add(
        "--allow-unregistered-dialect",
        action="store_true",
        help="accept ops of unknown dialects, in the generic form",
    )
    add("--no-implicit-module", action="store_true", help="the IR says builtin.module itself")


def _add_lists(add: _Add) -> None:
    add("--list-kernels", action="store_true", help="list the kernels of a Python file and exit")
    add("--list-passes", action="store_true", help="list the passes, with a line each, and exit")
    add("--help-pass", metavar="NAME", help="print a pass's documentation and options, and exit")
    add("-v", "--version", action="version", version=f"nt-opt of ninetoothed {__version__}")


def parse(arguments: Sequence[str]) -> Arguments:
    """The options of a command line.

    Raises:
        SystemExit: with ``--help``, or where the line is wrong, which is printed.
    """
    spelled = [
        f"{word}={_ONLY_WITH_EQUALS[word]}" if word in _ONLY_WITH_EQUALS else word
        for word in arguments
    ]
    made = parser()
    found, unknown = made.parse_known_args(spelled, Arguments())
    if unknown:
        made.error(unknown_word(made, unknown[0]))
    for name in ("shape", "inputs", "outputs"):
        if getattr(found, name) and not found.run:
            made.error(f"--{name} is for --run; give both")
    if found.run and found.target not in ("mlir", *STAGES):
        made.error(f"--run interprets a stage, as in -t tt; -t {found.target} is none")
    known = [*targets(), *STAGES]
    if found.target not in known:
        known = [*_all_targets(made), *STAGES]
    if found.target not in known:
        near = did_you_mean(found.target, known) or f"targets are {', '.join(known)}"
        made.error(f"-t: there is no target {found.target}; {near}")
    return found


def _all_targets(made: Parser) -> Iterable[str]:
    """The targets, with those of other packages' back ends."""
    try:
        find_others()
    except NineToothedError as error:
        made.error(f"-t: {error}")
    return targets()


def unknown_word(made: Parser, word: str) -> str:
    """Message on a word that is none of the command line's."""
    if not word.startswith("-"):
        return f"one file is read; {word} is another"
    name = word.partition("=")[0]
    near = did_you_mean(name, made.option_names()) or f"{made.prog} --help lists them"
    return f"there is no option {name}; {near}"
