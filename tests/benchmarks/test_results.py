"""Results of a run: their file, what is computed from them, and how two are put together."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from benchmarks.results import (
    Ceilings,
    Results,
    ResultsError,
    geometric_mean,
    merge,
    read,
    write,
)
from tests.benchmarks.fake import case, environment, results


def test_round_trip(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "results.json"
    written = results([case(ninetoothed=2.0, torch=-1), case("large", ninetoothed=8.0)])
    write(path, written)
    assert read(path) == written
    assert [one.name for one in path.parent.iterdir()] == ["results.json"]


def test_whole_numbers_are_times_too() -> None:
    text = results([case(ninetoothed=2.0)]).to_json().replace('"median": 2.0', '"median": 2')
    assert Results.from_json(text).cases[0].gpu_us("ninetoothed") == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "this is no JSON: "),
        ("[]", "results is no dict, but []"),
        ("{}", "results has too few fields or too many: cases, "),
    ],
)
def test_no_results(text: str, message: str) -> None:
    with pytest.raises(ResultsError) as caught:
        Results.from_json(text)
    assert str(caught.value).startswith(message)


def test_wrong_field() -> None:
    fields = json.loads(results([case(ninetoothed=2.0)]).to_json())
    fields["cases"][0]["bytes"] = "many"
    with pytest.raises(ResultsError, match=r"^results\.cases\[0\]\.bytes is no int, but 'many'$"):
        Results.from_json(json.dumps(fields))


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match=r"none\.json holds no results: .*No such file"):
        read(tmp_path / "none.json")


def test_ratios() -> None:
    one = case(ninetoothed=2.0, triton=4.0, torch=-1)
    assert one.ratio("ninetoothed", "triton") == 0.5
    assert one.ratio("ninetoothed", "torch") is None
    assert one.ratio("ninetoothed", "liger") is None
    assert one.floor_ratio("triton") == 4.0
    assert one.best() == "ninetoothed"
    assert one.best(["triton", "torch"]) == "triton"
    assert one.best(["torch"]) is None
    assert one.failures() == {"torch": "wrong"}


def test_geometric_mean() -> None:
    assert geometric_mean([]) is None
    assert geometric_mean([1.0, 100.0]) == pytest.approx(10.0)


def test_floor() -> None:
    ceilings = Ceilings(bandwidth=1e12, peaks={"fp16": 1e15})
    assert ceilings.floor_us(1_000_000, 0, "fp16") == pytest.approx(1.0)
    assert ceilings.floor_us(1_000_000, 10**10, "fp16") == pytest.approx(10.0)
    assert ceilings.floor_us(1_000_000, 10**10, "fp8") is None
    assert ceilings.floor_us(1_000_000, 0, "fp8") == pytest.approx(1.0)


def test_merge_adds_and_replaces() -> None:
    old = results([case(ninetoothed=2.0, torch=4.0), case("large", ninetoothed=9.0)])
    new = results([case(ninetoothed=3.0), case("ragged", ninetoothed=5.0)])
    merged = merge(old, new)
    assert [one.size for one in merged.cases] == ["small", "large", "ragged"]
    assert merged.cases[0].gpu_us("ninetoothed") == 3.0
    assert merged.cases[0].gpu_us("torch") == 4.0


def test_merge_of_other_sizes_keeps_nothing_of_the_old() -> None:
    old = dataclasses.replace(case(ninetoothed=2.0, torch=4.0), numbers=(30, 40))
    merged = merge(results([old]), results([case(ninetoothed=3.0)]))
    assert merged.cases[0].gpu_us("torch") is None


def test_merge_takes_floors_of_the_higher_ceilings() -> None:
    slow = Ceilings(bandwidth=5e11, peaks={"fp8": 2e15})
    merged = merge(results([case(ninetoothed=3.0)]), results([], ceilings=slow))
    assert merged.ceilings == Ceilings(bandwidth=1e12, peaks={"fp16": 1e15, "fp8": 2e15})
    assert merged.cases[0].floor_us == pytest.approx(1.0)


def test_a_peak_is_at_least_what_was_reached() -> None:
    products = dataclasses.replace(case(ninetoothed=4.0, torch=8.0), operations=8_000_000_000)
    reached = results([products, case("large", ninetoothed=0.5)]).with_reached_peaks()
    # 8e9 operations in 4 µs are more than CEILINGS has; a copy in the L2 is no bandwidth.
    assert reached.ceilings == Ceilings(bandwidth=1e12, peaks={"fp16": 2e15})
    assert [one.floor_us for one in reached.cases] == pytest.approx([4.0, 1.0])


def test_merge_names_all_commits() -> None:
    merged = results([])
    for commit, dirty in (("def", None), ("abc", True), (None, False)):
        merged = merge(merged, results([], environment=environment(commit=commit, dirty=dirty)))
    assert merged.environment.commit == "abc, def"
    assert merged.environment.dirty


def test_merge_completes() -> None:
    rest = case("large", ninetoothed=9.0)
    old = results([case(ninetoothed=2.0)], complete=False, missing=(rest.label, "a b c d"))
    half = merge(old, results([rest]))
    assert (half.complete, half.missing) == (False, ("a b c d",))
    whole = merge(dataclasses.replace(old, missing=(rest.label,)), results([rest]))
    assert (whole.complete, whole.missing) == (True, ())


def test_merge_of_another_machine() -> None:
    new = results([], environment=environment(device="another", commit="def", date="later"))
    with pytest.raises(ResultsError) as caught:
        merge(results([]), new)
    assert str(caught.value) == (
        "results of different platforms cannot be merged (device a GPU and another); "
        "write to another file"
    )
