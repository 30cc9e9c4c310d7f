"""What a kernel is before any types are known: its parameters, arranged, its symbols and its
application.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, cast

from ninetoothed.capture import Capture
from ninetoothed.chain import Chain, Source
from ninetoothed.errors import ArgumentError, ArrangementError, Loc, SymbolError, counted
from ninetoothed.frontend.source import FunctionSource, function_source
from ninetoothed.interface import Bounds, Formal, Interface
from ninetoothed.ir.access import apply_all, dynamic_sizes
from ninetoothed.ir.encoding import Decoder, Encoder
from ninetoothed.ir.index_expr import (
    IndexExpr,
    SymbolInfo,
    const,
    python_text,
    substitute,
    sym,
    symbol_names,
    symbols,
)
from ninetoothed.ir.meta_op import Levels, MetaOp, Sizes
from ninetoothed.ir.meta_ops import META_OPS
from ninetoothed.ir.nt.jagged import Jagged
from ninetoothed.tensor import Tensor

# Index variables of accesses: no symbol of a user may have such a name in the IR.
_RESERVED = re.compile(r"[gb]\d+|k\d+_\d+|min|max|mod|floordiv|ceildiv|x")


@dataclass(frozen=True)
class Parameter:
    """One parameter: its name in the application, and its tensor, its symbols renamed.

    ``origin`` is the symbolic tensor's own name: parameters that share it are one argument.
    """

    name: str
    origin: str
    source: Source
    ops: tuple[MetaOp, ...]
    levels: Levels
    jagged: Jagged | None = None

    @property
    def kind(self) -> str:
        """``"tensor"``, ``"scalar"`` or ``"constexpr"``."""
        if self.source.shape:
            return "tensor"
        return "constexpr" if self.source.constexpr else "scalar"


@dataclass(frozen=True)
class Definition:
    """A kernel: its name, its parameters in launch order, and its application.

    ``meta`` and ``constexprs`` are the symbols that the compiler and the caller choose, by their
    names in the IR; ``dynamic`` are block sizes that only a call knows.
    """

    name: str
    parameters: tuple[Parameter, ...]
    application: FunctionSource
    meta: Mapping[str, SymbolInfo]
    constexprs: Mapping[str, SymbolInfo]
    dynamic: tuple[IndexExpr, ...]
    constexpr_sizes: Mapping[str, SymbolInfo] = field(default_factory=dict[str, SymbolInfo])
    """The sizes that are constants when compiling, by their names in the IR."""
    keywords: Mapping[str, str] = field(default_factory=dict[str, str])
    """The user's names of ``constexprs``, by which a call gives them."""

    @cached_property
    def firsts(self) -> Mapping[str, int]:
        """Of each argument, by its ``origin``, the position of its first parameter."""
        found: dict[str, int] = {}
        for position, parameter in enumerate(self.parameters):
            found.setdefault(parameter.origin, position)
        return found

    @cached_property
    def interface(self) -> Interface:
        """What a call must know of it."""
        wanted = {*self.constexpr_sizes, *symbol_names(*self.dynamic)}
        sizes: dict[str, tuple[str, int, int]] = {}
        for place, parameter in enumerate(self.parameters):
            for dim, size in enumerate(parameter.source.shape):
                if size.op == "sym" and (name := size.args[0]) in wanted:
                    sizes.setdefault(name, (name, place, dim))
        return Interface(
            self.name,
            tuple(
                Formal(
                    parameter.name,
                    parameter.kind,
                    len(parameter.source.shape),
                    parameter.source.dtype,
                    parameter.source.value,
                    None if parameter.jagged is None else parameter.jagged.dim,
                    self.firsts[parameter.origin],
                )
                for parameter in self.parameters
            ),
            tuple(self.meta),
            tuple(
                (name, self.keywords[name], Bounds(info.lower, info.upper))
                for name, info in self.constexprs.items()
            ),
            tuple(self.constexpr_sizes),
            tuple((str(size), python_text(size)) for size in self.dynamic),
            tuple(sizes.values()),
        )

    def encoded(self) -> str:
        """All of it but the application, as text; :func:`decoded` is the inverse."""
        encoder = Encoder()
        names = [parameter.name for parameter in self.parameters]
        content = {
            "name": self.name,
            "parameters": [
                {
                    "name": parameter.name,
                    "first": names[self.firsts[parameter.origin]],
                    "source": encoder.encode(parameter.source),
                    "ops": encoder.encode(parameter.ops),
                    "jagged": encoder.encode(parameter.jagged),
                }
                for parameter in self.parameters
            ],
            **{name: encoder.encode(tuple(vars(self)[name].items())) for name in _MAPPINGS},
            "dynamic": encoder.encode(self.dynamic),
        }
        return json.dumps([content, encoder.expressions])


