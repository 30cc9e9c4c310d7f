"""Guard analysis: the guards of values."""

from __future__ import annotations

import pytest
from xdsl.ir import SSAValue
from xdsl.parser import Parser

from ninetoothed.compiler.compile import context
from ninetoothed.errors import CompilerError
from ninetoothed.ir import nt
from ninetoothed.passes.analysis.guards import (
    ALL_VALID,
    AnyAlong,
    Every,
    Guard,
    Guards,
    InAccess,
    Joined,
    Leading,
    Masked,
    Moved,
    Where,
    guards,
)

B = "!nt.tensor<[4, 8] x f32>"
BITS = "!nt.tensor<[4, 8] x i1>"
ROWS = "!nt.tensor<[4] x f32>"
LOADS = f"""
    %v = nt.load %x[] : {B}[] -> {B}
    %w = nt.load %y[] : {B}[] -> {B}
    %zero = arith.constant 0.0 : f32
    %full = nt.full %zero : f32 -> {B}
"""


class Analysed:
    """The guards of an application of ``x`` and ``y``, blocks that reach beyond their tensors."""

    def __init__(self, body: str) -> None:
        access = "<[[m ceildiv 4, n ceildiv 8], [4, 8]] -> [g0 * 4 + b0, g1 * 8 + b1] if "
        type_ = f"!nt.tensor<[m, n] x f32> -> !nt.tensor<[m ceildiv 4, n ceildiv 8] x {B}>"
        sources = "".join(
            f"""
            %{name} = nt.source "{name}" "tensor" strides [n, 1] aligned false
                : !nt.tensor<[m, n] x f32>
            %{name}0 = nt.access %{name} {access} [[g0 * 4 + b0, m], [g1 * 8 + b1, n]]> : {type_}
            """
            for name in ("x", "y")
        )
        arranged = f"!nt.tensor<[m ceildiv 4, n ceildiv 8] x {B}>"
        text = f"""
        nt.kernel @k symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>] arrange {{
          {sources}
          nt.arranged %x0, %y0 : {arranged}, {arranged}
        }} apply {{
        ^bb0(%x : {B}, %y : {B}):
          {LOADS}
          {body}
          nt.return
        }}"""
        self.module = Parser(context(), text).parse_module()
        before = str(self.module)
        (kernel,) = self.module.body.ops
        assert isinstance(kernel, nt.KernelOp)
        self.guards: Guards = guards(kernel)
        assert str(self.module) == before
        results = [result for op in kernel.apply.walk() for result in op.results]
        inside = [a for op in kernel.apply.walk() for r in op.regions for a in r.block.args]
        arguments = kernel.apply.block.args
        self.values: dict[str | None, SSAValue] = {
            value.name_hint: value for value in (*inside, *arguments, *results)
        }

    def __getitem__(self, name: str) -> Guard:
        return self.guards.of(self.values[name])


def elementwise(name: str, function: str, *operands: str) -> str:
    types = ", ".join([B] * len(operands))
    arguments = ", ".join(f"%{operand}" for operand in operands)
    return f'%{name} = nt.elementwise "{function}"({arguments}) : ({types}) -> {B}\n'


def test_a_read_has_its_access_s_guard() -> None:
    found = Analysed(
        f"%u = nt.load %x[] other 1.0 : f32 : {B}[] -> {B}\n%t = nt.load %x[] : {B}[] -> {B}"
    )
    assert isinstance(found["v"], InAccess)
    assert found["v"] is found["t"]
    assert found["v"] is not found["w"]
    assert found["u"] is found["full"] is ALL_VALID
    assert found.guards.all_valid(found.values["u"])


def test_elementwise_is_the_conjunction_without_repetition() -> None:
    body = elementwise("a", "add", "v", "full") + elementwise("b", "add", "a", "w")
    body += (
        elementwise("c", "mul", "v", "w")
        + elementwise("d", "mul", "v", "v")
        + elementwise("e", "exp", "full")
    )
    found = Analysed(body)
    assert found["a"] is found["d"] is found["v"]
    guard = found["b"]
    assert isinstance(guard, Every)
    assert guard.parts == (found["v"], found["w"])
    assert found["b"] is found["c"]
    assert found["e"] is ALL_VALID


def test_where_has_the_guards_of_its_sides() -> None:
    found = Analysed(
        f'%c = nt.elementwise "lt"(%w, %full) : ({B}, {B}) -> {BITS}\n'
        f'%s = nt.elementwise "where"(%c, %v, %full) : ({BITS}, {B}, {B}) -> {B}'
    )
    guard = found["s"]
    assert isinstance(guard, Where)
    assert (guard.within, guard.left, guard.right) == (found["w"], found["v"], ALL_VALID)


SPREAD = f"""
    %r = nt.reduce "max" %v axis 1 : {B} -> {ROWS}
    %e = nt.expand_dims %r axis 1 : {ROWS} -> !nt.tensor<[4, 1] x f32>
    %b = nt.broadcast %e : !nt.tensor<[4, 1] x f32> -> {B}
"""


def test_a_reduction_broadcast_back_is_implied() -> None:
    found = Analysed(SPREAD + elementwise("d", "sub", "v", "b") + elementwise("f", "sub", "w", "b"))
    assert isinstance(found["r"], AnyAlong)
    assert isinstance(found["b"], Moved)
    assert found["d"] is found["v"]
    assert isinstance(found["f"], Every)


def test_a_reduction_broadcast_along_another_dim_is_not_implied() -> None:
    square = "!nt.tensor<[8, 8] x f32>"
    found = Analysed(f"""
    %s = nt.broadcast %v : {B} -> {square}
    %r = nt.reduce "max" %s axis 1 : {square} -> !nt.tensor<[8] x f32>
    %e = nt.expand_dims %r axis 0 : !nt.tensor<[8] x f32> -> !nt.tensor<[1, 8] x f32>
    %b = nt.broadcast %e : !nt.tensor<[1, 8] x f32> -> {square}
    %d = nt.elementwise "sub"(%s, %b) : ({square}, {square}) -> {square}
    """)
    assert isinstance(found["d"], Every)


