"""``nt-opt``: lists, dumps, round trips, and errors."""

from __future__ import annotations

import re
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest
import torch
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from ninetoothed import passes
from ninetoothed.ir import nt
from ninetoothed.ir.diagnostics import fail
from ninetoothed.passes import pass_names
from ninetoothed.passes.pipeline import ANNOTATED, SPECIALIZED
from ninetoothed.testing.filecheck import nt_opt
from tests.support.imports import ROOT

ADD = str(ROOT / "examples" / "add.py")
EXAMPLES = ("add", "matmul", "softmax")
STEPS = ["frontend", *(name for _, names in (*ANNOTATED, *SPECIALIZED) for name in names)]
each_example = pytest.mark.parametrize("example", EXAMPLES)

KERNELS = """
import ninetoothed
from ninetoothed import Symbol, Tensor
{more}
BLOCK = Symbol("BLOCK", meta=True)

def arrangement(x, y):
    return x.tile((BLOCK,)), y.tile((BLOCK,))

def first(x, y):
    y = x

def second(x, y):
    y = x + x

one = ninetoothed.make(arrangement, first, (Tensor(1), Tensor(1)), kernel_name="one_kernel")
two = ninetoothed.make(arrangement, second, (Tensor(1), Tensor(1)))
"""


def example_file(name: str) -> str:
    return str(ROOT / "examples" / f"{name}.py")


@pytest.fixture
def kernels(tmp_path: Path) -> str:
    """A file with two kernels."""
    path = tmp_path / "kernels.py"
    path.write_text(KERNELS.format(more=""))
    return str(path)


def error_of(*arguments: str) -> str:
    """The error of a run that fails."""
    result = nt_opt(arguments)
    assert result.code == 1
    return result.err


def test_passes_are_listed() -> None:
    result = nt_opt(["--list-passes"])
    names = [line.split()[0] for line in result.out.splitlines()]
    assert (result.code, names, result.err) == (0, pass_names(), "")


@each_example
def test_every_dumped_file_is_accepted_back(example: str, tmp_path: Path) -> None:
    folder = tmp_path / "dump"
    result = nt_opt([example_file(example), f"--dump-ir={folder}"])
    assert result.code == 0, result.err
    files = sorted(folder.iterdir())
    expected = [f"{number:02d}-{name}.mlir" for number, name in enumerate(STEPS)]
    assert [path.name for path in files] == expected
    for path in files:
        again = nt_opt([str(path)])
        assert again.code == 0, again.err
        assert again.out.rstrip() == path.read_text().rstrip(), path.name
    assert result.out.rstrip() == files[-1].read_text().rstrip()


@each_example
def test_a_dumped_stage_goes_on_to_the_same_end(example: str, tmp_path: Path) -> None:
    nt_opt([example_file(example), f"--dump-ir={tmp_path}"])
    padded = next(tmp_path.glob("*-nt-pad-blocks.mlir"))
    rest = STEPS[STEPS.index("nt-pad-blocks") + 1 :]
    result = nt_opt([str(padded), "-p", ",".join(rest)])
    assert result.code == 0, result.err
    assert result.out.rstrip() == sorted(tmp_path.iterdir())[-1].read_text().rstrip()


def test_dump_to_the_terminal() -> None:
    result = nt_opt([ADD, "--dump-ir"])
    assert result.code == 0
    assert re.findall(r"^// after (.*)$", result.out, re.MULTILINE) == STEPS
    assert "element types assumed: lhs: fp32, rhs: fp32, output: fp32" in result.err
    # All of it is one input, split where the stages meet; the last text is printed once.
    again = nt_opt(["--split-input-file"], result.out)
    assert again.code == 0, again.err
    assert again.out.count("builtin.module") == len(STEPS)
    assert result.out.count("tt.func") == 5


@pytest.mark.parametrize("target", ["ttir", "triton-python"])
def test_dump_beside_a_target(target: str, tmp_path: Path) -> None:
    plain = nt_opt([ADD, "-t", target, "--generic"])
    assert plain.code == 0, plain.err
    dumped = nt_opt([ADD, "-t", target, "--generic", f"--dump-ir={tmp_path}"])
    assert dumped.out == plain.out
    # The last dump gives the same text, but for the locations that it does not hold.
    last = sorted(tmp_path.iterdir())[-1]
    from_text = nt_opt([str(last), "-t", target, "--generic"])
    assert from_text.code == 0, from_text.err
    head = {"ttir": '"builtin.module"', "triton-python": "import triton"}[target]
    assert plain.out.startswith(head)
    assert from_text.out.startswith(head)


def test_a_python_file_without_passes_is_the_frontends_module() -> None:
    result = nt_opt([ADD])
    assert result.out.count("nt.tile") == 3


