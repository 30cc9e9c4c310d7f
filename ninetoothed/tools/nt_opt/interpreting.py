"""``--run``: the kernel of a module in any stage, run by the interpreter on random or given inputs.

It is imported for ``--run`` alone: the interpreters use torch.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from xdsl.dialects.builtin import ModuleOp

from ninetoothed.artifacts.signature import Signature
from ninetoothed.calls.arguments import bind
from ninetoothed.calls.sequences import elements_of
from ninetoothed.compiler.defaults import pick
from ninetoothed.definition.definition import Definition
from ninetoothed.errors import ArgumentError, collect_warnings, did_you_mean
from ninetoothed.interpreters import interpret
from ninetoothed.ir import nt
from ninetoothed.ir.dialects import context
from ninetoothed.passes.pipeline import Step
from ninetoothed.passes.pipeline import run as run_passes
from ninetoothed.passes.specialize import SpecializePass
from ninetoothed.tools.nt_opt import kernel_pipeline
from ninetoothed.tools.nt_opt.call_inputs import given_inputs, make_arguments, type_text
from ninetoothed.tools.nt_opt.command_line import VERIFY_EACH, Arguments
from ninetoothed.tools.nt_opt.kernel_arguments import kernel_arguments

_SHOWN = 4
"""Elements that are shown of each end."""
_DIGITS = 16


@dataclass(frozen=True)
class Call:
    """Arguments in launch order, a comment on what was assumed of them, and the values of symbols
    that no tensor's shape gives.
    """

    values: list[Any]
    assumed: str
    constants: Mapping[str, int] = field(default_factory=dict[str, int])


def python_call(definition: Definition, arguments: Arguments) -> tuple[Call, Signature]:
    """The call of a kernel of a Python file, and its signature: facts of these shapes hold.

    ``--set`` of numbers that the kernel is not compiled for are taken out of the arguments.

    Raises:
        NineToothedError: the kernel is wrong, or an option does not fit it.
    """
    interface = definition.interface
    scalars = {one.name for one in interface.parameters if one.kind == "scalar"}
    given = given_inputs(arguments)
    arguments.set = [one for one in arguments.set if one.partition("=")[0] not in scalars]
    signature, composed = kernel_pipeline.composed_module(definition, arguments)
    values = {name: value for name, value in given.numbers.items() if name not in scalars}
    with collect_warnings():
        config = pick(definition, composed, signature, values)[1]
    constants = {**dict(signature.constants), **dict(config.values)}
    made, assumed = make_arguments(kernel_arguments(composed), given, constants)
    keywords = {
        definition.keywords[name]: value
        for name, value in signature.constants
        if name in definition.keywords
    }
    bound = bind(interface, made, keywords)
    return Call(list(bound.values), assumed), bound.signature


def module_call(
    module: ModuleOp, steps: Sequence[Step], constants: Mapping[str, int], arguments: Arguments
) -> Call:
    """A call of a module's kernel; ``steps`` are to come.

    Raises:
        NineToothedError: an option does not fit the kernel, or the kernel is wrong.
    """
    ends = [place for place, step in enumerate(steps) if step.stage == "composed"]
    if ends:
        # What a call is checked for is known from there on.
        module = module.clone()
        begun, verifying = steps[: ends[0] + 1], arguments.verify_each
        run_passes(context(), module, begun, verifying=verifying, advice=VERIFY_EACH)
    found, given = kernel_arguments(module), given_inputs(arguments)
    names = [param.name for param in found.params if param.kind == "scalar"]
    known = [*names, *found.unbound]
    for name in given.numbers:
        if name not in known:
            near = did_you_mean(name, known) or f"there are {', '.join(known) or 'none'}"
            raise ArgumentError(f"--set: there is no number {name} to give; {near}")
    for name in found.unbound:
        if name not in constants:
            raise ArgumentError(
                f"the text does not say the value of {name}; give it, as in --set {name}=64"
            )
    made, assumed = make_arguments(found, given, constants)
    scalars = [param.kind == "scalar" for param in found.params]
    values = zip(made, scalars, strict=True)
    return Call([value.item() if is_scalar else value for value, is_scalar in values], assumed)


def constants_of(steps: Sequence[Step], arguments: Arguments) -> dict[str, int]:
    """The values of symbols: those with which the module is to be specialized, and over them those
    of the command line.
    """
    passes = [step.pass_ for step in steps if isinstance(step.pass_, SpecializePass)]
    found: dict[str, int] = {}
    for one in passes:
        for text in one.values:
            name, _, value = text.partition("=")
            found[name] = int(value)
    numbers = kernel_pipeline.numbers(arguments.set, "--set")
    found.update((name, value) for name, value in numbers if isinstance(value, int))
    return found


def run(module: ModuleOp, call: Call, arguments: Arguments) -> str:
    """Run a module's kernel; the report on its outputs, which ``--outputs`` keeps.

    Raises:
        NineToothedError: the call does not fit the kernel, or the kernel is wrong.
        OSError: the file cannot be written.
    """
    found = kernel_arguments(module)
    interpret(module, call.values, call.constants)
    arrays: dict[str, Any] = {}
    report: list[str] = []
    for param, dtype, value in zip(found.params, found.dtypes, call.values, strict=True):
        if param.name in found.writes:
            elements = elements_of(value)
            arrays[param.name] = _array(elements)
            if param.offsets is not None:
                arrays[param.offsets] = value.offsets.tensor.numpy()
            report.append(_shown(param, dtype, value.shape, elements))
    if arguments.outputs is not None:
        with Path(arguments.outputs).open("wb") as file:
            np.savez(file, **arrays)
    return "".join(report) or "the kernel writes no tensor\n"


def _array(value: torch.Tensor) -> Any:
    """A tensor as an array; in single precision where NumPy does not have the element type."""
    name = str(value.dtype).removeprefix("torch.")
    has = getattr(np, name, None) is not None or value.dtype == torch.bool
    return (value if has else value.float()).numpy()


def _shown(param: nt.Param, dtype: str, shape: Sequence[int], elements: torch.Tensor) -> str:
    """What is printed of an output: its type, a digest of its bytes, and its ends."""
    flat = elements.contiguous().reshape(-1)
    digest = hashlib.sha256(flat.view(torch.uint8).numpy().tobytes()).hexdigest()[:_DIGITS]
    type = type_text(param, dtype, shape)
    return f"{param.name}: {type} sha256 {digest}\n  {', '.join(_ends(flat))}\n"


def _ends(flat: torch.Tensor) -> Iterator[str]:
    items = cast("list[float]", flat.tolist()) if len(flat) <= 2 * _SHOWN else None
    if items is not None:
        yield from map(_number, items)
        return
    for part in (flat[:_SHOWN], None, flat[-_SHOWN:]):
        if part is None:
            yield "…"
        else:
            yield from map(_number, cast("list[float]", part.tolist()))


def _number(value: float) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
