"""Turn what is left of ``nt`` into ``tt``, ``arith``, ``math`` and ``scf``: a device function.

Its arguments are the tensors' pointers and the numbers passed by value, in launch order, a jagged
tensor's offsets behind its pointer, then the sizes and strides that are used. How a launch binds them stays with the function: ``nt.params``,
``nt.grid``, ``nt.checks``.

Why here: it is the last step; it knows no sizes, no guards and no configurations, only types. It
requires stage ``addressed`` and leaves stage ``tt``.

Before:

```mlir
nt.kernel @k symbols [#nt.symbol<n size 0 to ? div 16>] grid #nt.expr<n ceildiv 64> arrange {
  %x = nt.source "x" "tensor" strides [1] aligned true : !nt.tensor<[n] x f32>
  %0 = nt.access %x <[[n ceildiv 64], [64]] -> [g0 * 64 + b0] if [[g0 * 64 + b0, n]]>
      : !nt.tensor<[n] x f32> -> !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
  nt.arranged %0 : !nt.tensor<[n ceildiv 64] x !nt.tensor<[64] x f32>>
} apply {
^bb0(%a : !nt.tensor<[64] x f32>):
  %p = nt.pointer %a : !nt.tensor<[64] x f32> -> !tt.ptr<f32>
  %n = nt.size <n> : i32
  %q = tt.addptr %p, %n : !tt.ptr<f32>, i32
  %v = tt.load %q : !tt.ptr<f32>
  %w = nt.map "exp"(%v) : (f32) -> f32
  tt.store %q, %w : !tt.ptr<f32>
  nt.finish
}
```

After:

```mlir
tt.func @k(%x: !tt.ptr<f32> {nt.param = "x", tt.divisibility = 16 : i32}, %n: i32 {nt.symbol = "n", tt.divisibility = 16 : i32}) attributes {nt.params = [#nt.param<"x" tensor [n] [1]>], nt.grid = #nt.expr<n ceildiv 64>, nt.checks = []} {
  %q = tt.addptr %x, %n : !tt.ptr<f32>, i32
  %v = tt.load %q : !tt.ptr<f32>
  %w = math.exp %v : f32
  tt.store %q, %w : !tt.ptr<f32>
  tt.return
}
```
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    UnitAttr,
    UnknownLoc,
    UnrealizedConversionCastOp,
    i1,
    i32,
)
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from ninetoothed.errors import CompilerError
from ninetoothed.ir import nt, tt
from ninetoothed.ir.diagnostics import fail
from ninetoothed.passes.lowering import pointers
from ninetoothed.passes.lowering.casts import cast
from ninetoothed.passes.lowering.elementwise import COMBINE, ELEMENTWISE, constant
from ninetoothed.passes.lowering.identities import constant_value
from ninetoothed.passes.lowering.types import in_memory, is_unsigned, lowered, numbers, signless

_UNSIGNED = [nt.scalar_type(dtype) for dtype in ("u8", "u16", "u32", "u64")]
_SIXTEEN = IntegerAttr(16, i32)


class _Function:
    """The device function of one kernel, built op by op."""

    def __init__(self, kernel: nt.KernelOp) -> None:
        self.kernel = kernel
        self.block = Block()
        self.values: dict[SSAValue, SSAValue] = {}
        self.arguments: list[DictionaryAttr] = []
        self.origin: Operation = kernel
        self.body = self.block
        self.symbols: dict[str, SSAValue] = {}
        self._declare()

    def _argument(self, type: Attribute, attributes: dict[str, Attribute], name: str) -> SSAValue:
        argument = self.block.insert_arg(type, len(self.block.args))
        argument.name_hint = name
        self.arguments.append(DictionaryAttr(attributes))
        return argument

    def _declare(self) -> None:
        kernel = self.kernel
        used = {
            op.expr.data.args[0]: op.result.type
            for op in kernel.apply.walk()
            if isinstance(op, nt.SizeOp)
        }
        for source, share in zip(kernel.sources, kernel.apply.block.args, strict=True):
            decl = source.decl
            scalar = nt.scalar_of(source.result.type)
            attributes: dict[str, Attribute] = {"nt.param": StringAttr(decl.name)}
            if decl.kind == "constexpr":
                continue
            type = tt.PointerType(in_memory(scalar)) if decl.kind == "tensor" else signless(scalar)
            if source.aligned and decl.kind == "tensor":
                attributes["tt.divisibility"] = _SIXTEEN
            if decl.kind == "scalar" and scalar in _UNSIGNED:
                attributes["nt.unsigned"] = UnitAttr()
            self.values[share] = self._argument(type, attributes, decl.name)
            found = [use.operation for use in share.uses]
            if offsets := [op for op in found if isinstance(op, nt.SequencesOp)]:
                assert decl.offsets is not None
                attributes = {"nt.symbol": StringAttr(decl.offsets)}
                pointer = self._argument(offsets[0].result.type, attributes, decl.offsets)
                self.values.update({op.result: pointer for op in offsets})
        for symbol in kernel.declarations:
            if symbol.name in used:
                attributes = {"nt.symbol": StringAttr(symbol.name)}
                if symbol.divisor % 16 == 0:
                    attributes["tt.divisibility"] = _SIXTEEN
                self.symbols[symbol.name] = self._argument(
                    used[symbol.name], attributes, symbol.name
                )

    def add(self, op: Operation) -> SSAValue:
        """Build ``op`` at the current end; its first result."""
        self.insert(op)
        return op.results[0]

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
        """The new values of the results of ``op``."""
        for old, new in zip(op.results, values, strict=True):
            if new.name_hint is None:
                new.name_hint = old.name_hint
            self.values[old] = new

    def convert(self, block: Block) -> None:
        """Build the ops of ``block``."""
        for op in block.ops:
            self.origin = op
            handler = _HANDLERS.get(type(op))
            if handler is not None:
                handler(self, op)
            elif op.name.partition(".")[0] in ("tt", "arith") and not op.regions:
                self.copy(op)
            else:
                raise fail(op, f"{op.name} has no lowering to Triton", CompilerError)

    def copy(self, op: Operation) -> None:
        """Build ``op`` as it is, on the new operands."""
        new = op.clone(dict(self.values))
        new.location = op.location
        self.insert(new)
        self.define(op, *new.results)

    def nested(self, old: Block, types: list[Attribute]) -> Block:
        """``old`` converted, as a block with arguments of ``types``."""
        outer, self.block = self.block, Block(arg_types=types)
        for before, after in zip(old.args, self.block.args, strict=True):
            after.name_hint = before.name_hint
            self.values[before] = after
        self.convert(old)
        inner, self.block = self.block, outer
        return inner

    def finish(self) -> tt.FuncOp:
        """The function."""
        self.origin = self.kernel
        self.insert(tt.ReturnOp())
        kernel = self.kernel
        op = tt.FuncOp(kernel.sym_name.data, Region(self.block), self.arguments)
        op.location = kernel.location
        params = ArrayAttr(nt.ParamAttr(source.decl) for source in kernel.sources)
        assert kernel.grid is not None
        op.attributes = {"nt.params": params, "nt.grid": kernel.grid, "nt.checks": kernel.checks}
        return op


Handler = Callable[[_Function, Any], None]
_HANDLERS: dict[type[Operation], Handler] = {}


def _lowers(kind: type[Operation]) -> Callable[[Handler], Handler]:
    def register(handler: Handler) -> Handler:
        _HANDLERS[kind] = handler
        return handler

    return register


@_lowers(nt.PointerOp)
def _pointer(f: _Function, op: nt.PointerOp) -> None:
    f.values[op.result] = f.value(op.ref)


@_lowers(nt.SequencesOp)
def _sequences(f: _Function, op: nt.SequencesOp) -> None:
    """Its argument was declared with the tensor's."""


