"""The benchmark of choices: what is timed beside what, and a run without a GPU."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import choices
from benchmarks.operations import operations
from benchmarks.records import Record, of_kind, read
from benchmarks.tuning import MadeUp
from ninetoothed.artifacts.target import Target

CASE: Record = {"kind": "choice", "operation": "matmul", "size": "large"}


def test_a_line_a_configuration() -> None:
    found: list[Record] = [
        {**CASE, "config": "BLOCK=1", "value": "", "us": 4.0},
        {**CASE, "config": "BLOCK=1", "value": "loop_stages=2", "us": 2.0},
        {**CASE, "config": "BLOCK=1", "value": "without reciprocals", "us": 5.0},
        {**CASE, "config": "BLOCK=2", "value": "", "us": 8.0},
        {**CASE, "config": "BLOCK=2", "value": "loop_stages=2", "reason": "no memory"},
        {**CASE, "config": "BLOCK=3", "value": "", "reason": "no memory"},
    ]
    head, _, *lines = (
        [cell.strip() for cell in line.split("|")[3:-1]]
        for line in choices.table(found).splitlines()
    )
    assert head == ["configuration", "µs", "loop_stages=2", "without reciprocals"]
    assert lines == [
        ["BLOCK=1", "4.00", "0.50", "1.25"],
        ["BLOCK=2", "8.00", "–", "–"],
        ["BLOCK=3", "–", "–", "–"],
    ]


def test_smoke(tmp_path: Path) -> None:
    pytest.importorskip("triton")
    path = tmp_path / "choices.jsonl"
    options = ["--smoke", "--ops", "softmax", "--without", "reciprocals", "--json", str(path)]
    assert choices.main(options) == 0
    found = of_kind(read(path), "choice")
    assert [one["value"] for one in found] == [
        "",
        *(f"coarsened_programs={factor}" for factor in (2, 4, 8, 16)),
        "without reciprocals",
    ]
    assert all(one["us"] > 0 for one in found)


def test_choices_without_an_optimization(tmp_path: Path) -> None:
    pytest.importorskip("triton")
    path = tmp_path / "choices.jsonl"
    options = ["--smoke", "--only", "descriptors", "--without", "host_descriptors"]
    assert choices.main([*options, "--json", str(path)]) == 0
    assert [one["value"] for one in of_kind(read(path), "choice")] == [
        *("", "descriptors=1", "descriptors=2", "without host_descriptors"),
        *("descriptors=1 without host_descriptors", "descriptors=2 without host_descriptors"),
    ]


def test_packed_operands() -> None:
    """Of sizes that are small and odd, which no case has."""
    pytest.importorskip("triton")
    operation = operations()["matmul"]
    odd = replace(operation, sizes={"small": (61, 67, 131)})
    case = choices.Case(odd, "small", ("packed_operands",))
    found = list(choices.measured(case, 1, (), MadeUp(), Target.parse("sm_90")))
    assert [one["value"] for one in found] == ["", "packed_operands=1"]
    assert all(one["us"] > 0 for one in found)


@pytest.mark.parametrize("option", ["--ops", "--sizes", "--only", "--without"])
def test_unknown_names(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        choices.main([option, "fast"])
    assert "there is no" in capsys.readouterr().err
