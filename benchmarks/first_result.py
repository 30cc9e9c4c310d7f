"""One fresh process of ``benchmarks.start``: prints the seconds to its first result, as JSON.

    python -m benchmarks.first_result [--parts] FILE fixed|tuned DEVICE SIZE…

``FILE`` is one of ``benchmarks.programs``. Nothing is imported here but what torch needs, until the
clock starts. With ``--parts``, the time of each part of ours is taken, too (``benchmarks.parts``),
which itself takes some milliseconds.
"""

from __future__ import annotations

import importlib
import itertools
import json
import os
import sys
import time
from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import Any

from benchmarks.parts import Parts

_WATCHED = ("ninetoothed", "triton")
PACKAGES = ("ninetoothed", "xdsl", "sympy", "triton", "torch")
"""Those whose imports are told apart."""
FUNCTIONS: Mapping[str, Mapping[str, str]] = {
    "ninetoothed.arguments": {"bind": "bind"},
    "ninetoothed.definition.define": {"run_arrangement": "arrangement", "define": "definition"},
    "ninetoothed.fingerprint.digest": {"examine": "digest of functions"},
    "ninetoothed.kernel": {
        "_Compilation.facts": "frontend",
        "_Compilation.space": "space",
        "_Compilation.artifact": "artifact",
    },
    "ninetoothed.runtime.artifact_cache": {
        **dict.fromkeys(("load", "load_binary", "load_space", "load_record"), "read cache"),
        **dict.fromkeys(("load_result", "result_names", "named_result"), "read cache"),
        **dict.fromkeys(("store", "store_binary", "store_space", "store_record"), "write cache"),
        "store_result": "write cache",
    },
    "ninetoothed.runtime.compile_pool": {"prestart": "start a worker", "compile": "compile"},
    "ninetoothed.runtime.driver": {"load": "load"},
    "ninetoothed.runtime.loaded": {"LoadedKernel.launch": "launch"},
    "ninetoothed.runtime.model": {"rank": "model"},
    "ninetoothed.runtime.tuner": {"time_trials": "time configurations"},
}
"""What of ours is timed, by module."""
PHASES = ("import", "make", "call")
"""Of the time to the first result; a part "rest of ..." is what no other part of it took."""


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


def uncompiled(modules: Iterable[ModuleType], started: float) -> int:
    """How many of the modules have no byte code on disk, or had none when the process started."""
    found = 0
    for module in modules:
        path = getattr(getattr(module, "__spec__", None), "cached", None)
        if path is not None:
            try:
                found += os.stat(path).st_mtime >= started
            except OSError:
                found += 1
    return found


def by_phase(times: list[float], seen: list[dict[str, float]]) -> dict[str, float]:
    """The seconds of all parts: of the whole process, and each phase's rest.

    ``times`` are the clock's at the start and at each phase's end, ``seen`` the parts' then.
    """
    before: dict[str, float] = {}
    rests: dict[str, float] = {}
    for phase, (start, end), after in zip(PHASES, itertools.pairwise(times), seen, strict=True):
        rests[f"rest of {phase}"] = end - start - (sum(after.values()) - sum(before.values()))
        before = after
    return {**before, **rests}


def main() -> None:
    """Measure, check the result, and print."""
    started = time.time()
    arguments = sys.argv[1:]
    parts = Parts(FUNCTIONS, PACKAGES) if arguments[0] == "--parts" else None
    file, kind, device, *sizes = arguments if parts is None else arguments[1:]
    begin = time.perf_counter()
    torch = _ready(device)
    torch_seconds = time.perf_counter() - begin
    operands, expected = _inputs(torch, device, [int(size) for size in sizes])
    output = torch.empty_like(expected, dtype=operands[0].dtype)
    if device == "cuda":
        torch.cuda.synchronize()
    early = [name for name in _WATCHED if name in sys.modules]
    before = set(sys.modules)
    seen: list[dict[str, float]] = []
    if parts is not None:
        parts.install()

    def reached() -> float:
        """The time; what the parts took until now is kept."""
        now = time.perf_counter()
        if parts is not None:
            seen.append(dict(parts.seconds))
        return now

    start = time.perf_counter()
    program = importlib.import_module(f"benchmarks.programs.{file}")
    imported = reached()
    kernel = getattr(program, kind)()
    made = reached()
    kernel(*operands, output)
    if device == "cuda":
        torch.cuda.synchronize()
    end = reached()

    # What follows may import more.
    new = sys.modules.keys() - before
    error = float((output.double() - expected).norm() / expected.norm())
    if not error <= 4 * torch.finfo(output.dtype).eps:
        sys.exit(f"the result of {file} has the error {error:.1e}")
    # Kernels of ours know their configurations.
    choices = getattr(kernel, "configs", None) or getattr(program, "CONFIGS", [None])
    found: dict[str, Any] = {
        "torch": torch_seconds,
        "imported": made - start,
        "first": end - start,
        "configurations": len(choices) if kind == "tuned" else 1,
        "early": early,
        "uncompiled": uncompiled([sys.modules[name] for name in new], started),
    }
    if parts is not None:
        found["parts"] = by_phase([start, imported, made, end], seen)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
