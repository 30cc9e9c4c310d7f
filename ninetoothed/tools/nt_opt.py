"""``nt-opt``: see and run the stages of the compiler.

    nt-opt kernel.py --dump-ir           every stage of a kernel, one behind the other
    nt-opt kernel.py --kernel add_kernel --dtype lhs=fp16 --set BLOCK_SIZE=128 --dump-ir=DIR
    nt-opt kernel.py --choose loop_stages=3 --dump-ir       a pass does it in another way
    nt-opt kernel.py --remarks           what passes did, and where they refused, with lines
    nt-opt kernel.py -t ttir             the text that Triton compiles
    nt-opt stage.mlir -p 'nt-lower-accesses,cse' -t mlir

A Python file is imported, and its kernel is built as for a call: what no call has fixed is assumed,
as in ``Kernel.ir``. A kernel that a function of the file makes is given by a call, as in ``--kernel
'make_kernel(64)'``. Every text that is printed is accepted back. Remarks go to the standard error
stream; in the IR they are the kernel's attribute ``nt.remarks``.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any, cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import PassPipeline
from xdsl.utils.exceptions import DiagnosticException, ParseError, PassFailedException
from xdsl.utils.target import Target
from xdsl.xdsl_opt_main import xDSLOptMain

from ninetoothed.artifacts.configuration import Config
from ninetoothed.artifacts.signature import Signature
from ninetoothed.artifacts.target import BACK_ENDS, BackEnd, Language
from ninetoothed.backend.protocol import emitter
from ninetoothed.compiler.compile import build, context, dump_to, pass_options
from ninetoothed.compiler.defaults import describe_assumptions, fitted, pick
from ninetoothed.compiler.optimizations import legalities_of
from ninetoothed.errors import (
    ArgumentError,
    InvalidIRError,
    NineToothedError,
    UndefinedNameError,
    collect_warnings,
)
from ninetoothed.frontend.build import build_module
from ninetoothed.ir import nt
from ninetoothed.ir.parsing import parse_module
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.passes import available_passes
from ninetoothed.passes.pipeline import ANNOTATED, SPECIALIZED, Observer, Step, run, steps


def _target(back_end: BackEnd, language: Language) -> type[Target]:
    """Text in a language of a back end, as a target of xDSL's driver."""

    @dataclass(frozen=True)
    class Emitted(Target):
        name = language

        def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
            output.write(emitter(back_end).emit_text(module, language))

    return Emitted


@dataclass
class _Pipeline:
    """Our runner in the place of xDSL's, which does not name the pass that failed."""

    steps: list[Step]
    observers: list[Observer]
    diagnosing: bool
    remarking: bool

    def apply(self, ctx: Context, module: ModuleOp) -> None:
        if self.remarking:
            nt.collect_remarks(module)
        try:
            run(ctx, module, self.steps, self.observers, verifying=True)
        except NineToothedError as error:
            if not self.diagnosing:
                raise
            # What `--verify-diagnostics` prints, one after the other with `--split-input-file`.
            raise DiagnosticException(f"{type(error).__name__}: {error}") from error
        if self.remarking:
            sys.stderr.writelines(f"{remark}\n" for remark in nt.remarks_of(module))


