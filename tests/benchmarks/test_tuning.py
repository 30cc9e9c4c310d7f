"""The tuner's choices beside the best: the tables letter for letter, and a run without a GPU."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch

from benchmarks import host_results, start, tables, tuning
from benchmarks.exhaustive import Found
from benchmarks.host_results import Choice, Start, TuningCase, Tunings
from benchmarks.operation import Call
from benchmarks.operations import operations
from benchmarks.results import Times
from benchmarks.subject import recorded
from benchmarks.tuning import OPERATIONS, Run, Task, tasks
from ninetoothed.artifact import Artifact, Binary, Config
from ninetoothed.errors import ConfigurationError
from ninetoothed.runtime.tuning.search import Tune
from tests.benchmarks.fake import environment

TABLE = """\
| case             | numbers | best, µs | off, µs | / best | quick, µs | / best | \
model's place of the best | space | tried | timed | seconds |
| :--------------- | :------ | -------: | ------: | -----: | --------: | -----: | \
------------------------: | ----: | ----: | ----: | ------: |
| double small     | 3 × 4   |     2.00 |    3.00 |   1.50 |      2.00 |   1.00 | \
                        2 | 1,200 | 1,000 |   900 |    13.5 |
| double large     | 30 × 40 |     20.0 |    30.0 |   1.50 |         – |      – | \
                       17 | 1,200 | 1,200 | 1,200 |    13.5 |
| *geometric mean* |         |          |         |   1.50 |           |   1.00 | \
                          |       |       |       |         |"""
CHOICES = """\
| case         | by    | configuration | seconds |
| :----------- | :---- | :------------ | ------: |
| double small | best  | BLOCK=1       |       – |
| double small | off   | BLOCK=2       |    0.25 |
| double small | quick | BLOCK=1       |    4.50 |
| double large | best  | BLOCK=1       |       – |
| double large | off   | BLOCK=2       |    0.25 |"""
FAILURES = [
    "- double small: 98 × out of resources",
    "- double small: 2 × wrong",
    "- double large, quick: nothing can run",
]


def times(value: float) -> Times:
    """One sample."""
    return Times(value, value, value, 1)


def case(size: str, us: float, failures: Mapping[str, int], quick: bool) -> TuningCase:
    """The model's choice takes half as much again as the best; the quick one is the best."""
    choices = {"off": Choice("BLOCK=2", times(1.5 * us), 0.25)}
    if quick:
        choices["quick"] = Choice("BLOCK=1", times(us), 4.5)
    return TuningCase(
        operation="double",
        size=size,
        numbers=(3, 4) if quick else (30, 40),
        dtype="fp16",
        space=1200,
        tried=1000 if failures else 1200,
        timed=900 if failures else 1200,
        failures=failures,
        best=Choice("BLOCK=1", times(us)),
        rank=2 if quick else 17,
        choices=choices,
        not_chosen={} if quick else {"quick": "nothing can run"},
        seconds={"compile": 12.0, "time": 1.5},
    )


def tunings() -> Tunings:
    """Two cases, and a fresh process."""
    first = Start("ninetoothed", "matmul-tuned-4096", "cold", 24, times(7.5), times(0.5))
    cases = (
        case("small", 2.0, {"wrong": 2, "out of resources": 98}, True),
        case("large", 20.0, {}, False),
    )
    return Tunings(environment(), 1000, cases, (first,))


def test_tables() -> None:
    assert tables.tunings(tunings()) == TABLE
    assert tables.tuning_choices(tunings()) == CHOICES
    assert tables.tuning_failures(tunings()) == FAILURES


def test_report_has_the_choices() -> None:
    texts = tables.host({"tuning": tunings()})
    assert texts[0] == "What the tuner's modes choose, beside the best of the space, a GPU:"
    assert texts[1] == TABLE
    assert texts[3] == tables.starts(tunings().starts)
    assert texts[4:] == [CHOICES, "\n".join(FAILURES)]
    assert tables.host({"tuning": tunings()}, short=True) == texts[:4]


def test_file() -> None:
    assert host_results.from_json(host_results.to_json(tunings())) == tunings()