def test_values_and_types_are_put_in(kernels: str) -> None:
    result = nt_opt(
        [
            kernels,
            "--kernel",
            "two",
            "--set",
            "BLOCK=64",
            "--dtype",
            "x=fp16",
            "-t",
            "triton-python",
        ]
    )
    assert result.code == 0, result.err
    assert "def second(" in result.out
    assert "tl.arange(0, 64)" in result.out
    assert "element types assumed: y: fp32" in result.err
    assert "BLOCK=64" in result.err


def test_a_pass_does_it_in_another_way() -> None:
    example = str(ROOT / "examples" / "layer_norm.py")
    kernel = [example, "--kernel", "layer_norm_backward_kernel", "-t", "ttir", "--generic"]
    assert "num_stages" not in nt_opt(kernel).out
    staged = nt_opt([*kernel, "--choose", "loop_stages=3"])
    assert staged.code == 0, staged.err
    assert "tt.num_stages = 3 : i32" in staged.out
    assert (
        "its choices are coarsened_programs, loop_stages, reread_rows, pointer_blocks"
        in nt_opt([*kernel, "--choose", "group=8"]).err
    )
    assert (
        "--choose: loop_stages is 1, 2 or 3 in this configuration, not 70\n"
        in nt_opt([*kernel, "--choose", "loop_stages=70"]).err
    )
    # The default, and what block sizes of no call leave undecided.
    for options in (["loop_stages=1"], ["loop_stages=9", "--num-stages", "9"]):
        assert nt_opt([*kernel, "--choose", *options]).code == 0


@pytest.mark.parametrize(
    ("options", "name", "begin"),
    [
        (["triton-python"], "(?m)^def ([a-z_]+)", "\n\nimport triton\n"),
        (["ttir", "--generic"], 'sym_name = "([a-z_]+)', '// -----\n"builtin.module"'),
    ],
)
def test_what_is_launched_before_comes_first(options: list[str], name: str, begin: str) -> None:
    """But for a text that does not say how wide offsets are."""
    kernel = [str(ROOT / "examples" / "matmul.py"), "--choose", "packed_operands=1"]
    found = nt_opt([*kernel, "-t", *options])
    assert found.code == 0, found.err
    before = ["matmul_kernel_pack_input", "matmul_kernel_pack_other"]
    assert re.findall(name, found.out) == [*before, "matmul_kernel"]
    assert found.out.count(begin) == 2
    alone = nt_opt(["-t", *options], nt_opt([*kernel, "-t", "tt"]).out)
    assert re.findall(name, alone.out) == ["matmul_kernel"]


def test_remarks() -> None:
    example = ROOT / "examples" / "layer_norm.py"
    kernel = [str(example), "--kernel", "layer_norm_backward_kernel", "--choose", "loop_stages=3"]
    kernel.append("--print-local-scope")
    lines = example.read_text().splitlines()
    loop = next(n for n, line in enumerate(lines, 1) if line.startswith("    for "))
    place = f"{example}:{loop}:5"
    message = "loop staged: 3 iterations are at work at once"
    found = nt_opt([*kernel, "--remarks"])
    assert found.code == 0, found.err
    assert f"{place}: remark: {message} [nt-stage-loops, passed]\n" in found.err
    attribute = f'#nt.remark<passed "nt-stage-loops" "{message}" loc("{example}":{loop}:5)>'
    assert attribute in found.out
    # They are in the IR of the stages behind, and lead to no other code.
    dumped = nt_opt([*kernel, "--remarks", "--dump-ir"])
    parts = dumped.out.split("// -----")
    assert [attribute in part for part in parts] == [
        step in STEPS[STEPS.index("nt-stage-loops") :] for step in STEPS
    ]
    for target in ("ttir", "triton-python"):
        remarked = nt_opt([*kernel, "--remarks", "-t", target, "--generic"])
        plain = nt_opt([*kernel, "-t", target, "--generic"])
        assert (remarked.code, remarked.out) == (0, plain.out)
        assert f"{place}: remark: {message}" in remarked.err
        assert "remark: " not in plain.err


def test_kernels_are_found_by_either_name(kernels: str) -> None:
    by_variable = nt_opt([kernels, "--kernel", "one"])
    assert by_variable.code == 0
    assert "nt.kernel @one_kernel" in by_variable.out
    assert nt_opt([kernels, "--kernel", "one_kernel"]).out == by_variable.out


def test_a_file_may_hold_dataclasses(tmp_path: Path) -> None:
    path = tmp_path / "holds.py"
    more = "from dataclasses import dataclass\n@dataclass\nclass Shape:\n    n: 'int'\n"
    path.write_text("from __future__ import annotations\n" + KERNELS.format(more=more))
    assert nt_opt([str(path), "--kernel", "one"]).code == 0


