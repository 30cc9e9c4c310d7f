"""Pad block sizes to powers of two; the added lanes are outside every guard.

Triton's blocks have sizes that are powers of two. Accesses get the guard that a lane lies below the
true size; where padded lanes would be combined, by a reduction or along K of a dot, they read the
identity, or are left out; padded lanes of pointers and of assertions are masked. ``nt.flip``
reverses the lanes below the true size, as a gather; ``nt.reshape`` is a gather, too, where padding
moves lanes. Sizes that only a call knows are padded to the kernel's ``padded_sizes``. ``nt.size``
keeps the true sizes.

Why here: block sizes are numbers only after ``nt-specialize``, whose stage it requires; it leaves
stage ``padded``.

Before:

```mlir
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.access %x <[[n ceildiv 48], [48]] -> [g0 * 48 + b0] if [[g0 * 48 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 48] x !nt.tensor<[48] x f32>>
  nt.arranged %0 : !nt.tensor<[n ceildiv 48] x !nt.tensor<[48] x f32>>
} apply {
^bb0(%a : !nt.tensor<[48] x f32>):
  %1 = nt.load %a[] : !nt.tensor<[48] x f32>[] -> !nt.tensor<[48] x f32>
  nt.store %1, %a[] : !nt.tensor<[48] x f32>, !nt.tensor<[48] x f32>[]
  nt.return
}
```

After:

```mlir
nt.kernel @k symbols [#nt.symbol<n size 0 to ?>] arrange {
  %x = nt.source "x" "tensor" strides [1] aligned false : !nt.tensor<[n] x f32>
  %0 = nt.access %x <[[n ceildiv 48], [64]] -> [g0 * 48 + b0] if [[g0 * 48 + b0, n], [b0, 48]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 48] x !nt.tensor<[64] x f32>>
  nt.arranged %0 : !nt.tensor<[n ceildiv 48] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>):
  %1 = nt.load %a[] : !nt.tensor<[64] x f32>[] -> !nt.tensor<[64] x f32>
  nt.store %1, %a[] : !nt.tensor<[64] x f32>, !nt.tensor<[64] x f32>[]
  nt.return
}
```
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType, UnrealizedConversionCastOp
from xdsl.ir import Attribute, Operation, SSAValue

from ninetoothed.errors import ShapeError
from ninetoothed.ir import nt
from ninetoothed.ir.diagnostics import fail
from ninetoothed.ir.kernel_pass import KernelPass
from ninetoothed.ir.rewriting import Inserter, replace, retype
from ninetoothed.layout.access import Access, index_names
from ninetoothed.layout.meta_op import Guard, Sizes
from ninetoothed.passes.lowering.identities import fill, padded_operands, select
from ninetoothed.passes.lowering.masks import Chosen, along, below, both, chosen_lanes, padded_dim
from ninetoothed.passes.lowering.reordering import lower_gather, lower_reshape
from ninetoothed.symbolic.expr import IndexExpr, const, substitute, sym
from ninetoothed.symbolic.normal_form import normalize


def _power_of_two(size: int) -> int:
    """The smallest power of two that is no less."""
    return 1 << max(size - 1, 0).bit_length()


class _Padding:
    """Padded sizes of the blocks of a kernel."""

    def __init__(self, kernel: nt.KernelOp) -> None:
        self.kernel = kernel
        self.padded_sizes: dict[IndexExpr, int] = dict(kernel.padding)
        self.longest = kernel.longest
        self._equate(_equal_sizes(kernel))

    def _equate(self, pairs: Sequence[tuple[IndexExpr, IndexExpr]]) -> None:
        """Bound sums and products by the sizes that checks hold them equal to.

        Padded factor by factor, 3 * 5 would be longer than 15 padded.
        """
        given = set(self.padded_sizes)
        pairs = [(self._longest(one), self._longest(two)) for one, two in pairs]
        changed = True
        while changed:
            changed = False
            for pair in pairs:
                found = [most for most in map(self._most, pair) if most is not None]
                for size in pair:
                    if size.value is not None or size in given or not found:
                        continue
                    if self._most(size) != min(found):
                        self.padded_sizes[size] = min(found)
                        changed = True

    def size(self, size: IndexExpr) -> IndexExpr:
        """The padded size, a power of two.

        Raises:
            ShapeError: the size is not known.
        """
        most = self._longest(size)
        if most.value is not None:
            return const(_power_of_two(most.value))
        found = self._most(most)
        if found is None:
            raise fail(
                self.kernel,
                f"a block has the size {size}, which is known at run time only; give it a block "
                "size",
                ShapeError,
            )
        return const(_power_of_two(found))

    def _longest(self, size: IndexExpr) -> IndexExpr:
        """A size with the longest sequence for the program's own."""
        return normalize(substitute(size, self.longest)) if self.longest else size

    def _most(self, size: IndexExpr) -> int | None:
        """An upper bound of a size that only a call knows, of sums and products of such sizes."""
        if size.value is not None or size in self.padded_sizes:
            return self.padded_sizes.get(size, size.value)
        if size.op not in ("add", "mul"):
            return None
        one, two = map(self._most, size.args)
        if one is None or two is None or min(one, two) < 0:
            return None
        return one + two if size.op == "add" else one * two

    def block(self, type: nt.TensorType) -> nt.TensorType:
        """The type with its innermost level padded."""
        below = type.element_type
        if isinstance(below, nt.TensorType):
            return nt.TensorType(type.shape, self.block(below))
        return nt.TensorType.of([self.size(size) for size in type.sizes], below)

    def attribute(self, attribute: Attribute) -> Attribute:
        return self.block(attribute) if isinstance(attribute, nt.TensorType) else attribute

    def access(self, access: Access, own: tuple[str, IndexExpr] | None) -> Access:
        """The access over the padded block: its lanes end where the true size does.

        ``own``, of a jagged source: the symbol of the longest sequence, and the program's length.
        """
        if len(access.levels) < 2:
            return access
        sizes = access.levels[-1]
        padded = tuple(self.size(size) for size in sizes)
        names = index_names(access.levels)[-1]
        lengths: dict[str, IndexExpr | int] = {} if own is None else {own[0]: own[1]}
        added = [
            Guard(sym(name), normalize(substitute(size, lengths)))
            for name, size, new in zip(names, sizes, padded, strict=True)
            if size != new
        ]
        levels = (*access.levels[:-1], padded)
        return Access(levels, access.indices, tuple(dict.fromkeys((*access.guards, *added))))


