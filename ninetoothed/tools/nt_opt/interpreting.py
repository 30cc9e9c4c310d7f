"""``--run``: the kernel of a module in any stage, run by the interpreter on random or given inputs.

It is imported for ``--run`` alone: the interpreters use torch.
"""

from __future__ import annotations

import hashlib
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from xdsl.dialects.builtin import ModuleOp

from ninetoothed.artifacts.signature import Signature
from ninetoothed.calls.arguments import bind
from ninetoothed.compiler.defaults import pick
from ninetoothed.definition.definition import Definition
from ninetoothed.dtype import DTYPES
from ninetoothed.errors import ArgumentError, collect_warnings, did_you_mean
from ninetoothed.interpreters import interpret
from ninetoothed.ir.dialects import context
from ninetoothed.passes.pipeline import Step
from ninetoothed.passes.pipeline import run as run_passes
from ninetoothed.passes.specialize import SpecializePass
from ninetoothed.tools.nt_opt import kernel_pipeline
from ninetoothed.tools.nt_opt.command_line import VERIFY_EACH, Arguments
from ninetoothed.tools.nt_opt.kernel_arguments import (
    KernelArguments,
    find_shapes,
    kernel_arguments,
    require_dense,
)

_SHAPE = re.compile(r"\d+(?:x\d+)*")
_INTEGERS = 8
"""Random integers are below it, so that they may be indices of small tensors."""
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


@dataclass(frozen=True)
class _Given:
    """What the command line says of the inputs: ``shapes`` and ``numbers`` by name, the ``arrays``
    of a file, and the ``seed`` of what is random.
    """

    shapes: Mapping[str, tuple[int, ...]]
    numbers: Mapping[str, Any]
    arrays: Mapping[str, Any] = field(default_factory=dict[str, Any])
    file: str | None = None
    seed: int = 0


def python_call(definition: Definition, arguments: Arguments) -> tuple[Call, Signature]:
    """The call of a kernel of a Python file, and its signature: facts of these shapes hold.

    ``--set`` of numbers that the kernel is not compiled for are taken out of the arguments.

    Raises:
        NineToothedError: the kernel is wrong, or an option does not fit it.
    """
    interface = definition.interface
    scalars = {one.name for one in interface.parameters if one.kind == "scalar"}
    given = _given(arguments)
    arguments.set = [one for one in arguments.set if one.partition("=")[0] not in scalars]
    signature, composed = kernel_pipeline.composed_module(definition, arguments)
    values = {name: value for name, value in given.numbers.items() if name not in scalars}
    with collect_warnings():
        config = pick(definition, composed, signature, values)[1]
    constants = {**dict(signature.constants), **dict(config.values)}
    call = _call(kernel_arguments(composed), given, constants)
    keywords = {
        definition.keywords[name]: value
        for name, value in signature.constants
        if name in definition.keywords
    }
    bound = bind(interface, call.values, keywords)
    return Call(list(bound.values), call.assumed), bound.signature


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
    found, given = kernel_arguments(module), _given(arguments)
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
    return _call(found, given, constants)


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
    outputs = {
        param.name: (dtype, value)
        for param, dtype, value in zip(found.params, found.dtypes, call.values, strict=True)
        if param.name in found.writes
    }
    if arguments.outputs is not None:
        with Path(arguments.outputs).open("wb") as file:
            np.savez(file, **{name: _array(value) for name, (_, value) in outputs.items()})
    if not outputs:
        return "the kernel writes no tensor\n"
    return "".join(_shown(name, *output) for name, output in outputs.items())


def _given(arguments: Arguments) -> _Given:
    shapes: dict[str, tuple[int, ...]] = {}
    for text in arguments.shape:
        name, equals, shape = text.partition("=")
        if not name or not equals or _SHAPE.fullmatch(shape) is None:
            raise ArgumentError(f"--shape takes NAME=SIZExSIZE, as x=128x64, not {text!r}")
        shapes[name] = tuple(map(int, shape.split("x")))
    numbers = dict(kernel_pipeline.numbers(arguments.set, "--set"))
    arrays = {} if arguments.inputs is None else _read(arguments.inputs)
    return _Given(shapes, numbers, arrays, arguments.inputs, arguments.seed)


def _read(path: str) -> dict[str, Any]:
    """The arrays of a file.

    Raises:
        ArgumentError: it is none of NumPy's, or has others than numbers.
        OSError: it cannot be read.
    """
    try:
        found = np.load(path, allow_pickle=False)
        if isinstance(found, np.ndarray):
            raise ValueError("it holds one array without a name")
        with found:
            return dict(found.items())
    except (ValueError, EOFError, zipfile.BadZipFile) as error:
        raise ArgumentError(
            f"--inputs {path}: {error}; give a file that numpy.savez writes, as in "
            "numpy.savez(path, x=x, y=y)"
        ) from error