@_lowers(nt.SizeOp)
def _size(f: _Function, op: nt.SizeOp) -> None:
    expr = op.expr.data
    argument = f.symbols.get(expr.args[0]) if expr.op == "sym" else None
    if argument is None:
        name = f.kernel.sym_name.data
        raise fail(op, f"{expr} is none of the symbols that kernel {name} declares", CompilerError)
    f.values[op.result] = argument


@_lowers(nt.LoadOp)
def _load(f: _Function, op: nt.LoadOp) -> None:
    """Tensors are loaded by ``nt-lower-accesses``; what is left are numbers, passed by value or
    baked in.
    """
    assert isinstance(op.ref, BlockArgument)
    source = f.kernel.sources[op.ref.index]
    if source.value is None:
        f.values[op.result] = f.value(op.ref)
    else:
        attribute = nt.number(source.value.value.data, signless(op.result.type))
        f.define(op, f.add(arith.ConstantOp(attribute)))


@_lowers(UnrealizedConversionCastOp)
def _bridge(f: _Function, op: UnrealizedConversionCastOp) -> None:
    f.values[op.results[0]] = f.value(op.inputs[0])


@_lowers(nt.FinishOp)
def _finish(f: _Function, op: nt.FinishOp) -> None:
    return None


@_lowers(arith.ConstantOp)
def _constant(f: _Function, op: arith.ConstantOp) -> None:
    type = op.result.type
    if lowered(type) == type:
        f.copy(op)
        return
    known = constant_value(op.result)
    assert known is not None
    f.define(op, f.add(arith.ConstantOp(nt.number(known, lowered(type)))))


