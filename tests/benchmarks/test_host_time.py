"""The benchmarks of the host's time: on a GPU in short, and what they say without one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
import torch

from benchmarks import compile_time, host_results, launch, start, tables
from benchmarks.host_results import CompileTimes, Launches, Starts
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
        "--json", str(path), "--commit", "a copy",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = read(path)
    assert isinstance(found, CompileTimes)
    assert (found.environment.commit, found.environment.dirty) == ("a copy", None)
    (row,) = found.kernels
    assert (row.kernel, row.example, row.dtype) == ("add_kernel", "add", "fp16")
    assert next(iter(row.passes)) == "nt-check-arrangement"
    assert row.triton == {}
    assert row.total == pytest.approx(row.frontend + sum(row.passes.values()) + row.emit)
    assert list(found.files) == ["add"]
    assert done.stdout.startswith(tables.compile_times(found))


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
        (compile_time, ("--kernels", "ad"), "unknown kernels ad; valid are add_kernel, "),
        (start, ("--programs", "ad"), "unknown programs ad; valid are add-fixed, matmul-fixed, "),
        (start, ("--repeats", "0"), "--repeats must be 1 or more"),
        (launch, ("--calls", "151"), "--calls must be from 1 to 150, so that they fit the GPU's"),
        (launch, ("--batches", "0"), "--batches must be 1 or more"),
    ],
)
def test_wrong_arguments(
    module: ModuleType,
    arguments: tuple[str, ...],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "argv", ["benchmark", *arguments])
    with pytest.raises(SystemExit) as ended:
        module.main()
    assert ended.value.code == 2
    assert f"python -m {module.__name__}: error: {message}" in capsys.readouterr().err


@without_gpu
def test_launch_without_gpu(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["launch"])
    with pytest.raises(SystemExit) as ended:
        launch.main()
    assert ended.value.code == "no GPU found: a launch on one is what is measured; nothing was"
    assert capsys.readouterr().out == ""


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
    assert done.stdout.startswith(tables.starts(found))


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
    assert done.stdout.startswith(tables.launches(found))


@pytest.mark.gpu
@pytest.mark.slow
def test_start(tmp_path: Path) -> None:
    path = tmp_path / "starts.json"
    arguments = ("--programs", "add-fixed", "--repeats", "1", "--commit", "a copy")
    done = run("start", *arguments, "--json", str(path))
    assert done.returncode == 0, done.stderr
    assert "failed" not in done.stderr
    found = read(path)
    assert isinstance(found, Starts)
    assert len(found.cases) == 4
    assert found.environment.commit == "a copy"
