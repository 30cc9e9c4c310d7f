"""A case: an application, its operands, and its reference in NumPy."""

from __future__ import annotations

import inspect
import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from ninetoothed import Tensor
from ninetoothed.dtype import DTYPES, INTEGERS

Array = np.ndarray[Any, Any]
Shape = tuple[int, ...]

FLOATS = ("fp16", "bf16", "fp32", "fp64")
REALS = ("fp32", "fp64")
BITS = (*INTEGERS, "i1")
NUMBERS_AND_BITS = (*INTEGERS, *FLOATS, "i1")

MANY = 781
"""A size that is a multiple of nothing."""


def torch_type(dtype: str) -> torch.dtype:
    """The element type in torch."""
    return getattr(torch, DTYPES[dtype].torch)


def extremes(dtype: str) -> tuple[int | float | bool, ...]:
    """Special values of an element type: its extremes, zero, NaN."""
    if dtype == "i1":
        return (False, True)
    if DTYPES[dtype].kind != "float":
        limits = torch.iinfo(torch_type(dtype))
        return (limits.min, limits.max, 0, 1, *((-1,) if limits.min < 0 else ()))
    limits = torch.finfo(torch_type(dtype))
    ends = (0.0, -0.0, 1.0, -1.0, limits.max, limits.min, limits.tiny, math.nan)
    return ends if dtype == "fp8e4nv" else (*ends, math.inf, -math.inf)


@dataclass(frozen=True)
class Values:
    """The distribution of one input's numbers.

    ``dtype``: the element type, None: the case's. Random ones lie in [``low``, ``high``], of
    integers in what of it the type has. ``special``: also the extremes of the type, or of these
    what the type has. ``step``: random floats are multiples of it.
    """

    low: float = -8
    high: float = 8
    dtype: str | None = None
    special: bool | tuple[float, ...] = True
    step: float | None = None

    def specials(self, dtype: str) -> tuple[int | float | bool, ...]:
        """The extremes that are tried."""
        if isinstance(self.special, tuple):
            floating = DTYPES[dtype].kind == "float"
            return tuple(one for one in self.special if floating or math.isfinite(one))
        return extremes(dtype) if self.special else ()

    def random(self, dtype: str, count: int, generator: np.random.Generator) -> Array:
        """So many random numbers."""
        if dtype == "i1":
            return generator.random(count) < 0.5
        if DTYPES[dtype].kind == "float":
            found = generator.uniform(self.low, self.high, count)
            return found if self.step is None else np.round(found / self.step) * self.step
        limits = torch.iinfo(torch_type(dtype))
        low, high = max(int(self.low), limits.min), min(int(self.high), limits.max)
        unsigned = limits.min == 0
        return generator.integers(
            low, high, count, dtype=np.uint64 if unsigned else np.int64, endpoint=True
        )


NUMBERS = Values()
"""Small numbers and all extremes."""
FINITE = Values(special=False)
"""Small numbers."""
INTEGRAL = Values(low=-(2.0**63), high=2.0**64)
"""Integers of every size, and all extremes."""


@dataclass(frozen=True)
class Result:
    """One output: its element type (None: the case's, or a function of that), and what it holds
    before.
    """

    dtype: str | Callable[[str], str] | None = None
    start: float = 77

    def dtype_in(self, dtype: str) -> str:
        """The element type where the case's is ``dtype``."""
        if callable(self.dtype):
            return self.dtype(dtype)
        return self.dtype or dtype


@dataclass(frozen=True)
class Layout:
    """An arrangement, and the shapes that it is tried with: of each call one a tensor, inputs
    first, or one for all.
    """

    name: str
    arrange: Callable[..., Any]
    calls: tuple[tuple[Shape, ...], ...]

    def shapes(self, call: Sequence[Shape], count: int) -> tuple[Shape, ...]:
        """One shape a tensor."""
        found = tuple(call) * count if len(call) == 1 else tuple(call)
        assert len(found) == count, f"{self.name}: {len(found)} shapes for {count} tensors"
        return found


def _vectors(*tensors: Tensor) -> tuple[Tensor, ...]:
    return tuple(tensor.tile((64,)) for tensor in tensors)


def _padded(*tensors: Tensor) -> tuple[Tensor, ...]:
    return tuple(tensor.tile((48,)) for tensor in tensors)


def _scalars(*tensors: Tensor) -> tuple[Tensor, ...]:
    arranged = [tensor.tile((1,)) for tensor in tensors]
    for tensor in arranged:
        tensor.dtype = tensor.dtype.squeeze(0)
    return tuple(arranged)