def _true_sizes(kernel: nt.KernelOp) -> list[tuple[Operation, int, int, IndexExpr, float | int]]:
    """The operands whose lanes are combined: op, operand, dim, true size, identity."""
    return [
        (op, index, dim, nt.shape_of(op.operands[index].type)[dim], identity)
        for op in kernel.apply.walk()
        for index, dim, identity in padded_operands(op)
    ]


def _true_choices(kernel: nt.KernelOp) -> list[tuple[Chosen, int, IndexExpr]]:
    """The ops that combine the lanes of a mask: op, dim, true size."""
    found: list[tuple[Chosen, int, IndexExpr]] = []
    for op in kernel.apply.walk():
        dim = padded_dim(op)
        if dim is not None and isinstance(op, Chosen):
            found.append((op, dim, nt.shape_of(op.operands[0].type)[dim]))
    return found


def _leave_out(op: Chosen, dim: int, size: IndexExpr) -> None:
    """Mask out the lanes of ``dim`` from ``size`` on."""
    shape = nt.shape_of(op.operands[0].type)
    if shape[dim] == size:
        return
    inserter = Inserter.before(op)
    lanes = both(inserter, chosen_lanes(op), below(inserter, shape, dim, size))
    replace(op, inserter.insert(op.masked(lanes)).results[: len(op.results)])


def _mask(op: Operation, index: int, dim: int, size: IndexExpr, identity: float | int) -> None:
    """Fill the lanes of ``dim`` from ``size`` on with ``identity``."""
    value = op.operands[index]
    shape = nt.shape_of(value.type)
    if shape[dim] == size or fill(value, identity):
        return
    inserter = Inserter.before(op)
    bits = below(inserter, shape, dim, size)
    op.operands[index] = select(inserter, bits, value, identity)


_MaskedOp = nt.PointerAccess | nt.AtomicCasOp | nt.AssertOp


def _true_lanes(kernel: nt.KernelOp) -> list[tuple[_MaskedOp, Sizes]]:
    """The accesses through pointers and the assertions, with their true shapes."""
    found = [op for op in kernel.apply.walk() if isinstance(op, _MaskedOp)]
    return [(op, nt.shape_of(op.operands[0].type)) for op in found]


def _mask_lanes(op: _MaskedOp, sizes: Sizes) -> None:
    """Mask the padded lanes of an access through pointers, or of an assertion.

    Raises:
        ShapeError: the op has no mask.
    """
    shape = nt.shape_of(op.operands[0].type)
    padded = [dim for dim, size in enumerate(sizes) if size != shape[dim]]
    if not padded:
        return
    if isinstance(op, nt.AtomicCasOp):
        raise fail(
            op,
            f"ntl.atomic_cas has no mask, and its block has the size {sizes[padded[0]]}; give it a "
            "size that is a power of two",
            ShapeError,
        )
    inserter = Inserter.before(op)
    mask = op.mask
    for dim in padded:
        mask = both(inserter, mask, below(inserter, shape, dim, sizes[dim]))
    assert mask is not None
    replace(op, inserter.insert(op.masked(mask)).results)


