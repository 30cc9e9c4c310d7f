"""``nt-lower-accesses``: addresses by the interpreter, beside the expressions that they lower."""

from __future__ import annotations

import pytest
import torch
from xdsl.parser import Parser

from ninetoothed.compiler.compile import context
from ninetoothed.interpreters import interpret
from ninetoothed.passes.lower_accesses import LowerAccessesPass
from ninetoothed.symbolic.expr import IndexExpr, binary, evaluate, ir_text, sym

SIZE = 40
BLOCK = "!nt.tensor<[8] x f32>"
LARGE = 5 << 31


def lanes(index: IndexExpr, bits: int, divisor: int) -> list[float]:
    """What a block of 8 lanes reads at ``index`` of ``arange(SIZE)``, and -1 outside."""
    text = f"""
    nt.kernel @k symbols [#nt.symbol<n size 0 to ?>, #nt.symbol<d size 1 to ?>]
        grid #nt.expr<1> arrange {{
      %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
      %x0 = nt.access %x <[[1], [8]] -> [{ir_text(index)}] if [[{ir_text(index)}, n]]>
          : !nt.tensor<[n] x f32> -> !nt.tensor<[1] x {BLOCK}>
      %y = nt.source "y" "tensor" strides [1] aligned false : !nt.tensor<[8] x f32>
      %y0 = nt.access %y <[[1], [8]] -> [b0]> : !nt.tensor<[8] x f32> -> !nt.tensor<[1] x {BLOCK}>
      nt.arranged %x0, %y0 : !nt.tensor<[1] x {BLOCK}>, !nt.tensor<[1] x {BLOCK}>
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
    LowerAccessesPass(index_bits=bits).apply(context(), module)
    module.verify()
    y = torch.full((8,), float("nan"))
    interpret(module, [torch.arange(float(SIZE)), y], {"d": divisor})
    return [float(value) for value in y]


LANE, N, D = sym("b0"), sym("n"), sym("d")
INDICES = [
    N - 1 - LANE,
    30 - LANE * 4,
    LANE * 5 - 10,
    (LANE - 3) // D + 4,
    (LANE * 7 - 30) % D,
    ((LANE * 7 - 30) % D) // 3,
    binary("ceildiv", LANE * 7, D),
    binary("ceildiv", N - LANE * 7, D) + 4,
    20 - (30 - LANE * 7) // D,
]


@pytest.mark.parametrize("index", INDICES, ids=ir_text)
@pytest.mark.parametrize("bits", [32, 64])
def test_lanes(index: IndexExpr, bits: int) -> None:
    places = [evaluate(index, {"n": SIZE, "d": 3, "b0": lane}) for lane in range(8)]
    expected = [place if 0 <= place < SIZE else -1 for place in places]
    assert lanes(index, bits, 3) == expected


def test_quotients_of_large_numbers() -> None:
    index = ((LANE - 4) * (1 << 31)) // D + 2
    assert lanes(index, 64, LARGE) == [1, 1, 1, 1, 2, 2, 2, 2]
