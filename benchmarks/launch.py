"""Host microseconds of one asynchronous call: ours, Triton's JIT and torch; needs a GPU.

    python -m benchmarks.launch [--calls N] [--batches N] [--churn | --functions] [--smoke]
                                [--json FILE] [--against DIR]

For 1, 3 and 8 tensors and a matrix product. The tensors are so small, and the batches so short,
that the host never waits for the GPU: each batch begins with an idle device and fits its queue. The
providers take turns, batch by batch; a time is a batch's mean, and what is shown the median of the
batches.

``add, by keyword``: the call gives ``BLOCK_SIZE=1024``. ``add, new shapes``: each call has a shape
that no call had before, of one signature. ``add, shapes in turn``: a thousand shapes, which come
back.

``triton, compiled`` launches the compiled kernel with arguments made before, which no caller does:
the least that a launch through Triton's launcher takes; ``ninetoothed, driver`` is that of ours.
``ninetoothed, bind`` is the binding and checking of the arguments alone, which a call like an
earlier one does without. ``ninetoothed, operator`` calls the kernel through the operator of torch
that stands for it in what torch compiles. torch has no call that sums seven tensors: its time is of
the six additions that do.

``--churn`` makes 100,000 calls over 1,000 shapes, and looks for what is compiled again and for
memory that grows (``benchmarks.churn``). ``--functions`` measures what the examples' functions add
to their kernels' calls, without a GPU, too (``benchmarks.functions``). ``--smoke`` makes a few
calls of everything, without a GPU on CPU tensors, of ours and torch: its times say nothing.
"""

from __future__ import annotations

import argparse
import functools
import gc
import importlib
import itertools
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast
from unittest import mock

import torch
from torch.fx.experimental.proxy_tensor import make_fx

from benchmarks import against, functions, records, tables
from benchmarks.churn import churns, synchronize
from benchmarks.environment import add_outputs, environment
from benchmarks.operation import OURS, TORCH, TRITON, Call
from benchmarks.records import Record
from benchmarks.timing import Times, no_collection
from examples.runner import relative_error, tolerance_of
from ninetoothed.calls.arguments import bind
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.runtime.launch import device
from ninetoothed.runtime.launch.launch_cache import Launched
from ninetoothed.runtime.launch.loaded import LoadedKernel

BIND = f"{OURS}, bind"
DRIVER = f"{OURS}, driver"
OPERATOR = f"{OURS}, operator"
COMPILED = f"{TRITON}, compiled"
BLOCK = 1024
"""Elements of a program."""
SIZE = 1000
"""Elements of a vector: one program."""
SIDE = 64
"""Rows and columns of a matrix: one program."""
# A GPU's queue takes about a thousand launches, and a call makes six at most.
_MOST_CALLS = 150
_WARM_UP = 3


SHAPES = 1000
"""Different ones of the cases whose shapes change."""


@dataclass(frozen=True)
class Case:
    """What is called, by provider: each call writes ``output``, which must become ``expected``.

    ``parts`` are timed, too, and write nothing. ``start`` is what ``output`` holds before a call
    that reads it. ``batches``: no more can be made, and each call but the first of ``calls`` writes
    elsewhere.
    """

    name: str
    tensors: int
    output: torch.Tensor
    start: torch.Tensor | None
    expected: torch.Tensor
    calls: Mapping[str, Call]
    parts: Mapping[str, Call]
    note: str = ""
    batches: int | None = None


def _program(provider: str, file: str, function: str) -> Any:
    """A kernel of ``benchmarks.programs``."""
    prefix = {OURS: "ours", TRITON: "triton"}[provider]
    found = getattr(importlib.import_module(f"benchmarks.programs.{prefix}_{file}"), function)
    # Triton's pointwise functions need not be made.
    return found if (provider, file) == (TRITON, "pointwise") else found()


def in_turn(calls: Iterable[Call]) -> Call:
    """A call that makes these one after the other, and then again."""
    following = itertools.cycle(calls).__next__
    return lambda: following()()


def driver_call(kernel: Kernel, tensors: Sequence[torch.Tensor]) -> Call:
    """The driver's part of a call: what is launched, with its pointers, is known.

    The kernel is called once; it has one configuration.
    """
    launches: list[Launched | None] = []
    launch = LoadedKernel.launch

    def noted(self: LoadedKernel, values: tuple[Any, ...]) -> Launched | None:
        launches.append(launch(self, values))
        return launches[-1]

    with mock.patch.object(LoadedKernel, "launch", noted):
        kernel(*tensors)
    (launched,) = launches
    assert launched is not None
    launched_kernel, programs, shape = launched
    assert launched_kernel.sources is not None
    pointers = [tensors[place].data_ptr() for place in launched_kernel.sources if place is not None]
    stream = device.stream(device.current())
    return functools.partial(launched_kernel.launcher.run, programs, shape, stream, *pointers)


