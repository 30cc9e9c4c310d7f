"""Build a kernel's module in dialect ``nt``, for one signature."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from xdsl.dialects.builtin import ArrayAttr, ModuleOp
from xdsl.ir import Block, BlockArgument, Region, SSAValue

# The handlers register themselves.
import ninetoothed.frontend.calls  # pyright: ignore[reportUnusedImport]
import ninetoothed.frontend.loops  # pyright: ignore[reportUnusedImport]
import ninetoothed.frontend.statements  # noqa: F401  # pyright: ignore[reportUnusedImport]
from ninetoothed.artifacts.signature import ParamSignature, Signature
from ninetoothed.definition.definition import Definition
from ninetoothed.errors import Loc, NineToothedError, collect_warnings, warn
from ninetoothed.frontend.arrangement import arrange, check_constants, declarations, view
from ninetoothed.frontend.context import Context
from ninetoothed.frontend.frame import Frame
from ninetoothed.frontend.name_resolution import constant, held_object
from ninetoothed.frontend.size_decisions import decision_checks
from ninetoothed.frontend.values import Value, View
from ninetoothed.frontend.walk import execute
from ninetoothed.ir import nt
from ninetoothed.ir.locations import location
from ninetoothed.ir.name_hints import hint
from ninetoothed.layout.lifting import batch_sizes
from ninetoothed.layout.meta_op import Sizes
from ninetoothed.symbolic.choices import choices_between


def build_module(
    definition: Definition, signature: Signature, blocks: Mapping[str, int] = MappingProxyType({})
) -> ModuleOp:
    """The module of a kernel whose parameters have the signature's types.

    ``blocks`` are values of block sizes, for applications that specialize on them; each that is
    not given has its least value. The kernel's symbols state which the application specialized on.

    Raises:
        NineToothedError: the application is wrong; at its place.
    """
    constants = dict(signature.constants)
    check_constants(definition, constants)
    declared = declarations(definition, constants)
    choices = {
        name: tuple(choices_between(info.lower, info.upper))
        for name, info in definition.meta.items()
    }
    unrolled: frozenset[Loc] = frozenset()
    while True:
        ctx = Context(
            signature.index_bits,
            {decl.name: decl.range for decl in declared},
            constants,
            {name: blocks.get(name, values[0]) for name, values in choices.items()},
            unrolled,
            choices,
        )
        with collect_warnings() as warnings:
            try:
                module = _built(ctx, definition, signature, declared)
            except NineToothedError:
                if ctx.wanted <= unrolled:
                    raise
                # Once more, with the loops unrolled of whose variables a number is needed.
                unrolled |= ctx.wanted
                ctx.printed.clear()
                continue
            finally:
                print(*ctx.printed, sep="", end="")
        for warning in dict.fromkeys(warnings):
            warn(warning)
        return module


def _built(
    ctx: Context,
    definition: Definition,
    signature: Signature,
    declared: Sequence[nt.SymbolDecl],
) -> ModuleOp:
    """The module, built once."""
    ctx.checks += decision_checks(definition.size_decisions)
    ctx.lengths = frozenset(
        parameter.jagged.length for parameter in definition.parameters if parameter.jagged
    )
    params = signature.params
    ctx.has_doubles = any(one.kind == "tensor" and one.dtype == "fp64" for one in params)
    arrangement = arrange(definition, params)
    node = definition.application.node
    entry = ctx.block
    values: dict[str, Value] = {}
    ctx.batches = batch_sizes([parameter.source for parameter in definition.parameters])
    for parameter, (param, argument, value) in zip(
        definition.parameters, _arguments(params, arrangement, entry), strict=True
    ):
        source, _ = nt.chain(value)
        if param.kind == "constexpr":
            values[param.name] = param.value
        else:
            values[param.name] = View(
                param.name,
                argument,
                value,
                source.other,
                by_value=param.kind == "scalar",
                batches=parameter.source.batches,
            )
    views = {name: value for name, value in values.items() if isinstance(value, View)}
    numbers = frozenset(name for name, value in views.items() if value.by_value)
    frame = Frame(definition.application, values, parameters=frozenset(views) - numbers)
    frame.numbers = numbers
    ctx.numbers = frozenset(views[name].ref for name in numbers)
    ctx.frames.append(frame)
    _fix(ctx, definition)
    frame.constants = frozenset(values) - frozenset(views)
    execute(ctx, node.body)
    with ctx.at(node):
        ctx.insert(nt.ReturnOp())
    symbols = [replace(decl, specialized=ctx.specialized.get(decl.name)) for decl in declared]
    kernel = nt.KernelOp(definition.name, symbols, Region(arrangement), Region(entry))
    # Of checks of the same sizes the first is kept: its message names the first place.
    checks: dict[tuple[Sizes, Sizes], nt.CheckAttr] = {}
    for check in ctx.checks:
        checks.setdefault((check.data.left, check.data.right), check)
    kernel.checks = ArrayAttr(checks.values())
    kernel.location = location(ctx.place(node))
    return ModuleOp([kernel])


def _fix(ctx: Context, definition: Definition) -> None:
    """Add the values of parameters that no tensor is arranged for.

    Raises:
        TypeMismatchError: one is no value of the language; at its parameter.
    """
    frame = ctx.frame
    frame.receiver = definition.values.get(definition.receiver or "")
    arguments = frame.source.node.args
    for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        name = argument.arg
        if name in definition.values:
            with ctx.at(argument):
                value = definition.values[name]
                is_object = name == definition.receiver
                found = held_object(value) if is_object else constant(ctx, name, value)
                frame.locals[name] = found


def build_arrangement(definition: Definition, signature: Signature) -> ModuleOp:
    """The module of a kernel with an application that does nothing."""
    arrangement = arrange(definition, signature.params)
    entry = Block()
    for _ in _arguments(signature.params, arrangement, entry):
        pass
    entry.add_op(nt.ReturnOp())
    declared = declarations(definition, dict(signature.constants))
    return ModuleOp([nt.KernelOp(definition.name, declared, Region(arrangement), Region(entry))])


def _arguments(
    params: Sequence[ParamSignature], arrangement: Block, entry: Block
) -> Iterator[tuple[ParamSignature, BlockArgument, SSAValue]]:
    """Add an argument to the application for each parameter: the view of its arranged value."""
    arranged = arrangement.last_op
    assert isinstance(arranged, nt.ArrangedOp)
    for param, value in zip(params, arranged.values, strict=True):
        argument = entry.insert_arg(view(value), len(entry.args))
        hint(argument, param.name)
        yield param, argument, value
