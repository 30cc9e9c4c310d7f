"""Arranged tensors as ops of dialect ``nt``."""

from __future__ import annotations

from xdsl.ir import Block, SSAValue

from ninetoothed.artifact import ParamSignature
from ninetoothed.dtype import DTYPES
from ninetoothed.frontend.definition import Definition, Parameter
from ninetoothed.frontend.locations import location
from ninetoothed.ir import nt
from ninetoothed.ir.index_expr import symbols


def declarations(definition: Definition) -> list[nt.SymbolDecl]:
    """The kernel's symbols: sizes and strides in launch order, then those that are chosen."""
    found: dict[str, nt.SymbolDecl] = {}
    for parameter in definition.parameters:
        for symbol in symbols(*parameter.source.shape):
            name = symbol.args[0]
            if name in definition.constexpr_sizes:
                found.setdefault(name, nt.SymbolDecl(name, "constexpr", 0))
            elif name not in definition.constexprs and name not in definition.meta:
                found.setdefault(name, nt.SymbolDecl(name, "size", 0))
        for stride in parameter.source.strides:
            name = stride.args[0]
            found.setdefault(name, nt.SymbolDecl(name, "stride"))
    for kind, infos in (("constexpr", definition.constexprs), ("meta", definition.meta)):
        for name, info in infos.items():
            found[name] = nt.SymbolDecl(name, kind, info.lower, info.upper)
    return list(found.values())


def arrange(definition: Definition, signature: tuple[ParamSignature, ...]) -> Block:
    """The arrangement's block: a source and its meta-operations a parameter, ending in
    ``nt.arranged``.
    """
    block = Block()
    values = [
        _parameter(block, parameter, param)
        for parameter, param in zip(definition.parameters, signature, strict=True)
    ]
    block.add_op(nt.ArrangedOp(values))
    return block


def _parameter(block: Block, parameter: Parameter, signature: ParamSignature) -> SSAValue:
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
    op = nt.SourceOp(parameter.name, parameter.kind, type, source.strides, other, value)
    op.location = location(source.declared)
    block.add_op(op)
    result: SSAValue = op.result
    result.name_hint = parameter.name
    for meta in parameter.ops:
        step = nt.MetaOperation.of(meta, result)
        step.location = location(meta.loc)
        block.add_op(step)
        result = step.result
    return result


def share(value: SSAValue) -> nt.TensorType:
    """What the application sees of an arranged tensor: the levels below the programs."""
    type = value.type
    assert isinstance(type, nt.TensorType)
    below = type.element_type
    return below if isinstance(below, nt.TensorType) else nt.TensorType.of((), below)
