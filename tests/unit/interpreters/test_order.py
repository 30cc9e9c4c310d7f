"""Ops that reorder lanes, and products' upper halves, in both interpreters."""

from __future__ import annotations

import pytest
import torch

from ninetoothed.interpreters import interpret
from ninetoothed.interpreters.element_types import ELEMENTS
from ninetoothed.interpreters.elementwise import gathered
from ninetoothed.interpreters.reductions import reduce
from tests.support.nt_modules import LOAD, V, vector_kernel

INDICES = "!nt.tensor<[B] x i32>"


def stored(value: str) -> str:
    return f"nt.store %{value}, %z[] : {V}, {V}[]"


def test_guards_turn_with_their_lanes() -> None:
    """The sum of each block in reverse: the last block's unread lanes come first, and count 0."""
    body = f"""{LOAD}
        %r = nt.flip %a axis 0 : {V}
        %s = nt.reduce "sum" %r axis 0 : {V} -> f32
        %b = nt.full %s : f32 -> {V}
        {stored("b")}"""
    x, z = torch.arange(10.0), torch.empty(10)
    interpret(vector_kernel(body), [x, z], {"B": 4})
    assert z.tolist() == [6] * 4 + [22] * 4 + [17] * 2


def test_a_gather_takes_the_guards_of_what_it_picks() -> None:
    body = f"""{LOAD}
        %i = nt.arange <0> : {INDICES}
        %one = arith.constant 1 : i32
        %ones = nt.full %one : i32 -> {INDICES}
        %swapped = nt.elementwise "xor"(%i, %ones) : ({INDICES}, {INDICES}) -> {INDICES}
        %r = nt.gather %a[%swapped] axis 0 : {V}[{INDICES}] -> {V}
        %s = nt.reduce "sum" %r axis 0 : {V} -> f32
        %b = nt.full %s : f32 -> {V}
        {stored("b")}"""
    x, z = torch.arange(1.0, 8.0), torch.empty(7)
    interpret(vector_kernel(body), [x, z], {"B": 4})
    assert z.tolist() == [10] * 4 + [18] * 3


@pytest.mark.parametrize("dim", [1, 2])
def test_lanes_are_picked_where_data_is_uniform(dim: int) -> None:
    data = torch.arange(12).reshape(1, 3, 4)
    indices = torch.tensor([2, 0]).reshape([1, 2, 1] if dim == 1 else [1, 1, 2])
    assert torch.equal(gathered(data, indices, dim), data.index_select(dim, indices.flatten()))
    column = data[:, :, :1]
    assert torch.equal(gathered(column, indices, 2), column)


@pytest.mark.parametrize("count", [1, 2, 5, 8])
def test_odd_bits(count: int) -> None:
    data = torch.arange(3, 3 + 2 * count, dtype=torch.int32).reshape(2, count) * 37
    expected = torch.zeros(2, dtype=torch.int32)
    for lane in data.unbind(1):
        expected ^= lane
    assert torch.equal(reduce("xor_sum", ELEMENTS["i32"], data, 1, 0), expected)
