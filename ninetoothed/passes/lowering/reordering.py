"""Lowering of reshapes and gathers of padded blocks: what is no ``tt.reshape`` is a gather.

A block of true sizes ``[3, 5]`` lies in one of ``[4, 8]``. Where its lanes in row-major order have
the same places in the padded result, only the shape changes; else each lane of the result, all in
one dim, computes its place in the padded operand from the true sizes.
"""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute, SSAValue

from ninetoothed.errors import ShapeError
from ninetoothed.ir import nt
from ninetoothed.ir.diagnostics import fail
from ninetoothed.ir.rewriting import Inserter, replace
from ninetoothed.layout.meta_op import Sizes, shape_text
from ninetoothed.layout.row_major import keeps_places, runs
from ninetoothed.symbolic.expr import IndexExpr, const, product

_I32 = IntegerType(32)


class _Row:
    """Arithmetic on a one-dimensional block of integers that are at least 0."""

    def __init__(self, inserter: Inserter, length: int) -> None:
        self.inserter = inserter
        self.type: Attribute = nt.block_type((length,), _I32)

    def lanes(self) -> SSAValue:
        return self.inserter.add(nt.ArangeOp(nt.ExprAttr(const(0)), self.type))

    def apply(self, function: str, left: SSAValue, right: SSAValue) -> SSAValue:
        return self.inserter.add(nt.ElementwiseOp(function, [left, right], self.type))

    def full(self, size: IndexExpr) -> SSAValue:
        """A block with a size in each lane."""
        if size.value is None:
            scalar = self.inserter.add(nt.SizeOp(nt.ExprAttr(size), _I32))
        else:
            scalar = self.inserter.add(arith.ConstantOp(nt.number(size.value, _I32)))
        return self.inserter.add(nt.FullOp(scalar, self.type))

    def times(self, value: SSAValue, size: IndexExpr) -> SSAValue:
        return value if size.value == 1 else self.apply("mul", value, self.full(size))

    def divided(self, value: SSAValue, size: IndexExpr) -> tuple[SSAValue, SSAValue]:
        """Quotient and remainder."""
        if size.value is None or size.value & (size.value - 1):
            by = self.full(size)
            return self.apply("floordiv", value, by), self.apply("mod", value, by)
        shift = self.full(const(size.value.bit_length() - 1))
        rest = self.apply("and", value, self.full(size - 1))
        return self.apply("shr", value, shift), rest

    def unravelled(self, value: SSAValue, sizes: Sizes) -> list[SSAValue]:
        """Unravel a row-major index into indices of the dims of ``sizes``."""
        found: list[SSAValue] = []
        for size in reversed(sizes[1:]):
            value, rest = self.divided(value, size)
            found.append(rest)
        return [value, *reversed(found)] if sizes else []

    def ravelled(self, indices: list[SSAValue], sizes: Sizes) -> SSAValue | None:
        """Ravel indices of the dims of ``sizes`` into a row-major index."""
        result: SSAValue | None = None
        for dim, index in enumerate(indices):
            step = self.times(index, product(sizes[dim + 1 :]))
            result = step if result is None else self.apply("add", result, step)
        return result


def lower_reshape(op: nt.ReshapeOp, old: Sizes, new: Sizes) -> None:
    """Lower a padded reshape so that its true lanes stay; ``old`` and ``new`` are the true sizes.

    Raises:
        ShapeError: pointers, which no gather moves.
    """
    before, after = nt.shape_of(op.value.type), nt.shape_of(op.result.type)
    padded = dict(zip((*old, *new), (*before, *after), strict=True))
    if keeps_places(old, new, padded.__getitem__):
        return
    if nt.is_pointer(op.value.type):
        raise fail(
            op,
            f"pointers of shape {shape_text(old)} cannot become {shape_text(new)}: sizes that are "
            "no powers of two are rounded up, which moves the lanes; reshape the offsets, and add "
            "them to the pointer",
            ShapeError,
        )
    inserter = Inserter.before(op)
    length = product(after).value
    assert length is not None
    index = _places(_Row(inserter, length), old, new, before, after)
    lanes = inserter.add(nt.GatherOp(_flat(inserter, op.value), index, 0))
    replace(op, [inserter.add(nt.ReshapeOp(lanes, after))])


def _flat(inserter: Inserter, block: SSAValue) -> SSAValue:
    """Flatten a block."""
    return inserter.add(nt.ReshapeOp(block, [product(nt.shape_of(block.type))]))


def _places(row: _Row, old: Sizes, new: Sizes, before: Sizes, after: Sizes) -> SSAValue:
    """The place in the padded operand of each lane of the padded result."""
    parts = runs(old, new)
    assert parts is not None
    # Dims of size 1 have no part in a place.
    dims = [dim for dim, size in enumerate(old) if size.value != 1]
    lanes = row.unravelled(row.lanes(), after)
    lanes = [lane for lane, size in zip(lanes, new, strict=True) if size.value != 1]
    indices: list[SSAValue] = []
    for left, right in parts:
        place = row.ravelled([lanes.pop(0) for _ in right], right)
        indices += (
            [row.full(const(0)) for _ in left] if place is None else row.unravelled(place, left)
        )
    found = row.ravelled(indices, tuple(before[dim] for dim in dims))
    assert found is not None
    # Padded lanes, which nobody reads, must still have an index in bounds.
    return row.apply("and", found, row.full(product(before) - 1))


def lower_gather(op: nt.GatherOp) -> None:
    """Mask the indices of a gather into bounds; those of true lanes stay as they are."""
    source, shape = nt.shape_of(op.value.type), nt.shape_of(op.indices.type)
    inserter = Inserter.before(op)
    type = nt.block_type(shape, _I32)
    indices = inserter.add(nt.CastOp(op.indices, _I32))
    last = (source[op.dim] - 1).value
    assert last is not None
    mask = inserter.add(arith.ConstantOp(nt.number(last, _I32)))
    mask = inserter.add(nt.FullOp(mask, type))
    indices = inserter.add(nt.ElementwiseOp("and", [indices, mask], type))
    wider = (source[op.dim] - shape[op.dim]).value
    assert wider is not None
    if len(shape) > 1 and wider < 0:
        # Triton 3.6 gathers more lanes than the operand has in blocks of one dim only.
        replace(op, [_flat_gather(inserter, op, indices)])
    else:
        op.operands[1] = indices


def _flat_gather(inserter: Inserter, op: nt.GatherOp, indices: SSAValue) -> SSAValue:
    """Lower a gather to one of flattened blocks."""
    source, shape = nt.shape_of(op.value.type), nt.shape_of(indices.type)
    length = product(shape).value
    assert length is not None
    row = _Row(inserter, length)
    places = row.unravelled(row.lanes(), shape)
    places[op.dim] = _flat(inserter, indices)
    place = row.ravelled(places, source)
    assert place is not None
    lanes = inserter.add(nt.GatherOp(_flat(inserter, op.value), place, 0))
    return inserter.add(nt.ReshapeOp(lanes, shape))
