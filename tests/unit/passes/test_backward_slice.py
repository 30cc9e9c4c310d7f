"""Backward slices, in kernels and in device functions."""

from __future__ import annotations

from xdsl.ir import SSAValue

from ninetoothed.ir import tt
from ninetoothed.ir.parsing import parse_module
from ninetoothed.passes.analysis.backward_slice import backward_slice

LOOP = """
tt.func @one(%x: !tt.ptr<f32>, %n: i32, %m: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %other = arith.constant 7 : i32
  %sum, %step = scf.for %i = %zero to %n step %one iter_args(%a = %zero, %b = %one)
      -> (i32, i32) : i32 {
    %next = arith.addi %a, %b : i32
    scf.yield %next, %b : i32, i32
  }
  %place = tt.addptr %x, %sum : !tt.ptr<f32>, i32
  %old = tt.load %place : !tt.ptr<f32>
  tt.store %place, %old : !tt.ptr<f32>
  tt.return
}
"""


def slices() -> tuple[list[SSAValue], list[SSAValue]]:
    """Those of the pointer and of the value that are stored."""
    (store,) = (op for op in parse_module(LOOP).walk() if isinstance(op, tt.StoreOp))
    return backward_slice(store.ptr), backward_slice(store.value)


def names(values: list[SSAValue]) -> list[str | None]:
    return [value.name_hint for value in values]


def test_it_goes_through_loops_to_the_arguments() -> None:
    found, _ = slices()
    assert names(found[:3]) == ["place", "x", "sum"]
    assert set(names(found)) == {"place", "x", "sum", "zero", "n", "one", "a", "b", "next"}


def test_each_value_is_in_it_once() -> None:
    pointer, value = slices()
    assert len(set(pointer)) == len(pointer)
    assert names(value[:2]) == ["old", "place"]
    assert names(value[1:]) == names(pointer)


def test_of_no_value_and_of_several() -> None:
    pointer, _ = slices()
    assert backward_slice() == []
    assert names(backward_slice(pointer[1], pointer[0]))[:3] == ["x", "place", "sum"]
