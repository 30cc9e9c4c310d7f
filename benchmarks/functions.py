"""Host microseconds that the examples' functions add to their kernels' calls; needs no GPU.

    python -m benchmarks.launch --functions [--calls N] [--batches N] [--smoke] [--json FILE]
                                            [--against DIR]

What a function of an example does beside calling kernels and allocating what they write: checks,
shapes of outputs, views. Kernels' calls do nothing here, so that no device is waited for. The same
calls, each output made by ``torch.empty`` and jagged ones by ``torch.nested``, take turns with the
function, batch by batch. Of CPU tensors that require no gradients, and CPU time of this thread.
"""

from __future__ import annotations

import functools
import gc
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any
from unittest import mock

import torch

from benchmarks.operation import Call, Function, Operation
from benchmarks.operations import operations
from benchmarks.records import Record
from benchmarks.timing import Times, no_collection
from ninetoothed.kernel.kernel import Kernel

_ALLOCATIONS = ((torch, "empty"), (torch, "empty_like"), (torch.Tensor, "new_empty"))
_JAGGED = (torch.nested, "nested_tensor_from_jagged")
_WARM_UP = 3


def _nothing(self: Kernel, *args: Any, **kwargs: Any) -> None:
    """Stands for a kernel's call."""


def calls_of(function: Function, inputs: Sequence[Any]) -> list[Call]:
    """The calls of kernels that ``function`` makes of these inputs, and what allocates its
    outputs.
    """
    found: list[Call] = []
    empty = torch.empty

    def allocated(result: torch.Tensor) -> Call:
        shape = tuple(result.shape)
        return functools.partial(empty, shape, dtype=result.dtype, device=result.device)

    def noted(called: Callable[..., Any], is_allocation: bool) -> Callable[..., Any]:
        def note(*args: Any, **kwargs: Any) -> Any:
            result = called(*args, **kwargs)
            call = functools.partial(called, *args, **kwargs)
            found.append(allocated(result) if is_allocation else call)
            return result

        return note

    with ExitStack() as patches:
        for owner, name in (*_ALLOCATIONS, _JAGGED, (Kernel, "__call__")):
            patched = noted(getattr(owner, name), (owner, name) in _ALLOCATIONS)
            patches.enter_context(mock.patch.object(owner, name, patched))
        function(*inputs)
    return found


def measured(calls: int, batches: int) -> list[Record]:
    """A record for each operation whose function computes it, gradients left out."""
    found = [one for one in operations().values() if not one.is_gradient]
    return [measure(one, calls, batches) for one in found]


def measure(operation: Operation, calls: int, batches: int) -> Record:
    """The medians of an operation's function, of its calls, and of what it adds to them."""
    inputs = operation.draw("small", operation.dtypes[0], "contiguous", "cpu")
    times: dict[str, list[float]] = {"us": [], "calls_us": [], "added_us": []}
    with mock.patch.object(Kernel, "__call__", _nothing):
        function, made = operation.call(operation.ours, inputs), calls_of(operation.ours, inputs)

        def alone() -> None:
            for call in made:
                call()

        gc.collect()
        with no_collection():
            for batch in range(-_WARM_UP, batches):
                whole, part = (_batch_us(call, calls) for call in (function, alone))
                if batch >= 0:
                    for name, taken in zip(times, (whole, part, whole - part), strict=True):
                        times[name].append(taken)
    medians = {name: Times.of(several).median for name, several in times.items()}
    return {"kind": "function", "operation": operation.name, **medians, "samples": batches}


def _batch_us(call: Call, calls: int) -> float:
    start = time.thread_time_ns()
    for _ in range(calls):
        call()
    return (time.thread_time_ns() - start) / calls / 1e3
