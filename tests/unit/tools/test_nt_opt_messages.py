"""``nt-opt``: exact messages on options, files and texts that are wrong."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ninetoothed.testing.filecheck import nt_opt
from tests.support.imports import ROOT
from tests.support.nt_opt_texts import text_of

ADD = str(ROOT / "examples" / "add.py")
KERNEL = "nt.kernel @k arrange {\n  nt.arranged\n} apply {\n  nt.return\n}\n"
PYTHON = "is for Python files; in IR the options of its passes say it"


def error_of(*arguments: str, stdin: str = KERNEL) -> str:
    """What a run that fails says, without the comments on what it assumes."""
    result = nt_opt(arguments, stdin)
    assert (result.code, result.out) == (1, "")
    lines = [line for line in result.err.splitlines() if not line.startswith("//")]
    return "\n".join(lines).removeprefix("nt-opt: ArgumentError: ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--seed", "-1"], "argument --seed: an integer from 0 to 9223372036854775807, not '-1'"),
        (
            ["--seed", "9223372036854775808"],
            "argument --seed: an integer from 0 to 9223372036854775807, not '9223372036854775808'",
        ),
        (["--num-warps", "3"], "argument --num-warps: a power of two, not '3'"),
        (["--num-stages", "two"], "argument --num-stages: a positive integer, not 'two'"),
        (
            ["-f", "elf"],
            "argument -f/--frontend: invalid choice: 'elf' (choose from 'mlir', 'py')",
        ),
        (["--inputs", "x.npz"], "--inputs is for --run; give both"),
        (["--outputs", "x.npz"], "--outputs is for --run; give both"),
        (["--run", "-t", "ttir"], "--run interprets a stage, as in -t tt; -t ttir is none"),
        (["--help-pass"], "argument --help-pass: expected one argument"),
    ],
    ids=str,
)
def test_command_lines(arguments: list[str], message: str) -> None:
    result = nt_opt(arguments)
    assert (result.code, result.out, result.err) == (2, "", f"nt-opt: error: {message}\n")


@pytest.mark.parametrize(
    ("passes", "message"),
    [
        ("nt-nope", "there is no pass nt-nope; nt-opt --list-passes lists them, and --load imports "
         "a module that registers others"),
        ("nt-check-stage", 'nt-check-stage requires argument "stage"'),
        (
            "nt-check-stage{stage=foo}",
            "there is no stage foo; stages are arranged, composed, specialized, padded, scheduled, "
            "addressed, tt",
        ),
        ("nt-pad-blocks{size=3}", "nt-pad-blocks has no option size; it has none"),
        (
            "nt-fold-guards{ful=true}",
            "nt-fold-guards has no option ful; did you mean full?",
        ),
        (
            "nt-fold-guards{full=3}",
            "option full of nt-fold-guards is of type bool, not 3",
        ),
        (
            "nt-specialize{values=B}",
            "nt-specialize: values holds NAME=NUMBER, not 'B'",
        ),
        (
            "cse{",
            "Error parsing pass pipeline specification:\npass-pipeline:1:5\ncse{\n    ^\n"
            "    Expected argument name here",
        ),
        (
            "cse dce",
            "Error parsing pass pipeline specification:\npass-pipeline:1:4\ncse dce\n   ^\n"
            "   Expected a comma or pass arguments here",
        ),
    ],
)  # fmt: skip
def test_passes(passes: str, message: str) -> None:
    assert error_of("-p", passes) == f"-p: {message}"


def test_spaces_around_passes_are_none_of_them() -> None:
    assert text_of("-p", " cse,dce ", stdin=KERNEL) == text_of("-p", "cse,dce", stdin=KERNEL)


@pytest.mark.parametrize("option", ["--kernel=k", "--dtype=x=fp16", "--set=B=3", "--choose=x=1"])
def test_options_of_python_files(option: str) -> None:
    assert error_of(option) == f"{option.partition('=')[0]} {PYTHON}"


def test_choices_are_of_passes_that_run() -> None:
    assert error_of(ADD, "--choose", "loop_stages=3") == (
        "--choose: no pass is run that has a choice; say how far with -t, as in -t tt"
    )


def test_modules_that_are_not_run() -> None:
    assert error_of("--run", stdin=KERNEL + KERNEL.replace("@k", "@l")) == (
        "a module of one kernel can be run, not of 2"
    )
    assert error_of("--run", stdin="builtin.module {\n}\n") == (
        "a module of one kernel can be run, not of 0"
    )
    text = (
        'tt.func @k(%x: index {nt.param = "x"}) attributes {nt.params = [#nt.param<"x" scalar [] '
        "[]>], nt.grid = #nt.expr<1>, nt.checks = []} {\n  tt.return\n}\n"
    )
    assert error_of("--run", stdin=text) == "an argument of type index cannot be run"


SIZES = """
tt.func @k(%x: !tt.ptr<f32> {{nt.param = "x"}}) attributes {{
  nt.params = [#nt.param<"x" tensor [{sizes}] [{strides}]>], nt.grid = #nt.expr<1>,
  nt.checks = [#nt.check<[{left}] = [{right}], "it is {{left}}, and must be {{right}}">]
}} {{
  tt.return
}}
"""


def test_shapes_that_are_not_found() -> None:
    text = SIZES.format(sizes="n, m", strides="m, 1", left="n mod 2", right="5")
    hint = "; give them, as in --shape x=128x64"
    message = "no shapes were found that the kernel takes"
    assert error_of("--run", stdin=text) == message + hint
    assert error_of("--run", "--shape", "x=3x4", stdin=text) == "it is (1,), and must be (5,)"
    assert error_of("--run", "--shape", "x=3x4x5", stdin=text) == (
        "x must be a tensor of 2 dims, not 3"
    )


def test_python_files(tmp_path: Path) -> None:
    path = tmp_path / "kernels.py"
    kernels = (
        "from examples.add import add_kernel as one\nfrom examples.softmax import softmax_kernel\n"
    )
    path.write_text(kernels)
    assert error_of(str(path)) == (
        "nt-opt: UndefinedNameError: the file has several kernels; choose with --kernel: one, "
        "softmax_kernel"
    )
    assert error_of(str(path), "--kernel", "softmax_kernl") == (
        "nt-opt: UndefinedNameError: there is no kernel softmax_kernl; did you mean softmax_kernel?"
    )
    assert error_of(str(path), "--kernel", "three") == (
        "nt-opt: UndefinedNameError: there is no kernel three; the file has one, softmax_kernel"
    )
    assert error_of(str(path), "--kernel", "len([1])") == (
        "--kernel len([1]) is 1; give a kernel, or what makes one"
    )
    assert error_of(str(path), "--kernel", "one(") == (
        "--kernel one(: SyntaxError: '(' was never closed (<string>, line 1)"
    )
    path.write_text("")
    assert error_of(str(path)) == (
        "nt-opt: UndefinedNameError: the file makes no kernel; bind one with ninetoothed.make or "
        "jit, or, where a function of the file makes it, give the call, as in --kernel "
        "'make_kernel(64)'"
    )


def test_files_that_are_not_there(tmp_path: Path) -> None:
    for suffix in ("mlir", "py"):
        path = tmp_path / f"nowhere.{suffix}"
        assert error_of(str(path)) == (
            f"nt-opt: FileNotFoundError: [Errno 2] No such file or directory: '{path}'"
        )
    assert error_of(str(tmp_path)) == (
        f"nt-opt: IsADirectoryError: [Errno 21] Is a directory: '{tmp_path}'"
    )
    path = tmp_path / "missing" / "out.mlir"
    assert error_of("-o", str(path)) == (
        f"nt-opt: FileNotFoundError: [Errno 2] No such file or directory: '{path}'"
    )
    path = tmp_path / "taken"
    path.write_text("")
    assert error_of("-p", "cse", f"--dump-ir={path}") == (
        f"nt-opt: FileExistsError: [Errno 17] File exists: '{path}'"
    )


def test_an_interrupted_run_says_so(tmp_path: Path) -> None:
    path = tmp_path / "interrupted.py"
    path.write_text("raise KeyboardInterrupt\n")
    result = nt_opt([str(path)])
    assert (result.code, result.out, result.err) == (130, "", "nt-opt: interrupted\n")


def test_a_closed_pipe_is_no_error() -> None:
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m ninetoothed.tools.nt_opt {ADD} --dump-ir | head -1"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "// after frontend\n"
    assert all(line.startswith("//") for line in done.stderr.splitlines())
