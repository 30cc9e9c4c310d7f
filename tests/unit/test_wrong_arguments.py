"""Arguments of any kind, to every constructor and meta-operation: taken, or an error of ours."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
import torch

import ninetoothed
from ninetoothed import Symbol, Tensor
from ninetoothed.errors import ArgumentError, ArrangementError, NineToothedError
from ninetoothed.kernel.kernel import Kernel


class NoIterator:
    """Has the method, as tensors of no dims do, and no items."""

    def __iter__(self) -> Iterator[object]:
        raise TypeError("nothing to iterate over")


B, N = Symbol("B", meta=True), Symbol("N")
NUMBERS = (
    *(True, 0, 1, -1, 2, 5, 63, 2**31, 2**40, 2**63, -(2**63), 2**64, 2**200, 10**5000),
    *(0.0, -0.0, 1.5, 1e300, math.nan, math.inf, -math.inf, 1j),
    *(np.int64(3), np.float32(1.5), np.bool_(True), np.array(2), np.array(None)),
)
WORDS = ("", "x", "fp16", "2 * n", "1 +", "a b", "class", "0 // 0", "-" * 3000 + "1", "(" * 300)
SEQUENCES: tuple[Any, ...] = (
    *(
        (),
        (1,),
        (2, 2),
        (-1,),
        (0,),
        (2**40,),
        (2**70,),
        (10**5000,),
        ("x",),
        (None,),
        (None, None),
    ),
    *(((1,),), ((1, 1),), ((1, 1), (1, 1)), [1], [], {1, 2}, b"x", range(3), range(10**12)),
    *((None,) * 70, (slice(None),) * 70, (..., ...), (Tensor(1),), (B,), (N, B), NoIterator()),
    *(torch.Size((2,)), torch.tensor([1, 2]), torch.zeros(2, 2), np.zeros(0), np.array([1, 2])),
)
MAPPINGS: tuple[Any, ...] = (
    *({}, {"a": 1}, {1: 2}, {"constexpr": True}, {"meta": "yes"}, {"lower_bound": "x"}),
    *({"lower_bound": 5, "upper_bound": 2}, {"upper_bound": -5}, {"upper_bound": 2**70}),
)
OBJECTS = (
    *(None, object(), object, int, float, print, len, ..., Exception("a"), torch.float16),
    *(torch.complex64, torch.tensor(2), torch.tensor(1.5), torch.tensor(1j), torch.device("cpu")),
    *(torch.tensor(2, device="meta"), torch.nn.Parameter(torch.tensor(1.0)), np.dtype("int8")),
    *(slice(None), slice(0, 2), slice(None, None, 0), slice("a"), slice(2**70), slice(1.5)),
    *(B, N, B + 1, -N, N * 0, Symbol("k", constexpr=True), Tensor(1), Tensor(2).tile((2, 2))),
)
VALUES: tuple[Any, ...] = (*NUMBERS, *WORDS, *SEQUENCES, *MAPPINGS, *OBJECTS)


def blocks(x: Tensor, output: Tensor) -> tuple[Tensor, Tensor]:
    return x.tile((16,)), output.tile((16,))


def copied(x: Any, output: Any) -> None:
    output = x  # pyright: ignore[reportUnusedVariable]


def tiles(size: Any) -> Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]:
    return lambda x, output: (x.tile((size,)), output.tile((size,)))


def with_number(x: Tensor, s: Tensor, output: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    return x.tile((16,)), s, output.tile((16,))


def beside(value: Any) -> Callable[[Tensor, Tensor], tuple[Tensor, Any]]:
    return lambda x, _: (x, value)


def tensors() -> tuple[Tensor, Tensor]:
    return Tensor(1), Tensor(1)


def check(function: Callable[[Any], object]) -> None:
    """Each value is taken, and the result has a text; or it is an error of ours at its place."""
    for value in VALUES:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                repr(function(value))
            except NineToothedError as error:
                nowhere = error.loc is None
            else:
                nowhere = False
        assert not nowhere, value


TENSOR = ("ndim", "shape", "dtype", "jagged_dim", "other", "shape_options", "constexpr", "value")


@pytest.mark.parametrize("name", [*TENSOR, "name", "allow_races"])
def test_of_tensors(name: str) -> None:
    check(lambda value: Tensor(**{name: value}))
    if name not in ("ndim", "shape"):
        for ndim in (0, 2):
            check(lambda value, ndim=ndim: Tensor(ndim, **{name: value}))


@pytest.mark.parametrize(
    "name", ["constexpr", "meta", "lower_bound", "upper_bound", "power_of_two"]
)
def test_of_symbols(name: str) -> None:
    check(Symbol)
    kinds: list[dict[str, Any]] = [{}, {"meta": True}, {"constexpr": True}]
    for options in kinds:
        check(lambda value, options=options: Symbol("S", **{**options, name: value}))
    if name.endswith("bound"):
        check(lambda value: ninetoothed.block_size(**{name: value}))


@pytest.mark.parametrize(
    "name",
    [
        *("__add__", "__rsub__", "__mul__", "__floordiv__", "__rmod__", "__and__", "__lt__"),
        *("__eq__", "__truediv__", "__pow__", "minimum", "maximum"),
    ],
)
def test_of_operators_of_symbols(name: str) -> None:
    for symbol in (B, N + 1):
        check(getattr(symbol, name))


@pytest.mark.parametrize(
    "name",
    [
        *("tile", "expand", "squeeze", "unsqueeze", "permute", "flatten", "pad", "__getitem__"),
        *("size", "subs", "eval"),
    ],
)
@pytest.mark.parametrize(
    "tensor",
    [Tensor(0), Tensor(2), Tensor(shape=(1, 4)), Tensor(2).tile((2, 3)), Tensor(2, jagged_dim=1)],
    ids=["0", "2", "fixed", "tiled", "jagged"],
)
def test_of_meta_operations(tensor: Tensor, name: str) -> None:
    check(getattr(tensor, name))
    if name in ("subs", "eval"):
        for key in (tensor.source, B, "x", 3):
            check(lambda value, key=key: getattr(tensor, name)({key: value}))
            check(lambda value, key=key: getattr(tensor, name)({key: {"shape": value}}))


@pytest.mark.parametrize("name", ["strides", "dilation", "floor_mode"])
def test_of_tile(name: str) -> None:
    check(lambda value: Tensor(2).tile((2, 2), **{name: value}))


def test_of_what_is_assigned() -> None:
    def assigned(name: str, value: object) -> Tensor:
        tensor = Tensor(2)
        setattr(tensor, name, value)
        return tensor

    for name in ("shape", "dtype"):
        check(lambda value, name=name: assigned(name, value))


OPTIONS = ("caller", "kernel_name", "output_dir", "num_warps", "num_stages", "max_num_configs")


@pytest.mark.parametrize("name", [*OPTIONS, "backend", "strict", "tune"])
def test_of_make(name: str) -> None:
    check(lambda value: ninetoothed.make(blocks, copied, tensors(), **{name: value}))


def test_of_what_is_made() -> None:
    check(lambda value: ninetoothed.make(value, copied, tensors()))
    check(lambda value: ninetoothed.make(blocks, value, tensors()))
    check(lambda value: ninetoothed.make(beside(value), copied, tensors()))
    check(lambda value: ninetoothed.check(value, copied, tensors()))
    # What an arrangement does with other objects than tensors is its own mistake.
    with suppress(AttributeError):
        check(lambda value: ninetoothed.make(blocks, copied, value))


@pytest.mark.parametrize("name", ["ir", "source", "report"])
def test_of_kernels(name: str) -> None:
    kernel = ninetoothed.make(blocks, copied, tensors())
    check(getattr(kernel, name))
    if name != "ir":
        check(lambda value: getattr(kernel, name)({}, value))


def calls(kernel: Kernel, *before: object) -> None:
    check(lambda value: kernel(*before, value))


def test_of_calls() -> None:
    x, output = torch.ones(20), torch.zeros(20)
    calls(ninetoothed.make(blocks, copied, tensors()), x)

    def scaled(x: Any, s: Any, output: Any) -> None:
        output = x * s  # pyright: ignore[reportUnusedVariable]

    for scalar in (Tensor(0), Tensor(0, constexpr=True), Tensor(0, dtype="i8")):
        kernel = ninetoothed.make(with_number, scaled, (Tensor(1), scalar, Tensor(1)))
        check(lambda value, kernel=kernel: kernel(x, value, output))
    for symbol in (Symbol("SIZE", constexpr=True), Symbol("SIZE")):
        kernel = ninetoothed.make(tiles(symbol), copied, tensors())
        check(lambda value, kernel=kernel: kernel(x, output, SIZE=value))


def test_a_memory_that_shrank() -> None:
    kernel = ninetoothed.make(blocks, copied, tensors())
    x, output = torch.arange(64.0), torch.zeros(32)
    view = x[32:]
    kernel(view, output)
    view.untyped_storage().resize_(16)
    with pytest.raises(ArgumentError, match="x reaches beyond its memory"):
        kernel(view, output)
    another = ninetoothed.make(tiles(8), copied, tensors())
    with pytest.raises(ArgumentError, match="x reaches beyond its memory, which has 16 bytes"):
        another(view, output)


def test_blocks_of_any_size() -> None:
    """One that the CPU could not hold is refused as one that a GPU cannot."""
    for size in (2**40, 2**62):
        kernel = ninetoothed.make(tiles(size), copied, tensors())
        with pytest.raises(NineToothedError, match="a block has"):
            kernel(torch.ones(5), torch.ones(5))
        with pytest.raises(NineToothedError, match="a block has"):
            kernel.source()


@pytest.mark.parametrize("step", [2**31, 2**40, 2**100])
def test_steps_of_any_size(step: int) -> None:
    """Indices of 32 bits do not wrap, and the compiler does not fail."""

    def arrangement(x: Tensor, output: Tensor) -> tuple[Tensor, Tensor]:
        return x.tile((4,), strides=(step,)), output.tile((4,), strides=(step,))

    kernel = ninetoothed.make(arrangement, copied, tensors())
    with pytest.raises(ArrangementError) as caught:
        kernel.source()
    assert caught.value.message == (
        f"an index is computed with {step}, which 32 bits do not hold, in which tensors of these "
        "sizes are computed with; arrange by smaller strides, dilations and pads"
    )
    assert caught.value.loc is not None


def test_a_block_that_reaches_far() -> None:
    """Its third lane would wrap, to an index below zero."""

    def arrangement(x: Tensor, output: Tensor) -> tuple[Tensor, Tensor]:
        return tuple(one.tile((3,), strides=(2**31 - 1,), dilation=(2**30,)) for one in (x, output))  # pyright: ignore[reportReturnType]

    kernel = ninetoothed.make(arrangement, copied, tensors())
    with pytest.raises(ArrangementError, match="an index is computed with 3221225472, which 32"):
        kernel.source()


def test_dims_of_any_number() -> None:
    with pytest.raises(ArrangementError, match="a tensor has at most 64 dims"):
        Tensor(2**63)
    assert Tensor(64).ndim == 64
