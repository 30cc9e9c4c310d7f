"""Arranged tensors as ops of dialect ``nt``."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from xdsl.ir import Block, SSAValue

from ninetoothed.artifacts.signature import ParamSignature
from ninetoothed.definition.definition import ArrangedParameter, Definition
from ninetoothed.dtype import DTYPES
from ninetoothed.errors import ArrangementError, TypeMismatchError
from ninetoothed.ir import nt
from ninetoothed.ir.locations import location
from ninetoothed.ir.name_hints import hint
from ninetoothed.language import rules
from ninetoothed.layout.emptiness import emptied
from ninetoothed.layout.meta_op import Levels, mapped
from ninetoothed.symbolic.decisions import bad_divisor
from ninetoothed.symbolic.expr import IndexExpr, substitute, substitution, symbols


def declarations(definition: Definition, constants: Mapping[str, int]) -> list[nt.SymbolDecl]:
    """The kernel's symbols: sizes and strides in launch order, then constexpr and meta symbols.

    Bounds of constexpr symbols are widened to their values among ``constants``.
    """
    found: dict[str, nt.SymbolDecl] = {}
    for parameter in definition.parameters:
        for symbol in symbols(*parameter.source.shape):
            name = symbol.args[0]
            if name in definition.constexpr_sizes:
                found.setdefault(name, nt.SymbolDecl(name, "constexpr", 0))
            elif name not in definition.constexprs and name not in definition.meta:
                found.setdefault(name, nt.SymbolDecl(name, "size", 0))
        for symbol in symbols(*parameter.source.strides):
            name = symbol.args[0]
            found.setdefault(name, nt.SymbolDecl(name, "stride"))
        if (jagged := parameter.jagged) is not None:
            found[jagged.length] = nt.SymbolDecl(jagged.length, "length", 0)
            found[jagged.start] = nt.SymbolDecl(jagged.start, "start", 0)
    for kind, infos in (("constexpr", definition.constexprs), ("meta", definition.meta)):
        for name, info in infos.items():
            lower, upper = info.lower, info.upper
            if name in constants:
                lower = None if lower is None else min(lower, constants[name])
                upper = None if upper is None else max(upper, constants[name])
            found[name] = nt.SymbolDecl(name, kind, lower, upper)
    return list(found.values())


def check_constants(definition: Definition, constants: Mapping[str, int]) -> None:
    """Check that the arrangement is possible with values outside the bounds of their symbols, and
    is the one that they give.

    Raises:
        ArrangementError: an operation is impossible, or a condition was decided otherwise.
    """
    if not definition.interface.widened(constants.items()):
        return
    given = {definition.keywords.get(name, name): value for name, value in constants.items()}
    shown = ", ".join(f"{name}={value}" for name, value in given.items())
    for decision in definition.decisions:
        if not decision.holds(given):
            raise ArrangementError(
                f"the arrangement took {decision.condition} to be {decision.answer} by the bounds "
                f"of its symbols, which is not known with {shown}; arrange without the condition, "
                "or declare other bounds (lower_bound, upper_bound) and make a kernel for each "
                "answer",
                decision.loc,
            )
    convert = substitution(constants)
    for parameter in definition.parameters:
        old: Levels = (parameter.source.shape,)
        new: Levels = (mapped(convert, parameter.source.shape),)
        for op in parameter.ops:
            for expr in op.expressions:
                if (divisor := bad_divisor(expr, constants)) is not None:
                    raise op.fail(
                        f"{expr} is divided by {convert(divisor)} with {shown}; a divisor must be "
                        "at least 1"
                    )
            fixed = op.substitute(convert, old, new)
            needs = fixed.requirements(new)
            old, new = op.result(old), fixed.result(new)
            for needed in needs:
                if needed.decide({}) is False:
                    raise op.fail(
                        f"{needed.left} {needed.relation} {needed.right} does not hold with "
                        f"{shown}; give another value"
                    )


def arrange(definition: Definition, signature: tuple[ParamSignature, ...]) -> Block:
    """The arrangement's block: a source and its meta-operations a parameter, ending in
    ``nt.arranged``.
    """
    block = Block()
    values: list[SSAValue] = []
    for place, (parameter, param) in enumerate(zip(definition.parameters, signature, strict=True)):
        first = definition.firsts[parameter.origin]
        if parameter.kind == "tensor" and param.alias_set is None and first != place:
            # One tensor, arranged in several ways.
            param = replace(param, alias_set=definition.parameters[first].name)
        values.append(_parameter(block, parameter, param))
    end = nt.ArrangedOp(values)
    if block.last_op is not None:
        # Where arrangements return is not kept: it is where their last tensor is arranged, or near.
        end.location = block.last_op.location
    block.add_op(end)
    return block


def _parameter(block: Block, parameter: ArrangedParameter, signature: ParamSignature) -> SSAValue:
    source = parameter.source
    dtype = signature.dtype
    type = nt.TensorType.of(source.shape, nt.scalar_type(dtype))
    other = None
    if source.other is not None:
        other = nt.number(_outside(parameter, source.other, dtype), type.scalar)
    value = None
    if parameter.kind == "constexpr" and signature.value is not None:
        value = nt.number(signature.value, type.scalar)
    jagged = parameter.jagged
    if jagged is not None and signature.offsets is not None:
        jagged = replace(jagged, bits=DTYPES[signature.offsets].bits)
    op = nt.SourceOp(
        parameter.name,
        parameter.kind,
        type,
        source.strides,
        other,
        value,
        jagged=jagged,
        memory=signature.alias_set,
        repeated=signature.repeated,
    )
    op.location = location(source.declared)
    block.add_op(op)
    result: SSAValue = op.result
    hint(result, parameter.name)
    for meta in emptied(parameter.ops) if signature.empty else parameter.ops:
        step = nt.MetaOperation.of(meta, result)
        step.location = location(meta.loc)
        block.add_op(step)
        result = step.result
    return result


def _outside(parameter: ArrangedParameter, other: float | int, dtype: str) -> float | int:
    """What lanes outside a tensor read, as its element type has it: infinities of integers are the
    type's extremes.

    Raises:
        TypeMismatchError: the type has no such number.
    """
    row = DTYPES[dtype]
    if row.kind == "float" or (row.kind == "bool" and not math.isnan(other)):
        return other
    lowest, highest = rules.lowest(dtype), rules.highest(dtype)
    if math.isinf(other):
        return lowest if other < 0 else highest
    if isinstance(other, int) or other.is_integer():
        if not lowest <= other <= highest:
            raise TypeMismatchError(
                f"{parameter.name} has elements of {dtype}, which reach from {lowest} to "
                f"{highest} and do not hold other={other}; give it one of them, or float('inf') "
                "for the largest",
                parameter.source.declared,
            )
        return int(other)
    raise TypeMismatchError(
        f"{parameter.name} has elements of {dtype}, which do not hold other={other}; give it an "
        "integer, or float('inf') for the largest",
        parameter.source.declared,
    )


def view(value: SSAValue) -> nt.TensorType:
    """The view that the application has of an arranged tensor: the levels below the programs, of a
    jagged tensor those of the program's own sequence.
    """
    type = value.type
    assert isinstance(type, nt.TensorType)
    own = nt.chain(value)[0].own
    values: dict[str, IndexExpr | int] = {} if own is None else {own[0]: own[1]}
    below = [tuple(substitute(size, values) for size in level.sizes) for level in type.levels[1:]]
    return nt.TensorType.nested(below, type.scalar)
