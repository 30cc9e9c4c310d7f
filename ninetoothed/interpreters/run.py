"""Run a kernel: bind arguments to symbols, and execute the programs in chunks, in order."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

import torch
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, ModuleOp, StringAttr
from xdsl.ir import Attribute, BlockArgument, SSAValue
from xdsl.ir import Block as IRBlock

from ninetoothed import config
from ninetoothed.artifacts.reciprocals import PARTS
from ninetoothed.calls.autograd import increment, mark_written
from ninetoothed.calls.sequences import Jagged, Offsets, elements_of
from ninetoothed.errors import ArgumentError, CheckError, CompilerError
from ninetoothed.interpreters import (
    accesses,
    addresses,
    arith_ops,
    casts,
    control,
    debug,
    descriptors,
    dot,
    extern,
    nt_ops,
    pointers,
    reductions,
    shapes,
    tt_ops,
)
from ninetoothed.interpreters.chains import access_of
from ninetoothed.interpreters.element_types import attribute_value, element_of
from ninetoothed.interpreters.jagged import Sequences
from ninetoothed.interpreters.machine import Block, Descriptor, Machine, Planner, Pointer, Value
from ninetoothed.interpreters.memory import Memory, View, packed_memory, scratch_memory
from ninetoothed.interpreters.trace import Trace
from ninetoothed.ir import nt, tt
from ninetoothed.ir.scf import loop_over_programs
from ninetoothed.symbolic.expr import IndexExpr, evaluate, sym

Argument = torch.Tensor | Jagged | int | float | bool

_OF_TILES = (nt.LoadOp, nt.StoreOp, nt.StoredOp, nt.GuardOp, nt.OffsetsOp)
"""Ops that address all lanes of a tile."""

_MOST_LANES = 1 << 20
"""Lanes of a chunk of several programs: blocks that stay in the caches, and in memory that the
process has, are several times as fast as those for which the system has to find pages.
"""

GROUPS = (
    *(accesses, addresses, arith_ops, casts, control, debug, extern, reductions, nt_ops, pointers),
    *(descriptors, dot, shapes, tt_ops),
)
"""The modules of handlers."""


def launch(
    module: ModuleOp,
    values: Sequence[Argument],
    constants: Mapping[str, int],
    trace: Trace | None = None,
    written: Sequence[int] = (),
) -> None:
    """Run the only kernel of ``module`` in place (see ``interpret``)."""
    kernels = [op for op in module.body.block.ops if isinstance(op, nt.KernelOp | tt.FuncOp)]
    if len(kernels) != 1:
        raise CompilerError(f"a module of one kernel can be interpreted, not of {len(kernels)}")
    kernel = kernels[0]
    # As GPU kernels do, write to tensors that require gradients and to inference tensors alike.
    changed = [values[place] for place in written]
    with torch.inference_mode():
        if isinstance(kernel, nt.KernelOp):
            _launch_kernel(kernel, values, constants, trace, changed)
        else:
            _launch_function(kernel, values, constants, trace, changed)


def number(expr: IndexExpr, symbols: Mapping[str, Any]) -> int:
    """The value of an expression.

    Raises:
        ArgumentError: a symbol has none, or it divides by zero.
    """
    try:
        return evaluate(expr, symbols)
    except ZeroDivisionError:
        raise ArgumentError(
            f"{expr} divides by zero with the values of this call; give others"
        ) from None
    except KeyError as missing:
        raise ArgumentError(
            f"the value of {missing.args[0]} follows from no tensor; pass it by name"
        ) from None


def bind(
    params: Sequence[nt.Param], values: Sequence[Argument], constants: Mapping[str, int]
) -> dict[str, int]:
    """The symbols' values: ``constants``, and the arguments' sizes and strides.

    Raises:
        ArgumentError: an argument does not fit its parameter.
    """
    if len(params) != len(values):
        names = ", ".join(param.name for param in params)
        raise ArgumentError(
            f"the kernel takes {len(params)} arguments ({names}), and {len(values)} were given"
        )
    symbols = dict(constants)
    bound: list[tuple[str, IndexExpr, int]] = []
    unused: list[tuple[IndexExpr, int]] = []
    for param, value in zip(params, values, strict=True):
        if param.kind != "tensor":
            if isinstance(value, torch.Tensor | Jagged):
                raise ArgumentError(f"{param.name} is a number; pass {param.name}.item()")
            continue
        is_tensor = isinstance(value, torch.Tensor | Jagged)
        if not is_tensor or value.dim() != len(param.sizes):
            given = f"a tensor of {value.dim()}" if is_tensor else "a number"
            raise ArgumentError(
                f"{param.name} must be a tensor of {len(param.sizes)} dims, not {given}"
            )
        if isinstance(value, Jagged) != (param.offsets is not None):
            raise ArgumentError(
                f"{param.name} must {'be' if param.offsets else 'not be'} a jagged tensor, taken "
                "apart by ninetoothed.calls.arguments.bind"
            )
        for dim, (size, stride) in enumerate(zip(param.sizes, param.strides, strict=True)):
            bound.append((f"size {dim} of {param.name}", size, value.shape[dim]))
            if value.shape[dim] > 1 and value.numel() > 0:
                bound.append((f"stride {dim} of {param.name}", stride, value.stride(dim)))
            else:
                # No element is a stride away from another: any stride will do.
                unused.append((stride, value.stride(dim)))
    for expr, actual in [(expr, actual) for _, expr, actual in bound] + unused:
        if expr.op == "sym":
            symbols.setdefault(expr.args[0], actual)
    for param, value in zip(params, values, strict=True):
        if isinstance(value, int):
            symbols.setdefault(param.name, int(value))
    for what, expr, actual in bound:
        expected = number(expr, symbols)
        if expected != actual:
            must = str(expected) if expr.value is not None else f"{expr}, here {expected}"
            raise ArgumentError(f"{what} is {actual}; it must be {must}")
    return symbols


def _check(
    checks: Iterable[Attribute],
    symbols: Mapping[str, int],
    params: Sequence[nt.Param],
    values: Sequence[Argument],
) -> None:
    """Check the sizes of a call.

    Raises:
        CheckError: they do not fit one another.
    """
    known: dict[str, Any] = {**symbols, **_offsets(params, values)}
    found = [attribute.data for attribute in checks if isinstance(attribute, nt.CheckAttr)]
    first = next(filter(None, (_failure(check, known) for check in found)), None)
    if first is None:
        return
    try:
        failing = [check for check in found if not check.defined and _failure(check, known)]
        disagree = bool(failing) and all(check.agreement for check in failing)
        undefined = not failing
    except ArgumentError:
        # What other checks ask for is not given.
        disagree = undefined = False
    raise CheckError(first, disagree, undefined)


def _failure(check: nt.Check, known: Mapping[str, Any]) -> str | None:
    """The message of a check that fails, or None."""
    left, right = (
        tuple(number(expr, known) for expr in side) for side in (check.left, check.right)
    )
    return None if left == right else check.message.format(left=left, right=right)


def _offsets(params: Sequence[nt.Param], values: Sequence[Argument]) -> dict[str, Offsets]:
    """The offsets of jagged tensors, by their symbols."""
    return {
        param.offsets: value.offsets
        for param, value in zip(params, values, strict=True)
        if param.offsets is not None and isinstance(value, Jagged)
    }


def _launch_kernel(
    kernel: nt.KernelOp,
    values: Sequence[Argument],
    constants: Mapping[str, int],
    trace: Trace | None,
    changed: Sequence[Argument],
) -> None:
    params = [source.decl for source in kernel.sources]
    symbols = bind(params, values, constants)
    # Blocks have room for the longest sequence.
    longest = {name: number(size, symbols) for name, size in kernel.longest.items()}
    _check(kernel.checks, {**symbols, **longest}, params, values)
    views: dict[SSAValue, View] = {}
    sequences: dict[SSAValue, Sequences] = {}
    sizes: list[int] | None = None
    for argument, arranged, value in zip(
        kernel.apply.block.args, kernel.arranged.values, values, strict=True
    ):
        source, access = access_of(arranged, symbols)
        views[argument] = _view(source, access, value, symbols)
        if source.jagged is not None and isinstance(value, Jagged):
            batch, outer = nt.batch_index(access.data), access.names[0]
            tensor = value.offsets.tensor
            sequences[argument] = Sequences(source.jagged.data, batch, outer, tensor)
        if sizes is None and source.kind.data == "tensor":
            sizes = [max(number(size, symbols), 0) for size in access.data.levels[0]]
    sizes = sizes or []
    count = math.prod(sizes) if kernel.grid is None else number(kernel.grid.data, symbols)
    planner = Planner()
    block = kernel.apply.block
    count = _launched(block, count)
    symbols.update(longest)
    scratch: dict[str, Memory] = {}
    for programs in _chunks(count, _lanes(block, symbols), changed):
        outer = nt_ops.unravel(programs, sizes)
        machine = Machine(planner, symbols, programs, outer, views, sequences=sequences)
        machine.trace, machine.count, machine.scratch = trace, count, scratch
        machine.run(block)


def _view(
    source: nt.SourceOp, access: nt.AccessAttr, value: Argument, symbols: Mapping[str, int]
) -> View:
    name, element = source.param.data, element_of(source.result.type)
    place: Memory | torch.Tensor
    if source.value is not None:
        place = element.number(attribute_value(source.value))
    elif isinstance(value, torch.Tensor | Jagged):
        if value.dtype != element.own:
            raise ArgumentError(f"{name} must be a tensor of {element.own}, not of {value.dtype}")
        place = Memory(name, elements_of(value))
        if source.packed is not None:
            place = _packed(name, value, source.strides, symbols)
    else:
        place = element.number(value)
    names = access.names
    return View(
        element,
        place,
        access.data,
        tuple(number(stride, symbols) for stride in source.strides.data),
        names[0],
        tuple(name for level in names[1:-1] for name in level),
        names[-1] if len(names) > 1 else (),
        tuple(number(size, symbols) for size in access.data.levels[-1]) if len(names) > 1 else (),
        None if source.jagged is None else source.jagged.data,
    )


def _entries(function: tt.FuncOp, name: str) -> Sequence[Attribute]:
    found = function.attributes.get(name)
    return cast("ArrayAttr[Attribute]", found).data if isinstance(found, ArrayAttr) else ()


def _launch_function(
    function: tt.FuncOp,
    values: Sequence[Argument],
    constants: Mapping[str, int],
    trace: Trace | None,
    changed: Sequence[Argument],
) -> None:
    grid = function.attributes["nt.grid"]
    assert isinstance(grid, nt.ExprAttr)
    params: list[nt.Param] = []
    for attribute in _entries(function, "nt.params"):
        assert isinstance(attribute, nt.ParamAttr)
        params.append(attribute.data)
    symbols = bind(params, values, constants)
    _check(_entries(function, "nt.checks"), symbols, params, values)
    offsets = _offsets(params, values)
    given = {param.name: value for param, value in zip(params, values, strict=True)}
    block = function.body.block
    attributes = function.arg_attrs.data if function.arg_attrs is not None else ()
    memories: dict[str, Memory] = {}
    count = _launched(block, number(grid.data, symbols))
    arguments = [
        _scratch_argument(argument, about, count)
        if "nt.scratch" in about.data
        else _argument(argument, about, given, symbols, offsets, memories)
        for argument, about in zip(block.args, attributes, strict=True)
    ]
    planner = Planner()
    descriptors = _descriptors(block, arguments)
    for programs in _chunks(count, _lanes(block, symbols), changed):
        machine = Machine(planner, symbols, programs, trace=trace, count=count)
        machine.descriptors.update(descriptors)
        machine.run(block, arguments)


def _argument(
    argument: BlockArgument,
    about: DictionaryAttr,
    given: Mapping[str, Argument],
    symbols: Mapping[str, int],
    offsets: Mapping[str, Offsets],
    memories: dict[str, Memory],
) -> Value:
    """An argument of the device function: a pointer, a number, or a symbol's value; for a
    descriptor, the pointer to where its tensor begins.
    """
    symbol = about.data.get("nt.symbol")
    if isinstance(symbol, StringAttr) and symbol.data in offsets:
        memory = Memory(symbol.data, offsets[symbol.data].tensor, hidden=True)
        return Pointer(memory, torch.zeros(1, dtype=torch.int64))
    if isinstance(symbol, StringAttr):
        found, divisor = number(sym(symbol.data), symbols), about.data.get("tt.divisibility")
        if isinstance(divisor, IntegerAttr) and found % divisor.value.data:
            raise ArgumentError(
                f"{symbol.data} is {found}, and the module is for multiples of {divisor.value.data}"
            )
        return Block(element_of(argument.type).number(found))
    part, divisor = about.data.get("nt.reciprocal"), about.data.get("nt.divisor")
    if isinstance(part, StringAttr) and isinstance(divisor, nt.ExprAttr):
        found = PARTS[part.data](number(divisor.data, symbols))
        return Block(element_of(argument.type).number(found))
    if isinstance(made := about.data.get("nt.number"), nt.ExprAttr):
        return Block(element_of(argument.type).number(number(made.data, symbols)))
    param = about.data.get("nt.descriptor") or about.data["nt.param"]
    assert isinstance(param, StringAttr)
    value = given[param.data]
    if not isinstance(value, torch.Tensor | Jagged):
        return Block(element_of(argument.type).number(value))
    type: Attribute = argument.type
    is_descriptor = isinstance(type, tt.TensorDescType)
    pointee = element_of(tt.scalar_of(type.box) if is_descriptor else tt.pointee_of(type))
    if value.dtype.itemsize != pointee.memory.itemsize:
        raise ArgumentError(f"{param.data} must be a tensor of {pointee.own}, not of {value.dtype}")
    packed = about.data.get("nt.packed")
    if isinstance(packed, nt.ExprsAttr):
        memory = memories.setdefault(
            f"{param.data} packed", _packed(param.data, value, packed, symbols)
        )
    else:
        memory = memories.setdefault(param.data, Memory(param.data, elements_of(value)))
    return Pointer(memory, torch.zeros(1, dtype=torch.int64))


def _packed(
    name: str, value: Argument, strides: nt.ExprsAttr, symbols: Mapping[str, int]
) -> Memory:
    """A parameter's packed copy, which a launch makes before the kernel runs."""
    assert isinstance(value, torch.Tensor)
    return packed_memory(name, value, [number(stride, symbols) for stride in strides.data])


