"""``nt-opt``: what is shown of the passes: dumps, differences, times, lists and help."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path
from unittest import mock

import pytest

from ninetoothed.passes import pass_names
from ninetoothed.testing.filecheck import nt_opt
from ninetoothed.tools.nt_opt import command_line
from tests.support.imports import ROOT

ADD = str(ROOT / "examples" / "add.py")
# One op is dead.
MODULE = """builtin.module {
  tt.func @k() {
    %0 = arith.constant 1 : i32
    tt.return
  }
}
"""
BEHIND = """builtin.module {
  tt.func @k() {
    tt.return
  }
}
"""
DIFF = """--- before dce
+++ after dce
@@ -1,6 +1,5 @@
 builtin.module {
   tt.func @k() {
-    %0 = arith.constant 1 : i32
     tt.return
   }
 }
"""


class Terminal(io.StringIO):
    """A standard output that is a terminal's."""

    def isatty(self) -> bool:
        return True


def on_a_terminal(*arguments: str) -> str:
    """What a run prints to a terminal."""
    from ninetoothed.tools.nt_opt import main

    terminal = Terminal()
    with mock.patch.object(sys, "stdout", terminal):
        assert main(list(arguments)) == 0
    return terminal.getvalue()


def test_differences_are_those_of_passes_that_changed_something() -> None:
    result = nt_opt(["-p", "nt-check-stage{stage=tt},dce,cse", "--dump-ir-diff"], MODULE)
    assert (result.code, result.out, result.err) == (0, DIFF, "")


def test_differences_stand_in_front_of_other_texts() -> None:
    result = nt_opt(["-p", "dce", "--dump-ir-diff", "-t", "triton-python"], MODULE)
    assert result.out.startswith(f"{DIFF}import triton\n")


def test_differences_have_colors_on_a_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "k.mlir"
    path.write_text(MODULE)
    arguments = str(path), "-p", "dce", "--dump-ir-diff"
    monkeypatch.delenv("NO_COLOR", raising=False)
    found = on_a_terminal(*arguments)
    assert "\033[31m-    %0 = arith.constant 1 : i32\033[0m\n" in found
    assert found.startswith("\033[1m--- before dce\033[0m\n\033[1m+++ after dce\033[0m\n\033[36m@@")
    assert re.sub(r"\033\[\d+m", "", found) == DIFF
    monkeypatch.setenv("NO_COLOR", "1")
    assert on_a_terminal(*arguments) == DIFF


def test_modules_between_passes_go_to_the_error_stream() -> None:
    result = nt_opt(["-p", "nt-check-stage{stage=tt},dce,cse", "--print-between-passes"], MODULE)
    assert (result.code, result.out) == (0, BEHIND)
    assert result.err == (
        f"// -----// IR Dump After nt-check-stage //----- //\n{MODULE}\n"
        f"// -----// IR Dump After dce //----- //\n{BEHIND}\n"
    )


def test_between_the_passes_of_a_python_file() -> None:
    result = nt_opt([ADD, "-t", "arranged", "--print-between-passes"])
    heads = re.findall(r"^// -----// IR Dump After (.*) //----- //$", result.err, re.MULTILINE)
    assert heads[0] == "frontend"
    assert heads[1:] == [
        "nt-check-arrangement",
        "nt-number-programs",
        "nt-check-definedness",
        "nt-annotate-verdicts",
        "nt-forward-memory",
    ]
    assert result.out.startswith("// nt-opt: ")


def test_dumps_have_locations_where_they_are_asked_for(tmp_path: Path) -> None:
    for options, has_locations in (([], False), (["--debug-info"], True)):
        found = nt_opt([ADD, "--dump-ir", *options]).out
        nt_opt([ADD, f"--dump-ir={tmp_path}", *options])
        texts = [found, *(path.read_text() for path in tmp_path.iterdir())]
        assert {f'"{ADD}":22' in text for text in texts} == {has_locations}
        between = nt_opt([ADD, "-t", "tt", "--print-between-passes", *options])
        assert (f'"{ADD}":22' in between.err) is has_locations


