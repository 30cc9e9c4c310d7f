"""GPU time of kernels with numbers declared float64: a norm with ``eps``, a dropout with ``p``.

    python -m benchmarks.declared_numbers [--smoke]

A Python float for such a number is fp32 in the kernel, so that ``declared`` takes as long as
``undeclared``. ``double`` is given a number of fp64, a tensor of no dims: then every element is
divided in fp64, as it was for each number that was declared so. ``--smoke`` calls each once, on CPU
tensors where there is no GPU, and times nothing.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from typing import Any

import torch

import ninetoothed
import ninetoothed.language as ntl
from benchmarks.operation import Call
from benchmarks.variants import compare
from ninetoothed import Tensor, block_size

VARIANTS = ("undeclared", "declared", "double")
_EPS, _P, _SEED = 1e-5, 0.25, 7


def _rows(x: Any, eps: Any, output: Any) -> Any:
    return x.tile((1, -1)), eps, output.tile((1, -1))


def _norm(x: Any, eps: Any, output: Any) -> None:
    x_32 = ntl.cast(x, ntl.float32)
    mean = ntl.sum(x_32 * x_32, axis=1, keep_dims=True) / x.shape[1]
    output = x_32 / ntl.sqrt(mean + eps)  # noqa: F841  # pyright: ignore[reportUnusedVariable]


def _vectors(x: Any, p: Any, seed: Any, output: Any) -> Any:
    block = block_size()
    return x.tile((block,)), p, seed, output.tile((block,))


def _dropout(x: Any, p: Any, seed: Any, output: Any) -> None:
    kept = ntl.rand(seed, x.offsets()) > p
    output = ntl.where(kept, x / (1 - p), 0.0)  # noqa: F841  # pyright: ignore[reportUnusedVariable]


def _number(variant: str, value: float) -> float | torch.Tensor:
    return torch.tensor(value, dtype=torch.float64) if variant == "double" else value


def _declared(variant: str) -> Tensor:
    return Tensor(0) if variant == "undeclared" else Tensor(0, dtype=ninetoothed.float64)


def norm(variant: str, device: str, smoke: bool) -> Call:
    """A call of the norm, of rows of fp16."""
    x = torch.randn((3, 40) if smoke else (8192, 4096), device=device).half()
    kernel = ninetoothed.make(_rows, _norm, (Tensor(2), _declared(variant), Tensor(2)))
    return functools.partial(kernel, x, _number(variant, _EPS), torch.empty_like(x))


def dropout(variant: str, device: str, smoke: bool) -> Call:
    """A call of the dropout, of a vector of fp16."""
    x = torch.randn(100 if smoke else 1 << 26, device=device).half()
    tensors = (Tensor(1), _declared(variant), Tensor(0), Tensor(1))
    kernel = ninetoothed.make(_vectors, _dropout, tensors)
    return functools.partial(kernel, x, _number(variant, _P), _SEED, torch.empty_like(x))


KERNELS: dict[str, Callable[[str, str, bool], Call]] = {"norm": norm, "dropout": dropout}


def main(arguments: Sequence[str] | None = None) -> int:
    """Time all variants in turn, and print a table; returns the exit code."""

    def row(make: Callable[[str, str, bool], Call], device: str, smoke: bool) -> dict[str, Call]:
        return {variant: make(variant, device, smoke) for variant in VARIANTS}

    rows = {name: functools.partial(row, make) for name, make in KERNELS.items()}
    return compare("declared_numbers", rows, VARIANTS, arguments)


if __name__ == "__main__":
    sys.exit(main())
