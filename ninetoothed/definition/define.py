"""Build a definition: run the arrangement, and name its symbols by the application's parameters."""

from __future__ import annotations

import copy
import inspect
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple, cast

from ninetoothed.definition.callables import BoundFunction, bound_function
from ninetoothed.definition.definition import ArrangedParameter, Definition
from ninetoothed.errors import (
    ArgumentError,
    ArgumentOrderWarning,
    ArrangementError,
    SymbolError,
    caller_loc,
    counted,
    warn,
)
from ninetoothed.fingerprint.snapshot import Capture, frozen
from ninetoothed.layout.access import dynamic_sizes
from ninetoothed.layout.chain import Chain, Jagged, Source
from ninetoothed.layout.meta_op import Sizes, mapped
from ninetoothed.symbolic.decisions import Decision, concerning, recorded
from ninetoothed.symbolic.expr import (
    IndexExpr,
    SymbolInfo,
    const,
    substitution,
    sym,
    symbol_names,
    symbols,
)
from ninetoothed.tensor import Tensor

# Index variables of accesses: no symbol of a user may have such a name in the IR.
_RESERVED = re.compile(r"[gb]\d+|k\d+_\d+|min|max|mod|floordiv|ceildiv|x")


def define(
    name: str | None,
    arranged: Sequence[object],
    application: Any,
    capture: Capture | None = None,
    origins: Mapping[str, str] = MappingProxyType({}),
    decisions: Iterable[Decision] = (),
) -> Definition:
    """Build the definition of arranged tensors and an application; ``capture`` has what the
    application reads from outside, ``origins`` the arrangement's parameters and ``decisions`` what
    it decided (see :class:`Arranged`).

    Raises:
        ArrangementError: something that is no tensor was arranged, or a dropped tensor's size is
            used.
        ArgumentError: the application takes another number of parameters, or parameters of an
            unknown kind.
        SymbolError: one name has two declarations, or is a parameter's too.
        UnsupportedSyntaxError: there is no plain function behind the application.
    """
    bound = bound_function(application, "the application", capture)
    source = bound.source
    tensors = checked_tensors(arranged)
    defaults = bound.defaults
    _check_parameters(bound, defaults)
    names = bound.free[: len(tensors)]
    rest = bound.free[len(tensors) :]
    if len(names) != len(tensors) or not all(name in defaults for name in rest):
        # An application without a source is reported first.
        _ = source.node
        free = bound.free
        raise ArgumentError(
            f"the arrangement returned {counted(len(tensors), 'tensor')}, but "
            f"{bound.name}({', '.join(free)}) takes {counted(len(free), 'parameter')}; "
            "make them as many"
        )
    chains = [tensor.chain for tensor in tensors]
    if origins:
        _check_order(source.name, names, [origins.get(chain.source.name) for chain in chains])
    renaming = _Renaming(names, chains)
    parameters = tuple(
        renaming.parameter(name, chain) for name, chain in zip(names, chains, strict=True)
    )
    constexpr = {**renaming.meta, **renaming.constexprs, **renaming.constexpr_sizes}
    for parameter in parameters:
        _check_block(parameter, constexpr, renaming.meta)
    return Definition(
        name or bound.name,
        parameters,
        source,
        renaming.meta,
        renaming.constexprs,
        dynamic_sizes((parameter.levels for parameter in parameters), constexpr),
        renaming.constexpr_sizes,
        renaming.keywords,
        {
            **bound.values,
            **{key: frozen(value) for key, value in defaults.items() if key not in names},
        },
        bound.receiver,
        concerning(renaming.given, decisions),
    )


def _check_block(
    parameter: ArrangedParameter, chosen: Collection[str], meta: Mapping[str, SymbolInfo]
) -> None:
    """Check that no size of a block is computed from sizes of a call and from block sizes as well,
    which are chosen for calls whose blocks have known sizes.

    Raises:
        ArrangementError: one is.
    """
    for size in dynamic_sizes([parameter.levels], chosen):
        block = next((name for name in symbol_names(size) if name in meta), None)
        if block is not None:
            raise ArrangementError(
                f"the blocks of {parameter.name} have the size {size}, of sizes that a call gives "
                f"and of {block}, which the compiler chooses; tile by one of them, and go through "
                "tiles in a loop",
                parameter.ops[-1].loc if parameter.ops else parameter.source.declared,
            )


