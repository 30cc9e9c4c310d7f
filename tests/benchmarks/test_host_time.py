"""The benchmarks of the host's time: on a GPU in short, and what they say without one."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, cast
from unittest import mock

import pytest
import torch

from benchmarks import (
    against,
    churn,
    compile_time,
    first_result,
    functions,
    launch,
    start,
    tables,
)
from benchmarks.operations import operations
from benchmarks.processes import ProcessError
from benchmarks.records import Record, of_kind, read
from ninetoothed.artifacts.artifact import Artifact
from ninetoothed.artifacts.configuration import Config
from ninetoothed.artifacts.target import Target
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.runtime.toolchain import pool
from tests.benchmarks.fake import environment
from tests.support.imports import ROOT

without_gpu = pytest.mark.skipif(torch.cuda.is_available(), reason="says what happens without one")


def run(module: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """``python -m benchmarks.<module>``."""
    command = [sys.executable, "-m", f"benchmarks.{module}", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


def test_compile_time_of_one_kernel(tmp_path: Path) -> None:
    path = tmp_path / "times.jsonl"
    done = run(
        "compile_time", "--kernels", "add_kernel", "--repeats", "1", "--no-triton",
        "--json", str(path), "--commit", "a copy",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = read(path)
    assert (found[0]["commit"], found[0]["dirty"]) == ("a copy", None)
    rows = of_kind(found, "compile")
    assert {(row["kernel"], row["example"], row["dtype"]) for row in rows} == {
        ("add_kernel", "add", "fp16")
    }
    frontend, first, *passes, emit, ours = rows
    assert (frontend["part"], emit["part"], ours["part"]) == ("frontend", "emit", "ours")
    assert (first["part"], first["step"]) == ("passes", "nt-check-arrangement")
    assert ours["ms"] == pytest.approx(sum(one["ms"] for one in (frontend, first, *passes, emit)))
    assert [one["example"] for one in of_kind(found, "file")] == ["add"]
    assert done.stdout.startswith(tables.compile_times(found))


def test_triton_stages() -> None:
    pytest.importorskip("triton")
    rows = compile_time.measure("add", compile_time.example_kernels()["add_kernel"][1], 1, True)
    assert tuple(row["part"] for row in rows[-5:]) == compile_time.STAGES
    assert all(row["ms"] > 0 for row in rows)


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
    ("add, by keyword", 3),
    ("add in place", 3),
    ("sum of seven", 8),
    ("matmul", 3),
    ("add, new shapes", 3),
    ("add, shapes in turn", 3),
]


def cases(found: list[Record]) -> list[tuple[str, int]]:
    return list(dict.fromkeys((one["case"], one["tensors"]) for one in of_kind(found, "launch")))


@pytest.mark.slow
@without_gpu
def test_launch_smoke(tmp_path: Path) -> None:
    path = tmp_path / "launches.jsonl"
    done = run("launch", "--smoke", "--churn", "--json", str(path))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("a smoke run: the times say nothing\n")
    found = read(path)
    assert cases(found) == LAUNCHED
    providers = ["ninetoothed", launch.OPERATOR, "torch", launch.BIND]
    assert [one["provider"] for one in found[1:5]] == providers
    assert [(one["case"], one["shapes"], one["calls"]) for one in of_kind(found, "churn")] == [
        ("add", 10, 20),
        ("matmul", 8, 20),
    ]
    assert str(tables.churn(found)) in done.stdout


def test_functions_of_examples(tmp_path: Path) -> None:
    path = tmp_path / "functions.jsonl"
    done = run("launch", "--functions", "--smoke", "--json", str(path))
    assert done.returncode == 0, done.stderr
    rows = of_kind(read(path), "function")
    measured = {name for name, one in operations().items() if not one.is_gradient}
    assert {row["operation"] for row in rows} == measured
    assert all(row["us"] > 0 and row["calls_us"] > 0 for row in rows)
    assert str(tables.functions(rows)) in done.stdout


def test_calls_of_a_function_are_those_of_kernels_and_torch_empty() -> None:
    add, lhs = operations()["add"], torch.zeros(3)
    kernel = mock.Mock()
    output: list[torch.Tensor] = []

    def add_up(self: Kernel, *tensors: torch.Tensor) -> None:
        kernel(*tensors)
        output.append(tensors[-1])

    with mock.patch.object(Kernel, "__call__", add_up):
        allocated, called = functions.calls_of(add.ours, (lhs, lhs))
        called()
    first, again = output
    assert first is again
    assert allocated().shape == first.shape
    assert [call.args for call in kernel.call_args_list] == 2 * [(lhs, lhs, first)]


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
    cases = {case.name: case for case in launch.cases("cpu", calls=4)}
    fresh = cases["add, new shapes"]
    found = launch.measure(fresh, calls=4, batches=100)
    # Six shapes are two batches of four.
    assert found[-1]["provider"] == "torch"
    assert found[-1]["samples"] == fresh.batches == 2
    assert len(sizes) == len(set(sizes))
    assert all(size % 16 == 0 for size in sizes)


def test_the_drivers_part_is_given_the_pointers(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[tuple[Any, ...]] = []

    def run(*arguments: Any) -> None:
        ran.append(arguments)

    launcher = SimpleNamespace(run=run)
    # The second argument of the device function is a size.
    launched = (SimpleNamespace(launcher=launcher, sources=(1, None, 0)), 3, b"packed")
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
    with mock.patch.object(pool, "compile", list):
        found = churn.churn("add", kernel, shapes, calls=9, traced=6)
    assert (found["shapes"], found["first"], found["later"]) == (3, 3, 1)
    assert kernel.calls == 3 + 9 + 3 + 6
    # Of a multiple of 16, and of others.
    assert found["signatures"] == 2
    assert found["resident_before"] > 0


@pytest.mark.slow
@without_gpu
def test_start_without_gpu(tmp_path: Path) -> None:
    path = tmp_path / "starts.jsonl"
    done = run("start", "--programs", "add-fixed", "--repeats", "1", "--json", str(path))
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith(
        "no GPU found: ours alone is measured, on CPU tensors, which it interprets\n"
    )
    found = read(path)
    rows = of_kind(found, "start")
    assert [(row["provider"], row["program"], row["cache"]) for row in rows] == [
        ("ninetoothed", "add-fixed", cache) for cache in ("cold", "warm")
    ]
    assert [row["uncompiled"] for row in rows] == [0, 0]
    assert all(0 < row["imported"] < row["first"] for row in rows)
    assert done.stdout.startswith(tables.starts(found))


def test_warm_ups_import_what_the_programs_do() -> None:
    assert start.warm_ups("ninetoothed", list(start.PROGRAMS)) == [
        "add-fixed", "matmul-fixed-4096", "matmul-tuned", "attention-tuned",
    ]  # fmt: skip
    assert start.warm_ups("triton", list(start.PROGRAMS)) == ["add-fixed", "matmul-fixed-4096"]
    assert start.warm_ups("triton", ["matmul-tuned"]) == ["matmul-tuned"]


@pytest.mark.slow
def test_parts_of_a_start(tmp_path: Path) -> None:
    program = start.PROGRAMS["add-fixed"]
    found = start.first_result("ninetoothed", program, "cpu", tmp_path, with_parts=True)
    assert {"built in", "xdsl", "ninetoothed.ir", "less than 1 ms each"} <= found["parts"].keys()
    assert all(seconds >= 0 for seconds in found["parts"].values())


def test_parts_are_packages_and_our_rooms() -> None:
    found = first_result.parts(
        {
            str(ROOT / "ninetoothed" / "ir" / "nt" / "ops.py"): 0.5,
            str(ROOT / "ninetoothed" / "ir" / "stages.py"): 0.25,
            str(ROOT / "ninetoothed" / "dtype.py"): 0.125,
            "/venv/lib/site-packages/xdsl/ir/core.py": 1.0,
            "<frozen importlib._bootstrap>": 0.0625,
            "/usr/lib/python3.12/inspect.py": 0.0005,
            "~": 2.0,
        }
    )
    assert list(found.items()) == [
        ("built in", 2.0), ("xdsl", 1.0), ("ninetoothed.ir", 0.75), ("ninetoothed.dtype", 0.125),
        ("importing", 0.0625), ("less than 1 ms each", 0.0005),
    ]  # fmt: skip


def test_byte_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", None)
    (tmp_path / "nine_module.py").write_text("")
    module = importlib.import_module("nine_module")
    monkeypatch.delitem(sys.modules, "nine_module")
    cached = Path(str(module.__cached__))
    written = cached.stat().st_mtime
    # It was there when a process started that started later.
    assert first_result.uncompiled([module, sys], written + 1) == 0
    assert first_result.uncompiled([module], written - 1) == 1
    cached.unlink()
    assert first_result.uncompiled([module], written + 1) == 1


def test_start_tells_why_a_process_failed(tmp_path: Path) -> None:
    program = start.Program("add", "tuned", (8,), (8,))
    with pytest.raises(ProcessError) as caught:
        start.first_result("ninetoothed", program, "cpu", tmp_path)
    assert str(caught.value).startswith("the process died (exit code 1) | ")
    assert "AttributeError: " in str(caught.value)


CHECKOUT = """\
import json, os, sys
from pathlib import Path

