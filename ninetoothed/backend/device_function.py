"""Device function of a module, and its ``nt.*`` attributes, as all emitters read them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, IntAttr, IntegerAttr, ModuleOp, StringAttr
from xdsl.ir import Attribute

from ninetoothed.artifacts.artifact import Argument, Scratch
from ninetoothed.artifacts.reciprocals import PARTS
from ninetoothed.backend.names import NameTable, legal_function_name
from ninetoothed.dtype import DTYPES
from ninetoothed.errors import CompilerError, any_of
from ninetoothed.ir.diagnostics import fail
from ninetoothed.ir.nt.attributes import (
    Check,
    CheckAttr,
    ExprAttr,
    ExprsAttr,
    Param,
    ParamAttr,
    SymbolAttr,
    SymbolDecl,
    dtype_of,
)
from ninetoothed.ir.tt import (
    ExternElementwiseOp,
    FuncOp,
    PointerType,
    TensorDescType,
    pointee_of,
    scalar_of,
    shape_of,
)
from ninetoothed.symbolic.expr import IndexExpr

_SOURCES = (
    *("nt.param", "nt.symbol", "nt.reciprocal", "nt.descriptor", "nt.of_descriptor", "nt.scratch"),
)
"""Where arguments come from."""


def device_function(module: ModuleOp) -> FuncOp:
    """The module's only ``tt.func``.

    Raises:
        CompilerError: there is none, or more than one.
    """
    functions = [op for op in module.body.block.ops if isinstance(op, FuncOp)]
    if len(functions) != 1:
        message = f"a module to emit has one tt.func, this one has {len(functions)}"
        raise fail(functions[1] if functions else module, message, CompilerError)
    return functions[0]


def params(function: FuncOp) -> tuple[Param, ...]:
    """The kernel's parameters, in launch order (``nt.params``)."""
    return tuple(attr.data for attr in _array(function, "nt.params") if isinstance(attr, ParamAttr))


def checks(function: FuncOp) -> tuple[Check, ...]:
    """Conditions on a call beside its parameters' sizes (``nt.checks``)."""
    return tuple(attr.data for attr in _array(function, "nt.checks") if isinstance(attr, CheckAttr))


def grid(function: FuncOp) -> IndexExpr:
    """The number of programs (``nt.grid``)."""
    attr = function.attributes.get("nt.grid")
    if not isinstance(attr, ExprAttr):
        raise fail(function, f"tt.func @{function.sym_name.data} has no nt.grid", CompilerError)
    return attr.data


def declarations(function: FuncOp) -> tuple[SymbolDecl, ...]:
    """The symbols with bounds or a divisor, on which passes may have relied (``nt.symbols``)."""
    found = _array(function, "nt.symbols", ())
    return tuple(attr.data for attr in found if isinstance(attr, SymbolAttr))


def padded_sizes(function: FuncOp) -> dict[IndexExpr, int]:
    """The block sizes that only a call knows, and what they are padded to (``nt.padded_sizes``).

    Raises:
        CompilerError: an entry is no pair of a size and a number.
    """
    found: dict[IndexExpr, int] = {}
    for attr in _array(function, "nt.padded_sizes", ()):
        match attr:
            case ExprsAttr(data=(size, IndexExpr(value=int(most)))):
                found[size] = most
            case _:
                name = function.sym_name.data
                message = f"a padded size of tt.func @{name} is no pair [size, number]"
                raise fail(function, message, CompilerError)
    return found


def vacuous(function: FuncOp) -> tuple[IndexExpr, ...]:
    """What is at most 0 where guards hold that can be left out (``nt.vacuous``), if any can."""
    attr = function.attributes.get("nt.vacuous")
    return attr.data if isinstance(attr, ExprsAttr) else ()


def _array(
    function: FuncOp, name: str, default: tuple[Attribute, ...] | None = None
) -> tuple[Attribute, ...]:
    attr = function.attributes.get(name)
    if attr is None and default is not None:
        return default
    if not isinstance(attr, ArrayAttr):
        raise fail(function, f"tt.func @{function.sym_name.data} has no {name}", CompilerError)
    return cast("ArrayAttr[Attribute]", attr).data


def argument_attributes(function: FuncOp) -> tuple[Mapping[str, Attribute], ...]:
    """The attributes of each argument."""
    if function.arg_attrs is None:
        nothing: Mapping[str, Attribute] = {}
        return (nothing,) * len(function.body.block.args)
    return tuple(attrs.data for attrs in function.arg_attrs)


def argument_source(function: FuncOp, index: int) -> tuple[str, str]:
    """Source of argument ``index``: ``("nt.param", "x")``, ``("nt.symbol", "x_size_0")``,
    which part of a reciprocal (see :func:`argument_number`): ``("nt.reciprocal", "shift")``, a
    descriptor of a parameter: ``("nt.descriptor", "x")``, a size or a stride of the descriptor in
    front: ``("nt.of_descriptor", "x_desc_size_0")``, or scratch memory (see :func:`scratch`):
    ``("nt.scratch", "arrivals")``.
    """
    attrs = argument_attributes(function)[index]
    for kind in _SOURCES:
        attr = attrs.get(kind)
        if isinstance(attr, StringAttr) and (kind != "nt.reciprocal" or attr.data in PARTS):
            return kind, attr.data
    name = function.sym_name.data
    message = f"argument {index} of tt.func @{name} is no {any_of(_SOURCES)}"
    raise fail(function, message, CompilerError)