def _check_order(application: str, names: Sequence[str], origins: Sequence[str | None]) -> None:
    """Warn where the arrangement has the application's names for other tensors."""
    if set(origins) != set(names) or list(names) == list(origins):
        return
    pairs = zip(names, origins, strict=True)
    first, *others = [(name, origin) for name, origin in pairs if name != origin]
    bound = [
        f"{first[0]} is the arrangement's {first[1]}",
        *(f"{name} is its {origin}" for name, origin in others),
    ]
    order = ", ".join(names)
    warn(
        ArgumentOrderWarning(
            f"the arrangement returns {', '.join(map(str, origins))}, and {application}({order}) "
            f"takes them in that order, as a call does: {', '.join(bound)}; return {order}, or "
            f"rename the parameters of {application}",
            caller_loc(),
        )
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


def _check_parameters(bound: BoundFunction, defaults: Mapping[str, object]) -> None:
    source = bound.source
    if len(source.parameters) == source.function.__code__.co_argcount:
        return
    arguments = source.node.args
    free = [arg for arg in arguments.kwonlyargs if arg.arg not in {*bound.values, *defaults}]
    others = [arg for arg in (arguments.vararg, *free, arguments.kwarg) if arg is not None]
    if not others:
        return
    wrapped = getattr(source.function, "__wrapped__", None)
    where = "" if wrapped is None else f", which decorates {wrapped.__name__},"
    raise ArgumentError(
        f"{source.name}{where} must take its tensors as plain parameters, without *, "
        "** and keyword-only parameters; name one parameter a tensor",
        source.place(others[0]),
    )


class _Renaming:
    """Names for all symbols: sizes and strides by parameter, block sizes by first use."""

    def __init__(self, names: Sequence[str], chains: Sequence[Chain]) -> None:
        self.meta: dict[str, SymbolInfo] = {}
        self.constexprs: dict[str, SymbolInfo] = {}
        self.constexpr_sizes: dict[str, SymbolInfo] = {}
        self.keywords: dict[str, str] = {}
        self.given: list[IndexExpr] = []
        """The symbols of ``constexprs``, as the user made them."""
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
            self.given.append(symbol)
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


class Arranged(NamedTuple):
    """What an arrangement returned, and the names of its parameters for what it was given: by the
    symbolic tensors' own names, none where one was given twice. ``decisions`` are those that it
    took on the way, and ``given`` is what it took.

    The tensors are copies: users may assign to shapes and levels of theirs.
    """

    tensors: Sequence[object]
    names: Mapping[str, str] = MappingProxyType({})
    decisions: tuple[Decision, ...] = ()
    given: tuple[object, ...] = ()


def run_arrangement(arrangement: Callable[..., object], tensors: object) -> Arranged:
    """Call the arrangement with ``tensors``.

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
    given = tuple(map(_copied, tensors))
    try:
        bound = inspect.signature(arrangement).bind(*tensors).arguments
    except TypeError as error:
        shown = (
            f"{getattr(arrangement, '__name__', 'the arrangement')}{inspect.signature(arrangement)}"
        )
        raise ArrangementError(
            f"{shown} does not take what tensors holds, {counted(len(tensors), 'object')}: {error}"
        ) from None
    with recorded() as decisions:
        result = arrangement(*tensors)
    if isinstance(result, Tensor):
        result = [result]
    if not isinstance(result, tuple | list):
        raise ArrangementError(
            f"the arrangement returned {result!r}; return the arranged tensors, as in "
            "return x.tile((64,)), y.tile((64,))"
        )
    found = tuple(map(_copied, cast("Sequence[object]", result)))
    return Arranged(found, _names(bound), tuple(decisions), given)


def _copied(value: object) -> object:
    return copy.copy(value) if isinstance(value, Tensor) else value


def _names(bound: Mapping[str, object]) -> dict[str, str]:
    found = [(value.name, name) for name, value in bound.items() if isinstance(value, Tensor)]
    names = dict(found)
    return names if len(names) == len(found) else {}
