"""A first look at the examples' speed on a GPU beside torch: medians of GPU time.

    python -m benchmarks.gpu_smoke

Ours and torch alternate in one run, the outputs are checked first, the inputs are random.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import torch

from examples.add import add_kernel
from examples.matmul import matmul_kernel
from examples.softmax import softmax_kernel

_REPEATS = 30


def _time(function: Callable[[], object]) -> float:
    """GPU milliseconds of one call."""
    start = torch.cuda.Event(enable_timing=True)
    end = torch.cuda.Event(enable_timing=True)
    start.record()
    function()
    end.record()
    end.synchronize()
    return start.elapsed_time(end)


def compare(name: str, ours: Callable[[], object], theirs: Callable[[], object]) -> None:
    """Print the medians of both, alternated, and what the first call of ours took."""
    begin = time.perf_counter()
    ours()
    torch.cuda.synchronize()
    first = time.perf_counter() - begin
    for _ in range(3):
        ours()
        theirs()
    pairs = [(_time(ours), _time(theirs)) for _ in range(_REPEATS)]
    one, two = (statistics.median(times) for times in zip(*pairs, strict=True))
    print(
        f"{name:28} ours {one:8.4f} ms  torch {two:8.4f} ms  "
        f"ratio {one / two:5.2f}  first {first:6.2f} s"
    )


def main() -> None:
    """Compare the three examples with torch."""
    print(torch.cuda.get_device_name(), "torch", torch.__version__)
    for size in (2**27, 2**26 + 1):
        lhs, rhs = (torch.randn(size, dtype=torch.float16, device="cuda") for _ in range(2))
        output = torch.empty_like(lhs)
        compare(
            f"add of {size} halves",
            lambda a=lhs, b=rhs, c=output: add_kernel(a, b, c),
            lambda a=lhs, b=rhs, c=output: torch.add(a, b, out=c),
        )
    for size in (4096, 2048):
        lhs, rhs = (torch.randn(size, size, dtype=torch.float16, device="cuda") for _ in range(2))
        output = torch.empty_like(lhs)
        compare(
            f"matmul of {size}, halves",
            lambda a=lhs, b=rhs, c=output: matmul_kernel(a, b, c),
            lambda a=lhs, b=rhs, c=output: torch.mm(a, b, out=c),
        )
    rows = torch.randn(8192, 781, dtype=torch.float16, device="cuda")
    output = torch.empty_like(rows)
    compare(
        "softmax of 8192 rows of 781",
        lambda a=rows, b=output: softmax_kernel(a, b),
        lambda a=rows: torch.softmax(a, dim=1),
    )
    for kernel, tensors in ((matmul_kernel, (lhs, rhs, torch.empty_like(lhs))),):
        print(kernel, "chose", kernel.best_config(*tensors))


if __name__ == "__main__":
    main()
