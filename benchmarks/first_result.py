"""One fresh process of ``benchmarks.start``: prints the seconds to its first result, as JSON.

    python -m benchmarks.first_result FILE fixed|tuned DEVICE SIZE…

``FILE`` is one of ``benchmarks.programs``. Nothing is imported here but what torch needs, until the
clock starts.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from typing import Any

_WATCHED = ("ninetoothed", "triton")


def _ready(device: str) -> Any:
    """torch, with the device initialised."""
    torch: Any = importlib.import_module("torch")
    if device == "cuda":
        torch.zeros(1, device=device)
        torch.cuda.synchronize()
    return torch


def _inputs(torch: Any, device: str, sizes: list[int]) -> tuple[list[Any], Any]:
    """The operands and the expected result: vectors of one size, matrices (m, k) and (k, n)."""
    dtype = torch.float16 if device == "cuda" else torch.float32
    if len(sizes) == 1:
        operands = [torch.randn(sizes, dtype=dtype, device=device) for _ in range(2)]
        return operands, operands[0].double() + operands[1].double()
    m, n, k = sizes
    operands = [torch.randn(shape, dtype=dtype, device=device) for shape in ((m, k), (k, n))]
    return operands, operands[0].double() @ operands[1].double()


def main() -> None:
    """Measure, check the result, and print."""
    file, kind, device, *sizes = sys.argv[1:]
    begin = time.perf_counter()
    torch = _ready(device)
    torch_seconds = time.perf_counter() - begin
    operands, expected = _inputs(torch, device, [int(size) for size in sizes])
    output = torch.empty_like(expected, dtype=operands[0].dtype)
    if device == "cuda":
        torch.cuda.synchronize()
    early = [name for name in _WATCHED if name in sys.modules]

    start = time.perf_counter()
    program = importlib.import_module(f"benchmarks.programs.{file}")
    kernel = getattr(program, kind)()
    made = time.perf_counter()
    kernel(*operands, output)
    if device == "cuda":
        torch.cuda.synchronize()
    end = time.perf_counter()

    error = float((output.double() - expected).norm() / expected.norm())
    if not error <= 4 * torch.finfo(output.dtype).eps:
        sys.exit(f"the result of {file} has the error {error:.1e}")
    # Kernels of ours know their configurations.
    choices = getattr(kernel, "configs", None) or getattr(program, "CONFIGS", [None])
    found = {
        "torch": torch_seconds,
        "imported": made - start,
        "first": end - start,
        "configurations": len(choices) if kind == "tuned" else 1,
        "early": early,
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