class NtOptMain(xDSLOptMain):
    """The driver: our dialects, passes, targets, and Python files as input."""

    dumped = False

    def register_all_dialects(self) -> None:
        self.ctx = context().clone()

    def register_all_passes(self) -> None:
        for name, factory in available_passes().items():
            self.register_pass(name, factory)

    def register_all_targets(self) -> None:
        from xdsl.targets import get_all_targets

        self.available_targets["mlir"] = get_all_targets()["mlir"]
        for row in BACK_ENDS:
            for language in row.languages:
                self.available_targets[language] = partial(_target, row, language)

    def register_all_frontends(self) -> None:
        super().register_all_frontends()
        self.available_frontends["py"] = self._python

    def register_all_arguments(self, arg_parser: argparse.ArgumentParser) -> None:
        super().register_all_arguments(arg_parser)
        add = arg_parser.add_argument
        add("--kernel", help="the kernel of a Python file, where it has several; or a call of it")
        add("--dtype", action="append", default=[], metavar="PARAM=TYPE", help="an element type")
        add("--set", action="append", default=[], metavar="SYMBOL=VALUE", help="a symbol's value")
        add("--choose", action="append", default=[], metavar="CHOICE=VALUE", help="a pass's choice")
        add("--remarks", action="store_true", help="print the passes' remarks to standard error")
        add("--list-passes", action="store_true", help="list the passes and exit")
        add(
            "--dump-ir",
            nargs="?",
            const="-",
            metavar="DIR",
            help="print the IR after every pass, or write it to files in DIR (as --dump-ir=DIR)",
        )

    def setup_pipeline(self) -> None:
        passes = PassPipeline.parse_spec(self.available_passes, self.args.passes).passes
        self._use([Step(item) for item in passes])

    def _use(self, pipeline: list[Step]) -> None:
        diagnosing: bool = self.args.verify_diagnostics
        remarking: bool = self.args.remarks
        self.runs = bool(pipeline)
        ours = _Pipeline(pipeline, self._observers(), diagnosing, remarking)
        # xDSL's driver calls nothing but `apply`.
        self.pipeline = cast("PassPipeline", ours)

    def _observers(self) -> list[Observer]:
        folder: str | None = self.args.dump_ir
        if folder is None:
            return []
        if folder != "-":
            return [dump_to(Path(folder), start=1)]

        def observe(name: str, module: ModuleOp) -> None:
            # Marks between the parts, so that the whole is an input of `--split-input-file`.
            mark = "// -----\n" if self.dumped else ""
            print(f"{mark}// after {name}\n{module!s}")
            self.dumped = True

        return [observe]

    def parse_chunk(
        self, chunk: IO[bytes], file_extension: str, start_offset: int = 0
    ) -> ModuleOp | None:
        if file_extension != "mlir":
            return super().parse_chunk(chunk, file_extension, start_offset)
        name, first_line = self.get_input_name(), start_offset + 1
        try:
            return parse_module(chunk.read(), name, ctx=self.ctx, first_line=first_line)
        except InvalidIRError as error:
            if not (self.args.verify_diagnostics or self.args.parsing_diagnostics):
                raise
            print(f"{type(error).__name__}: {error}")
            return None

    def _python(self, io: IO[bytes]) -> ModuleOp:
        """The frontend's module of a kernel in a Python file; without ``-p``, the whole
        pipeline follows.
        """
        io.close()
        kernel = _find(_names_of(Path(self.args.input_file)), self.args.kernel)
        definition = kernel.definition
        values = dict(_numbers(self.args.set, "--set"))
        choices = dict(_numbers(self.args.choose, "--choose"))
        dtypes = dict(_pairs(self.args.dtype, "--dtype"))
        with collect_warnings():
            signature, _ = fitted(
                definition,
                dtypes,
                values,
                lambda signature: (signature, build_module(definition, signature, {})),
            )
        blocks: dict[str, int] = {}
        wants_all = self.args.dump_ir is not None or self.args.target != "mlir"
        if (wants_all or self.args.remarks) and not self.args.passes:
            composed = build(definition, signature)
            signature, config = pick(definition, composed, signature, values)
            blocks = dict(config.values)
            unknown = [name for name in values if name not in _names(signature, config)]
            if unknown:
                known = ", ".join(_names(signature, config)) or "none"
                raise ArgumentError(f"--set: there is no symbol {unknown[0]}; symbols are {known}")
            for name, value in choices.items():
                config = config.choosing(_choice(composed, name), value)
            sys.stderr.write(describe_assumptions(definition, signature, config, dtypes))
            options = pass_options(composed, signature, config)
            self._use([*steps(ANNOTATED), *steps(SPECIALIZED, options)])
        module = build_module(definition, signature, blocks)
        for observe in self._observers_of_frontend():
            observe("frontend", module)
        return module

    def _observers_of_frontend(self) -> list[Observer]:
        folder: str | None = self.args.dump_ir
        if folder in (None, "-"):
            return self._observers()
        return [dump_to(Path(folder))]

    def output_resulting_program(self, prog: ModuleOp) -> str:
        # What was dumped to the terminal is not printed once more.
        if self.args.dump_ir == "-" and self.args.target == "mlir" and self.runs:
            return ""
        return super().output_resulting_program(prog)


