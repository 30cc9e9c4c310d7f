"""Machine code with and without optimizations is counted, and shown in a line each."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import machine_code, passes
from benchmarks.records import of_kind, read
from tests.support.imports import ROOT

LISTING = """\
\t.section .text.kernel
kernel:
        /*0000*/                   MOV R1, c[0x0][0x28] ;
.L_x_0:
        /*0010*/                   IADD3 R2, R2, 0x1, RZ ;
.L_x_1:
        /*0020*/                   STL [R1], R2 ;
        /*0030*/                   LDL R2, [R1] ;
        /*0040*/               @P0 BRA `(.L_x_1) ;
        /*0050*/               @P1 BRA `(.L_x_0) ;
        /*0060*/               @P2 BRA `(.L_x_2) ;
        /*0070*/                   EXIT ;
.L_x_2:
        /*0080*/                   BRA `(.L_x_2);
        /*0090*/                   NOP;
"""


def test_counts_of_a_listing() -> None:
    # Of two loops, one in the other, the inner one.
    assert machine_code.counts_of(LISTING) == (10, 3, 2)
    assert machine_code.counts_of("") == (0, 0, 0)


def test_a_kernel(tmp_path: Path) -> None:
    pytest.importorskip("triton")
    path = tmp_path / "code.jsonl"
    command = [sys.executable, "-m", "benchmarks.passes", "--kernels", "matmul_kernel"]
    done = subprocess.run(
        [*command, "--json", str(path), "--commit", "a copy"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    rows = of_kind(read(path), "code")
    in_loops = ("persistent_programs", "pointer_blocks", "moving_bounds", "reciprocals")
    of_programs = ("equal_sizes", "split_reductions", "grouped_programs")
    of_odd_sizes = ("equal_sizes", "packed_operands", *of_programs[1:])
    of_guards = ("vacuous_guards", "clamped_guards")
    assert [(one["optimization"], one["sizes"], one["switch"]) for one in rows] == [
        (name, sizes, switch)
        for sizes, name in (
            *(("by 16", name) for name in (*of_programs, *of_guards, "descriptors", *in_loops)),
            *(("odd", name) for name in (*of_odd_sizes, "clamped_guards", *in_loops)),
            ("wide", "narrow_indices"),
            ("wide, odd", "narrow_indices"),
        )
        for switch in ("on", "off")
    ]
    for on, off in (rows[6:8], rows[8:10], rows[10:12], rows[14:16]):
        assert 0 < on["loop"] < off["loop"]
    assert passes.table(rows) in done.stdout


def test_unknown_kernels() -> None:
    command = [sys.executable, "-m", "benchmarks.passes", "--kernels", "ad"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 2
    assert "unknown kernels ad; valid are add_kernel, " in done.stderr


def test_gpu_times_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    times = {"": 2.0, "pointer_blocks": 3.0, "loop_stages": 0.0, "all": 4.0}

    def gpu_times(options: object, without: str) -> dict[tuple[str, ...], float]:
        assert options == ["--ops", "matmul"]
        return {("matmul", "large"): times[without]} if times[without] else {}

    monkeypatch.setattr(passes, "gpu_times", gpu_times)
    lines = passes.gpu_table(["--ops", "matmul"], list(times)[1:]).splitlines()
    assert [cell.strip() for cell in lines[2].split("|")[1:-1]] == [
        *("matmul large", "2.00", "1.50", "–", "2.00"),
    ]
