"""Rewriting that keeps locations, which xDSL's walker alone drops."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar, get_args, get_type_hints

from xdsl.dialects.builtin import UnknownLoc
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint, Rewriter

from ninetoothed.ir.attribute_memo import AttributeMemo
from ninetoothed.ir.folding import folded

Convert = Callable[[Attribute], Attribute]
_Pattern = TypeVar("_Pattern", bound=RewritePattern)
_Op = TypeVar("_Op", bound=Operation)
# Attribute of a pattern: the op classes that it matches.
_CLASSES = "op_classes"


class Inserter:
    """Builder that inserts ops at a place, with the location of the op they stem from."""

    def __init__(self, point: InsertPoint, origin: Operation) -> None:
        self.point = point
        self.origin = origin

    @staticmethod
    def before(op: Operation) -> Inserter:
        """Builder in front of ``op``, with its location."""
        return Inserter(InsertPoint.before(op), op)

    @staticmethod
    def behind(op: Operation) -> Inserter:
        """Builder behind ``op``, with its location."""
        return Inserter(InsertPoint.after(op), op)

    def insert(self, op: Operation) -> Operation:
        """Insert ``op``."""
        if isinstance(op.location, UnknownLoc):
            op.location = self.origin.location
        Rewriter.insert_op(op, self.point)
        return op

    def add(self, op: Operation) -> SSAValue:
        """Insert ``op``, unless it folds to a value; its first result."""
        value = folded(op)
        return self.insert(op).results[0] if value is None else value


def op_pattern(
    function: Callable[[_Pattern, _Op, PatternRewriter], None],
) -> Callable[[_Pattern, Operation, PatternRewriter], None]:
    """Decorator for patterns that match the op classes of the type hint of ``op``, as xDSL's
    ``op_type_rewrite_pattern``; :func:`rewrite_once` looks them up by class.
    """
    hint = get_type_hints(function)["op"]
    pattern = op_type_rewrite_pattern(function)
    setattr(pattern, _CLASSES, get_args(hint) or (hint,))
    return pattern


def rewrite_once(region: Region, patterns: Sequence[RewritePattern]) -> None:
    """Apply ``patterns``, made by :func:`op_pattern`, to the ops of ``region``: in order, each op
    once, as MLIR's ``walkAndApplyPatterns`` does.

    To an op all patterns of its class are applied, until one replaces it. New ops are not matched,
    and take the location of the replaced op.
    """
    classes = [(pattern, getattr(pattern.match_and_rewrite, _CLASSES)) for pattern in patterns]
    by_class: dict[type[Operation], list[RewritePattern]] = {}
    for op in list(region.walk()):
        found = by_class.get(type(op))
        if found is None:
            found = by_class[type(op)] = [one for one, ops in classes if isinstance(op, ops)]
        if found:
            _apply(op, found)


def keep_location(rewriter: PatternRewriter, op: Operation) -> None:
    """Let the ops that ``rewriter`` inserts take the location of ``op``, if they have none."""
    location = op.location

    def stamp(new: Operation) -> None:
        if isinstance(new.location, UnknownLoc):
            new.location = location

    rewriter.operation_insertion_handler.append(stamp)


def _apply(op: Operation, patterns: Sequence[RewritePattern]) -> None:
    rewriter = PatternRewriter(op)
    keep_location(rewriter, op)
    for pattern in patterns:
        if op.parent is not None:
            pattern.match_and_rewrite(op, rewriter)


def replace(op: Operation, values: Iterable[SSAValue]) -> None:
    """Replace the results of ``op`` with ``values``, which take its name hints, and erase it."""
    for result, value in zip(op.results, values, strict=True):
        if value.name_hint is None:
            value.name_hint = result.name_hint
        result.replace_all_uses_with(value)
    Rewriter.erase_op(op)


def retype(region: Region, convert: Convert) -> None:
    """Convert the types of all values and all properties in ``region``, in place.

    ``convert`` maps an attribute that it does not know to itself.
    """
    mapped = AttributeMemo(convert)

    def visit_block(block: Block) -> None:
        for argument in list(block.args):
            set_type(argument, mapped(argument.type))
        for op in block.ops:
            for result in list(op.results):
                set_type(result, mapped(result.type))
            for name, value in op.properties.items():
                op.properties[name] = mapped(value)
            for inner in op.regions:
                for inner_block in inner.blocks:
                    visit_block(inner_block)

    for block in region.blocks:
        visit_block(block)


def set_type(value: SSAValue, type: Attribute) -> None:
    """Give ``value`` another type, in place."""
    if type == value.type:
        return
    hint = value.name_hint
    new = Rewriter.replace_value_with_new_type(value, type)
    new.name_hint = hint