def test_times_are_a_tree_with_a_total() -> None:
    result = nt_opt([ADD, "--time-passes", "-t", "padded"])
    assert result.code == 0
    lines = result.err[result.err.index("===") :].splitlines()
    assert lines[1].strip() == "... Execution time report ..."
    assert re.fullmatch(r"  Total Execution Time: \d+\.\d{4} seconds", lines[3])
    rows = [re.fullmatch(r" +(\d+\.\d{4}) \( *(\d+\.\d)%\)  ( *)(.*)", line) for line in lines[6:]]
    assert all(rows)
    names = [f"{row[3]}{row[4]}" for row in rows if row is not None]
    assert names == [
        "Import",
        "Frontend",
        "Pipeline",
        "  arranged",
        "    nt-check-arrangement",
        "    nt-number-programs",
        "    nt-check-definedness",
        "    nt-annotate-verdicts",
        "    nt-forward-memory",
        "    nt-insert-barriers",
        "  composed",
        "    nt-compose-arrangement",
        "    nt-mask-reductions",
        "  specialized",
        "    nt-specialize",
        "    nt-interchange-reductions",
        "    nt-pack-operands",
        "    nt-sink-scales",
        "    nt-unroll-reductions",
        "    nt-defer-reductions",
        "    nt-split-reductions",
        "    nt-coarsen-programs",
        "  padded",
        "    nt-pad-blocks",
        "    nt-fit-target",
        "Verifier",
        "Output",
        "Rest",
        "Total",
    ]
    tops = [float(row[1]) for row in rows if row is not None and not row[3]]
    assert abs(sum(tops[:-1]) - tops[-1]) < 0.001
    assert rows[-1] is not None
    assert rows[-1][2] == "100.0"


def test_times_of_own_passes_and_several_parts() -> None:
    parts = "// -----\n".join([MODULE, MODULE])
    result = nt_opt(["--split-input-file", "-p", "cse,dce", "--time-passes"], parts)
    names = [line.split(")  ")[1] for line in result.err.splitlines() if ")  " in line]
    assert names == ["Parser", "Pipeline", "  cse", "  dce", "Verifier", "Output", "Rest", "Total"]


def test_without_verification_an_invalid_module_is_found_later() -> None:
    wrong = MODULE.replace(
        "arith.constant 1 : i32", '"tt.make_range"() <{start = 0 : i32, end = 3 : i32}> : () -> i32'
    )
    passes = ["-p", "nt-check-stage{stage=tt}"]
    refused = nt_opt([], wrong)
    assert refused.code == 1
    taken = nt_opt(["--disable-verify", *passes, "--no-verify-each"], wrong)
    assert taken.code == 0
    checked = nt_opt(["--disable-verify", *passes, "--verify-each"], wrong)
    assert checked.code == 1
    assert "pass nt-check-stage: after nt-check-stage the IR is not valid" in checked.err


def test_every_pass_has_a_line() -> None:
    lines = nt_opt(["--list-passes"]).out.splitlines()
    assert [line.split()[0] for line in lines] == pass_names()
    assert all(re.fullmatch(r"[a-z-]+ {2,}\S.+\.", line) for line in lines)
    assert "nt-fold-guards             Fold guards: what always holds is not asked for." in lines


@pytest.mark.parametrize("name", pass_names())
def test_every_pass_has_help(name: str) -> None:
    result = nt_opt(["--help-pass", name])
    assert result.code == 0
    assert result.out.startswith(f"{name}\n\n")
    assert "\noptions:\n" in result.out or result.out.endswith("\n\nIt has no options.\n")


def test_help_has_the_docstring_and_the_options_with_their_defaults() -> None:
    found = nt_opt(["--help-pass", "nt-fold-guards"]).out
    assert found.startswith("nt-fold-guards\n\nFold guards: what always holds is not asked for.\n")
    assert "```mlir\n" in found
    assert found.endswith(
        "\n\noptions:\n"
        "  enabled: bool = true\n      False: the kernel stays as it is.\n"
        "  full: bool = false\n"
        "      For the calls in which all guards hold whose vacuity the sizes tell.\n"
        "  index_bits: int = 32\n      The width of address arithmetic, 32 or 64.\n"
    )
    # Those of a base class, of tuples, and one that has to be given.
    assert (
        "\n  pointer_blocks: int = 0\n      1: " in nt_opt(["--help-pass", "nt-lower-accesses"]).out
    )
    assert "\n  values: tuple[str, ...] = none\n" in nt_opt(["--help-pass", "nt-specialize"]).out
    assert nt_opt(["--help-pass", "nt-check-stage"]).out.endswith("\n  stage: str (required)\n")


