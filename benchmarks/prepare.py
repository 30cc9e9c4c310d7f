"""Compiles what a run will need, in many processes, before anything is measured.

Only compiled code is used of what they leave on disk. What a tuner or torch.compile chose by the
clock while they shared the GPU is removed: the timed phase chooses anew, alone.
"""

from __future__ import annotations

import shutil
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.cases import Task
from benchmarks.operation import COMPILED, OURS, TRITON, Operation
from benchmarks.progress import Progress
from benchmarks.worker import COMPILE, Request
from benchmarks.worker_pool import Process, RequestError, WorkerError

COMPILING = (OURS, TRITON, COMPILED)
"""The providers that compile, and keep on disk what they compiled."""


@dataclass(frozen=True)
class Step:
    """What one process does in one go: a provider's kernels for these cases."""

    provider: str
    tasks: tuple[Task, ...]

    @property
    def label(self) -> str:
        """For people."""
        first = self.tasks[0]
        return f"{first.operation} {first.dtype} {first.layout} {self.provider}"


def cache_environment(folder: Path) -> dict[str, str]:
    """The environment variables that keep all compiled code in ``folder``."""
    return {
        "NINETOOTHED_CACHE_DIR": str(folder),
        "TRITON_CACHE_DIR": str(folder / "triton"),
        "TORCHINDUCTOR_CACHE_DIR": str(folder / "inductor"),
        # A case has a kernel or two: a pool of processes would only start slowly.
        "TORCHINDUCTOR_COMPILE_THREADS": "1",
    }


def forget_choices(folder: Path) -> None:
    """Removes from ``folder`` what was chosen by the clock; compiled code stays."""
    shutil.rmtree(folder / "tuning", ignore_errors=True)
    # Where torch.compile keeps which matrix products it pads.
    shutil.rmtree(folder / "inductor" / "cache", ignore_errors=True)


def steps(
    tasks: Sequence[Task], providers: Sequence[str], operations: Mapping[str, Operation]
) -> list[Step]:
    """What is to be compiled, that which takes longest first.

    All sizes of one element type and layout are one step, the small ones first: they share most
    kernels.
    """
    groups: dict[tuple[str, str, str], list[Task]] = {}
    for task in tasks:
        groups.setdefault((task.operation, task.dtype, task.layout), []).insert(0, task)
    heavy = {name for name in {key[0] for key in groups} if _has_products(operations[name])}
    return sorted(
        (
            Step(provider, tuple(group))
            for group in groups.values()
            for provider in COMPILING
            if provider in providers
        ),
        key=lambda step: step.tasks[0].operation not in heavy,
    )


def _has_products(operation: Operation) -> bool:
    """Whether it has matrix products, whose kernels take longest to compile."""
    try:
        inputs = operation.draw("small", operation.dtypes[0], operation.layouts[0], "cpu")
        return operation.work(*inputs).operations > 0
    except Exception:
        # Its inputs cannot be made on the CPU: only the order suffers.
        return False


def prepare(
    queue: Sequence[Step], jobs: int, start: Callable[[], Process], progress: Progress
) -> dict[str, str]:
    """Does all steps in ``jobs`` processes; what could not be compiled, with the reasons."""
    waiting = deque(queue)
    failures: dict[str, str] = {}
    processes = [start() for _ in range(min(jobs, len(waiting)))]
    threads = [
        threading.Thread(target=_serve, args=(process, waiting, failures, progress), daemon=True)
        for process in processes
    ]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        waiting.clear()
        for process in processes:
            process.close()
        for thread in threads:
            thread.join()
    return failures


def _serve(
    process: Process, waiting: deque[Step], failures: dict[str, str], progress: Progress
) -> None:
    while True:
        try:
            step = waiting.popleft()
        except IndexError:
            process.close()
            return
        progress.doing(f"compiling {step.label}")
        start = time.monotonic()
        for task in step.tasks:
            try:
                process.ask(Request(COMPILE, task, (step.provider,)))
            except RequestError as error:
                failures[f"{task.label} {step.provider}"] = str(error)
            except WorkerError as error:
                # The next size would end the same way.
                failures[f"{task.label} {step.provider}"] = str(error)
                break
        progress.done(f"{step.label}, {time.monotonic() - start:.1f} s")
