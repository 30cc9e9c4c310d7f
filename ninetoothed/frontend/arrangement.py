"""Arranged tensors as ops of dialect ``nt``."""

from __future__ import annotations

from dataclasses import replace

from xdsl.ir import Block, SSAValue

from ninetoothed.artifacts.signature import ParamSignature
from ninetoothed.definition.definition import ArrangedParameter, Definition
from ninetoothed.dtype import DTYPES
from ninetoothed.frontend.locations import location
from ninetoothed.ir import nt
from ninetoothed.layout.meta_op import AtMostOne
from ninetoothed.symbolic.expr import IndexExpr, substitute, symbols


def declarations(definition: Definition) -> list[nt.SymbolDecl]:
    """The kernel's symbols: sizes and strides in launch order, then constexpr and meta symbols."""
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
            found[name] = nt.SymbolDecl(name, kind, info.lower, info.upper)
    return list(found.values())


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
    block.add_op(nt.ArrangedOp(values))
    return block


def _parameter(block: Block, parameter: ArrangedParameter, signature: ParamSignature) -> SSAValue:
    source = parameter.source
    dtype = signature.dtype
    type = nt.TensorType.of(source.shape, nt.scalar_type(dtype))
    other = None
    if source.other is not None:
        value = source.other
        if DTYPES[dtype].kind != "float":
            value = int(value)
        other = nt.number(value, type.scalar)
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
    result.name_hint = parameter.name
    for meta in parameter.ops:
        if signature.empty and isinstance(meta, AtMostOne):
            meta = replace(meta, empty=True)
        step = nt.MetaOperation.of(meta, result)
        step.location = location(meta.loc)
        block.add_op(step)
        result = step.result
    return result


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
