"""Reductions, scans, sorts and histograms in Triton-Python: spellings, and interpreted results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from ninetoothed.backend.triton.triton_python import emit_triton_python
from ninetoothed.ir.rewriting import Inserter, replace
from ninetoothed.passes.lowering.sorting import Sort, sort
from tests.support.interpreted import Case, run
from tests.support.tt_modules import elementwise
from tests.unit.backend.test_ttir import compile_for


def scan(op: str, dtype: str, reverse: str = "false") -> str:
    """A scan by one op."""
    return f"""
    %y = "tt.scan"(%x0) <{{axis = 0 : i32, reverse = {reverse}}}> ({{
    ^bb0(%a: {dtype}, %b: {dtype}):
      %c = {op} %a, %b : {dtype}
      tt.scan.return %c : {dtype}
    }}) : (tensor<64x{dtype}>) -> tensor<64x{dtype}>"""


def reduction(op: str, dtype: str) -> str:
    """A reduction by one op, in each lane."""
    return f"""
    %r = "tt.reduce"(%x0) <{{axis = 0 : i32}}> ({{
    ^bb0(%a: {dtype}, %b: {dtype}):
      %c = {op} %a, %b : {dtype}
      tt.reduce.return %c : {dtype}
    }}) : (tensor<64x{dtype}>) -> {dtype}
    %y = tt.splat %r : {dtype} -> tensor<64x{dtype}>"""


SPELLED = [
    (scan("arith.addi", "i32"), "i32", "tl.cumsum(x0, axis=0)"),
    (scan("arith.addf", "f16", "true"), "f16", "tl.cumsum(x0, axis=0, reverse=True)"),
    (scan("arith.mulf", "f64"), "f64", "tl.cumprod(x0, axis=0)"),
    # Triton's own widen these, some in 3.6, some from then on.
    (scan("arith.addi", "i8"), "i8", "tl.associative_scan(x0, 0, combine_addi)"),
    (scan("arith.muli", "i16"), "i16", "tl.associative_scan(x0, 0, combine_muli)"),
    (scan("arith.addf", "bf16"), "bf16", "tl.associative_scan(x0, 0, combine_addf)"),
    (
        scan("arith.maxsi", "i32", "true"),
        "i32",
        "tl.associative_scan(x0, 0, combine_maxsi, reverse=True)",
    ),
    (reduction("arith.addf", "bf16"), "bf16", "tl.sum(x0, axis=0)"),
    (reduction("arith.addf", "f32"), "f32", "tl.sum(x0, axis=0)"),
    (reduction("arith.minnumf", "f64"), "f64", "tl.min(x0, axis=0)"),
    (reduction("arith.maxsi", "i64"), "i64", "tl.max(x0, axis=0)"),
    (reduction("arith.maxnumf", "f16"), "f16", "tl.reduce(x0, 0, combine_maxnumf)"),
    (reduction("arith.maximumf", "f32"), "f32", "tl.reduce(x0, 0, combine_maximumf)"),
    (reduction("arith.maxui", "i32"), "i32", "tl.reduce(x0, 0, combine_maxui)"),
    (reduction("arith.mulf", "f32"), "f32", "tl.reduce(x0, 0, combine_mulf)"),
    (reduction("arith.addi", "i8"), "i8", "tl.reduce(x0, 0, combine_addi)"),
    (reduction("arith.maxnumf", "f32"), "f32", "tl.max(x0, axis=0)"),
    (reduction("arith.maxnumf", "bf16"), "bf16", "tl.reduce(x0, 0, combine_maxnumf)"),
    (reduction("arith.minsi", "i16"), "i16", "tl.reduce(x0, 0, combine_minsi)"),
    (reduction("arith.xori", "i8"), "i8", "tl.xor_sum(x0, axis=0)"),
]


@pytest.mark.parametrize(("body", "dtype", "text"), SPELLED, ids=[row[2] for row in SPELLED])
def test_spelling(body: str, dtype: str, text: str) -> None:
    source = emit_triton_python(elementwise(body, dtype, count=1))
    assert source.endswith(f"tl.store(q + lanes, {text})\n")


LARGEST = """
    %i = tt.make_range 0 : i32 64 : i32 -> tensor<64xi32>
    %v, %j = "tt.reduce"(%x0, %i) <{axis = 0 : i32}> ({
    ^bb0(%a: i32, %k: i32, %b: i32, %l: i32):
      %c = arith.cmpi ugt, %a, %b : i32
      %d = arith.select %c, %a, %b : i32
      %e = arith.select %c, %k, %l : i32
      tt.reduce.return %d, %e : i32, i32
    }) : (tensor<64xi32>, tensor<64xi32>) -> (i32, i32)
    %y = tt.splat %j : i32 -> tensor<64xi32>"""
SOME = """
    %zero = arith.constant dense<0> : tensor<64xi32>
    %m = arith.cmpi sgt, %x0, %zero : tensor<64xi32>
    %y, %n = "tt.scan"(%x0, %m) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%a: i32, %some: i1, %b: i32, %more: i1):
      %c = arith.minsi %a, %b : i32
      %d = arith.select %more, %c, %a : i32
      %e = arith.select %some, %d, %b : i32
      %f = arith.ori %some, %more : i1
      tt.scan.return %e, %f : i32, i1
    }) : (tensor<64xi32>, tensor<64xi1>) -> (tensor<64xi32>, tensor<64xi1>)"""
COUNTS = """
    %n = arith.constant dense<64> : tensor<64xi32>
    %m = arith.cmpi ult, %x0, %n : tensor<64xi32>
    %y = tt.histogram %x0, %m : tensor<64xi1> : tensor<64xi32> -> tensor<64xi32>"""


def positive_minimum(x: Any) -> Any:
    """So far; before there is one, what is there."""
    found = x.copy()
    for lane in range(1, len(x)):
        before = (x[:lane] > 0).any()
        if before:
            found[lane] = min(found[lane - 1], x[lane]) if x[lane] > 0 else found[lane - 1]
    return found


def last_largest(x: Any) -> Any:
    """Argmax of unsigned numbers."""
    bits = x.view("uint32")
    return np.full_like(x, np.flatnonzero(bits == bits.max())[-1])


MEANT: list[tuple[str, Callable[[Any], Any]]] = [
    (scan("arith.addi", "i32", "true"), lambda x: np.cumsum(x[::-1], dtype="int32")[::-1]),
    (scan("arith.maxsi", "i32"), np.maximum.accumulate),
    (scan("arith.minsi", "i32", "true"), lambda x: np.minimum.accumulate(x[::-1])[::-1]),
    (LARGEST, last_largest),
    (SOME, positive_minimum),
    (COUNTS, lambda x: np.bincount(x[(x >= 0) & (x < 64)], minlength=64).astype("int32")),
]


def sorted_by(descending: bool, unsigned: bool) -> ModuleOp:
    """A kernel that sorts."""
    module = elementwise("%y = arith.andi %x0, %x0 : tensor<64xi32>", "i32", count=1)
    (op,) = (op for op in module.walk() if isinstance(op, arith.AndIOp))
    inserter = Inserter.before(op)
    wanted = Sort(0, 64, descending, unsigned)
    replace(op, [sort(inserter.add, SSAValue.get(op.lhs), wanted)])
    return module


def test_meaning() -> None:
    pytest.importorskip("triton")
    numbers = np.random.default_rng(5).integers(-100, 100, 64).astype("int32")
    modules = [elementwise(body, "i32", count=1) for body, _ in MEANT]
    modules += [sorted_by(descending, False) for descending in (False, True)]
    modules.append(sorted_by(False, True))
    expected = [meaning(numbers) for _, meaning in MEANT]
    expected += [np.sort(numbers), np.sort(numbers)[::-1]]
    expected.append(np.sort(numbers.view("uint32")).view("int32"))
    cases = [
        Case(
            emit_triton_python(module),
            "f",
            [torch.from_numpy(numbers), torch.empty(64, dtype=torch.int32)],
        )
        for module in modules
    ]
    for (_, found), wanted in zip(run(cases), expected, strict=True):
        np.testing.assert_array_equal(found.numpy(), wanted)


def test_triton_types_every_one() -> None:
    for body, dtype, _ in SPELLED:
        for language in ("ttir", "triton-python"):
            compile_for("sm_90", elementwise(body, dtype, count=1), language)
    for body, _ in MEANT:
        compile_for("sm_90", elementwise(body, "i32", count=1), "triton-python")