def _descriptors(block: IRBlock, arguments: Sequence[Value]) -> dict[SSAValue, Descriptor]:
    """The descriptors among arguments: pointers, which the sizes and strides are behind."""
    found: dict[SSAValue, Descriptor] = {}
    for place, (argument, base) in enumerate(zip(block.args, arguments, strict=True)):
        if isinstance(argument.type, tt.TensorDescType) and isinstance(base, Pointer):
            dims = len(tt.shape_of(argument.type.box))
            row = arguments[place + 1 : place + 1 + 2 * dims]
            numbers = [one.data for one in row if isinstance(one, Block)]
            found[argument] = Descriptor(base, numbers[:dims], numbers[dims:])
    return found


def _scratch_argument(argument: BlockArgument, about: DictionaryAttr, programs: int) -> Value:
    """A pointer to scratch memory."""
    name, count = about.data["nt.scratch"], about.data["nt.count"]
    assert isinstance(name, StringAttr)
    assert isinstance(count, IntegerAttr)
    element, size = element_of(tt.pointee_of(argument.type)), max(programs, 0) * count.value.data
    memory = scratch_memory(name.data, element, size, "nt.zeroed" in about.data)
    return Pointer(memory, torch.zeros(1, dtype=torch.int64))


def _launched(block: IRBlock, programs: int) -> int:
    """How many programs do the work of ``programs``: of persistent ones fewer, of which each has
    that of two or three, and some have less than others.
    """
    return programs if loop_over_programs(block) is None else -(-2 * programs // 5)


def _chunks(count: int, lanes: int, changed: Sequence[Argument]) -> Iterator[torch.Tensor]:
    """Chunks of programs, as large as the bounds on lanes allow, which write ``changed``."""
    if count > 0:
        # Before them: a program that fails may have written.
        for value in changed:
            mark_written(value, increment())
    size = max(min(config.interpret_lanes(), _MOST_LANES) // max(lanes, 1), 1)
    for start in range(0, count, size):
        yield torch.arange(start, min(start + size, count))


def _lanes(block: IRBlock, symbols: Mapping[str, int]) -> int:
    """The lanes of the largest block of an application."""
    found = [1]
    seen: set[Attribute] = set()

    def visit(values: Iterable[SSAValue]) -> None:
        for value in values:
            if value.type not in seen:
                seen.add(value.type)
                found.append(_lanes_of(value.type, symbols))

    for op in block.walk():
        # Of tiles that are only indexed, no block is ever there.
        visit([op.ref] if isinstance(op, _OF_TILES) else ())
        visit(op.results)
        for region in op.regions:
            for inner in region.blocks:
                visit(inner.args)
    return max(found)


def _lanes_of(type: Attribute, symbols: Mapping[str, int]) -> int:
    if isinstance(type, nt.TensorType):
        return math.prod(number(size, symbols) for size in type.levels[-1].sizes)
    return math.prod(tt.shape_of(type))