@_lowers(nt.FullOp)
def _full(f: _Function, op: nt.FullOp) -> None:
    assert isinstance(op.result.type, nt.TensorType)
    known = constant_value(op.value)
    if known is not None:
        f.define(op, constant(f.add, known, lowered(op.result.type)))
        return
    f.define(op, f.add(tt.SplatOp(f.value(op.value), numbers(op.result.type))))


@_lowers(nt.ArangeOp)
def _arange(f: _Function, op: nt.ArangeOp) -> None:
    assert isinstance(op.result.type, nt.TensorType)
    (length,) = numbers(op.result.type)
    start = op.start.data.value
    if start is None:
        raise fail(op, f"an arange starts at {op.start.data}, which is not known", CompilerError)
    # Triton's ranges end where a power of two is reached from their start.
    row = f.add(tt.MakeRangeOp(0, length))
    if start:
        row = f.add(arith.AddiOp(row, constant(f.add, start, row.type)))
    f.define(op, row)


@_lowers(nt.MapOp)
def _map(f: _Function, op: nt.MapOp) -> None:
    operands = [f.value(argument) for argument in op.arguments]
    unsigned = is_unsigned(op.arguments[-1].type)
    f.define(op, ELEMENTWISE[op.function.data](f.add, unsigned, operands))


@_lowers(nt.CastOp)
def _cast(f: _Function, op: nt.CastOp) -> None:
    source, target = op.value.type, op.result.type
    scalar = signless(nt.scalar_of(target))
    value = f.value(op.value)
    f.define(op, cast(f.add, value, scalar, is_unsigned(source), is_unsigned(target)))


@_lowers(nt.BroadcastOp)
def _broadcast(f: _Function, op: nt.BroadcastOp) -> None:
    assert isinstance(op.result.type, nt.TensorType)
    f.define(op, f.add(tt.BroadcastOp(f.value(op.value), numbers(op.result.type))))


@_lowers(nt.ExpandDimsOp)
def _expand_dims(f: _Function, op: nt.ExpandDimsOp) -> None:
    value = f.value(op.value)
    if not tt.shape_of(value.type):
        f.define(op, f.add(tt.SplatOp(value, [1])))
        return
    f.define(op, f.add(tt.ExpandDimsOp(value, op.dim)))


@_lowers(nt.TransOp)
def _trans(f: _Function, op: nt.TransOp) -> None:
    f.define(op, f.add(tt.TransOp(f.value(op.value), op.dims)))


@_lowers(nt.GatherOp)
def _gather(f: _Function, op: nt.GatherOp) -> None:
    f.define(op, f.add(tt.GatherOp(f.value(op.value), f.value(op.indices), op.dim)))


