"""Inputs of ``nt-opt --run``: numbers, element types that NumPy lacks, files, jagged tensors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ninetoothed.testing.filecheck import nt_opt
from tests.support.imports import ROOT
from tests.support.nt_opt_texts import text_of

SCALED = """
from ninetoothed import Tensor, make

def arrangement(x, scale, y):
    return x.tile((16,)), scale, y.tile((16,))

def application(x, scale, y):
    y = x * scale

kernel = make(arrangement, application, (Tensor(1), Tensor(0), Tensor(1)), kernel_name="scaled")
"""
PADDING = str(ROOT / "examples" / "jagged_padding.py")
X = np.arange(4, dtype=np.float32)
SAVE = "give a file that numpy.savez writes, as in numpy.savez(path, x=x, y=y)"


@pytest.fixture(scope="module")
def scaled(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A kernel of a tensor and a number."""
    path = tmp_path_factory.mktemp("scaled") / "scaled.py"
    path.write_text(SCALED)
    return str(path)


def saved(folder: Path, **arrays: Any) -> str:
    path = folder / "inputs.npz"
    np.savez(path, **arrays)
    return str(path)


def error_of(*arguments: str) -> str:
    """The message of a run that fails."""
    result = nt_opt([*arguments, "--run"])
    assert (result.code, result.out) == (1, "")
    return result.err.splitlines()[-1].removeprefix("nt-opt: ArgumentError: ")


@pytest.mark.parametrize("dtype", ["fp32", "fp16", "bf16", "i32", "u8"])
def test_numbers_have_the_types_of_the_kernel(scaled: str, dtype: str, tmp_path: Path) -> None:
    inputs = saved(tmp_path, x=X)
    options = ["--run", "--inputs", inputs, "--set", "scale=3"]
    result = nt_opt([scaled, "--dtype", f"scale={dtype}", *options])
    assert result.out.endswith("\n  0, 3, 6, 9\n"), result.err
    assert "scale:" not in result.err.replace(f"scale: {dtype}", "")
    stage = tmp_path / "tt.mlir"
    stage.write_text(text_of(scaled, "--dtype", f"scale={dtype}", "-t", "tt"))
    assert text_of(str(stage), *options) == result.out


@pytest.mark.parametrize(
    ("dtype", "array", "shown"),
    [
        ("u8", np.array([200, 3], np.uint8), "144, 6"),
        ("i8", np.array([-100, 3], np.int8), "56, 6"),
        ("u64", np.array([1 << 63, 3], np.uint64), "0, 6"),
        ("i1", np.array([True, False]), "True, False"),
    ],
)
def test_element_types_that_tritons_memory_does_not_have(
    scaled: str, dtype: str, array: Any, shown: str, tmp_path: Path
) -> None:
    kernel = [scaled, *(f"--dtype={name}={dtype}" for name in ("x", "scale", "y"))]
    options = ["--run", "--inputs", saved(tmp_path, x=array), "--set", "scale=1"]
    if dtype != "i1":
        options[-1] = "scale=2"
    first = text_of(*kernel, *options)
    assert first.startswith(f"y: {dtype}[2] sha256 ")
    assert first.endswith(f"\n  {shown}\n")
    stage = tmp_path / "tt.mlir"
    stage.write_text(text_of(*kernel, "-t", "tt"))
    assert text_of(str(stage), *options) == first


def test_random_numbers_are_said(scaled: str) -> None:
    result = nt_opt([scaled, "--run", "--shape", "x=4", "--dtype", "scale=i32"])
    assert result.err.splitlines()[-1] == "// scale: i32 5, random"


@pytest.mark.parametrize(
    ("dtype", "value"),
    [
        ("i32", "3.5"),
        ("i32", "2147483648"),
        ("u8", "-1"),
        ("u8", "256"),
        ("i8", "-129"),
        ("i1", "2"),
        ("fp32", f"1{'0' * 310}"),
    ],
)
def test_numbers_that_a_type_does_not_hold(
    scaled: str, dtype: str, value: str, tmp_path: Path
) -> None:
    message = f"--set scale={value}: scale is of {dtype}, which does not hold it"
    options = "--set", f"scale={value}"
    assert error_of(scaled, "--dtype", f"scale={dtype}", *options) == message
    stage = tmp_path / "tt.mlir"
    stage.write_text(text_of(scaled, "--dtype", f"scale={dtype}", "-t", "tt"))
    assert error_of(str(stage), *options) == message


def test_numbers_that_there_are_not(scaled: str, tmp_path: Path) -> None:
    assert error_of(scaled, "--set", "sclae=2") == (
        "scaled has no argument sclae; did you mean scale?"
    )
    stage = tmp_path / "tt.mlir"
    stage.write_text(text_of(scaled, "-t", "tt"))
    assert error_of(str(stage), "--set", "sclae=2") == (
        "--set: there is no number sclae to give; did you mean scale?"
    )
    assert error_of(str(stage), "--set", "n=2") == (
        "--set: there is no number n to give; there are scale"
    )
    frontend = tmp_path / "frontend.mlir"
    frontend.write_text(text_of(str(ROOT / "examples" / "add.py")))
    assert error_of(str(frontend)) == (
        "the text does not say the value of BLOCK_SIZE_0; give it, as in --set BLOCK_SIZE_0=64"
    )


