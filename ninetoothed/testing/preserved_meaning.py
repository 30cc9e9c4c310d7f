"""Preserved meaning: kernels give the same results before a pass, behind it, and at the end."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from hypothesis import HealthCheck, Phase, Verbosity, given, settings
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser
from xdsl.passes import ModulePass

from ninetoothed.calls.arguments import bind
from ninetoothed.calls.copies import copied
from ninetoothed.calls.sequences import elements_of
from ninetoothed.compiler.compile import build, context, lower, pass_options
from ninetoothed.compiler.defaults import pick
from ninetoothed.errors import ArgumentError, MismatchError, counted, did_you_mean, user_facing
from ninetoothed.interpreters import interpret
from ninetoothed.ir.printing import text_of
from ninetoothed.kernel.comparison import Tolerance, difference
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.passes.pipeline import ANNOTATED, SPECIALIZED, Step, run, step_of, steps
from ninetoothed.plugins import outside_passes
from ninetoothed.testing.program_runs import PassTrace, arguments
from ninetoothed.testing.program_writer import Argument, Program
from ninetoothed.testing.random_programs import FAMILIES, programs

Call = tuple[Kernel | ModuleOp | str, Sequence[Any]]
"""A kernel, or a module or its text, and the arguments of a call."""

_ROWS = [(stage, name) for stage, names in (*ANNOTATED, *SPECIALIZED) for name in names]
_SYMBOLIC = sum(len(names) for _, names in ANNOTATED)


@dataclass(frozen=True)
class _Case:
    """One kernel at the place of a pass, and a call of it.

    ``fresh``: the call's arguments, new ones each time: the tensors to compare, by name, and the
    values that the kernel is run with. ``allowed``: how far the tensors may differ, where that is
    not what their element types allow. ``rest``: the pipeline behind the pass.
    """

    title: str
    module: ModuleOp
    fresh: Callable[[], tuple[dict[str, torch.Tensor], list[Any]]]
    constants: Mapping[str, int]
    allowed: Mapping[str, float] | None = None
    rest: Sequence[Step] = ()

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
    """Run a pass at its place over random programs, and compare what they compute before and
    behind it, and behind the rest of the pipeline.

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
        CompilerError: the pass failed, or left a module that is not valid.
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
    rest = list(case.rest)
    # A pass of the pipeline has the options that it has there.
    own = rest.pop(0) if rest and rest[0].pass_.name == pass_.name else None
    if not isinstance(pass_, ModulePass):
        pass_ = pass_() if own is None else own.pass_
    text = text_of(case.module)
    module = case.module.clone()
    run(context(), module, [step_of(pass_)], verifying=True)
    changed = text_of(module)
    if changed == text:
        return False
    expected = case.results(case.module)
    for what, steps_behind in (("behind it", ()), ("at the pipeline's end", rest)):
        run(context(), module, steps_behind, verifying=True)
        for name, tensor in case.results(module).items():
            actual, wanted = elements_of(tensor), elements_of(expected[name])
            allowed = Tolerance.of(actual.dtype)
            if case.allowed is not None:
                allowed = Tolerance(0.0, case.allowed.get(name, 0.0))
            found = difference(actual, wanted, allowed)
            if found is not None:
                diff = difflib.unified_diff(
                    text.splitlines(), changed.splitlines(), "before", "after", lineterm="", n=2
                )
                raise MismatchError(
                    f"{pass_.name} changes the meaning: {name} has other elements {what} than "
                    f"before: {found}\n{case.title}\n" + "\n".join(diff)
                )
    return True


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

    constants = dict(trace.signature.constants) | dict(trace.config.values)
    options = pass_options(trace.composed, trace.signature, trace.config)
    return _Case(
        str(program),
        trace.modules[index][1],
        fresh,
        constants,
        {name: 2 * error for name, error in program.errors.items()},
        _rest(index, options),
    )


def _of_kernel(kernel: Kernel, given: Sequence[Any], index: int) -> _Case:
    kept = copied(given)
    definition = kernel.definition
    signature = bind(definition.interface, copied(kept), {}).signature
    _, config = pick(definition, build(definition, signature), signature, {})
    modules: list[ModuleOp] = []

    def observe(name: str, module: ModuleOp) -> None:
        modules.append(module.clone())

    composed = build(definition, signature, [observe], config)
    lower(composed, signature, config, [observe])

    def fresh() -> tuple[dict[str, torch.Tensor], list[Any]]:
        values = list(kernel.bound(copied(kept), {}))
        named = zip(kernel.interface.names, values, strict=True)
        kinds = {parameter.name: parameter.kind for parameter in kernel.interface.parameters}
        return {name: value for name, value in named if kinds[name] == "tensor"}, values

    return _Case(
        f"kernel {definition.name!r} with {config}",
        modules[index],
        fresh,
        dict(signature.constants) | dict(config.values),
        rest=_rest(index, pass_options(composed, signature, config)),
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


def _rest(index: int, options: Any) -> Sequence[Step]:
    """The pipeline behind a place: of one in a symbolic stage nothing, since what is chosen there
    decides the options of the others.
    """
    return steps(SPECIALIZED, options)[index - _SYMBOLIC :] if index >= _SYMBOLIC else ()
