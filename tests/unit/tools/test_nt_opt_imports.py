"""``nt-opt`` imports what a run needs: what costs time is counted, in processes of their own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.imports import ROOT

_SCRIPT = """
import sys
try:
    from ninetoothed.tools.nt_opt import main
    status = main()
finally:
    print("LOADED", *sorted(sys.modules), file=sys.stderr)
"""
# What the small module below has nothing to do with.
LARGE = {"numpy", "torch", "triton", "sympy", "z3", "scipy", "asyncio", "xdsl.xdsl_opt_main"}
COMPILER = {"ninetoothed.frontend", "ninetoothed.kernel", "ninetoothed.runtime"}
MODULE = """nt.kernel @k arrange {
  nt.arranged
} apply {
  nt.return
}
"""


def loaded(*arguments: str, stdin: str = "") -> set[str]:
    """The modules that a run imports."""
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT, *arguments],
        cwd=ROOT,
        input=stdin,
        capture_output=True,
        text=True,
        check=True,
    )
    (line,) = (line for line in done.stderr.splitlines() if line.startswith("LOADED "))
    return set(line.split()[1:])


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["--list-passes"]])
def test_help_and_lists_import_no_ir(arguments: list[str]) -> None:
    found = loaded(*arguments)
    assert not found & (LARGE | COMPILER | {"ninetoothed.ir"})
    assert not {name for name in found if name.split(".")[0] == "xdsl"}
    assert "argparse" in found


def test_the_help_of_a_pass_imports_that_pass() -> None:
    found = loaded("--help-pass", "nt-pad-blocks")
    assert not found & (LARGE | COMPILER)
    assert "ninetoothed.passes.pad_blocks" in found
    assert "ninetoothed.passes.lower_to_tt" not in found


@pytest.mark.parametrize("arguments", [[], ["-p", "nt-schedule-programs"]])
def test_a_small_module_imports_neither_frontend_nor_runtime(arguments: list[str]) -> None:
    found = loaded(*arguments, stdin=MODULE)
    assert not found & (LARGE | COMPILER)
    assert "ninetoothed.passes.lower_to_tt" not in found


def test_a_dialect_is_imported_where_a_text_has_it() -> None:
    assert "xdsl.dialects.math" not in loaded(stdin=MODULE)
    text = "%x = arith.constant 1.0 : f32\n%y = math.exp %x : f32\n"
    assert "xdsl.dialects.math" in loaded(stdin=text)


def test_a_python_file_alone_imports_torch(tmp_path: Path) -> None:
    path = tmp_path / "adds_one.py"
    path.write_text("""
import ninetoothed
from ninetoothed import Tensor

def arrangement(x):
    return (x.tile((64,)),)

def application(x):
    x = x + 1

kernel = ninetoothed.make(arrangement, application, (Tensor(1),))
""")
    for arguments in (["--list-kernels"], ["-t", "composed"], ["--dump-ir"]):
        assert not loaded(str(path), *arguments) & LARGE
    path.write_text(f"import torch\n{path.read_text()}")
    assert "torch" in loaded(str(path), "--list-kernels")
