"""``nt-opt``: how a module goes on, from and to where, and what is said where it cannot."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ninetoothed.ir import stages
from ninetoothed.testing.filecheck import nt_opt
from ninetoothed.tools.nt_opt import output_targets
from tests.support.imports import ROOT
from tests.support.nt_opt_texts import text_of

ADD = str(ROOT / "examples" / "add.py")
GENERIC = ("--generic", "--debug-info")
STAGES = output_targets.STAGES
KERNEL = "nt.kernel @k arrange {\n  nt.arranged\n} apply {\n  nt.return\n}\n"


def error_of(*arguments: str, stdin: str = "") -> str:
    """The first line of the error of a run that fails."""
    result = nt_opt(arguments, stdin)
    assert (result.code, result.out) == (1, "")
    errors = [line for line in result.err.splitlines() if not line.startswith("//")]
    return errors[0]


def test_the_stages_are_those_of_the_ir() -> None:
    assert list(stages.STAGES) == list(STAGES)


@pytest.mark.parametrize(
    ("example", "options"),
    [
        ("add", ()),
        ("matmul", ("--arch", "sm_80", "--num-warps", "8", "--num-stages", "2")),
        ("layer_norm", ("--kernel", "layer_norm_backward_kernel", "--choose", "loop_stages=3")),
    ],
)
def test_every_stage_goes_on_to_the_same_text(example: str, options: tuple[str, ...]) -> None:
    kernel = str(ROOT / "examples" / f"{example}.py"), *options
    ttir = text_of(*kernel, "-t", "ttir", *GENERIC)
    last = text_of(*kernel, "-t", "tt", "--debug-info")
    for stage in STAGES:
        text = text_of(*kernel, "-t", stage, "--debug-info")
        assert text.startswith("// nt-opt: --arch=")
        assert text_of("-t", "ttir", *GENERIC, stdin=text) == ttir, stage
        assert text_of("-t", "tt", "--debug-info", stdin=text) == last, stage
        # Going nowhere.
        assert text_of("--debug-info", stdin=text) == text
        assert text_of("-t", stage, "--debug-info", stdin=text) == text


def test_dumped_files_go_on_to_the_same_text(tmp_path: Path) -> None:
    text_of(ADD, f"--dump-ir={tmp_path}", "--debug-info")
    ttir = text_of(ADD, "-t", "ttir", *GENERIC)
    files = sorted(tmp_path.iterdir())
    assert files[0].name == "00-frontend.mlir"
    for path in files:
        assert text_of(str(path), "-t", "ttir", *GENERIC) == ttir, path.name


def test_a_dump_of_a_dump_goes_on(tmp_path: Path) -> None:
    padded = text_of(ADD, "-t", "padded")
    text_of(f"--dump-ir={tmp_path}", stdin=padded)
    names = [path.name for path in sorted(tmp_path.iterdir())]
    assert names[0] == "01-nt-schedule-programs.mlir"
    last = text_of(ADD, "-t", "tt")
    for path in tmp_path.iterdir():
        assert text_of(str(path), "-t", "tt") == last


def test_files_of_a_program_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from examples.add import add_kernel

    monkeypatch.setenv("NINETOOTHED_DUMP_IR", str(tmp_path))
    last = re.sub(r"^//.*\n", "", add_kernel.ir("tt"), flags=re.MULTILINE)
    monkeypatch.delenv("NINETOOTHED_DUMP_IR")
    (folder,) = (path for path in (tmp_path / "add_kernel").iterdir() if path.is_dir())
    for path in folder.iterdir():
        text = text_of(str(path), "-t", "tt")
        assert text == f"// nt-opt: --num-warps=4 --num-stages=3\n{last.rstrip()}\n", path.name
    # Those that serve all configurations are of none.
    above = sorted((tmp_path / "add_kernel").glob("*.mlir"))
    composed = text_of(str(above[0]), "-t", "composed")
    assert composed == text_of(str(above[-1]))
    assert error_of(str(above[0]), "-t", "ttir") == (
        "nt-opt: ArgumentError: -t ttir takes a module in stage tt, where nt.kernel may not "
        "appear; its passes end before that stage, where no configuration is chosen: go on from a "
        "file of a configuration"
    )


def test_from_and_to() -> None:
    composed = text_of(ADD, "-t", "composed")
    padded = text_of(ADD, "-t", "padded")
    assert text_of("--to", "padded", stdin=composed) == padded
    assert text_of("--from", "composed", "--to", "nt-fit-target", stdin=composed) == padded
    halfway = text_of("--to", "nt-pad-blocks", stdin=composed)
    assert text_of("--from", "nt-fit-target", "-t", "padded", stdin=halfway) == padded
    last = text_of(ADD, "-t", "tt")
    assert text_of("--from", "composed", stdin=composed) == last
    assert text_of("-p", "cse", "--from", "composed", stdin=composed) == last
    # Of a text that does not say it, the pipeline with all defaults.
    bare = re.sub(r"^//.*\n", "", padded, flags=re.MULTILINE)
    assert "builtin.module {" in text_of("--from", "padded", "-t", "scheduled", stdin=bare)
    assert "nt.program_id" in text_of("--from", "padded", "-t", "scheduled", stdin=bare)


def test_own_passes_forget_what_was_to_come() -> None:
    composed = text_of(ADD, "-t", "composed")
    found = text_of("-p", "cse", stdin=composed)
    assert found.splitlines()[0] == "// nt-opt: --arch=sm_90 --num-warps=4 --num-stages=3"
    assert error_of("-t", "padded", stdin=found) == (
        "nt-opt: ArgumentError: -t: padded is not to come; no pass is"
    )


def test_a_stage_is_checked_behind_own_passes() -> None:
    assert text_of("-p", "cse", "-t", "padded", stdin=KERNEL).startswith("builtin.module {")
    assert error_of("-p", "cse", "-t", "tt", stdin=KERNEL).startswith(
        "nt-opt: CompilerError: pass nt-check-stage: nt.kernel may not appear in stage tt; "
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["-t", "padded"],
            "the text does not say which passes are to come; say with --from which stage it is in",
        ),
        (
            ["--to", "padded"],
            "the text does not say which passes are to come; say with --from which stage it is in",
        ),
        (
            ["-t", "ttir"],
            "-t ttir takes a module in stage tt, where nt.kernel may not appear; the text does not "
            "say which passes are to come: give them with -p, or say with --from which stage it is "
            "in",
        ),
        (
            ["-p", "cse", "-t", "triton-python"],
            "-t triton-python takes a module in stage tt, where nt.kernel may not appear; let -p "
            "go as far, or say with --from where the pipeline goes on",
        ),
        (
            ["-p", "cse", "--to", "padded"],
            "--to padded: behind the passes of -p, say with --from where the pipeline goes on",
        ),
        (
            ["--to", "padded", "-t", "tt"],
            "--to padded and -t tt both say where to end; give one",
        ),
        (
            ["--from", "composd"],
            "--from: there is no stage or pass composd; did you mean composed?",
        ),
        (
            ["--from", "x"],
            "--from: there is no stage or pass x; stages are arranged, composed, specialized, "
            "padded, scheduled, addressed, tt",
        ),
        (
            ["--from", "addressed", "--to", "nt-hoist-load"],
            "--to: there is no stage or pass nt-hoist-load; did you mean nt-hoist-loads?",
        ),
        (
            ["--from", "addressed", "--to", "padded"],
            "--to: padded is not to come; passes to come are nt-lower-to-tt, canonicalize, cse, "
            "nt-widen-products, dce",
        ),
        (["-p", "nt-pad-block"], "-p: there is no pass nt-pad-block; did you mean nt-pad-blocks?"),
        (
            ["-p", "nt-fold-guards{ful=true}"],
            "-p: nt-fold-guards has no option ful; did you mean full?",
        ),
        (
            ["-p", "nt-fold-guards{full=maybe}"],
            "-p: option full of nt-fold-guards is of type bool, not maybe",
        ),
        (["-p", "cse,,dce"], "-p: Error parsing pass pipeline specification:"),
        (["--set", "B=3"], "--set is for Python files; in IR the options of its passes say it"),
        (["--kernel", "k"], "--kernel is for Python files; in IR the options of its passes say it"),
        (
            ["--list-kernels"],
            "--list-kernels is for Python files; in IR the options of its passes say it",
        ),
    ],
    ids=str,
)
def test_errors(arguments: list[str], message: str) -> None:
    assert error_of(*arguments, stdin=KERNEL) == f"nt-opt: ArgumentError: {message}"


def test_stages_that_are_past() -> None:
    composed = text_of(ADD, "-t", "composed")
    assert error_of("-t", "arranged", stdin=composed).startswith(
        "nt-opt: ArgumentError: -t: arranged is not to come; passes to come are nt-specialize, "
    )
    assert error_of(ADD, "--from", "composed") == (
        "nt-opt: ArgumentError: --from composed: a Python file goes through all passes; print a "
        "stage with -t, and go on from its text"
    )


def test_a_broken_first_line() -> None:
    assert error_of("-t", "tt", stdin=f"// nt-opt: --kernel=k\n{KERNEL}") == (
        "nt-opt: InvalidIRError: the first line, // nt-opt: …, holds --kernel; it takes --arch=, "
        "--num-warps=, --num-stages=, --load= and -p"
    )
    assert error_of("-t", "tt", stdin=f"// nt-opt: -p nt-pad-block\n{KERNEL}") == (
        "nt-opt: InvalidIRError: there is no pass nt-pad-block; did you mean nt-pad-blocks?"
    )
    assert error_of("-t", "tt", stdin=f"// nt-opt: --arch=sm_9x -p cse\n{KERNEL}") == (
        "nt-opt: InvalidIRError: unknown target 'sm_9x'; did you mean sm_90?"
    )


def test_each_part_of_an_input_goes_on_by_itself() -> None:
    parts = [text_of(ADD, "-t", stage) for stage in ("composed", "padded")]
    found = text_of("--split-input-file", "-t", "tt", stdin="// -----\n".join(parts))
    last = text_of(ADD, "-t", "tt")
    assert found == f"{last}// -----\n{last}"


def test_num_warps_are_those_of_the_passes_to_come() -> None:
    composed = text_of(ADD, "-t", "composed")
    found = text_of("-t", "padded", "--num-warps", "8", stdin=composed)
    assert found.startswith("// nt-opt: --arch=sm_90 --num-warps=8 --num-stages=3 -p 'nt-sched")
    assert "nt-hoist-loads{num_warps=8}" in found
