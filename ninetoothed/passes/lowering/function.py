"""Builder of device functions, and the table of lowerings."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IntegerAttr,
    StringAttr,
    UnitAttr,
    UnknownLoc,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue

from ninetoothed.artifacts.capabilities import Capabilities
from ninetoothed.artifacts.reciprocals import PARTS
from ninetoothed.errors import CompilerError
from ninetoothed.ir import nt, tt
from ninetoothed.ir.diagnostics import fail, handler_of
from ninetoothed.ir.folding import folded
from ninetoothed.ir.name_hints import hint
from ninetoothed.language.registry import Registry
from ninetoothed.passes.lowering.types import in_memory, numbers, signless
from ninetoothed.symbolic.expr import IndexExpr

_UNSIGNED = [nt.scalar_type(dtype) for dtype in ("u8", "u16", "u32", "u64")]
_SIXTEEN = IntegerAttr(16, i32)


class Function:
    """Builder of the device function of one kernel for a target.

    ``traps``: assertions stop the program without a word.
    """

    def __init__(self, kernel: nt.KernelOp, target: Capabilities, traps: bool) -> None:
        self.kernel = kernel
        self.target = target
        self.traps = traps
        self.block = Block()
        self.values: dict[SSAValue, SSAValue] = {}
        self.arguments: list[DictionaryAttr] = []
        self.origin: Operation = kernel
        self.body = self.block
        self.symbols: dict[str, SSAValue] = {}
        self.reciprocals: dict[IndexExpr, tuple[SSAValue, ...]] = {}
        """The multiplier and the shift of each divisor (see ``artifacts.reciprocals``)."""
        self.descriptors: dict[tuple[Attribute, ...], SSAValue] = {}
        """Those that the host makes, by what they are made of (see :func:`made_of`)."""
        self.scratch: dict[str, SSAValue] = {}
        """The pointer to each scratch memory."""
        self._declare()

    def _argument(self, type: Attribute, attributes: dict[str, Attribute], name: str) -> SSAValue:
        argument = self.block.insert_arg(type, len(self.block.args))
        hint(argument, name)
        self.arguments.append(DictionaryAttr(attributes))
        return argument

    def _declare(self) -> None:
        kernel = self.kernel
        used = {
            op.expr.data.args[0]: op.result.type
            for op in kernel.apply.walk()
            if isinstance(op, nt.SizeOp)
        }
        for source, view in zip(kernel.sources, kernel.apply.block.args, strict=True):
            decl = source.decl
            scalar = nt.scalar_of(source.result.type)
            attributes: dict[str, Attribute] = {"nt.param": StringAttr(decl.name)}
            if decl.kind == "constexpr":
                continue
            type = tt.PointerType(in_memory(scalar)) if decl.kind == "tensor" else signless(scalar)
            if source.aligned and decl.kind == "tensor":
                attributes["tt.divisibility"] = _SIXTEEN
            if source.packed is not None:
                attributes["nt.packed"] = source.strides
            if decl.kind == "tensor" and in_memory(scalar) != scalar:
                attributes["nt.element_type"] = scalar
            if decl.kind == "scalar" and scalar in _UNSIGNED:
                attributes["nt.unsigned"] = UnitAttr()
            found = [use.operation for use in view.uses]
            # Of what descriptors of the host alone are of, no pointer is needed.
            if not found or not all(isinstance(op, nt.HostDescriptorOp) for op in found):
                self.values[view] = self._argument(type, attributes, decl.name)
            if offsets := [op for op in found if isinstance(op, nt.SequencesOp)]:
                assert decl.offsets is not None
                attributes = {"nt.symbol": StringAttr(decl.offsets)}
                pointer = self._argument(offsets[0].result.type, attributes, decl.offsets)
                self.values.update({op.result: pointer for op in offsets})
        for symbol in kernel.declarations:
            if symbol.name in used:
                attributes = {"nt.symbol": StringAttr(symbol.name)}
                if symbol.divisor > 1:
                    attributes["tt.divisibility"] = IntegerAttr(symbol.divisor, i32)
                self.symbols[symbol.name] = self._argument(
                    used[symbol.name], attributes, symbol.name
                )
        for op in kernel.apply.walk():
            if isinstance(op, nt.QuotientOp) and op.divisor.data not in self.reciprocals:
                self.reciprocals[op.divisor.data] = tuple(
                    self._argument(
                        i32, {"nt.reciprocal": StringAttr(part), "nt.divisor": op.divisor}, part
                    )
                    for part in PARTS
                )
        for op in kernel.apply.walk():
            if isinstance(op, nt.HostDescriptorOp) and self.made_of(op) not in self.descriptors:
                self.descriptors[self.made_of(op)] = self._descriptor_argument(op)
        for op in kernel.apply.walk():
            if isinstance(op, nt.ScratchOp) and op.memory.data not in self.scratch:
                self.scratch[op.memory.data] = self._scratch_argument(op)

    def made_of(self, op: nt.HostDescriptorOp) -> tuple[Attribute, ...]:
        """What a descriptor of the host depends on."""
        assert isinstance(op.ref, BlockArgument)
        param = self.kernel.sources[op.ref.index].param
        return param, op.shape, op.strides, op.result.type

    def _descriptor_argument(self, op: nt.HostDescriptorOp) -> SSAValue:
        """The argument of a descriptor, with the numbers that come behind it."""
        assert isinstance(op.ref, BlockArgument)
        source = self.kernel.sources[op.ref.index]
        name = f"{source.param.data}_desc"
        of_tensor: dict[str, Attribute] = {"nt.descriptor": source.param}
        if source.packed is not None:
            of_tensor["nt.packed"] = source.strides
        found = self._argument(op.result.type, of_tensor, name)
        rows = (("size", i32, op.shape), ("stride", i64, op.strides))
        for kind, type, exprs in rows:
            for dim, expr in enumerate(exprs.data):
                number = StringAttr(f"{name}_{kind}_{dim}")
                attributes: dict[str, Attribute] = {
                    "nt.of_descriptor": number,
                    "nt.number": nt.ExprAttr(expr),
                }
                self._argument(type, attributes, f"{name}_{kind}")
        return found

    def _scratch_argument(self, op: nt.ScratchOp) -> SSAValue:
        """The argument of a scratch memory, which starts at a multiple of 16 bytes."""
        attributes: dict[str, Attribute] = {
            "nt.scratch": op.memory,
            "nt.count": op.count,
            "tt.divisibility": _SIXTEEN,
        }
        if op.zeroed is not None:
            attributes["nt.zeroed"] = op.zeroed
        return self._argument(signless(op.result.type), attributes, op.memory.data)

    def add(self, op: Operation) -> SSAValue:
        """Build ``op`` at the current end, unless it folds to a value; its first result."""
        value = folded(op)
        if value is None:
            self.insert(op)
            return op.results[0]
        return value

    def insert(self, op: Operation) -> None:
        """Build ``op`` at the current end."""
        if isinstance(op.location, UnknownLoc):
            op.location = self.origin.location
        self.block.add_op(op)

    def value(self, old: SSAValue) -> SSAValue:
        """The new value of ``old``."""
        return self.values[old]

    def optional(self, old: SSAValue | None) -> SSAValue | None:
        """The new value of ``old``, if there is one."""
        return None if old is None else self.values[old]

    def define(self, op: Operation, *values: SSAValue) -> None:
        """Set the new values of the results of ``op``."""
        for old, new in zip(op.results, values, strict=True):
            if new.name_hint is None:
                new.name_hint = old.name_hint
            self.values[old] = new

    def convert(self, block: Block) -> None:
        """Build the ops of ``block``."""
        for op in block.ops:
            self.origin = op
            _check_lanes(op)
            handler_of(LOWERINGS, op)(self, op)

    def copy(self, op: Operation) -> None:
        """Build ``op`` as it is, on the new operands."""
        new = op.clone(dict(self.values))
        new.location = op.location
        self.insert(new)
        self.define(op, *new.results)

    def nested(self, old: Block, types: list[Attribute]) -> Block:
        """Convert ``old`` to a block with arguments of ``types``."""
        outer, self.block = self.block, Block(arg_types=types)
        for before, after in zip(old.args, self.block.args, strict=True):
            after.name_hint = before.name_hint
            self.values[before] = after
        self.convert(old)
        inner, self.block = self.block, outer
        return inner

    def finish(self) -> tt.FuncOp:
        """The finished function."""
        self.origin = self.kernel
        self.insert(tt.ReturnOp())
        kernel = self.kernel
        op = tt.FuncOp(kernel.sym_name.data, Region(self.block), self.arguments)
        op.location = kernel.location
        params = ArrayAttr(nt.ParamAttr(source.decl) for source in kernel.sources)
        assert kernel.grid is not None
        op.attributes = {"nt.params": params, "nt.grid": kernel.grid, "nt.checks": kernel.checks}
        # What passes relied on, for who runs the function without the signature that it is for.
        if symbols := [symbol for symbol in kernel.symbols if _restricts_calls(symbol.data)]:
            op.attributes["nt.symbols"] = ArrayAttr(symbols)
        if kernel.padded_sizes.data:
            op.attributes["nt.padded_sizes"] = kernel.padded_sizes
        if kernel.vacuous is not None:
            op.attributes["nt.vacuous"] = kernel.vacuous
        if (remarks := kernel.attributes.get(nt.REMARKS)) is not None:
            op.attributes[nt.REMARKS] = remarks
        return op


def _check_lanes(op: Operation) -> None:
    """Check that Triton takes the blocks that ``op`` gives."""
    for value in op.results:
        if isinstance(value.type, nt.TensorType):
            lanes = math.prod(numbers(value.type))
            if lanes > tt.MAX_LANES:
                raise fail(
                    op,
                    f"a block of {lanes} lanes; at most {tt.MAX_LANES} can be one",
                    CompilerError,
                )


def _restricts_calls(decl: nt.SymbolDecl) -> bool:
    """True if tensors may have a size or a stride that the symbol must not have."""
    return decl.divisor != 1 or decl.upper is not None or (decl.lower or 0) > 0


LOWERINGS: Registry[type[Operation], Callable[[Function, Any], None]] = Registry(
    "the lowering to Triton"
)
"""The lowerings by op class, registered by the modules that ``lower_to_tt`` imports."""
