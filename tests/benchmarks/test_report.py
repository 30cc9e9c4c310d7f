"""The report: its tables letter for letter, its plots, and the README's block."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import host_results, report, tables
from benchmarks.host_results import (
    CompileTime,
    CompileTimes,
    LaunchCase,
    Launches,
    Start,
    Starts,
)
from benchmarks.results import Results, ResultsError, Times, write
from tests.benchmarks.fake import case, environment, results
from tests.support.imports import ROOT

NAME = "2026-01-31-gpu"
DOUBLE = """\
| size          | type | layout     | ninetoothed |    triton |  torch | speed | floor |
| :------------ | :--- | :--------- | ----------: | --------: | -----: | ----: | ----: |
| small (3 × 4) | fp32 | contiguous |        2.00 |  **1.00** |   4.00 |  0.50 |  50 % |
| large (3 × 4) | fp32 | contiguous |   **1,250** | **1,250** | failed |  1.00 |   0 % |"""
OPERATIONS = """\
| operation                | triton | torch | fastest other | floor | cases |
| :----------------------- | -----: | ----: | ------------: | ----: | ----: |
| double                   |   0.71 |  2.00 |          0.71 |   2 % |     2 |
| halve                    |      – |  2.00 |          2.00 |  10 % |     1 |
| *all of 20 µs and more*  |   1.00 |     – |          1.00 |   0 % |     1 |
| *all of less than 20 µs* |   0.50 |  2.00 |          1.00 |  22 % |     2 |
| *all*                    |   0.71 |  2.00 |          1.00 |   3 % |     3 |"""
OVERALL = """\
| against | speed, geometric mean | cases | at most 1.05 × its time |
| :------ | --------------------: | ----: | ----------------------: |
| triton  |                  0.71 |     2 |                    50 % |
| torch   |                  2.00 |     2 |                   100 % |"""
BLOCK = f"""\
Measured on a GPU, 2026-01-31, with torch 2.11.0, CUDA 13.0, driver 1.2, Python 3.12.3: 2 \
operations in 3 cases ([all figures](results/2026-01-31-gpu.md)). *speed* is their GPU time over \
ours: above 1, ours is faster. The *floor* is the least time that bytes and operations need at the \
measured peaks.

{OVERALL}

![Speed relative to each provider; to the right of 1×, ours is \
faster](results/2026-01-31-gpu-speed.svg)

![Fraction of the physical floor, by operation and size](results/2026-01-31-gpu-floor.svg)"""
LAUNCH = """\
| µs of the host                  | tensors | ninetoothed | torch |
| :------------------------------ | ------: | ----------: | ----: |
| add                             |       3 |        12.3 |     – |
| sum of seven (torch: six calls) |       8 |        20.0 |  9.00 |"""
START = """\
| seconds to the first result (to the kernel) | caches | ninetoothed |      triton |
| :------------------------------------------ | :----- | ----------: | ----------: |
| add-fixed                                   | cold   | 1.50 (0.25) | 0.75 (0.25) |
| add-fixed                                   | warm   | 0.50 (0.25) |           – |"""
COMPILE = """\
| ms         | frontend | passes | emit | ours | ttir | cubin |
| :--------- | -------: | -----: | ---: | ---: | ---: | ----: |
| add_kernel |     1.00 |   5.00 | 2.00 | 8.00 | 3.00 |  40.0 |"""
SLOWER = """\
| operation | size          | type | layout     | fastest | ours, µs | its, µs | ours / its |
| :-------- | :------------ | :--- | :--------- | :------ | -------: | ------: | ---------: |
| double    | small (3 × 4) | fp32 | contiguous | triton  |     2.00 |    1.00 |       2.00 |"""


def times(value: float) -> Times:
    """One sample."""
    return Times(value, value, value, 1)


def run() -> Results:
    """Two operations; torch fails in one case, Triton has one operation only."""
    return results(
        [
            case("large", ninetoothed=1250.0, triton=1250.0, torch=-1),
            case("small", ninetoothed=2.0, triton=1.0, torch=4.0),
            case("small", operation="halve", ninetoothed=10.0, torch=20.0),
        ]
    )


def launches() -> Launches:
    """Two cases."""
    return Launches(
        environment(),
        100,
        20,
        (
            LaunchCase("add", 3, {"ninetoothed": times(12.345)}, ""),
            LaunchCase(
                "sum of seven",
                8,
                {"ninetoothed": times(20.0), "torch": times(9.0)},
                "torch: six calls",
            ),
        ),
    )


def starts() -> Starts:
    """Ours cold and warm, Triton's cold."""
    found = [("ninetoothed", "cold", 1.5), ("triton", "cold", 0.75), ("ninetoothed", "warm", 0.5)]
    cases = tuple(
        Start(provider, "add-fixed", cache, 1, times(seconds), times(0.25))
        for provider, cache, seconds in found
    )
    return Starts(environment(), 1, times(3.0), cases)


def compile_times() -> CompileTimes:
    """One kernel."""
    kernel = CompileTime(
        "add_kernel", "add", "fp16", "num_warps=4", 1.0, {"a": 2.0, "b": 3.0}, 2.0, 8.0,
        {"ttir": 3.0, "cubin": 40.0},
    )  # fmt: skip
    return CompileTimes(environment(), "sm_90", 1, (kernel,), {"add": 7.0}, {"500": 300.0})


