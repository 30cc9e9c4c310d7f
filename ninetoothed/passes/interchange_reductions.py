"""Interchange the dims of a flattened reduction: its last, short dims become its outermost ones.

A convolution as a product reduces over channels and the taps of a filter, flattened with the taps
innermost. So the lanes of a block belong to different taps of several channels: each has another
place in the image, and its own test of whether that is inside. Here the taps leave the lanes. A
block has channels of one tap, and an iteration's number says which tap, and which channels:

    for k in 0 .. channels * taps ceildiv B:           lane b: index k * B + b,
                                                       channel index floordiv taps, tap index mod taps
    for k in 0 .. (channels ceildiv B) * taps:         lane b: channel k floordiv taps * B + b,
                                                       tap k mod taps

So what depends on the tap is computed once a block, and lanes run along one dim of the operand. Where
that dim is the one that memory holds one behind the other, as the channels of images that are stored
channels last, or of a packed copy (``nt-pack-operands``), lanes are read in vectors. Each tap has a
block of channels that may not be full: with few channels there are more iterations.

A sum is taken in another order, which is as good, and the same in each call: it is done where a loop
does nothing but add up the products of two tiles, whose lanes outside are 0. Whether it pays is for
the clock to say, and so it is a choice of the tuner's (see ``compiler.optimizations``).

Why here: block sizes and taps are known, and what follows takes the new tiles for the kernel's own.
It requires stage ``specialized`` and leaves it.

Before:

```mlir
// nt-opt -p 'nt-interchange-reductions{interchanged=1}'
!rows = !nt.tensor<[c, w] x f16>
!filters = !nt.tensor<[n, c, 3] x f16>
!tiles = !nt.tensor<[c * 3 ceildiv 16] x !nt.tensor<[16, 16] x f16>>
nt.kernel @k symbols [#nt.symbol<c size 0 to ?>, #nt.symbol<w size 0 to ?>, #nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [w, 1] aligned true : !rows
  %f = nt.source "f" "tensor" strides [c * 3, 3, 1] aligned true : !filters
  %0 = nt.access %x <[[w ceildiv 16, n ceildiv 16], [c * 3 ceildiv 16], [16, 16]]
      -> [(b1 + k1_0 * 16) floordiv 3, b0 + g0 * 16 + (b1 + k1_0) mod 3]
      if [[b1 + k1_0 * 16, c * 3], [b0 + g0 * 16 + (b1 + k1_0) mod 3, w]]>
      : !rows -> !nt.tensor<[w ceildiv 16, n ceildiv 16] x !tiles>
  %1 = nt.access %f <[[w ceildiv 16, n ceildiv 16], [c * 3 ceildiv 16], [16, 16]]
      -> [b1 + g1 * 16, (b0 + k1_0 * 16) floordiv 3, (b0 + k1_0) mod 3]
      if [[b0 + k1_0 * 16, c * 3], [b1 + g1 * 16, n]]>
      : !filters -> !nt.tensor<[w ceildiv 16, n ceildiv 16] x !tiles>
  nt.arranged %0, %1 : !nt.tensor<[w ceildiv 16, n ceildiv 16] x !tiles>, !nt.tensor<[w ceildiv 16, n ceildiv 16] x !tiles>
} apply {
^bb0(%a : !tiles, %b : !tiles):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %count = nt.size <c * 3 ceildiv 16> : i32
  %0 = arith.constant 0.0 : f32
  %zero = nt.full %0 : f32 -> !nt.tensor<[16, 16] x f32>
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%acc = %zero) -> (!nt.tensor<[16, 16] x f32>) : i32 {
    %1 = nt.load %a[%i] other 0.0 : f16 : !tiles[i32] -> !nt.tensor<[16, 16] x f16>
    %2 = nt.load %b[%i] other 0.0 : f16 : !tiles[i32] -> !nt.tensor<[16, 16] x f16>
    %3 = nt.dot %1, %2, %acc : !nt.tensor<[16, 16] x f16>, !nt.tensor<[16, 16] x f16> -> !nt.tensor<[16, 16] x f32>
    scf.yield %3 : !nt.tensor<[16, 16] x f32>
  }
  nt.return
}
```

After:

```mlir
!f_source = !nt.tensor<[n, c, 3] x f16>
!a_load = !nt.tensor<[16, 16] x f16>
!tile = !nt.tensor<[c ceildiv 16 * 3] x !a_load>
!x_access = !nt.tensor<[w ceildiv 16, n ceildiv 16] x !tile>
!zero = !nt.tensor<[16, 16] x f32>
nt.kernel @k symbols [#nt.symbol<c size 0 to ?>, #nt.symbol<w size 0 to ?>, #nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [w, 1] aligned true : !nt.tensor<[c, w] x f16>
  %f = nt.source "f" "tensor" strides [c * 3, 3, 1] aligned true : !f_source
  %0 = nt.access %x <
    [[w ceildiv 16, n ceildiv 16], [c ceildiv 16 * 3], [16, 16]]
        -> [b1 + k1_0 floordiv 3 * 16, b0 + g0 * 16 + k1_0 mod 3]
        if [[b0 + g0 * 16 + k1_0 mod 3, w], [b1 + k1_0 floordiv 3 * 16, c]]
  > : !nt.tensor<[c, w] x f16> -> !x_access
  %1 = nt.access %f <
    [[w ceildiv 16, n ceildiv 16], [c ceildiv 16 * 3], [16, 16]]
        -> [b1 + g1 * 16, b0 + k1_0 floordiv 3 * 16, k1_0 mod 3]
        if [[b1 + g1 * 16, n], [b0 + k1_0 floordiv 3 * 16, c]]
  > : !f_source -> !x_access
  nt.arranged %0, %1 : !x_access, !x_access
} apply {
^bb0(%a: !tile, %b: !tile):
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %2 = arith.constant 0.000000e+00 : f32
  %zero = nt.full %2 : f32 -> !zero
  %3 = nt.size <c ceildiv 16 * 3> : i32
  %sum = scf.for %i = %c0 to %3 step %c1 iter_args(%acc = %zero) -> (!zero) : i32 {
    %4 = nt.load %a[%i] other 0.000000e+00 : f16 : !tile[i32] -> !a_load
    %5 = nt.load %b[%i] other 0.000000e+00 : f16 : !tile[i32] -> !a_load
    %6 = nt.dot %4, %5, %acc : !a_load, !a_load -> !zero
    scf.yield %6 : !zero
  }
  nt.return
}
```
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import ClassVar, cast

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import BlockArgument
from xdsl.rewriter import Rewriter

from ninetoothed.artifacts.configuration import INTERCHANGED
from ninetoothed.artifacts.occupancy import Architecture, Footprint, Legality
from ninetoothed.ir import nt
from ninetoothed.ir.kernel_pass import KernelPass, ReorderedLanes
from ninetoothed.ir.rewriting import Inserter, set_type
from ninetoothed.layout.access import Access, index_names
from ninetoothed.layout.meta_op import Guard
from ninetoothed.passes.analysis.accumulators import accumulated, rounds
from ninetoothed.passes.analysis.float_facts import filled_constant
from ninetoothed.passes.analysis.pass_refusal import Refusal
from ninetoothed.passes.analysis.scalars import known_scalar
from ninetoothed.passes.lowering.arranged import rearrange
from ninetoothed.passes.option_values import require_among
from ninetoothed.symbolic.expr import (
    IndexExpr,
    binary,
    const,
    divisions,
    substitute,
    sym,
    symbol_names,
)
from ninetoothed.symbolic.intervals import Range
from ninetoothed.symbolic.normal_form import normalize

_TAP = "tap"
_BODY = (
    nt.LoadOp,
    nt.DotOp,
    nt.ElementwiseOp,
    nt.FullOp,
    nt.ConstantOp,
    arith.ConstantOp,
    scf.YieldOp,
)


@dataclass(frozen=True)
class _Operand:
    """A tile of a product: its lanes of ``dim`` are reduced, and ``guard`` says which exist."""

    load: nt.LoadOp
    access: Access
    dim: int
    guard: Guard

    @property
    def ref(self) -> BlockArgument:
        """The tile's parameter."""
        assert isinstance(self.load.ref, BlockArgument)
        return self.load.ref

    @property
    def lane(self) -> str:
        """The index of a lane of the block."""
        return index_names(self.access.levels)[-1][self.dim]

    @property
    def block(self) -> IndexExpr:
        """The number of such lanes."""
        return self.access.levels[-1][self.dim]

    def divisors(self) -> list[IndexExpr]:
        """By what indices are divided along such lanes, the largest first."""
        found = divisions(*self.access.indices)
        rows = [one.args[1] for one in found if self.lane in symbol_names(one)]
        return sorted(dict.fromkeys(rows), key=lambda one: (one.value or math.inf, str(one)))[::-1]

    def interchanged(self, taps: IndexExpr) -> Access | None:
        """The access with taps outside of the lanes; None where lanes would not run along a dim."""
        (step,) = index_names(self.access.levels)[1]
        channels = normalize(binary("floordiv", self.guard.size, taps))
        if normalize(channels * taps) != normalize(self.guard.size):
            return None
        channel = sym(self.lane) + sym(step) // taps * self.block
        index = (sym(self.lane) * taps) + sym(_TAP)
        ranges = {_TAP: Range(const(0), taps - 1)}

        def put(expr: IndexExpr) -> IndexExpr | None:
            found = normalize(substitute(expr, {self.lane: index, step: const(0)}), ranges)
            if any(self.lane in symbol_names(one) for one in divisions(found)):
                return None
            return normalize(substitute(found, {self.lane: channel, _TAP: sym(step) % taps}))

        others = [one for one in self.access.guards if one != self.guard]
        exprs = (*self.access.indices, *(one.index for one in others))
        found = [one for expr in exprs if (one := put(expr)) is not None]
        if len(found) < len(exprs):
            return None
        ndim = len(self.access.indices)
        guards = [Guard(one, old.size) for one, old in zip(found[ndim:], others, strict=True)]
        guards.append(Guard(normalize(channel), channels))
        count = normalize(binary("ceildiv", channels, self.block) * taps)
        levels = (self.access.levels[0], (count,), self.access.levels[2])
        return Access(levels, tuple(found[:ndim]), tuple(dict.fromkeys(guards)))


