"""GPU time, host time and correctness of the kernels, beside those of other providers.

    python -m benchmarks.kernels [--ops NAME…] [--providers NAME…] [--json FILE]

README.md in this folder says how it measures, and how to read what it prints.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import os
import shutil
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import torch

from benchmarks.cases import ChoiceError, add_choices, chosen, label
from benchmarks.contenders import ON_CPU, left_out
from benchmarks.environment import add_outputs, environment
from benchmarks.measure import shape
from benchmarks.operation import AUTOTUNED, COMPILED, OURS, TRITON, Operation
from benchmarks.operations import operations
from benchmarks.processes import ProcessError, Processes
from benchmarks.records import Record, ResultsError, append, check_platform, read
from benchmarks.report import summary
from benchmarks.results import Results
from benchmarks.triton_kernels import COMPILE_ONLY

_CACHE = Path(__file__).resolve().parent / ".cache"
_MOST_JOBS = 12
_SIZE_WITHOUT_GPU = "small"
COMPILING = (OURS, TRITON, COMPILED, AUTOTUNED)
"""The providers that compile, and keep on disk what they compiled."""
WRONG, UNUSABLE, STOPPED = 1, 2, 130
"""Exit codes: something failed, nothing was done, Ctrl-C."""

Ask = Callable[[Sequence[Record]], Generator[Record]]
"""The messages of a new process with these requests; see ``benchmarks.worker``."""


def parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.kernels",
        description="Time the kernels beside other providers, after checking all results.",
        epilog="Names may be separated by commas or spaces, and be patterns such as 'rms_*'.",
    )
    add_choices(parser)
    add_outputs(parser)
    add, positive = parser.add_argument, _at_least(1)
    add("--merge", action="store_true", help="add to the results that FILE holds, or replace them")
    add("--check", action="store_true", help="compare results with float64 only; time nothing")
    samples = "samples of GPU time a provider; default: 10 to 100, by the time of a call"
    add("--repeats", type=positive, metavar="N", help=samples)
    jobs = min(_MOST_JOBS, (os.cpu_count() or 1) - 1)
    text = f"processes that compile before anything is timed; 0: none; default here: {jobs}"
    add("--jobs", type=_at_least(0), default=jobs, metavar="N", help=text)
    text = "time for one case, after which it has failed; default: 300"
    add("--timeout", type=positive, default=300, metavar="SECONDS", help=text)
    text = "where compiled code is kept from run to run; choices made by the clock are not. "
    text += "Default: benchmarks/.cache"
    add("--cache", type=Path, default=_CACHE, metavar="FOLDER", help=text)
    return parser


def _at_least(least: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"must be a whole number from {least}, not {text!r}")
        return int(text)

    return number


class UsageError(Exception):
    """Nothing can be done as it was asked for; the text says why."""


@dataclass(frozen=True)
class Plan:
    """What a run does."""

    operations: Mapping[str, Operation]
    cases: Sequence[Record]
    providers: tuple[str, ...]
    left_out: Mapping[str, str]
    device: str


def plan(arguments: argparse.Namespace, known: Mapping[str, Operation], on_gpu: bool) -> Plan:
    """What the command line asks for.

    Raises:
        ChoiceError: it names something that does not exist.
        UsageError: nothing can be done as it was asked for.
    """
    wanted = chosen(arguments, known)
    if not on_gpu:
        if not arguments.check:
            raise UsageError(
                "no GPU was found, and kernels are timed on a GPU; --check compares "
                f"{' and '.join(ON_CPU)} with float64 on the CPU, at size {_SIZE_WITHOUT_GPU}"
            )
        sizes = (_SIZE_WITHOUT_GPU,)
        if arguments.sizes is not None and wanted.sizes != sizes:
            raise UsageError(f"without a GPU, only --sizes {_SIZE_WITHOUT_GPU} is checked")
        wanted = replace(wanted, sizes=sizes)
    if arguments.check and arguments.json is not None:
        raise UsageError("--check times nothing that --json could hold; leave one of them out")
    if arguments.merge and arguments.json is None:
        raise UsageError("--merge adds to the results of --json FILE; name the file")
    missing = left_out(wanted.providers, on_gpu)
    remaining = tuple(name for name in wanted.providers if name not in missing)
    if not remaining:
        reasons = "; ".join(f"{name}: {why}" for name, why in missing.items())
        raise UsageError(f"none of the providers can run here: {reasons}")
    device = "cuda" if on_gpu else "cpu"
    return Plan(wanted.operations, wanted.tasks(), remaining, missing, device)


def check_file(path: Path | None, merging: bool, here: Record) -> None:
    """Whether the results of a run may be written there, before anything is measured.

    Raises:
        ResultsError: the file exists, and holds no results that these could be added to.
        UsageError: it exists, and nothing said that it may be changed.
    """
    if path is None or not path.exists():
        return
    if not merging:
        raise UsageError(f"{path} exists; --merge adds to it, or name another file")
    check_platform(read(path)[0], here)


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print and write what the command line asks for; the exit code."""
    arguments = parser().parse_args(argv)
    try:
        todo = plan(arguments, operations(), torch.cuda.is_available())
        here = environment("kernels", arguments.commit)
        check_file(arguments.json, arguments.merge, here)
    except (ChoiceError, ResultsError, UsageError) as error:
        print(f"error: {error}", file=sys.stderr)
        return UNUSABLE
    for name, why in todo.left_out.items():
        print(f"{name} is left out: {why}", flush=True)
    cache = arguments.cache.resolve()
    variables = {**cache_variables(cache), COMPILE_ONLY: "0"}
    command = [sys.executable, "-m", "benchmarks.worker", todo.device]
    try:
        if arguments.jobs and todo.device == "cuda":
            # Each process shares the cores with the others, and compiles configurations apart from
            # it: one that hangs costs itself.
            share = (os.cpu_count() or 1) // max(min(arguments.jobs, len(compiling(todo))), 1)
            workers = {"NINETOOTHED_COMPILE_WORKERS": str(max(share, 1))}
            alone = {**variables, COMPILE_ONLY: "1", **workers}
            compile_all(todo, arguments.jobs, Processes(command, alone), arguments.timeout)
        forget_choices(cache)
        ask = functools.partial(Processes(command, variables).messages, seconds=arguments.timeout)
        if arguments.check:
            return _check(todo, ask)
        return measure(todo, arguments, ask, here)
    except KeyboardInterrupt:
        print("stopped before anything was measured")
        return STOPPED
    except ProcessError as error:
        print(f"error: {error}", file=sys.stderr)
        return UNUSABLE