def test_readme_block() -> None:
    assert report.readme_block(report.Report(NAME, run(), {}), "results") == BLOCK


def test_tables() -> None:
    assert tables.cases_of(run(), "double") == DOUBLE
    assert tables.by_operation(run()) == OPERATIONS
    assert tables.slower(run()) == SLOWER
    assert tables.launches(launches()) == LAUNCH
    assert tables.starts(starts().cases) == START
    assert tables.compile_times(compile_times()) == COMPILE


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"),
        (0.5, "0.50"),
        (9.999, "10.0"),
        (12.34, "12.3"),
        (99.96, "100"),
        (12345.6, "12,346"),
    ],
)
def test_number(value: float | None, text: str) -> None:
    assert tables.number(value) == text


def test_page_says_what_failed() -> None:
    page = tables.page(NAME, run(), {}, report.PLOTS)
    assert page.startswith("# a GPU, 2026-01-31\n\ntorch 2.11.0, CUDA 13.0")
    assert page.endswith(
        f"## Cases in which another provider is faster by over 5 %\n\n{SLOWER}\n\n"
        "## Left out and failed\n\n"
        "- liger is left out: not installed\n"
        "- double large fp32 contiguous, torch: wrong\n"
    )


@pytest.mark.parametrize("found", [launches(), starts(), compile_times()])
def test_host_results_round_trip(found: host_results.HostResults) -> None:
    text = host_results.to_json(found)
    assert host_results.from_json(text) == found
    assert host_results.to_json(host_results.from_json(text)) == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "this is no JSON: "),
        ("[]", "this is no JSON object"),
        ('{"cases": []}', "this is no benchmark of launch, start, compile_time"),
        ('{"benchmark": "start"}', "results has too few fields or too many: "),
    ],
)
def test_other_files_hold_no_host_results(text: str, message: str) -> None:
    with pytest.raises(ResultsError) as caught:
        host_results.from_json(text)
    assert str(caught.value).startswith(message)


def test_files(tmp_path: Path) -> None:
    write(tmp_path / f"{NAME}.json", run())
    write(tmp_path / "2025-12-31-gpu.json", results([], environment=environment(date="2025")))
    for found in (launches(), starts(), compile_times()):
        (kind,) = (kind for kind, known in host_results.KINDS.items() if known is type(found))
        host_results.write(tmp_path / f"{NAME}-{kind}.json", found)
    assert report.newest(tmp_path) == tmp_path / f"{NAME}.json"
    readme = tmp_path / "README.md"
    readme.write_text(f"above\n{report.BEGIN}\nold\n{report.END}\nbelow\n", encoding="utf-8")
    command = [
        *(sys.executable, "-m", "benchmarks.report", str(tmp_path / f"{NAME}.json")),
        *("--readme", str(readme), "--out", str(tmp_path / "results")),
    ]
    names = [
        f"{NAME}{end}" for end in (".md", "-speed.png", "-speed.svg", "-floor.png", "-floor.svg")
    ]
    made: list[list[bytes]] = []
    for _ in range(2):
        subprocess.run(command, cwd=ROOT, check=True)
        made.append([(tmp_path / "results" / name).read_bytes() for name in names])
    assert made[0] == made[1]
    text = readme.read_text(encoding="utf-8")
    assert text.startswith(f"above\n{report.BEGIN}\n{BLOCK}\n\nHost time of one asynchronous call")
    assert text.endswith(f"{START}\n{report.END}\nbelow\n")
    page = made[0][0].decode()
    assert all(part in page for part in (DOUBLE, OPERATIONS, LAUNCH, START, COMPILE))


def test_without_matplotlib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, "benchmarks.plots", raising=False)
    monkeypatch.delattr("benchmarks.plots", raising=False)
    with pytest.raises(report.ReportError) as caught:
        report.write(report.Report(NAME, run(), {}), tmp_path / "results")
    assert str(caught.value) == "plots need matplotlib: pip install '.[bench]'"
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize("text", ["", f"{report.BEGIN}\n", f"{report.END}\n{report.BEGIN}\n"])
def test_readme_without_place(text: str) -> None:
    with pytest.raises(report.ReportError) as caught:
        report.replaced(text, "block")
    assert str(caught.value) == (
        "write one line <!-- benchmarks: begin --> and, below it, one line <!-- benchmarks: end -->"
    )


def test_results_that_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "none.json"
    command = [sys.executable, "-m", "benchmarks.report", str(path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith(f"{path} holds no results: ")


def test_readme_shows_the_newest_results() -> None:
    path = report.newest()
    if path is None:
        pytest.skip("benchmarks/results has no results yet")
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    block = report.readme_block(report.load(path), "benchmarks/results")
    assert report.replaced(text, block) == text, (
        f"run `python -m benchmarks.report {path.relative_to(ROOT)} --readme README.md`"
    )
    page = path.with_suffix(".md").read_text(encoding="utf-8")
    found = report.load(path)
    assert page == tables.page(found.name, found.results, found.host, report.PLOTS)
