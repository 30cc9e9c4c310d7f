"""Measures one case in this process: draws inputs, checks providers, times those that are right.

Whatever goes wrong with one provider is its failure, and the others go on. An error that takes the
device's context with it ends the process (:class:`ContextLostError`).
"""

from __future__ import annotations

import functools
import gc
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from benchmarks.cases import CASE
from benchmarks.contenders import function, observed_choices, reason, start_case
from benchmarks.correctness import WrongResultError, checked
from benchmarks.operation import Call, Function, Operation, Work
from benchmarks.records import Record
from benchmarks.timing import Clock

Tell = Callable[[str, str], None]
"""Hears what begins: the provider, or "" for all, and what is done with it."""


class ContextLostError(Exception):
    """Nothing can run on the device in this process any more; the text is the reason."""


@dataclass
class Measurer:
    """Measures one case of an operation with some of the providers.

    ``case`` has the fields of ``cases.CASE``. ``failed`` are providers that are known to fail, with
    the reasons: they are not run. Without a clock, results are checked and nothing is timed.
    """

    operation: Operation
    case: Record
    providers: Sequence[str]
    device: str
    clock: Clock | None = None
    samples: int | None = None
    failed: Mapping[str, str] = field(default_factory=dict[str, str])
    tell: Tell = lambda provider, what: None

    def __post_init__(self) -> None:
        self._found: dict[str, Record] = {
            name: {"failure": why} for name, why in self.failed.items()
        }
        self._inputs: tuple[Any, ...] = ()
        self._functions: dict[str, Function] = {}
        self.is_spent = False
        """Whether nothing more can be measured in this process."""

    def measure(self) -> list[Record]:
        """A record of each provider that has the operation; README.md says what is in it."""
        start_case()
        names = [name for name in self.providers if name not in self.failed]
        work = Work(0)
        try:
            self.tell("", "inputs")
            self._inputs = drawn(self.operation, self.case, self.device)
            work = self.operation.work(*self._inputs)
            self.tell("", "reference")
            expected = self.operation.expected(self._inputs)
        except Exception as error:
            recover(error, self.device)
            for name in names:
                self._found[name] = {"failure": f"no inputs or reference: {reason(error)}"}
            return self._records(work)
        self._tidy()
        calls: dict[str, Call] = {}
        for name in names:
            call = self._attempt(name, "check", functools.partial(self._check, name, expected))
            if call is not None:
                calls[name] = call
        del expected
        self._tidy()
        if self.clock is not None and calls:
            self._time(self.clock, calls)
            if self.case["size"] == "small":
                self._time_graphs(self.clock, list(calls))
        return self._records(work)

    def _check(self, name: str, expected: Any) -> Call | None:
        """The call of a provider that is right; None where it does not have the operation."""
        own = function(name, self.operation)
        if own is None:
            return None
        self._functions[name] = own
        call = self.operation.call(own, self._inputs)
        start = time.perf_counter()
        with observed_choices() as choices:
            error = checked(call, self._inputs, expected, self.operation)
        choice = "; ".join(f"{kernel}: {config}" for kernel, config in choices.items()) or None
        self._found[name] = {
            "error": error if math.isfinite(error) else None,
            "choice": choice,
            # Compiling and tuning are in it.
            "check_seconds": round(time.perf_counter() - start, 4),
        }
        return call

    def _time(self, clock: Clock, calls: dict[str, Call]) -> None:
        hosts: dict[str, float] = {}
        for name in list(calls):
            taken = self._attempt(name, "host time", lambda call=calls[name]: clock.host_us(call))
            if taken is None:
                del calls[name]
            else:
                hosts[name] = taken
                self._found[name]["host_us"] = taken
        if not calls:
            return
        self.tell("", "GPU time")
        try:
            times = clock.gpu_us(calls, hosts, self.samples)
        except Exception as error:
            recover(error, self.device)
            self._found |= {name: {"failure": f"GPU time: {reason(error)}"} for name in calls}
            calls.clear()
            return
        for name, gpu_us in times.items():
            self._found[name] |= gpu_us.fields("gpu_us")

    def _time_graphs(self, clock: Clock, names: Sequence[str]) -> None:
        for name in names:
            self.tell(name, "CUDA graph")
            make = functools.partial(self.operation.call, self._functions[name], self._inputs)
            try:
                self._found[name]["graph_us"] = clock.graph_us(make)
            except Exception as error:
                self._found[name]["graph_failure"] = reason(_first(error))
                try:
                    recover(error, self.device)
                except ContextLostError:
                    # What was measured stands; the others are not captured.
                    self.is_spent = True
                    return

    def _attempt(self, name: str, what: str, run: Callable[[], Any]) -> Any:
        """What ``run`` returns; None where it fails, which is noted."""
        self.tell(name, what)
        try:
            return run()
        except Exception as error:
            recover(error, self.device)
            wrong = isinstance(error, WrongResultError)
            self._found[name] = {"failure": str(error) if wrong else reason(error)}
            return None

    def _tidy(self) -> None:
        """Gives the memory that nobody uses back: tuners look for free memory."""
        if self.device != "cpu":
            torch.cuda.empty_cache()

    def _records(self, work: Work) -> list[Record]:
        of_the_case = {
            "kind": "kernel",
            **{field: self.case[field] for field in CASE},
            "shape": shape(self.operation, self.case),
            "bytes": work.bytes,
            "operations": work.operations,
            "unit": work.unit,
        }
        return [
            {**of_the_case, "provider": name}
            | {field: value for field, value in self._found[name].items() if value is not None}
            for name in self.providers
            if name in self._found
        ]


def shape(operation: Operation, case: Record) -> str:
    """The numbers of a case's size, for people."""
    return " × ".join(map(str, operation.sizes[case["size"]]))


def drawn(operation: Operation, case: Record, device: str) -> tuple[Any, ...]:
    """The inputs of a case."""
    return operation.draw(case["size"], case["dtype"], case["layout"], device)


def _first(error: BaseException) -> BaseException:
    """The error that this one followed on: leaving a capture that failed fails, too."""
    while error.__context__ is not None:
        error = error.__context__
    return error


def recover(error: Exception, device: str) -> None:
    """Gives memory back after an error.

    Raises:
        ContextLostError: nothing can run on the device any more.
    """
    # The frames of the error hold tensors.
    error.__traceback__ = None
    if device == "cpu":
        return
    try:
        torch.cuda.synchronize()
        gc.collect()
        torch.cuda.empty_cache()
    except RuntimeError as lost:
        raise ContextLostError(reason(lost)) from lost


def compile_only(operation: Operation, case: Record, provider: str, device: str) -> None:
    """Calls a provider once: its kernels are then compiled, and nothing is checked.

    Raises:
        ContextLostError: nothing can run on the device any more.
        Exception: whatever the provider raises.
    """
    start_case()
    try:
        own = function(provider, operation)
        if own is not None:
            operation.call(own, drawn(operation, case, device))()
        if device != "cpu":
            torch.cuda.synchronize()
            # Other processes need the memory.
            torch.cuda.empty_cache()
    except Exception as error:
        recover(error, device)
        raise
