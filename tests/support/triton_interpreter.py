"""Whole kernels by Triton's interpreter, on CPU tensors: what a GPU runs of Triton-Python."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from ninetoothed.artifacts.artifact import Artifact
from ninetoothed.artifacts.configuration import volume
from ninetoothed.artifacts.target import Target
from ninetoothed.calls.arguments import bind
from ninetoothed.calls.sequences import elements_of, is_nested
from ninetoothed.compiler.compile import compile_kernel
from ninetoothed.errors import CheckError
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.runtime.launch.loaded import Host
from tests.support import interpreted
from tests.support.spaces import by_block_sizes


class OnTriton(str):
    """The name of the CPU, for tests whose kernels Triton's interpreter runs there."""


TRITON = OnTriton("cpu")

DIFFERS: tuple[tuple[str, str], ...] = (
    (r"bf16|bfloat16", "bf16 is computed with as integers of 16 bits"),
    (r"fp8|float8", "floats of eight bits have no infinities, and no NaN"),
    (r"fp_downcast_rounding", "floats are rounded to nearest whatever is asked for"),
    (r"libdevice", "the devices' libraries are not there"),
    (r"device_(assert|print)", "assertions and prints are the device's own"),
    (r"inline_asm", "there is no assembler"),
)
"""What Triton's interpreter does otherwise than a GPU, or not at all: a pattern of the types of the
arguments and the source, and the reason.
"""

LEFT_OUT = {"test_libdevice": "the devices' libraries are not there"}
"""Files whose kernels all need what is not there, and the reason."""

REFUSES: tuple[tuple[str, str], ...] = (
    ("mask has unsupported dtype", "Triton 3.9 takes no masks of no dims"),
    (
        "'int' object has no attribute 'to'",
        "Triton 3.9 counts with integers of Python",
    ),
    ("Unsupported data type", "floats are not exchanged atomically"),
    ("only 0-dimensional arrays can be conv", "Triton 3.6 counts to no loaded number in a loop"),
    ("'str' object has no attribute 'value'", "Triton 3.6 knows no scaled products"),
    ("an unsigned tensor and a negative scalar", "numbers are not taken for unsigned blocks"),
)
"""The same, where it fails by itself: a part of its message, and the reason."""

_TARGET = Target.parse("sm_90")


class UnsupportedError(Exception):
    """Triton's interpreter cannot run a kernel; the message is the reason."""


def run(kernel: Kernel, given: list[Any], constexprs: Mapping[str, int]) -> list[Any]:
    """The arguments of a call, ``given``, as the kernel left them, with its largest blocks.

    Raises:
        UnsupportedError: Triton's interpreter has not what the kernel needs.
        AssertionError: it fails.
    """
    tensors = [value for value in given if isinstance(value, torch.Tensor)]
    if any(map(is_nested, tensors)):
        raise UnsupportedError("nested tensors are not sent to another process")
    _refuse(" ".join(str(tensor.dtype) for tensor in tensors))
    bound = bind(kernel.definition.interface, given, constexprs)
    for signature in (bound.signature, *bound.signature.laxer):
        configs = by_block_sizes(kernel.composed(signature), signature)
        for config in sorted(configs, key=lambda one: -volume(one.values)):
            module = kernel.composed(signature, config)
            artifact = compile_kernel(module, signature, config, _TARGET, "triton-python")
            try:
                programs, passed = Host(artifact).checked(bound.values)
            except CheckError:
                continue
            return _launched(artifact, programs, passed, given, bound.values)
    raise UnsupportedError("no block sizes fit the call")


def _launched(
    artifact: Artifact,
    programs: int,
    passed: Sequence[Any],
    given: list[Any],
    values: Sequence[Any],
) -> list[Any]:
    types = [argument.type for argument in artifact.arguments]
    _refuse(" ".join([*types, artifact.text]))
    if programs == 0:
        return given
    arguments = _arguments(artifact, passed, values)
    case = interpreted.Case(artifact.text, artifact.name, arguments, programs, types, given)
    try:
        return interpreted.kept(case)
    except interpreted.InterpreterError as error:
        for part, reason in REFUSES:
            if part in str(error):
                raise UnsupportedError(reason) from None
        raise


def _refuse(text: str) -> None:
    for pattern, reason in DIFFERS:
        if re.search(pattern, text):
            raise UnsupportedError(reason)


def _arguments(artifact: Artifact, passed: Sequence[Any], values: Sequence[Any]) -> list[Any]:
    """What the function is called with: tensors where a launch, which is ``passed`` these, passes
    their pointers.
    """
    tensors = {
        one.data_ptr(): one
        for one in map(elements_of, values)
        if isinstance(one, torch.Tensor) and one.device.type == "cpu"
    }
    return [
        tensors[value] if argument.type.startswith("*") else value
        for argument, value in zip(artifact.arguments, passed, strict=True)
    ]