@_lowers(nt.ReduceOp)
def _reduce(f: _Function, op: nt.ReduceOp) -> None:
    value = f.value(op.value)
    scalar = tt.scalar_of(value.type)
    block = Block(arg_types=[scalar, scalar])

    def insert(inner: Operation) -> SSAValue:
        inner.location = op.location
        block.add_op(inner)
        return inner.results[0]

    combine = ELEMENTWISE[COMBINE[op.function.data]]
    result = combine(insert, is_unsigned(op.value.type), list(block.args))
    terminator = tt.ReduceReturnOp([result])
    terminator.location = op.location
    block.add_op(terminator)
    f.define(op, f.add(tt.ReduceOp([value], op.dim, Region(block))))


@_lowers(nt.DotOp)
def _dot(f: _Function, op: nt.DotOp) -> None:
    a, b, acc = f.value(op.a), f.value(op.b), f.value(op.acc)
    f.define(op, f.add(tt.DotOp(a, b, acc, op.precision.data)))


@_lowers(nt.AddPtrOp)
def _add_pointer(f: _Function, op: nt.AddPtrOp) -> None:
    f.define(op, f.add(tt.AddPtrOp(f.value(op.ptr), f.value(op.offset))))


@_lowers(nt.PointerLoadOp)
def _pointer_load(f: _Function, op: nt.PointerLoadOp) -> None:
    bits = nt.scalar_of(op.result.type) == i1
    mask, other = f.optional(op.mask), f.optional(op.other)
    f.define(op, pointers.load(f.add, f.value(op.ptr), mask, other, bits))


@_lowers(nt.PointerStoreOp)
def _pointer_store(f: _Function, op: nt.PointerStoreOp) -> None:
    f.insert(pointers.store(f.add, f.value(op.ptr), f.value(op.value), f.optional(op.mask)))


@_lowers(nt.AtomicOp)
def _atomic(f: _Function, op: nt.AtomicOp) -> None:
    order = (op.sem.data, op.scope.data)
    unsigned = is_unsigned(op.value.type)
    ptr, value, mask = f.value(op.ptr), f.value(op.value), f.optional(op.mask)
    f.define(op, pointers.atomic(f.add, op.function.data, unsigned, ptr, value, mask, order))


@_lowers(nt.AtomicCasOp)
def _atomic_cas(f: _Function, op: nt.AtomicCasOp) -> None:
    order = (op.sem.data, op.scope.data)
    ptr, compare, value = (f.value(operand) for operand in op.operands)
    f.define(op, pointers.compare_and_swap(f.add, ptr, compare, value, order))


@_lowers(scf.YieldOp)
def _yield(f: _Function, op: scf.YieldOp) -> None:
    f.insert(scf.YieldOp(*(f.value(value) for value in op.arguments)))


@_lowers(scf.ForOp)
def _for(f: _Function, op: scf.ForOp) -> None:
    old = op.body.block
    block = f.nested(old, [lowered(argument.type) for argument in old.args])
    f.origin = op
    lower, upper, step = (f.value(value) for value in (op.lb, op.ub, op.step))
    initial = [f.value(value) for value in op.iter_args]
    new = scf.ForOp(lower, upper, step, initial, Region(block))
    new.attributes.update(op.attributes)
    f.insert(new)
    f.define(op, *new.results)


@_lowers(scf.IfOp)
def _if(f: _Function, op: scf.IfOp) -> None:
    one, two = (Region(f.nested(region.block, [])) for region in op.regions)
    f.origin = op
    types = [lowered(result.type) for result in op.results]
    new = scf.IfOp(f.value(op.cond), types, one, two)
    f.insert(new)
    f.define(op, *new.results)


@dataclass(frozen=True)
class LowerToTtPass(ModulePass):
    """Kernels become device functions."""

    name: ClassVar[str] = "nt-lower-to-tt"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in list(op.body.ops):
            if isinstance(kernel, nt.KernelOp):
                function = _Function(kernel)
                function.convert(kernel.apply.block)
                op.body.block.insert_op_before(function.finish(), kernel)
                op.body.block.erase_op(kernel)
