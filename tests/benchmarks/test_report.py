"""The report: its tables letter for letter, its plots, and the README's block."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from benchmarks import report, tables
from benchmarks.records import Record, write
from benchmarks.report import Report
from benchmarks.results import Results
from tests.benchmarks.fake import case, environment, run
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


def records() -> list[Record]:
    """Two operations; torch fails in one case, Triton has one operation only."""
    return run(
        case("large", ninetoothed=1250.0, triton=1250.0, torch=-1),
        case("small", ninetoothed=2.0, triton=1.0, torch=4.0),
        case("small", operation="halve", ninetoothed=10.0, torch=20.0),
    )


def launches() -> list[Record]:
    """Two cases."""
    fields = {"kind": "launch", "case": "add", "tensors": 3, "note": ""}
    seven = {**fields, "case": "sum of seven", "tensors": 8, "note": "torch: six calls"}
    return [
        environment("launch"),
        {**fields, "provider": "ninetoothed", "us": 12.345},
        {**seven, "provider": "ninetoothed", "us": 20.0},
        {**seven, "provider": "torch", "us": 9.0},
    ]


def starts() -> list[Record]:
    """Ours cold and warm, Triton's cold."""
    found = [("ninetoothed", "cold", 1.5), ("triton", "cold", 0.75), ("ninetoothed", "warm", 0.5)]
    fields = {"kind": "start", "program": "add-fixed", "configurations": 1, "imported": 0.25}
    return [
        environment("start"),
        {"kind": "torch", "seconds": 3.0},
        *(
            {**fields, "provider": provider, "cache": cache, "first": seconds, "uncompiled": 0}
            for provider, cache, seconds in found
        ),
    ]


def compile_times() -> list[Record]:
    """One kernel."""
    times = {"frontend": 1.0, "a": 2.0, "b": 3.0, "emit": 2.0, "ours": 8.0, "ttir": 3.0}
    times["cubin"] = 40.0
    return [
        environment("compile_time", target="sm_90"),
        *(
            {"kind": "compile", "kernel": "add_kernel", "step": step, "ms": ms}
            | {"part": "passes" if len(step) == 1 else step}
            for step, ms in times.items()
        ),
    ]


BESIDE = {"launch": launches(), "start": starts(), "compile_time": compile_times()}


def of_kernels() -> Report:
    return Report(NAME, Results.of(records()), {})


def test_readme_block() -> None:
    assert report.readme_block(of_kernels(), "results") == BLOCK


def test_tables() -> None:
    results = Results.of(records())
    assert report.of_operation(results, "double") == DOUBLE
    assert report.by_operation(results) == OPERATIONS
    assert report.slower(results) == SLOWER
    assert tables.launches(launches()) == LAUNCH
    assert tables.starts(starts()) == START
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


def test_byte_code_is_told_of() -> None:
    some = starts()
    assert tables.byte_code(some) == "All modules had byte code on disk, in cold runs, too."
    some[2]["uncompiled"] = 7
    assert tables.byte_code(some) == (
        "Modules without byte code on disk, which Python compiled: ninetoothed add-fixed cold (7)."
    )


def test_page_says_what_failed() -> None:
    page = report.page(of_kernels())
    assert page.startswith("# a GPU, 2026-01-31\n\ntorch 2.11.0, CUDA 13.0")
    assert page.endswith(
        f"## Cases in which another provider is faster by over 5 %\n\n{SLOWER}\n\n"
        "## Left out and failed\n\n"
        "- liger is left out: not installed\n"
        "- double large fp32 contiguous, torch: wrong\n"
    )


def test_a_plot_has_a_mark_for_each_value() -> None:
    plot = report.speed_plot(Results.of(records()))
    # Triton in both panels, torch in one for each operation; and the legend.
    assert plot.count("<circle") == 4 + 2
    assert all(f">{text}<" in plot for text in ("double", "halve", "triton", "torch", "0.5×", "2×"))
    ElementTree.fromstring(plot)


def test_files(tmp_path: Path) -> None:
    write(tmp_path / f"{NAME}.jsonl", records())
    write(tmp_path / "2025-12-31-gpu.jsonl", run(date="2025"))
    for name, found in BESIDE.items():
        write(tmp_path / f"{NAME}-{name}.jsonl", found)
    assert report.newest(tmp_path) == tmp_path / f"{NAME}.jsonl"
    readme = tmp_path / "README.md"
    readme.write_text(f"above\n{report.BEGIN}\nold\n{report.END}\nbelow\n", encoding="utf-8")
    command = [
        *(sys.executable, "-m", "benchmarks.report", str(tmp_path / f"{NAME}.jsonl")),
        *("--readme", str(readme), "--out", str(tmp_path / "results")),
    ]
    names = [f"{NAME}{end}" for end in (".md", "-speed.svg", "-floor.svg")]
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


@pytest.mark.parametrize("text", ["", f"{report.BEGIN}\n", f"{report.END}\n{report.BEGIN}\n"])
def test_readme_without_place(text: str) -> None:
    with pytest.raises(report.ReportError) as caught:
        report.replaced(text, "block")
    assert str(caught.value) == (
        "write one line <!-- benchmarks: begin --> and, below it, one line <!-- benchmarks: end -->"
    )


def test_results_that_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "none.jsonl"
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
    assert page == report.page(found)
    plot = path.with_name(f"{path.stem}-speed.svg").read_text(encoding="utf-8")
    assert plot == report.speed_plot(found.results)
