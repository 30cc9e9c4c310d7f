"""Handlers of ``dot`` and ``dot_scaled``, batched too.

Integers are exact, floats are accumulated in fp32, fp64 and scaled operands in fp64. ``precision``
and ``imprecise`` are for devices; the precision is always full here.
"""

from __future__ import annotations

import torch
from xdsl.ir import SSAValue

from ninetoothed.interpreters.element_types import Element, element_of
from ninetoothed.interpreters.elementwise import along
from ninetoothed.interpreters.machine import HANDLERS, Machine
from ninetoothed.ir import nt, tt
from ninetoothed.ir.dot_shapes import GROUP
from ninetoothed.symbolic.expr import evaluate

_E2M1 = torch.tensor([0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0], dtype=torch.float64)


def _dot_of(
    left: torch.Tensor, right: torch.Tensor, acc: torch.Tensor, operand: Element, result: Element
) -> torch.Tensor:
    """``acc + left @ right`` in each program."""
    # float64 holds sums of 2^39 products of eight bits exactly, and has a fast matmul.
    exact = operand.kind != "float" or operand.bits == 64
    dtype = torch.float64 if exact else torch.float32
    product = torch.matmul(left.to(dtype), right.to(dtype))
    if result.kind != "float":
        return result.narrow(product.to(torch.int64) + acc.to(torch.int64))
    return result.narrow(result.widen(acc) + product.to(result.computed))


@HANDLERS.register(nt.DotOp)
def _dot(machine: Machine, op: nt.DotOp) -> None:
    zero = torch.zeros((), dtype=element_of(op.a.type).held)
    left, right = (machine.filled(value, zero) for value in (op.a, op.b))
    depth = evaluate(nt.shape_of(op.a.type)[-1], machine.symbols)
    _multiply(machine, op, left, right, depth, op.acc)


@HANDLERS.register(tt.DotOp)
def _lowered_dot(machine: Machine, op: tt.DotOp) -> None:
    depth = tt.shape_of(op.a.type)[-1]
    _multiply(machine, op, machine.data(op.a), machine.data(op.b), depth, op.c)


def _multiply(
    machine: Machine,
    op: nt.DotOp | tt.DotOp,
    left: torch.Tensor,
    right: torch.Tensor,
    depth: int,
    acc: SSAValue,
) -> None:
    left, right = along(left, left.dim() - 1, depth), along(right, right.dim() - 2, depth)
    operand, result = element_of(op.a.type), element_of(op.result.type)
    machine.put(op.result, _dot_of(left, right, machine.data(acc), operand, result))


def _unpack(data: torch.Tensor, dim: int) -> torch.Tensor:
    """Unpack floats of four bits, two a byte along ``dim``, the lower one first."""
    halves = torch.stack([data & 15, (data >> 4) & 15], dim + 1).flatten(dim, dim + 1)
    values = _E2M1[halves & 7]
    return torch.where(halves > 7, -values, values)


def _scaled(
    data: torch.Tensor, scale: torch.Tensor | None, packed: int | None, k: int, depth: int
) -> torch.Tensor:
    """An operand's values: ``packed`` is the dim along which two share a byte, if any, ``k``
    the contracted one, which scales have last.
    """
    if packed is None:
        data = along(data, k, depth).to(torch.float64)
    else:
        if packed == k:
            data = along(data, k, depth // 2)
        data = along(_unpack(data.to(torch.int64), packed), k, depth)
    if scale is None:
        return data
    bits = along(scale.to(torch.int64) & 255, scale.dim() - 1, depth // GROUP)
    factors = torch.exp2(bits.to(torch.float64) - 127)
    factors = torch.where(bits == 255, torch.nan, factors).repeat_interleave(GROUP, -1)
    return data * (factors if k == data.dim() - 1 else factors.transpose(-1, -2))


@HANDLERS.register(nt.DotScaledOp)
def _dot_scaled(machine: Machine, op: nt.DotScaledOp) -> None:
    sides: list[torch.Tensor] = []
    depth = evaluate(op.depth, machine.symbols)
    zero, one = torch.tensor(0), torch.tensor(127)
    for side in op.sides:
        data = machine.filled(side.value, zero.to(machine.data(side.value).dtype))
        scale = None if side.scale is None else machine.filled(side.scale, one)
        packed = None if side.packed is None else side.packed + 1
        sides.append(_scaled(data, scale, packed, side.k + 1, depth))
    _accumulate(machine, op, sides, op.acc)


@HANDLERS.register(tt.DotScaledOp)
def _lowered_dot_scaled(machine: Machine, op: tt.DotScaledOp) -> None:
    sides: list[torch.Tensor] = []
    for side in op.sides:
        scale = None if side.scale is None else machine.data(side.scale)
        packed = None if side.packed is None else side.packed + 1
        sides.append(_scaled(machine.data(side.value), scale, packed, side.k + 1, op.depth))
    _accumulate(machine, op, sides, op.c)


def _accumulate(
    machine: Machine, op: nt.DotScaledOp | tt.DotScaledOp, sides: list[torch.Tensor], acc: SSAValue
) -> None:
    left, right = sides
    product = torch.matmul(left, right) + machine.data(acc).to(torch.float64)
    machine.put(op.result, product.to(torch.float32))
