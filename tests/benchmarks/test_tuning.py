"""The tuner's choices beside the best: what is recorded, and a run without a GPU."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch

from benchmarks import start, tables, tuning
from benchmarks.exhaustive import Found
from benchmarks.operations import operations
from benchmarks.records import of_kind, read
from benchmarks.subject import recorded
from benchmarks.timing import Times
from benchmarks.tuning import OPERATIONS, Run, Task, tasks
from ninetoothed.artifacts.configuration import Config
from ninetoothed.errors import ConfigurationError
from ninetoothed.runtime.tuning.search import Tune


class Chooser:
    """Two configurations; each mode chooses one, or fails."""

    configs = (Config((("BLOCK", 1),)), Config((("BLOCK", 2),)))

    def __init__(self, chosen: Mapping[Tune, int], log: list[str]) -> None:
        self.chosen, self.log = chosen, log

    def choose(self, mode: Tune) -> tuple[Config, float]:
        self.log.append(mode)
        if mode not in self.chosen:
            raise ConfigurationError("nothing can run")
        return self.configs[self.chosen[mode]], 0.5


class FakeSearch:
    """A search that finds the second configuration; the first takes 3 µs."""

    def __init__(self, wrong: Sequence[Config] = ()) -> None:
        self.wrong = wrong

    def run(self, subject: Any, wanted: Sequence[Config], most: int | None) -> Found:
        found = Found(tried=2, failures=Counter({"wrong": 1}), seconds={"time": 1.0})
        for config, us in zip(subject.configs, (3.0, 2.0), strict=True):
            if config not in self.wrong:
                found.rough[config] = us
                found.times[config] = Times.of([us])
        return found


def run(chosen: Mapping[Tune, int], wrong: Sequence[Config] = ()) -> tuple[Run, list[str]]:
    """A run whose log says which mode chose when, and when choices were forgotten."""
    log: list[str] = []
    search: Any = FakeSearch(wrong)
    modes: list[Tune] = ["off", "quick"]
    chooser: Any = Chooser(chosen, log)
    made = Run(search, lambda task: chooser, modes, None, lambda: log.append("forget"))
    return made, log


TASK = Task("double", "small", (3, 4))


def test_choices_are_made_apart_and_timed_together() -> None:
    made, log = run({"off": 0, "quick": 1})
    made.measure(TASK)
    assert log == ["forget", "off", "forget", "quick"]
    space, *choices, not_run = made.records
    assert (space["shape"], space["space"], space["rank"]) == ("3 × 4", 2, 2)
    assert space["time_seconds"] == 1.0
    assert [(one["by"], one["us"]) for one in choices] == [
        ("best", 2.0), ("off", 3.0), ("quick", 2.0),
    ]  # fmt: skip
    assert choices[0]["config"] == "BLOCK=2, num_warps=4, num_stages=3"
    assert (not_run["reason"], not_run["count"]) == ("wrong", 1)
    assert made.times == {
        "double small": {
            "BLOCK=1, num_warps=4, num_stages=3": 3.0,
            "BLOCK=2, num_warps=4, num_stages=3": 2.0,
        }
    }


def test_a_choice_that_fails() -> None:
    made, _ = run({"off": 0}, wrong=Chooser.configs[:1])
    made.measure(TASK)
    assert {one["by"]: one.get("reason") for one in of_kind(made.records, "choice")} == {
        "best": None,
        "quick": "nothing can run",
        "off": "its choice, BLOCK=1, num_warps=4, num_stages=3, could not be timed, or is wrong",
    }


def test_a_case_that_fails_is_told_of_and_the_rest_runs(capsys: pytest.CaptureFixture[str]) -> None:
    made, _ = run({"off": 0}, wrong=Chooser.configs)
    assert tuning.measured(made, [TASK], "cpu")
    assert made.records == []
    assert capsys.readouterr().out.endswith(
        "double small failed: ConfigurationError: no configuration of 2 could be timed: 1 × wrong\n"
    )


def test_cases() -> None:
    found = tasks(OPERATIONS, ("small", "large"))
    assert len(found) == 10
    assert found[1] == Task("matmul", "large", (4096, 4096, 4096))
    assert found[0].numbers == operations()["matmul"].sizes["small"]
    assert all(name in start.PROGRAMS for name in tuning.PROGRAMS)


@pytest.mark.parametrize("name", OPERATIONS)
def test_each_operation_calls_one_kernel(name: str) -> None:
    operation = operations()[name]
    inputs = operation.draw("small", "fp16", "contiguous", "cpu")
    found = recorded(operation.ours, inputs)
    outputs = [value for value in found.args if isinstance(value, torch.Tensor)]
    pointer = found.result.untyped_storage().data_ptr()
    assert pointer in {output.untyped_storage().data_ptr() for output in outputs}


def test_functions_of_several_kernels() -> None:
    operation = operations()["matmul"]
    inputs = operation.draw("small", "fp16", "contiguous", "cpu")

    def twice(input: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
        operation.ours(input, other)
        return operation.ours(input, other)

    with pytest.raises(ValueError, match="twice calls 2 kernels"):
        recorded(twice, inputs)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--ops", "add"), "there is no operation 'add'; operations are matmul, softmax, "),
        (("--sizes", "medium"), "there is no size 'medium'; sizes are small, large"),
        (("--most", "0"), "--most must be 1 or more"),
    ],
)
def test_wrong_arguments(
    arguments: Sequence[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        tuning.main(arguments)
    assert ended.value.code == 2
    assert f"python -m benchmarks.tuning: error: {message}" in capsys.readouterr().err


@pytest.mark.skipif(torch.cuda.is_available(), reason="says what happens without one")
def test_without_gpu(capsys: pytest.CaptureFixture[str]) -> None:
    assert tuning.main([]) == 1
    text = "no GPU found: configurations are timed on one; nothing was\n"
    assert capsys.readouterr().err == text


@pytest.mark.slow
@pytest.mark.skipif(torch.cuda.is_available(), reason="makes the times up without one")
def test_smoke(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("triton")
    path, every = tmp_path / "tuning.jsonl", tmp_path / "times.json"
    arguments = ["--smoke", "--ops", "matmul", "--json", str(path), "--times", str(every)]
    assert tuning.main(arguments) == 0
    found = read(path)
    (one,) = of_kind(found, "space")
    assert (one["operation"], one["size"]) == ("matmul", "small")
    assert one["timed"] == one["tried"] <= one["space"]
    assert [choice["by"] for choice in of_kind(found, "choice")] == ["best", "off", "quick"]
    assert len(json.loads(every.read_text(encoding="utf-8"))["matmul small"]) == one["timed"]
    assert tables.tunings(found) in capsys.readouterr().out


@pytest.mark.gpu
@pytest.mark.slow
def test_choices_on_a_gpu(tmp_path: Path) -> None:
    path = tmp_path / "tuning.jsonl"
    assert tuning.main(["--smoke", "--full", "--ops", "softmax", "--json", str(path)]) == 0
    found = read(path)
    assert of_kind(found, "space")[0]["timed"] > 0
    us = {one["by"]: one["us"] for one in of_kind(found, "choice")}
    assert us.keys() == {"best", "off", "quick", "full"}
    assert us["best"] == min(us.values())
