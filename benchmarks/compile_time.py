"""Milliseconds of compile time, per pass and per stage of Triton, of the examples; needs no GPU.

    python -m benchmarks.compile_time [--kernels NAME…] [--repeats N] [--no-triton] [--json FILE]
                                      [--against DIR]

The kernels of the examples are compiled for sm_90, in their first configuration, of fp16 tensors
where a type is not declared. Figures are medians of warm compiles: everything is imported, and one
compile has run. Triton's stages are its own, of the TTIR that is emitted here, without its cache.
``file`` is what running an example's file takes: making the kernels that need no call. Of an
application of 500 lines, the frontend is timed alone.
"""

from __future__ import annotations

import argparse
import importlib
import itertools
import pkgutil
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from importlib.util import module_from_spec
from types import ModuleType
from typing import Any, TypeVar

import examples
from benchmarks import against, records, tables
from benchmarks.environment import add_outputs, environment
from benchmarks.long_application import long_kernel
from benchmarks.records import Record
from ninetoothed.artifacts.artifact import Artifact
from ninetoothed.artifacts.configuration import Config
from ninetoothed.artifacts.signature import Signature
from ninetoothed.artifacts.target import Target
from ninetoothed.backend.emit import emit
from ninetoothed.compiler.compile import context, pass_options
from ninetoothed.compiler.defaults import assumed_signature, pick, plain_values
from ninetoothed.definition.definition import Definition
from ninetoothed.errors import NineToothedError
from ninetoothed.frontend.build import build_module
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.passes.pipeline import SPECIALIZED, SYMBOLIC, run, steps
from ninetoothed.runtime.toolchain.triton import compat

T = TypeVar("T")
TARGET = Target.parse("sm_90")
STAGES = ("ttir", "ttgir", "llir", "ptx", "cubin")
"""Triton's stages for NVIDIA GPUs."""
_NO_KERNELS = ("checks", "demo", "runner", "transformer")
# Where the numbers of a call decide the arrangement: kernels of some call, by example.
_OF_A_CALL: dict[str, Callable[[Any], tuple[Kernel, ...]]] = {
    "avg_pool2d": lambda example: (example.make_kernel((3, 3), (2, 2), (1, 1), True, True),),
    "conv2d": lambda example: (example.make_kernel((2, 2), (3, 3), (2, 2)),),
    "depthwise_conv2d": lambda example: (example.make_kernel((1, 1), (1, 1), (1, 1)),),
    "max_pool2d": lambda example: (example.make_kernel((3, 3), (2, 2), (1, 1), True),),
    "topk": lambda example: (
        example.topk_kernel(8),
        example.chunks_kernel(8, 4096),
        example.merge_kernel(8),
    ),
}
# Of a dim whose size is a constant: a head's, or where a block has too many lanes so, a filter's.
_SIZES = (64, 3)
_LINES = 500
# The first of these that a kernel's language takes is what its undeclared element types are.
_DTYPES = ("fp16", "fp32", "i32")


def example_modules() -> Iterator[ModuleType]:
    """The files of ``examples`` that make kernels, in alphabetical order."""
    for entry in pkgutil.iter_modules(examples.__path__):
        if entry.name not in _NO_KERNELS:
            yield importlib.import_module(f"examples.{entry.name}")


def example_kernels() -> dict[str, tuple[str, Kernel]]:
    """The examples' kernels by name, each with the example that it is of."""
    found: dict[str, tuple[str, Kernel]] = {}
    for module in example_modules():
        name = module.__name__.removeprefix("examples.")
        kernels = [value for value in vars(module).values() if isinstance(value, Kernel)]
        if name in _OF_A_CALL:
            kernels += _OF_A_CALL[name](module)
        for kernel in kernels:
            found.setdefault(kernel.definition.name, (name, kernel))
    return found


def median_ms(function: Callable[[], object], repeats: int) -> float:
    """Median milliseconds of a call."""
    times: list[float] = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times)


def file_time(module: ModuleType, repeats: int) -> float:
    """Median milliseconds of running an example's file, of which the imports have been done."""
    spec = module.__spec__
    assert spec is not None
    loader = spec.loader
    assert loader is not None
    return median_ms(lambda: loader.exec_module(module_from_spec(spec)), repeats)


def compile_once(
    definition: Definition, signature: Signature, config: Config, full: bool = False
) -> tuple[Artifact, dict[str, float]]:
    """One compile from the frontend to TTIR, and the milliseconds of each step; ``full``: of the
    kernel of calls in which all guards hold.
    """
    times: dict[str, float] = {}

    def timed(name: str, function: Callable[[], T]) -> T:
        start = time.perf_counter()
        result = function()
        times[name] = (time.perf_counter() - start) * 1e3
        return result

    module = timed("frontend", lambda: build_module(definition, signature))
    options = pass_options(module, signature, config, TARGET, full)
    pipeline = [*steps(SYMBOLIC), *steps(SPECIALIZED, options)]
    seen: Counter[str] = Counter()
    for step in pipeline:
        name = step.pass_.name
        seen[name] += 1
        label = name if seen[name] == 1 else f"{name} #{seen[name]}"
        timed(label, lambda step=step: run(context(), module, [step]))
    return timed("emit", lambda: emit(module, "ttir", TARGET, config, full)), times