@pytest.mark.parametrize("dtype", ["bf16", "fp8e5", "fp8e4nv"])
def test_types_that_numpy_lacks_come_from_single_precision(
    scaled: str, dtype: str, tmp_path: Path
) -> None:
    outputs = str(tmp_path / "out.npz")
    inputs = saved(tmp_path, x=X, scale=np.float32(2))
    kernel = [scaled, "--dtype", f"x={dtype}", "--dtype", f"y={dtype}"]
    found = text_of(*kernel, "--run", "--inputs", inputs, "--outputs", outputs)
    assert found.startswith(f"y: {dtype}[4] sha256 ")
    assert found.endswith("\n  0, 2, 4, 6\n")
    kept = np.load(outputs)["y"]
    assert (kept.dtype, kept.tolist()) == (np.float32, [0, 2, 4, 6])
    # Random ones are rounded to the type, too.
    assert text_of(*kernel, "--run", "--shape", "x=4").startswith(f"y: {dtype}[4] sha256 ")
    assert error_of(*kernel, "--inputs", saved(tmp_path, x=X.astype(np.float16), scale=X[0])) == (
        f"--inputs: x is an array of float16; the kernel takes {dtype}, so give one of float32"
    )


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"x": X}, "--inputs: {file} has no array scale, which the kernel reads"),
        ({"scale": X[0]}, "--inputs: {file} has no array x, which the kernel reads"),
        (
            {"x": X, "scale": X[0], "sclae": X},
            "--inputs: there is no parameter sclae; did you mean scale?",
        ),
        (
            {"x": X, "scale": X[0], "weight": X},
            "--inputs: there is no parameter weight; parameters are x, scale, y",
        ),
        (
            {"x": X.astype(np.float64), "scale": X[0]},
            "--inputs: x is an array of float64; the kernel takes fp32, so give one of float32",
        ),
        (
            {"x": np.array(["a", "b"]), "scale": X[0]},
            "--inputs: x is an array of <U1; the kernel takes fp32, so give one of float32",
        ),
        ({"x": X.reshape(2, 2), "scale": X[0]}, "x must be a tensor of 1 dims, not 2"),
        (
            {"x": X, "scale": X},
            "--inputs: scale is a number, so give an array of no dims, not of shape (4,); write "
            "scale=scale.item()",
        ),
        (
            {"x": np.array([None]), "scale": X[0]},
            "--inputs {file}: Object arrays cannot be loaded when allow_pickle=False; " + SAVE,
        ),
    ],
)
def test_files_that_do_not_fit(
    scaled: str, arrays: dict[str, Any], message: str, tmp_path: Path
) -> None:
    inputs = saved(tmp_path, **arrays)
    assert error_of(scaled, "--inputs", inputs) == message.format(file=inputs)


