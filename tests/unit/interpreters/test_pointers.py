"""The interpreter on pointers and atomics of ``nt``: the order of updates, masks, and places
outside the tensors. ``tests/e2e/test_memory.py`` runs each update at ``tt``, too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import pytest
import torch
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from ninetoothed.compiler.compile import context
from ninetoothed.errors import ArgumentError
from ninetoothed.interpreters import interpret


def parse(text: str) -> ModuleOp:
    """The module of ``text``, verified."""
    module = Parser(context(), text).parse_module()
    module.verify()
    return module


def nt_kernel(body: str, scalar: str) -> ModuleOp:
    """``place``, ``x`` and ``old`` in blocks of 4, and ``out`` as it is; ``%p`` points to where
    ``place`` says, ``%v`` is ``x``.
    """
    text = "nt.kernel @f symbols [#nt.symbol<n size 0 to ?>, #nt.symbol<m size 0 to ?>] arrange {\n"
    for name, element in (("place", "i64"), ("x", scalar), ("old", scalar)):
        arranged = f"!nt.tensor<[n ceildiv 4] x !nt.tensor<[4] x {element}>>"
        text += f"""
          %{name} = nt.source "{name}" "tensor" strides [1] aligned false
            : !nt.tensor<[n] x {element}>
          %{name}0 = nt.access %{name} <[[n ceildiv 4], [4]] -> [g0 * 4 + b0] if [[g0 * 4 + b0, n]]>
            : !nt.tensor<[n] x {element}> -> {arranged}"""
    block, pointers = f"!nt.tensor<[4] x {scalar}>", f"!nt.tensor<[4] x !tt.ptr<{scalar}>>"
    types = {"BLOCK": block, "POINTERS": pointers, "BITS": "!nt.tensor<[4] x i1>"}
    for name, type in types.items():
        body = body.replace(name, type)
    return parse(f"""{text}
          %out = nt.source "out" "tensor" strides [1] aligned false : !nt.tensor<[m] x {scalar}>
          %out0 = nt.access %out <[[n ceildiv 4], [m]] -> [b0]>
            : !nt.tensor<[m] x {scalar}> -> !nt.tensor<[n ceildiv 4] x !nt.tensor<[m] x {scalar}>>
          nt.arranged %place0, %x0, %old0, %out0
            : !nt.tensor<[n ceildiv 4] x !nt.tensor<[4] x i64>>,
              !nt.tensor<[n ceildiv 4] x {block}>, !nt.tensor<[n ceildiv 4] x {block}>,
              !nt.tensor<[n ceildiv 4] x !nt.tensor<[m] x {scalar}>>
        }} apply {{
        ^bb0(%at : !nt.tensor<[4] x i64>, %xs : {block}, %olds : {block},
            %outs : !nt.tensor<[m] x {scalar}>):
          %i = nt.load %at[] : !nt.tensor<[4] x i64>[] -> !nt.tensor<[4] x i64>
          %v = nt.load %xs[] : {block}[] -> {block}
          %base = nt.pointer %outs : !nt.tensor<[m] x {scalar}> -> !tt.ptr<{scalar}>
          %bases = nt.full %base : !tt.ptr<{scalar}> -> {pointers}
          %p = nt.addptr %bases, %i : {pointers}, !nt.tensor<[4] x i64>
          {body}
          nt.store %old, %olds[] : {block}, {block}[]
          nt.return
        }}""")


def run(
    module: ModuleOp, place: list[int], x: torch.Tensor, out: torch.Tensor
) -> tuple[list[Any], list[Any]]:
    """The old values, and what is left."""
    old = torch.zeros_like(x)
    left = out.clone()
    interpret(module, [torch.tensor(place), x, old, left])
    return cast(Any, old).tolist(), cast(Any, left).tolist()


def sequence(
    function: Callable[..., Any], place: list[int], x: list[Any], out: list[Any]
) -> tuple[list[Any], list[Any]]:
    """One lane behind the other."""
    out = list(out)
    old: list[Any] = []
    for where, value in zip(place, x, strict=True):
        old.append(out[where])
        out[where] = function(out[where], value)
    return old, out


PLACE = [2, 0, 2, 2, 1, 2, 0, 2, 2, 2]
X = [5, 3, 9, 1, 7, 2, 8, 4, 6, 12]
OUT = [4, 10, 3]

FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda a, b: a + b,
    "max": max,
    "min": min,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "xchg": lambda a, b: b,
}


@pytest.mark.parametrize("lanes", ["1", "100000"])
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize(
    ("scalar", "dtype"), [("i32", torch.int32), ("ui64", torch.uint64), ("i64", torch.int64)]
)
def test_lanes_ascend(
    name: str, scalar: str, dtype: torch.dtype, lanes: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each lane finds what the one before it left, in one chunk of programs or in many."""
    monkeypatch.setenv("NINETOOTHED_INTERPRET_LANES", lanes)
    # Two more lanes, of an element of their own, make the last block a full one.
    place, x = [*PLACE, 3, 3], [*X, 0, 0]
    module = nt_kernel(
        f'%old = nt.atomic "{name}" %p, %v "relaxed" "gpu" : POINTERS, BLOCK', scalar
    )
    found = run(module, place, torch.tensor(x, dtype=dtype), torch.tensor([*OUT, 0], dtype=dtype))
    assert found == sequence(FUNCTIONS[name], place, x, [*OUT, 0])


