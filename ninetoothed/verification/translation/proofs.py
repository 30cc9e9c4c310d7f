"""Symbolic proof that two modules touch the same elements, by comparing their attributes.

The applications must be the same, op by op, and the accesses must have equal normal forms, once
values are substituted for symbols in both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from ninetoothed.interpreters.chains import step_by_step
from ninetoothed.ir import nt
from ninetoothed.ir.snapshots import equivalent
from ninetoothed.layout.access import Access, index_names
from ninetoothed.layout.meta_op import Guard
from ninetoothed.symbolic.expr import IndexExpr, substitute, sym
from ninetoothed.symbolic.normal_form import normalize

_Values = Mapping[str, IndexExpr | int]


def same_addresses(before: ModuleOp, after: ModuleOp, values: _Values) -> bool:
    """True if both are proved to touch the same elements, where symbols have ``values``."""
    if before is after or equivalent(before, after):
        return True
    kernels = [next(iter(module.body.ops), None) for module in (before, after)]
    if not all(isinstance(kernel, nt.KernelOp) for kernel in kernels):
        return False
    one, two = cast("list[nt.KernelOp]", kernels)
    known: dict[str, IndexExpr | int] = dict(values)
    if (one.grid is None) != (two.grid is None):
        return False
    return _same_accesses(one, two, known) and _Lockstep(known).blocks(
        one.apply.block, two.apply.block
    )


def _same_accesses(before: nt.KernelOp, after: nt.KernelOp, values: _Values) -> bool:
    one, two = before.arranged.values, after.arranged.values
    return len(one) == len(two) and all(
        _normal(left, values) == _normal(right, values)
        for left, right in zip(one, two, strict=True)
    )


def _normal(value: SSAValue, values: _Values) -> object:
    """Normal form of the address computation of an arranged value."""
    owner = value.owner
    if isinstance(owner, nt.AccessOp):
        source, access = owner.source.owner, owner.access.data
        assert isinstance(source, nt.SourceOp)
    else:
        source, ops = nt.chain(value)
        access = step_by_step(source.sizes, [op.algebra for op in ops], source.own)

    inside = [(name, normalize(substitute(size, values))) for name, size in _inside(access)]
    # The only index of a dim of one element is 0.
    known: _Values = {**values, **{name: 0 for name, size in inside if size.value == 1}}

    def put(expr: IndexExpr) -> IndexExpr:
        return normalize(substitute(expr, known))

    def row(exprs: Sequence[IndexExpr]) -> tuple[IndexExpr, ...]:
        return tuple(put(expr) for expr in exprs)

    guards = {Guard(put(guard.index), put(guard.size)) for guard in access.guards}
    guards -= {Guard(put(sym(name)), size) for name, size in inside}
    # A dim of size 1 has the index 0 only.
    guards -= {guard for guard in guards if guard.index.value == 0 and guard.size.value == 1}
    levels = tuple(row(sizes) for sizes in access.levels)
    strides = row(source.strides.data)
    return source.param.data, strides, levels, row(access.indices), frozenset(guards)


def _inside(access: Access) -> list[tuple[str, IndexExpr]]:
    """Indices that are in bounds without a guard, with their sizes: of programs and lanes."""
    last = len(access.levels) - 1
    rows = zip(index_names(access.levels), access.levels, strict=True)
    return [
        pair
        for level, (names, sizes) in enumerate(rows)
        if level in (0, last)
        for pair in zip(names, sizes, strict=True)
    ]


class _Lockstep:
    """Structural comparison of two applications in lockstep."""

    def __init__(self, values: _Values) -> None:
        self._values = values
        self._pairs: dict[SSAValue, SSAValue] = {}

    def blocks(self, before: Block, after: Block) -> bool:
        """True if the blocks' ops are the same."""
        one, two = list(before.ops), list(after.ops)
        if len(one) != len(two) or len(before.args) != len(after.args):
            return False
        self._pairs.update(zip(before.args, after.args, strict=True))
        return all(self._ops(left, right) for left, right in zip(one, two, strict=True))

    def _ops(self, before: Operation, after: Operation) -> bool:
        if (
            before.name != after.name
            or [self._pairs.get(operand) for operand in before.operands] != list(after.operands)
            or len(before.results) != len(after.results)
            or len(before.regions) != len(after.regions)
        ):
            return False
        self._pairs.update(zip(before.results, after.results, strict=True))
        types = zip(before.result_types, after.result_types, strict=True)
        tables = ((before.properties, after.properties), (before.attributes, after.attributes))
        return (
            all(self._attributes(left, right) for left, right in types)
            and all(self._tables(left, right) for left, right in tables)
            and all(
                len(left.blocks) == len(right.blocks)
                and all(self.blocks(*pair) for pair in zip(left.blocks, right.blocks, strict=True))
                for left, right in zip(before.regions, after.regions, strict=True)
            )
        )

    def _tables(self, before: Mapping[str, Attribute], after: Mapping[str, Attribute]) -> bool:
        return before.keys() == after.keys() and all(
            self._attributes(before[name], after[name]) for name in before
        )

    def _attributes(self, before: Attribute, after: Attribute) -> bool:
        if before == after:
            return True
        if type(before) is not type(after):
            return False
        match before, after:
            case nt.TensorType(), nt.TensorType():
                return self._attributes(before.shape, after.shape) and self._attributes(
                    before.element_type, after.element_type
                )
            case nt.ExprAttr(), nt.ExprAttr():
                return self._put(before.data) == self._put(after.data)
            case nt.ExprsAttr(), nt.ExprsAttr():
                return list(map(self._put, before.data)) == list(map(self._put, after.data))
            case _:
                return False

    def _put(self, expr: IndexExpr) -> IndexExpr:
        return normalize(substitute(expr, self._values))