def _names(signature: Signature, config: Config) -> list[str]:
    constexprs = [param.name for param in signature.params if param.kind == "constexpr"]
    return [
        *(name for name, _ in config.values),
        *(name for name, _ in signature.constants),
        *constexprs,
    ]


def _pairs(texts: Sequence[str], option: str) -> Iterator[tuple[str, str]]:
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name or not value:
            raise ArgumentError(f"{option} takes NAME=VALUE, not {text!r}")
        yield name, value


def _choice(composed: ModuleOp, name: str) -> str:
    """Check that a kernel has a choice of this name."""
    names = [known for known, _ in legalities_of(nt.kernel_of(composed))]
    if name not in names:
        known = ", ".join(names) or "none"
        raise ArgumentError(f"--choose: this kernel has no choice {name}; its choices are {known}")
    return name


def _numbers(texts: Sequence[str], option: str) -> Iterator[tuple[str, Any]]:
    for name, text in _pairs(texts, option):
        yield name, _number(text, option)


def _number(text: str, option: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    if text in ("True", "False"):
        return text == "True"
    raise ArgumentError(f"{option} takes numbers, not {text!r}")


def _names_of(path: Path) -> dict[str, Any]:
    """Global variables of a Python file."""
    spec = importlib.util.spec_from_file_location(f"nt_opt_input.{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Where a class of the file looks for its own module, as dataclasses do.
    sys.modules[module.__name__] = module
    with _path(path.resolve().parent):
        spec.loader.exec_module(module)
    return vars(module)


@contextmanager
def _path(folder: Path) -> Generator[None]:
    """``sys.path`` with a folder in front, as under ``python file.py``."""
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))


def _find(bound: dict[str, Any], name: str | None) -> Kernel:
    """The kernel that ``name``, a name or a call, gives; None: the only one."""
    if name is not None and not name.isidentifier():
        return _made(bound, name)
    kernels = {key: value for key, value in bound.items() if isinstance(value, Kernel)}
    if not kernels:
        raise UndefinedNameError(
            "the file makes no kernel; bind one with ninetoothed.make or jit, or, where a function "
            "of the file makes it, give the call, as in --kernel 'make_kernel(64)'"
        )
    if name is None:
        distinct = list(dict.fromkeys(kernels.values()))
        if len(distinct) == 1:
            return distinct[0]
        raise UndefinedNameError(
            f"the file has several kernels; choose with --kernel: {', '.join(kernels)}"
        )
    for key, kernel in kernels.items():
        if name in (key, kernel.definition.name):
            return kernel
    raise UndefinedNameError(f"there is no kernel {name}; the file has {', '.join(kernels)}")


def _made(bound: dict[str, Any], call: str) -> Kernel:
    """The kernel that a call of a function of the file makes."""
    try:
        kernel = eval(call, dict(bound))
    except NineToothedError:
        raise
    except Exception as error:
        raise ArgumentError(f"--kernel {call}: {type(error).__name__}: {error}") from error
    if not isinstance(kernel, Kernel):
        raise ArgumentError(f"--kernel {call} is {kernel!r}; give a kernel, or what makes one")
    return kernel


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``nt-opt``; the exit status: 0, or 1 with the reason on the standard error stream."""
    try:
        arguments = list(sys.argv[1:] if argv is None else argv)
        if "--list-passes" in arguments:
            print("\n".join(available_passes()))
            return 0
        NtOptMain("See and run the stages of the NineToothed compiler", arguments).run()
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else 1
    except BrokenPipeError:
        os.close(sys.stdout.fileno())
        return 1
    except (
        NineToothedError,
        DiagnosticException,
        ParseError,
        PassFailedException,
        OSError,
        ValueError,
    ) as error:
        notes = getattr(error, "__notes__", [])
        print("\n".join([f"nt-opt: {type(error).__name__}: {error}", *notes]), file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
