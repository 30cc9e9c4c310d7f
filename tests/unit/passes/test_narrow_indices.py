"""Guards and programs' indices in 32 bits, of tensors that 32 bits do not reach."""

from __future__ import annotations

import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp, i32
from xdsl.parser import Parser

from ninetoothed.compiler.compile import context
from ninetoothed.interpreters import interpret
from ninetoothed.ir import nt, tt
from ninetoothed.passes.lower_accesses import LowerAccessesPass
from ninetoothed.symbolic.expr import IndexExpr, evaluate, ir_text, sym
from tests.e2e.test_alignment_facts import check_hints
from tests.support import profiles

LANES = 32
BLOCK = f"!nt.tensor<[{LANES}] x f32>"


def module_of(index: IndexExpr, size: IndexExpr, divisor: int, shape: str = "[1]") -> ModuleOp:
    """A kernel that moves the lanes with ``index < size``; ``d`` and ``e`` are multiples of
    ``divisor``.
    """
    text = f"""
    nt.kernel @k symbols [
        #nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>,
        #nt.symbol<d size 0 to ? div {divisor}>, #nt.symbol<e size 0 to ? div {divisor}>]
        grid #nt.expr<1> arrange {{
      %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
      %x0 = nt.access %x <[{shape}, [{LANES}]] -> [b0] if [[{ir_text(index)}, {ir_text(size)}]]>
          : !nt.tensor<[n] x f32> -> !nt.tensor<{shape} x {BLOCK}>
      %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[m] x f32>
      %y0 = nt.access %y <[{shape}, [{LANES}]] -> [b0]>
          : !nt.tensor<[m] x f32> -> !nt.tensor<{shape} x {BLOCK}>
      nt.arranged %x0, %y0 : !nt.tensor<{shape} x {BLOCK}>, !nt.tensor<{shape} x {BLOCK}>
    }} apply {{
    ^bb0(%a : {BLOCK}, %b : {BLOCK}):
      %pid = nt.program_id : index
      %g0 = nt.program_index %pid [1] : index
      %v = nt.load %a[] other -1.0 : f32 : {BLOCK}[] -> {BLOCK}
      nt.store %v, %b[] : {BLOCK}, {BLOCK}[]
      nt.return
    }}"""
    module = Parser(context(), text).parse_module()
    module.verify()
    return module


def comparisons(module: ModuleOp) -> list[bool]:
    """Of the comparisons of blocks, which are of 32 bits."""
    ops = [op for op in module.walk() if isinstance(op, tt.CmpiOp)]
    return [tt.scalar_of(op.lhs.type) == i32 for op in ops if tt.shape_of(op.lhs.type)]


