"""Rewrites that keep locations: xDSL's walker drops them, and these do not."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from xdsl.dialects.builtin import UnknownLoc
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

Convert = Callable[[Attribute], Attribute]


class Inserter:
    """Inserts ops before a place; each takes the location of the op that it stems from."""

    def __init__(self, point: InsertPoint, origin: Operation) -> None:
        self.point = point
        self.origin = origin

    @staticmethod
    def before(op: Operation) -> Inserter:
        """In front of ``op``, with its location."""
        return Inserter(InsertPoint.before(op), op)

    def insert(self, op: Operation) -> Operation:
        """Insert ``op``."""
        if isinstance(op.location, UnknownLoc):
            op.location = self.origin.location
        Rewriter.insert_op(op, self.point)
        return op

    def add(self, op: Operation) -> SSAValue:
        """Insert ``op``; its first result."""
        return self.insert(op).results[0]


def replace(op: Operation, values: Iterable[SSAValue]) -> None:
    """Put ``values`` in the place of the results of ``op``, with its names, and erase it."""
    for result, value in zip(op.results, values, strict=True):
        if value.name_hint is None:
            value.name_hint = result.name_hint
        result.replace_all_uses_with(value)
    Rewriter.erase_op(op)


def retype(region: Region, convert: Convert) -> None:
    """Convert the types of all values and all properties in ``region``, in place.

    ``convert`` maps an attribute that it does not know to itself.
    """
    memo: dict[Attribute, Attribute] = {}

    def mapped(attribute: Attribute) -> Attribute:
        found = memo.get(attribute)
        if found is None:
            found = memo[attribute] = convert(attribute)
        return found

    def visit_block(block: Block) -> None:
        for argument in list(block.args):
            _retype(argument, mapped(argument.type))
        for op in block.ops:
            for result in list(op.results):
                _retype(result, mapped(result.type))
            for name, value in op.properties.items():
                op.properties[name] = mapped(value)
            for inner in op.regions:
                for inner_block in inner.blocks:
                    visit_block(inner_block)

    for block in region.blocks:
        visit_block(block)


def _retype(value: SSAValue, type: Attribute) -> None:
    if type == value.type:
        return
    hint = value.name_hint
    new = Rewriter.replace_value_with_new_type(value, type)
    new.name_hint = hint