calls = Path("calls")
calls.write_text(f"{calls.read_text() if calls.exists() else ''}{sys.argv[1:-2]}\\n")
assert os.environ["PYTHONPATH"] == os.getcwd()
if sys.argv[1] == "--smoke":
    sys.exit("no")
environment = {"kind": "environment"}
add = {"kind": "launch", "case": "add", "provider": "torch", "us": 4.0}
Path(sys.argv[-1]).write_text(json.dumps(environment) + "\\n" + json.dumps(add) + "\\n")
"""
COMPARED = """\
|                  | here | there | here / there | most over least of a checkout |
| :--------------- | ---: | ----: | -----------: | ----------------------------: |
| launch add torch | 4.00 |  4.00 |         1.00 |                          1.00 |
| *geometric mean* |      |       |         1.00 |                               |
"""


@pytest.fixture
def checkouts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """This one and another, whose benchmarks are the script above."""
    found = [tmp_path / "here", tmp_path / "there"]
    for folder in found:
        (folder / "benchmarks").mkdir(parents=True)
        (folder / "benchmarks" / "__init__.py").touch()
        (folder / "benchmarks" / "launch.py").write_text(CHECKOUT)
    monkeypatch.setattr(against, "ROOT", found[0])
    return found


def test_two_checkouts_in_one_run(
    checkouts: list[Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["launch", "--calls", "7", "--churn", "--against", str(checkouts[1]), "--rounds", "3"]
    monkeypatch.setattr(sys, "argv", command)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    launch.main()
    printed = capsys.readouterr()
    assert printed.out == COMPARED
    order = [line.partition(": ")[2] for line in printed.err.splitlines()]
    assert order == ["here", "there", "there", "here", "here", "there"]
    options = "['--calls', '7', '--batches', '200', '--churn']\n"
    assert [(folder / "calls").read_text() for folder in checkouts] == [3 * options] * 2


def test_a_checkout_that_fails(checkouts: list[Path]) -> None:
    with pytest.raises(SystemExit, match=r"launch of .*here failed: exit code 1"):
        against.run(checkouts[0], "launch", ["--smoke"])


def test_values_of_one_name_are_summed_up() -> None:
    fields = {"kind": "compile", "kernel": "add", "part": "passes"}
    found = against.values([environment(), {**fields, "ms": 1.0}, {**fields, "ms": 2.0}])
    assert found == {("compile", "add", "passes"): 3.0}


@pytest.mark.gpu
def test_launch(tmp_path: Path) -> None:
    path = tmp_path / "launches.jsonl"
    done = run("launch", "--calls", "10", "--batches", "3", "--json", str(path))
    assert done.returncode == 0, done.stderr
    found = read(path)
    assert cases(found) == LAUNCHED
    for name, _ in LAUNCHED:
        providers = ["ninetoothed", launch.DRIVER, "triton", launch.COMPILED]
        providers += [launch.OPERATOR, "torch", launch.BIND]
        if "shapes" in name:
            providers = ["ninetoothed", "triton", "torch"]
        elif "keyword" in name:
            providers = ["ninetoothed", "torch"]
        own = [one for one in of_kind(found, "launch") if one["case"] == name]
        assert [one["provider"] for one in own] == providers
        assert all(one["us"] > 0 for one in own)
    assert done.stdout.startswith(tables.launches(found))


@pytest.mark.gpu
@pytest.mark.slow
def test_churn(tmp_path: Path) -> None:
    for one in churn.churns("cuda", smoke=True):
        assert one["later"] == 0
        # Each is lowered by our compiler and compiled by Triton.
        assert one["first"] == 2 * one["signatures"]


@pytest.mark.gpu
@pytest.mark.slow
def test_start(tmp_path: Path) -> None:
    path = tmp_path / "starts.jsonl"
    arguments = ("--programs", "add-fixed", "--repeats", "1", "--commit", "a copy")
    done = run("start", *arguments, "--json", str(path))
    assert done.returncode == 0, done.stderr
    assert "failed" not in done.stderr
    found = read(path)
    assert len(of_kind(found, "start")) == 4
    assert found[0]["commit"] == "a copy"
