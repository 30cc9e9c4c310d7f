"""The state of one walk over an application: where ops go, what names mean, and where we are in the
source.
"""

from __future__ import annotations

import ast
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, IntegerType
from xdsl.ir import Block, Operation, SSAValue

from ninetoothed.errors import Loc, NineToothedError, ShapeError, TypeMismatchError
from ninetoothed.frontend.locations import location
from ninetoothed.frontend.source import FunctionSource
from ninetoothed.frontend.values import Share, Size, Value, describe, is_ssa
from ninetoothed.ir import nt
from ninetoothed.ir.index_bounds import NOTHING, Assumptions
from ninetoothed.ir.index_expr import IndexExpr, evaluate, symbol_names
from ninetoothed.ir.meta_op import shape_text
from ninetoothed.language import rules


@dataclass
class Frame:
    """One function that is being walked: its locals, its source, and from where it was called."""

    source: FunctionSource
    locals: dict[str, Value]
    caller: Loc | None = None
    undefined: dict[str, str] = field(default_factory=dict[str, str])
    """Names that only some paths assign, and why they have no value."""
    parameters: frozenset[str] = frozenset()
    """Names whose assignment is a store."""
    constants: frozenset[str] = frozenset()
    """Parameters that hold numbers known when compiling."""


class Context:
    """Builds the application's ops. ``index_type`` is the type of sizes and range variables,
    ``assumptions`` what is known of the symbols. ``fixed`` are the numbers that the call gives,
    ``blocks`` the block sizes for which the application is built where their values matter.
    """

    def __init__(
        self,
        index_bits: int,
        assumptions: Assumptions = NOTHING,
        fixed: Mapping[str, int] = MappingProxyType({}),
        blocks: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        self.assumptions = assumptions
        self.fixed = fixed
        self.blocks = blocks
        self.decided: dict[str, int] = {}
        """The block sizes by whose values something was decided."""
        self.index_type: IntegerType = IntegerType(index_bits)
        self.block = Block()
        self.frames: list[Frame] = []
        self.checks: list[nt.CheckAttr] = []
        self.lengths: frozenset[str] = frozenset()
        """The symbols of the lengths of the program's own sequences."""
        self.loc: Loc | None = None
        self.conditional = 0
        """How many run-time branches and loops enclose the current statement."""

    @property
    def frame(self) -> Frame:
        """The function that is being walked."""
        return self.frames[-1]

    def place(self, node: ast.AST) -> Loc:
        """Where ``node`` stands."""
        return replace(self.frame.source.place(node), caller=self.frame.caller)

    @contextmanager
    def at(self, node: ast.AST) -> Generator[None]:
        """Ops built, and errors raised, inside have the place of ``node``."""
        before = self.loc
        self.loc = self.place(node)
        try:
            yield
        except NineToothedError as error:
            if error.loc is None:
                error.loc = self.loc
            raise
        except RecursionError:
            raise NineToothedError(
                "this expression is nested too deeply; split it into several statements", self.loc
            ) from None
        finally:
            self.loc = before

    @contextmanager
    def inside(self, block: Block) -> Generator[None]:
        """Ops built inside go to the end of ``block``, which may run or not."""
        before = self.block
        self.block = block
        self.conditional += 1
        try:
            yield
        finally:
            self.block = before
            self.conditional -= 1

    def add(self, op: Operation) -> SSAValue:
        """Insert ``op`` at the current place; its first result."""
        self.insert(op)
        return op.results[0]

    def insert(self, op: Operation) -> None:
        """Insert ``op`` at the current place."""
        op.location = location(self.loc)
        self.block.add_op(op)

    def constant(self, value: bool | int | float, dtype: str) -> SSAValue:
        """``value`` as a scalar of ``dtype``."""
        attribute = nt.number(value, nt.scalar_type(dtype))
        return self.add(arith.ConstantOp(attribute, attribute.type))

    def scalar(self, value: Value, what: str = "the value") -> SSAValue:
        """``value``, read if it is a share, as a scalar or a block of numbers; Python numbers get
        their literal's type.

        Raises:
            TypeMismatchError: it is no number and no block.
        """
        found = self.computed(value, what)
        if nt.is_pointer(found.type):
            raise TypeMismatchError(
                f"{what} must be a number or a block, not {describe(found)}; read what it points "
                "to with ntl.load"
            )
        return found

    def computed(self, value: Value, what: str) -> SSAValue:
        """As :meth:`scalar`, but pointers are taken too."""
        value = self.read(value)
        if is_ssa(value):
            return value
        if isinstance(value, Size):
            return self.size(value.expr)
        if isinstance(value, bool | int | float):
            try:
                return self.constant(value, rules.literal(value))
            except TypeError as error:
                raise TypeMismatchError(f"{error}; use a smaller number") from None
        raise TypeMismatchError(f"{what} must be a number or a block, not {describe(value)}")

    def number(self, expr: IndexExpr) -> int | None:
        """The value of an expression over numbers that the call fixes and block sizes; else None.

        What is built is right for these values of the block sizes only.
        """
        names = symbol_names(expr)
        if not all(name in self.fixed or name in self.blocks for name in names):
            return None
        self.decided.update({name: self.blocks[name] for name in names if name in self.blocks})
        try:
            return evaluate(expr, {**self.blocks, **self.fixed})
        except ZeroDivisionError as error:
            raise ShapeError(f"{error}; a divisor must be at least 1") from None

    def known(self, value: Value) -> Value:
        """``value``; a size as its number, where the call and the configuration fix it."""
        number = self.number(value.expr) if isinstance(value, Size) else None
        return value if number is None else number

    def size(self, expr: IndexExpr) -> SSAValue:
        """A size as a scalar of the index type."""
        if expr.value is not None:
            return self.add(
                arith.ConstantOp(IntegerAttr(expr.value, self.index_type), self.index_type)
            )
        return self.add(nt.SizeOp(nt.ExprAttr(expr), self.index_type))

    def read(self, value: Value) -> Value:
        """``value``; of a share, the block that it reads.

        Raises:
            ShapeError: the share has levels that are not indexed.
        """
        if not isinstance(value, Share):
            return value
        self.require_block(value)
        result = self.add(nt.LoadOp(value.ref, value.indices, value.other))
        result.name_hint = value.name
        return result

    def require_block(self, share: Share) -> None:
        """Hold a share to be a block.

        Raises:
            ShapeError: it has levels that are not indexed.
        """
        if not share.is_block:
            index = ", ".join("ijk"[: len(share.levels[0].sizes)])
            raise ShapeError(
                f"{share.name} has a level of shape {shape_text(share.levels[0].sizes)} above "
                "its block; "
                f"index it, as in {share.name}[{index}]"
            )

    def full(self, value: SSAValue, shape: tuple[IndexExpr, ...]) -> SSAValue:
        """A block of ``shape`` of one scalar."""
        if not shape:
            return value
        return self.add(nt.FullOp(value, nt.block_type(shape, value.type)))

    def cast(self, value: SSAValue, dtype: str) -> SSAValue:
        """``value`` in the element type ``dtype``."""
        scalar = nt.scalar_type(dtype)
        if nt.scalar_of(value.type) == scalar:
            return value
        return self.add(nt.CastOp(value, scalar))