def _call(found: KernelArguments, given: _Given, constants: Mapping[str, int]) -> Call:
    require_dense(found)
    _check_names(found, given)
    shapes = dict(given.shapes)
    for param in found.tensors:
        if param.name not in given.arrays:
            continue
        shape = given.arrays[param.name].shape
        if shapes.setdefault(param.name, shape) != shape:
            raise ArgumentError(
                f"--shape {param.name}: the array of --inputs has the shape {_by(shape)}"
            )
    known = find_shapes(found, shapes, constants)
    generator = torch.Generator().manual_seed(given.seed)
    values: list[Any] = []
    lines: list[str] = []
    for param, dtype in zip(found.params, found.dtypes, strict=True):
        name, shape = param.name, known.get(param.name, ())
        if param.kind == "constexpr":
            values.append(found.baked[name])
            continue
        is_tensor = param.kind == "tensor"
        made = _random(dtype, shape, generator)
        if name in given.arrays:
            made = _tensor(name, given.arrays[name], dtype)
        elif name in given.numbers:
            made = given.numbers[name]
        elif is_tensor and name not in found.reads:
            made.zero_()
        else:
            what = f"random, seed {given.seed}" if is_tensor else f"{made.item()}, random"
            lines.append(f"// {name}: {_type(dtype, shape)} {what}\n")
        values.append(made if is_tensor or not isinstance(made, torch.Tensor) else made.item())
    return Call(values, "".join(lines))


def _check_names(found: KernelArguments, given: _Given) -> None:
    tensors = [param.name for param in found.tensors]
    for name in given.shapes:
        if name not in tensors:
            near = did_you_mean(name, tensors) or f"tensors are {', '.join(tensors)}"
            raise ArgumentError(f"--shape: there is no tensor {name}; {near}")
    if given.file is None:
        return
    names = [param.name for param in found.params if param.kind != "constexpr"]
    for name in given.arrays:
        if name not in names:
            near = did_you_mean(name, names) or f"parameters are {', '.join(names)}"
            raise ArgumentError(f"--inputs: there is no parameter {name}; {near}")
    for name in names:
        is_read = name in found.reads or name not in tensors
        if is_read and not {*given.arrays, *given.numbers, *given.shapes}.intersection([name]):
            raise ArgumentError(
                f"--inputs: {given.file} has no array {name}, which the kernel reads"
            )


def _random(dtype: str, shape: Sequence[int], generator: torch.Generator) -> torch.Tensor:
    """Normal floats, small integers, and a number between 0 and 1 where there are no dims."""
    row = DTYPES[dtype]
    own = getattr(torch, row.torch)
    if row.kind != "float":
        bound = 2 if row.kind == "bool" else _INTEGERS
        return torch.randint(0 if shape else 1, bound, tuple(shape), generator=generator).to(own)
    make = torch.randn if shape else torch.rand
    return make(tuple(shape), generator=generator).to(own)


def _tensor(name: str, array: Any, dtype: str) -> torch.Tensor:
    """An array of a file as a tensor of an element type: of those that NumPy does not have, from
    single precision.

    Raises:
        ArgumentError: it is of another type.
    """
    own = getattr(torch, DTYPES[dtype].torch)
    has = getattr(np, DTYPES[dtype].torch, None) is not None or own == torch.bool
    wanted = DTYPES[dtype].torch if has else "float32"
    if array.dtype != np.dtype(wanted):
        raise ArgumentError(
            f"--inputs: {name} is an array of {array.dtype}; the kernel takes {dtype}, so give one "
            f"of {wanted}"
        )
    return torch.from_numpy(np.ascontiguousarray(array)).clone().reshape(array.shape).to(own)


def _array(value: torch.Tensor) -> Any:
    """A tensor as an array; in single precision where NumPy does not have the element type."""
    name = str(value.dtype).removeprefix("torch.")
    has = getattr(np, name, None) is not None or value.dtype == torch.bool
    return (value if has else value.float()).numpy()


def _shown(name: str, dtype: str, value: torch.Tensor) -> str:
    """What is printed of an output: its type, a digest of its bytes, and its ends."""
    flat = value.contiguous().reshape(-1)
    digest = hashlib.sha256(flat.view(torch.uint8).numpy().tobytes()).hexdigest()[:_DIGITS]
    return f"{name}: {_type(dtype, value.shape)} sha256 {digest}\n  {', '.join(_ends(flat))}\n"


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


def _type(dtype: str, shape: Sequence[int]) -> str:
    return f"{dtype}[{', '.join(map(str, shape))}]" if shape else dtype


def _by(shape: Sequence[int]) -> str:
    return "x".join(map(str, shape))