def operator_call(kernel: Kernel, tensors: Sequence[torch.Tensor]) -> Call:
    """A call of the operator that stands for a kernel's call with these tensors."""
    graph = make_fx(lambda *given: kernel(*given), tracing_mode="fake")(*tensors).graph
    (node,) = (node for node in graph.nodes if node.op == "call_function")
    return functools.partial(cast("Callable[..., None]", node.target), *tensors)


def _torch_add(lhs: torch.Tensor, rhs: torch.Tensor, output: torch.Tensor) -> torch.Tensor:
    return torch.add(lhs, rhs, out=output)


def cases(device: str, calls: int) -> list[Case]:
    """All cases, of random tensors, for batches of so many calls; on a CPU, without Triton."""
    generator = torch.Generator(device).manual_seed(0)
    draw = functools.partial(torch.randn, dtype=torch.float16, device=device, generator=generator)
    values, sum_, term = (draw(SIZE) for _ in range(3))
    lhs, rhs, output = (draw(SIZE) for _ in range(3))
    *terms, total = (draw(SIZE) for _ in range(8))
    input, other, product = (draw(SIDE, SIDE) for _ in range(3))

    def chain() -> None:
        torch.add(terms[0], terms[1], out=total)
        for one in terms[2:]:
            total.add_(one)

    vector = (SIZE, BLOCK)
    matrices = (SIDE,) * 3 + (SIDE, 1) * 3 + (128, 128, 64)
    return [
        _case("scale in place", "pointwise", "scale", [values], values * 2, vector,
              functools.partial(values.mul_, 2), in_place=True),
        _case("add", "add", "fixed", [lhs, rhs, output], lhs + rhs, vector,
              functools.partial(torch.add, lhs, rhs, out=output)),
        _by_keyword([lhs, rhs, output]),
        _case("add in place", "add", "fixed", [sum_, term, sum_], sum_ + term, vector,
              functools.partial(sum_.add_, term), in_place=True),
        _case("sum of seven", "pointwise", "total", [*terms, total],
              torch.stack(terms).double().sum(0), vector, chain, note="torch: six calls"),
        _case("matmul", "matmul", "fixed", [input, other, product],
              input.double() @ other.double(), matrices,
              functools.partial(torch.mm, input, other, out=product)),
        _shapes("add, new shapes", draw, calls, -(-SHAPES // calls)),
        _shapes("add, shapes in turn", draw, calls),
    ]  # fmt: skip


def _case(
    name: str,
    file: str,
    function: str,
    tensors: Sequence[torch.Tensor],
    expected: torch.Tensor,
    behind: Sequence[int],
    torchs: Call,
    note: str = "",
    in_place: bool = False,
) -> Case:
    """A case whose last tensor is the output; ``behind`` follows those of Triton's kernel."""
    output = tensors[-1]
    kernel: Kernel = _program(OURS, file, function)
    calls: dict[str, Call] = {OURS: functools.partial(kernel, *tensors)}
    if output.is_cuda:
        by_hand = _program(TRITON, file, function)
        start = output.clone()
        compiled = by_hand(*tensors)
        calls[DRIVER] = driver_call(kernel, tensors)
        output.copy_(start)
        calls[TRITON] = functools.partial(by_hand, *tensors)
        calls[COMPILED] = functools.partial(compiled[1, 1, 1], *tensors, *behind)
    calls[OPERATOR] = operator_call(kernel, tensors)
    calls[TORCH] = torchs
    parts = {BIND: functools.partial(bind, kernel.interface, tensors, {})}
    start = output.clone() if in_place else None
    return Case(name, len(tensors), output, start, expected, calls, parts, note)


def _by_keyword(tensors: Sequence[torch.Tensor]) -> Case:
    """The addition with its block size in the call, as the documentation begins."""
    lhs, rhs, output = tensors
    kernel: Kernel = _program(OURS, "add", "by_keyword")
    calls: dict[str, Call] = {
        OURS: functools.partial(kernel, *tensors, BLOCK_SIZE=BLOCK),
        TORCH: functools.partial(torch.add, lhs, rhs, out=output),
    }
    return Case("add, by keyword", len(tensors), output, None, lhs + rhs, calls, {})


def _shapes(
    name: str, draw: Callable[..., torch.Tensor], calls: int, batches: int | None = None
) -> Case:
    """Additions of vectors of different sizes, of one signature: all divide by 16.

    Of so many batches, each call has a size of its own.
    """
    count = SHAPES if batches is None else (batches + _WARM_UP) * calls + 1
    buffers = [draw(16 * count) for _ in range(3)]
    shapes = [[buffer[: 16 * (index + 1)] for buffer in buffers] for index in range(count)]
    lhs, rhs, output = shapes[0]
    providers = {OURS: _program(OURS, "add", "fixed")}
    if output.is_cuda:
        providers[TRITON] = _program(TRITON, "add", "fixed")
    providers[TORCH] = _torch_add
    each = {
        provider: in_turn([functools.partial(add, *tensors) for tensors in shapes])
        for provider, add in providers.items()
    }
    return Case(name, 3, output, None, lhs + rhs, each, {}, batches=batches)


def check(case: Case) -> None:
    """Call each provider once on poisoned memory and compare.

    Raises:
        ValueError: a provider's result is wrong.
    """
    for provider, call in case.calls.items():
        if case.start is None:
            case.output.fill_(float("nan"))
        else:
            case.output.copy_(case.start)
        call()
        error = relative_error(case.output, case.expected)
        # A chain rounds after each of its additions.
        if not error <= 2 * tolerance_of(case.output):
            raise ValueError(f"{case.name}: the result of {provider} has the error {error:.1e}")


def measure(case: Case, calls: int, batches: int) -> list[Record]:
    """The medians of all providers, alternated.

    Raises:
        ValueError: a provider's result is wrong.
    """
    check(case)
    batches = batches if case.batches is None else min(batches, case.batches)
    everything = {**case.calls, **case.parts}
    times: dict[str, list[float]] = {name: [] for name in everything}
    gc.collect()
    with no_collection():
        for batch in range(-_WARM_UP, batches):
            for name, call in everything.items():
                synchronize()
                start = time.perf_counter_ns()
                for _ in range(calls):
                    call()
                taken = time.perf_counter_ns() - start
                if batch >= 0:
                    times[name].append(taken / calls / 1e3)
    synchronize()
    fields = {"kind": "launch", "case": case.name, "tensors": case.tensors, "note": case.note}
    return [
        {**fields, "provider": name, **Times.of(several).fields("us")}
        for name, several in times.items()
    ]


def main() -> None:
    """Print the table; write it as JSON where ``--json`` asks for it."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.launch", description="host time of an asynchronous call"
    )
    add = parser.add_argument
    add("--calls", type=int, default=100, help="calls of a batch (default: 100)")
    add("--batches", type=int, default=200, help="batches (default: 200)")
    add("--churn", action="store_true", help="100,000 calls over 1,000 shapes, too")
    add("--functions", action="store_true", help="what the examples' functions add, alone")
    add("--smoke", action="store_true", help="a few calls; without a GPU, too")
    add_outputs(parser)
    against.add_option(parser)
    arguments = parser.parse_args()
    if not 1 <= arguments.calls <= _MOST_CALLS:
        parser.error(f"--calls must be from 1 to {_MOST_CALLS}, so that they fit the GPU's queue")
    if arguments.batches < 1:
        parser.error("--batches must be 1 or more")
    on_gpu = torch.cuda.is_available()
    if not on_gpu and not arguments.smoke and not arguments.functions:
        sys.exit("no GPU found: a launch on one is what is measured; nothing was")
    if arguments.against is not None:
        against.compare("launch", arguments)
        return
    kind = "cuda" if on_gpu else "cpu"
    calls, batches = (2, 2) if arguments.smoke else (arguments.calls, arguments.batches)
    # Before anything else takes time of the host.
    found = [environment("launch", arguments.commit, calls=calls, batches=batches)]
    if arguments.functions:
        found += functions.measured(calls, batches)
    for case in () if arguments.functions else cases(kind, calls):
        found += measure(case, calls, batches)
    if arguments.churn:
        found += churns(kind, arguments.smoke)
    if arguments.smoke:
        print("a smoke run: the times say nothing")
    launched = None if arguments.functions else tables.launches(found)
    texts = [launched, tables.functions(found), tables.churn(found)]
    print("\n\n".join(text for text in texts if text))
    if arguments.json is not None:
        records.write(arguments.json, found)


if __name__ == "__main__":
    main()
