"""The arguments that a kernel takes, read from its module in any stage, and shapes for them.

Shapes that are not given are found: of about as many elements for each tensor, and such that what
the kernel checks of a call holds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Attribute

from ninetoothed.backend.device_function import (
    argument_attributes,
    checks,
    declarations,
    device_function,
    padded_sizes,
    params,
)
from ninetoothed.backend.launch_source import reads_writes
from ninetoothed.errors import ArgumentError
from ninetoothed.ir import nt, tt
from ninetoothed.passes.analysis.writes import writes
from ninetoothed.symbolic.expr import IndexExpr, binary, const, evaluate, sym, symbol_names
from ninetoothed.symbolic.intervals import Assumptions, Range, bounds
from ninetoothed.verification.sizes import SizeSampler

_ELEMENTS = 1 << 14
"""Elements of a tensor whose shape is not given, about."""
_LARGEST = 1000
_OTHERS = (64, 32, 16, 8, 4, 2, 1)
"""Sizes that are tried where those are not allowed."""
_GIVEN = ("meta", "constexpr")
_NOT_READ = ("nt.store", "nt.stored", "nt.guard", "nt.dim", "nt.offsets")

Shapes = Mapping[str, tuple[int, ...]]
"""Shapes by parameter."""


@dataclass(frozen=True)
class KernelArguments:
    """The parameters of a kernel with their element types, in launch order; the values of those
    that are baked in; the names of those it ``reads`` and ``writes``; the ``checks`` of a call;
    the ranges of symbols, and those whose value no tensor's shape gives; what passes rely on: what
    divides symbols, and the most that sizes of blocks are padded to; the width of the offsets of
    jagged tensors.
    """

    params: tuple[nt.Param, ...]
    dtypes: tuple[str, ...]
    baked: Mapping[str, int | float]
    reads: frozenset[str]
    writes: frozenset[str]
    checks: tuple[nt.Check, ...]
    assumptions: Assumptions
    unbound: tuple[str, ...] = ()
    divisors: Mapping[str, int] = field(default_factory=dict[str, int])
    padding: Mapping[IndexExpr, int] = field(default_factory=dict[IndexExpr, int])
    offset_bits: Mapping[str, int] = field(default_factory=dict[str, int])

    @property
    def equal(self) -> Iterator[tuple[IndexExpr, IndexExpr]]:
        """What is checked to be equal."""
        for check in self.checks:
            yield from zip(check.left, check.right, strict=True)

    @property
    def tensors(self) -> tuple[nt.Param, ...]:
        """The parameters that are tensors."""
        return tuple(param for param in self.params if param.kind == "tensor")


def kernel_arguments(module: ModuleOp) -> KernelArguments:
    """The arguments of the only kernel of a module in any stage.

    Raises:
        ArgumentError: a module of one kernel is needed.
    """
    kernels = [op for op in module.body.block.ops if isinstance(op, nt.KernelOp | tt.FuncOp)]
    if len(kernels) != 1:
        raise ArgumentError(f"a module of one kernel can be run, not of {len(kernels)}")
    kernel = kernels[0]
    return _of_kernel(kernel) if isinstance(kernel, nt.KernelOp) else _of_function(module)


def _of_kernel(kernel: nt.KernelOp) -> KernelArguments:
    sources = kernel.sources
    names = [source.param.data for source in sources]
    read = {
        name
        for name, argument in zip(names, kernel.apply.block.args, strict=True)
        if any(use.operation.name not in _NOT_READ for use in argument.uses)
    }
    return KernelArguments(
        tuple(source.decl for source in sources),
        tuple(_dtype(source.result.type) for source in sources),
        {source.param.data: source.value.value.data for source in sources if source.value},
        frozenset(read),
        frozenset(names[write.param] for write in writes(kernel)),
        tuple(check.data for check in kernel.checks),
        kernel.assumptions,
        tuple(decl.name for decl in kernel.declarations if decl.kind in _GIVEN),
        kernel.divisors,
        kernel.padding,
        {source.param.data: source.jagged.data.bits for source in sources if source.jagged},
    )


def _of_function(module: ModuleOp) -> KernelArguments:
    function = device_function(module)
    types: dict[str, str] = {}
    offsets: dict[str, str] = {}
    for argument, attributes in zip(
        function.body.block.args, argument_attributes(function), strict=True
    ):
        param, symbol = attributes.get("nt.param"), attributes.get("nt.symbol")
        type = argument.type
        dtype = _dtype(tt.pointee_of(type) if isinstance(type, tt.PointerType) else type)
        if isinstance(param, StringAttr):
            if "nt.element_type" in attributes:
                dtype = _dtype(attributes["nt.element_type"])
            elif "nt.unsigned" in attributes:
                dtype = dtype.replace("i", "u")
            types[param.data] = dtype
        elif isinstance(symbol, StringAttr):
            offsets[symbol.data] = dtype
    read, written = reads_writes(module)
    declared, restricted = params(function), declarations(function)
    sizes = {name for param in declared for size in param.sizes for name in symbol_names(size)}
    return KernelArguments(
        declared,
        # What is no argument is neither read nor written.
        tuple(types.get(param.name, "i32") for param in declared),
        {param.name: 0 for param in declared if param.kind == "constexpr"},
        frozenset(read),
        frozenset(written),
        checks(function),
        {name: Range.of(0) for name in sizes} | {decl.name: decl.range for decl in restricted},
        divisors={decl.name: decl.divisor for decl in restricted},
        padding=padded_sizes(function),
        offset_bits={
            param.name: 32 if offsets.get(param.offsets) == "i32" else 64
            for param in declared
            if param.offsets is not None
        },
    )


def _dtype(type: Attribute) -> str:
    try:
        return nt.dtype_of(tt.scalar_of(type))
    except KeyError:
        raise ArgumentError(f"an argument of type {type} cannot be run") from None


def find_shapes(arguments: KernelArguments, given: Shapes, constants: Mapping[str, int]) -> Shapes:
    """A shape for every tensor; those that are ``given`` as they are.

    Raises:
        ArgumentError: a shape does not fit the kernel, or no others go with those given.
    """
    known = dict(constants)
    for param in arguments.tensors:
        shape = given.get(param.name)
        if shape is None:
            continue
        if len(shape) != len(param.sizes):
            raise ArgumentError(
                f"{param.name} must be a tensor of {len(param.sizes)} dims, not {len(shape)}"
            )
        for size, number in zip(param.sizes, shape, strict=True):
            if size.op == "sym":
                known.setdefault(size.args[0], number)
    _propagate(arguments, known)
    groups = _groups(arguments, known)
    sizes = [_size(group, arguments) for group in groups]
    symbols = known.keys() | {name for group in groups for name in group}
    # What else there is, a call decides; offsets of jagged tensors are such.
    equal = [pair for pair in arguments.equal if symbols.issuperset(symbol_names(*pair))]
    # Those that are given, too: tensors are often as large as others.
    others = (*dict.fromkeys(number for shape in given.values() for number in shape), *_OTHERS)
    candidates = [tuple(dict.fromkeys((size, *others))) for size in sizes]
    found: dict[str, int] | None = known
    if groups:
        longest = max(map(len, candidates))
        padded = [(*row, *(row[-1:] * (longest - len(row)))) for row in candidates]
        sampler = SizeSampler(groups, padded, equal, _room(arguments), known=known)
        tried = (sampler.sample(0, start) for start in range(longest))
        found = next((sizes for sizes in tried if sizes is not None), None)
    if found is None and not groups:
        found = known
    if found is None:
        raise ArgumentError(
            "no shapes were found that the kernel takes"
            + (" beside those given" if given else "")
            + "; give them, as in --shape x=128x64"
        )
    shapes = {
        param.name: given.get(param.name) or tuple(_number(size, found) for size in param.sizes)
        for param in arguments.tensors
    }
    _check(arguments, {**_strides(arguments, shapes), **found})
    return shapes


def _room(arguments: KernelArguments) -> Assumptions:
    """The ranges of symbols, no larger than what blocks are padded to."""
    found = dict(arguments.assumptions)
    for size, most in arguments.padding.items():
        if size.op == "sym":
            known = found.get(size.args[0], Range.of(0))
            found[size.args[0]] = Range(
                known.lower, binary("min", known.upper or const(most), const(most))
            )
    return found


def _strides(arguments: KernelArguments, shapes: Shapes) -> dict[str, int]:
    """The strides of the tensors, which are contiguous."""
    found: dict[str, int] = {}
    for param in arguments.tensors:
        shape = shapes[param.name]
        for dim, stride in enumerate(param.strides):
            # Where there is one element, any stride will do; others depend on the sequences.
            if stride.op == "sym" and shape[dim] > 1 and dim >= (param.jagged_dim or 0):
                found.setdefault(stride.args[0], math.prod(shape[dim + 1 :]))
    return found


def _check(arguments: KernelArguments, symbols: Mapping[str, int]) -> None:
    """Check the sizes of a call, and what passes rely on.

    Raises:
        ArgumentError: it does not hold.
    """
    for check in arguments.checks:
        if symbols.keys() >= {*symbol_names(*check.left, *check.right)}:
            left, right = (
                tuple(evaluate(size, symbols) for size in side)
                for side in (check.left, check.right)
            )
            if left != right:
                raise ArgumentError(check.message.format(left=left, right=right))
    for name in _bound(arguments):
        if name not in symbols:
            continue
        is_for = f"{name} is {symbols[name]}, and the module is for"
        if symbols[name] % arguments.divisors.get(name, 1):
            raise ArgumentError(f"{is_for} multiples of {arguments.divisors[name]}")
        least, most = bounds(sym(name), arguments.assumptions)
        if least is not None and symbols[name] < least:
            raise ArgumentError(f"{is_for} at least {least}")
        if most is not None and symbols[name] > most:
            raise ArgumentError(f"{is_for} at most {most}")
    for size, most in arguments.padding.items():
        if symbols.keys() >= {*symbol_names(size)} and evaluate(size, symbols) > most:
            raise ArgumentError(
                f"{size} is {evaluate(size, symbols)}, and the module is for at most {most}, to "
                "which its blocks are padded"
            )


def _bound(arguments: KernelArguments) -> Iterator[str]:
    """The symbols that tensors' sizes and strides give."""
    exprs = (expr for param in arguments.tensors for expr in (*param.sizes, *param.strides))
    yield from dict.fromkeys(expr.args[0] for expr in exprs if expr.op == "sym")


