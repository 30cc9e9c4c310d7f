"""``nt-insert-barriers``: which accesses wait for others."""

from __future__ import annotations

import pytest
from xdsl.ir import Operation
from xdsl.parser import Parser

from ninetoothed.compiler.compile import context
from ninetoothed.ir import nt
from ninetoothed.passes import find_pass

BLOCK = "!nt.tensor<[64] x f32>"
BLOCKS = f"!nt.tensor<[4] x {BLOCK}>"
NUMBERS = "!nt.tensor<[4] x !nt.tensor<[] x i32>>"


def of_blocks(name: str, properties: str = "") -> str:
    return f"""
      %{name}0 = nt.source "{name}" "tensor" strides [1] {properties} aligned false
          : !nt.tensor<[n] x f32>
      %{name}1 = nt.tile %{name}0 [64] strides [64] dilation [1] floor false level 0
          : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x {BLOCK}>
      %{name} = nt.tile %{name}1 [4] strides [4] dilation [1] floor false level 0
          : !nt.tensor<[n ceildiv 64] x {BLOCK}> -> !nt.tensor<[n ceildiv 256] x {BLOCKS}>
    """


def of_numbers(name: str) -> str:
    return f"""
      %{name}0 = nt.source "{name}" "tensor" strides [1] aligned false : !nt.tensor<[n] x i32>
      %{name}1 = nt.tile %{name}0 [1] strides [1] dilation [1] floor false level 0
          : !nt.tensor<[n] x i32> -> !nt.tensor<[n] x !nt.tensor<[1] x i32>>
      %{name}2 = nt.squeeze %{name}1 [0] level 1
          : !nt.tensor<[n] x !nt.tensor<[1] x i32>> -> !nt.tensor<[n] x !nt.tensor<[] x i32>>
      %{name} = nt.tile %{name}2 [4] strides [4] dilation [1] floor false level 0
          : !nt.tensor<[n] x !nt.tensor<[] x i32>> -> !nt.tensor<[n ceildiv 4] x {NUMBERS}>
    """


def waiting(body: str) -> list[str]:
    """The ops behind barriers in an application of ``x``, ``r``, in which several indices are one
    element, and the numbers ``i`` and ``j``.
    """
    blocks = f"!nt.tensor<[n ceildiv 256] x {BLOCKS}>"
    numbers = f"!nt.tensor<[n ceildiv 4] x {NUMBERS}>"
    text = f"""
    nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] arrange {{
      {of_blocks("x") + of_blocks("r", "repeated") + of_numbers("i") + of_numbers("j")}
      nt.arranged %x, %r, %i, %j : {blocks}, {blocks}, {numbers}, {numbers}
    }} apply {{
    ^bb0(%x : {BLOCKS}, %r : {BLOCKS}, %i : {NUMBERS}, %j : {NUMBERS}):
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c2 = arith.constant 2 : i32
      %yes = arith.constant true
      %p = nt.pointer %x : {BLOCKS} -> !tt.ptr<f32>
      %q = nt.pointer %i : {NUMBERS} -> !tt.ptr<i32>
      {body}
      nt.return
    }}"""
    module = Parser(context(), text).parse_module()
    module.verify()
    find_pass("nt-insert-barriers")().apply(context(), module)
    behind = [op.next_op for op in module.walk() if isinstance(op, nt.BarrierOp)]
    return [shown(op) for op in behind if op is not None]


def shown(op: Operation) -> str:
    accesses = isinstance(op, nt.LoadOp | nt.StoreOp)
    return f"{op.name} {op.ref.name_hint}" if accesses else op.name


def load(result: str, name: str = "x", index: str = "c0") -> str:
    return f"%{result} = nt.load %{name}[%{index}] : {BLOCKS}[i32] -> {BLOCK}\n"


def store(value: str, name: str = "x", index: str = "c0") -> str:
    return f"nt.store %{value}, %{name}[%{index}] : {BLOCK}, {BLOCKS}[i32]\n"


def number(result: str, name: str) -> str:
    return f"%{result} = nt.load %{name}[%c0] : {NUMBERS}[i32] -> i32\n"


def store_number(value: str, name: str, index: str = "c0") -> str:
    return f"nt.store %{value}, %{name}[%{index}] : i32, {NUMBERS}[i32]\n"


