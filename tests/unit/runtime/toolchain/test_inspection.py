"""Texts of Triton's stages, offline: all there are, with the user's names, or what is wrong."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from ninetoothed.artifacts.artifact import Artifact
from ninetoothed.artifacts.target import Target
from ninetoothed.errors import ArgumentError, ConfigurationError, DeviceError
from ninetoothed.runtime.toolchain.inspection import inspect
from ninetoothed.runtime.toolchain.triton import compat, nvidia_tools, stage_texts, value_names
from tests.support import artifacts
from tests.support.fake_backend import registered

needs_triton = pytest.mark.skipif(not compat.available(), reason="Triton is not installed")
SM_90, GFX942 = Target.parse("sm_90"), Target.parse("gfx942")

# What the emitter writes: an op a line, names that are numbered, a location behind each.
LOCATED = r"""
"builtin.module"() ({
  "tt.func"() <{function_type = (!tt.ptr<f32>, i32) -> (), sym_name = "grow",
      sym_visibility = "public", arg_attrs = [{}, {}]}> ({
  ^bb0(%x: !tt.ptr<f32> loc("x"(unknown)), %n: i32 loc("n"(unknown))):
    %0 = "arith.constant"() <{value = 0 : i32}> : () -> i32 loc("/a/kernel.py":3:1)
    %step = "arith.constant"() <{value = 1 : i32}> : () -> i32 loc("/a/kernel.py":3:2)
    %start = "tt.load"(%x) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (!tt.ptr<f32>) -> f32 loc("/a/kernel.py":4:5)
    %grown, %twice = "scf.for"(%0, %n, %step, %start, %start) ({
    ^bb0(%k: i32 loc("k"(unknown)), %a: f32 loc("a"(unknown)), %b: f32 loc("b"(unknown))):
      %a_1 = "arith.addf"(%a, %b) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32 loc(callsite("/a/helper.py":7:5 at "/a/kernel.py":6:9))
      "scf.yield"(%a_1, %a_1) : (f32, f32) -> () loc("/a/kernel.py":5:1)
    }) : (i32, i32, i32, f32, f32) -> (f32, f32) loc("/a/kernel.py":5:1)
    "tt.store"(%x, %grown) : (!tt.ptr<f32>, f32) -> () loc("/a/kernel.py":8:5)
    "tt.return"() : () -> () loc("/a/kernel.py":3:1)
  }) : () -> () loc("/a/kernel.py":3:1)
}) : () -> () loc(unknown)
"""  # noqa: E501


def grow(target: Target = SM_90) -> Artifact:
    return replace(artifacts.add(text=LOCATED, target=target), name="grow")


def test_what_a_target_has() -> None:
    assert SM_90.stages == ("ttir", "ttgir", "llir", "ptx", "sass")
    assert GFX942.stages == ("ttir", "ttgir", "llir", "amdgcn")
    with pytest.raises(ArgumentError) as caught:
        inspect(artifacts.add(target=GFX942), ["sass"])
    assert caught.value.message == (
        "gfx942 has no stage sass; its stages are ttir, ttgir, llir, amdgcn"
    )


def test_another_back_end() -> None:
    with registered():
        artifact = artifacts.add(target=Target.parse("fake1"), text="quiet")
        assert inspect(artifact, ["shouts"]).texts == {"shouts": "QUIET"}


def test_without_triton(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compat, "available", lambda: False)
    with pytest.raises(DeviceError) as caught:
        inspect(artifacts.add(), ["ptx"])
    assert caught.value.message == (
        "Triton, which makes ptx, is not installed; `pip install triton`; without it there are "
        "triton-python, and ttir in MLIR's generic form (nt-opt --generic)"
    )


@needs_triton
def test_what_triton_refuses() -> None:
    # More lanes than a tensor may have.
    with pytest.raises(ConfigurationError) as caught:
        inspect(artifacts.add(block=1 << 21), ["ptx"])
    assert caught.value.message.startswith("Triton makes no ttir of add for sm_90: RuntimeError: ")


@needs_triton
def test_the_stages_of_nvidia() -> None:
    found = inspect(grow(), SM_90.stages)
    assert list(found.texts) == ["ttir", "ttgir", "llir", "ptx", "sass"]
    assert re.fullmatch(
        r"\d+ registers a thread, 0 spills, 0 bytes of shared memory", found.summary
    )
    assert found.texts["sass"].startswith(f"// {found.summary}\n")
    assert "tt.func public @grow(%x: !tt.ptr<f32>" in found.texts["ttir"]
    assert "#ttg" in found.texts["ttgir"] or "ttg.num-warps" in found.texts["ttgir"]
    assert "define" in found.texts["llir"]
    assert ".visible .entry grow" in found.texts["ptx"]
    assert ".text.grow:" in found.texts["sass"]
    assert found.registers is not None
    assert found.registers > 0
    assert (found.spills, found.shared) == (0, 0)


@needs_triton
def test_the_stages_of_amd() -> None:
    found = inspect(grow(GFX942), ["amdgcn", "ttir"])
    # In the order in which they are asked for.
    assert list(found.texts) == ["amdgcn", "ttir"]
    assert ".amdgcn_target" in found.texts["amdgcn"]
    assert " ; kernel.py:4:5 (start)" in re.sub(" +", " ", found.texts["amdgcn"])
    assert found.registers is not None
    assert found.registers > 0
    assert (found.spills, found.shared) == (0, 0)


@needs_triton
def test_nothing_is_compiled_that_is_not_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compat, "stages", None)
    found = inspect(grow(), ["ttir"])
    assert (found.registers, found.spills, found.shared) == (None, None, None)


@needs_triton
def test_names_are_in_the_ir_and_behind_the_places_of_assembly() -> None:
    found = inspect(grow(), SM_90.stages)
    for stage in ("ttir", "ttgir"):
        assert "%start = tt.load %x : !tt.ptr<f32> loc(#loc" in found.texts[stage]
    ptx = re.sub("[ \t]+", " ", found.texts["ptx"])
    assert ".param .u64 .ptr .global .align 1 grow_param_0, // x\n" in ptx
    assert " .loc 1 4 5 // kernel.py:4:5 (start)\n" in ptx
    assert '//## File "/a/kernel.py", line 5 (grown, twice)\n' in found.texts["sass"]


@needs_triton
@pytest.mark.parametrize("target", [SM_90, GFX942])
def test_it_is_what_a_launch_runs(target: Target) -> None:
    names = target.stages[2:]
    found = inspect(grow(target), names)
    for stage, made, _ in compat.stages(grow(target)):
        if stage in names:
            comments = re.compile(
                r"^(\s*\.(?:param|loc)\s.*?)(?: // \w+| \([\w, ]+\))$", re.MULTILINE
            )
            text = found.texts[stage].removeprefix(f"; {found.summary}\n")
            assert comments.sub(r"\1", text) == made


def test_locations_with_names() -> None:
    found = value_names.located(grow()).text.splitlines()
    plain = LOCATED.splitlines()
    changed = [(one, two) for one, two in zip(plain, found, strict=True) if one != two]
    assert [two[len(one.partition(" loc(")[0]) :] for one, two in changed] == [
        ' loc("step"("/a/kernel.py":3:2))',
        ' loc("start"("/a/kernel.py":4:5))',
        r' loc("a"(callsite("/a/helper.py":7:5 at "/a/kernel.py":6:9)))',
    ]
    source = artifacts.add(language="triton-python")
    assert value_names.located(source) is source


def test_comments_with_names() -> None:
    ptx = """
	.param .u64 .ptr .global .align 1 grow_param_0,
	.param .u64 grow_param_4
	.loc	1 5 1                           // kernel.py:5:1
	.loc	2 7 5, function_name $L__info_string0, inlined_at 1 6 9 // my helper.py:7:5
	.loc	1 0 1                           // kernel.py:0:1
	.file	1 "/a/kernel.py"
	.file	2 "/a" "my helper.py"