def stage_times(artifact: Artifact) -> dict[str, float]:
    """Milliseconds of each of Triton's stages."""
    found: dict[str, float] = {}
    start = time.perf_counter()
    for stage in compat.stages(artifact):
        end = time.perf_counter()
        found[stage[0]] = (end - start) * 1e3
        start = end
    return found


def medians(rounds: Iterable[dict[str, float]]) -> dict[str, float]:
    """The median of each name over all rounds."""
    times: dict[str, list[float]] = {}
    for one in rounds:
        for name, taken in one.items():
            times.setdefault(name, []).append(taken)
    return {name: statistics.median(several) for name, several in times.items()}


def assumed(kernel: Kernel) -> tuple[str, Signature, Config]:
    """Element type, signature and configuration that ``kernel`` is compiled for.

    Flags are set; sizes that are constants are those of a head.

    Raises:
        NineToothedError: the kernel takes no call of one element type.
    """
    definition = kernel.definition
    flags = [parameter.name for parameter in definition.parameters if parameter.kind == "constexpr"]
    known = {**plain_values(definition), **dict.fromkeys(flags, True)}
    reasons: list[NineToothedError] = []
    for size, dtype in itertools.product(_SIZES, _DTYPES):
        values = {**known, **dict.fromkeys(definition.constexpr_sizes, size)}
        try:
            signature = assumed_signature(definition, {}, values, dtype)
            return dtype, *pick(definition, kernel.composed(signature), signature, {})
        except NineToothedError as error:
            reasons.append(error)
    raise reasons[0]


def measure(example: str, kernel: Kernel, repeats: int, with_triton: bool) -> list[Record]:
    """The medians of one kernel; ``ours`` is from the frontend to TTIR.

    Raises:
        NineToothedError: the kernel does not compile for what is assumed of a call.
    """
    definition = kernel.definition
    dtype, signature, config = assumed(kernel)
    # The first compile warms caches up and is not counted.
    artifact, _ = compile_once(definition, signature, config)
    rounds = [compile_once(definition, signature, config)[1] for _ in range(repeats)]
    triton: dict[str, float] = {}
    if with_triton:
        triton = medians(stage_times(artifact) for _ in range(min(repeats, 3)))
    fields = {"kind": "compile", "kernel": definition.name, "example": example, "dtype": dtype}
    fields["config"] = str(config)
    found: list[Record] = []
    for step, ms in medians(rounds).items():
        part = step if step in ("frontend", "emit") else "passes"
        found.append({**fields, "part": part, "step": step, "ms": ms})
    ours = statistics.median(sum(one.values()) for one in rounds)
    found.append({**fields, "part": "ours", "step": "ours", "ms": ours})
    return found + [{**fields, "part": name, "step": name, "ms": ms} for name, ms in triton.items()]


def frontend_time(lines: int, repeats: int) -> float:
    """Median milliseconds from an application of so many lines to its module."""
    definition = long_kernel(lines).definition
    signature = assumed_signature(definition, {}, {})
    return median_ms(lambda: build_module(definition, signature), repeats)


def main() -> None:
    """Print the tables; write the records where ``--json`` asks for it."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.compile_time", description="compile time per pass and stage"
    )
    parser.add_argument("--kernels", nargs="+", metavar="NAME", help="these kernels only")
    parser.add_argument("--repeats", type=int, default=5, help="compiles of each (default: 5)")
    parser.add_argument("--no-triton", action="store_true", help="leave Triton's stages out")
    add_outputs(parser)
    against.add_option(parser)
    arguments = parser.parse_args()
    known = example_kernels()
    if unknown := sorted(set(arguments.kernels or ()) - known.keys()):
        parser.error(f"unknown kernels {', '.join(unknown)}; valid are {', '.join(known)}")
    if arguments.against is not None:
        against.compare("compile_time", arguments)
        return
    with_triton = not arguments.no_triton
    if with_triton and not compat.available():
        print("Triton is not installed: its stages are left out", file=sys.stderr)
        with_triton = False
    if with_triton:
        # Triton's first compile imports half of it.
        measure(*known["add_kernel"], 1, with_triton)
    found: list[Record] = []
    measured: set[str] = set()
    for name in arguments.kernels or known:
        example, kernel = known[name]
        print(f"{name} …", file=sys.stderr)
        try:
            found += measure(example, kernel, arguments.repeats, with_triton)
            measured.add(example)
        except NineToothedError as error:
            print(f"{name} is left out: {error.message}", file=sys.stderr)
    if not found:
        sys.exit("no kernel was compiled")
    files = {
        name: file_time(module, arguments.repeats)
        for module in example_modules()
        if (name := module.__name__.removeprefix("examples.")) in measured
    }
    frontend = frontend_time(_LINES, arguments.repeats)
    found += [{"kind": "file", "example": name, "ms": ms} for name, ms in files.items()]
    found.append({"kind": "frontend", "lines": _LINES, "ms": frontend})
    print(f"{tables.compile_times(found)}\n\n{tables.passes(found)}\n")
    print("file: " + ", ".join(f"{name} {taken:.2f}" for name, taken in files.items()) + " ms")
    print(f"frontend of {_LINES} lines: {frontend:.2f} ms")
    if arguments.json is not None:
        parameters = {"target": str(TARGET), "repeats": arguments.repeats}
        begun = environment("compile_time", arguments.commit, **parameters)
        records.write(arguments.json, [begun, *found])


if __name__ == "__main__":
    main()
