"""Element types in torch, and conversions between them.

Torch computes with few of them, so each has three representations. *Held*: that of a value of the
IR; unsigned integers are held as ``int64`` (of 64 bits: the same bit pattern), eight-bit floats as
``float32``. *Computed*: that of arithmetic; :meth:`Element.narrow` rounds or wraps the result once
for each operation, as a GPU does. *Memory*: the bits of a tensor's storage.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import torch
from xdsl.dialects.builtin import FloatAttr, IndexType, IntegerAttr
from xdsl.ir import Attribute

from ninetoothed.dtype import DTYPES
from ninetoothed.ir import nt, tt

_SIGNED = {8: torch.int8, 16: torch.int16, 32: torch.int32, 64: torch.int64}
SIGN_BIT = -(1 << 63)
_LARGEST = {"fp8e5": 57344.0, "fp8e4b8": 240.0, "fp8e5b16": 57344.0}
"""Saturation bounds, for infinities too, as on Hopper; torch saturates fp8e4nv itself."""


@dataclass(frozen=True)
class Element:
    """An element type: ``kind`` is ``"bool"``, ``"int"``, ``"uint"`` or ``"float"``; ``own`` is
    torch's.
    """

    name: str
    kind: str
    bits: int
    own: torch.dtype
    held: torch.dtype
    computed: torch.dtype
    memory: torch.dtype

    @property
    def wide_unsigned(self) -> bool:
        """True if values are bit patterns that torch takes for negative numbers."""
        return self.kind == "uint" and self.bits == 64

    def widen(self, data: torch.Tensor) -> torch.Tensor:
        """Held values as arithmetic takes them."""
        return data.to(self.computed)

    def narrow(self, data: torch.Tensor) -> torch.Tensor:
        """The results of arithmetic rounded or wrapped to the type, as held."""
        if self.kind == "bool":
            return data if data.dtype == torch.bool else (data & 1) != 0
        if self.kind == "uint":
            return data if self.bits == 64 else data & ((1 << self.bits) - 1)
        largest = _LARGEST.get(self.name)
        return self.rounded(data if largest is None else data.clamp(-largest, largest))

    def rounded(self, data: torch.Tensor) -> torch.Tensor:
        """Floats rounded to the nearest of this type, as held."""
        return data.to(self.own).to(self.held)

    def number(self, value: int | float | bool) -> torch.Tensor:
        """A number of this type, uniform over programs."""
        if self.kind == "float":
            return self.rounded(torch.tensor([float(value)], dtype=self.computed))
        if self.kind == "bool":
            return torch.tensor([bool(value)])
        # Wrapped to 64 bits first, since torch takes no larger numbers.
        wrapped = (int(value) - SIGN_BIT) % (1 << 64) + SIGN_BIT
        return self.narrow(torch.tensor([wrapped], dtype=torch.int64))

    def from_memory(self, bits: torch.Tensor) -> torch.Tensor:
        """Bits of storage as held values."""
        if self.kind == "uint":
            return self.narrow(bits.to(torch.int64))
        return bits if self.own == self.held else bits.view(self.own).to(self.held)

    def to_memory(self, data: torch.Tensor) -> torch.Tensor:
        """Held values as bits of storage."""
        if self.kind == "uint" or self.own == self.held:
            return data.to(self.memory)
        return data.to(self.own).view(self.memory)

    @functools.cached_property
    def unsigned(self) -> Element:
        """The unsigned integers of this width; bits are theirs already."""
        return self if self.kind == "bool" else ELEMENTS[f"u{self.bits}"]

    @functools.cached_property
    def signed(self) -> Element:
        """The signed integers of this width; bits have none."""
        return self if self.kind == "bool" else ELEMENTS[f"i{self.bits}"]


def _element(name: str) -> Element:
    row = DTYPES[name]
    own: torch.dtype = getattr(torch, row.torch)
    held = computed = memory = own
    if row.kind == "bool":
        computed = torch.int64
    elif row.kind == "uint":
        held = computed = torch.int64
        memory = _SIGNED[row.bits]
    elif row.kind == "float" and row.bits < 32:
        computed = torch.float32
        if row.bits == 8:
            held, memory = torch.float32, torch.int8
    return Element(name, row.kind, row.bits, own, held, computed, memory)


ELEMENTS: dict[str, Element] = {name: _element(name) for name in DTYPES}
INDEX = ELEMENTS["i64"]


@functools.cache
def element_of(type: Attribute) -> Element:
    """The element type of a scalar or block of ``nt`` or ``tt``; ``index`` is an integer of 64
    bits.

    Raises:
        KeyError: the type is none of the language's.
    """
    type = tt.scalar_of(type)
    return INDEX if isinstance(type, IndexType) else ELEMENTS[nt.dtype_of(type)]


def attribute_value(attribute: Attribute) -> int | float:
    """The number that an attribute holds."""
    assert isinstance(attribute, FloatAttr | IntegerAttr)
    return attribute.value.data


def reinterpret(data: torch.Tensor, target: Element) -> torch.Tensor:
    """Reinterpret the low bits of integers as ``target``."""
    return target.narrow(data.to(torch.int64))


def shift_right_unsigned(data: torch.Tensor, amount: torch.Tensor | int) -> torch.Tensor:
    """Logical right shift of ``int64`` values."""
    ones = torch.full_like(data, -1)
    return torch.where(
        torch.as_tensor(amount) == 0, data, (data >> amount) & ~(ones << (64 - amount))
    )


def _from_unsigned64(data: torch.Tensor, target: torch.dtype) -> torch.Tensor:
    # Halved with the lost bit kept sticky, so that doubling rounds as one conversion would.
    halves = shift_right_unsigned(data, 1) | (data & 1)
    return torch.where(data < 0, halves.to(target) * 2, data.to(target))


def _to_integer(data: torch.Tensor, target: Element) -> torch.Tensor:
    """Truncate floats to integers, as ``int64``: saturating at 32 or 64 bits, NaNs give 0. (So do
    devices; Triton does not define it.)
    """
    data = data.to(torch.float64).nan_to_num(0.0, torch.inf, -torch.inf)
    if target.bits < 64:
        wide = target if target.bits == 32 else ELEMENTS["i32"]
        low, high = (0.0, 2.0**32 - 1) if wide.kind == "uint" else (-(2.0**31), 2.0**31 - 1)
        return data.clamp(low, high).to(torch.int64)
    high = data >= 2.0**63
    if target.kind == "int":
        return torch.where(high, ~SIGN_BIT, data.clamp(min=-(2.0**63)).to(torch.int64))
    upper = (data - 2.0**63).to(torch.int64) ^ SIGN_BIT
    upper = torch.where(data >= 2.0**64, -1, upper)
    return torch.where(high, upper, data.clamp(min=0.0).to(torch.int64))


def _odd(data: torch.Tensor) -> torch.Tensor:
    """Round ``float64`` to ``float32``, inexact values to odd, so that rounding again to half as
    many bits is as rounding once.
    """
    near = data.to(torch.float32)
    back, bits = near.to(torch.float64), near.view(torch.int32)
    moves = (back != data) & (bits & 1 == 0) & ~torch.isnan(data)
    other = torch.where(back.abs() > data.abs(), bits - 1, bits + 1)
    return torch.where(moves, other, bits).view(torch.float32)


def _from_integer(data: torch.Tensor, source: Element) -> torch.Tensor:
    """Integers as ``float64``; if they have more bits, the last one is sticky."""
    if source.bits < 64:
        return data.to(torch.float64)
    unsigned = source.kind == "uint"
    high = shift_right_unsigned(data, 11) if unsigned else data >> 11
    high = high | (data & 2047 != 0)
    large = (data >= 1 << 53) | (data <= (-1 if unsigned else -(1 << 53)))
    return torch.where(large, high.to(torch.float64) * 2048.0, data.to(torch.float64))


def convert(data: torch.Tensor, source: Element, target: Element) -> torch.Tensor:
    """Convert between element types as Triton does: floats are truncated, integers wrap, bits are
    ``!= 0``.
    """
    if source == target:
        return data
    if target.kind == "bool":
        return data != 0
    if target.kind != "float":
        wide = _to_integer(data, target) if source.kind == "float" else data.to(torch.int64)
        return target.narrow(wide)
    if target.bits == 16 and source.bits >= 32 and source.name != "fp32":
        return target.narrow(_odd(data if source.kind == "float" else _from_integer(data, source)))
    if source.wide_unsigned:
        return _from_unsigned64(data, target.computed)
    return target.narrow(data.to(target.computed))


def truncate(data: torch.Tensor, target: Element) -> torch.Tensor:
    """Convert floats of at most 32 bits to a narrower type, rounded toward zero."""
    data = data.to(torch.float32)
    near = data.to(target.own)
    bits = near.view(target.memory if target.bits == 8 else torch.int16)
    lower = torch.where(near.to(torch.float32).abs() > data.abs(), bits - 1, bits)
    return lower.view(target.own).to(target.held)


def bitcast(data: torch.Tensor, source: Element, target: Element) -> torch.Tensor:
    """Bitcast to another type of the same width."""
    return target.from_memory(source.to_memory(data).contiguous().view(target.memory))
