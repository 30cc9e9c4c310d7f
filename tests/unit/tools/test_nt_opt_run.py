"""``nt-opt --run``: the same result in every stage, and exact messages."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from ninetoothed.testing.filecheck import nt_opt
from tests.support.imports import ROOT
from tests.support.nt_opt_texts import text_of

ADD = str(ROOT / "examples" / "add.py")
SOFTMAX = str(ROOT / "examples" / "softmax.py")


def error_of(*arguments: str) -> str:
    result = nt_opt(arguments)
    assert result.code in (1, 2)
    return result.err.splitlines()[-1]


def test_every_stage_gives_the_same(tmp_path: Path) -> None:
    arguments = [ADD, "--run", "--shape", "lhs=10", "--seed", "3"]
    first = nt_opt(arguments)
    assert first.code == 0, first.err
    assert first.out.startswith("output: fp32[")
    assert "// lhs: fp32[10] random, seed 3\n" in first.err
    for stage in ("composed", "padded", "scheduled", "tt"):
        assert nt_opt([*arguments, "-t", stage]).out == first.out


def test_inputs_and_outputs_are_files(tmp_path: Path) -> None:
    inputs, outputs = tmp_path / "in.npz", tmp_path / "out.npz"
    one = np.arange(5, dtype=np.float32)
    np.savez(inputs, lhs=one, rhs=one, output=np.zeros_like(one))
    result = nt_opt([ADD, "--run", "--inputs", str(inputs), "--outputs", str(outputs)])
    assert result.code == 0, result.err
    assert result.out.endswith("\n  0, 2, 4, 6, 8\n")
    assert np.load(outputs)["output"].tolist() == [0, 2, 4, 6, 8]
    np.savez(inputs, lhs=one)
    assert error_of(ADD, "--run", "--inputs", str(inputs)) == (
        f"nt-opt: ArgumentError: --inputs: {inputs} has no array rhs, which the kernel reads"
    )


@pytest.mark.parametrize("stage", ["specialized", "padded", "tt"])
def test_a_stage_refuses_sizes_that_it_is_not_for(stage: str, tmp_path: Path) -> None:
    path = tmp_path / "stage.mlir"
    path.write_text(text_of(SOFTMAX, "-t", stage))
    assert error_of(str(path), "--run", "--shape", "input=5x2000") == (
        "nt-opt: ArgumentError: input_size_1 is 2000, and the module is for at most 1024, to which "
        "its blocks are padded"
    )


SPECIAL = """
from ninetoothed import Tensor, make

def arrangement(x, y):
    return x.tile((1, 16)), y.tile((1, 16))

def application(x, y):
    y = x + 1

kernel = make(arrangement, application, (Tensor(2), Tensor(2)))
"""


@pytest.fixture(scope="module")
def special(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Stages of a kernel whose second size is a multiple of 16 from 8 to 64, and the first
    tensor's rows lie a multiple of 16 apart; the default sizes are such.
    """
    folder = tmp_path_factory.mktemp("special")
    (folder / "kernel.py").write_text(SPECIAL)
    composed = text_of(str(folder / "kernel.py"), "-t", "composed")
    options = 'divisors="x_size_1=16","x_stride_0=16"'
    assert "nt-specialize{" in composed
    composed = re.sub(r"divisors=[^ }]* ?", "", composed)
    composed = composed.replace("nt-specialize{", f"nt-specialize{{{options} ", 1)
    composed = composed.replace("x_size_1 size 0 to ?", "x_size_1 size 8 to 64")
    for stage in ("specialized", "scheduled", "tt"):
        (folder / f"{stage}.mlir").write_text(text_of("-t", stage, stdin=composed))
    return folder


@pytest.mark.parametrize("stage", ["specialized", "scheduled", "tt"])
@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ("3x40", "x_size_1 is 40, and the module is for multiples of 16"),
        ("3x4", "x_size_1 is 4, and the module is for multiples of 16"),
        ("3x80", "x_size_1 is 80, and the module is for at most 64"),
        ("3x0", "x_size_1 is 0, and the module is for at least 8"),
    ],
)
def test_a_stage_refuses_what_it_is_not_specialized_for(
    special: Path, stage: str, shape: str, message: str
) -> None:
    path = str(special / f"{stage}.mlir")
    assert error_of(path, "--run", "--shape", f"x={shape}") == f"nt-opt: ArgumentError: {message}"
    # Sizes that are not given are found among those that it takes.
    assert "// x: fp32[128, 64] random, seed 0\n" in nt_opt([path, "--run"]).err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--shape", "lsh=4"], "--shape: there is no tensor lsh; did you mean lhs?"),
        (["--shape", "lhs=4x"], "--shape takes NAME=SIZExSIZE, as x=128x64, not 'lhs=4x'"),
        (["--shape", "lhs=4x4"], "lhs must be a tensor of 1 dims, not 2"),
    ],
)
def test_what_does_not_fit(arguments: list[str], message: str) -> None:
    assert error_of(ADD, "--run", *arguments) == f"nt-opt: ArgumentError: {message}"


def test_what_goes_with_run_alone() -> None:
    assert error_of(ADD, "--shape", "lhs=4") == ("nt-opt: error: --shape is for --run; give both")
    assert error_of(ADD, "--run", "-t", "ptx") == (
        "nt-opt: error: --run interprets a stage, as in -t tt; -t ptx is none"
    )