@pytest.mark.parametrize("name", ["add", "max", "min", "xchg"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_lanes_of_floats_ascend(name: str, dtype: torch.dtype) -> None:
    scalar = {torch.float32: "f32", torch.float64: "f64"}[dtype]
    x = [value / 2 - 3 for value in X] + [0.0, -0.0]
    module = nt_kernel(
        f'%old = nt.atomic "{name}" %p, %v "relaxed" "gpu" : POINTERS, BLOCK', scalar
    )
    found = run(module, [*PLACE, 3, 3], torch.tensor(x, dtype=dtype), torch.ones(4, dtype=dtype))
    assert found == sequence(FUNCTIONS[name], [*PLACE, 3, 3], x, [1.0] * 4)


def test_sums_round_once_an_update() -> None:
    """In this order, and in no other, nothing is lost and then everything."""
    x = torch.tensor([2.0**24, 1.0, 1.0, -(2.0**24)])
    module = nt_kernel('%old = nt.atomic "add" %p, %v "relaxed" "gpu" : POINTERS, BLOCK', "f32")
    assert run(module, [0] * 4, x, torch.zeros(1)) == ([0.0, 2.0**24, 2.0**24, 2.0**24], [0.0])


def test_swaps_compare_bits() -> None:
    nan = float("nan")
    body = '%old = nt.atomic_cas %p, %v, %v "acq_rel" "gpu" : POINTERS, BLOCK'
    out = torch.tensor([-0.0, 2.0, nan, 1.0])
    _, left = run(nt_kernel(body, "f32"), [0, 1, 2, 3], torch.tensor([0.0, 2.0, 3.0, 1.0]), out)
    assert str(left) == "[-0.0, 2.0, nan, 1.0]"


def test_swaps_ascend() -> None:
    body = """
      %one = arith.constant 1 : i32
      %ones = nt.full %one : i32 -> BLOCK
      %next = nt.elementwise "add"(%v, %ones) : (BLOCK, BLOCK) -> BLOCK
      %old = nt.atomic_cas %p, %v, %next "acq_rel" "gpu" : POINTERS, BLOCK"""
    x = torch.tensor([0, 1, 5, 2], dtype=torch.int32)
    assert run(nt_kernel(body, "i32"), [0] * 4, x, torch.zeros(1, dtype=torch.int32)) == (
        [0, 1, 2, 2],
        [3],
    )


def test_one_pointer_of_all_programs_is_updated_by_each() -> None:
    body = """
      %one = arith.constant 1 : i32
      %count = nt.atomic "add" %base, %one "acq_rel" "gpu" : !tt.ptr<i32>, i32
      %old = nt.full %count : i32 -> BLOCK"""
    old, left = run(
        nt_kernel(body, "i32"),
        [0] * 12,
        torch.zeros(12, dtype=torch.int32),
        torch.zeros(1, dtype=torch.int32),
    )
    assert (old, left) == ([0] * 4 + [1] * 4 + [2] * 4, [3])


def test_programs_that_sit_out_update_nothing() -> None:
    body = """
      %first = nt.reduce "max" %v axis 0 : BLOCK -> i32
      %limit = arith.constant 7 : i32
      %large = nt.elementwise "gt"(%first, %limit) : (i32, i32) -> i1
      scf.if %large {
        %found = nt.atomic "add" %p, %v "acq_rel" "gpu" : POINTERS, BLOCK
        scf.yield
      }
      %old = nt.pointer_load %p : POINTERS -> BLOCK"""
    x = torch.tensor([1, 2, 3, 8, 1, 2, 3, 4], dtype=torch.int32)
    place = [0, 1, 2, 3] * 2
    left = run(nt_kernel(body, "i32"), place, x, torch.zeros(4, dtype=torch.int32))[1]
    assert left == [1, 2, 3, 8]


LIMIT = """
      %two = arith.constant 2 : i64
      %limits = nt.full %two : i64 -> !nt.tensor<[4] x i64>
      %m = nt.elementwise "lt"(%i, %limits)
        : (!nt.tensor<[4] x i64>, !nt.tensor<[4] x i64>) -> BITS
"""


@pytest.mark.parametrize("access", ["load", "store", "update"])
def test_a_mask_of_what_was_not_read_is_false(access: str) -> None:
    """The last block has two lanes, and the places that others would hold are zeros."""
    ops = {
        "load": "%old = nt.pointer_load %p mask %m : BITS : POINTERS -> BLOCK",
        "store": """nt.pointer_store %v, %p mask %m : BITS : BLOCK, POINTERS
          %old = nt.elementwise "add"(%v, %v) : (BLOCK, BLOCK) -> BLOCK""",
        "update": """%old = nt.atomic "add" %p, %v mask %m : BITS "relaxed" "gpu"
          : POINTERS, BLOCK""",
    }
    sums = """
      %total = nt.reduce "min" %old axis 0 : BLOCK -> f32
      nt.pointer_store %total, %base : f32, !tt.ptr<f32>"""
    body = LIMIT + ops[access] + (sums if access == "load" else "")
    x, out = torch.tensor([4.0, 5.0]), torch.tensor([3.0, 2.0])
    left = run(nt_kernel(body, "f32"), [1, 9], x, out)[1]
    assert left == {"load": [2.0, 2.0], "store": [3.0, 4.0], "update": [3.0, 6.0]}[access]


@pytest.mark.parametrize(
    "op",
    [
        "%old = nt.pointer_load %p : POINTERS -> BLOCK",
        "nt.pointer_store %v, %p : BLOCK, POINTERS\n"
        '%old = nt.elementwise "neg"(%v) : (BLOCK) -> BLOCK',
        '%old = nt.atomic "add" %p, %v "acq_rel" "gpu" : POINTERS, BLOCK',
        '%old = nt.atomic_cas %p, %v, %v "acq_rel" "gpu" : POINTERS, BLOCK',
    ],
)
@pytest.mark.parametrize("place", [-1, 4])
def test_no_place_outside_the_tensor_is_touched(op: str, place: int) -> None:
    memory = torch.arange(6, dtype=torch.int32)
    with pytest.raises(ArgumentError, match="of out are addressed, but it has 0 to 3; mask"):
        interpret(
            nt_kernel(op, "i32"),
            [torch.tensor([0, 1, 2, place]), *torch.zeros(2, 4, dtype=torch.int32), memory[1:5]],
        )
    assert memory.tolist() == [0, 1, 2, 3, 4, 5]