def argument_number(function: FuncOp, index: int, name: str) -> IndexExpr:
    """What the host computes for argument ``index``: ``"nt.divisor"`` of a reciprocal, or
    ``"nt.number"``, a size or a stride of a descriptor.
    """
    attr = argument_attributes(function)[index].get(name)
    if not isinstance(attr, ExprAttr):
        message = f"argument {index} of tt.func @{function.sym_name.data} has no {name}"
        raise fail(function, message, CompilerError)
    return attr.data


def scratch(function: FuncOp) -> tuple[Scratch, ...]:
    """The scratch memory of the last arguments.

    Raises:
        CompilerError: it does not say how much it is, or another argument is behind it.
    """
    found: list[Scratch] = []
    rows = zip(function.body.block.args, argument_attributes(function), strict=True)
    for index, (value, attrs) in enumerate(rows):
        if argument_source(function, index)[0] != "nt.scratch":
            if not found:
                continue
            message = f"argument {index} of tt.func @{function.sym_name.data} is behind nt.scratch"
            raise fail(function, message, CompilerError)
        count = attrs.get("nt.count")
        if not isinstance(count, IntegerAttr) or not isinstance(value.type, PointerType):
            message = f"argument {index} of tt.func @{function.sym_name.data} has no nt.count"
            raise fail(function, message, CompilerError)
        size = DTYPES[dtype_of(value.type.pointee)].bits // 8
        found.append(Scratch(count.value.data * size, "nt.zeroed" in attrs))
    return tuple(found)


@dataclass(frozen=True)
class PackedParameter:
    """A parameter that the function reads a packed copy of (``nt.packed``), whose rows lie along
    the dim of stride 1 and are filled up: ``strides`` are the copy's, of elements of ``bits``.
    ``places``: the arguments that point to it.
    """

    decl: Param
    bits: int
    strides: tuple[IndexExpr, ...]
    places: tuple[int, ...]

    @property
    def inner(self) -> int:
        """The dim that rows lie along."""
        return max(dim for dim, stride in enumerate(self.strides) if stride.value == 1)

    @property
    def row(self) -> int:
        """The dim along which one row follows another."""
        return max(dim for dim in range(len(self.strides)) if dim != self.inner)

    @property
    def sizes(self) -> tuple[IndexExpr, ...]:
        """The sizes of the copy."""
        sizes = list(self.decl.sizes)
        sizes[self.inner] = self.strides[self.row]
        return tuple(sizes)


def packed_parameters(function: FuncOp) -> tuple[PackedParameter, ...]:
    """The parameters that the function reads packed copies of, in launch order."""
    found: list[PackedParameter] = []
    attributes = argument_attributes(function)
    for decl in params(function):
        places = [
            place
            for place, row in enumerate(attributes)
            if "nt.packed" in row and argument_source(function, place)[1] == decl.name
        ]
        if not places:
            continue
        strides = attributes[places[0]]["nt.packed"]
        assert isinstance(strides, ExprsAttr)
        type = function.body.block.args[places[0]].type
        scalar = scalar_of(type.box) if isinstance(type, TensorDescType) else pointee_of(type)
        bits = DTYPES[dtype_of(scalar)].bits
        found.append(PackedParameter(decl, bits, strides.data, tuple(places)))
    return tuple(found)


def function_name(function: FuncOp) -> str:
    """The function's name in generated code: its own, unless that means something else there."""
    return legal_function_name(function.sym_name.data, _called(function))


def _called(function: FuncOp) -> set[str]:
    """Names of the functions that are declared beside the kernel."""
    names = {op.symbol.data for op in function.walk() if isinstance(op, ExternElementwiseOp)}
    return names | {name.strip("_") for name in names}


def argument_names(function: FuncOp) -> tuple[str, ...]:
    """The arguments' names in generated source: what they are given, unique and legal in Python."""
    table = NameTable([function_name(function), *_called(function)])
    sources = [argument_source(function, index) for index in range(len(function.body.block.args))]
    names = [f"{name}_desc" if kind == "nt.descriptor" else name for kind, name in sources]
    return tuple(table.unique(name) for name in names)


def signature_type(function: FuncOp, type: Attribute) -> str:
    """A type as Triton's signatures spell it: ``*fp16``, ``i32``, ``tensordesc<fp16[128, 64]>``."""
    given, prefix = type, ""
    if isinstance(type, TensorDescType):
        return f"tensordesc<{dtype_of(scalar_of(type.box))}{[*shape_of(type.box)]}>"
    while isinstance(type, PointerType):
        prefix += "*"
        type = type.pointee
    try:
        return prefix + dtype_of(type)
    except KeyError:
        message = f"a device function takes no argument of type {given}"
        raise fail(function, message, CompilerError) from None


def _divisor(attributes: Mapping[str, Attribute]) -> int:
    match attributes.get("tt.divisibility"):
        case IntegerAttr(value=IntAttr(data=divisor)):
            return divisor
        case _:
            return 1


def arguments(function: FuncOp) -> tuple[Argument, ...]:
    """The device function's arguments as an artifact lists them."""
    return tuple(
        Argument(name, signature_type(function, value.type), _divisor(attrs))
        for name, value, attrs in zip(
            argument_names(function),
            function.body.block.args,
            argument_attributes(function),
            strict=True,
        )
    )
