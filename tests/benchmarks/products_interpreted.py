"""Compares the Triton kernels for products, windows and gathers with torch, interpreted.

Run as a script, in a process of its own: what Triton's kernels are is decided when they are made.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import torch
import torch.nn.functional as F
from triton.runtime.autotuner import Autotuner

from benchmarks.triton_kernels.addmm import addmm
from benchmarks.triton_kernels.avg_pool2d import avg_pool2d
from benchmarks.triton_kernels.bmm import bmm
from benchmarks.triton_kernels.conv2d import conv2d
from benchmarks.triton_kernels.embedding import embedding
from benchmarks.triton_kernels.fp8_matmul import fp8_matmul
from benchmarks.triton_kernels.grouped_matmul import grouped_matmul
from benchmarks.triton_kernels.int8_matmul import int8_matmul
from benchmarks.triton_kernels.jagged_padding import pad, unpad
from benchmarks.triton_kernels.matmul import matmul
from benchmarks.triton_kernels.max_pool2d import max_pool2d
from examples.runner import Draw, gradients, raised, relative_error, results, tolerance_of

Case = tuple[str, Callable[..., Any], Callable[..., Any], tuple[Any, ...]]
"""A name, the function, the reference, and the inputs of both."""

FP8 = torch.float8_e4m3fn
MODULES = (
    "addmm",
    "avg_pool2d",
    "bmm",
    "conv2d",
    "embedding",
    "fp8_matmul",
    "grouped_matmul",
    "int8_matmul",
    "jagged_padding",
    "matmul",
    "max_pool2d",
)


def keep_one_configuration() -> None:
    """The one with the smallest blocks: with all of them, this takes minutes."""
    for name in MODULES:
        module = importlib.import_module(f"benchmarks.triton_kernels.{name}")
        for kernel in vars(module).values():
            if isinstance(kernel, Autotuner):
                kernel.configs = kernel.configs[-1:]


def jagged(draw: Draw, lengths: tuple[int, ...], *sizes: int) -> torch.Tensor:
    """Sequences of these lengths, elements of these sizes."""
    offsets = F.pad(torch.tensor(lengths).cumsum(0), (1, 0))
    return torch.nested.nested_tensor_from_jagged(draw(int(offsets[-1]), *sizes), offsets)


def grouped(input: Any, weight: torch.Tensor) -> torch.Tensor:
    """The product of each group."""
    products = [rows @ matrix for rows, matrix in zip(input.unbind(), weight, strict=True)]
    return torch.nested.nested_tensor_from_jagged(torch.cat(products), input.offsets())


def padded(input: Any, length: int, value: float) -> torch.Tensor:
    """The sequences, each with what is missing."""
    rows = [F.pad(one, (0, 0, 0, length - len(one)), value=value) for one in input.unbind()]
    return torch.stack(rows)


def unpadded(input: torch.Tensor, like: Any) -> torch.Tensor:
    """The beginning of each sequence."""
    lengths: list[int] = like.offsets().diff().tolist()
    rows = [one[:length] for one, length in zip(input, lengths, strict=True)]
    return torch.nested.nested_tensor_from_jagged(torch.cat(rows), like.offsets())


def scaled(a: torch.Tensor, b: torch.Tensor, s: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
    """The product with both scales."""
    return (a @ b) * s[:, None] * t


def scaled_sum(c: torch.Tensor, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """With scales other than 1."""
    return torch.addmm(c, a, b, beta=0.5, alpha=2)


def product_alone(_: torch.Tensor, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """What is left of a sum whose first part counts 0 times."""
    return a @ b


def are_nan(function: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    """Which results are NaN, as numbers."""
    return lambda *inputs: function(*inputs).isnan().float()


def exact(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """The product of integers."""
    return a.double() @ b.double()


def convolved(a: torch.Tensor, w: torch.Tensor, *options: Any) -> torch.Tensor:
    """torch's order of the options has a bias before."""
    return F.conv2d(a, w, None, *options)


def largest(
    input: torch.Tensor, kernel: Any, stride: Any, padding: Any, ceil_mode: bool
) -> torch.Tensor:
    """torch's order of the options has the dilation before."""
    return F.max_pool2d(input, kernel, stride, padding, ceil_mode=ceil_mode)


