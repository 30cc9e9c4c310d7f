"""TTIR text; whole kernels are in ``tests/golden``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from xdsl.dialects.builtin import (
    CallSiteLoc,
    DenseIntOrFPElementsAttr,
    FileLineColLoc,
    FloatAttr,
    IntAttr,
    StringAttr,
    TensorType,
    f32,
)

from ninetoothed.artifacts.configuration import Config
from ninetoothed.artifacts.source_names import encoded
from ninetoothed.artifacts.target import Target
from ninetoothed.backend.device_function import device_function
from ninetoothed.backend.emit import emit
from ninetoothed.backend.triton.ttir import emit_ttir, splat_value
from tests.support.targets import TARGETS
from tests.support.tt_modules import ADD, KERNELS, parse
from tests.support.ttir_stage import assembly

CONFIG = Config((), 4, 3)


def compile_for(target: str, module: Any, language: Any = "ttir") -> dict[str, str]:
    """Output of Triton's stages for ``module``."""
    pytest.importorskip("triton")
    return assembly(emit(module, language, Target.parse(target), CONFIG))


@pytest.mark.parametrize("name", KERNELS)
def test_the_module_is_left_alone(name: str) -> None:
    module = parse(KERNELS[name])
    before = str(module)
    text = emit_ttir(module)
    assert str(module) == before
    assert "nt." not in text
    assert emit_ttir(parse(KERNELS[name])) == text


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", KERNELS)
def test_triton_compiles_it(name: str, target: str) -> None:
    assert compile_for(target, parse(KERNELS[name]))["ttir"]


@pytest.mark.parametrize("value", [0.5, float("inf"), float("-inf"), float("nan")])
def test_blocks_of_one_value(value: float) -> None:
    block = DenseIntOrFPElementsAttr.from_list(TensorType(f32, [64, 64]), [value])
    found = splat_value(block)
    assert found == value or (found != found and value != value)
    uneven = DenseIntOrFPElementsAttr.from_list(TensorType(f32, [2]), [1.0, 2.0])
    assert splat_value(uneven) is None
    assert splat_value(FloatAttr(1.0, f32)) is None


@pytest.mark.parametrize("file", ["application.py", 'an "é" \\ and\n.py'])
def test_locations_reach_the_machine_code(file: str, tmp_path: Path) -> None:
    module = parse(ADD)
    name = StringAttr(str(tmp_path / file))
    ops = list(device_function(module).body.block.ops)
    for line, op in enumerate(ops, start=101):
        op.location = FileLineColLoc(name, IntAttr(line), IntAttr(4))
    (addition,) = [op for op in ops if op.name == "arith.addf"]
    callee = FileLineColLoc(name, IntAttr(777), IntAttr(4))
    addition.location = CallSiteLoc(callee, addition.location)
    text = emit_ttir(module)
    known = encoded(name.data)
    assert f'loc("{known}":101:4)' in text
    assert f'loc(callsite("{known}":777:4 at "{known}":' in text
    ptx = compile_for("sm_90", module)["ptx"]
    (store,) = [line for line, op in enumerate(ops, start=101) if op.name == "tt.store"]
    files = dict(re.findall(r'\.file\s+(\d+) "(.*)"', ptx))
    lines = {(files[file], int(line)) for file, line in re.findall(r"\.loc\s+(\d+) (\d+) ", ptx)}
    assert {(known, store), (known, 777)} <= lines