def test_help_of_an_unknown_pass() -> None:
    result = nt_opt(["--help-pass", "nt-pad-block"])
    assert (result.code, result.err) == (
        1,
        "nt-opt: ArgumentError: --help-pass: there is no pass nt-pad-block; did you mean "
        "nt-pad-blocks?\n",
    )


def test_kernels_are_listed() -> None:
    path = str(ROOT / "examples" / "layer_norm.py")
    result = nt_opt([path, "--list-kernels"])
    assert (result.code, result.out) == (
        0,
        "layer_norm_kernel: layer_norm_kernel(input, weight, bias, eps, output)\n"
        "layer_norm_training_kernel: layer_norm_training_kernel(input, weight, bias, eps, output, "
        "center, scale)\n"
        "layer_norm_backward_kernel: layer_norm_backward_kernel(gradient, input, weight, center, "
        "scale, input_gradient, weight_partial, bias_partial)\n",
    )


def test_a_file_that_fails(tmp_path: Path) -> None:
    path = tmp_path / "fails.py"
    path.write_text("def half(x):\n    return x / 0\n\nhalf(1)\n")
    assert nt_opt([str(path)]).err == (
        f"nt-opt: ArgumentError: {path} cannot be run:\nTraceback (most recent call last):\n"
        f'  File "{path}", line 4, in <module>\n    half(1)\n'
        f'  File "{path}", line 2, in half\n    return x / 0\n           ~~^~~\n'
        "ZeroDivisionError: division by zero\n"
    )
    # It says that it is done; but its kernels may be missing.
    path.write_text("import sys\nsys.exit()\n")
    assert nt_opt([str(path)]).err == (
        f"nt-opt: ArgumentError: {path} cannot be run:\nTraceback (most recent call last):\n"
        f'  File "{path}", line 2, in <module>\n    sys.exit()\nSystemExit\n'
    )
    path.write_text("def half(x:\n")
    found = nt_opt([str(path)])
    assert found.code == 1
    assert f'cannot be run:\n  File "{path}", line 1\n' in found.err
    assert found.err.endswith("SyntaxError: '(' was never closed\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--dump-it"], "there is no option --dump-it; did you mean --dump-ir?"),
        (["--frobnicate=3"], "there is no option --frobnicate; nt-opt --help lists them"),
        (["a.mlir", "b.mlir"], "one file is read; b.mlir is another"),
        (["-t", "tti"], "-t: there is no target tti; did you mean ttir?"),
        (["--num-warps", "0"], "argument --num-warps: a positive integer, not '0'"),
        (["--num-warps", "3"], "argument --num-warps: a power of two, not '3'"),
        (["-p"], "argument -p/--passes: expected one argument"),
    ],
    ids=str,
)
def test_wrong_command_lines(arguments: list[str], message: str) -> None:
    result = nt_opt(arguments)
    assert (result.code, result.out, result.err) == (2, "", f"nt-opt: error: {message}\n")


def test_a_file_behind_dump_ir_is_the_input() -> None:
    parsed = command_line.parse(["--dump-ir", "kernel.py"])
    assert (parsed.dump_ir, parsed.input_file) == ("-", "kernel.py")
    assert command_line.parse(["--dump-ir=out", "kernel.py"]).dump_ir == "out"


def test_the_help_has_every_option() -> None:
    result = nt_opt(["--help"])
    assert (result.code, result.err) == (0, "")
    named = {name for action in command_line.parser()._actions for name in action.option_strings}
    assert all(name in result.out for name in named)
    assert all(action.help for action in command_line.parser()._actions)


def test_output_goes_to_a_file(tmp_path: Path) -> None:
    path = tmp_path / "out.mlir"
    result = nt_opt(["-p", "dce", "-o", str(path)], MODULE)
    assert (result.code, result.out, path.read_text()) == (0, "", BEHIND)


def test_the_input_is_standard_input_for_a_hyphen() -> None:
    assert nt_opt(["-", "-p", "dce"], MODULE).out == BEHIND


def test_ops_of_unknown_dialects() -> None:
    text = 'builtin.module {\n  "other.op"() : () -> ()\n}\n'
    assert nt_opt([], text).code == 1
    result = nt_opt(["--allow-unregistered-dialect"], text)
    assert (result.code, result.out) == (0, text)
