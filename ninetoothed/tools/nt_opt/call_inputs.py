"""Inputs of a run: the arguments of a kernel, random, of a file, or from the command line."""

from __future__ import annotations

import re
import sys
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from ninetoothed.dtype import DTYPES
from ninetoothed.errors import ArgumentError, did_you_mean
from ninetoothed.ir import nt
from ninetoothed.tools.nt_opt import kernel_pipeline
from ninetoothed.tools.nt_opt.command_line import Arguments
from ninetoothed.tools.nt_opt.jagged_inputs import (
    SequenceOffsets,
    dim_of,
    elements_shape,
    given_offsets,
    given_shape,
    jagged,
)
from ninetoothed.tools.nt_opt.kernel_arguments import KernelArguments, find_shapes

_SHAPE = re.compile(r"\d+(?:x\d+)*")
_INTEGERS = 8
"""Random integers are below it, so that they may be indices of small tensors."""


@dataclass(frozen=True)
class Given:
    """What the command line says of the inputs: ``shapes`` and ``numbers`` by name, the ``arrays``
    of a ``file``, and the ``seed`` of what is random.
    """

    shapes: Mapping[str, tuple[int, ...]]
    numbers: Mapping[str, Any]
    arrays: Mapping[str, Any] = field(default_factory=dict[str, Any])
    file: str | None = None
    seed: int = 0


def given_inputs(arguments: Arguments) -> Given:
    """What the command line says, and the file that it names.

    Raises:
        ArgumentError: an option is wrong, or the file is none of NumPy's.
        OSError: the file cannot be read.
    """
    shapes: dict[str, tuple[int, ...]] = {}
    for text in arguments.shape:
        name, equals, shape = text.partition("=")
        if not name or not equals or _SHAPE.fullmatch(shape) is None:
            raise ArgumentError(f"--shape takes NAME=SIZExSIZE, as x=128x64, not {text!r}")
        shapes[name] = tuple(map(int, shape.split("x")))
    numbers = dict(kernel_pipeline.numbers(arguments.set, "--set"))
    arrays = {} if arguments.inputs is None else _read(arguments.inputs)
    return Given(shapes, numbers, arrays, arguments.inputs, arguments.seed)


def _read(path: str) -> dict[str, Any]:
    try:
        # Of anything else, NumPy says how to unpickle it.
        if not zipfile.is_zipfile(path):
            with open(path, "rb"):
                raise ValueError("it is no .npz file")
        with np.load(path, allow_pickle=False) as found:
            return dict(found.items())
    except (ValueError, EOFError, zipfile.BadZipFile) as error:
        raise ArgumentError(
            f"--inputs {path}: {error}; give a file that numpy.savez writes, as in "
            "numpy.savez(path, x=x, y=y)"
        ) from error


def make_arguments(
    found: KernelArguments, given: Given, constants: Mapping[str, int]
) -> tuple[list[Any], str]:
    """The arguments in launch order, and a comment on those that are random. Scalars are tensors of
    no dims, which have an element type.

    Raises:
        ArgumentError: what is given does not fit the kernel.
    """
    _check_names(found, given)
    shapes, offsets, known = dict(given.shapes), dict[str, torch.Tensor](), SequenceOffsets()
    for param in found.tensors:
        if param.name not in given.arrays:
            continue
        shape = given.arrays[param.name].shape
        if param.offsets is not None:
            offsets[param.name] = given_offsets(param, given.arrays, given.file)
            shape = given_shape(param, shape, known.add(offsets[param.name]))
        if shapes.setdefault(param.name, shape) != shape:
            raise ArgumentError(
                f"--shape {param.name}: the array of --inputs has the shape {_by(shape)}"
            )
    shapes = find_shapes(found, shapes, constants)
    generator = torch.Generator().manual_seed(given.seed)
    values: list[Any] = []
    lines: list[str] = []
    for param, dtype in zip(found.params, found.dtypes, strict=True):
        name = param.name
        if param.kind == "constexpr":
            values.append(found.baked[name])
            continue
        shape = held = shapes.get(name, ())
        if param.offsets is not None:
            if name not in offsets:
                offsets[name] = known.find(shape, dim_of(param), generator)
            held = elements_shape(param, shape, offsets[name])
        # Also where it is given, so that the others stay as they are.
        value = _random(name, dtype, held, generator)
        if name in given.arrays:
            value = _tensor(param, given.arrays[name], dtype)
        elif name in given.numbers:
            value = _number(name, given.numbers[name], dtype)
        elif param.kind == "tensor" and name not in found.reads:
            value.zero_()
        else:
            is_tensor = param.kind == "tensor"
            what = f"random, seed {given.seed}" if is_tensor else f"{value.item()}, random"
            lines.append(f"// {name}: {type_text(param, dtype, shape)} {what}\n")
        if param.offsets is not None:
            value = jagged(param, value, offsets[name], found.offset_bits[name])
        values.append(value)
    return values, "".join(lines)


