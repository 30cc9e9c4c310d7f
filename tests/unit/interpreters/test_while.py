"""``scf.while``: interpreted, traced, and written in Python."""

from __future__ import annotations

import io

import pytest
import torch
from xdsl.parser import Parser
from xdsl.printer import Printer

from ninetoothed.backend.launch_source import reads_writes
from ninetoothed.backend.triton.triton_python import emit_triton_python
from ninetoothed.compiler.compile import context
from ninetoothed.errors import CompilerError, NineToothedError
from ninetoothed.interpreters import interpret
from ninetoothed.passes import find_pass
from ninetoothed.runtime.toolchain.triton import compat
from tests.support.interpreted import Case, run
from tests.support.nt_modules import LOAD, V, store, vector_kernel
from tests.support.tt_modules import launch, parse

COUNTED = f"""
    {LOAD}
    %s = nt.reduce "sum" %a axis 0 : {V} -> f32
    %one = arith.constant 1.0 : f32
    %zero = arith.constant 0.0 : f32
    %b, %left = scf.while (%c = %a, %n = %s) : ({V}, f32) -> ({V}, f32) {{
      %go = nt.elementwise "gt"(%n, %zero) : (f32, f32) -> i1
      scf.condition(%go) %c, %n : {V}, f32
    }} do {{
    ^bb0(%d : {V}, %m : f32):
      %e = nt.elementwise "add"(%d, %d) : ({V}, {V}) -> {V}
      nt.store %e, %x[] : {V}, {V}[]
      %less = nt.elementwise "sub"(%m, %one) : (f32, f32) -> f32
      scf.yield %e, %less : {V}, f32
    }}
    {store("b")}"""
"""Doubles a block, with its own trip count in each program."""