_MAPPINGS = ("meta", "constexprs", "constexpr_sizes", "keywords")
_CLASSES = {kind.__name__: kind for kind in (*META_OPS, Source, Loc, SymbolInfo, Jagged)}


def decoded(text: str, application: Any, capture: Capture | None = None) -> Definition:
    """The definition of an application, from what ``Definition.encoded`` gave for the rest."""
    content, expressions = json.loads(text)
    decode = Decoder(expressions, _CLASSES).decode
    parameters: list[Parameter] = []
    for fields in content["parameters"]:
        source, ops, jagged = (decode(fields[name]) for name in ("source", "ops", "jagged"))
        levels = apply_all(ops, (source.shape,))
        parameters.append(Parameter(fields["name"], fields["first"], source, ops, levels, jagged))
    return Definition(
        name=content["name"],
        parameters=tuple(parameters),
        application=function_source(application, "the application", capture),
        dynamic=decode(content["dynamic"]),
        **{name: dict(decode(content[name])) for name in _MAPPINGS},
    )


def define(
    name: str | None,
    arranged: Sequence[object],
    application: Any,
    capture: Capture | None = None,
) -> Definition:
    """The kernel of arranged tensors and an application; ``capture`` has what the application reads
    from outside.

    Raises:
        ArrangementError: something that is no tensor was arranged, or a dropped tensor's size is
            used.
        ArgumentError: the application takes another number of parameters, or parameters of an
            unknown kind.
        SymbolError: one name has two declarations, or is a parameter's too.
        UnsupportedSyntaxError: the application has no source.
    """
    source = function_source(application, "the application", capture)
    for position, tensor in enumerate(arranged):
        if not isinstance(tensor, Tensor):
            raise ArrangementError(
                f"the arrangement returned {tensor!r} at position {position}; return arranged "
                "tensors only"
            )
        if tensor.level:
            raise ArrangementError(
                f"the arrangement returned an inner level of {tensor.name}; return the tensor "
                "itself"
            )
    names = _parameter_names(source)
    if len(names) != len(arranged):
        raise ArgumentError(
            f"the arrangement returned {counted(len(arranged), 'tensor')}, but "
            f"{source.node.name}({', '.join(names)}) takes {counted(len(names), 'parameter')}; "
            "make them as many"
        )
    chains = [tensor.chain for tensor in arranged if isinstance(tensor, Tensor)]
    renaming = _Renaming(names, chains)
    parameters = tuple(
        renaming.parameter(name, chain) for name, chain in zip(names, chains, strict=True)
    )
    constexpr = {**renaming.meta, **renaming.constexprs, **renaming.constexpr_sizes}
    return Definition(
        name or source.node.name,
        parameters,
        source,
        renaming.meta,
        renaming.constexprs,
        dynamic_sizes((parameter.levels for parameter in parameters), constexpr),
        renaming.constexpr_sizes,
        renaming.keywords,
    )


def _parameter_names(source: FunctionSource) -> list[str]:
    arguments = source.node.args
    others = (arguments.vararg, *arguments.kwonlyargs, arguments.kwarg)
    for other in others:
        if other is not None:
            wrapped = getattr(source.function, "__wrapped__", None)
            where = "" if wrapped is None else f", which decorates {wrapped.__name__},"
            raise ArgumentError(
                f"{source.node.name}{where} must take its tensors as plain parameters, without *, "
                "** and keyword-only parameters; name one parameter a tensor",
                source.place(other),
            )
    return [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]


