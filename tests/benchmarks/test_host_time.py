"""The benchmarks of the host's time: on a GPU in short, and what they say without one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from benchmarks import compile_time, host_results, launch, start
from benchmarks.host_results import CompileTimes, Launches, Starts
from ninetoothed.runtime import triton_compat
from tests.support.imports import ROOT

without_gpu = pytest.mark.skipif(torch.cuda.is_available(), reason="says what happens without one")


def run(module: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """``python -m benchmarks.<module>``."""
    command = [sys.executable, "-m", f"benchmarks.{module}", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


def read(path: Path) -> host_results.HostResults:
    """The results in a file."""
    return host_results.from_json(path.read_text(encoding="utf-8"))


def test_compile_time_of_one_kernel(tmp_path: Path) -> None:
    path = tmp_path / "times.json"
    done = run(
        "compile_time", "--kernels", "add_kernel", "--repeats", "1", "--no-triton",
        "--json", str(path),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = read(path)
    assert isinstance(found, CompileTimes)
    (row,) = found.kernels
    assert (row.kernel, row.example, row.dtype) == ("add_kernel", "add", "fp16")
    assert next(iter(row.passes)) == "nt-check-arrangement"
    assert row.triton == {}
    assert row.total == pytest.approx(row.frontend + sum(row.passes.values()) + row.emit)
    assert list(found.files) == ["add"]
    assert done.stdout.startswith(compile_time.kernels_table([row]))


def test_triton_stages() -> None:
    pytest.importorskip("triton")
    row = compile_time.measure("add", compile_time.example_kernels()["add_kernel"][1], 1, True)
    assert tuple(row.triton) == compile_time.STAGES
    assert all(taken > 0 for taken in row.triton.values())


def test_every_example_has_a_compile_time() -> None:
    measured = {example for example, _ in compile_time.example_kernels().values()}
    files = {module.__name__.removeprefix("examples.") for module in compile_time.example_modules()}
    assert measured == files
    for _, kernel in compile_time.example_kernels().values():
        compile_time.assumed(kernel)


@pytest.mark.parametrize(
    ("module", "arguments", "message"),
    [
        ("compile_time", ("--kernels", "ad"), "unknown kernels ad; valid are add_kernel, "),
        ("start", ("--programs", "ad"), "unknown programs ad; valid are add-fixed, matmul-fixed, "),
        ("start", ("--repeats", "0"), "--repeats must be 1 or more"),
        ("launch", ("--calls", "151"), "--calls must be from 1 to 150, so that they fit the GPU's"),
        ("launch", ("--batches", "0"), "--batches must be 1 or more"),
    ],
)
def test_wrong_arguments(module: str, arguments: tuple[str, ...], message: str) -> None:
    done = run(module, *arguments)
    assert done.returncode == 2
    assert f"python -m benchmarks.{module}: error: {message}" in done.stderr


@without_gpu
def test_launch_without_gpu() -> None:
    done = run("launch")
    assert done.returncode == 1
    assert done.stderr == "no GPU found: a launch on one is what is measured; nothing was\n"
    assert done.stdout == ""


@pytest.mark.slow
@without_gpu
def test_start_without_gpu(tmp_path: Path) -> None:
    path = tmp_path / "starts.json"
    done = run("start", "--programs", "add-fixed", "--repeats", "1", "--json", str(path))
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith(
        "no GPU found: ours alone is measured, on CPU tensors, which it interprets\n"
    )
    found = read(path)
    assert isinstance(found, Starts)
    rows = [(row.provider, row.program, row.cache) for row in found.cases]
    assert rows == [("ninetoothed", "add-fixed", cache) for cache in ("cold", "warm")]
    assert all(0 < row.imported.median < row.first.median for row in found.cases)
    assert done.stdout.startswith(start.table(found.cases))


@pytest.mark.slow
@pytest.mark.skipif(not triton_compat.available(), reason="Triton is not installed")
def test_programs_agree_with_torch() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.programs_interpreted"],
        cwd=ROOT,
        env=os.environ | {"TRITON_INTERPRET": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "results agree\n"


def test_start_tells_why_a_process_failed(tmp_path: Path) -> None:
    program = start.Program("add", "tuned", (8,), (8,))
    with pytest.raises(start.ProcessError) as caught:
        start.first_result("ninetoothed", program, "cpu", tmp_path)
    assert str(caught.value).startswith("exit code 1: AttributeError: ")


@pytest.mark.gpu
def test_launch(tmp_path: Path) -> None:
    path = tmp_path / "launches.json"
    done = run("launch", "--calls", "10", "--batches", "3", "--json", str(path))
    assert done.returncode == 0, done.stderr
    found = read(path)
    assert isinstance(found, Launches)
    assert [(case.name, case.tensors) for case in found.cases] == [
        ("scale in place", 1),
        ("add", 3),
        ("sum of seven", 8),
        ("matmul", 3),
    ]
    for case in found.cases:
        assert list(case.us) == [
            "ninetoothed", "triton", "torch", launch.COMPILED, launch.BIND,
        ]  # fmt: skip
        assert all(times.median > 0 for times in case.us.values())
    assert done.stdout.startswith(launch.table(found.cases))


@pytest.mark.gpu
@pytest.mark.slow
def test_start(tmp_path: Path) -> None:
    path = tmp_path / "starts.json"
    done = run("start", "--repeats", "1", "--json", str(path))
    assert done.returncode == 0, done.stderr
    assert "failed" not in done.stderr
    found = read(path)
    assert isinstance(found, Starts)
    assert len(found.cases) == len(start.PROGRAMS) * 4