@pytest.mark.parametrize("lanes", ["1", "1000"])
def test_programs_leave_after_their_own_iterations(
    lanes: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NINETOOTHED_INTERPRET_LANES", lanes)
    x, z = torch.tensor([3.0, 0, 1, 2, 5]), torch.zeros(5)
    interpret(vector_kernel(COUNTED), [x, z], {"B": 1})
    assert z.tolist() == [24, 0, 2, 8, 160]
    assert x.tolist() == [24, 0, 2, 8, 160]


def test_text_with_locations_is_read_again() -> None:
    texts: list[str] = []
    module = vector_kernel(COUNTED)
    for _ in range(2):
        text = io.StringIO()
        Printer(text, print_debuginfo=True).print_op(module)
        texts.append(text.getvalue())
        module = Parser(context(), texts[-1]).parse_module()
    assert texts[0] == texts[1]


def test_a_long_loop_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NINETOOTHED_INTERPRET_MAX_STEPS", "4")
    interpret(vector_kernel(COUNTED), [torch.tensor([4.0]), torch.zeros(1)], {"B": 1})
    with pytest.raises(NineToothedError) as error:
        interpret(vector_kernel(COUNTED), [torch.tensor([5.0]), torch.zeros(1)], {"B": 1})
    assert error.value.message == (
        "a loop runs more than 4 times, where the interpreter stops; if it ends, set "
        "NINETOOTHED_INTERPRET_MAX_STEPS to more; if it waits for another program, it does not "
        "end here, since programs are interpreted in step"
    )


def test_programs_that_a_branch_keeps_out_do_not_turn() -> None:
    """Their condition is not evaluated."""
    body = f"""
      {LOAD}
      %s = nt.reduce "sum" %a axis 0 : {V} -> f32
      %zero = arith.constant 0.0 : f32
      %one = arith.constant 1.0 : f32
      %some = nt.elementwise "gt"(%s, %zero) : (f32, f32) -> i1
      %b = scf.if %some -> ({V}) {{
        %r, %t = scf.while (%c = %a, %n = %s) : ({V}, f32) -> ({V}, f32) {{
          %go = nt.elementwise "ne"(%n, %zero) : (f32, f32) -> i1
          scf.condition(%go) %c, %n : {V}, f32
        }} do {{
        ^bb0(%d : {V}, %m : f32):
          %e = nt.elementwise "add"(%d, %d) : ({V}, {V}) -> {V}
          %less = nt.elementwise "sub"(%m, %one) : (f32, f32) -> f32
          scf.yield %e, %less : {V}, f32
        }}
        scf.yield %r : {V}
      }} else {{
        scf.yield %a : {V}
      }}
      {store("b")}"""
    x, z = torch.tensor([3.0, -1, 1, -2, 2]), torch.zeros(5)
    interpret(vector_kernel(body), [x, z], {"B": 1})
    assert z.tolist() == [24, -1, 2, -2, 8]


POINTERS = f"""
    tt.func @f(%a: !tt.ptr<f32> {{"nt.param" = "a"}}, %b: !tt.ptr<f32> {{"nt.param" = "b"}},
               %c: !tt.ptr<f32> {{"nt.param" = "c"}}, %d: !tt.ptr<f32> {{"nt.param" = "d"}})
        attributes {{{launch(["a", "b", "c", "d"])}}} {{
      %one = arith.constant 1 : i32
      %zero = arith.constant 0.0 : f32
      %seen, %last = scf.while (%p = %a) : (!tt.ptr<f32>) -> (f32, !tt.ptr<f32>) {{
        %value = tt.load %p : !tt.ptr<f32>
        %go = arith.cmpf ogt, %value, %zero : f32
        scf.condition(%go) %value, %b : f32, !tt.ptr<f32>
      }} do {{
      ^bb0(%v: f32, %q: !tt.ptr<f32>):
        %w = tt.load %q : !tt.ptr<f32>
        tt.store %c, %v : !tt.ptr<f32>
        %next = tt.addptr %d, %one : !tt.ptr<f32>, i32
        scf.yield %next : !tt.ptr<f32>
      }}
      tt.store %last, %seen : !tt.ptr<f32>
      tt.return
    }}
    """
"""Hands on something else than it carries."""


def test_pointers_are_traced() -> None:
    assert reads_writes(parse(POINTERS)) == (("a", "b", "d"), ("b", "c"))


def test_guards_of_other_values_than_the_carried_are_refused() -> None:
    body = f"""
      {LOAD}
      %s = nt.reduce "sum" %a axis 0 : {V} -> f32
      %zero = arith.constant 0.0 : f32
      %r = scf.while (%c = %a) : ({V}) -> {V} {{
        %go = nt.elementwise "gt"(%s, %zero) : (f32, f32) -> i1
        %e = nt.elementwise "add"(%c, %c) : ({V}, {V}) -> {V}
        scf.condition(%go) %e : {V}
      }} do {{
      ^bb0(%d : {V}):
        scf.yield %d : {V}
      }}
      %t = nt.reduce "sum" %r axis 0 : {V} -> f32"""
    module = vector_kernel(body)
    find_pass("nt-compose-arrangement")().apply(context(), module)
    with pytest.raises(CompilerError, match="forwards other values than it carries"):
        find_pass("nt-mask-reductions")().apply(context(), module)


NUMBERS = f"""
    tt.func @f(%x: !tt.ptr<i32> {{"nt.param" = "x"}}, %y: !tt.ptr<i32> {{"nt.param" = "y"}})
        attributes {{{launch(["x", "y"])}}} {{
      %one = arith.constant 1 : i32
      %zero = arith.constant 0 : i32
      %limit = arith.constant 40 : i32
      %start = tt.load %x : !tt.ptr<i32>
      %a, %b, %steps = scf.while (%p = %zero, %q = %start, %n = %zero)
          : (i32, i32, i32) -> (i32, i32, i32) {{
        %sum = arith.addi %p, %q : i32
        %go = arith.cmpi slt, %sum, %limit : i32
        scf.condition(%go) %p, %q, %n : i32, i32, i32
      }} do {{
      ^bb0(%r: i32, %s: i32, %m: i32):
        %t = arith.addi %r, %s : i32
        %at = tt.addptr %y, %m : !tt.ptr<i32>, i32
        tt.store %at, %t : !tt.ptr<i32>
        %k = arith.addi %m, %one : i32
        scf.yield %s, %t, %k : i32, i32, i32
      }}
      %end = tt.addptr %y, %steps : !tt.ptr<i32>, i32
      tt.store %end, %a : !tt.ptr<i32>
      tt.return
    }}
    """
"""Carried values that take each other's places."""

SEARCH = f"""
    tt.func @f(%x: !tt.ptr<i32> {{"nt.param" = "x"}}, %y: !tt.ptr<i32> {{"nt.param" = "y"}})
        attributes {{{launch(["x", "y"])}}} {{
      %one = arith.constant 1 : i32
      %zero = arith.constant 0 : i32
      %found, %place = scf.while (%i = %zero) : (i32) -> (i32, i32) {{
        %at = tt.addptr %x, %i : !tt.ptr<i32>, i32
        %value = tt.load %at : !tt.ptr<i32>
        %go = arith.cmpi sgt, %value, %zero : i32
        scf.condition(%go) %value, %i : i32, i32
      }} do {{
      ^bb0(%v: i32, %j: i32):
        %to = tt.addptr %y, %j : !tt.ptr<i32>, i32
        %twice = arith.addi %v, %v : i32
        tt.store %to, %twice : !tt.ptr<i32>
        %k = arith.addi %j, %one : i32
        scf.yield %k : i32
      }}
      %to = tt.addptr %y, %place : !tt.ptr<i32>, i32
      tt.store %to, %found : !tt.ptr<i32>
      tt.return
    }}
    """
"""A condition of several statements, which forwards what it has read."""


@pytest.mark.skipif(not compat.available(), reason="Triton is not installed")
def test_python_means_the_same() -> None:
    x = torch.tensor([3, 5, 7, -4, 2, 0, 0, 0], dtype=torch.int32)
    cases: list[Case] = []
    expected: list[list[int]] = []
    for text in (NUMBERS, SEARCH):
        module = parse(text)
        y = torch.zeros(8, dtype=torch.int32)
        interpret(module, [x, y])
        expected.append([int(value) for value in y])
        source = emit_triton_python(module)
        cases.append(Case(source, "f", [x.clone(), torch.zeros(8, dtype=torch.int32)]))
    assert expected == [[3, 6, 9, 15, 24, 39, 24, 0], [6, 10, 14, -4, 0, 0, 0, 0]]
    assert [arguments[1].tolist() for arguments in run(cases)] == expected
