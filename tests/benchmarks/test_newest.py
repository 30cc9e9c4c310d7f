"""The documentation's page of results: the newest of each case, and that the page is current."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from benchmarks import newest
from benchmarks.records import Record, ResultsError, append, write
from tests.benchmarks.fake import case, environment, run


def _day(day: int, *cases: list[Record], **changes: Any) -> list[Record]:
    return run(*cases, date=f"2026-01-{day:02}T12:00:00+00:00", **changes)


def _beside_two(operation: str) -> list[Record]:
    return case(operation=operation, ninetoothed=1.0, triton=2.0, torch=2.0)


def _rows(folder: Path) -> dict[str, list[str]]:
    """The cells of the rows on the page, by the first one's text; of one device."""
    lines = re.findall(r"^\| (.*) \|$", newest.page(newest.runs(folder)), re.M)
    cells = [[cell.strip() for cell in line.split(" | ")] for line in lines]
    return {first: others for first, *others in cells}


def test_the_newest_run_of_a_case_counts(tmp_path: Path) -> None:
    old = _day(1, case(operation="add", ninetoothed=9.0, triton=3.0, torch=3.0))
    new = _day(2, case(operation="add", ninetoothed=2.0, triton=4.0, torch=1.0))
    # By the dates, not by the files' names.
    write(tmp_path / "b.jsonl", old)
    write(tmp_path / "a.jsonl", new)
    expected = ["2.00", "1", "0.50", "1", "2026-01-02"]
    assert _rows(tmp_path) | {"elementwise": expected, "*all*": expected} == _rows(tmp_path)


def test_a_run_beside_one_other_counts_for_that_by_hand_only(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    write(path, _day(1, case(operation="add", ninetoothed=3.0, triton=4.0, torch=2.0)))
    append(path, *_day(2, case(operation="add", ninetoothed=8.0, triton=4.0, torch=-1)))
    append(path, *_day(3, case(operation="add", ninetoothed=8.0, torch=1.0)))
    assert _rows(tmp_path)["elementwise"] == ["1.50", "1", "2.00", "1", "2026-01-01 to 2026-01-02"]


def test_means_are_geometric_and_of_all_operations(tmp_path: Path) -> None:
    add = case(operation="add", ninetoothed=4.0, torch=1.0, liger=2.0)
    silu = case(operation="silu", ninetoothed=2.0, torch=2.0, liger=4.0)
    topk = case(operation="topk", ninetoothed=2.0, torch=2.0, liger=4.0)
    write(tmp_path / "a.jsonl", _day(1, add, silu, topk))
    rows = _rows(tmp_path)
    assert rows["elementwise"] == ["2.00", "2", "–", "–", "2026-01-01"]
    assert rows["rows"][:2] == ["1.00", "1"]
    assert rows["*all*"][:2] == ["1.59", "3"]


def test_what_does_not_count(tmp_path: Path) -> None:
    """Other benchmarks, and operations that are gone."""
    write(tmp_path / "a.jsonl", _day(1, _beside_two("add"), benchmark="before and after"))
    write(tmp_path / "b.jsonl", _day(1, _beside_two("gone")))
    write(tmp_path / "c.jsonl", [environment("launch")])
    assert newest.runs(tmp_path)
    assert _rows(tmp_path) == {}


def test_a_table_a_device(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", _day(1, _beside_two("add"), device="A"))
    write(tmp_path / "b.jsonl", _day(1, _beside_two("add"), _beside_two("silu"), device="B"))
    text = newest.page(newest.runs(tmp_path))
    assert re.findall("^### (.*)$", text, re.M) == ["B", "A"]
    assert re.findall(r"^- \[.*\]\(.*/(.*)\)$", text, re.M) == ["b.jsonl", "a.jsonl"]


def test_files_that_hold_no_results(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("{}\n", encoding="utf-8")
    with pytest.raises(ResultsError, match=r"a\.jsonl holds no results"):
        newest.runs(tmp_path)


def test_page_is_current_and_its_links_lead_somewhere() -> None:
    text = newest.PAGE.read_text(encoding="utf-8")
    assert text == newest.page(newest.runs()), "run `make docs`"
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert links
    assert [link for link in links if not (newest.PAGE.parent / link).is_file()] == []