def cache_variables(folder: Path) -> dict[str, str]:
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


def compiling(todo: Plan) -> dict[tuple[str, str], list[Record]]:
    """What is to be compiled, by operation and provider."""
    groups: dict[tuple[str, str], list[Record]] = {}
    # The small sizes first: sizes share most kernels.
    for case in reversed(todo.cases):
        autotuned = todo.operations[case["operation"]].is_autotuned
        for provider in COMPILING:
            if provider in todo.providers and (autotuned or provider != AUTOTUNED):
                request = {**case, "action": "compile", "providers": [provider]}
                groups.setdefault((case["operation"], provider), []).append(request)
    return groups


def compile_all(todo: Plan, jobs: int, processes: Processes, seconds: float) -> None:
    """Fills the caches on disk, in ``jobs`` processes at once: one for each operation and provider.

    What cannot be compiled is printed; the timed phase finds it out again.
    """
    groups = compiling(todo)
    progress = _Progress("compile", len(groups))

    def tell(request: Record, why: object) -> None:
        provider = request["providers"][0]
        print(f"not compiled beforehand: {label(request)} {provider}: {why}", flush=True)

    def compile(name: tuple[str, str], requests: Sequence[Record]) -> None:
        doing, done = requests[0], 0
        try:
            for message in processes.messages(requests, seconds):
                if "begin" in message:
                    doing = requests[done]
                if "record" in message:
                    tell(doing, message["record"]["failure"])
                done += "end" in message
        except ProcessError as error:
            # The next size would end the same way.
            tell(doing, error)
        progress.done(" ".join(name))

    threads = ThreadPoolExecutor(jobs)
    try:
        for future in [threads.submit(compile, *group) for group in groups.items()]:
            future.result()
    finally:
        threads.shutdown(wait=False, cancel_futures=True)
        processes.stop()
        threads.shutdown()


