"""Preserved meaning: kernels give the same results before a pass, behind it, and at the end."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from hypothesis import HealthCheck, Phase, Verbosity, given, settings
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser
from xdsl.passes import ModulePass

from ninetoothed.artifacts.configuration import Config
from ninetoothed.artifacts.signature import Signature
from ninetoothed.calls.arguments import bind
from ninetoothed.calls.copies import copied
from ninetoothed.calls.sequences import elements_of
from ninetoothed.compiler.compile import build, context, lower, pass_options, symbolic_steps
from ninetoothed.compiler.defaults import pick
from ninetoothed.errors import (
    ArgumentError,
    CompilerError,
    MismatchError,
    NineToothedError,
    counted,
    did_you_mean,
    user_facing,
)
from ninetoothed.interpreters import interpret
from ninetoothed.ir.printing import text_of
from ninetoothed.ir.snapshots import Snapshots
from ninetoothed.kernel.comparison import Tolerance, difference
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.passes import pass_names
from ninetoothed.passes.pipeline import ANNOTATED, SPECIALIZED, Step, run, steps
from ninetoothed.plugins import outside_passes
from ninetoothed.plugins.outside_passes import OutsidePass
from ninetoothed.testing.program_runs import PassTrace, arguments
from ninetoothed.testing.program_writer import Argument, Program
from ninetoothed.testing.random_programs import FAMILIES, programs

Call = tuple[Kernel | ModuleOp | str, Sequence[Any]]
"""A kernel, or a module or its text, and the arguments of a call."""

_ROWS = [(stage, name) for stage, names in (*ANNOTATED, *SPECIALIZED) for name in names]
_SYMBOLIC = sum(len(names) for _, names in ANNOTATED)


@dataclass(frozen=True)
class _Rest:
    """The pipeline from the place of a pass on, ``index`` passes behind its beginning.

    ``composed``: the module that the options of the passes behind stage ``composed`` follow from,
    if the place is there.
    """

    index: int
    signature: Signature
    config: Config
    composed: ModuleOp

    def own(self, name: str) -> ModulePass | None:
        """The pass at the place with the options that it has there, if it is the one named."""
        row = symbolic_steps(self.signature)[self.index :] or self._specialized(self.composed)
        return row[0].pass_ if row and row[0].pass_.name == name else None

    def run(self, module: ModuleOp, name: str) -> None:
        """Run it over a module, in place, behind the pass of a name: without its first one if that
        is the pass.

        Raises:
            CompilerError: a pass failed, or left a module that is not valid.
        """
        skipped = int(self.own(name) is not None)
        symbolic = symbolic_steps(self.signature)[self.index :]
        run(context(), module, symbolic[skipped:], verifying=True)
        # What a symbolic pass leaves decides the options of those behind stage `composed`.
        row = self._specialized(module) if symbolic else self._specialized(self.composed)[skipped:]
        run(context(), module, row, verifying=True)

    def _specialized(self, composed: ModuleOp) -> list[Step]:
        options = pass_options(composed, self.signature, self.config)
        return steps(SPECIALIZED, options)[max(self.index - _SYMBOLIC, 0) :]


@dataclass(frozen=True)
class _Case:
    """One kernel at the place of a pass, and a call of it.

    ``fresh``: the call's arguments, new ones each time: the tensors to compare, by name, and the
    values that the kernel is run with. ``allowed``: how far the tensors may differ, where that is
    not what their element types allow. ``rest``: the pipeline from the place on; None: there is no
    place.
    """

    title: str
    module: ModuleOp
    fresh: Callable[[], tuple[dict[str, torch.Tensor], list[Any]]]
    constants: Mapping[str, int]
    allowed: Mapping[str, float] | None = None
    rest: _Rest | None = None

    def results(self, module: ModuleOp) -> dict[str, torch.Tensor]:
        """The tensors as a module leaves them."""
        tensors, values = self.fresh()
        interpret(module, values, self.constants)
        return tensors


@user_facing
def assert_preserves_meaning(
    pass_: ModulePass | type[ModulePass],
    *,
    before: str | None = None,
    after: str | None = None,
    calls: Iterable[Call] | None = None,
    count: int = 100,
    families: Sequence[str] = (),
) -> int:
    """Run a pass at its place over random programs, and compare what they compute in front of it
    with what they compute behind it, and behind the rest of the pipeline.

    That holds in every stage: what a pass behind ``arranged`` or ``composed`` leaves is lowered as
    ``make`` lowers it. So a wrong fact (a bound, a divisor), which no interpreter reads, is found
    where a later pass relies on it. The modules are those for CPU tensors, and for one
    configuration, without choices of other passes. What only a GPU sees (alignment, cache hints,
    barriers) makes no difference here.

    The programs are small, and always the same ones: elementwise expressions, branches, loops,
    reductions, scans and dots, on blocks with borders, windows, padding and reversed dims. Results
    are exact or have bounds of their errors, so that a difference is a mistake.

    Args:
        pass_: The pass, or its class where its options have defaults.
        before: The pass or the stage of the pipeline in front of which it runs.
        after: The pass or the stage behind which it runs. With neither, the place at which the
            pipeline has it, or at which it was registered.
        calls: Instead of random programs: kernels, each with the positional arguments of a call.
            Of a module, or of its text, the pass is run on it as it is, with the arguments of its
            kernel in order, and without a place.
        count: How many random programs.
        families: Of which families of arrangements; default: of all.

    Returns:
        How many kernels the pass changed.

    Raises:
        MismatchError: results differ; shows the first such kernel, and what the pass changed.
        ArgumentError: the place is not known; or the pass changed no kernel, so that nothing was
            compared.
        PluginError: the pass failed, or left a module that is not valid; with what it changed.
        CompilerError: a pass behind it failed on what it left.
    """
    changed = 0
    total = 0

    def check(case: _Case) -> None:
        nonlocal changed, total
        changed += _check(pass_, case)
        total += 1

    if calls is not None:
        for called, values in calls:
            if isinstance(called, Kernel):
                check(_of_kernel(called, values, _index(pass_.name, before, after)))
            else:
                check(_of_module(called, values))
    else:
        index = _index(pass_.name, before, after)
        unknown = [family for family in families if family not in FAMILIES]
        if unknown:
            raise ArgumentError(
                f"there is no family {unknown[0]!r} of programs; families are {', '.join(FAMILIES)}"
            )

        # A small program is reported as it is: to look for a smaller one takes minutes.
        @settings(
            max_examples=count,
            derandomize=True,
            database=None,
            deadline=None,
            phases=(Phase.generate,),
            verbosity=Verbosity.quiet,
            print_blob=False,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
        )
        @given(programs(*families))
        def check_program(program: Program) -> None:
            check(_of_program(program, index))

        check_program()
    if not changed:
        raise ArgumentError(
            f"{pass_.name} changed none of {counted(total, 'kernel')}, so nothing was compared; "
            "give calls of kernels that it changes, other options, or another place"
        )
    return changed


def _check(pass_: ModulePass | type[ModulePass], case: _Case) -> bool:
    """Check one kernel; True if the pass changed it.

    Raises:
        MismatchError: it does not compute what it did.
    """
    if not isinstance(pass_, ModulePass):
        # A pass of the pipeline has the options that it has there.
        pass_ = (case.rest and case.rest.own(pass_.name)) or pass_()
    text = text_of(case.module)
    module = case.module.clone()
    run(context(), module, [_step(pass_)], verifying=True)
    changed = text_of(module)
    if changed == text:
        return False
    expected = case.results(case.module)

    def compare(where: str) -> None:
        found = _difference(case, module, expected)
        if found is not None:
            diff = difflib.unified_diff(
                text.splitlines(), changed.splitlines(), "before", "after", lineterm="", n=2
            )
            raise MismatchError(
                f"{pass_.name} changes the meaning: {where} {found}\n{case.title}\n"
                + "\n".join(diff)
            )

    compare("behind it")
    if case.rest is not None:
        try:
            case.rest.run(module, pass_.name)
        except CompilerError as error:
            raise CompilerError(f"behind {pass_.name}: {error.message}", error.loc) from error
        compare("at the pipeline's end")
    return True


def _step(pass_: ModulePass) -> Step:
    """A pass as a step, whose errors name the class if the pass is none of the compiler's."""
    class_ = type(pass_)
    if pass_.name in pass_names():
        return Step(pass_)
    module, name = class_.__module__, class_.__qualname__
    return Step(pass_, outside=OutsidePass(pass_.name, module, name, None, "", ""))