def test_a_file_without_younger_fields() -> None:
    fields = json.loads(host_results.to_json(tunings()))
    del fields["starts"][0]["uncompiled"], fields["starts"][0]["parts"]
    assert host_results.from_json(json.dumps(fields)) == tunings()


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

    def artifact(self, config: Config) -> Artifact:
        raise NotImplementedError

    def call(self, artifact: Artifact, binary: Binary) -> Call:
        raise NotImplementedError

    def check(self, call: Call) -> None:
        raise NotImplementedError


class FakeSearch:
    """A search that finds the second configuration; the first takes 3 µs."""

    def __init__(self, wrong: Sequence[Config] = ()) -> None:
        self.wrong = wrong

    def run(self, subject: Any, wanted: Sequence[Config], most: int | None, shown: Any) -> Found:
        found = Found(tried=2, failures=Counter({"wrong": 1}))
        for config, us in zip(subject.configs, (3.0, 2.0), strict=True):
            if config not in self.wrong:
                found.rough[config] = us
                found.times[config] = times(us)
        return found


class Silent:
    """Progress that keeps what stays."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def doing(self, text: str) -> None:
        """Nothing."""

    def done(self, text: str) -> None:
        """Nothing."""

    def note(self, text: str) -> None:
        self.notes.append(text)


def run(chosen: Mapping[Tune, int], wrong: Sequence[Config] = ()) -> tuple[Run, list[str]]:
    """A run whose log says which mode chose when, and when choices were forgotten."""
    log: list[str] = []
    search: Any = FakeSearch(wrong)
    modes: list[Tune] = ["off", "quick"]
    made = Run(search, lambda task: Chooser(chosen, log), modes, None, lambda: log.append("forget"))
    return made, log


TASK = Task("double", "small", (3, 4))


def test_choices_are_made_apart_and_timed_together() -> None:
    made, log = run({"off": 0, "quick": 1})
    made.measure(TASK, Silent())
    assert log == ["forget", "off", "forget", "quick"]
    (found,) = made.cases
    assert (found.best.config, found.rank) == ("BLOCK=2, num_warps=4, num_stages=3", 2)
    assert (found.ratio("off"), found.ratio("quick"), found.ratio("full")) == (1.5, 1.0, None)
    assert made.times == {
        "double small": {
            "BLOCK=1, num_warps=4, num_stages=3": 3.0,
            "BLOCK=2, num_warps=4, num_stages=3": 2.0,
        }
    }


def test_a_choice_that_fails() -> None:
    made, _ = run({"off": 0}, wrong=Chooser.configs[:1])
    made.measure(TASK, Silent())
    (found,) = made.cases
    assert found.choices == {}
    assert found.not_chosen == {
        "quick": "nothing can run",
        "off": "its choice, BLOCK=1, num_warps=4, num_stages=3, could not be timed, or is wrong",
    }


def test_a_case_that_fails_is_told_of_and_the_rest_runs() -> None:
    made, _ = run({"off": 0}, wrong=Chooser.configs)
    shown = Silent()
    assert tuning.measured(made, [TASK], "cpu", shown)
    assert made.cases == []
    assert shown.notes == [
        "double small failed: ConfigurationError: no configuration of 2 could be timed: 1 × wrong"
    ]


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
    path, every = tmp_path / "tuning.json", tmp_path / "times.json"
    arguments = ["--smoke", "--ops", "matmul", "--json", str(path), "--times", str(every)]
    assert tuning.main(arguments) == 0
    found = host_results.from_json(path.read_text(encoding="utf-8"))
    assert isinstance(found, Tunings)
    (one,) = found.cases
    assert (one.operation, one.size, one.failures) == ("matmul", "small", {})
    assert one.tried <= one.space
    assert one.timed == one.tried
    assert one.choices.keys() == {"off", "quick"}
    assert len(json.loads(every.read_text(encoding="utf-8"))["matmul small"]) == one.timed
    assert tables.tunings(found) in capsys.readouterr().out


@pytest.mark.gpu
@pytest.mark.slow
def test_choices_on_a_gpu(tmp_path: Path) -> None:
    path = tmp_path / "tuning.json"
    assert tuning.main(["--smoke", "--full", "--ops", "softmax", "--json", str(path)]) == 0
    found = host_results.from_json(path.read_text(encoding="utf-8"))
    assert isinstance(found, Tunings)
    (one,) = found.cases
    assert one.timed > 0
    assert one.not_chosen == {}
    assert [(ratio := one.ratio(mode)) is not None and ratio >= 1 for mode in one.choices] == [
        True, True, True,
    ]  # fmt: skip