def test_equal_moves_have_one_guard() -> None:
    move = f"axis 0 : {B} -> !nt.tensor<[1, 4, 8] x f32>"
    found = Analysed(f"""
    %a = nt.expand_dims %v {move}
    %b = nt.expand_dims %v {move}
    %s = nt.sort %v axis 1 descending false : {B} -> {B}
    """)
    assert found["a"] is found["b"]
    assert isinstance(found["s"], Leading)


def test_other_moves_have_other_guards() -> None:
    integers = "!nt.tensor<[4, 8] x i32>"
    found = Analysed(f"""
    %rows = nt.flip %v axis 0 : {B}
    %columns = nt.flip %v axis 1 : {B}
    %i = nt.cast %v : {B} -> {integers}
    %j = nt.cast %w : {B} -> {integers}
    %k = nt.cast %full : {B} -> {integers}
    %l = nt.elementwise "add"(%k, %k) : ({integers}, {integers}) -> {integers}
    %a = nt.gather %full[%i] axis 1 : {B}[{integers}] -> {B}
    %b = nt.gather %v[%j] axis 1 : {B}[{integers}] -> {B}
    %c = nt.gather %v[%k] axis 1 : {B}[{integers}] -> {B}
    %d = nt.gather %v[%l] axis 1 : {B}[{integers}] -> {B}
    """)
    assert isinstance(found["rows"], Moved)
    assert found["rows"] is not found["columns"]
    # A lane is valid where its index is, too.
    assert found["a"] is found["v"]
    guard = found["b"]
    assert isinstance(guard, Every)
    assert guard.parts[1] is found["w"]
    assert isinstance(found["c"], Moved)
    assert found["c"] is not found["d"]


def test_what_is_combined_under_a_mask_is_valid_where_some_of_it_is() -> None:
    found = Analysed(f"""
    %m = nt.elementwise "lt"(%full, %full) : ({B}, {B}) -> {BITS}
    %s, %some = nt.reduce_by %full valid %m : {BITS} axis 1 {{
    ^bb0(%one : f32, %two : f32):
      %sum = nt.elementwise "add"(%one, %two) : (f32, f32) -> f32
      nt.yield %sum : f32
    }} : {B} -> {ROWS}, !nt.tensor<[4] x i1>
    """)
    guard = found["s"]
    assert isinstance(guard, AnyAlong)
    assert isinstance(guard.part, Masked)
    assert guard.part.mask is found.values["m"]


def test_a_masked_read_is_valid_where_its_mask_is() -> None:
    pointers = "!nt.tensor<[4, 8] x !tt.ptr<f32>>"
    found = Analysed(f"""
    %p = nt.pointer %x : {B} -> !tt.ptr<f32>
    %q = nt.full %p : !tt.ptr<f32> -> {pointers}
    %m = nt.elementwise "lt"(%v, %full) : ({B}, {B}) -> {BITS}
    %u = nt.pointer_load %q mask %m : {BITS} : {pointers} -> {B}
    %o = nt.pointer_load %q mask %m : {BITS} other %full : {B} : {pointers} -> {B}
    """)
    guard = found["u"]
    assert isinstance(guard, Masked)
    assert (guard.mask, guard.within) == (found.values["m"], found["v"])


def loop(yielded: str) -> str:
    """Three values, carried from all lanes, the loads and all lanes."""
    return f"""
    %i0 = arith.constant 0 : i32
    %i1 = arith.constant 1 : i32
    %p, %q, %r = scf.for %i = %i0 to %i1 step %i1 iter_args(%a = %full, %b = %v, %c = %full)
        -> ({B}, {B}, {B}) : i32 {{
      scf.yield {yielded} : {B}, {B}, {B}
    }}
    """


def test_a_loop_carries_a_guard_where_an_iteration_may_leave_lanes_out() -> None:
    found = Analysed(loop("%a, %b, %c"))
    assert found["p"] is found["a"] is found["r"] is ALL_VALID
    assert isinstance(found["q"], Joined)
    assert found["q"] is found["b"]


def test_guards_follow_what_a_loop_exchanges() -> None:
    found = Analysed(loop("%c, %a, %b"))
    # It takes three iterations until the load has come to every place.
    assert all(isinstance(found[name], Joined) for name in "abcpqr")
    needed = found.guards.closure([found.values["p"]])
    assert {found.values[name] for name in "vabc"} <= needed
    assert found.values["w"] not in needed


def test_a_branch_has_a_guard_of_its_own() -> None:
    found = Analysed(f"""
    %yes = arith.constant true
    %p, %q = scf.if %yes -> ({B}, {B}) {{
      scf.yield %v, %full : {B}, {B}
    }} else {{
      scf.yield %full, %full : {B}, {B}
    }}
    """)
    assert isinstance(found["p"], Joined)
    assert found["q"] is ALL_VALID
    assert found.guards.origins(found.values["p"]) == (found.values["v"],)


def test_a_condition_must_forward_what_is_carried() -> None:
    body = f"""
    %yes = arith.constant true
    %p, %q = scf.while (%a = %v, %b = %w) : ({B}, {B}) -> ({B}, {B}) {{
      scf.condition(%yes) %b, %a : {B}, {B}
    }} do {{
    ^bb0(%c : {B}, %d : {B}):
      scf.yield %c, %d : {B}, {B}
    }}
    """
    with pytest.raises(CompilerError, match="forwards other values than it carries"):
        Analysed(body)