def _difference(case: _Case, module: ModuleOp, expected: Mapping[str, torch.Tensor]) -> str | None:
    """What a module of a case computes otherwise than is expected; None: nothing."""
    try:
        results = case.results(module)
    except NineToothedError as error:
        return f"the kernel fails: {error.message}"
    for name, tensor in results.items():
        actual, wanted = elements_of(tensor), elements_of(expected[name])
        allowed = Tolerance.of(actual.dtype)
        if case.allowed is not None:
            allowed = Tolerance(0.0, case.allowed.get(name, 0.0))
        found = difference(actual, wanted, allowed)
        if found is not None:
            return f"{name} has other elements than before: {found}"
    return None


def _index(own: str, before: str | None, after: str | None) -> int:
    """How many passes run in front of the place of a pass.

    Raises:
        ArgumentError: it has no place.
    """
    if before is not None and after is not None:
        raise ArgumentError("give before or after, not both")
    registered = outside_passes.registered().get(own)
    if before is None and after is None and registered is not None:
        side, place = registered.place
        before, after = (place, None) if side == "before" else (None, place)
    name = before or after or own
    found = [index for index, row in enumerate(_ROWS) if name in row]
    if not found:
        if name == own:
            raise ArgumentError(
                f"{name} has no place in the pipeline; give one, as after='nt-specialize'"
            )
        names = sorted({name for row in _ROWS for name in row})
        hint = did_you_mean(name, names) or f"there are {', '.join(names)}"
        raise ArgumentError(f"there is no pass or stage {name!r} in the pipeline; {hint}")
    if len({_ROWS[index][0] for index in found}) > 1:
        stages = " and ".join(_ROWS[index][0] for index in found)
        raise ArgumentError(f"{name} runs in the stages {stages}; name another pass, or a stage")
    return found[-1] + 1 if after is not None else found[0]