def type_text(param: nt.Param, dtype: str, shape: Sequence[int]) -> str:
    """An element type and a shape; of a jagged dim, the most."""
    sizes = [str(size) for size in shape]
    if param.jagged_dim is not None:
        sizes[param.jagged_dim] = f"up to {shape[param.jagged_dim]}"
    return f"{dtype}[{', '.join(sizes)}]" if sizes else dtype


def _check_names(found: KernelArguments, given: Given) -> None:
    tensors = [param.name for param in found.tensors]
    for name in given.shapes:
        if name not in tensors:
            near = did_you_mean(name, tensors) or f"tensors are {', '.join(tensors)}"
            raise ArgumentError(f"--shape: there is no tensor {name}; {near}")
    if given.file is None:
        return
    names = [param.name for param in found.params if param.kind != "constexpr"]
    offsets = {param.offsets: param.name for param in found.params if param.offsets is not None}
    for name in given.arrays:
        if name in offsets and offsets[name] not in given.arrays:
            raise ArgumentError(
                f"--inputs: {given.file} has {name}, and no array {offsets[name]}, whose sequences "
                "it tells apart"
            )
        if name not in (*names, *offsets):
            near = did_you_mean(name, names) or f"parameters are {', '.join(names)}"
            raise ArgumentError(f"--inputs: there is no parameter {name}; {near}")
    for name in names:
        is_read = name in found.reads or name not in tensors
        if is_read and not {*given.arrays, *given.numbers, *given.shapes}.intersection([name]):
            raise ArgumentError(
                f"--inputs: {given.file} has no array {name}, which the kernel reads"
            )


def _number(name: str, value: Any, dtype: str) -> torch.Tensor:
    """A number of the command line, of an element type.

    Raises:
        ArgumentError: there is no such number.
    """
    row = DTYPES[dtype]
    if row.kind == "float":
        holds = abs(value) <= sys.float_info.max or isinstance(value, float)
    else:
        signed = row.kind == "int"
        least = -(1 << row.bits - 1) if signed else 0
        most = 1 if row.kind == "bool" else (1 << row.bits - signed) - 1
        holds = isinstance(value, int) and least <= value <= most
    if not holds:
        raise ArgumentError(f"--set {name}={value}: {name} is of {dtype}, which does not hold it")
    return torch.tensor(value, dtype=getattr(torch, row.torch))


def _random(
    name: str, dtype: str, shape: Sequence[int], generator: torch.Generator
) -> torch.Tensor:
    """Normal floats, small integers, and a number between 0 and 1 where there are no dims.

    Raises:
        ArgumentError: they do not fit in the memory.
    """
    row = DTYPES[dtype]
    own = getattr(torch, row.torch)
    try:
        if row.kind != "float":
            bound = 2 if row.kind == "bool" else _INTEGERS
            least = 0 if shape else 1
            return torch.randint(least, bound, tuple(shape), generator=generator).to(own)
        make = torch.randn if shape else torch.rand
        return make(tuple(shape), generator=generator).to(own)
    except (RuntimeError, TypeError, OverflowError) as error:
        # Too much to allocate, or to count.
        raise ArgumentError(
            f"{name} of shape {_by(shape)} does not fit in memory; give smaller sizes"
        ) from error


def _tensor(param: nt.Param, array: Any, dtype: str) -> torch.Tensor:
    """An array of a file as a tensor of an element type: of those that NumPy does not have, from
    single precision.

    Raises:
        ArgumentError: it is of another type, or has dims where a number is taken.
    """
    name = param.name
    if param.kind == "scalar" and array.shape:
        raise ArgumentError(
            f"--inputs: {name} is a number, so give an array of no dims, not of shape "
            f"{array.shape}; write {name}={name}.item()"
        )
    own = getattr(torch, DTYPES[dtype].torch)
    has = getattr(np, DTYPES[dtype].torch, None) is not None or own == torch.bool
    wanted = DTYPES[dtype].torch if has else "float32"
    if array.dtype != np.dtype(wanted):
        raise ArgumentError(
            f"--inputs: {name} is an array of {array.dtype}; the kernel takes {dtype}, so give one "
            f"of {wanted}"
        )
    return torch.from_numpy(np.ascontiguousarray(array)).clone().reshape(array.shape).to(own)


def _by(shape: Sequence[int]) -> str:
    return "x".join(map(str, shape))
