"""Processes that measure: answers, deaths and time limits; compiling in many of them."""

from __future__ import annotations

import dataclasses
import sys
import threading
from collections.abc import Callable, Generator, Sequence
from pathlib import Path

import pytest

from benchmarks.cases import FROM_LARGE_TO_SMALL, tasks
from benchmarks.kernels import Plan, compile_all, forget_choices, measured
from benchmarks.operation import AUTOTUNED, COMPILED, OURS, SIZES, TORCH, TRITON
from benchmarks.operations import operations
from benchmarks.processes import ProcessError, Processes
from benchmarks.records import Record
from tests.benchmarks.fake import OPERATION

# A worker that does what the size of its case says.
SCRIPT = """
import json, os, sys, time
def say(**message):
    print(json.dumps(message), flush=True)
for line in sys.stdin:
    request = json.loads(line)
    todo = request["size"]
    say(begin="check")
    for provider in request["providers"]:
        if provider in request.get("failed", {}):
            continue
        say(provider=provider, doing="check")
        if todo == provider:
            print("Fatal: cannot go on", file=sys.stderr, flush=True)
            os._exit(7)
        if todo == "quit":
            os._exit(0)
        if todo == "fail":
            say(record={"provider": provider, "failure": "no"})
    say(provider="", doing="GPU time")
    if todo == "hang":
        time.sleep(60)
    if todo == "all":
        sys.exit("gone")
    if request.get("action") != "compile":
        say(record={"size": todo, "failed": request.get("failed", {})})
    say(end="check")
    if todo == "last":
        sys.exit()
"""


def processes(script: str = SCRIPT) -> Processes:
    """The worker above."""
    return Processes([sys.executable, "-c", script], {})


def ask(requests: Sequence[Record]) -> Generator[Record]:
    return processes().messages(requests, 30.0)


def request(size: str, *providers: str) -> Record:
    fields = {"operation": "double", "size": size, "dtype": "fp32", "layout": "contiguous"}
    return {**fields, "shape": "3 × 4", "providers": providers}


def found(*sizes: str) -> list[list[Record]]:
    """The records of cases of these sizes, of the providers a and b."""
    return [records for _, records in measured([request(size, "a", "b") for size in sizes], ask)]


def fine(size: str, **failed: str) -> list[Record]:
    return [{"size": size, "failed": failed}]


DIED = "the process died (exit code 7) | Fatal: cannot go on"


def test_one_process_answers_many() -> None:
    assert found("fine", "good") == [fine("fine"), fine("good")]


def test_who_takes_the_process_down_is_left_out() -> None:
    assert found("fine", "b", "good") == [fine("fine"), fine("b", b=DIED), fine("good")]


def test_who_ends_the_process_is_left_out() -> None:
    why = "the process ended without an answer"
    assert found("quit") == [fine("quit", a=why, b=why)]


def test_where_nobody_was_at_work_all_have_failed() -> None:
    gone, good = found("all", "good")
    assert [(one["provider"], one["failure"]) for one in gone] == [
        (name, "the process died (exit code 1) | gone") for name in "ab"
    ]
    assert gone[0]["shape"] == "3 × 4"
    assert good == fine("good")


def test_a_process_may_end_after_an_answer() -> None:
    assert found("last", "fine") == [fine("last"), fine("fine")]


def test_time_limit() -> None:
    def briefly(requests: Sequence[Record]) -> Generator[Record]:
        return processes().messages(requests, 2.0)

    (_, (record,)), (_, fine_) = measured([request("hang", "a"), request("fine", "a")], briefly)
    assert (record["provider"], record["failure"]) == ("a", "it took over 2 s")
    assert fine_ == fine("fine")


def test_a_process_that_does_not_begin_ends_the_run() -> None:
    def broken(requests: Sequence[Record]) -> Generator[Record]:
        return processes("import nothing_like_this").messages(requests, 30.0)

    with pytest.raises(ProcessError, match="No module named 'nothing_like_this'"):
        list(measured([request("fine", "a")], broken))


