"""The state of one walk over an application: insertion point, frames and source location."""

from __future__ import annotations

import ast
import math
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from types import FunctionType, MappingProxyType

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, IntegerType
from xdsl.ir import Block, Operation, SSAValue

from ninetoothed import dtype as dtypes
from ninetoothed.definition.source import FunctionSource
from ninetoothed.dtype import DTYPES
from ninetoothed.errors import Loc, NineToothedError, ShapeError, TypeMismatchError
from ninetoothed.frontend.frame import Frame
from ninetoothed.frontend.values import Size, Value, View, describe, is_ssa
from ninetoothed.ir import nt
from ninetoothed.ir.locations import location
from ninetoothed.ir.name_hints import hint
from ninetoothed.language import rules
from ninetoothed.layout.meta_op import shape_text
from ninetoothed.symbolic.choices import Choices
from ninetoothed.symbolic.expr import IndexExpr, evaluate, fits, symbol_names
from ninetoothed.symbolic.intervals import NOTHING, Assumptions


class Context:
    """Builds the application's ops. ``index_type`` is the type of sizes and range variables,
    ``assumptions`` what is known of the symbols. ``fixed`` are the numbers that the call gives,
    ``blocks`` the block sizes for which the application is built where their values matter,
    ``unrolled`` the places of the ``while`` loops that are unrolled, and ``choices`` the values
    that block sizes can take.
    """

    def __init__(
        self,
        index_bits: int,
        assumptions: Assumptions = NOTHING,
        fixed: Mapping[str, int] = MappingProxyType({}),
        blocks: Mapping[str, int] = MappingProxyType({}),
        unrolled: frozenset[Loc] = frozenset(),
        choices: Choices = MappingProxyType({}),
    ) -> None:
        self.assumptions = assumptions
        self.fixed = fixed
        self.blocks = blocks
        self.unrolled = unrolled
        self.choices = choices
        self.carried: dict[SSAValue, tuple[Loc, SSAValue]] = {}
        """The variables of ``while`` loops: the loop's place, and the initial value."""
        self.returned: dict[ast.Call, Value] = {}
        """What the calls of functions returned last."""
        self.wanted: frozenset[Loc] = frozenset()
        """The loops of whose variables a number was needed, where the application failed."""
        self.noted = False
        """True if an error has left the innermost expression or statement that it is in."""
        self.has_doubles = False
        """True if a tensor of the call has elements of fp64, beside which no float is rounded."""
        self.specialized: dict[str, int] = {}
        """The block sizes that the application specialized on."""
        self.index_type: IntegerType = IntegerType(index_bits)
        self.block = Block()
        self.frames: list[Frame] = []
        self.sources: dict[FunctionType, FunctionSource] = {}
        """The sources of the functions that were called."""
        self.checks: list[nt.CheckAttr] = []
        self.printed: list[str] = []
        """Output of ``static_print``."""
        self.lengths: frozenset[str] = frozenset()
        """The symbols of the lengths of the program's own sequences."""
        self.numbers: frozenset[SSAValue] = frozenset()
        """The parameters that are passed by value."""
        self.batches: tuple[IndexExpr, ...] = ()
        """The sizes of the batches of calls that the kernel is for, outermost first."""
        self.loc: Loc | None = None
        self.conditional = 0
        """Depth of run-time branches and loops around the current statement."""

    @property
    def frame(self) -> Frame:
        """The function that is being walked."""
        return self.frames[-1]

    def place(self, node: ast.AST) -> Loc:
        """The source location of ``node``."""
        frame = self.frame
        return frame.source.place(node, frame.caller)

    @contextmanager
    def at(self, node: ast.AST) -> Generator[None]:
        """Give ops that are built, and errors that are raised, inside the location of ``node``."""
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
        """Build ops at the end of ``block``, which is executed conditionally or repeatedly."""
        before = self.block
        self.block = block
        self.conditional += 1
        try:
            yield
        finally:
            self.block = before
            self.conditional -= 1

    def add(self, op: Operation) -> SSAValue:
        """Insert ``op`` at the insertion point; its first result."""
        self.insert(op)
        return op.results[0]

    def insert(self, op: Operation) -> None:
        """Insert ``op`` at the insertion point."""
        op.location = location(self.loc)
        self.block.add_op(op)

    def constant(self, value: bool | int | float, dtype: str) -> SSAValue:
        """``value`` as a scalar of ``dtype``.

        Raises:
            TypeMismatchError: an infinity, or no number, as an integer.
        """
        if DTYPES[dtype].kind in ("int", "uint") and not math.isfinite(value):
            raise TypeMismatchError(f"{value} is no integer, which {dtype} holds; use a float")
        return self.add(nt.constant(nt.number(value, nt.scalar_type(dtype))))

    def scalar(self, value: Value, what: str = "the value") -> SSAValue:
        """``value``, loaded if it is a view, as a scalar or a block of numbers; Python numbers
        get their literal's type.

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
                return self.constant(value, self.literal(value))
            except TypeError as error:
                raise TypeMismatchError(f"{error}; use a smaller number") from None
        raise TypeMismatchError(f"{what} must be a number or a block, not {describe(value)}")

    def literal(self, value: bool | int | float) -> str:
        """The element type of a Python number that meets no block.

        Raises:
            TypeError: an integer of more than 64 bits.
        """
        dtype = dtypes.literal(value)
        return "fp64" if dtype == "fp32" and self.has_doubles else dtype

    def is_known(self, expr: IndexExpr) -> bool:
        """True if :meth:`number` has the value of an expression; nothing is specialized."""
        return all(name in self.fixed or name in self.blocks for name in symbol_names(expr))

    def number(self, expr: IndexExpr) -> int | None:
        """The value of an expression over numbers that the call fixes and block sizes; else None.

        The module is then specialized on the block sizes in it.
        """
        if not self.is_known(expr):
            return None
        names = symbol_names(expr)
        self.specialized.update({name: self.blocks[name] for name in names if name in self.blocks})
        try:
            return evaluate(expr, {**self.blocks, **self.fixed})
        except ZeroDivisionError as error:
            raise ShapeError(f"{error}; a divisor must be at least 1") from None

    def known(self, value: Value) -> Value:
        """``value``; a size as its number, where the call and the configuration fix it."""
        number = self.number(value.expr) if isinstance(value, Size) else None
        return value if number is None else number

    def size(self, expr: IndexExpr) -> SSAValue:
        """A size as a scalar of the index type; a number that it does not hold, of 64 bits.

        Raises:
            TypeMismatchError: the numbers in it do not fit.
        """
        if expr.value is not None:
            type = self.index_type if fits(expr, self.index_type.width.data) else IntegerType(64)
            if not fits(expr, 64):
                raise TypeMismatchError(
                    f"{expr.value} is no i64, the widest type of sizes and indices; use a smaller "
                    "number"
                )
            return self.add(arith.ConstantOp(IntegerAttr(expr.value, type), type))
        self.require_fitting(expr)
        return self.add(nt.SizeOp(nt.ExprAttr(expr), self.index_type))

    def require_fitting(self, expr: IndexExpr) -> None:
        """Check that the numbers in a size that a call knows fit the index type.

        Raises:
            TypeMismatchError: one does not fit.
        """
        bits = self.index_type.width.data
        if not fits(expr, bits):
            raise TypeMismatchError(
                f"the size {expr} is computed in i{bits}, which does not hold its numbers; convert "
                "a size of the tensor first, as in ntl.cast(x.source.shape[0], ntl.int64)"
            )

    def read(self, value: Value) -> Value:
        """``value``; of a view, the block that is loaded.

        Raises:
            ShapeError: the view has levels that are not indexed.
        """
        if not isinstance(value, View):
            return value
        self.require_block(value)
        result = self.add(nt.LoadOp(value.ref, value.indices, value.other))
        hint(result, value.name)
        return result

    def now(self, value: Value) -> Value:
        """``value``, loaded here if it is the block of a parameter."""
        return self.read(value) if isinstance(value, View) and value.is_block else value

    def require_block(self, view: View) -> None:
        """Check that a view is a block.

        Raises:
            ShapeError: it has levels that are not indexed.
        """
        if not view.is_block:
            index = ", ".join("ijklmn"[: len(view.levels[0].sizes)]) or "()"
            raise ShapeError(
                f"{view.name} has a level of shape {shape_text(view.levels[0].sizes)} above its "
                f"block; index it, as in {view.name}[{index}]"
            )

    def full(self, value: SSAValue, shape: tuple[IndexExpr, ...]) -> SSAValue:
        """A block of ``shape`` filled with a scalar."""
        if not shape:
            return value
        return self.add(nt.FullOp(value, nt.block_type(shape, value.type)))

    def cast(self, value: SSAValue, dtype: str, rounding: str | None = None) -> SSAValue:
        """``value`` in the element type ``dtype``; ``rounding`` is ``"rtne"`` or ``"rtz"``.

        Raises:
            TypeMismatchError: there is no such conversion.
        """
        scalar = nt.scalar_type(dtype)
        source = nt.dtype_of(value.type)
        try:
            rules.conversion(source, dtype, rounding)
        except TypeError as error:
            raise TypeMismatchError(str(error)) from None
        if source == dtype:
            return value
        return self.add(nt.CastOp(value, scalar, rounding))
