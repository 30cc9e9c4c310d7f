"""GPU time of a rotation of heads by programs of one head each, beside the example's.

    python -m benchmarks.tiny_programs [--smoke]

``heads`` is written in the obvious way: a program takes one head of one position, 64 or 128
elements, and the angles of that position. ``positions`` is the example, whose programs take all
heads of a position. The compiler lets a program do the work of several heads, and then both take as
long. ``--smoke`` calls each once, on CPU tensors where there is no GPU, and times nothing.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Sequence
from typing import Any

import torch

import ninetoothed
from benchmarks.operation import Call
from benchmarks.variants import compare
from examples import rotary_embedding
from ninetoothed import Tensor

# The batch, positions, heads, and elements of a head.
SIZES = {"64": (4, 4096, 32, 64), "128": (4, 2048, 32, 128), "odd": (3, 1021, 17, 90)}


def _arrangement(input: Any, cos: Any, sin: Any, output: Any) -> Any:
    def halves(tensor: Any) -> Any:
        arranged = tensor.tile((1, 1, 1, tensor.shape[3] // 2)).tile((1, 1, 1, -1))
        arranged.dtype = arranged.dtype.squeeze((0, 1, 2))
        arranged.dtype.dtype = arranged.dtype.dtype.squeeze((0, 1, 2))
        return arranged

    def angles(tensor: Any) -> Any:
        arranged = tensor[None, :, None, :].tile((1, 1, 1, -1))
        arranged = arranged.expand((input.shape[0], -1, input.shape[2], -1))
        arranged.dtype = arranged.dtype.squeeze((0, 1, 2))
        return arranged

    return halves(input), angles(cos), angles(sin), halves(output)


heads_kernel = ninetoothed.make(
    _arrangement,
    rotary_embedding.application,  # pyright: ignore[reportUnknownArgumentType]
    (Tensor(4), Tensor(2), Tensor(2), Tensor(4)),
    kernel_name="rotary_embedding_heads_kernel",
)


def heads(input: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    """The rotated heads, as ``examples.rotary_embedding`` gives them."""
    output = torch.empty_like(input)
    heads_kernel(input, cos, sin, output)
    return output


VARIANTS = {"heads": heads, "positions": rotary_embedding.rotary_embedding}


def calls(size: tuple[int, int, int, int], device: str) -> dict[str, Call]:
    """A call of each variant, after a comparison of their results."""
    _, length, _, dim = size
    input = torch.randn(size, device=device).half()
    cos, sin = torch.randn(2, length, dim // 2, device=device).half()
    found: dict[str, Call] = {
        name: functools.partial(function, input, cos, sin) for name, function in VARIANTS.items()
    }
    torch.testing.assert_close(*(call() for call in found.values()))
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Time both in turn, and print a table; returns the exit code."""

    def row(size: tuple[int, int, int, int], device: str, smoke: bool) -> dict[str, Call]:
        return calls((2, 3, 5, size[3]) if smoke else size, device)

    rows = {name: functools.partial(row, size) for name, size in SIZES.items()}
    return compare("tiny_programs", rows, [*VARIANTS], arguments, over=("heads", "positions"))


if __name__ == "__main__":
    sys.exit(main())
