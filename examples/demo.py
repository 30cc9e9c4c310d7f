"""The first two kernels on the best device found, checked against torch.

Run it as ``python -m examples.demo``.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from examples.add import add
from examples.matmul import matmul

REPEATS = 5


@dataclass(frozen=True)
class Case:
    """One kernel on one pair of operands.

    ``work`` is what one call moves or computes; ``unit`` is that per second.
    """

    title: str
    source: str
    kernel: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
    reference: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
    operands: tuple[torch.Tensor, torch.Tensor]
    work: float
    unit: str


def best_device() -> tuple[str, str]:
    """The device to run on, and what runs there, in words."""
    if not torch.cuda.is_available():
        return "cpu", "no GPU found: the kernels are evaluated on the CPU, without Triton"
    name = torch.cuda.get_device_name()
    if importlib.util.find_spec("triton") is None:
        return "cpu", f"{name} found, but Triton is not installed: evaluated on the CPU"
    return "cuda", f"{name}, compiled by Triton {_version('triton')}"


def _version(package: str) -> str:
    return importlib.metadata.version(package)


def cases(device: str) -> list[Case]:
    """The two kernels with operands that fit the device."""
    gpu = device == "cuda"
    dtype = torch.float16 if gpu else torch.float32
    length, side = (1 << 27, 4096) if gpu else (10_000_000, 1024)
    generator = torch.Generator(device).manual_seed(0)

    def random(*shape: int) -> torch.Tensor:
        return torch.randn(shape, dtype=dtype, device=device, generator=generator)

    kind = str(dtype).removeprefix("torch.")
    return [
        Case(
            f"vector addition, {length:,} elements, {kind}",
            "examples/add.py",
            add,
            torch.add,
            (random(length), random(length)),
            3 * length * dtype.itemsize / 1e9,
            "GB/s",
        ),
        Case(
            f"matrix multiplication, {side}×{side}×{side}, {kind}",
            "examples/matmul.py",
            matmul,
            torch.matmul,
            (random(side, side), random(side, side)),
            2 * side**3 / 1e12,
            "TFLOP/s",
        ),
    ]


def seconds(call: Callable[[], Any], device: str) -> float:
    """The best of a few runs of ``call``."""
    best = float("inf")
    for _ in range(REPEATS):
        start = time.perf_counter()
        call()
        if device == "cuda":
            torch.cuda.synchronize()
        best = min(best, time.perf_counter() - start)
    return best


def error(case: Case, result: torch.Tensor) -> float:
    """The largest error against torch in float64, relative to the largest value."""
    lhs, rhs = (operand.double() for operand in case.operands)
    reference = case.reference(lhs, rhs)
    return float((result.double() - reference).abs().max() / reference.abs().max())


def run(case: Case, device: str) -> bool:
    """Run one case and print what came of it; whether it agrees with torch."""
    print(f"\n{case.title}  ({case.source})")
    start = time.perf_counter()
    result = case.kernel(*case.operands)
    if device == "cuda":
        torch.cuda.synchronize()
    first = time.perf_counter() - start
    print(f"  first call  {first:10.3f} s, compiling{' and tuning' if device == 'cuda' else ''}")
    found = error(case, result)
    ours = seconds(lambda: case.kernel(*case.operands), device)
    theirs = seconds(lambda: case.reference(*case.operands), device)
    for name, taken in (("ninetoothed", ours), ("torch", theirs)):
        print(f"  {name:<11} {taken * 1e3:10.3f} ms  {case.work / taken:10.2f} {case.unit}")
    # A result is rounded once to its own type; float32 sums lose a little before.
    correct = found <= 8 * torch.finfo(result.dtype).eps
    verdict = "agrees with torch in float64" if correct else "DIFFERS from torch in float64"
    print(f"  {verdict}: largest relative error {found:.1e}")
    return correct


def main() -> int:
    """Run both; the exit code says whether they agree with torch."""
    device, words = best_device()
    print(f"torch {torch.__version__}; {words}")
    # All of them run, also after one that differs.
    correct = [run(case, device) for case in cases(device)]
    print(
        "\nLook inside, from the two functions that you write to what the device runs:\n"
        "  nt-opt examples/add.py --dump-ir              every stage of the compiler, printed\n"
        "  nt-opt examples/matmul.py --dump-ir=nt-dump   the same, one file a stage\n"
        "(nt-opt lies in .venv/bin after `make demo`)"
    )
    return 0 if all(correct) else 1


if __name__ == "__main__":
    sys.exit(main())