def products(draw: Draw) -> Iterator[Case]:
    """Products of one element type."""
    for m, n, k in ((37, 53, 41), (64, 80, 96), (1, 1, 1)):
        for a, b in (
            (draw(m, k), draw(k, n)),
            (draw(k, m).T, draw(n, k).T),
            (draw(m, k), draw(n, k).T),
        ):
            yield "matmul", matmul, torch.mm, (a, b)
        yield "addmm", addmm, torch.addmm, (draw(n), draw(m, k), draw(k, n))
        yield (
            "addmm",
            partial(addmm, beta=0.5, alpha=2),
            scaled_sum,
            (draw(m, n), draw(m, k), draw(n, k).T),
        )
        yield "bmm", bmm, torch.bmm, (draw(3, m, k), draw(3, k, n))
        yield "bmm", bmm, torch.bmm, (draw(3, m, k), draw(3, n, k).mT)
    nothing = draw(40, 24).fill_(float("nan"))
    yield (
        "addmm of NaN",
        partial(addmm, beta=0),
        product_alone,
        (nothing, draw(40, 16), draw(16, 24)),
    )
    for lengths in ((5, 0, 33, 70), (0, 1)):
        inputs = (jagged(draw, lengths, 40), draw(len(lengths), 40, 24))
        yield "grouped_matmul", grouped_matmul, grouped, inputs
    for options in ((1, 0, 1), (2, 1, 1), ((2, 1), (0, 2), (1, 2))):
        inputs = (draw(2, 19, 11, 13), draw(21, 19, 3, 2), *options)
        yield "conv2d", conv2d, convolved, inputs
    yield "conv2d", conv2d, convolved, (draw(2, 64, 5, 5), draw(16, 64, 1, 1))


def narrow(draw: Draw) -> Iterator[Case]:
    """Products of fp8 and int8."""
    for m, n, k in ((37, 53, 41), (64, 80, 96)):
        scales = (draw(m, dtype=torch.float32), draw(n, dtype=torch.float32))
        for dtype, function, reference, rest in (
            (FP8, fp8_matmul, scaled, scales),
            (torch.int8, int8_matmul, exact, ()),
        ):
            name = function.__name__
            row_major = (draw(m, k, dtype=dtype), draw(k, n, dtype=dtype))
            yield name, function, reference, (*row_major, *rest)
            column_major = (draw(m, k, dtype=dtype), draw(n, k, dtype=dtype).T)
            yield name, function, reference, (*column_major, *rest)


def windows(draw: Draw) -> Iterator[Case]:
    """Pooling."""
    for options in (
        (2, None, 0, False),
        (3, 2, 1, False),
        (3, 2, 1, True),
        ((3, 2), (2, 3), (1, 0), True),
        (2, 3, 1, True),
    ):
        input = draw(2, 3, 11, 14)
        yield "max_pool2d", max_pool2d, largest, (input, *options)
        for counted in (True, False):
            yield "avg_pool2d", avg_pool2d, F.avg_pool2d, (input, *options, counted)
    with_nan = draw(1, 2, 8, 8)
    with_nan[0, 0, 3, 3] = float("nan")
    yield "max_pool2d of NaN", are_nan(max_pool2d), are_nan(largest), (with_nan, 3, 2, 1, False)


def gathers(draw: Draw) -> Iterator[Case]:
    """Embeddings and jagged tensors."""
    for shape in ((29,), (5, 7)):
        index, weight = draw.integers(11, *shape), draw(11, 300)
        yield "embedding", embedding, F.embedding, (index, weight)
        backward = (draw(*shape, 300), index, weight)
        yield "embedding_backward", gradients(embedding), gradients(F.embedding), backward
    lengths = (5, 0, 33, 12)
    sequences = jagged(draw, lengths, 70)
    yield "pad", pad, padded, (sequences, 40, -1.5)
    yield "pad", pad, padded, (sequences, 33, 0.0)
    yield "unpad", unpad, unpadded, (draw(4, 35, 70), sequences)


def main() -> None:
    """Run all; an error says what differs."""
    keep_one_configuration()
    count = 0
    for dtype, strided in ((torch.float32, False), (torch.float16, True)):
        draw = Draw("cpu", dtype, strided)
        for group in (products(draw), narrow(draw), windows(draw), gathers(draw)):
            for name, function, reference, inputs in group:
                found = results(function(*inputs))
                expected = results(reference(*map(raised, inputs)))
                for one, other in zip(found, expected, strict=True):
                    error = relative_error(one, other)
                    if not error <= tolerance_of(one):
                        shapes = [getattr(value, "shape", value) for value in inputs]
                        raise AssertionError(f"{name} {dtype} {shapes}: error {error}")
                    count += 1
    print(f"{count} results agree")


if __name__ == "__main__":
    main()
