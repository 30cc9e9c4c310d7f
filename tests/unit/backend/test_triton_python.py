"""Text of Triton-Python source; whole kernels are in ``tests/golden``."""

from __future__ import annotations

import linecache
from pathlib import Path

import pytest
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, StringAttr

from ninetoothed.backend.device_function import device_function
from ninetoothed.backend.triton.spelling import SPELLINGS
from ninetoothed.backend.triton.triton_python import emit_triton_python
from ninetoothed.errors import CompilerError
from ninetoothed.ir import tt
from tests.support.targets import TARGETS
from tests.support.tt_modules import ADD, KERNELS, elementwise, launch, parse
from tests.unit.backend.test_ttir import compile_for


def test_comments_show_the_users_lines(tmp_path: Path) -> None:
    path = tmp_path / "application.py"
    path.write_text("def application(x, y, out):\n    out = x + y  # " + "long " * 40 + "\n")
    linecache.checkcache(str(path))
    module = parse(ADD)
    for op in device_function(module).body.block.ops:
        line = IntAttr(2 if op.name in ("arith.addf", "tt.store") else 1)
        op.location = FileLineColLoc(StringAttr(str(path)), line, IntAttr(0))
    lines = emit_triton_python(module).splitlines()
    comments = [line for line in lines if line.lstrip().startswith("#")]
    assert comments[0] == "    # application.py:1: def application(x, y, out):"
    assert comments[1].startswith("    # application.py:2: out = x + y  # long")
    assert comments[1].endswith("...")
    assert len(comments) == 2
    assert max(map(len, lines)) <= 100


def test_names_that_python_or_the_source_needs() -> None:
    text = ADD.replace("%mask", "%tl").replace("%offs", "%lambda").replace("%sum", "%add")
    text = text.replace("%a ", "%x_1 ").replace("%a,", "%x_1,")
    source = emit_triton_python(parse(text))
    assert "tl_1 = lambda_ < n" in source
    compile(source, "kernel.py", "exec")


def test_long_names_and_lines() -> None:
    text = ADD.replace("%mask", "%" + "mask" * 20).replace("%offs", "%" + "offsets" * 20)
    for argument in ("%x", "%y", "%out"):
        text = text.replace(f"{argument}:", f"%{argument[1:] * 70}:")
        text = text.replace(f"{argument} :", f"%{argument[1:] * 70} :")
    source = emit_triton_python(parse(text))
    assert max(map(len, source.splitlines())) <= 100
    compile(source, "kernel.py", "exec")


def test_what_is_read_after_it_is_replaced() -> None:
    """A carried name keeps its value until nothing reads it: also under the name of a splat."""
    module = parse(
        f"""
        tt.func @f(%x: !tt.ptr<f32> {{"nt.param" = "x"}}, %n: i32 {{"nt.param" = "n"}})
            attributes {{{launch(["x", "n"])}}} {{
          %zero = arith.constant 0 : i32
          %one = arith.constant 1 : i32
          %start = arith.constant 0.0 : f32
          %lanes = tt.make_range 0 : i32 8 : i32 -> tensor<8xi32>
          %ps = tt.splat %x : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
          %p = tt.addptr %ps, %lanes : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
          %end = scf.for %i = %zero to %n step %one iter_args(%m = %start) -> (f32) : i32 {{
            %old = tt.splat %m : f32 -> tensor<8xf32>
            %top = tt.load %x : !tt.ptr<f32>
            %new = arith.addf %m, %top : f32
            tt.store %p, %old : tensor<8x!tt.ptr<f32>>
            scf.yield %new : f32
          }}
          tt.store %x, %end : !tt.ptr<f32>
          tt.return
        }}
        """
    )
    body = emit_triton_python(module).splitlines()[-7:]
    assert body == [
        "    p = x + tl.arange(0, 8)",
        "    m = tl.full((), 0.0, tl.float32)",
        "    for i in range(n):",
        "        top = tl.load(x)",
        "        tl.store(p, m)",
        "        m = m + top",
        "    tl.store(x, m)",
    ]


