"""Random programs do the same in the two interpreters, and on a GPU by both backends."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings

from ninetoothed.testing.program_runs import PassTrace
from ninetoothed.testing.program_writer import Program
from ninetoothed.testing.random_programs import programs
from tests.property.agreement import agree
from tests.property.gpu import check_many
from tests.property.optimizations import Optimizations, optimizations
from tests.support import profiles


@settings(
    max_examples=profiles.cases(ci=140, full=5_000),
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
)
@given(programs(), optimizations())
def test_interpreters_agree(program: Program, chosen: Optimizations) -> None:
    with chosen.set():
        pass_trace = PassTrace(program, choices=chosen.choices)
    before, after = pass_trace.run(pass_trace.modules[0][1]), pass_trace.run(pass_trace.final)
    agree(program, before, after, f"tt differs from nt with {chosen}")


@pytest.mark.gpu
@pytest.mark.slow
def test_a_gpu_agrees(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """``NINETOOTHED_GPU_PROGRAMS`` says how many programs, if not the profile."""
    for name in ("NINETOOTHED_CACHE_DIR", "TRITON_CACHE_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name))
    count = int(os.environ.get("NINETOOTHED_GPU_PROGRAMS") or profiles.cases(ci=500, full=500))
    assert check_many(count) >= count
