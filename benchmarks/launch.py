"""Host microseconds of one asynchronous call: ours, Triton's JIT and torch; needs a GPU.

    python -m benchmarks.launch [--calls N] [--batches N] [--json FILE]

For 1, 3 and 8 tensors and a matrix product. The tensors are so small, and the batches so short,
that the host never waits for the GPU: each batch begins with an idle device and fits its queue. The
providers take turns, batch by batch; a time is a batch's mean, and what is shown the median of the
batches.

``triton, compiled`` launches the compiled kernel with arguments made before, which no caller does:
the least that a launch through Triton's launcher takes. ``ninetoothed, bind`` is the part of ours
that binds and checks the arguments. torch has no call that sums seven tensors: its time is of the
six additions that do.
"""

from __future__ import annotations

import argparse
import functools
import gc
import importlib
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from benchmarks import tables
from benchmarks.environment import add_outputs, environment
from benchmarks.host_results import LaunchCase, Launches, write
from benchmarks.operation import OURS, TORCH, TRITON
from benchmarks.results import Times
from examples.runner import relative_error, tolerance_of
from ninetoothed.arguments import bind

BIND = f"{OURS}, bind"
COMPILED = f"{TRITON}, compiled"
SIZE = 1000
"""Elements of a vector: one program."""
SIDE = 64
"""Rows and columns of a matrix: one program."""
# A GPU's queue takes about a thousand launches, and a call makes six at most.
_MOST_CALLS = 150
_WARM_UP = 3

Call = Callable[[], Any]


@dataclass(frozen=True)
class Case:
    """What is called, by provider: each call writes ``output``, which must become ``expected``.

    ``parts`` are timed, too, and write nothing.
    """

    name: str
    tensors: int
    output: torch.Tensor
    start: torch.Tensor
    expected: torch.Tensor
    calls: Mapping[str, Call]
    parts: Mapping[str, Call]
    note: str = ""


def _program(name: str) -> Any:
    """A file of ``benchmarks.programs``."""
    return importlib.import_module(f"benchmarks.programs.{name}")


def _case(
    name: str,
    kernel: Any,
    triton: Callable[..., Any],
    torchs: Call,
    tensors: Sequence[torch.Tensor],
    expected: torch.Tensor,
    behind: Sequence[int],
    grid: int = 1,
    note: str = "",
) -> Case:
    """A case whose last tensor is the output; ``behind`` follows the tensors of Triton's kernel."""
    start = tensors[-1].clone()
    compiled = triton(*tensors)
    return Case(
        name,
        len(tensors),
        tensors[-1],
        start,
        expected,
        {
            OURS: functools.partial(kernel, *tensors),
            TRITON: functools.partial(triton, *tensors),
            TORCH: torchs,
            COMPILED: functools.partial(compiled[grid, 1, 1], *tensors, *behind),
        },
        {BIND: functools.partial(bind, kernel.definition, tensors, {})},
        note,
    )


def cases() -> list[Case]:
    """All cases, of random tensors."""
    draw = functools.partial(torch.randn, dtype=torch.float16, device="cuda")
    ours, triton = _program("ours_pointwise"), _program("triton_pointwise")
    values = draw(SIZE)
    lhs, rhs, added = draw(SIZE), draw(SIZE), draw(SIZE)
    terms, sum_ = [draw(SIZE) for _ in range(7)], draw(SIZE)
    input, other, product = draw(SIDE, SIDE), draw(SIDE, SIDE), draw(SIDE, SIDE)
    sizes = (SIDE,) * 3
    strides = (SIDE, 1) * 3

    def chain() -> None:
        torch.add(terms[0], terms[1], out=sum_)
        for term in terms[2:]:
            sum_.add_(term)

    return [
        _case(
            "scale in place",
            ours.scale(),
            triton.scale,
            functools.partial(values.mul_, 2),
            [values],
            values * 2,
            (SIZE, triton.BLOCK),
        ),
        _case(
            "add",
            _program("ours_add").fixed(),
            _program("triton_add").fixed(),
            functools.partial(torch.add, lhs, rhs, out=added),
            [lhs, rhs, added],
            lhs + rhs,
            (SIZE, triton.BLOCK),
        ),
        _case(
            "sum of seven",
            ours.total(),
            triton.total,
            chain,
            [*terms, sum_],
            torch.stack(terms).double().sum(0),
            (SIZE, triton.BLOCK),
            note="torch: six calls",
        ),
        _case(
            "matmul",
            _program("ours_matmul").fixed(),
            _program("triton_matmul").fixed(),
            functools.partial(torch.mm, input, other, out=product),
            [input, other, product],
            input.double() @ other.double(),
            (*sizes, *strides, 128, 128, 64),
        ),
    ]


def check(case: Case) -> None:
    """Call each provider once on poisoned memory and compare.

    Raises:
        ValueError: a provider's result is wrong.
    """
    for provider, call in case.calls.items():
        # A case of one tensor works in place.
        case.output.copy_(case.start) if case.tensors == 1 else case.output.fill_(float("nan"))
        call()
        error = relative_error(case.output, case.expected)
        # A chain rounds after each of its additions.
        if not error <= 2 * tolerance_of(case.output):
            raise ValueError(f"{case.name}: the result of {provider} has the error {error:.1e}")


def measure(case: Case, calls: int, batches: int) -> LaunchCase:
    """Medians of all providers, alternated.

    Raises:
        ValueError: a provider's result is wrong.
    """
    check(case)
    everything = {**case.calls, **case.parts}
    times: dict[str, list[float]] = {name: [] for name in everything}
    gc.collect()
    gc.disable()
    try:
        for batch in range(-_WARM_UP, batches):
            for name, call in everything.items():
                torch.cuda.synchronize()
                start = time.perf_counter_ns()
                for _ in range(calls):
                    call()
                taken = time.perf_counter_ns() - start
                if batch >= 0:
                    times[name].append(taken / calls / 1e3)
    finally:
        gc.enable()
        torch.cuda.synchronize()
    us = {name: Times.of(several) for name, several in times.items()}
    return LaunchCase(case.name, case.tensors, us, case.note)


def main() -> None:
    """Print the table; write it as JSON where ``--json`` asks for it."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.launch", description="host time of an asynchronous call"
    )
    parser.add_argument("--calls", type=int, default=100, help="calls of a batch (default: 100)")
    parser.add_argument("--batches", type=int, default=200, help="batches (default: 200)")
    add_outputs(parser)
    arguments = parser.parse_args()
    if not 1 <= arguments.calls <= _MOST_CALLS:
        parser.error(f"--calls must be from 1 to {_MOST_CALLS}, so that they fit the GPU's queue")
    if arguments.batches < 1:
        parser.error("--batches must be 1 or more")
    if not torch.cuda.is_available():
        sys.exit("no GPU found: a launch on one is what is measured; nothing was")
    # Before anything else takes time of the host.
    begun = environment(arguments.commit)
    rows = [measure(case, arguments.calls, arguments.batches) for case in cases()]
    found = Launches(begun, arguments.calls, arguments.batches, tuple(rows))
    print(tables.launches(found))
    if arguments.json is not None:
        write(arguments.json, found)


if __name__ == "__main__":
    main()