"""
    spaced = replace(grow(), text=LOCATED.replace("helper.py", r"my helper.py"))
    lines = value_names.annotated(spaced, {"ptx": ptx, "llir": "x"})["ptx"].splitlines()
    assert lines[1:6] == [
        "\t.param .u64 .ptr .global .align 1 grow_param_0, // x",
        "\t.param .u64 grow_param_4",
        "\t.loc\t1 5 1                           // kernel.py:5:1 (grown, twice)",
        "\t.loc\t2 7 5, function_name $L__info_string0, inlined_at 1 6 9 // my helper.py:7:5 (a)",
        "\t.loc\t1 0 1                           // kernel.py:0:1",
    ]


def test_ir_without_locations() -> None:
    text = (
        '#loc = loc("/a/kernel.py":3:1)\n'
        "module {\n"
        '  tt.func @f(%x: i32 loc("x"), %y: i32 loc("y")) {\n'
        '    tt.assert %x, "a loc(#loc2)" : i1 loc(#loc2)\n'
        "  } loc(#loc)\n"
        "} loc(unknown)\n"
        '#loc2 = loc("a)"(#loc))\n'
    )
    assert stage_texts.without_locations(text) == (
        "module {\n"
        "  tt.func @f(%x: i32, %y: i32) {\n"
        '    tt.assert %x, "a loc(#loc2)" : i1\n'
        "  }\n"
        "}\n"
    )


@needs_triton
def test_what_is_no_binary() -> None:
    with pytest.raises(DeviceError, match=r"^nvdisasm failed: .*nvdisasm"):
        nvidia_tools.disassembly(b"no binary")


@needs_triton
def test_a_triton_without_a_disassembler(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    nvidia = nvidia_tools.importlib.import_module("triton.backends.nvidia")
    monkeypatch.setattr(nvidia, "__file__", str(tmp_path / "__init__.py"))
    with pytest.raises(DeviceError) as caught:
        nvidia_tools.registers(b"")
    assert caught.value.message.startswith(
        "cuobjdump, which Triton brings along, cannot be run ([Errno 2] No such file"
    )
    assert caught.value.message.endswith("); install a Triton that has it")