class _Renaming:
    """Names for all symbols: sizes and strides by parameter, block sizes by first use."""

    def __init__(self, names: Sequence[str], chains: Sequence[Chain]) -> None:
        self.meta: dict[str, SymbolInfo] = {}
        self.constexprs: dict[str, SymbolInfo] = {}
        self.constexpr_sizes: dict[str, SymbolInfo] = {}
        self.keywords: dict[str, str] = {}
        self._parameters = frozenset(names)
        self._names: dict[str, str] = {}
        self._infos: dict[str, SymbolInfo | None] = {}
        self._taken = {*names}
        for name, chain in zip(names, chains, strict=True):
            self._taken.update(f"{name}_stride_{dim}" for dim in range(len(chain.source.shape)))
        for name, chain in zip(names, chains, strict=True):
            for dim, size in enumerate(chain.source.shape):
                self._size(f"{name}_size_{dim}", size)
        for chain in chains:
            for symbol in symbols(*chain.expressions):
                self._other(symbol)

    def _size(self, new: str, size: IndexExpr) -> None:
        if size.op != "sym" or size.args[0] in self._names:
            return
        old, info = size.args
        if info is None or info.kind == "plain":
            # A size that the user named.
            self._take(old, old, info)
            return
        if info.kind not in ("size", "constexpr size"):
            return
        self._take(old, new, info)
        if info.kind == "constexpr size":
            self.constexpr_sizes[self._names[old]] = info

    def _take(self, old: str, new: str, info: SymbolInfo | None) -> str:
        while new in self._taken or _RESERVED.fullmatch(new):
            new += "_"
        self._taken.add(new)
        self._names[old] = new
        self._infos[old] = info
        return new

    def _other(self, symbol: IndexExpr) -> None:
        old, info = symbol.args
        if old in self._names:
            if info != self._infos[old]:
                raise SymbolError(
                    f"two symbols named {old} have different options; give one of them another "
                    "name, "
                    "or use one Symbol object for both"
                )
            return
        if info is not None and info.kind in ("size", "constexpr size", "stride"):
            raise ArrangementError(
                f"{old} is the size of a tensor that the arrangement did not return, so nothing "
                "gives it a "
                "value; return that tensor too"
            )
        if info is None:
            info = SymbolInfo("plain")
        if info.kind == "meta":
            new = f"BLOCK_SIZE_{len(self.meta)}" if info.anonymous else old
            self.meta[self._take(old, new, info)] = info
        elif old in self._parameters:
            raise SymbolError(
                f"the symbol {old} has the name of a parameter of the application, and both are "
                "given by "
                "keyword; rename one"
            )
        else:
            new = self._take(old, old, info)
            self.constexprs[new] = info
            self.keywords[new] = old
        self._infos[old] = symbol.args[1]

    def parameter(self, name: str, chain: Chain) -> Parameter:
        """The parameter, its symbols renamed."""
        values = {old: sym(new) for old, new in self._names.items()}

        def rename(expr: IndexExpr) -> IndexExpr:
            return substitute(expr, values)

        source = chain.source
        shape = tuple(rename(size) for size in source.shape)
        strides: Sizes = tuple(sym(f"{name}_stride_{dim}") for dim in range(len(shape)))
        jagged = self._jagged(name, source, shape)
        if jagged is not None:
            # Where a sequence begins, its offset says.
            strides = (const(0), *strides[1:])
        ops = tuple(op.map(rename) for op in chain.ops)
        length = None if jagged is None else sym(jagged.length)
        renamed = replace(source, name=name, shape=shape, strides=strides, length=length)
        return Parameter(name, chain.source.name, renamed, ops, apply_all(ops, (shape,)), jagged)

    def _jagged(self, name: str, source: Source, shape: Sizes) -> Jagged | None:
        """What a jagged parameter has beside sizes and strides, named by the parameter.

        Raises:
            ArrangementError: another dim has the size of the longest sequence.
        """
        dim = source.jagged_dim
        if dim is None:
            return None
        others = symbols(*shape[:dim], *shape[dim + 1 :])
        if shape[dim].args[0] in (other.args[0] for other in others):
            raise ArrangementError(
                f"{name} has the size {shape[dim]} of its jagged dim in another dim, too; leave "
                "the jagged dim out of the shape, so that it has a size of its own",
                source.declared,
            )
        length, start, offsets = (
            self._fresh(f"{name}_{word}") for word in ("length", "start", "offsets")
        )
        return Jagged(dim, length, start, offsets)

    def _fresh(self, name: str) -> str:
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name


def run_arrangement(arrangement: Callable[..., object], tensors: object) -> list[object]:
    """What the arrangement returns for ``tensors``, as a list.

    Raises:
        ArgumentError: ``tensors`` is not several objects.
        ArrangementError: the arrangement is no function, takes another number of objects, or
            returned nothing.
    """
    if isinstance(tensors, Tensor) or not isinstance(tensors, Iterable):
        raise ArgumentError(
            "tensors must be a tuple of what the arrangement takes; write (tensor,)"
        )
    if not callable(arrangement):
        raise ArrangementError(f"the arrangement must be a function, not {arrangement!r}")
    tensors = tuple(cast("Iterable[object]", tensors))
    try:
        inspect.signature(arrangement).bind(*tensors)
    except TypeError as error:
        shown = (
            f"{getattr(arrangement, '__name__', 'the arrangement')}{inspect.signature(arrangement)}"
        )
        raise ArrangementError(
            f"{shown} does not take what tensors holds, {counted(len(tensors), 'object')}: {error}"
        ) from None
    result = arrangement(*tensors)
    if isinstance(result, Tensor):
        return [result]
    if not isinstance(result, tuple | list):
        raise ArrangementError(
            f"the arrangement returned {result!r}; return the arranged tensors, as in "
            "return x.tile((64,)), y.tile((64,))"
        )
    return list(cast("Sequence[object]", result))
