"""One fresh process of ``benchmarks.start``: prints the seconds to its first result, as JSON.

    python -m benchmarks.first_result [--parts] FILE fixed|tuned DEVICE SIZE…

``FILE`` is one of ``benchmarks.programs``. Nothing is imported here but what torch needs, until the
clock starts. With ``--parts``, Python's profiler looks where the time goes, which takes longer.
"""

from __future__ import annotations

import cProfile
import importlib
import json
import os
import sys
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

_ROOT = Path(__file__).resolve().parent.parent
_WATCHED = ("ninetoothed", "triton")
_BRIEF_SECONDS = 1e-3


def _inputs(torch: Any, device: str, sizes: list[int]) -> tuple[list[Any], Any]:
    """The operands and the expected result: vectors of one size; matrices (m, k) and (k, n); or
    query, key, value and scale, of (batch, heads, length, dim).
    """
    dtype = torch.float16 if device == "cuda" else torch.float32

    def drawn(*shapes: tuple[int, ...]) -> list[Any]:
        return [torch.randn(shape, dtype=dtype, device=device) for shape in shapes]

    if len(sizes) == 1:
        lhs, rhs = drawn(*[(sizes[0],)] * 2)
        return [lhs, rhs], lhs.double() + rhs.double()
    if len(sizes) == 3:
        m, n, k = sizes
        lhs, rhs = drawn((m, k), (k, n))
        return [lhs, rhs], lhs.double() @ rhs.double()
    query, key, value = drawn(*[tuple(sizes)] * 3)
    scale = sizes[-1] ** -0.5
    attend = torch.nn.functional.scaled_dot_product_attention
    expected = attend(query.float(), key.float(), value.float())
    # Query heads are grouped: one for each key head.
    return [query.unsqueeze(2), key, value, scale], expected.double().unsqueeze(2)


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


def parts(times: Mapping[str, float]) -> dict[str, float]:
    """Seconds of each package, and of each room of ours, from those of source files."""
    found: dict[str, float] = {}
    for file, seconds in times.items():
        name = _part(file)
        found[name] = found.get(name, 0.0) + seconds
    rest = sum(seconds for seconds in found.values() if seconds < _BRIEF_SECONDS)
    shown = {name: seconds for name, seconds in found.items() if seconds >= _BRIEF_SECONDS}
    return dict(sorted(shown.items(), key=lambda one: -one[1])) | {"less than 1 ms each": rest}


def _part(file: str) -> str:
    if file.startswith("<frozen importlib"):
        return "importing"
    path = Path(file)
    # Before ours: an environment may lie in the checkout.
    if "site-packages" in path.parts:
        return path.parts[path.parts.index("site-packages") + 1]
    if path.is_relative_to(_ROOT):
        # The room of ours, or a module at the root.
        return ".".join(path.relative_to(_ROOT).with_suffix("").parts[:2])
    # What has no file: functions in C, generated code.
    return "Python" if path.is_absolute() else "built in"


def own_seconds(profile: cProfile.Profile) -> dict[str, float]:
    """The time of the functions of each source file, without that of what they call."""
    found: dict[str, float] = {}
    for entry in profile.getstats():
        file = "~" if isinstance(entry.code, str) else entry.code.co_filename
        found[file] = found.get(file, 0.0) + entry.inlinetime
    return found


def main() -> None:
    """Measure, check the result, and print."""
    started = time.time()
    arguments = sys.argv[1:]
    profile = cProfile.Profile() if arguments[0] == "--parts" else None
    file, kind, device, *sizes = arguments if profile is None else arguments[1:]
    begin = time.perf_counter()
    torch: Any = importlib.import_module("torch")
    if device == "cuda":
        torch.zeros(1, device=device)
        torch.cuda.synchronize()
    torch_seconds = time.perf_counter() - begin
    operands, expected = _inputs(torch, device, [int(size) for size in sizes])
    output = torch.empty_like(expected, dtype=operands[0].dtype)
    if device == "cuda":
        torch.cuda.synchronize()
    early = [name for name in _WATCHED if name in sys.modules]
    before = set(sys.modules)
    start = time.perf_counter()
    if profile is not None:
        profile.enable()
    program = importlib.import_module(f"benchmarks.programs.{file}")
    kernel = getattr(program, kind)()
    made = time.perf_counter()
    kernel(*operands, output)
    if device == "cuda":
        torch.cuda.synchronize()
    end = time.perf_counter()
    if profile is not None:
        profile.disable()

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
    if profile is not None:
        found["parts"] = parts(own_seconds(profile))
    print(json.dumps(found))


if __name__ == "__main__":
    main()
