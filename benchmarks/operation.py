"""What is measured: an operation, its sizes and who computes it."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from examples.runner import Draw, differentiable, gradients, raised

ROWS = {f"rows_{columns}": (4096, columns) for columns in (256, 4096, 16384)}
"""As many rows as a batch of long sequences has, by how long each is."""
SQUARES = {f"square_{size}": (size, size, size) for size in (1024, 4096)}
"""Products of square matrices."""
DECODE = {f"decode_{rows}": (rows, 8192, 8192) for rows in (1, 16, 64)}
"""Products of few rows, as many as sequences of which the next token is computed, and a weight."""
DECODE_DOWN = {"decode_down_64": (64, 4096, 14336)}
"""The same of a weight with more rows than columns: that behind a gated activation."""
BATCHES = {"batch_512": (512, 64, 64, 64), "batch_1024": (1024, 128, 64, 128)}
"""Many small products, by how many."""
LENGTHS = {
    f"dim_{dim}_length_{length}": (16384 // length, 2048 // dim, 2048 // dim, length, dim)
    for dim in (64, 128)
    for length in (512, 1024, 2048, 4096, 8192, 16384)
}
"""Attention of 16,384 tokens of 2,048 numbers, by a head's dim and how long a sequence is."""
LAYERS = {
    "layer_3x3_stride_2": (32, 128, 56, 56, 128, 3, 2, 1),
    "layer_1x1": (32, 256, 56, 56, 64, 1, 1, 0),
    "layer_1x1_stride_2": (32, 256, 56, 56, 512, 1, 2, 0),
}
"""Convolutions of ResNet-50 that are not of 3 × 3 with stride 1."""
TOPS = {
    "top_50_of_256": (8192, 256, 50),
    "top_8_of_50257": (512, 50257, 8),
    "top_8_of_128256": (512, 128256, 8),
    "top_50_of_128256": (512, 128256, 50),
}
"""The largest elements of rows, by how many of how many."""
GENERAL_SIZES = ("small", "medium", "large", "ragged", "ragged_large")
SERIES = (*LENGTHS, *LAYERS, *TOPS)
"""Sizes that are measured once: contiguous, in an operation's first element type."""
SIZES = (*GENERAL_SIZES, *ROWS, *SQUARES, *DECODE, *DECODE_DOWN, *BATCHES, *SERIES)
"""``small`` fits a few multiprocessors, ``medium`` is usual, ``large`` is beyond L2, ``ragged`` has
sizes that are odd or prime, ``ragged_large`` such beyond L2. ``rows_256`` and so on are 4,096 rows
of so many elements; the others are named after what they are. An operation has the first four, and
those of the others that it is known for.
"""
DTYPES = {"fp16": torch.float16, "bf16": torch.bfloat16, "fp32": torch.float32}
LAYOUTS = ("contiguous", "strided")
OURS, TRITON, TORCH, COMPILED = "ninetoothed", "triton", "torch", "torch.compile"
AUTOTUNED = "torch.compile.max-autotune"
"""``torch.compile`` in a mode that takes minutes a case: of operations that ask for it."""
OTHERS = ("liger", "helion", "tilelang")
PROVIDERS = (OURS, TRITON, TORCH, COMPILED, AUTOTUNED, *OTHERS)

Function = Callable[..., Any]
"""Takes the operation's inputs; returns one tensor or several."""
Call = Callable[[], Any]
"""A function with its inputs: what is timed."""


def _backward_pass(function: Function, gradient: torch.Tensor, *inputs: Any) -> Call:
    """The gradients of ``function``, whose forward pass is run now and not timed."""
    output, wanted = differentiable(function, inputs)
    return functools.partial(torch.autograd.grad, output, wanted, gradient, retain_graph=True)


def by_hand(file: str, name: str | None = None) -> Callable[[], Function]:
    """Imports ``file`` of ``benchmarks.triton_kernels`` when it is called; gives its function.

    The function is named as its file where ``name`` is None. What only lists operations, or has
    others compute them, needs no Triton.
    """

    def load() -> Function:
        module = importlib.import_module(f"benchmarks.triton_kernels.{file}")
        function: Function = getattr(module, name or file)
        return function

    return load


@dataclass(frozen=True)
class Work:
    """The least that a call must do: bytes of device memory moved and operations computed.

    Each input is read once and each output written once. ``operations`` counts multiplications and
    additions of the matrix units, 0 where there are none; ``unit`` is the element type that they
    multiply: ``"fp16"``, ``"bf16"``, ``"fp8"``, ``"int8"`` or ``"fp32"``.
    """

    bytes: int
    operations: int = 0
    unit: str = "fp16"


def bytes_of(*values: Any) -> int:
    """The bytes of the elements of all tensors among ``values``."""
    return sum(
        value.numel() * value.element_size() for value in values if isinstance(value, torch.Tensor)
    )


@dataclass(frozen=True)
class Operation:
    """One operation, as all providers compute it.

    ``sizes`` holds, for each of :data:`SIZES` that it has, the numbers that
    ``inputs(draw, *numbers)`` makes the inputs from. ``reference(*inputs)`` is torch's own answer,
    called with floating-point tensors raised to float64. ``work(*inputs)`` says what a call must do
    at least. ``ours`` and ``torch`` are functions of the same inputs, and ``triton()`` is one, see
    :func:`by_hand`.
    """

    name: str
    sizes: Mapping[str, tuple[int, ...]]
    inputs: Callable[..., Sequence[Any]]
    reference: Function
    work: Callable[..., Work]
    ours: Function
    triton: Callable[[], Function]
    torch: Function
    is_gradient: bool = False
    """Whether what is computed is the gradients of all these functions: the first input is then the
    gradient of the output, and each floating-point tensor behind it gets a gradient. The forward
    pass is run before, and not timed.
    """
    dtypes: tuple[str, ...] = ("fp16", "bf16")
    layouts: tuple[str, ...] = LAYOUTS
    is_autotuned: bool = False
    """Whether :data:`AUTOTUNED` is one of its providers."""
    tolerance: float = 1.0
    """Scales the largest error that counts as rounding; see ``examples.runner.tolerance_of``."""
    compared: Function | None = None
    """What is compared with the reference's answer, where results may differ and be right:
    ``compared(results, *inputs)``. None: the results as they are.
    """

    def draw(self, size: str, dtype: str, layout: str, device: str) -> tuple[Any, ...]:
        """Random inputs of one case."""
        draw = Draw(device, DTYPES[dtype], strided=layout == "strided")
        return tuple(self.inputs(draw, *self.sizes[size]))

    def call(self, function: Function, inputs: Sequence[Any]) -> Call:
        """What is timed of one of the functions."""
        if self.is_gradient:
            return _backward_pass(function, *inputs)
        return functools.partial(function, *inputs)

    def expected(self, inputs: Sequence[Any]) -> Any:
        """The results in float64."""
        function = gradients(self.reference) if self.is_gradient else self.reference
        return function(*map(raised, inputs))
