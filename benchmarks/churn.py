"""Many calls over many shapes: what is compiled again, and memory that grows.

Each shape is called once; after that, nothing may be compiled, and memory may not grow, however
often they come back. Caches are those of a new folder.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import importlib
import itertools
import os
import tempfile
import time
import tracemalloc
from collections.abc import Generator, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any
from unittest import mock

import torch
from xdsl.dialects.builtin import ModuleOp

from benchmarks.records import Record
from ninetoothed.artifacts.artifact import Artifact
from ninetoothed.calls.arguments import bind
from ninetoothed.compiler import compile as compiler
from ninetoothed.ir.nt import KernelOp
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.runtime.toolchain import pool

CALLS, TRACED = 100_000, 10_000
"""Calls that are timed, and those during which Python's allocations are traced."""
SIDES = tuple(range(16, 176, 16))
"""Sizes of a matrix: a thousand products of them."""
VECTORS = tuple(range(1, 1001))
_SMOKE_CALLS = 20
"""Of a smoke run, which has few shapes, too."""


def synchronize() -> None:
    """Waits for the GPU, where there is one."""
    if torch.cuda.is_available():
        torch.cuda.synchronize()


@contextlib.contextmanager
def counted_compiles() -> Generator[list[str]]:
    """The names of the kernels that our compiler lowers meanwhile, or Triton compiles."""
    names: list[str] = []
    lower, compile = compiler.lower, pool.compile

    def counted_lower(module: ModuleOp, *arguments: Any, **options: Any) -> ModuleOp:
        (kernel,) = module.body.ops
        assert isinstance(kernel, KernelOp)
        names.append(kernel.sym_name.data)
        return lower(module, *arguments, **options)

    def named(artifacts: Iterable[Artifact]) -> Iterator[Artifact]:
        for artifact in artifacts:
            names.append(artifact.name)
            yield artifact

    def counted_compile(artifacts: Iterable[Artifact], *arguments: Any, **options: Any) -> Any:
        return compile(named(artifacts), *arguments, **options)

    with (
        mock.patch.object(compiler, "lower", counted_lower),
        mock.patch.object(pool, "compile", counted_compile),
    ):
        yield names


def churns(device: str, smoke: bool = False) -> list[Record]:
    """Vectors of 1 to 1,000 elements are added, and matrices of 1,000 shapes multiplied."""
    vectors = VECTORS[::100] if smoke else VECTORS
    sides = SIDES[::5] if smoke else SIDES
    calls, traced = (_SMOKE_CALLS, _SMOKE_CALLS) if smoke else (CALLS, TRACED)
    draw = functools.partial(torch.randn, dtype=torch.float16, device=device)
    longest, largest = ([draw(size) for _ in range(3)] for size in (VECTORS[-1], SIDES[-1] ** 2))
    shapes = {
        "add": [tuple(vector[:size] for vector in longest) for size in vectors],
        "matmul": [
            tuple(
                matrix[: rows * columns].view(rows, columns)
                for matrix, (rows, columns) in zip(largest, ((m, k), (k, n), (m, n)), strict=True)
            )
            for m, n, k in itertools.product(sides, repeat=3)
        ],
    }
    found: list[Record] = []
    for name, tensors in shapes.items():
        program: Any = importlib.import_module(f"benchmarks.programs.ours_{name}")
        with tempfile.TemporaryDirectory(prefix="ninetoothed-churn-") as folder:
            caches = {"NINETOOTHED_CACHE_DIR": folder, "TRITON_CACHE_DIR": f"{folder}/triton"}
            with mock.patch.dict(os.environ, caches):
                found.append(churn(name, program.fixed(), tensors, calls, traced))
    return found


def churn(
    name: str,
    kernel: Kernel,
    shapes: Sequence[tuple[torch.Tensor, ...]],
    calls: int,
    traced: int,
) -> Record:
    """Calls a kernel with each of these arguments once, and then again and again.

    ``first`` counts what our compiler lowered and what Triton compiled while each shape was called
    once, ``later`` in the ``calls`` after that, whose mean is ``us``. Memory is in bytes, before
    and after these: the process's resident memory, and what Python allocated in ``traced`` others.
    """
    signatures = {bind(kernel.interface, tensors, {}).signature for tensors in shapes}
    with counted_compiles() as compiled:
        _passes(kernel, shapes, len(shapes))
        first = len(compiled)
        resident = _resident_bytes()
        seconds = _passes(kernel, shapes, calls)
        resident_after = _resident_bytes()
        tracemalloc.start()
        # The first pass of these may fill what is kept per shape.
        _passes(kernel, shapes, len(shapes))
        allocated = _traced_bytes()
        _passes(kernel, shapes, traced)
        allocated_after = _traced_bytes()
        tracemalloc.stop()
    return {
        "kind": "churn",
        "case": name,
        "shapes": len(shapes),
        "signatures": len(signatures),
        "calls": calls,
        "first": first,
        "later": len(compiled) - first,
        "us": seconds / calls * 1e6,
        "traced": traced,
        "resident_before": resident,
        "resident_after": resident_after,
        "allocated_before": allocated,
        "allocated_after": allocated_after,
    }


def _passes(kernel: Kernel, shapes: Sequence[tuple[torch.Tensor, ...]], calls: int) -> float:
    """Makes so many calls, shape by shape; the seconds of the host."""
    taken = 0.0
    left = calls
    while left > 0:
        synchronize()
        start = time.perf_counter()
        for tensors in shapes[:left]:
            kernel(*tensors)
        taken += time.perf_counter() - start
        left -= len(shapes)
    synchronize()
    return taken


def _resident_bytes() -> int:
    """The process's resident memory."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def _traced_bytes() -> int:
    gc.collect()
    return tracemalloc.get_traced_memory()[0]