def test_a_file_may_import_its_neighbours(tmp_path: Path) -> None:
    (tmp_path / "neighbour_of_kernels.py").write_text("NUMBER = 3\n")
    path = tmp_path / "imports.py"
    path.write_text(KERNELS.format(more="from neighbour_of_kernels import NUMBER"))
    assert nt_opt([str(path), "--kernel", "one"]).code == 0
    # Its functions, too.
    (tmp_path / "another_neighbour_of_kernels.py").write_text("NUMBER = 3\n")
    more = "\ndef make_kernel():\n    import another_neighbour_of_kernels\n    return one\n"
    path.write_text(KERNELS.format(more="") + more)
    before = sys.path[:]
    assert nt_opt([str(path), "--kernel", "make_kernel()"]).code == 0
    assert sys.path == before


def test_several_kernels_need_a_choice(kernels: str) -> None:
    message = "the file has several kernels; choose with --kernel: one, two"
    assert message in error_of(kernels)


def test_an_unknown_kernel_is_named(kernels: str) -> None:
    assert "there is no kernel three; the file has one, two" in error_of(
        kernels, "--kernel", "three"
    )


def test_a_file_without_a_kernel(tmp_path: Path) -> None:
    path = tmp_path / "empty.py"
    path.write_text("x = 1\n")
    assert "the file makes no kernel; bind one with ninetoothed.make or jit" in error_of(str(path))


def test_a_kernel_that_a_function_makes(tmp_path: Path) -> None:
    path = tmp_path / "makes.py"
    path.write_text(KERNELS.format(more="") + "def make_kernel(kind):\n    return [two][kind]\n")
    made = nt_opt([str(path), "--kernel", "make_kernel(0)"])
    assert made.code == 0, made.err
    assert "nt.kernel @second" in made.out
    for call, message in {
        "make_kernel()": "--kernel make_kernel(): TypeError: make_kernel() missing",
        "make_kernel(0": "--kernel make_kernel(0: SyntaxError: ",
        "make_kernel(0).configs[0].num_warps": "num_warps is 4; give a kernel, or what makes one",
    }.items():
        assert message in error_of(str(path), "--kernel", call)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--set", "BLOCK_SIZE"], "--set takes NAME=VALUE, not 'BLOCK_SIZE'"),
        (["--set", "=3"], "--set takes NAME=VALUE, not '=3'"),
        (["--set", "BLOCK_SIZE=big"], "--set takes numbers, not 'big'"),
        (["--set", "NOPE=3"], "NOPE"),
        (["--choose", "loop_stages=many"], "--choose takes numbers, not 'many'"),
        (
            ["--choose", "loop_stages=3"],
            "--choose: this kernel has no choice loop_stages; its choices are none",
        ),
        (["--dtype", "lhs"], "--dtype takes NAME=VALUE, not 'lhs'"),
        (["--dtype", "nope=fp16"], "there is no parameter nope; parameters are lhs, rhs, output"),
        (
            ["--dtype", "lhs=float99"],
            "'float99' is no element type; write for example fp16 or fp32",
        ),
        (["-p", "nt-nope"], "-p: there is no pass nt-nope; nt-opt --list-passes lists them"),
        (["-p", "nt-pad-blocks{size=3}"], "-p: nt-pad-blocks has no option size; it has none"),
    ],
    ids=lambda value: "" if isinstance(value, str) else " ".join(value),
)
def test_bad_options(arguments: list[str], message: str) -> None:
    found = error_of(ADD, "-t", "ttir", *arguments)
    assert found.startswith("nt-opt: ")
    assert message in found
    assert "Traceback" not in found


def test_unknown_targets_are_refused_by_name() -> None:
    result = nt_opt([ADD, "-t", "ptz"])
    assert (result.code, result.err) == (
        2,
        "nt-opt: error: -t: there is no target ptz; did you mean ptx?\n",
    )
    listed = nt_opt([ADD, "-t", "assembler"]).err
    assert "targets are mlir, ttir, triton-python, ttgir, llir, ptx, sass, amdgcn, a" in listed


def test_missing_files_and_bad_text(tmp_path: Path) -> None:
    assert "nowhere.mlir" in error_of(str(tmp_path / "nowhere.mlir"))
    path = tmp_path / "bad.mlir"
    path.write_text("nt.kernel @k {")
    found = error_of(str(path))
    assert 'bad.mlir", line 1, column 14' in found
    assert "^" in found


