"""A process that measures, checks or compiles cases for ``benchmarks.kernels``.

    python -m benchmarks.worker DEVICE

Each line of stdin is a request: an ``action`` (``ceilings``, ``compile``, ``check``, or
``measure``, which checks and times), and the case's ``operation``, ``size``, ``dtype``, ``layout``
and ``providers``. For each, lines of JSON are printed: ``{"begin": …}``, then
``{"provider": …, "doing": …}`` with what is run now, ``{"record": …}`` with what was found, and
``{"end": …}``. What costs the device its context ends the process, and another one has to go on.
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

from benchmarks import ceilings
from benchmarks.contenders import reason, set_up
from benchmarks.measure import ContextLostError, Measurer, compile_only
from benchmarks.operations import operations
from benchmarks.records import Record
from benchmarks.timing import Stopwatch

Write = Callable[[Record], None]
_stopwatch = functools.cache(Stopwatch)


def answer(request: Record, device: str, write: Write) -> bool:
    """Writes what is found for a request; whether nothing more can run in this process.

    Raises:
        ContextLostError: nothing can run on the device any more.
    """

    def tell(provider: str, what: str) -> None:
        write({"provider": provider, "doing": what})

    action = request["action"]
    if action == "ceilings":
        for unit, rate in ceilings.measured().items():
            write({"record": {"kind": "ceiling", "unit": unit, "per_second": rate}})
        return False
    operation = operations()[request["operation"]]
    if action == "compile":
        for provider in request["providers"]:
            tell(provider, "compile")
            try:
                compile_only(operation, request, provider, device)
            except ContextLostError:
                raise
            except Exception as error:
                write({"record": {"provider": provider, "failure": reason(error)}})
        return False
    measurer = Measurer(
        operation,
        request,
        request["providers"],
        device,
        clock=_stopwatch() if action == "measure" else None,
        samples=request.get("samples"),
        failed=request.get("failed", {}),
        tell=tell,
    )
    for record in measurer.measure():
        write({"record": record})
    return measurer.is_spent


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
    operations()
    # What is loaded by now stays; the garbage collector need not look at it.
    gc.collect()
    gc.freeze()
    for line in sys.stdin:
        request = json.loads(line)
        write({"begin": request["action"]})
        try:
            is_spent = answer(request, sys.argv[1], write)
        except ContextLostError as error:
            sys.exit(f"nothing can run on the device any more: {error}")
        write({"end": request["action"]})
        if is_spent:
            return


if __name__ == "__main__":
    main()
