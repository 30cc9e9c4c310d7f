"""Translation validation by evaluation: compare a kernel's accesses before and after each pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import torch
from xdsl.dialects.builtin import ModuleOp

from ninetoothed.artifacts.configuration import Config
from ninetoothed.artifacts.signature import Signature
from ninetoothed.calls.arguments import bind
from ninetoothed.calls.sequences import Jagged
from ninetoothed.compiler.compile import build
from ninetoothed.compiler.full_function import full_function, is_full
from ninetoothed.definition.definition import Definition
from ninetoothed.errors import CompilerError, NineToothedError, PluginError, collect_warnings
from ninetoothed.interpreters import interpret
from ninetoothed.interpreters.jagged import TENSORS
from ninetoothed.interpreters.run import Argument
from ninetoothed.interpreters.trace import Touch, Trace, difference
from ninetoothed.symbolic.expr import evaluate
from ninetoothed.verification.translation.outcome import Report
from ninetoothed.verification.translation.pass_trace import (
    PassTrace,
    TraceStep,
    full_steps,
    pass_trace,
)
from ninetoothed.verification.translation.samples import Sample, Sampler


class _Check:
    """State of one validation."""

    def __init__(self, definition: Definition, signature: Signature, config: Config) -> None:
        self._definition = definition
        self._signature = signature
        self._config = config
        self._keywords = {
            definition.keywords[name]: value
            for name, value in signature.constants
            if name in definition.keywords
        }
        self._traces: dict[tuple[Signature, Config], PassTrace] = {}
        self._full: dict[tuple[Signature, Config], tuple[TraceStep, ...]] = {}
        self.proved: Counter[str] = Counter()
        self.evaluated: Counter[str] = Counter()
        self.touches = self.full = 0
        self.has_full = False

    def case(self, sample: Sample) -> bool:
        """Compare all passes on one sample; False where it is no valid call of the kernel.

        Raises:
            CompilerError: a pass changed what is touched, or failed.
            PluginError: a pass of another package failed.
        """
        values = sample.values(self._definition, self._signature)
        config = replace(self._config, values=sample.blocks)
        try:
            # Each sample has its own signature: sizes and strides decide what passes may assume.
            call = bind(self._definition.interface, values, self._keywords).signature
            own = self._signature
            if _empties(call) != _empties(own):
                return False
            signature = replace(call, index_bits=own.index_bits, agreement=own.agreement)
            passes = self._pass_trace(signature, config)
            constants = {**dict(signature.constants), **dict(sample.blocks)}
            symbols = passes.symbols(values, constants)
            before = Trace()
            self._run(passes.start, sample, constants, before)
        except (CompilerError, PluginError) as error:
            # It names the pass. No call is to blame for that.
            what = f"{error.message} (in a call with {self._described(sample)})"
            raise type(error)(what, error.loc) from error
        except NineToothedError:
            # Checks that no size symbol shows, loops that are too long, addresses computed by the
            # user that are out of bounds: no fault of a pass.
            return False
        self.touches += len(before)
        full: tuple[TraceStep, ...] = ()
        last = passes.trace_steps[-1].after
        self.has_full = self.has_full or full_function(last) is not None
        if is_full(last, values):
            full = self._full_steps(signature, config, passes)
            self.full += 1
        for trace_step in passes.trace_steps:
            if full and trace_step.name == full[0].name:
                self._follow(full, before, sample, constants, symbols)
            before = self._follow([trace_step], before, sample, constants, symbols)
        return True

    def _follow(
        self,
        trace_steps: Sequence[TraceStep],
        before: Trace,
        sample: Sample,
        constants: Mapping[str, int],
        symbols: Mapping[str, int],
    ) -> Trace:
        """Compare some passes; the accesses behind the last one."""
        for trace_step in trace_steps:
            if trace_step.proved(symbols):
                self.proved[trace_step.name] += 1
                continue
            self.evaluated[trace_step.name] += 1
            before = self._compare(trace_step, before, sample, constants, symbols)
        return before

    def _full_steps(
        self, signature: Signature, config: Config, passes: PassTrace
    ) -> tuple[TraceStep, ...]:
        key = (signature, config)
        if key not in self._full:
            self._full[key] = full_steps(self._definition, *key, passes)
        return self._full[key]

    def _pass_trace(self, signature: Signature, config: Config) -> PassTrace:
        key = (signature, config)
        if key not in self._traces:
            self._traces[key] = pass_trace(self._definition, *key)
        return self._traces[key]

    def _run(
        self, module: ModuleOp, sample: Sample, constants: Mapping[str, int], trace: Trace
    ) -> list[Argument]:
        """Run a module; the arguments as it leaves them."""
        values = sample.values(self._definition, self._signature)
        interpret(module, values, constants, trace)
        return values

    def _as_before(self, trace_step: TraceStep, after: Trace, symbols: Mapping[str, int]) -> Trace:
        """The accesses by the numbers that programs had before the pass."""
        expr = trace_step.number_before
        if expr is None:
            return after
        return after.renumbered(
            lambda programs: torch.as_tensor(evaluate(expr, {**symbols, "pid": programs}, TENSORS))
        )

    def _compare(
        self,
        trace_step: TraceStep,
        before: Trace,
        sample: Sample,
        constants: Mapping[str, int],
        symbols: Mapping[str, int],
    ) -> Trace:
        after = Trace()
        failed: NineToothedError | None = None
        results: list[Argument] = []
        try:
            results = self._run(trace_step.after, sample, constants, after)
        except NineToothedError as error:
            # An access out of bounds is recorded before it is refused.
            failed = error
        as_before = self._as_before(trace_step, after, symbols)
        joined, reordered = trace_step.joined_lanes, trace_step.reordered_lanes
        merged = trace_step.merged_programs
        if merged is not None:
            sizes = [int(evaluate(size, symbols)) for size in merged.shape]
            before = before.merged(sizes, *merged[1:])
        sides = (one.joined(joined).without_lanes(reordered) for one in (before, as_before))
        found = difference(*sides, dropping=trace_step.drops, adding=trace_step.adds)
        if found is not None or failed is not None:
            raise CompilerError(self._message(trace_step, sample, found, failed))
        if trace_step.drops and trace_step.is_ours:
            # A read that is left out must reach no store.
            expected = self._run(trace_step.before, sample, constants, Trace())
            for parameter, *pair in zip(
                self._definition.parameters, expected, results, strict=True
            ):
                if not _same(*pair):
                    what = f"{trace_step.name} changes what {self._definition.name} stores in "
                    raise CompilerError(self._located(what + parameter.name, trace_step, sample))
        return after

    def _message(
        self,
        trace_step: TraceStep,
        sample: Sample,
        found: tuple[Touch, bool] | None,
        failed: NineToothedError | None,
    ) -> str:
        what = f"{trace_step.name} changes which elements {self._definition.name} touches"
        if failed is not None and (found is None or not found[1]):
            what += f": what it leaves fails with {failed.message!r}"
        elif found is not None:
            touch, only_after = found
            side, other = ("after", "before") if only_after else ("before", "after")
            what += f": the {touch} happens {side} the pass only, not {other} it"
        return self._located(what, trace_step, sample)

    def _located(self, what: str, trace_step: TraceStep, sample: Sample) -> str:
        """The message with the call, and the file that reproduces the pass."""
        where = self._described(sample)
        return f"{what} ({where}){trace_step.reproducer}; this is a bug of the compiler"

    def _described(self, sample: Sample) -> str:
        """The sizes and strides of a call, and the block sizes."""
        tensors: list[str] = []
        values = sample.values(self._definition, self._signature)
        for parameter, value in zip(self._definition.parameters, values, strict=True):
            shown = value
            if isinstance(value, torch.Tensor | Jagged):
                shown = f"size {tuple(value.shape)} stride {tuple(value.stride())}"
            if isinstance(value, Jagged):
                shown = f"{shown} offsets {value.offsets.tensor.tolist()}"
            tensors.append(f"{parameter.name}: {shown}")
        blocks = ", ".join(f"{name}={value}" for name, value in sample.blocks)
        return "; ".join([*tensors, *([f"block sizes {blocks}"] if blocks else [])])


def _same(one: Argument, two: Argument) -> bool:
    """True if two arguments have the same elements, bit by bit."""
    if isinstance(one, Jagged) and isinstance(two, Jagged):
        return _same(one.elements, two.elements)
    if isinstance(one, torch.Tensor) and isinstance(two, torch.Tensor):
        plain = (value.clone(memory_format=torch.contiguous_format) for value in (one, two))
        return torch.equal(*(value.reshape(-1).view(torch.uint8) for value in plain))
    return True


def _empties(signature: Signature) -> list[bool]:
    return [param.empty for param in signature.params]


def validate(definition: Definition, signature: Signature, config: Config) -> Report:
    """See :func:`ninetoothed.verification.translation.validate`."""
    check = _Check(definition, signature, config)
    # What there is to warn of, the kernel has warned of.
    with collect_warnings():
        composed = build(definition, signature, config=config)
        sampler = Sampler(definition, signature, composed, config)
        taken = [check.case(sample) for sample in sampler.samples()]
        if check.has_full:
            # Of the others, few fill all blocks.
            taken += [check.case(sample) for sample in sampler.filled()]
    skipped = sampler.skipped + taken.count(False)
    return Report(
        taken.count(True), skipped, check.touches, check.proved, check.evaluated, check.full
    )