@dataclass(frozen=True)
class _Product:
    """A loop that adds up products of tiles of two operands."""

    loop: scf.ForOp
    operands: tuple[_Operand, _Operand]

    def interchanged(self) -> tuple[IndexExpr, list[Access]] | None:
        """The number of taps, and the accesses with them outside of the lanes; None: there are no
        such dims.
        """
        first, _ = self.operands
        for taps in first.divisors():
            found = [one.interchanged(taps) for one in self.operands]
            accesses = [one for one in found if one is not None]
            if len(accesses) == 2 and accesses[0].levels[1] == accesses[1].levels[1]:
                return taps, accesses
        return None


def _product(kernel: nt.KernelOp, loop: scf.ForOp) -> _Product | None:
    """What a loop adds up, if it does nothing else.

    Raises:
        Refusal: it adds up products of flattened tiles, and does something else.
    """
    dots = [op for op in loop.body.block.ops if isinstance(op, nt.DotOp)]
    if len(dots) != 1:
        return None
    (dot,) = dots
    operands: list[_Operand] = []
    for value, dim in ((dot.a, -1), (dot.b, -2)):
        found = _operand(kernel, value.owner, dim)
        if found is None:
            return None
        operands.append(found)
    first, second = operands
    if not first.divisors():
        return None
    (count,) = first.access.levels[1]
    bounds = [known_scalar(one) for one in (loop.lb, loop.ub, loop.step)]
    if len(loop.results) != 1 or accumulated(loop, 0) != "add" or not _is_added(dot, loop):
        raise Refusal(loop, "the loop does more than add up products")
    if rounds(nt.scalar_of(loop.results[0].type)):
        raise Refusal(dot, f"sums of {nt.dtype_of(dot.result.type)} would be rounded otherwise")
    for op in loop.body.block.ops:
        if not isinstance(op, _BODY):
            raise Refusal(op, f"the loop does more than add up products: {op.name}")
    if bounds != [const(0), count, const(1)] or second.access.levels[1] != (count,):
        raise Refusal(loop, "the loop does not go through all tiles")
    for one in operands:
        if normalize(binary("ceildiv", one.guard.size, one.block)) != count:
            raise Refusal(one.load, "its tiles leave out what does not fill one")
        uses = [*one.ref.uses, *one.load.result.uses]
        if len(uses) != 2 or list(one.load.indices) != [loop.body.block.args[0]]:
            raise Refusal(one.load, "its tiles are not those of the iterations alone")
        if one.load.other is None or one.load.other.value.data != 0:
            raise Refusal(one.load, "its lanes outside are not 0")
    if len(list(loop.body.block.args[0].uses)) != 2:
        raise Refusal(loop, "more than tiles depends on the iteration")
    return _Product(loop, (first, second))


