"""Build a definition: run the arrangement, and name its symbols by the application's parameters."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, cast

from ninetoothed.definition.definition import ArrangedParameter, Definition
from ninetoothed.definition.source import FunctionSource, function_source
from ninetoothed.errors import ArgumentError, ArrangementError, SymbolError, counted
from ninetoothed.fingerprint.snapshot import Capture
from ninetoothed.layout.access import dynamic_sizes
from ninetoothed.layout.chain import Chain, Jagged, Source
from ninetoothed.layout.meta_op import Sizes, mapped
from ninetoothed.symbolic.expr import IndexExpr, SymbolInfo, const, substitution, sym, symbols
from ninetoothed.tensor import Tensor

# Index variables of accesses: no symbol of a user may have such a name in the IR.
_RESERVED = re.compile(r"[gb]\d+|k\d+_\d+|min|max|mod|floordiv|ceildiv|x")


def define(
    name: str | None,
    arranged: Sequence[object],
    application: Any,
    capture: Capture | None = None,
) -> Definition:
    """Build the definition of arranged tensors and an application; ``capture`` has what the
    application reads from outside.

    Raises:
        ArrangementError: something that is no tensor was arranged, or a dropped tensor's size is
            used.
        ArgumentError: the application takes another number of parameters, or parameters of an
            unknown kind.
        SymbolError: one name has two declarations, or is a parameter's too.
        UnsupportedSyntaxError: the application is no plain function.
    """
    source = function_source(application, "the application", capture)
    tensors = checked_tensors(arranged)
    _check_parameters(source)
    names = source.parameters
    if len(names) != len(tensors):
        # An application without a source is reported first.
        raise ArgumentError(
            f"the arrangement returned {counted(len(tensors), 'tensor')}, but "
            f"{source.node.name}({', '.join(names)}) takes {counted(len(names), 'parameter')}; "
            "make them as many"
        )
    chains = [tensor.chain for tensor in tensors]
    renaming = _Renaming(names, chains)
    parameters = tuple(
        renaming.parameter(name, chain) for name, chain in zip(names, chains, strict=True)
    )
    constexpr = {**renaming.meta, **renaming.constexprs, **renaming.constexpr_sizes}
    return Definition(
        name or source.name,
        parameters,
        source,
        renaming.meta,
        renaming.constexprs,
        dynamic_sizes((parameter.levels for parameter in parameters), constexpr),
        renaming.constexpr_sizes,
        renaming.keywords,
    )


def checked_tensors(arranged: Sequence[object]) -> tuple[Tensor, ...]:
    """What an arrangement returned, as tensors.

    Raises:
        ArrangementError: one is no tensor, or the inner level of one.
    """
    found: list[Tensor] = []
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
        found.append(tensor)
    return tuple(found)


def _check_parameters(source: FunctionSource) -> None:
    if len(source.parameters) == source.function.__code__.co_argcount:
        return
    arguments = source.node.args
    others = (arguments.vararg, *arguments.kwonlyargs, arguments.kwarg)
    wrapped = getattr(source.function, "__wrapped__", None)
    where = "" if wrapped is None else f", which decorates {wrapped.__name__},"
    raise ArgumentError(
        f"{source.name}{where} must take its tensors as plain parameters, without *, "
        "** and keyword-only parameters; name one parameter a tensor",
        source.place(next(other for other in others if other is not None)),
    )


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
        self._rename = substitution({old: sym(new) for old, new in self._names.items()})

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

    def parameter(self, name: str, chain: Chain) -> ArrangedParameter:
        """The arranged parameter with its symbols renamed."""
        rename = self._rename
        source = chain.source
        shape = mapped(rename, source.shape)
        strides: Sizes = tuple(sym(f"{name}_stride_{dim}") for dim in range(len(shape)))
        jagged = self._jagged(name, source, shape)
        if jagged is not None:
            # The start of a sequence is its offset.
            strides = (const(0), *strides[1:])
        ops = tuple(op.map(rename) for op in chain.ops)
        length = None if jagged is None else sym(jagged.length)
        renamed = replace(source, name=name, shape=shape, strides=strides, length=length)
        levels = tuple(mapped(rename, sizes) for sizes in chain.levels)
        return ArrangedParameter(name, chain.source.name, renamed, ops, levels, jagged)

    def _jagged(self, name: str, source: Source, shape: Sizes) -> Jagged | None:
        """Symbols of a jagged parameter beside sizes and strides, named by the parameter.

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
    """Call the arrangement with ``tensors``; returns the arranged tensors as a list.

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