def _true_flips(kernel: nt.KernelOp) -> list[tuple[nt.FlipOp, IndexExpr]]:
    """The flips, with the true sizes of the dim."""
    flips = [op for op in kernel.apply.walk() if isinstance(op, nt.FlipOp)]
    return [(op, nt.shape_of(op.value.type)[op.dim]) for op in flips]


def _reverse(op: nt.FlipOp, size: IndexExpr) -> None:
    """Lower a flip to a gather: the lanes below ``size`` in reverse, and so those behind them."""
    shape = nt.shape_of(op.value.type)
    padded_size = shape[op.dim].value
    assert padded_size is not None
    if padded_size == 1:
        replace(op, [op.value])
        return
    inserter = Inserter.before(op)
    i32 = IntegerType(32)
    row = nt.block_type((padded_size,), i32)
    last = inserter.add(nt.FullOp(inserter.add(nt.SizeOp(nt.ExprAttr(size - 1), i32)), row))
    lanes = inserter.add(nt.ArangeOp(nt.ExprAttr(const(0)), row))
    index = inserter.add(nt.ElementwiseOp("sub", [last, lanes], row))
    if size.value != padded_size:
        # Behind the true size the difference is negative, and counts from the padded size.
        bits = arith.ConstantOp(nt.number(padded_size - 1, i32))
        ones = inserter.add(nt.FullOp(inserter.add(bits), row))
        index = inserter.add(nt.ElementwiseOp("and", [index, ones], row))
    index = along(inserter, index, op.dim, shape)
    replace(op, [inserter.add(nt.GatherOp(op.value, index, op.dim))])


def _true_reshapes(kernel: nt.KernelOp) -> list[tuple[nt.ReshapeOp, Sizes, Sizes]]:
    """The reshapes, with the true sizes of operand and result."""
    reshapes = [op for op in kernel.apply.walk() if isinstance(op, nt.ReshapeOp)]
    return [(op, nt.shape_of(op.value.type), nt.shape_of(op.result.type)) for op in reshapes]


def _gathers(kernel: nt.KernelOp) -> list[nt.GatherOp]:
    """The gathers of the application, whose indices may be any numbers."""
    return [op for op in kernel.apply.walk() if isinstance(op, nt.GatherOp)]


def _equal_sizes(kernel: nt.KernelOp) -> list[tuple[IndexExpr, IndexExpr]]:
    """The pairs of block sizes that differ as expressions, and that a check holds equal."""
    return [
        (one, two)
        for op in kernel.apply.walk()
        if isinstance(op, UnrealizedConversionCastOp)
        for one, two in zip(
            nt.shape_of(op.inputs[0].type), nt.shape_of(op.results[0].type), strict=True
        )
        if one != two
    ]


def _drop_equalities(kernel: nt.KernelOp) -> None:
    """Erase the casts between sizes that a check holds equal: both are padded alike."""
    for op in list(kernel.apply.walk()):
        if isinstance(op, UnrealizedConversionCastOp):
            source: SSAValue = op.inputs[0]
            if source.type != op.results[0].type:
                raise fail(
                    op,
                    f"blocks of shapes {_text(source)} and {_text(op.results[0])} must have equal "
                    "shapes",
                    ShapeError,
                )
            replace(op, [source])


def _text(value: SSAValue) -> str:
    return f"({', '.join(map(str, nt.shape_of(value.type)))})"


@dataclass(frozen=True)
class PadBlocksPass(KernelPass):
    """Pad blocks to powers of two."""

    name: ClassVar[str] = "nt-pad-blocks"

    def apply_to(self, kernel: nt.KernelOp) -> None:
        padding = _Padding(kernel)
        combined, flips = _true_sizes(kernel), _true_flips(kernel)
        choices = _true_choices(kernel)
        lanes = _true_lanes(kernel)
        reshapes, gathers = _true_reshapes(kernel), _gathers(kernel)
        for op in kernel.arrange.block.ops:
            if isinstance(op, nt.AccessOp):
                source = op.source.owner
                assert isinstance(source, nt.SourceOp)
                access = nt.AccessAttr(padding.access(op.access.data, source.own))
                replace(op, [Inserter.before(op).add(nt.AccessOp(op.source, access))])
        retype(kernel.apply, padding.attribute)
        _drop_equalities(kernel)
        for entry in combined:
            _mask(*entry)
        for choice in choices:
            _leave_out(*choice)
        for op, size in flips:
            _reverse(op, size)
        for op in gathers:
            lower_gather(op)
        for op, old, new in reshapes:
            lower_reshape(op, old, new)
        for user, sizes in lanes:
            _mask_lanes(user, sizes)