def _operand(kernel: nt.KernelOp, load: object, dim: int) -> _Operand | None:
    """An operand of a product, whose lanes of ``dim`` go on from one tile to the next; or None."""
    if not isinstance(load, nt.LoadOp) or not isinstance(load.ref, BlockArgument):
        return None
    if load.guards is not None:
        return None
    source, attribute = nt.access_of(kernel.arranged.values[load.ref.index], kernel.assumptions)
    access = attribute.data
    levels = access.levels
    if source.kind.data != "tensor" or source.jagged is not None:
        return None
    if len(levels) != 3 or len(levels[1]) != 1 or len(levels[2]) != 2:
        return None
    lane, (step,), block = index_names(levels)[2][dim], index_names(levels)[1], levels[2][dim]
    index = normalize(sym(lane) + sym(step) * block)
    guard = next((one for one in access.guards if one.index == index), None)
    others = [*access.indices, *(one.index for one in access.guards)]
    if guard is None or not all(_goes_on(one, lane, step, block) for one in others):
        return None
    return _Operand(load, access, dim % 2, guard)


def _goes_on(expr: IndexExpr, lane: str, step: str, block: IndexExpr) -> bool:
    """True if the lanes of one tile come behind those of the tile before."""
    behind = substitute(expr, {lane: sym(lane) + block})
    return normalize(behind) == normalize(substitute(expr, {step: sym(step) + 1}))