def test_files_that_are_none(scaled: str, tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    for text in ("", "hello"):
        path.write_text(text)
        assert error_of(scaled, "--inputs", str(path)) == (
            f"--inputs {path}: it is no .npz file; {SAVE}"
        )
    np.save(path.with_suffix(".npy"), X)
    assert error_of(scaled, "--inputs", str(path.with_suffix(".npy"))) == (
        f"--inputs {path.with_suffix('.npy')}: it is no .npz file; {SAVE}"
    )
    path.unlink()
    assert error_of(scaled, "--inputs", str(path)) == (
        f"nt-opt: FileNotFoundError: [Errno 2] No such file or directory: '{path}'"
    )


def test_shapes_that_do_not_fit(scaled: str, tmp_path: Path) -> None:
    inputs = saved(tmp_path, x=X, scale=X[0])
    assert error_of(scaled, "--inputs", inputs, "--shape", "x=5") == (
        "--shape x: the array of --inputs has the shape 4"
    )
    assert error_of(scaled, "--shape", "x=4", "--shape", "y=64").startswith(
        "the outermost shapes of x and y must be equal, one program an element: they are (1,) "
    )
    for size in (10**15, 10**30):
        assert error_of(scaled, "--shape", f"x={size}", "--shape", f"y={size}") == (
            f"x of shape {size} does not fit in memory; give smaller sizes"
        )


def test_other_tensors_are_as_large_as_one_that_is_given(scaled: str) -> None:
    assert text_of(scaled, "--run", "--shape", "x=12345").startswith("y: fp32[12345] sha256 ")


PAD = [PADDING, "--kernel", "pad_kernel(1.5)"]


@pytest.fixture(scope="module")
def stages(tmp_path_factory: pytest.TempPathFactory) -> list[list[str]]:
    """The example that pads sequences, in several stages."""
    found = [PAD]
    for stage in ("composed", "padded", "tt"):
        path = tmp_path_factory.mktemp("pad") / f"{stage}.mlir"
        path.write_text(text_of(*PAD, "-t", stage))
        found.append([str(path)])
    return found


def test_random_sequences_are_the_same_in_every_stage(stages: list[list[str]]) -> None:
    shapes = ["--run", "--shape", "input=3x10x4", "--shape", "output=3x12x4"]
    first = nt_opt([*PAD, *shapes])
    assert first.out.startswith("output: fp32[3, 12, 4] sha256 "), first.err
    assert "// input: fp32[3, up to 10, 4] random, seed 0\n" in first.err
    for stage in stages:
        assert text_of(*stage, *shapes) == first.out
        assert text_of(*stage, *shapes, "--seed", "1") != first.out
        # Nothing but random shapes.
        assert text_of(*stage, "--run").startswith("output: fp32[25, 25, 25] sha256 ")
        assert text_of(*stage, "--run", "--shape", "input=0x0x4").startswith("output: fp32[0, ")


def test_sequences_of_a_file(stages: list[list[str]], tmp_path: Path) -> None:
    elements = np.arange(1, 7, dtype=np.float32).reshape(6, 1)
    # The first element and the last one are of no sequence.
    inputs = saved(tmp_path, input=elements, input_offsets=np.array([1, 3, 3, 5]))
    outputs = tmp_path / "outputs.npz"
    options = ["--run", "--inputs", inputs, "--shape", "output=3x2x1", "--outputs", str(outputs)]
    for stage in stages:
        assert text_of(*stage, *options).endswith("\n  2, 3, 1.5, 1.5, 4, 5\n")
        assert np.load(outputs)["output"].reshape(3, 2).tolist() == [[2, 3], [1.5, 1.5], [4, 5]]


def test_a_jagged_output_is_kept_with_its_offsets(tmp_path: Path) -> None:
    kernel = [PADDING, "--kernel", "unpad_kernel", "--run"]
    path = tmp_path / "out.npz"
    shapes = "--shape", "input=4x6x2", "--shape", "output=4x6x2"
    found = text_of(*kernel, *shapes, "--outputs", str(path))
    assert found.startswith("output: fp32[4, up to 6, 2] sha256 ")
    kept = np.load(path)
    assert kept["output_offsets"].dtype == np.int64
    assert kept["output"].shape == (kept["output_offsets"][-1], 2)
    # It is an input of the way back.
    back = saved(tmp_path, input=kept["output"], input_offsets=kept["output_offsets"])
    padded = text_of(*PAD, "--run", "--inputs", back, "--outputs", str(path))
    assert padded.startswith("output: fp32[4, ")


def test_tensors_whose_sequences_are_equal(tmp_path: Path) -> None:
    """The kernel adds them, and checks that."""
    path = tmp_path / "added.py"
    path.write_text(
        "from ninetoothed import Tensor, make\n"
        "def arrangement(x, y, z):\n"
        "    return tuple(one.tile((1, 16)) for one in (x, y, z))\n"
        "def application(x, y, z):\n"
        "    z = x - y\n"
        "tensors = [Tensor(2, jagged_dim=1) for _ in range(3)]\n"
        "kernel = make(arrangement, application, tensors)\n"
    )
    result = nt_opt([str(path), "--run"])
    assert result.out.startswith("z: fp32[128, up to 128] sha256 "), result.err
    ones = np.ones(5, np.float32)
    inputs = saved(tmp_path, x=ones, x_offsets=np.array([0, 2, 5]), y=ones, y_offsets=[0, 3, 5])
    assert error_of(str(path), "--inputs", inputs, "-t", "tt") == (
        "nt-opt: CheckError: the sequences of x and y must have equal lengths, but their offsets "
        "differ; make one with torch.nested.nested_tensor_from_jagged(values, x.offsets())"
    )


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        (
            {"input": np.ones((6, 1), np.float32)},
            "--inputs: {file} has no array input_offsets: the start of each sequence of input, and "
            "the end of the last one",
        ),
        (
            {"input_offsets": np.array([0, 6])},
            "--inputs: {file} has input_offsets, and no array input, whose sequences it tells "
            "apart",
        ),
        (
            {"input": np.ones((2, 3, 1), np.float32), "input_offsets": np.array([0, 6])},
            "--inputs: input is jagged, so its array must have 2 dims, its sequences one behind "
            "another, not 3",
        ),
        *(
            (
                {"input": np.ones((6, 1), np.float32), "input_offsets": np.array(offsets)},
                "--inputs: input_offsets must rise from 0 or more to at most 6, the size of dim 0 "
                "of input",
            )
            for offsets in ([0, 7], [-1, 6], [0, 4, 2])
        ),
        *(
            (
                {"input": np.ones((6, 1), np.float32), "input_offsets": offsets},
                "--inputs: input_offsets must be integers along one dim, at least one, not "
                f"{offsets.dtype} of shape {offsets.shape}",
            )
            for offsets in (np.array([0.0, 6.0]), np.array(6), np.array([], np.int64))
        ),
    ],
)
def test_sequences_that_do_not_fit(arrays: dict[str, Any], message: str, tmp_path: Path) -> None:
    inputs = saved(tmp_path, **arrays)
    assert error_of(*PAD, "--inputs", inputs) == message.format(file=inputs)