LANE, D, E = sym("b0"), sym("d"), sym("e")
# Index and size. A block that is proved to start inside is compared in 32 bits.
NARROW = [
    (D + LANE, D + E),
    (D + LANE * 3, D + E + 5),
    (D * 2 + 31 - LANE, D * 2 + E),
    (D + 62 + LANE - LANE * 3, D * 2 + E),
    (D // 3 + LANE * (1 << 26), D + E),
]
WIDE = [
    (D + LANE, E),
    (D + LANE, D + E - 1),
    (D + LANE * (1 << 27), D + E),
    (D + LANE * (1 << 40), D + E),
    (D + LANE // 2, D + E),
    (D + LANE * D, D + E),
    ((D + LANE) // 3, D + E),
    (D + 31 - LANE, E),
]
FAR = [0, 1, 16, 31, 32, 33, 1 << 20, 1 << 30, 1 << 31, (1 << 31) + 16, 1 << 32, 1 << 33, 1 << 40]
Pair = tuple[IndexExpr, IndexExpr]


@settings(max_examples=profiles.cases(400, 20_000))
@given(
    st.sampled_from(NARROW + WIDE),
    st.sampled_from([1, 16]),
    st.sampled_from(FAR),
    st.sampled_from(FAR),
    st.integers(0, 3 * LANES),
)
@example(NARROW[0], 1, 1 << 40, 1 << 31, 5)
@example(NARROW[0], 16, 1 << 40, 0, 16)
@example(NARROW[2], 1, 1 << 32, 1 << 32, 0)
@example(NARROW[4], 1, 0, 1 << 31, 1)
def test_lanes(guard: Pair, divisor: int, start: int, far: int, near: int) -> None:
    values = {"d": start * divisor, "e": (far + near) // divisor * divisor}
    module = module_of(*guard, divisor)
    LowerAccessesPass(index_bits=64).apply(context(), module)
    module.verify()
    x, y = torch.arange(float(LANES)), torch.full((LANES,), float("nan"))
    with pytest.MonkeyPatch.context() as patch:
        check_hints(patch)
        interpret(module, [x, y], values)
    lanes = [[evaluate(side, {**values, "b0": lane}) for side in guard] for lane in range(LANES)]
    expected = [lane if 0 <= left < right else -1 for lane, (left, right) in enumerate(lanes)]
    assert y.tolist() == expected


@pytest.mark.parametrize("guard", NARROW + WIDE, ids=str)
def test_width(guard: Pair) -> None:
    # Multiples of 16 are compared once for the lanes that are moved at once.
    by_16 = guard == NARROW[1]
    for divisor, is_narrow in ((1, guard in NARROW), (16, by_16)):
        module = module_of(*guard, divisor)
        LowerAccessesPass(index_bits=64).apply(context(), module)
        assert comparisons(module) == [is_narrow]


@pytest.mark.parametrize("switch", ["narrow_indices", "alignment_facts"])
def test_switches(switch: str) -> None:
    """Without facts of alignment, a narrow comparison would hide that lanes exist together."""
    module = module_of(D + LANE, D + E, 1)
    LowerAccessesPass(index_bits=64, **{switch: False}).apply(context(), module)
    assert comparisons(module) == [False]


def test_indices_of_programs() -> None:
    text = """
    nt.kernel @k symbols [#nt.symbol<m size 0 to ?>, #nt.symbol<n size 0 to ?>]
        grid #nt.expr<m * n * (n ceildiv 2)> arrange {
      %y = nt.source "y" "tensor" strides [n * 100, 100, 1] aligned false
          : !nt.tensor<[m, n, 100] x i64>
      %y0 = nt.access %y <[[m, n, n ceildiv 2], []] -> [g0, g1, g2]>
          : !nt.tensor<[m, n, 100] x i64>
          -> !nt.tensor<[m, n, n ceildiv 2] x !nt.tensor<[] x i64>>
      nt.arranged %y0 : !nt.tensor<[m, n, n ceildiv 2] x !nt.tensor<[] x i64>>
    } apply {
    ^bb0(%b : !nt.tensor<[] x i64>):
      %pid = nt.program_id : index
      %g0, %g1, %g2 = nt.program_index %pid [m, n, n ceildiv 2] : index, index, index
      %v = nt.program_id : i64
      nt.store %v, %b[] : i64, !nt.tensor<[] x i64>[]
      nt.return
    }"""
    module = Parser(context(), text).parse_module()
    LowerAccessesPass(index_bits=64).apply(context(), module)
    module.verify()
    divisions = [op for op in module.walk() if op.name in ("arith.divsi", "arith.remsi")]
    of_programs = [op for op in divisions if op.results[0].type == i32]
    assert len(of_programs) == 4
    # The others are how many blocks a dim has.
    others = [op for op in divisions if op not in of_programs]
    assert all(isinstance(op.operands[1].owner, arith.ConstantOp) for op in others)
    y = torch.full((3, 5, 100), -1)
    interpret(module, [y], {})
    assert torch.equal(y[:, :, :3].flatten(), torch.arange(45))
    assert y[:, :, 3:].eq(-1).all()
    assert not any(isinstance(op, nt.ProgramIndexOp) for op in module.walk())
