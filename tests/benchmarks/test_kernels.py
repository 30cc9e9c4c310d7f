"""The command line of ``benchmarks.kernels``, and a run of it without a GPU."""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import subprocess
import sys
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch

from benchmarks import contenders, kernels
from benchmarks.cases import choose, tasks
from benchmarks.measure import Measurer
from benchmarks.operation import AUTOTUNED, COMPILED, OTHERS, OURS, TRITON, Function
from benchmarks.operations import operations
from benchmarks.records import Record, ResultsError, read, write
from benchmarks.results import Results
from benchmarks.triton_kernels import COMPILE_ONLY
from ninetoothed.runtime.toolchain.triton import compat
from tests.benchmarks.fake import CEILINGS, OPERATION, case, environment, run
from tests.support.imports import ROOT

FOLDER = ROOT / "benchmarks" / "operations"
AUTOTUNED_OPERATIONS = (
    *("addmm", "bmm", "conv2d", "fp8_matmul", "fused_linear", "int8_matmul"),
    *("matmul", "matmul_nt", "matmul_tn", "matmul_tt", "w4a16_matmul"),
)
no_gpu = pytest.mark.skipif(torch.cuda.is_available(), reason="a GPU is there")


@pytest.fixture(autouse=True)
def two_operations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "operations", lambda: {"double": OPERATION, "add": OPERATION})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--ops nothing", "there is no operation 'nothing'; operations are double, add"),
        ("--ops dou*,sub_*", "there is no operation 'sub_*'; operations are double, add"),
        ("--ops ,", "no operation was named; operations are double, add"),
        (
            "--providers cutlass",
            "there is no provider 'cutlass'; providers are ninetoothed, triton, torch, "
            "torch.compile, torch.compile.max-autotune, liger, helion, tilelang",
        ),
        (
            "--sizes huge",
            "there is no size 'huge'; sizes are small, medium, large, ragged, ragged_large, "
            "rows_256, rows_4096, rows_16384, square_1024, square_4096, decode_1, decode_16, "
            "decode_64, decode_down_64, batch_512, batch_1024, dim_64_length_512, "
            "dim_64_length_1024, dim_64_length_2048, dim_64_length_4096, dim_64_length_8192, "
            "dim_64_length_16384, dim_128_length_512, dim_128_length_1024, dim_128_length_2048, "
            "dim_128_length_4096, dim_128_length_8192, dim_128_length_16384, layer_3x3_stride_2, "
            "layer_1x1, layer_1x1_stride_2, top_50_of_256, top_8_of_50257, top_8_of_128256, "
            "top_50_of_128256",
        ),
        ("--dtypes fp64", "there is no dtype 'fp64'; dtypes are fp16, bf16, fp32"),
        ("--layouts blocked", "there is no layout 'blocked'; layouts are contiguous, strided"),
    ],
)
def test_unknown_names(arguments: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert kernels.main(arguments.split()) == kernels.UNUSABLE
    assert capsys.readouterr().err == f"error: {message}\n"


@no_gpu
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            "",
            "no GPU was found, and kernels are timed on a GPU; --check compares ninetoothed and "
            "torch with float64 on the CPU, at size small",
        ),
        ("--check --sizes small large", "without a GPU, only --sizes small is checked"),
        (
            "--check --providers triton",
            "none of the providers can run here: triton: needs a GPU",
        ),
        (
            "--check --json x.json",
            "--check times nothing that --json could hold; leave one of them out",
        ),
        ("--check --merge", "--merge adds to the results of --json FILE; name the file"),
        (
            "--check --dtypes fp16",
            "none of these operations has such a case; they have\n"
            "  double: fp32; contiguous, strided\n"
            "  add: fp32; contiguous, strided",
        ),
    ],
)
def test_what_cannot_be_done(
    arguments: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert kernels.main(arguments.split()) == kernels.UNUSABLE
    assert capsys.readouterr().err == f"error: {message}\n"


@pytest.mark.parametrize("arguments", ["--jobs -1", "--repeats 0", "--timeout soon"])
def test_numbers(arguments: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        kernels.main(arguments.split())
    assert ended.value.code == kernels.UNUSABLE
    assert "must be " in capsys.readouterr().err


def test_names() -> None:
    valid = ("rms_norm", "rms_norm_backward", "softmax")
    assert choose("operation", None, valid) == valid
    assert choose("operation", ["softmax,rms_*"], valid) == valid
    assert choose("operation", ["softmax", "rms_norm"], valid) == ("rms_norm", "softmax")


def test_a_file_that_exists_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    kernels.check_file(path, False, environment())
    write(path, run(case(ninetoothed=1.0)))
    with pytest.raises(kernels.UsageError) as caught:
        kernels.check_file(path, False, environment())
    assert str(caught.value) == f"{path} exists; --merge adds to it, or name another file"
    kernels.check_file(path, True, environment(commit="another"))
    with pytest.raises(ResultsError, match="results of different platforms"):
        kernels.check_file(path, True, environment(device="another GPU"))


def answers(requests: Sequence[Record]) -> Generator[Record]:
    """Ours is right but for one size; Ctrl-C is pressed in the last case."""
    for request in requests:
        yield {"begin": request["action"]}
        found = CEILINGS
        if "size" in request:
            if request["size"] == "small":
                raise KeyboardInterrupt
            us = -1 if request["size"] == "ragged" else 2.0
            found = case(request["size"], ninetoothed=us, torch=4.0)
        yield from ({"record": record} for record in found)
        yield {"end": request["action"]}


def test_ctrl_c_keeps_what_was_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "results.jsonl"
    write(path, run(case("small", "other", ninetoothed=1.0)))
    todo = tasks([OPERATION], layouts=("contiguous",))
    plan = kernels.Plan({"double": OPERATION}, todo, (OURS,), {"liger": "no"}, "cuda")
    arguments = argparse.Namespace(json=path, repeats=None)
    assert kernels.measure(plan, arguments, answers, environment(commit="def")) == kernels.STOPPED
    lines = capsys.readouterr().out.splitlines()
    assert lines[3] == "double ragged fp32 contiguous: ninetoothed failed: wrong"
    assert lines[4].startswith("measure 4/5 at ")
    assert lines[5] == "stopped: what was measured is kept"
    written = Results.of(read(path))
    assert written.missing == ["double small fp32 contiguous"]
    assert [(one.operation, one.fields["size"]) for one in written.cases] == [
        ("other", "small"), ("double", "large"), ("double", "medium"), ("double", "ragged"),
    ]  # fmt: skip
    assert written.left_out == {"liger": "no"}
    assert written.environment["commit"] == "abc, def"


@no_gpu
def test_check_without_a_gpu(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(kernels, "operations", operations)
    arguments = "--check --ops softmax --dtypes fp32 --layouts strided --cache"
    assert kernels.main([*arguments.split(), str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "triton is left out: needs a GPU"
    assert lines[-2].startswith("check 1/1 at ")
    assert lines[-1] == "2 of 2 results agree with torch in float64, 1 cases"


def test_without_triton() -> None:
    code = (
        "import sys; sys.modules['triton'] = None; from benchmarks import contenders, kernels; "
        "print(contenders.left_out(['triton'], on_gpu=True)); sys.exit(kernels.main(sys.argv[1:]))"
    )

    done = subprocess.run(
        [sys.executable, "-c", code, "--ops", "nothing"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == kernels.UNUSABLE
    assert done.stderr.startswith("error: there is no operation 'nothing'; operations are add, ")
    assert done.stdout.startswith("{'triton': 'not installed (")


def test_the_kernels_by_hand_exist() -> None:
    if not compat.available():
        pytest.skip("Triton is not installed")
    assert all(callable(operation.triton()) for operation in operations().values())


def test_who_is_autotuned(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, resets = list[dict[str, object]](), list[bool]()
    monkeypatch.setattr("torch._dynamo.reset", lambda: resets.append(True))

    def compile(function: Function, **options: object) -> Function:
        asked.append(options)
        return function

    monkeypatch.setattr(torch, "compile", compile)
    autotuned = [
        name
        for name, one in operations().items()
        if contenders.function(AUTOTUNED, one) is not None
    ]
    assert autotuned == list(AUTOTUNED_OPERATIONS)
    inductor: Any = importlib.import_module("torch._inductor")
    mode = inductor.list_mode_options("max-autotune-no-cudagraphs")
    options = {**mode, "fx_graph_cache": False}
    assert asked == [{"dynamic": False, "options": options}] * len(autotuned)
    assert contenders.function(COMPILED, OPERATION) is OPERATION.torch
    assert asked[-1] == {"dynamic": False, "options": {}}
    # One would forget the other's code.
    assert not resets
    contenders.start_case()
    assert len(resets) == 1


@pytest.mark.gpu
def test_a_case_of_all_providers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(kernels, "operations", operations)
    path = tmp_path / "results.jsonl"
    arguments = "--ops softmax --dtypes fp16 --layouts contiguous --sizes small --jobs 2 --json"
    assert kernels.main([*arguments.split(), str(path), "--cache", str(tmp_path / "cache")]) == 0
    (found,) = Results.of(read(path)).cases
    own = {name: one for name, one in found.measurements.items() if name not in OTHERS}
    assert set(own) == {"ninetoothed", "triton", "torch", "torch.compile"}
    for one in own.values():
        assert 0 < one["gpu_us_low"] <= one["gpu_us"] <= one["gpu_us_high"]
        assert {"host_us", "graph_us"} <= one.keys()
    assert "choice" in own["ninetoothed"]
    assert "choice" in own["triton"]
    assert found.floor_us is not None


@pytest.mark.gpu
@pytest.mark.slow
# Resetting torch's compiler imports it.
@pytest.mark.filterwarnings("ignore:`torch.jit.script_method` is deprecated:DeprecationWarning")
@pytest.mark.parametrize("topic", [entry.name for entry in pkgutil.iter_modules([str(FOLDER)])])
def test_small_cases_are_right(topic: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Compiled is the most promising configuration of ours, and Triton's tuner times nothing.
    monkeypatch.setenv("NINETOOTHED_TUNE", "off")
    monkeypatch.setenv(COMPILE_ONLY, "1")
    for operation in importlib.import_module(f"benchmarks.operations.{topic}").OPERATIONS:
        one = tasks([operation], ["small"])[0]
        found = Measurer(operation, one, (OURS, TRITON), "cuda").measure()
        assert len(found) == 2
        assert not [record for record in found if "failure" in record]