def test_processes_are_stopped_from_another_thread() -> None:
    some = processes()
    messages = some.messages([request("hang", "a")], 60.0)
    assert [next(messages)["begin"], next(messages)["provider"]] == ["check", "a"]
    threading.Thread(target=some.stop).start()
    with pytest.raises(ProcessError, match=r"the process died \(signal 9\)"):
        list(messages)
    with pytest.raises(ProcessError, match="the process was stopped"):
        list(some.messages([request("fine", "a")], 60.0))


def plan(*sizes: str) -> Plan:
    cases = [request(size) for size in sizes]
    return Plan({"double": OPERATION}, cases, (OURS, TRITON, TORCH, COMPILED), {}, "cpu")


def test_compiling_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    compile_all(plan("fine", TRITON, "fail"), 2, processes(), 30.0)
    lines = capsys.readouterr().out.splitlines()
    case = "double {} fp32 contiguous {}".format
    assert sorted(line for line in lines if line.startswith("not")) == sorted(
        [f"not compiled beforehand: {case('fail', name)}: no" for name in (OURS, TRITON, COMPILED)]
        + [f"not compiled beforehand: {case(TRITON, TRITON)}: {DIED}"]
    )
    done = [line.partition(": ")[2] for line in lines if line.startswith("compile ")]
    assert sorted(done) == [f"double {name}" for name in sorted((OURS, TRITON, COMPILED))]


@pytest.mark.parametrize("is_autotuned", [False, True])
def test_what_is_not_autotuned_is_not_compiled_for_it(
    is_autotuned: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    operation = dataclasses.replace(OPERATION, is_autotuned=is_autotuned)
    todo = Plan({"double": operation}, [request("fine")], (TORCH, AUTOTUNED), {}, "cpu")
    compile_all(todo, 1, processes(), 30.0)
    lines = [line.partition(": ")[2] for line in capsys.readouterr().out.splitlines()]
    assert lines == [f"double {AUTOTUNED}"] * is_autotuned


def test_ctrl_c_ends_compiling(monkeypatch: pytest.MonkeyPatch) -> None:
    some = processes()
    messages: Callable[..., Generator[Record]] = some.messages

    def interrupted(requests: Sequence[Record], seconds: float) -> Generator[Record]:
        for message in messages(requests, seconds):
            if message.get("doing") == "GPU time":
                raise KeyboardInterrupt
            yield message

    monkeypatch.setattr(some, "messages", interrupted)
    with pytest.raises(KeyboardInterrupt):
        compile_all(plan("hang"), 3, some, 60.0)
    with pytest.raises(ProcessError, match="the process was stopped"):
        list(messages([request("fine")], 60.0))


def test_cases_go_from_large_to_small() -> None:
    some = tasks([OPERATION], ("small", "large", "ragged"), layouts=("strided",))
    assert [case["size"] for case in some] == ["large", "ragged", "small"]
    assert sorted(FROM_LARGE_TO_SMALL) == sorted(SIZES)


def test_series_are_measured_once() -> None:
    numbers = OPERATION.sizes["small"]
    operation = dataclasses.replace(
        OPERATION, dtypes=("bf16", "fp16"), sizes={**OPERATION.sizes, "layer_1x1": numbers}
    )
    cases = tasks([operation])
    assert len(cases) == 4 * 2 * 2 + 1
    [case] = (case for case in cases if case["size"] == "layer_1x1")
    assert (case["dtype"], case["layout"]) == ("bf16", "contiguous")
    assert tasks([operation], ["layer_1x1"], layouts=["strided"]) == []


def test_all_operations_have_the_usual_sizes_and_known_ones() -> None:
    for operation in operations().values():
        assert {"small", "medium", "large", "ragged"} <= operation.sizes.keys() <= {*SIZES}


def test_choices_are_forgotten(tmp_path: Path) -> None:
    kept, gone = ["artifacts/a", "inductor/fxgraph/b"], ["tuning/c", "inductor/cache/d"]
    for name in (*kept, *gone):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    forget_choices(tmp_path)
    left = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file())
    assert left == kept
    forget_choices(tmp_path / "none")
