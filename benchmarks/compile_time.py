"""Milliseconds of compile time, per pass, for the examples; needs no GPU.

    python -m benchmarks.compile_time [--json FILE] [--triton]

One configuration each, warm: everything is imported and one compile has run. Figures are medians.
``total`` is all steps but ``make``, which builds the kernel once more, to check it. Of an
application of 500 lines the frontend is timed alone.
``--triton`` adds what Triton's own compile of the text takes, for sm_90.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from xdsl.dialects.builtin import ModuleOp

from examples import add, matmul, softmax
from ninetoothed.artifact import Artifact, Config, Signature, Target
from ninetoothed.backend.emit import emit
from ninetoothed.compiler import context, options
from ninetoothed.frontend.build import build_module
from ninetoothed.frontend.definition import Definition
from ninetoothed.kernel import Kernel, assumed_signature, make, pick
from ninetoothed.passes.pipeline import SPECIALIZED, SYMBOLIC, run, steps
from ninetoothed.runtime import triton_compat
from ninetoothed.tensor import Tensor
from tests.support.idioms.products import conv2d
from tests.support.long_application import long_kernel


def _example(module: ModuleType, ndim: int, count: int) -> Kernel:
    """The kernel of an example's two functions, of ``count`` tensors of ``ndim`` dims."""
    return make(module.arrangement, module.application, [Tensor(ndim) for _ in range(count)])


def _conv2d() -> Kernel:
    """The deepest arrangement: a convolution as one matrix product."""
    idiom = conv2d("conv2d", stride=2, padding=3, dilation=2)
    return make(idiom.arrangement, idiom.application, idiom.tensors)


KERNELS: dict[str, Callable[[], Kernel]] = {
    "add": lambda: _example(add, 1, 3),
    "matmul": lambda: _example(matmul, 2, 3),
    "softmax": lambda: _example(softmax, 2, 2),
    "conv2d": _conv2d,
}
_REPEATS = 15
_TARGET = Target.parse("sm_90")


class Stopwatch:
    """The times of named steps, one list a step, in the order of their first occurrence."""

    def __init__(self) -> None:
        self.times: dict[str, list[float]] = {}

    def time(self, name: str, function: Callable[[], object]) -> object:
        """What ``function`` returns; its time is noted."""
        start = time.perf_counter()
        result = function()
        self.times.setdefault(name, []).append((time.perf_counter() - start) * 1e3)
        return result


def compile_once(
    watch: Stopwatch, definition: Definition, signature: Signature, config: Config
) -> Artifact:
    """One compile from the frontend to TTIR, each step timed."""
    module = watch.time("frontend", lambda: build_module(definition, signature))
    assert isinstance(module, ModuleOp)
    pipeline = [*steps(SYMBOLIC), *steps(SPECIALIZED, options(module, signature, config))]
    seen: dict[str, int] = {}
    for step in pipeline:
        name = step.pass_.name
        seen[name] = seen.get(name, 0) + 1
        label = name if seen[name] == 1 else f"{name} #{seen[name]}"
        watch.time(label, lambda step=step: run(context(), module, [step]))
    artifact = watch.time("emit ttir", lambda: emit(module, "ttir", _TARGET, config))
    assert isinstance(artifact, Artifact)
    return artifact


def measure(made: Callable[[], Kernel], with_triton: bool) -> dict[str, float]:
    """Median milliseconds per step, and ``total``."""
    kernel = made()
    definition = kernel.definition
    dtypes = {parameter.name: "fp16" for parameter in definition.parameters}
    signature = assumed_signature(definition, dtypes, {})
    signature, config = pick(definition, kernel.composed(signature), signature, {})
    watch = Stopwatch()
    totals: list[float] = []
    # The first compile warms caches up and is not counted.
    artifact = compile_once(Stopwatch(), definition, signature, config)
    for _ in range(_REPEATS):
        round_ = Stopwatch()
        round_.time("make", made)
        start = time.perf_counter()
        artifact = compile_once(round_, definition, signature, config)
        totals.append((time.perf_counter() - start) * 1e3)
        for name, times in round_.times.items():
            watch.times.setdefault(name, []).extend(times)
    result = {name: statistics.median(times) for name, times in watch.times.items()}
    result["total"] = statistics.median(totals)
    if with_triton:
        watch.time("triton", lambda: triton_compat.compile_artifact(artifact))
        result["triton (once, perhaps cached)"] = watch.times["triton"][0]
    return result


def measure_frontend(lines: int) -> dict[str, float]:
    """Median milliseconds from an application of so many lines to its module."""
    definition = long_kernel(lines).definition
    signature = assumed_signature(definition, {}, {})
    watch = Stopwatch()
    for _ in range(_REPEATS):
        watch.time("frontend", lambda: build_module(definition, signature))
    return {"frontend": statistics.median(watch.times["frontend"])}


def main() -> None:
    """Print a table; write it as JSON where ``--json`` asks for it."""
    parser = argparse.ArgumentParser(description="compile time per pass")
    parser.add_argument("--json", type=Path, help="write the figures to this file, too")
    parser.add_argument("--triton", action="store_true", help="time Triton's own compile, too")
    arguments = parser.parse_args()
    table = {name: measure(made, arguments.triton) for name, made in KERNELS.items()}
    table["500 lines"] = measure_frontend(500)
    names = list(dict.fromkeys(step for row in table.values() for step in row))
    print(f"{'ms, median of ' + str(_REPEATS):32}" + "".join(f"{name:>10}" for name in table))
    for step in names:
        cells = "".join(f"{row.get(step, 0):10.2f}" for row in table.values())
        print(f"{step:32}{cells}")
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
