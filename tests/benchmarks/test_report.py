"""The report: a page letter for letter, its plots, and the README's block."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from benchmarks import report, tables
from benchmarks.records import Record, ResultsError, write
from benchmarks.results import Results
from tests.benchmarks.fake import case, environment, run
from tests.support.imports import ROOT

NAME = "2026-01-31-gpu"
PAGE = Path(__file__).parent / "page.md"


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


def tunings() -> list[Record]:
    """Two cases: the model's choice takes half as much again as the best, the quick one is it."""
    small: Record = {"operation": "double", "size": "small"}
    large: Record = {"operation": "double", "size": "large"}
    seconds = {"compile_seconds": 12.0, "time_seconds": 1.0, "choose_seconds": 0.5}
    choice = {"kind": "choice", "config": "BLOCK=2", "seconds": 0.25}
    best = {"kind": "choice", "config": "BLOCK=1"}
    started = {"configurations": 24, "first": 7.5, "imported": 0.5, "uncompiled": 0}
    return [
        environment("tuning"),
        {"kind": "space", **small, "shape": "3 × 4", "space": 1200, "tried": 1000, "timed": 900}
        | {"rank": 2, **seconds},
        {**best, **small, "by": "best", "us": 2.0},
        {**choice, **small, "by": "off", "us": 3.0},
        {**best, **small, "by": "quick", "us": 2.0, "seconds": 4.5},
        {"kind": "not run", **small, "reason": "out of resources", "count": 98},
        {"kind": "space", **large, "shape": "30 × 40", "space": 1200, "tried": 1200, "timed": 1200}
        | {"rank": 17, **seconds},
        {**best, **large, "by": "best", "us": 20.0},
        {**choice, **large, "by": "off", "us": 30.0},
        {"kind": "choice", **large, "by": "quick", "reason": "nothing can run"},
        {"kind": "start", "provider": "ninetoothed", "program": "matmul-tuned-4096"}
        | {"cache": "cold", **started},
    ]


BESIDE = {
    "launch": launches(),
    "start": starts(),
    "compile_time": compile_times(),
    "tuning": tunings(),
    # Of these there is no table.
    "choices": [environment("choices")],
}


def test_page_and_readme(tmp_path: Path) -> None:
    results = tmp_path / f"{NAME}.jsonl"
    write(results, records())
    write(tmp_path / "2025-12-31-gpu.jsonl", run(date="2025"))
    for name, found in BESIDE.items():
        write(tmp_path / f"{NAME}-{name}.jsonl", found)
    assert report.newest(tmp_path) == results
    readme = tmp_path / "README.md"
    readme.write_text(f"above\n{report.BEGIN}\nold\n{report.END}\nbelow\n", encoding="utf-8")
    options = ["--readme", str(readme), "--out", str(tmp_path / "results")]
    command = [sys.executable, "-m", "benchmarks.report", str(results), *options]
    subprocess.run(command, cwd=ROOT, check=True)
    names = [f"{NAME}{end}" for end in ("-floor.svg", "-speed.svg", ".md")]
    assert sorted(path.name for path in (tmp_path / "results").iterdir()) == names
    page = PAGE.read_text(encoding="utf-8")
    assert (tmp_path / "results" / f"{NAME}.md").read_text(encoding="utf-8") == page
    text = readme.read_text(encoding="utf-8")
    assert text.startswith(f"above\n{report.BEGIN}\nMeasured on a GPU, 2026-01-31, with torch 2.11")
    assert "2 operations in 3 cases ([all figures](results/2026-01-31-gpu.md))." in text
    assert text.endswith(f"\n{report.END}\nbelow\n")
    # The block has no table that the page has not, and no detail.
    block = [line for line in text.splitlines() if line.startswith("|")]
    assert [line for line in page.splitlines() if line in block] == block
    assert "BLOCK=1" not in text


def test_summary() -> None:
    found = [*records(), {"kind": "planned", "case": "x"}]
    parts = report.summary(Results.of(found)).split("\n\n")
    assert parts[0] == "Peaks: copy 1.00 TB/s, fp16 1,000 TFLOP/s."
    page = PAGE.read_text(encoding="utf-8")
    titles, tables = zip(*(part.split(":\n", 1) for part in parts[1:5]), strict=True)
    assert titles == (
        "double, GPU time in µs",
        "halve, GPU time in µs",
        "Host time of a call in µs, medians over the cases",
        "Speed, geometric means",
    )
    assert all(table in page for table in tables)
    assert parts[5:] == [
        "failed: 1\n- double large fp32 contiguous, torch: wrong",
        "- liger is left out: not installed",
        "stopped: 1 cases were not measured",
    ]


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


def test_a_plot_has_a_mark_for_each_value() -> None:
    plot = report.speed_plot(Results.of(records()))
    # Triton in both panels, torch in one for each operation; and the legend.
    assert plot.count("<circle") == 4 + 2
    assert all(f">{text}<" in plot for text in ("double", "halve", "triton", "torch", "0.5×", "2×"))
    ElementTree.fromstring(plot)


@pytest.mark.parametrize("text", ["", f"{report.BEGIN}\n", f"{report.END}\n{report.BEGIN}\n"])
def test_readme_without_place(text: str) -> None:
    with pytest.raises(ResultsError) as caught:
        report.replaced(text, "block")
    assert str(caught.value) == (
        "write one line <!-- benchmarks: begin --> and, below it, one line <!-- benchmarks: end -->"
    )


def test_results_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(tmp_path / "none.jsonl")
    monkeypatch.setattr(sys, "argv", ["report", path])
    with pytest.raises(SystemExit, match=r"none\.jsonl holds no results: "):
        report.main()


def test_readme_shows_the_newest_results() -> None:
    path = report.newest()
    if path is None:
        pytest.skip("benchmarks/results has no results yet")
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    block = report.readme_block(report.load(path), "benchmarks/results")
    assert report.replaced(text, block) == text, (
        f"run `python -m benchmarks.report {path.relative_to(ROOT)} --readme README.md`"
    )
    for name, text in report.files(report.load(path)).items():
        assert path.with_name(name).read_text(encoding="utf-8") == text
