"""The driver: reads modules, runs passes over them, and prints what the target asks for."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from xdsl.utils.exceptions import DiagnosticException

from ninetoothed.artifacts.target import DEFAULT_TARGET
from ninetoothed.errors import ArgumentError, CompilerError, InvalidIRError, NineToothedError
from ninetoothed.ir import nt
from ninetoothed.ir.continuation import Continuation
from ninetoothed.ir.dialects import context
from ninetoothed.ir.stages import check_stage
from ninetoothed.passes.pipeline import Step, continuation
from ninetoothed.passes.pipeline import run as run_passes
from ninetoothed.tools.nt_opt import inputs
from ninetoothed.tools.nt_opt.command_line import VERIFY_EACH, Arguments
from ninetoothed.tools.nt_opt.inputs import ModuleInput
from ninetoothed.tools.nt_opt.observers import Dumps
from ninetoothed.tools.nt_opt.output_targets import STAGES, EmitOptions, targets
from ninetoothed.tools.nt_opt.overriding import overridden
from ninetoothed.tools.nt_opt.pass_timing import Timer
from ninetoothed.tools.nt_opt.selection import Selected, select

if TYPE_CHECKING:
    from ninetoothed.tools.nt_opt.interpreting import Call


def run(arguments: Arguments) -> None:
    """Read the input, run passes over it, and print.

    Raises:
        NineToothedError, DiagnosticException: the input or an option is wrong.
        OSError, ValueError: a file cannot be read or written.
    """
    driver = _Driver(arguments)
    texts = driver.texts()
    if arguments.output_file is not None:
        Path(arguments.output_file).write_text("".join(texts), encoding="utf-8")
    else:
        for text in texts:
            sys.stdout.write(text)
            sys.stdout.flush()
    if arguments.time_passes:
        sys.stderr.write(driver.timer.report())


class _Driver:
    """One run."""

    def __init__(self, arguments: Arguments) -> None:
        self.timer = Timer()
        self._arguments = arguments
        # Stages are printed as they are.
        self._target = targets()["mlir" if arguments.target in STAGES else arguments.target]
        self._dumps = Dumps(arguments)

    def texts(self) -> Iterator[str]:
        """What is printed, part by part."""
        if inputs.is_python(self._arguments):
            yield self._of_python()
            return
        inputs.refuse_python_options(self._arguments)
        for number, chunk in enumerate(inputs.read_chunks(self._arguments), 1):
            if number > 1:
                yield "// -----\n"
            if self._arguments.split_input_file:
                self._dumps.part = number
            yield self._of_chunk(chunk)

    def _of_python(self) -> str:
        arguments = self._arguments
        with self.timer.region("Import"):
            kernels = inputs.python_file(arguments)
            if arguments.list_kernels:
                return kernels.list()
            definition = kernels.find(arguments.kernel)
        if self._goes_on() and arguments.arch is None and not arguments.run:
            arguments.arch = self._target.arch or DEFAULT_TARGET
        with self.timer.region("Frontend"):
            goes_on = self._goes_on() or arguments.run
            found = inputs.python_module(definition, arguments, goes_on)
        return self._text(found)

    def _of_chunk(self, chunk: inputs.Chunk) -> str:
        arguments = self._arguments
        try:
            with self.timer.region("Parser"):
                found = inputs.parse_chunk(chunk, arguments)
            return self._text(found)
        except InvalidIRError as error:
            if not (arguments.parsing_diagnostics or arguments.verify_diagnostics):
                raise
            return f"{type(error).__name__}: {error}\n"
        except DiagnosticException as error:
            if not arguments.verify_diagnostics:
                raise
            return "\n".join([str(error), *getattr(error, "__notes__", []), ""])

    def _observes(self) -> bool:
        """True if the command line asks what passes do."""
        given = self._arguments
        shows = given.dump_ir is not None or given.dump_ir_diff or given.print_between_passes
        return shows or given.time_passes or given.remarks

    def _goes_on(self) -> bool:
        """True if more of the pipeline is run than the passes of ``-p``."""
        given = self._arguments
        if given.start is not None or given.stop is not None:
            return True
        if given.passes is not None:
            return False
        return self._observes() or self._target.lowered or given.target in STAGES

    def _text(self, found: ModuleInput) -> str:
        """The text of a module behind its passes."""
        found = overridden(found, self._arguments, self._target.arch)
        settings = found.settings
        selected = select(self._arguments, found, self._goes_on())
        call = self._call(found) if self._arguments.run else None
        self._run(found, selected, settings)
        if self._arguments.remarks:
            sys.stderr.writelines(f"{remark}\n" for remark in nt.remarks_of(found.module))
        if call is not None:
            return self._interpreted(found, call)
        if self._dumps.replaces_result() and not self._target.lowered and selected.steps:
            return ""
        with self.timer.region("Output"):
            return self._emitted(found, selected, settings)

    def _run(self, found: ModuleInput, selected: Selected, settings: Continuation | None) -> None:
        """Run the passes over the module, in place."""
        module = found.module
        pipeline = (*selected.steps, *(selected.rest or ()))
        count = len(selected.steps)
        observers = self._dumps.observers(module, pipeline, count, settings, found.is_frontends)
        if found.is_frontends:
            for observe in observers:
                observe("frontend", module)
        if self._arguments.remarks:
            nt.collect_remarks(module)
        if not selected.steps:
            return
        places = _places(pipeline)
        verifying = self._arguments.verify_each
        try:
            run_passes(
                *(context(), module, selected.steps, observers, verifying),
                lambda index, part: self.timer.region(
                    *(("Verifier",) if part == "verify" else ("Pipeline", *places[index]))
                ),
                advice=VERIFY_EACH,
            )
        except NineToothedError as error:
            if not self._arguments.verify_diagnostics:
                raise
            # What `--verify-diagnostics` prints, one after the other with `--split-input-file`.
            raise DiagnosticException(f"{type(error).__name__}: {error}") from error

    def _call(self, found: ModuleInput) -> Call:
        """The call that is interpreted, of the module before its passes."""
        # It imports torch.
        from ninetoothed.tools.nt_opt import interpreting

        steps = found.rest or ()
        constants = interpreting.constants_of(steps, self._arguments)
        call = found.call
        if call is None:
            call = interpreting.module_call(found.module, steps, constants, self._arguments)
        sys.stderr.write(call.assumed)
        return replace(call, constants=constants)

    def _interpreted(self, found: ModuleInput, call: Call) -> str:
        """The report on a run of the kernel."""
        from ninetoothed.tools.nt_opt import interpreting

        with self.timer.region("Interpreter"):
            return interpreting.run(found.module, call, self._arguments)

    def _emitted(
        self, found: ModuleInput, selected: Selected, settings: Continuation | None
    ) -> str:
        given = self._arguments
        options = EmitOptions(
            given.target,
            *(None, None, None)
            if settings is None
            else (settings.arch, settings.num_warps, settings.num_stages),
            given.generic,
            given.debug_info,
            given.local_scope,
            given.syntax_highlight,
        )
        if self._target.lowered:
            self._require_tt(found)
            # Of most kernels, nothing is launched before: what makes that is imported here.
            from ninetoothed.compiler.packing import COPY_CONFIG
            from ninetoothed.tools.nt_opt.prologue import prologue

            before = prologue(found.module, selected.steps, options.arch)
            own = replace(
                options, num_warps=COPY_CONFIG.num_warps, num_stages=COPY_CONFIG.num_stages
            )
            texts = [self._target.emit(one, own) for one in before]
            return self._target.separator.join([*texts, self._target.emit(found.module, options)])
        text = self._target.emit(found.module, options)
        head = "" if settings is None else str(continuation(selected.rest or (), settings))
        return f"{head}\n{text}" if head else text

    def _require_tt(self, found: ModuleInput) -> None:
        """Check that a module is in the stage that back ends take."""
        given = self._arguments
        try:
            check_stage(found.module, "tt")
        except CompilerError as error:
            op = error.message.partition(" ")[0]
            if given.passes is not None:
                hint = "let -p go as far, or say with --from where the pipeline goes on"
            elif found.rest is None:
                hint = (
                    "the text does not say which passes are to come: give them with -p, or say "
                    "with --from which stage it is in"
                )
            else:
                hint = (
                    "its passes end before that stage, where no configuration is chosen: go on "
                    "from a file of a configuration"
                )
            raise ArgumentError(
                f"-t {given.target} takes a module in stage tt, where {op} may not appear; {hint}",
                error.loc,
            ) from error


def _places(pipeline: Sequence[Step]) -> list[tuple[str, ...]]:
    """The stage that each step leads to, where it is known, and the step's name."""
    found: list[tuple[str, ...]] = []
    stage: str | None = None
    for step in reversed(pipeline):
        stage = step.stage or stage
        name = step.pass_.name
        found.append((name,) if stage is None else (stage, name))
    return found[::-1]
