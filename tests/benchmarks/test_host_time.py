"""The benchmarks of the host's time: on a GPU in short, and what they say without one."""

from __future__ import annotations

import importlib
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, cast
from unittest import mock

import pytest
import torch

from benchmarks import churn, compile_time, host_results, launch, start, tables
from benchmarks.host_results import CompileTimes, Launches, Starts
from benchmarks.results import Times
from ninetoothed.artifact import Artifact, Config, Target
from ninetoothed.runtime.toolchain import pool
from tests.benchmarks.fake import environment
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
        (start, ("--providers", "torch"), "argument --providers: invalid choice: 'torch' (choose "),
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


LAUNCHED = [
    ("scale in place", 1),
    ("add", 3),
    ("add in place", 3),
    ("sum of seven", 8),
    ("matmul", 3),
    ("add, new shapes", 3),
    ("add, shapes in turn", 3),
]


@pytest.mark.slow
@without_gpu
def test_launch_smoke(tmp_path: Path) -> None:
    path = tmp_path / "launches.json"
    done = run("launch", "--smoke", "--churn", "--json", str(path))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("a smoke run: the times say nothing\n")
    found = read(path)
    assert isinstance(found, Launches)
    assert [(case.name, case.tensors) for case in found.cases] == LAUNCHED
    assert list(found.cases[0].us) == ["ninetoothed", "torch", launch.BIND]
    assert [(one.name, one.shapes, one.calls) for one in found.churn] == [
        ("add", 10, 20),
        ("matmul", 8, 20),
    ]
    assert tables.churn(found.churn) in done.stdout


def test_calls_in_turn() -> None:
    made: list[int] = []
    call = launch.in_turn([lambda: made.append(1), lambda: made.append(2)])
    for _ in range(3):
        call()
    assert made == [1, 2, 1]


def test_new_shapes_are_enough_for_all_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []

    def add(lhs: torch.Tensor, rhs: torch.Tensor, output: torch.Tensor) -> None:
        sizes.append(output.numel())
        output.copy_(lhs + rhs)

    monkeypatch.setattr(launch, "SHAPES", 6)
    monkeypatch.setattr(launch, "_torch_add", add)
    cases = {case.name: case for case in launch.Cases("cpu").all(calls=4)}
    fresh = cases["add, new shapes"]
    found = launch.measure(fresh, calls=4, batches=100)
    # Six shapes are two batches of four.
    assert found.us["torch"].samples == fresh.batches == 2
    assert len(sizes) == len(set(sizes))
    assert all(size % 16 == 0 for size in sizes)