def exp(result: str, value: str) -> str:
    return f'%{result} = nt.elementwise "exp"(%{value}) : ({BLOCK}) -> {BLOCK}\n'


def flip(result: str, value: str) -> str:
    return f"%{result} = nt.flip %{value} axis 0 : {BLOCK}\n"


def add(result: str, left: str, right: str) -> str:
    return f'%{result} = nt.elementwise "add"(%{left}, %{right}) : (i32, i32) -> i32\n'


def loop(counter: str, body: str) -> str:
    return f"scf.for %{counter} = %c0 to %c2 step %c1 : i32 {{\n{body}}}\n"


def branch(left: str, right: str) -> str:
    return f"""%w = scf.if %yes -> ({BLOCK}) {{
      scf.yield %{left} : {BLOCK}
    }} else {{
      scf.yield %{right} : {BLOCK}
    }}\n"""


def forwarding(first: str, second: str) -> str:
    """A loop of two values whose condition gives them in this order; ``%w`` is the first result."""
    types = f"({BLOCK}, {BLOCK})"
    return f"""%w, %o = scf.while (%a = %v, %b = %f) : {types} -> {types} {{
      scf.condition(%yes) %{first}, %{second} : {BLOCK}, {BLOCK}
    }} do {{
    ^bb1(%c : {BLOCK}, %d : {BLOCK}):
      scf.yield %c, %d : {BLOCK}, {BLOCK}
    }}\n"""


def moving(left: str, right: str) -> str:
    """In two loops, an update of the block at the sum of their counters."""
    body = add("at", left, right) + load("v", index="at") + exp("w", "v") + store("w", index="at")
    return loop("k", loop("l", body))


CASES: dict[str, tuple[str, list[str]]] = {
    # An elementwise update, of a tensor whose lanes are or may be one element.
    "update": (load("v") + exp("w", "v") + store("w"), []),
    "update of repeated lanes": (
        load("v", "r") + exp("w", "v") + store("w", "r"),
        ["nt.store r"],
    ),
    "store in a loop": (load("v", "r") + loop("k", store("v")), []),
    "store of repeated lanes in a loop": (load("v") + loop("k", store("v", "r")), ["nt.store r"]),
    # The sum of two counters is the same again in another iteration of the outer loop.
    "two counters": (moving("k", "l"), ["scf.for"]),
    "two counters turned": (moving("l", "k"), ["scf.for"]),
    # Assembly may read and write what its pointers point to.
    "assembly": (
        load("v", "r")
        + store("v")
        + '%t = nt.inline_asm "" "" pure false pack 1 : i32(%p) : (!tt.ptr<f32>) -> i32\n'
        + load("u"),
        ["nt.inline_asm", "nt.load x"],
    ),
    "assembly of another tensor": (
        load("v", "r")
        + store("v")
        + '%t = nt.inline_asm "" "" pure false pack 1 : i32(%q) : (!tt.ptr<i32>) -> i32\n',
        [],
    ),
    # Both sides of a branch must give each lane its own.
    "branch": (load("v") + exp("f", "v") + branch("v", "f") + store("w"), []),
    "branch that turns": (
        load("v") + flip("f", "v") + branch("v", "f") + store("w"),
        ["nt.store x"],
    ),
    # A loop's result is what its condition gives.
    "loop": (load("v") + flip("f", "v") + forwarding("a", "b") + store("w"), []),
    "loop that exchanges": (
        load("v") + flip("f", "v") + forwarding("b", "a") + store("w"),
        ["nt.store x"],
    ),
    # A thread that reads late must not see the new value in what it does elsewhere.
    "value elsewhere": (
        number("v", "i") + store_number("v", "j") + add("w", "v", "v") + store_number("w", "i"),
        [],
    ),
    "value and index elsewhere": (
        number("v", "i")
        + store_number("v", "j", "v")
        + add("w", "v", "v")
        + store_number("w", "i"),
        ["nt.store i"],
    ),
    "value printed": (
        number("v", "i")
        + 'nt.print "" hex false(%v) : i32\n'
        + add("w", "v", "v")
        + store_number("w", "i"),
        ["nt.store i"],
    ),
}


@pytest.mark.parametrize(("body", "expected"), CASES.values(), ids=CASES)
def test_what_waits(body: str, expected: list[str]) -> None:
    assert waiting(body) == expected