def _propagate(arguments: KernelArguments, known: dict[str, int]) -> None:
    """Add the symbols that are checked to be equal to what is known."""
    while True:
        count = len(known)
        for pair in arguments.equal:
            for size, other in (pair, pair[::-1]):
                if size.op == "sym" and known.keys() >= {*symbol_names(other)}:
                    known.setdefault(size.args[0], evaluate(other, known))
        if len(known) == count:
            return


def _number(size: IndexExpr, symbols: Mapping[str, int]) -> int:
    missing = [name for name in symbol_names(size) if name not in symbols]
    if missing:
        raise ArgumentError(f"the value of {missing[0]} is not known; give it with --set")
    return evaluate(size, symbols)


def _groups(arguments: KernelArguments, known: Mapping[str, int]) -> list[list[str]]:
    """The symbols of sizes that are not known, those together that must be equal."""
    names = {
        name: None
        for param in arguments.tensors
        for size in param.sizes
        for name in symbol_names(size)
        if name not in known
    }
    groups = [[name] for name in names]
    for left, right in arguments.equal:
        one, other = (
            next((group for group in groups if not {*group}.isdisjoint(symbol_names(side))), None)
            for side in (left, right)
        )
        if (
            one is not None
            and other is not None
            and one is not other
            and {left.op, right.op} == {"sym"}
        ):
            one.extend(other)
            groups.remove(other)
    return groups


def _size(group: Sequence[str], arguments: KernelArguments) -> int:
    """A size with which the tensors that have it are of about as many elements."""
    ranks = [
        len(param.sizes)
        for param in arguments.tensors
        if any(not {*group}.isdisjoint(symbol_names(size)) for size in param.sizes)
    ]
    return min(_LARGEST, round(_ELEMENTS ** (1 / max([*ranks, 1]))))