def test_what_stays_a_name() -> None:
    """Values used twice, behind or in a loop or branch, or read from memory, get a name."""
    module = parse(
        f"""
        tt.func @f(%x: !tt.ptr<f32> {{"nt.param" = "x"}}, %n: i32 {{"nt.param" = "n"}})
            attributes {{{launch(["x", "n"])}}} {{
          %zero = arith.constant 0 : i32
          %one = arith.constant 1 : i32
          %behind = arith.addi %n, %one : i32
          %inside = arith.muli %n, %n : i32
          %count = arith.subi %n, %one : i32
          %first = tt.load %x : !tt.ptr<f32>
          %m, %s = scf.for %i = %zero to %count step %one iter_args(%top = %first, %sum = %first)
              -> (f32, f32) : i32 {{
            %p = tt.addptr %x, %inside : !tt.ptr<f32>, i32
            %value = tt.load %p : !tt.ptr<f32>
            %higher = arith.maxnumf %top, %value : f32
            %step = arith.subf %higher, %top : f32
            %scaled = arith.mulf %sum, %step : f32
            scf.yield %higher, %scaled : f32, f32
          }}
          %q = tt.addptr %x, %behind : !tt.ptr<f32>, i32
          tt.store %q, %m : !tt.ptr<f32>
          %twice = arith.mulf %s, %m : f32
          %square = arith.mulf %twice, %twice : f32
          tt.store %x, %square : !tt.ptr<f32>
          tt.return
        }}
        """
    )
    body = emit_triton_python(module).splitlines()[6:]
    assert body == [
        "    behind = n + 1",
        "    inside = n * n",
        "    first = tl.load(x)",
        "    top = first",
        "    sum = first",
        "    for i in range(n - 1):",
        "        value = tl.load(x + inside)",
        "        higher = tl.maximum(top, value)",
        # In an order that reads `top` before it changes.
        "        sum = sum * (higher - top)",
        "        top = higher",
        "    tl.store(x + behind, top)",
        "    twice = sum * top",
        "    tl.store(x, twice * twice)",
    ]


@pytest.mark.parametrize("op", ["arith.addf %x0, %y", "arith.subf %x0, %y", "math.exp %y"])
def test_long_chains_are_not_nested_too_deeply(op: str) -> None:
    links = [f"%y{i + 1} = {op.replace('%y', f'%y{i}')} : tensor<64xf32>" for i in range(500)]
    links[0] = links[0].replace("%y0", "%x0")
    links.append("%y = arith.negf %y500 : tensor<64xf32>")
    source = emit_triton_python(elementwise("\n".join(links), "f32", count=1))
    assert max(map(len, source.splitlines())) <= 100
    compile(source, "kernel.py", "exec")


def test_an_op_without_spelling_is_named() -> None:
    module = elementwise("%y = math.tanh %x0 : tensor<64xf32>", "f32", count=1)
    with pytest.raises(CompilerError, match=r"math\.tanh has no handler in Triton-Python"):
        emit_triton_python(module)


def test_every_op_of_the_dialect_is_spelled() -> None:
    frame = {tt.FuncOp, tt.ReturnOp, tt.ReduceReturnOp, tt.ScanReturnOp}
    assert not set(tt.TT.operations) - frame - set(SPELLINGS)


@pytest.mark.parametrize("name", KERNELS)
def test_determinism_and_columns(name: str) -> None:
    module = parse(KERNELS[name])
    before = str(module)
    source = emit_triton_python(module)
    assert str(module) == before
    assert emit_triton_python(parse(KERNELS[name])) == source
    assert max(map(len, source.splitlines())) <= 100


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", KERNELS)
def test_triton_compiles_it(name: str, target: str) -> None:
    assert compile_for(target, parse(KERNELS[name]), "triton-python")["ttir"]
