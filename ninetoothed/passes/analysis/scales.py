"""Scales: numbers that multiply whole blocks, and neither change their order nor make NaNs of them.

With a finite, normal ``c`` above 0, ``x * c`` rounds to a larger number where ``x`` is larger, so
that the largest of all ``x * c`` is the largest ``x``, times ``c``, bit for bit; and it is NaN
or infinite where ``x`` is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from xdsl.dialects.builtin import Float32Type, Float64Type
from xdsl.ir import BlockArgument, SSAValue

from ninetoothed.artifacts.signature import is_moderate
from ninetoothed.ir import nt
from ninetoothed.passes.analysis.float_facts import filled_constant
from ninetoothed.passes.analysis.scalars import constant_value

SCALED = {"max": float("-inf"), "min": float("inf")}
"""Reductions that a scale goes through, and what they may have in the place of a scaled lane."""


class Scaled(NamedTuple):
    """A block times a scalar ``factor``. ``block`` is what is multiplied; of lanes that ``where``
    selects alone, the others being the reduction's identity.
    """

    block: SSAValue
    factor: SSAValue
    where: nt.ElementwiseOp | None


def scaled(reduce: nt.ReduceOp) -> Scaled | None:
    """What is reduced, if that is a scaled block of fp32 or fp64; its factor may be anything."""
    identity = SCALED.get(reduce.function.data)
    if identity is None or not isinstance(
        nt.scalar_of(reduce.value.type), Float32Type | Float64Type
    ):
        return None
    owner = reduce.value.owner
    selected = None
    if isinstance(owner, nt.ElementwiseOp) and owner.function.data == "where":
        _, value, other = owner.arguments
        if filled_constant(other) != identity:
            return None
        selected, owner = owner, value.owner
    if not isinstance(owner, nt.ElementwiseOp) or owner.function.data != "mul":
        return None
    for block, factor in (owner.arguments, reversed(owner.arguments)):
        if isinstance(factor.owner, nt.FullOp) and not isinstance(block.owner, nt.FullOp):
            return Scaled(block, factor.owner.value, selected)
    return None


def scalars_of(kernel: nt.KernelOp, factor: SSAValue) -> list[str] | None:
    """The parameters whose numbers must be moderate (see
    ``is_moderate``) so that ``factor`` is a scale, one at most; None: it may be none all the same.
    """
    names: list[str] = []
    constants: list[float] = []
    for one in _factors(factor):
        number = constant_value(one)
        if number is not None:
            constants.append(number)
        elif (name := _parameter(kernel, one)) is not None:
            names.append(name)
        else:
            return None
    # Products of one number and so few constants are far from the ends of fp32, in any order.
    if len(names) > 1 or len(constants) > 2:
        return None
    return names if all(map(is_moderate, (*constants, math.prod(constants)))) else None


def scale_parameters(kernel: nt.KernelOp) -> tuple[str, ...]:
    """The parameters that scale what a reduction takes the largest or smallest of."""
    found: list[str] = []
    for op in kernel.apply.walk():
        if isinstance(op, nt.ReduceOp) and (one := scaled(op)) is not None:
            found += scalars_of(kernel, one.factor) or []
    return tuple(dict.fromkeys(found))


def _factors(value: SSAValue) -> Iterator[SSAValue]:
    owner = value.owner
    if isinstance(owner, nt.ElementwiseOp) and owner.function.data == "mul":
        for argument in owner.arguments:
            yield from _factors(argument)
    else:
        yield value


def _parameter(kernel: nt.KernelOp, value: SSAValue) -> str | None:
    """The scalar parameter that a value is read of, as fp32 or fp64."""
    load = value.owner
    if not isinstance(load, nt.LoadOp) or not isinstance(value.type, Float32Type | Float64Type):
        return None
    tile = load.ref
    if not isinstance(tile, BlockArgument) or tile.owner is not kernel.apply.block:
        return None
    source = kernel.sources[tile.index]
    return source.decl.name if source.decl.kind == "scalar" else None