def _of_program(program: Program, index: int) -> _Case:
    trace = PassTrace(program)
    names = [one.name for one in program.arguments if isinstance(one, Argument)]

    def fresh() -> tuple[dict[str, torch.Tensor], list[Any]]:
        buffers, values = arguments(program)
        return dict(zip(names, buffers, strict=True)), values

    return _Case(
        str(program),
        trace.modules[index][1],
        fresh,
        dict(trace.signature.constants) | dict(trace.config.values),
        {name: 2 * error for name, error in program.errors.items()},
        _Rest(index, trace.signature, trace.config, trace.composed),
    )


def _of_kernel(kernel: Kernel, given: Sequence[Any], index: int) -> _Case:
    kept = copied(given)
    # Places are those of the pipeline without passes of other packages.
    definition = replace(kernel.definition, pipeline=None)
    signature = bind(definition.interface, copied(kept), {}).signature
    _, config = pick(definition, build(definition, signature), signature, {})
    snapshots = Snapshots()
    composed = build(definition, signature, [snapshots], config)
    lower(composed, signature, config, [snapshots])

    def fresh() -> tuple[dict[str, torch.Tensor], list[Any]]:
        values = list(kernel.bound(copied(kept), {}))
        named = zip(kernel.interface.names, values, strict=True)
        kinds = {parameter.name: parameter.kind for parameter in kernel.interface.parameters}
        return {name: value for name, value in named if kinds[name] == "tensor"}, values

    return _Case(
        f"kernel {definition.name!r} with {config}",
        snapshots.modules[index][1],
        fresh,
        dict(signature.constants) | dict(config.values),
        rest=_Rest(index, signature, config, composed),
    )


def _of_module(module: ModuleOp | str, given: Sequence[Any]) -> _Case:
    kept = copied(given)
    parsed = Parser(context(), module).parse_module() if isinstance(module, str) else module
    parsed.verify()

    def fresh() -> tuple[dict[str, torch.Tensor], list[Any]]:
        values = list(copied(kept))
        tensors = {
            f"argument {place}": value
            for place, value in enumerate(values)
            if isinstance(value, torch.Tensor)
        }
        return tensors, values

    return _Case(str(parsed), parsed, fresh, {})
