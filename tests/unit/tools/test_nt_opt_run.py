"""``nt-opt --run``: the same result in every stage, and exact messages."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ninetoothed.testing.filecheck import nt_opt
from tests.support.imports import ROOT

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


def test_a_stage_refuses_sizes_that_it_is_not_for(tmp_path: Path) -> None:
    path = tmp_path / "padded.mlir"
    path.write_text(nt_opt([SOFTMAX, "-t", "padded"]).out)
    assert error_of(str(path), "--run", "--shape", "input=5x2000") == (
        "nt-opt: ArgumentError: input_size_1 is 2000, and the module is for at most 1024, to which "
        "its blocks are padded"
    )


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
