"""Seconds that the interpreter and ``Tensor.eval`` take for large tensors; needs no GPU.

    python -m benchmarks.interpreter_time [--repeats N]

A JSON line a case, with the best of the repeats: an addition of ten million elements, a product of
two matrices of 1,024 by 1,024, a convolution of eight images with 64 channels of 56 by 56, by us
and by torch, and the source indices of a million elements.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable

import torch

from examples.add import add
from examples.conv2d import conv2d
from examples.matmul import matmul
from ninetoothed import Symbol, Tensor


def cases() -> dict[str, Callable[[], object]]:
    """What is timed, by name."""
    x, y = torch.randn(10_000_000), torch.randn(10_000_000)
    a, b = torch.randn(1024, 1024), torch.randn(1024, 1024)
    input, weight = torch.randn(8, 64, 56, 56), torch.randn(64, 64, 3, 3)
    images, block = Tensor(4), Symbol("B", constexpr=True)
    padded = images.pad(((0, 0), (0, 0), (1, 1), (1, 1))).permute((0, 2, 3, 1)).flatten()
    arranged = padded.tile((block,)).tile((1,)).expand((-1,))
    sizes = {images: {"shape": (10, 10, 98, 98)}, block: 64}
    return {
        "add": lambda: add(x, y),
        "matmul": lambda: matmul(a, b),
        "conv2d": lambda: conv2d(input, weight, 1, 1),
        "conv2d by torch": lambda: torch.nn.functional.conv2d(input, weight, None, 1, 1),
        "eval": lambda: arranged.eval(sizes),
    }


def seconds(call: Callable[[], object]) -> float:
    """The time of one call."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def main() -> None:
    """Print the cases' times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    repeats = parser.parse_args().repeats
    for name, call in cases().items():
        call()
        best = min(seconds(call) for _ in range(repeats))
        print(json.dumps({"case": name, "seconds": round(best, 4)}), flush=True)


if __name__ == "__main__":
    main()
