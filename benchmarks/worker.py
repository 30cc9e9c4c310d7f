"""A process that measures, checks or compiles cases for ``benchmarks.kernels``.

Started as ``python -m benchmarks.worker DEVICE`` by ``benchmarks.worker_pool``. It writes a line of
JSON ``{"ready": true}``; then, for each request (a line of JSON on stdin, see :class:`Request`),
lines ``{"doing": provider, "what": …}`` and in the end ``{"done": …}`` with the answer, or
``{"failed": reason}``. ``{"lost": reason}``, or ``"last": true`` beside an answer, says that
nothing can run here any more. It ends when stdin does.
"""

from __future__ import annotations

import dataclasses
import functools
import gc
import json
import os
import sys
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import IO, Any

from benchmarks.cases import Task
from benchmarks.results import Ceilings

MEASURE, CHECK, COMPILE, CEILINGS = "measure", "check", "compile", "ceilings"


@dataclass(frozen=True)
class Request:
    """What a worker is asked for: one of the words above, of a case and of these providers.

    ``failed`` are providers that are known to fail in this case, with the reasons.
    """

    action: str
    task: Task | None = None
    providers: tuple[str, ...] = ()
    failed: Mapping[str, str] = field(default_factory=dict[str, str])
    samples: int | None = None
    ceilings: Ceilings | None = None

    def to_json(self) -> str:
        """One line."""
        return json.dumps(dataclasses.asdict(self)) + "\n"

    @staticmethod
    def from_json(text: str) -> Request:
        """The request of a line."""
        fields = json.loads(text)
        if fields["task"] is not None:
            fields["task"] = Task(**fields["task"])
        if fields["ceilings"] is not None:
            fields["ceilings"] = Ceilings(**fields["ceilings"])
        fields["providers"] = tuple(fields["providers"])
        return Request(**fields)


class _Replies:
    """The lines to the parent."""

    def __init__(self) -> None:
        # Compilers print to stdout: the replies go to a copy of it, and stdout joins stderr.
        self._stream: IO[str] = os.fdopen(os.dup(1), "w", encoding="utf-8")
        os.dup2(2, 1)

    def __call__(self, **message: Any) -> None:
        self._stream.write(json.dumps(message) + "\n")
        self._stream.flush()


class Worker:
    """Answers requests; what takes long to load is loaded with the first that needs it."""

    def __init__(self, device: str, tell: Callable[[str, str], None]) -> None:
        from benchmarks.contenders import set_up
        from benchmarks.operations import operations

        self._device = device
        self._tell = tell
        self._operations = operations()
        set_up()
        self.is_spent = False
        # What is loaded by now stays; the garbage collector need not look at it.
        gc.collect()
        gc.freeze()

    def answer(self, request: Request) -> Any:
        """The answer, as JSON has it."""
        if request.action == CEILINGS:
            from benchmarks import ceilings

            self._tell("", "ceilings")
            return dataclasses.asdict(ceilings.measured())
        return self._case(request)

    def _case(self, request: Request) -> Any:
        from benchmarks.measure import Measurer, compile_only

        assert request.task is not None
        operation = self._operations[request.task.operation]
        if request.action == COMPILE:
            for provider in request.providers:
                self._tell(provider, "compile")
                compile_only(operation, request.task, provider, self._device)
            return None
        measurer = Measurer(
            operation,
            request.task,
            request.providers,
            self._device,
            clock=self._stopwatch if request.action == MEASURE else None,
            ceilings=request.ceilings,
            samples=request.samples,
            failed=request.failed,
            tell=self._tell,
        )
        case = measurer.measure()
        self.is_spent = measurer.is_spent
        return dataclasses.asdict(case)

    @functools.cached_property
    def _stopwatch(self) -> Any:
        from benchmarks.timing import Stopwatch

        return Stopwatch()


def main() -> None:
    """Serves requests until stdin ends."""
    replies = _Replies()
    warnings.simplefilter("ignore")
    from benchmarks.contenders import reason
    from benchmarks.measure import ContextLostError

    worker = Worker(sys.argv[1], lambda provider, what: replies(doing=provider, what=what))
    replies(ready=True)
    for line in sys.stdin:
        try:
            answer = worker.answer(Request.from_json(line))
            replies(done=answer, last=worker.is_spent)
        except ContextLostError as error:
            replies(lost=str(error))
        except Exception as error:
            replies(failed=reason(error))


if __name__ == "__main__":
    main()
