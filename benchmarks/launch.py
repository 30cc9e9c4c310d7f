"""Host microseconds of one asynchronous call: ours, Triton's JIT and torch; needs a GPU.

    python -m benchmarks.launch [--calls N] [--batches N] [--churn] [--smoke] [--json FILE]
                                [--against DIR]

For 1, 3 and 8 tensors and a matrix product. The tensors are so small, and the batches so short,
that the host never waits for the GPU: each batch begins with an idle device and fits its queue. The
providers take turns, batch by batch; a time is a batch's mean, and what is shown the median of the
batches.

``add, new shapes``: each call has a shape that no call had before, of one signature. ``add, shapes
in turn``: a thousand shapes, which come back.

``triton, compiled`` launches the compiled kernel with arguments made before, which no caller does:
the least that a launch through Triton's launcher takes; ``ninetoothed, driver`` is that of ours.
``ninetoothed, bind`` is the binding and checking of the arguments alone, which a call like an
earlier one does without. torch has no call that sums seven tensors: its time is of the six
additions that do.

``--churn`` makes 100,000 calls over 1,000 shapes, and looks for what is compiled again and for
memory that grows (``benchmarks.churn``). ``--smoke`` makes a few calls of everything, without a GPU
on CPU tensors, of ours and torch: its times say nothing.
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
from typing import Any
from unittest import mock

import torch

from benchmarks import against, records, tables
from benchmarks.churn import churns, synchronize
from benchmarks.environment import add_outputs, environment
from benchmarks.operation import OURS, TORCH, TRITON, Call
from benchmarks.records import Record
from benchmarks.timing import Times
from examples.runner import relative_error, tolerance_of
from ninetoothed.calls.arguments import bind
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.runtime.launch import device
from ninetoothed.runtime.launch.launch_cache import Launched
from ninetoothed.runtime.launch.loaded import LoadedKernel

BIND = f"{OURS}, bind"
DRIVER = f"{OURS}, driver"
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


def _program(name: str) -> Any:
    """A file of ``benchmarks.programs``."""
    return importlib.import_module(f"benchmarks.programs.{name}")


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
    assert launched.sources is not None
    pointers = [tensors[place].data_ptr() for place in launched.sources if place is not None]
    stream = device.stream(device.current())
    run = launched.launcher.run
    return functools.partial(run, launched.programs, launched.shape, stream, *pointers)


def _torch_add(lhs: torch.Tensor, rhs: torch.Tensor, output: torch.Tensor) -> torch.Tensor:
    return torch.add(lhs, rhs, out=output)


class Cases:
    """Makes the cases, of random tensors on a device; on a CPU, Triton has no part in them."""

    def __init__(self, kind: str) -> None:
        self._on_gpu = kind == "cuda"
        self._draw = functools.partial(torch.randn, dtype=torch.float16, device=kind)
        self._generator = torch.Generator(kind).manual_seed(0)

    def draw(self, *sizes: int) -> torch.Tensor:
        """Random numbers."""
        return self._draw(*sizes, generator=self._generator)

    def all(self, calls: int) -> list[Case]:
        """All cases, for batches of so many calls."""
        return [
            self._scale(),
            self._add(),
            self._add_in_place(),
            self._sum_of_seven(),
            self._matmul(),
            self._shapes("add, new shapes", calls, -(-SHAPES // calls)),
            self._shapes("add, shapes in turn", calls),
        ]

    def _case(
        self,
        name: str,
        kernel: Kernel,
        triton: Callable[[], Callable[..., Any]],
        torchs: Call,
        tensors: Sequence[torch.Tensor],
        expected: torch.Tensor,
        behind: Sequence[int],
        note: str = "",
        in_place: bool = False,
    ) -> Case:
        """A case whose last tensor is the output; ``behind`` follows those of Triton's kernel."""
        output = tensors[-1]
        calls: dict[str, Call] = {OURS: functools.partial(kernel, *tensors)}
        if self._on_gpu:
            function = triton()
            start = output.clone()
            compiled = function(*tensors)
            calls[DRIVER] = driver_call(kernel, tensors)
            output.copy_(start)
            calls[TRITON] = functools.partial(function, *tensors)
            calls[COMPILED] = functools.partial(compiled[1, 1, 1], *tensors, *behind)
        calls[TORCH] = torchs
        return Case(
            name,
            len(tensors),
            output,
            output.clone() if in_place else None,
            expected,
            calls,
            {BIND: functools.partial(bind, kernel.interface, tensors, {})},
            note,
        )

    def _scale(self) -> Case:
        values = self.draw(SIZE)
        return self._case(
            "scale in place",
            _program("ours_pointwise").scale(),
            lambda: _program("triton_pointwise").scale,
            functools.partial(values.mul_, 2),
            [values],
            values * 2,
            (SIZE, BLOCK),
            in_place=True,
        )

    def _add(self) -> Case:
        lhs, rhs, output = self.draw(SIZE), self.draw(SIZE), self.draw(SIZE)
        return self._case(
            "add",
            _program("ours_add").fixed(),
            lambda: _program("triton_add").fixed(),
            functools.partial(torch.add, lhs, rhs, out=output),
            [lhs, rhs, output],
            lhs + rhs,
            (SIZE, BLOCK),
        )

    def _add_in_place(self) -> Case:
        lhs, rhs = self.draw(SIZE), self.draw(SIZE)
        return self._case(
            "add in place",
            _program("ours_add").fixed(),
            lambda: _program("triton_add").fixed(),
            functools.partial(lhs.add_, rhs),
            [lhs, rhs, lhs],
            lhs + rhs,
            (SIZE, BLOCK),
            in_place=True,
        )

    def _sum_of_seven(self) -> Case:
        terms, output = [self.draw(SIZE) for _ in range(7)], self.draw(SIZE)

        def chain() -> None:
            torch.add(terms[0], terms[1], out=output)
            for term in terms[2:]:
                output.add_(term)

        return self._case(
            "sum of seven",
            _program("ours_pointwise").total(),
            lambda: _program("triton_pointwise").total,
            chain,
            [*terms, output],
            torch.stack(terms).double().sum(0),
            (SIZE, BLOCK),
            note="torch: six calls",
        )

    def _matmul(self) -> Case:
        input, other, output = (self.draw(SIDE, SIDE) for _ in range(3))
        return self._case(
            "matmul",
            _program("ours_matmul").fixed(),
            lambda: _program("triton_matmul").fixed(),
            functools.partial(torch.mm, input, other, out=output),
            [input, other, output],
            input.double() @ other.double(),
            (SIDE,) * 3 + (SIDE, 1) * 3 + (128, 128, 64),
        )

    def _shapes(self, name: str, calls: int, batches: int | None = None) -> Case:
        """Additions of vectors of different sizes, of one signature: all divide by 16.

        Of so many batches, each call has a size of its own.
        """
        count = SHAPES if batches is None else (batches + _WARM_UP) * calls + 1
        buffers = [self.draw(16 * count) for _ in range(3)]
        shapes = [[buffer[: 16 * (index + 1)] for buffer in buffers] for index in range(count)]
        lhs, rhs, output = shapes[0]
        providers: dict[str, Callable[..., Any]] = {OURS: _program("ours_add").fixed()}
        if self._on_gpu:
            providers[TRITON] = _program("triton_add").fixed()
        providers[TORCH] = _torch_add
        return Case(
            name,
            3,
            output,
            None,
            lhs + rhs,
            {
                provider: in_turn([functools.partial(add, *tensors) for tensors in shapes])
                for provider, add in providers.items()
            },
            {},
            batches=batches,
        )


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
    gc.disable()
    try:
        for batch in range(-_WARM_UP, batches):
            for name, call in everything.items():
                synchronize()
                start = time.perf_counter_ns()
                for _ in range(calls):
                    call()
                taken = time.perf_counter_ns() - start
                if batch >= 0:
                    times[name].append(taken / calls / 1e3)
    finally:
        gc.enable()
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
    parser.add_argument("--calls", type=int, default=100, help="calls of a batch (default: 100)")
    parser.add_argument("--batches", type=int, default=200, help="batches (default: 200)")
    parser.add_argument("--churn", action="store_true", help="100,000 calls over 1,000 shapes, too")
    parser.add_argument("--smoke", action="store_true", help="a few calls; without a GPU, too")
    add_outputs(parser)
    against.add_option(parser)
    arguments = parser.parse_args()
    if not 1 <= arguments.calls <= _MOST_CALLS:
        parser.error(f"--calls must be from 1 to {_MOST_CALLS}, so that they fit the GPU's queue")
    if arguments.batches < 1:
        parser.error("--batches must be 1 or more")
    on_gpu = torch.cuda.is_available()
    if not on_gpu and not arguments.smoke:
        sys.exit("no GPU found: a launch on one is what is measured; nothing was")
    if arguments.against is not None:
        against.compare("launch", arguments)
        return
    kind = "cuda" if on_gpu else "cpu"
    calls, batches = (2, 2) if arguments.smoke else (arguments.calls, arguments.batches)
    # Before anything else takes time of the host.
    found = [environment("launch", arguments.commit, calls=calls, batches=batches)]
    for case in Cases(kind).all(calls):
        found += measure(case, calls, batches)
    if arguments.churn:
        found += churns(kind, arguments.smoke)
    if arguments.smoke:
        print("a smoke run: the times say nothing")
    texts = [tables.launches(found), tables.churn(found)]
    print("\n\n".join(text for text in texts if text))
    if arguments.json is not None:
        records.write(arguments.json, found)


if __name__ == "__main__":
    main()
