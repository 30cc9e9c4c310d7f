"""The benchmark of ``nt-opt``'s own time: its command lines run."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import nt_opt


@pytest.mark.parametrize("name", ["help", "module"])
def test_a_run_takes_some_time(name: str, tmp_path: Path) -> None:
    assert nt_opt.seconds(name, tmp_path) > 0
    assert any(tmp_path.rglob("*.pyc"))


def test_every_run_has_a_limit() -> None:
    assert nt_opt.LIMITS.keys() == nt_opt.RUNS.keys()
