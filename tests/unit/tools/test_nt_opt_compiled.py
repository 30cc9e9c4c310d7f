"""``nt-opt -t`` of what compilers make behind the last stage, for a named architecture."""

from __future__ import annotations

from pathlib import Path

import pytest

from ninetoothed.artifacts.target import Target
from ninetoothed.runtime.toolchain.triton import compat
from ninetoothed.testing.filecheck import nt_opt
from tests.support.fake_backend import registered
from tests.support.imports import ROOT
from tests.support.nt_opt_texts import text_of

needs_triton = pytest.mark.skipif(not compat.available(), reason="Triton is not installed")
ADD = str(ROOT / "examples" / "add.py")
# Dots whose precision is the architecture's.
MATMUL = str(ROOT / "examples" / "matmul.py")


def error_of(*arguments: str, stdin: str = "") -> str:
    result = nt_opt(arguments, stdin)
    assert (result.code, result.out) == (1, "")
    return result.err.splitlines()[-1]


@needs_triton
@pytest.mark.parametrize("target", Target.parse("sm_90").stages)
def test_texts_of_nvidia(target: str) -> None:
    found = text_of(ADD, "-t", target)
    marks = {
        "ttir": "module {\n  tt.func public @add_kernel(%lhs: !tt.ptr<f32> {tt.divisibility",
        "ttgir": 'ttg.target = "cuda:90"',
        "llir": "define ptx_kernel void @add_kernel(",
        "ptx": "// add.py:22:14 (b0, lhs, rhs)",
        "sass": "spills, 0 bytes of shared memory",
    }
    assert marks[target] in found
    assert found.endswith("\n")


@needs_triton
def test_the_architecture_is_named_or_that_of_the_text() -> None:
    assert "\n.target sm_80" in text_of(ADD, "-t", "ptx", "--arch", "sm_80")
    # LLVM's versions write the triple's other parts in several ways.
    target = text_of(ADD, "-t", "amdgcn").split("\n")[1]
    assert "-amd-amdhsa-" in target
    assert "-gfx942" in target
    assert "gfx950" in text_of(ADD, "-t", "amdgcn", "--arch", "gfx950").split("\n")[1]


@needs_triton
def test_locations_and_forms() -> None:
    plain = text_of(ADD, "-t", "ttir")
    assert " loc(" not in plain
    assert f'loc("{ADD}":22:14)' in text_of(ADD, "-t", "ttir", "--debug-info")
    generic = text_of(ADD, "-t", "ttir", "--generic")
    assert generic.startswith('"builtin.module"() ({')


def test_the_generic_form_needs_no_triton(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compat, "available", lambda: False)
    assert '"tt.func"() <{' in text_of(ADD, "-t", "ttir", "--generic")
    assert error_of(ADD, "-t", "ttir") == (
        "nt-opt: DeviceError: Triton, which makes ttir, is not installed; `pip install triton`; "
        "without it there are triton-python, and ttir in MLIR's generic form (nt-opt --generic)"
    )


def test_what_an_architecture_does_not_have() -> None:
    assert error_of(ADD, "-t", "sass", "--arch", "gfx942") == (
        "nt-opt: ArgumentError: gfx942 has no stage sass; its stages are ttir, ttgir, llir, amdgcn"
    )
    assert error_of(ADD, "-t", "ptx", "--arch", "sm_x") == (
        "nt-opt: DeviceError: unknown target 'sm_x'; write for example 'sm_90' or 'gfx942'"
    )


def test_a_text_goes_on_for_its_architecture() -> None:
    """What is emitted is for the default one, so that each stage goes on to the same text."""
    whole = text_of(MATMUL, "-t", "ttir", "--generic", "--debug-info")
    assert "inputPrecision = 0 : i32" in whole
    stage = text_of(MATMUL, "-t", "specialized", "--debug-info")
    assert stage.startswith("// nt-opt: --arch=sm_90 --num-warps=8 --num-stages=3 -p ")
    assert text_of("-t", "ttir", "--generic", stdin=stage) == whole
    # Of an early stage, for another one as well.
    other = text_of(MATMUL, "-t", "ttir", "--generic", "--arch", "gfx950")
    assert text_of("-t", "ttir", "--generic", "--arch", "gfx950", stdin=stage) == other != whole
    late = text_of(MATMUL, "-t", "padded")
    assert error_of("-t", "ttir", "--arch", "gfx950", stdin=late) == (
        "nt-opt: ArgumentError: --arch gfx950: the module is for sm_90, and passes that depend on "
        "it have run; begin with a stage before them, specialized say"
    )


@needs_triton
def test_a_module_that_says_nothing(tmp_path: Path) -> None:
    module = text_of(ADD, "-t", "tt").split("\n", 1)[1]
    found = text_of("-t", "ttgir", "--num-warps", "2", stdin=module)
    assert '"ttg.num-warps" = 2 : i32' in found
    assert '"ttg.num-warps" = 4 : i32' in text_of("-t", "ttgir", stdin=module)


@needs_triton
def test_what_triton_refuses() -> None:
    """It is an error at the function."""
    result = nt_opt([ADD, "-t", "ptx", "--num-warps", str(1 << 31)])
    assert (result.code, result.out) == (1, "")
    found = result.err[result.err.index("nt-opt:") :].splitlines()
    assert found[0].startswith("nt-opt: ConfigurationError: Triton makes no ")
    assert " of add_kernel for sm_90: " in found[0]
    assert found[-3].startswith(f'  File "{ADD}", line 21, column 1')
    assert found[-2] == "    def application(lhs, rhs, output):"


def test_another_back_end() -> None:
    with registered():
        assert text_of(ADD, "-t", "shouts", "--arch", "fake1").startswith("WORDS: BUILTIN.MODULE ")
