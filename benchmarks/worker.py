"""A process that measures, checks or compiles cases for ``benchmarks.kernels``.

    python -m benchmarks.worker DEVICE

Each line of stdin is a request: an ``action`` (a name of :data:`ACTIONS`), and the case's
``operation``, ``size``, ``dtype``, ``layout`` and ``providers``. For each, lines of JSON are
printed: ``{"begin": …}``, then ``{"provider": …, "doing": …}`` with what is run now,
``{"record": …}`` with what was found, and ``{"end": …}``. What costs the device its context ends
the process, and another one has to go on.
"""

from __future__ import annotations

import functools
import gc
import json
import os
import sys
import warnings
from collections.abc import Callable
from typing import Any

from benchmarks.contenders import reason, set_up
from benchmarks.measure import ContextLostError, Measurer, compile_only
from benchmarks.operations import operations
from benchmarks.records import Record
from benchmarks.timing import Stopwatch

Write = Callable[[Record], None]


class Worker:
    """Answers requests on a device, one after the other."""

    def __init__(self, device: str, write: Write) -> None:
        self._device, self._write = device, write
        self.is_spent = False
        """Whether nothing more can run in this process."""

    def ceilings(self, request: Record) -> None:
        """Measures the ceilings."""
        from benchmarks import ceilings

        for unit, rate in ceilings.measured().items():
            self._found({"kind": "ceiling", "unit": unit, "per_second": rate})

    def compile(self, request: Record) -> None:
        """Compiles the case of each provider; the record of one that fails says why."""
        operation = operations()[request["operation"]]
        for provider in request["providers"]:
            self._doing(provider, "compile")
            try:
                compile_only(operation, request, provider, self._device)
            except ContextLostError:
                raise
            except Exception as error:
                self._found({"provider": provider, "failure": reason(error)})

    def check(self, request: Record, clock: Stopwatch | None = None) -> None:
        """Compares the results of each provider; with a clock, times those that are right."""
        measurer = Measurer(
            operations()[request["operation"]],
            request,
            request["providers"],
            self._device,
            clock=clock,
            samples=request.get("samples"),
            failed=request.get("failed", {}),
            tell=self._doing,
        )
        for record in measurer.measure():
            self._found(record)
        self.is_spent = measurer.is_spent

    def measure(self, request: Record) -> None:
        """Checks and times each provider."""
        self.check(request, self._stopwatch)

    @functools.cached_property
    def _stopwatch(self) -> Stopwatch:
        return Stopwatch()

    def _doing(self, provider: str, what: str) -> None:
        self._write({"provider": provider, "doing": what})

    def _found(self, record: Record) -> None:
        self._write({"record": record})


ACTIONS: dict[str, Callable[[Worker, Record], None]] = {
    "ceilings": Worker.ceilings,
    "check": Worker.check,
    "compile": Worker.compile,
    "measure": Worker.measure,
}


def main() -> None:
    """Answers all requests."""
    # Compilers print to stdout: the messages go to a copy of it, and stdout joins stderr.
    stream = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    warnings.simplefilter("ignore")

    def write(message: Any) -> None:
        stream.write(json.dumps(message) + "\n")
        stream.flush()

    set_up()
    worker = Worker(sys.argv[1], write)
    operations()
    # What is loaded by now stays; the garbage collector need not look at it.
    gc.collect()
    gc.freeze()
    for line in sys.stdin:
        request = json.loads(line)
        write({"begin": request["action"]})
        try:
            ACTIONS[request["action"]](worker, request)
        except ContextLostError as error:
            sys.exit(f"nothing can run on the device any more: {error}")
        write({"end": request["action"]})
        if worker.is_spent:
            return


if __name__ == "__main__":
    main()