def _is_added(dot: nt.DotOp, loop: scf.ForOp) -> bool:
    """True if a product is added to what the loop carries, and nothing else is."""
    carried, end = loop.body.block.args[1], loop.body.block.last_op
    assert end is not None
    total = dot.result
    if filled_constant(dot.acc) == 0:
        uses = list(total.uses)
        op = uses[0].operation if len(uses) == 1 else None
        if not isinstance(op, nt.ElementwiseOp) or op.function.data != "add":
            return False
        if carried not in op.operands:
            return False
        total = op.result
    elif dot.acc is not carried:
        return False
    return [*end.operands] == [total]


def interchange(kernel: nt.KernelOp, remarks: nt.RemarkEmitter) -> None:
    """Take taps out of the lanes of what a kernel's loops add up."""
    for product, taps, accesses in _found(kernel, remarks):
        for operand, access in zip(product.operands, accesses, strict=True):
            type = rearrange(kernel, operand.ref.index, access)
            set_type(operand.ref, type.element_type)
        loop = product.loop
        (count,) = accesses[0].levels[1]
        old = loop.ub.owner
        size = nt.SizeOp(nt.ExprAttr(count), cast("IntegerType", loop.ub.type))
        loop.operands[1] = Inserter.before(loop).add(size)
        if isinstance(old, nt.SizeOp) and not old.result.uses:
            Rewriter.erase_op(old)
        remarks.passed(loop, f"reduction interchanged: a block is of one of {taps}")


def reordered(kernel: nt.KernelOp, pass_name: str) -> list[ReorderedLanes]:
    """The reads that have other lanes behind :func:`interchange`."""
    found = _found(kernel, nt.RemarkEmitter(kernel, pass_name))
    operands = itertools.chain.from_iterable(product.operands for product, _, _ in found)
    sources = (kernel.sources[operand.ref.index] for operand in operands)
    return [ReorderedLanes(source.param.data, "read") for source in sources]


def _found(
    kernel: nt.KernelOp, remarks: nt.RemarkEmitter
) -> Iterator[tuple[_Product, IndexExpr, list[Access]]]:
    for op in list(kernel.apply.walk()):
        if not isinstance(op, scf.ForOp):
            continue
        try:
            product = _product(kernel, op)
        except Refusal as refusal:
            remarks.missed(refusal.op, f"reduction kept: {refusal.reason}")
            continue
        found = None if product is None else product.interchanged()
        if product is not None and found is not None:
            yield product, *found


def legality(kernel: nt.KernelOp) -> Legality | None:
    """Legality of interchanged reductions (see ``compiler.optimizations``)."""
    remarks = nt.RemarkEmitter(kernel, InterchangeReductionsPass.name)
    return None if next(_found(kernel, remarks), None) is None else _legal


def _legal(footprint: Footprint, unit: Architecture) -> tuple[int, ...]:
    return (1,)


@dataclass(frozen=True)
class InterchangeReductionsPass(KernelPass):
    """Let blocks of a flattened reduction have lanes of its outermost dim alone."""

    name: ClassVar[str] = "nt-interchange-reductions"

    interchanged: int = 0
    """0: reductions are as they were flattened; 1: blocks have lanes of the outermost dim."""

    def __post_init__(self) -> None:
        require_among(self.name, "interchanged", self.interchanged, (0, 1))

    def reordered_lanes(self, kernel: nt.KernelOp) -> Collection[ReorderedLanes]:
        return reordered(kernel, self.name) if self.interchanged else ()

    def apply_to(self, kernel: nt.KernelOp) -> None:
        remarks = nt.RemarkEmitter(kernel, self.name)
        if self.interchanged:
            interchange(kernel, remarks)
        elif remarks:
            for product, taps, _ in _found(kernel, remarks):
                text = f"{INTERCHANGED} is 0, and may be 1"
                remarks.analysis(product.loop, f"blocks are of all of {taps}: {text}")
