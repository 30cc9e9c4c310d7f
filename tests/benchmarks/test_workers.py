"""Worker processes: answers, deaths and time limits; compiling in many of them."""

from __future__ import annotations

import dataclasses
import os
import signal
import sys
import threading
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.cases import Task, tasks
from benchmarks.operation import OURS, TORCH, TRITON
from benchmarks.prepare import Step, forget_choices, prepare, steps
from benchmarks.session import Remote
from benchmarks.worker import CHECK, COMPILE, Request
from benchmarks.worker_pool import Process, RequestError, WorkerError
from tests.benchmarks.fake import CEILINGS, OPERATION, case
from tests.benchmarks.test_kernels import Shown

# A worker that does what the size of its task says; each answer counts up.
SCRIPT = """
import json, os, sys, time
print(json.dumps({"ready": True}), flush=True)
count = 0
for line in sys.stdin:
    request = json.loads(line)
    todo = request["task"]["size"]
    count += 1
    for provider in request["providers"]:
        if provider not in request["failed"]:
            print(json.dumps({"doing": provider, "what": "check"}), flush=True)
            if todo == provider:
                print("Fatal: cannot go on", file=sys.stderr, flush=True)
                os._exit(7)
    if todo == "hang":
        time.sleep(60)
    if todo == "fail":
        print(json.dumps({"failed": "no"}), flush=True)
    elif todo == "lose":
        print(json.dumps({"lost": "gone"}), flush=True)
        time.sleep(60)
    else:
        answer = CASE if request["action"] == "measure" else count
        print(json.dumps({"done": answer, "last": todo == "last"}), flush=True)
"""


@pytest.fixture
def process() -> Generator[Process]:
    with start() as one:
        yield one


def start(seconds: float = 30.0, answer: Any = None) -> Process:
    """The worker above."""
    return Process([sys.executable, "-c", SCRIPT.replace("CASE", repr(answer))], {}, seconds)


def request(size: str, *providers: str) -> Request:
    return Request(CHECK, Task("double", size, "fp32", "contiguous"), providers)


def test_requests_are_lines() -> None:
    one = Request(COMPILE, Task("a", "b", "c", "d"), ("x", "y"), {"x": "no"}, 3, CEILINGS)
    assert Request.from_json(one.to_json()) == one
    assert one.to_json().count("\n") == 1


def test_one_process_answers_many(process: Process) -> None:
    heard: list[str] = []
    assert process.ask(request("fine", "a", "b"), lambda name, what: heard.append(name)) == 1
    assert process.ask(request("fine")) == 2
    assert heard == ["a", "b"]


def test_a_failure_costs_the_request_only(process: Process) -> None:
    with pytest.raises(RequestError, match="no"):
        process.ask(request("fail"))
    assert process.ask(request("fine")) == 2


@pytest.mark.parametrize(
    ("size", "message"),
    [("a", r"the process died (exit code 7) | Fatal: cannot go on"), ("lose", "gone")],
)
def test_a_death_says_who_was_at_work(size: str, message: str, process: Process) -> None:
    with pytest.raises(WorkerError) as caught:
        process.ask(request(size, "a"))
    assert str(caught.value) == message
    assert caught.value.provider == "a"
    assert process.ask(request("fine")) == 1


def test_the_last_answer_of_a_process(process: Process) -> None:
    assert process.ask(request("last")) == 1
    assert process.ask(request("fine")) == 1


def test_time_limit() -> None:
    with start(0.5) as process:
        with pytest.raises(WorkerError, match=r"^it took over 0\.5 s$"):
            process.ask(request("hang"))
        assert process.ask(request("fine")) == 1


def test_a_process_is_stopped_from_another_thread(process: Process) -> None:
    threading.Timer(0.5, process.close).start()
    with pytest.raises(WorkerError, match="the process was stopped"):
        process.ask(request("hang"))
    with pytest.raises(WorkerError, match="the process was stopped"):
        process.ask(request("fine"))


def test_who_takes_the_process_down_is_left_out() -> None:
    answer = dataclasses.asdict(case(b=2.0))
    with start(answer=answer) as process:
        remote = Remote(process, {"double": OPERATION}, ("a", "b"), CEILINGS)
        found = remote(Task("double", "a", "fp32", "contiguous"), lambda provider, what: None)
    assert found == case(b=2.0)


def test_nobody_is_left(process: Process) -> None:
    small = dataclasses.replace(OPERATION, sizes={"a": (3, 4), "lose": (5, 6)})
    remote = Remote(process, {"double": small}, ("a", "b"))
    found = remote(Task("double", "lose", "fp32", "contiguous"), lambda provider, what: None)
    assert found.failures() == {"a": "gone", "b": "gone"}
    assert found.numbers == (5, 6)


def test_compiling_goes_on() -> None:
    def step(provider: str, *sizes: str) -> Step:
        return Step(provider, tuple(Task("double", size, "fp32", "contiguous") for size in sizes))

    queue = [step("a", "fine", "fail", "fine"), step("b", "b", "fine"), *[step("c", "fine")] * 4]
    failures = prepare(queue, 2, start, Shown())
    assert failures == {
        "double fail fp32 contiguous a": "no",
        "double b fp32 contiguous b": "the process died (exit code 7) | Fatal: cannot go on",
    }


def test_ctrl_c_ends_compiling() -> None:
    class Interrupting(Shown):
        def done(self, text: str) -> None:
            if " a, " in text:
                os.kill(os.getpid(), signal.SIGINT)

    short = Step("a", (Task("double", "fine", "fp32", "contiguous"),))
    hanging = Step("b", (Task("double", "hang", "fp32", "contiguous"),))
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        prepare([short, hanging], 2, start, Interrupting())
    assert time.monotonic() - begin < 20


def test_steps() -> None:
    todo = tasks([OPERATION], sizes=("small", "large"), layouts=("strided",))
    found = steps(todo, (OURS, TRITON, TORCH), {"double": OPERATION})
    assert [(one.provider, [task.size for task in one.tasks]) for one in found] == [
        (OURS, ["small", "large"]),
        (TRITON, ["small", "large"]),
    ]


def test_choices_are_forgotten(tmp_path: Path) -> None:
    kept, gone = ["artifacts/a", "inductor/fxgraph/b"], ["tuning/c", "inductor/cache/d"]
    for name in (*kept, *gone):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    forget_choices(tmp_path)
    left = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file())
    assert left == kept
    forget_choices(tmp_path / "none")