def test_the_drivers_part_is_given_the_pointers(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[tuple[Any, ...]] = []

    def run(*arguments: Any) -> None:
        ran.append(arguments)

    launcher = SimpleNamespace(run=run)
    # The second argument of the device function is a size.
    launched = SimpleNamespace(launcher=launcher, sources=(1, None, 0), programs=3, shape=b"packed")
    monkeypatch.setattr(launch.LoadedKernel, "launch", mock.Mock(return_value=launched))
    monkeypatch.setattr(launch.device, "current", mock.Mock(return_value=0))
    monkeypatch.setattr(launch.device, "stream", mock.Mock(return_value=7))
    tensors = [torch.zeros(2), torch.zeros(3)]

    def kernel(*tensors: torch.Tensor) -> None:
        launch.LoadedKernel.launch(cast("Any", None), tensors)

    launch.driver_call(cast("Any", kernel), tensors)()
    pointers = [tensor.data_ptr() for tensor in tensors]
    assert ran == [(3, b"packed", 7, pointers[1], pointers[0])]


def test_wrong_results_are_not_timed() -> None:
    zero = torch.zeros(4)
    case = launch.Case("add", 3, zero, None, zero + 1, {"torch": lambda: zero.fill_(2)}, {})
    with pytest.raises(ValueError, match="add: the result of torch has the error"):
        launch.measure(case, 1, 1)


def test_churn_counts_what_is_compiled() -> None:
    compiled = Artifact(
        "k", "ttir", "", (), (), "", (), (), Target("cuda", "sm_90", 32), Config(())
    )

    class Compiling:
        """Compiles for each new number of elements, and once more for the twelfth call."""

        interface = importlib.import_module("benchmarks.programs.ours_add").fixed().interface

        def __init__(self) -> None:
            self.known: set[int] = set()
            self.calls = 0

        def __call__(self, *tensors: torch.Tensor) -> None:
            self.calls += 1
            if tensors[0].numel() not in self.known or self.calls == 12:
                self.known.add(tensors[0].numel())
                pool.compile([compiled])

    kernel: Any = Compiling()
    shapes = [tuple(torch.zeros(size) for _ in range(3)) for size in (1, 2, 16)]
    with mock.patch.object(pool, "compile", return_value=[]):
        found = churn.churn("add", kernel, shapes, calls=9, traced=6)
    assert (found.shapes, found.first, found.later) == (3, 3, 1)
    assert kernel.calls == 3 + 9 + 3 + 6
    # Of a multiple of 16, and of others.
    assert found.signatures == 2
    assert all(memory > 0 for memory in found.resident)


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
    assert [row.uncompiled for row in found.cases] == [0, 0]
    assert all(0 < row.imported.median < row.first.median for row in found.cases)
    assert done.stdout.startswith(tables.starts(found.cases))


def test_warm_ups_import_what_the_programs_do() -> None:
    assert start.warm_ups("ninetoothed", list(start.PROGRAMS)) == [
        "add-fixed", "matmul-fixed-4096", "matmul-tuned",
    ]  # fmt: skip
    assert start.warm_ups("triton", list(start.PROGRAMS)) == ["add-fixed", "matmul-fixed-4096"]
    assert start.warm_ups("triton", ["matmul-tuned"]) == ["matmul-tuned"]


def test_byte_code_is_told_of() -> None:
    second = Times.of([1.0])
    one = start.Start("ninetoothed", "add-fixed", "cold", 1, second, second)
    found = Starts(environment(), 1, Times.of([1.0]), (one,))
    assert tables.byte_code(found) is None
    all_there = replace(found, cases=(replace(one, uncompiled=0),))
    assert tables.byte_code(all_there) == "All modules had byte code on disk, in cold runs, too."
    some = replace(found, cases=(replace(one, uncompiled=7), replace(one, uncompiled=0)))
    assert tables.byte_code(some) == (
        "Modules without byte code on disk, which Python compiled: ninetoothed add-fixed cold (7)."
    )


@pytest.mark.slow
def test_parts_of_a_start(tmp_path: Path) -> None:
    program = start.PROGRAMS["add-fixed"]
    found = start.first_result("ninetoothed", program, "cpu", tmp_path, with_parts=True)
    parts: dict[str, float] = found["parts"]
    assert sum(parts.values()) == pytest.approx(found["first"])
    assert {"import ninetoothed", "bind", "rest of make", "rest of call"} <= parts.keys()
    second = Times.of([1.0])
    one = start.Start("ninetoothed", "add-fixed", "cold", 1, second, second, parts=parts)
    text = tables.start_parts(Starts(environment(), 1, second, (one,)))
    assert text is not None
    assert text.splitlines()[-1].startswith("| all ")


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
    assert [(case.name, case.tensors) for case in found.cases] == LAUNCHED
    for case in found.cases:
        providers = ["ninetoothed", "triton", "torch"]
        if "shapes" not in case.name:
            providers = ["ninetoothed", launch.DRIVER, "triton", launch.COMPILED]
            providers += ["torch", launch.BIND]
        assert list(case.us) == providers
        assert all(times.median > 0 for times in case.us.values())
    assert done.stdout.startswith(tables.launches(found))


@pytest.mark.gpu
@pytest.mark.slow
def test_churn(tmp_path: Path) -> None:
    for one in churn.churns("cuda", smoke=True):
        assert one.later == 0
        # Each is lowered by our compiler and compiled by Triton.
        assert one.first == 2 * one.signatures


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