VECTORS = Layout("vectors", _vectors, tuple(((size,),) for size in (MANY, 1, 3, 5)))
"""Blocks of 64: more and fewer elements than one holds."""
PADDED = Layout("padded", _padded, tuple(((size,),) for size in (MANY, 0, 3)))
"""Blocks of 48, which are padded to 64; and none of them."""
SCALARS = Layout("scalars", _scalars, (((MANY,),),))
"""Blocks of no dims: each program has one number."""
LANES = (VECTORS, PADDED, SCALARS)
"""The layouts of elementwise cases."""

Oracle = Callable[..., Any]


@dataclass(frozen=True)
class Case:
    """One test of some rows.

    ``covers`` are their names, separated by blanks. ``results``: one for each output, or one for
    all. ``defined``, over the same arrays as the oracle, says where the result is; elsewhere the
    operands are replaced by 1. ``ulps`` times the epsilon of an output's type, relative to the
    result or to ``magnitude``, is its tolerance.
    """

    covers: str
    application: Callable[..., None]
    oracle: Oracle
    inputs: tuple[Values, ...] = (NUMBERS,)
    dtypes: tuple[str, ...] = FLOATS
    layouts: tuple[Layout, ...] = LANES
    results: Result | tuple[Result, ...] = Result()
    ulps: float | Callable[[str], float] = 1
    defined: Oracle | None = None
    magnitude: Oracle | None = None

    @property
    def name(self) -> str:
        """The application's."""
        return self.application.__name__

    @property
    def count(self) -> int:
        """The number of inputs and outputs: the application's parameters."""
        return len(inspect.signature(self.application).parameters)

    def tensors(self, layout: Layout) -> tuple[Tensor, ...]:
        """The symbolic tensors."""
        count = self.count
        return tuple(Tensor(len(shape)) for shape in layout.shapes(layout.calls[0], count))

    def operands(self, dtype: str, shapes: Sequence[Shape]) -> list[torch.Tensor]:
        """The inputs of one call."""
        dtypes = [values.dtype or dtype for values in self.inputs]
        lists = [v.specials(t) for v, t in zip(self.inputs, dtypes, strict=True)]
        found: list[torch.Tensor] = []
        generator = np.random.default_rng(sum(sum(shape) for shape in shapes))
        for position, (values, own) in enumerate(zip(self.inputs, dtypes, strict=True)):
            count = math.prod(shapes[position])
            numbers = _tensor(values.random(own, count, generator), own)
            # Every combination of extremes, as far as there is room.
            wanted = [row[position] for row in itertools.product(*lists)][: count // 2]
            numbers[: len(wanted)] = _tensor(_exactly(wanted, own), own)
            found.append(numbers.reshape(shapes[position]))
        if self.defined is None:
            return found
        lost = np.logical_not(_quiet(self.defined, found))
        for one in found:
            # The two share memory, and torch writes to few unsigned integers.
            (one if one.is_floating_point() else one.numpy())[lost] = 1
        return found

    def outputs(self, dtype: str, shapes: Sequence[Shape]) -> list[torch.Tensor]:
        """The outputs of one call, as they are before."""
        own = shapes[len(self.inputs) :]
        results = self.results if isinstance(self.results, tuple) else (self.results,) * len(own)
        return [
            torch.full(shape, result.start).to(torch_type(result.dtype_in(dtype)))
            for result, shape in zip(results, own, strict=True)
        ]

    def expected(self, operands: Sequence[torch.Tensor]) -> list[tuple[Array, Array]]:
        """The expected outputs, each with the magnitude that its error is relative to."""
        found = _several(_quiet(self.oracle, operands))
        if self.magnitude is None:
            return [(one, np.abs(one) if one.dtype.kind == "f" else one) for one in found]
        return list(zip(found, _several(_quiet(self.magnitude, operands)), strict=True))

    def tolerance(self, dtype: str) -> float:
        """``ulps`` for a case of ``dtype``."""
        return self.ulps(dtype) if callable(self.ulps) else self.ulps


def plain(tensor: torch.Tensor) -> Array:
    """A tensor in NumPy: floats as ``float64``, integers in their own type."""
    tensor = tensor.cpu()
    return (tensor.double() if tensor.is_floating_point() else tensor).numpy()


def _several(found: Any) -> list[Array]:
    return [np.asarray(one) for one in (found if isinstance(found, tuple) else (found,))]


def _quiet(function: Oracle, operands: Sequence[torch.Tensor]) -> Any:
    with np.errstate(all="ignore"):
        return function(*map(plain, operands))


def _exactly(numbers: Sequence[float], dtype: str) -> Array:
    if dtype == "i1":
        return np.array(numbers, bool)
    kinds = {"float": np.float64, "uint": np.uint64, "int": np.int64}
    return np.array(numbers, kinds[DTYPES[dtype].kind])


def _tensor(numbers: Array, dtype: str) -> torch.Tensor:
    return torch.from_numpy(numbers).to(torch_type(dtype))