@dataclass(frozen=True)
class FailingPass(ModulePass):
    """Fails at the first store, in one of two ways."""

    name: ClassVar[str] = "nt-failing"

    how: str = "bug"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for store in op.walk():
            if isinstance(store, nt.StoreOp):
                if self.how == "bug":
                    raise KeyError("left over")
                raise fail(store, "this store is not to my taste")


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pass that fails, registered as ``nt-failing``."""
    found = passes.find_pass
    names = [*pass_names(), "nt-failing"]

    def find(name: str) -> type[ModulePass]:
        return FailingPass if name == "nt-failing" else found(name)

    monkeypatch.setattr(passes, "find_pass", find)
    monkeypatch.setattr(passes, "pass_names", lambda: names)


@pytest.mark.usefixtures("failing")
def test_a_failing_pass_leaves_a_reproducer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    pipeline = (
        'nt-compose-arrangement,nt-specialize{values="BLOCK_SIZE_0=64"},nt-failing{how="bug"},cse'
    )
    found = error_of(ADD, "-p", pipeline)
    assert "CompilerError: pass nt-failing failed with KeyError: 'left over'" in found
    assert "this is a bug of the compiler" in found
    command = re.search(r"reproduce it with (nt-opt .*); this is a bug", found)
    assert command is not None
    words = shlex.split(command[1])
    text = Path(words[1]).read_text()
    # The module before the failing pass, and what would have followed.
    assert "nt.access" in text
    assert words[3].startswith("nt-failing")
    assert words[3].endswith(",cse")
    again = error_of(*words[1:])
    assert "pass nt-failing failed with KeyError: 'left over'" in again


@pytest.mark.usefixtures("failing")
def test_without_verification_the_message_says_how_to_get_a_reproducer() -> None:
    found = error_of(ADD, "-p", "nt-failing", "--no-verify-each").splitlines()[0]
    assert found == (
        "nt-opt: CompilerError: pass nt-failing failed with KeyError: 'left over'; leave out "
        "--no-verify-each for a file that reproduces it; this is a bug of the compiler"
    )


@pytest.mark.usefixtures("failing")
def test_a_users_mistake_names_the_users_line() -> None:
    found = error_of(ADD, "-p", "nt-failing{how=user}")
    assert "nt-opt: NineToothedError: this store is not to my taste" in found
    assert f'File "{ADD}", line ' in found
    assert "    output = lhs + rhs\n    ^" in found
    assert "reproduce" not in found


def test_a_compilers_mistake_names_the_users_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    found = error_of(ADD, "-p", "nt-lower-to-tt,cse")
    message = "nt.store has no handler in the lowering to Triton"
    assert f"pass nt-lower-to-tt: {message}; reproduce it with nt-opt" in found
    assert "    output = lhs + rhs\n    ^" in found
    (written,) = tmp_path.iterdir()
    assert written.read_text().startswith("// nt-opt: -p nt-lower-to-tt,cse\n")


def test_parts_of_a_file_are_taken_one_by_one(tmp_path: Path) -> None:
    kernel = "nt.kernel @{name} arrange {{\n  nt.arranged\n}} apply {{\n  nt.return\n}}\n"
    path = tmp_path / "parts.mlir"
    path.write_text("// -----\n".join(kernel.format(name=name) for name in ("one", "two")))
    result = nt_opt([str(path), "--split-input-file", "-p", "nt-schedule-programs"])
    assert result.code == 0, result.err
    assert re.findall(r"nt.kernel @(\w+) grid", result.out) == ["one", "two"]
    folder = tmp_path / "dump"
    passes = ["-p", "nt-schedule-programs", f"--dump-ir={folder}"]
    assert nt_opt([str(path), "--split-input-file", *passes]).code == 0
    files = sorted(path.relative_to(folder).as_posix() for path in folder.glob("*/*"))
    assert files == [f"{part}/01-nt-schedule-programs.mlir" for part in (1, 2)]
    assert "@two" in (folder / files[1]).read_text()


def test_a_program_dumps_where_the_environment_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from examples.add import add_kernel

    monkeypatch.setenv("NINETOOTHED_DUMP_IR", str(tmp_path))
    add_kernel.ir("tt", dtypes={"lhs": "bf16"})
    folder = tmp_path / "add_kernel"
    # What serves all configurations lies above the folder of the one that was asked for.
    paths = [*sorted(folder.glob("*.mlir")), *sorted(folder.glob("*/*.mlir"))]
    expected = [f"{number:02d}-{name}.mlir" for number, name in enumerate(STEPS)]
    assert [path.name for path in paths] == expected
    for path in paths:
        assert nt_opt([str(path)]).out.rstrip() == path.read_text().rstrip()


def test_an_interpreted_program_dumps_what_it_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from examples.add import add

    monkeypatch.setenv("NINETOOTHED_DUMP_IR", str(tmp_path))
    values = torch.arange(5, dtype=torch.int16)
    assert torch.equal(add(values, values), 2 * values)
    names = [path.name for path in sorted((tmp_path / "add_kernel").iterdir())]
    assert names == [f"{number:02d}-{name}.mlir" for number, name in enumerate(STEPS[: len(names)])]
    assert len(names) == 9