def measured(requests: Sequence[Record], ask: Ask) -> Generator[tuple[Record, list[Record]]]:
    """Each request with its records, from processes that answer one after the other.

    A provider that takes its process down has failed, and another process measures the case again
    without it. Where none was at work, all that were asked for have failed.

    Raises:
        ProcessError: a process ended before its first request.
    """
    todo = deque(requests)
    failed: dict[str, str] = {}
    while todo:
        begun, provider, found = False, "", list[Record]()
        try:
            with contextlib.closing(
                ask([{**todo[0], "failed": failed}, *list(todo)[1:]])
            ) as answers:
                ended = False
                for message in answers:
                    begun = True
                    provider = message.get("provider", provider)
                    if "record" in message:
                        found.append(message["record"])
                    if "end" in message:
                        ended = True
                        yield todo.popleft(), found
                        failed, provider, found = {}, "", []
                if not ended:
                    raise ProcessError("the process ended without an answer")
        except ProcessError as error:
            if not begun or not todo or "providers" not in todo[0]:
                raise
            if provider and provider not in failed:
                failed = {**failed, provider: str(error)}
            else:
                reasons = {**dict.fromkeys(todo[0]["providers"], str(error)), **failed}
                yield todo[0], [_failed(todo[0], *reason) for reason in reasons.items()]
                todo.popleft()
                failed = {}


def _failed(request: Record, provider: str, reason: str) -> Record:
    fields = {name: request[name] for name in ("operation", "size", "dtype", "layout", "shape")}
    return {"kind": "kernel", **fields, "provider": provider, "failure": reason}


def _requests(todo: Plan, action: str, samples: int | None = None) -> list[Record]:
    return [
        {
            **case,
            "shape": shape(todo.operations[case["operation"]], case),
            "action": action,
            "providers": list(todo.providers),
            "samples": samples,
        }
        for case in todo.cases
    ]


class _Progress:
    """A line a step of a phase."""

    def __init__(self, phase: str, total: int) -> None:
        self._phase, self._total, self._count = phase, total, 0
        self._start = time.monotonic()

    def done(self, step: str) -> None:
        """Prints the line."""
        self._count += 1
        seconds = time.monotonic() - self._start
        print(f"{self._phase} {self._count}/{self._total} at {seconds:.0f} s: {step}", flush=True)

    def answered(
        self, requests: Sequence[Record], ask: Ask, keep: Callable[[Sequence[Record]], None]
    ) -> bool:
        """Hands the records of each request to ``keep``; False where Ctrl-C stopped it."""
        try:
            for request, found in measured(requests, ask):
                keep(found)
                for one in found:
                    if "failure" in one:
                        name = f"{label(one)}: {one['provider']}"
                        print(f"{name} failed: {one['failure']}", flush=True)
                self.done(label(request) if "operation" in request else request["action"])
        except KeyboardInterrupt:
            print("stopped: what was measured is kept", flush=True)
            return False
        return True


def _check(todo: Plan, ask: Ask) -> int:
    found: list[Record] = []
    requests = _requests(todo, "check")
    complete = _Progress("check", len(requests)).answered(requests, ask, found.extend)
    right = sum("failure" not in one for one in found)
    cases = {label(one) for one in found}
    print(f"{right} of {len(found)} results agree with torch in float64, {len(cases)} cases")
    return STOPPED if not complete else WRONG if right < len(found) else 0


def measure(todo: Plan, arguments: argparse.Namespace, ask: Ask, here: Record) -> int:
    """Times all cases, prints and keeps what was found; the exit code."""
    records: list[Record] = []
    missing = todo.left_out.items()
    head = [here, *({"kind": "left out", "provider": one, "reason": why} for one, why in missing)]
    head += [{"kind": "planned", "case": label(case)} for case in todo.cases]

    def keep(found: Sequence[Record]) -> None:
        """Writes them, behind the head where they are the first."""
        new = [*found] if records else [*head, *found]
        records.extend(new)
        if arguments.json is not None:
            append(arguments.json, *new)

    requests: list[Record] = [{"action": "ceilings"}]
    requests += _requests(todo, "measure", arguments.repeats)
    complete = _Progress("measure", len(requests)).answered(requests, ask, keep)
    if not records:
        raise KeyboardInterrupt
    results = Results.of(records)
    print(summary(results))
    if arguments.json is not None:
        print(f"written to {arguments.json}")
    wrong = any(case.failures() for case in results.cases)
    return STOPPED if not complete else WRONG if wrong else 0


def _interrupt(number: int, frame: object) -> None:
    """A run that is to end keeps what it measured, as with Ctrl-C."""
    raise KeyboardInterrupt


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, _interrupt)
    sys.exit(main())
