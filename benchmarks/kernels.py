"""GPU time, host time and correctness of the kernels, beside those of other providers.

    python -m benchmarks.kernels [--ops NAME…] [--providers NAME…] [--json FILE]

README.md in this folder says how it measures, and how to read what it prints.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch

from benchmarks.cases import ChoiceError, Task, add_choices, chosen
from benchmarks.contenders import ON_CPU, left_out
from benchmarks.environment import add_outputs, environment
from benchmarks.operation import Operation
from benchmarks.operations import operations
from benchmarks.prepare import cache_environment, forget_choices, prepare, steps
from benchmarks.progress import progress
from benchmarks.results import (
    Case,
    Ceilings,
    Environment,
    Results,
    ResultsError,
    decoded,
    merge,
    read,
)
from benchmarks.session import Record, Remote, run
from benchmarks.summary import summary
from benchmarks.tables import failures
from benchmarks.triton_kernels import COMPILE_ONLY
from benchmarks.worker import CEILINGS, Request
from benchmarks.worker_pool import Process, WorkerError, worker_command

_CACHE = Path(__file__).resolve().parent / ".cache"
_MOST_JOBS = 12
_SIZE_WITHOUT_GPU = "small"
WRONG, UNUSABLE, STOPPED = 1, 2, 130
"""Exit codes: something failed, nothing was done, Ctrl-C."""


def parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.kernels",
        description="Time the kernels beside other providers, after checking all results.",
        epilog="Names may be separated by commas or spaces, and be patterns such as 'rms_*'.",
    )
    add_choices(parser)
    add_outputs(parser)
    parser.add_argument(
        "--merge", action="store_true", help="add to the results that FILE holds, or replace them"
    )
    parser.add_argument(
        "--check", action="store_true", help="compare results with float64 only; time nothing"
    )
    parser.add_argument(
        "--repeats",
        type=_positive,
        metavar="N",
        help="samples of GPU time a provider; default: 10 to 100, by the time of a call",
    )
    jobs = min(_MOST_JOBS, (os.cpu_count() or 1) - 1)
    parser.add_argument(
        "--jobs",
        type=_count,
        default=jobs,
        metavar="N",
        help=f"processes that compile before anything is timed; 0: none; default here: {jobs}",
    )
    parser.add_argument(
        "--timeout",
        type=_positive,
        default=300,
        metavar="SECONDS",
        help="time for one case, after which it has failed; default: 300",
    )
    parser.add_argument(
        "--cache",
        type=Path,
        default=_CACHE,
        metavar="FOLDER",
        help="where compiled code is kept from run to run; choices made by the clock are not. "
        "Default: benchmarks/.cache",
    )
    return parser


def _positive(text: str) -> int:
    value = _count(text)
    if value == 0:
        raise argparse.ArgumentTypeError("must be at least 1")
    return value


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"must be a whole number, not {text!r}")
    return int(text)


class UsageError(Exception):
    """Nothing can be done as it was asked for; the text says why."""


@dataclass(frozen=True)
class Plan:
    """What a run does."""

    operations: Mapping[str, Operation]
    tasks: tuple[Task, ...]
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
    return Plan(wanted.operations, tuple(wanted.tasks()), remaining, missing, device)


def earlier(path: Path | None, merging: bool, here: Environment) -> Results | None:
    """The results that this run's are added to.

    Raises:
        ResultsError: the file exists, and holds no results that these could be added to.
        UsageError: it exists, and nothing said that it may be changed.
    """
    if path is None or not path.exists():
        return None
    if not merging:
        raise UsageError(f"{path} exists; --merge adds to it, or name another file")
    before = read(path)
    # Before anything is measured: it may be of another platform.
    merge(before, Results(here, before.ceilings, (), {}, {}, True))
    return before


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print and write what the command line asks for; the exit code."""
    arguments = parser().parse_args(argv)
    start = time.monotonic()
    try:
        todo = plan(arguments, operations(), torch.cuda.is_available())
        here = environment(arguments.commit)
        before = earlier(arguments.json, arguments.merge, here)
    except (ChoiceError, ResultsError, UsageError) as error:
        print(f"error: {error}", file=sys.stderr)
        return UNUSABLE
    for name, why in todo.left_out.items():
        print(f"{name} is left out: {why}", flush=True)
    seconds = {"start": round(time.monotonic() - start, 1)}
    cache = arguments.cache.resolve()
    variables = {**os.environ, **cache_environment(cache), COMPILE_ONLY: "0"}
    try:
        if arguments.jobs and todo.device == "cuda":
            _compile(todo, arguments, variables, seconds)
        forget_choices(cache)
        with Process(worker_command(todo.device), variables, arguments.timeout) as process:
            if arguments.check:
                return _check(todo, process)
            return _measure(todo, arguments, process, here, before, seconds)
    except KeyboardInterrupt:
        print("stopped before anything was measured")
        return STOPPED
    except WorkerError as error:
        print(f"error: {error}", file=sys.stderr)
        return UNUSABLE


def _compile(
    todo: Plan,
    arguments: argparse.Namespace,
    variables: Mapping[str, str],
    seconds: dict[str, float],
) -> None:
    """Fills the caches on disk."""
    start = time.monotonic()
    # One configuration after the other in each process, apart from it: one that hangs costs itself.
    alone = {**variables, COMPILE_ONLY: "1", "NINETOOTHED_COMPILE_WORKERS": "1"}
    queue = steps(todo.tasks, todo.providers, todo.operations)
    with progress("compile", len(queue)) as shown:
        reasons = prepare(
            queue,
            arguments.jobs,
            lambda: Process(worker_command(todo.device), alone, arguments.timeout),
            shown,
        )
    for name, why in reasons.items():
        print(f"not compiled beforehand: {name}: {why}", flush=True)
    seconds["compile"] = round(time.monotonic() - start, 1)


def _check(todo: Plan, process: Process) -> int:
    cases: list[Case] = []
    remote = Remote(process, todo.operations, todo.providers)
    with progress("check", len(todo.tasks)) as shown:
        complete = run(todo.tasks, remote, shown, cases.append)
    results = [one for case in cases for one in case.measurements.values()]
    right = sum(one.failure is None for one in results)
    print(f"{right} of {len(results)} results agree with torch in float64, {len(cases)} cases")
    if wrong := failures(cases):
        print("\n".join(wrong))
    return STOPPED if not complete else WRONG if wrong else 0


def _measure(
    todo: Plan,
    arguments: argparse.Namespace,
    process: Process,
    here: Environment,
    before: Results | None,
    seconds: dict[str, float],
) -> int:
    start = time.monotonic()
    ceilings = decoded(Ceilings, process.ask(Request(CEILINGS)), "ceilings")
    seconds["ceilings"] = round(time.monotonic() - start, 1)
    record = Record(todo.tasks, here, ceilings, todo.left_out, seconds, arguments.json, before)
    remote = Remote(process, todo.operations, todo.providers, ceilings, arguments.repeats)
    with progress("measure", len(todo.tasks)) as shown:
        complete = run(todo.tasks, remote, shown, record.keep)
    record.write()
    print(summary(record.results()))
    if arguments.json is not None:
        print(f"written to {arguments.json}")
    wrong = any(case.failures() for case in record.cases)
    return STOPPED if not complete else WRONG if wrong else 0


def _interrupt(number: int, frame: object) -> None:
    """A run that is to end keeps what it measured, as with Ctrl-C."""
    raise KeyboardInterrupt


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, _interrupt)
    sys.exit(main())
