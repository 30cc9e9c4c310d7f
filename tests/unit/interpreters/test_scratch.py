"""Scratch memory: all programs see it, in all chunks, and no trace does."""

from __future__ import annotations

import pytest
import torch
from xdsl.dialects.builtin import ModuleOp

from ninetoothed.interpreters import interpret
from ninetoothed.interpreters.trace import Trace
from ninetoothed.ir.dialects import context
from ninetoothed.ir.parsing import parse_module
from ninetoothed.passes.pipeline import parse_steps, run

KERNEL = """
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] grid #nt.expr<n> arrange {
  %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.access %y <[[n]] -> [g0]> : !nt.tensor<[n] x f32> -> !nt.tensor<[n] x f32>
  nt.arranged %0 : !nt.tensor<[n] x f32>
} apply {
^bb0(%a : !nt.tensor<[] x f32>):
  %pid = nt.program_id : index
  %g0 = nt.program_index %pid [n] : index
  %me = nt.program_id : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %arrivals = nt.scratch "arrivals" 1 zeroed : !tt.ptr<i32>
  %before = nt.atomic "add" %arrivals, %one "acq_rel" "gpu" : !tt.ptr<i32>, i32
  %partials = nt.scratch "partials" 2 : !tt.ptr<f32>
  %place = nt.elementwise "mul"(%me, %two) : (i32, i32) -> i32
  %mine = nt.addptr %partials, %place : !tt.ptr<f32>, i32
  %number = nt.cast %before : i32 -> f32
  nt.pointer_store %number, %mine : f32, !tt.ptr<f32>
  %next = nt.addptr %mine, %one : !tt.ptr<f32>, i32
  %nothing = nt.pointer_load %next : !tt.ptr<f32> -> f32
  %is_nothing = nt.elementwise "ne"(%nothing, %nothing) : (f32, f32) -> i1
  %again = nt.pointer_load %mine : !tt.ptr<f32> -> f32
  %other = arith.constant -1.0 : f32
  %found = nt.elementwise "where"(%is_nothing, %again, %other) : (i1, f32, f32) -> f32
  nt.store %found, %a[] : f32, !nt.tensor<[] x f32>[]
  nt.return
}
"""


def lowered() -> ModuleOp:
    module = parse_module(KERNEL)
    run(context(), module, parse_steps("nt-lower-accesses,nt-lower-to-tt"))
    return module


@pytest.mark.parametrize("level", ["nt", "tt"])
@pytest.mark.parametrize("lanes", ["1", "64"])
def test_programs_share_it(level: str, lanes: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NINETOOTHED_INTERPRET_LANES", lanes)
    module = parse_module(KERNEL) if level == "nt" else lowered()
    y, trace = torch.zeros(5), Trace()
    interpret(module, [y], {}, trace)
    assert y.tolist() == [0, 1, 2, 3, 4]
    assert {name for name, _, _ in trace.keys} == {"y"}
    # Each launch has its own.
    interpret(module, [y], {}, None)
    assert y.tolist() == [0, 1, 2, 3, 4]
