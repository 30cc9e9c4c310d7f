"""Records and their file, what is computed from them, and how runs are merged."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.records import (
    ResultsError,
    append,
    check_platform,
    environment_of,
    geometric_mean,
    read,
    write,
)
from benchmarks.results import Results, floor_us, providers
from tests.benchmarks.fake import CEILINGS, case, environment, run


def test_round_trip(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "results.jsonl"
    records = run(case(ninetoothed=2.0, torch=-1), case("large", ninetoothed=8.0))
    write(path, records)
    assert read(path) == records
    assert path.read_text(encoding="utf-8").count("\n") == len(records)
    append(path, {"kind": "planned", "case": "µ\u2028"})
    assert read(path)[-1]["case"] == "µ\u2028"
    write(path, records[:1])
    assert read(path) == records[:1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "Expecting property name"),
        ("[]\n", "its first line describes no environment"),
        ("", "its first line describes no environment"),
        ('{"kind": "kernel"}\n', "its first line describes no environment"),
    ],
)
def test_no_results(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    with pytest.raises(ResultsError, match=r"results\.jsonl holds no results: .*No such file"):
        read(path)
    path.write_text(text)
    with pytest.raises(ResultsError, match=rf"results\.jsonl holds no results: {message}"):
        read(path)


def test_ratios() -> None:
    (one,) = Results.of(run(case(ninetoothed=2.0, triton=4.0, torch=-1))).cases
    assert one.ratio("ninetoothed", "triton") == 0.5
    assert one.ratio("ninetoothed", "torch") is None
    assert one.ratio("ninetoothed", "liger") is None
    assert one.floor_share == 0.5
    assert (one.best(), one.fastest_other, one.speed) == ("ninetoothed", "triton", 2.0)
    assert one.best(["torch"]) is None
    assert one.failures() == {"torch": "wrong"}
    assert providers([one]) == ["ninetoothed", "triton"]


def test_geometric_mean() -> None:
    assert geometric_mean([]) is None
    assert geometric_mean([1.0, 100.0]) == pytest.approx(10.0)


def test_floor() -> None:
    ceilings = {"bytes": 1e12, "fp16": 1e15}

    def floor(operations: int, unit: str) -> float | None:
        return floor_us({"bytes": 1_000_000, "operations": operations, "unit": unit}, ceilings)

    assert floor(0, "fp16") == pytest.approx(1.0)
    assert floor(10**10, "fp16") == pytest.approx(10.0)
    assert floor(10**10, "fp8") is None
    assert floor(0, "fp8") == pytest.approx(1.0)
    assert floor_us({}, ceilings) is None


def test_a_later_run_adds_and_replaces() -> None:
    old = run(case(ninetoothed=2.0, torch=4.0), case("large", ninetoothed=9.0))
    new = run(case(ninetoothed=3.0), case("ragged", ninetoothed=5.0))
    merged = Results.of([*old, *new])
    assert [one.fields["size"] for one in merged.cases] == ["small", "large", "ragged"]
    assert merged.cases[0].gpu_us("ninetoothed") == 3.0
    assert merged.cases[0].gpu_us("torch") == 4.0


def test_other_sizes_keep_nothing_of_the_old() -> None:
    old = run(case(ninetoothed=2.0, torch=4.0, shape="30 × 40"))
    (merged,) = Results.of([*old, *run(case(ninetoothed=3.0))]).cases
    assert list(merged.measurements) == ["ninetoothed"]


def test_floors_are_of_the_highest_ceilings() -> None:
    records = run(case(ninetoothed=3.0))
    records += [{"kind": "ceiling", "unit": "bytes", "per_second": 5e11}]
    assert Results.of(records).ceilings == {"bytes": 1e12, "fp16": 1e15}
    assert Results.of(records).cases[0].floor_us == pytest.approx(1.0)


def test_a_peak_is_at_least_what_was_reached() -> None:
    products = [one | {"operations": 8_000_000_000} for one in case(ninetoothed=4.0, torch=8.0)]
    reached = Results.of(run(products, case("large", ninetoothed=0.5)))
    # 8e9 operations in 4 µs are more than CEILINGS has; a copy in the L2 is no bandwidth.
    assert reached.ceilings == {"bytes": CEILINGS[0]["per_second"], "fp16": 2e15}
    assert [one.floor_us for one in reached.cases] == pytest.approx([4.0, 1.0])


def test_all_commits_are_named() -> None:
    runs = [environment(commit=commit) for commit in ("def", "abc, def", None)]
    assert environment_of(runs)["commit"] == "def, abc"
    assert environment_of([environment(dirty=True), environment(dirty=None)])["dirty"]


def test_what_a_run_was_stopped_before_is_missing_until_it_is_measured() -> None:
    planned = [
        {"kind": "planned", "case": f"double {size} fp32 contiguous"} for size in ("small", "large")
    ]
    stopped = [*run(case(ninetoothed=2.0)), *planned]
    assert Results.of(stopped).missing == ["double large fp32 contiguous"]
    assert Results.of([*stopped, *run(case("large", ninetoothed=9.0))]).missing == []


def test_results_of_another_machine() -> None:
    check_platform(environment(), environment(commit="def", date="later", benchmark="launch"))
    with pytest.raises(ResultsError) as caught:
        check_platform(environment(), environment(device="another"))
    assert str(caught.value) == (
        "results of different platforms cannot be merged (device a GPU and another); "
        "write to another file"
    )
