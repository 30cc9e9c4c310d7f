"""Definition of a kernel, before any types: its arranged parameters, its symbols and its
application.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING

from ninetoothed.artifacts.interface import (
    Bounds,
    Emptiness,
    Equals,
    Extent,
    Interface,
    Parameter,
    Size,
)
from ninetoothed.definition.source import FunctionSource
from ninetoothed.layout.chain import Jagged, Source
from ninetoothed.layout.emptiness import empty_where, needs_zero, unknown_sizes
from ninetoothed.layout.encoding import encoded
from ninetoothed.layout.equal_sizes import alike, equal_sizes, single_tiles
from ninetoothed.layout.meta_op import Levels, MetaOp, Sizes
from ninetoothed.layout.meta_ops import Flatten
from ninetoothed.symbolic.decisions import Decision
from ninetoothed.symbolic.expr import IndexExpr, SymbolInfo, python_text, symbol_names

if TYPE_CHECKING:
    from ninetoothed.plugins.edited_pipeline import BoundPipeline

_MOST_STRIDES = 16
"""Pairs of strides that a call is asked for at most: some 30 ns each."""


@dataclass(frozen=True)
class ArrangedParameter:
    """Parameter: its name in the application, and its arranged tensor, symbols renamed.

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
        """``"tensor"``, ``"scalar"`` or ``"constexpr"``; a tensor of no dims that was arranged lies
        in memory like others.
        """
        if self.source.constexpr:
            return "constexpr"
        return "tensor" if self.source.shape or self.ops else "scalar"


@dataclass(frozen=True)
class Definition:
    """Definition of a kernel: its name, its parameters in launch order, and its application.

    ``meta`` and ``constexprs`` are the symbols that the compiler and the caller choose, by their
    names in the IR; ``dynamic`` are block sizes that only a call knows.
    """

    name: str
    parameters: tuple[ArrangedParameter, ...]
    application: FunctionSource
    meta: Mapping[str, SymbolInfo]
    constexprs: Mapping[str, SymbolInfo]
    dynamic: tuple[IndexExpr, ...]
    constexpr_sizes: Mapping[str, SymbolInfo] = field(default_factory=dict[str, SymbolInfo])
    """The sizes that are constants when compiling, by their names in the IR."""
    keywords: Mapping[str, str] = field(default_factory=dict[str, str])
    """The user's names of ``constexprs``, by which a call gives them."""
    values: Mapping[str, object] = field(default_factory=dict[str, object])
    """Parameters of the application that no tensor is arranged for, with their values."""
    receiver: str | None = None
    """The one of these that holds the object whose method the application is."""
    decisions: tuple[Decision, ...] = ()
    """What the arrangement decided by the bounds of ``constexprs``, under the user's names."""
    size_decisions: tuple[Decision, ...] = ()
    """What it decided by the bounds of sizes: of these, and of any other symbols."""
    pipeline: BoundPipeline | None = None
    """Passes of other packages that the compiler runs, and passes that it leaves out."""

    @cached_property
    def firsts(self) -> Mapping[str, int]:
        """Position of the first parameter of each argument, by its ``origin``."""
        found: dict[str, int] = {}
        for position, parameter in enumerate(self.parameters):
            found.setdefault(parameter.origin, position)
        return found

    @cached_property
    def interface(self) -> Interface:
        """Call interface of the kernel."""
        wanted = {*self.constexpr_sizes, *symbol_names(*self.dynamic)}
        sizes: dict[str, Size] = {}
        for place, parameter in enumerate(self.parameters):
            for dim, size in enumerate(parameter.source.shape):
                if size.op == "sym":
                    sizes.setdefault(size.args[0], (size.args[0], place, dim))
        return Interface(
            self.name,
            tuple(
                Parameter(
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
                (name, self.keywords[name], Bounds(info.lower, info.upper, info.given))
                for name, info in self.constexprs.items()
            ),
            tuple(self.constexpr_sizes),
            tuple((str(size), python_text(size)) for size in self.dynamic),
            tuple(size for name, size in sizes.items() if name in wanted),
            tuple(self._empties(sizes)),
            self._find_equals(sizes),
            tuple(
                place
                for place, parameter in enumerate(self.parameters)
                if parameter.jagged is None and any(isinstance(op, Flatten) for op in parameter.ops)
            ),
        )

    def _find_equals(self, sizes: Mapping[str, Size]) -> Callable[[], tuple[Equals, ...]]:
        """What finds the facts about equal sizes; ``sizes`` are those that a call knows."""
        # How long a sequence of a jagged tensor is, is no question of its sizes.
        jagged = (one.source.shape for one in self.parameters if one.jagged is not None)
        known = {
            *self.constexpr_sizes,
            *(name for shape in jagged for name in symbol_names(*shape)),
        }
        own = {name: Extent(*sizes[name]) for name in sizes if name not in known}
        tensors = [
            (place, one)
            for place, one in enumerate(self.parameters)
            if one.kind == "tensor" and one.jagged is None
        ]
        levels = [one.levels for _, one in tensors]
        strides = [
            [
                Extent(stride.args[0], place, dim, is_stride=True)
                for dim, stride in enumerate(one.source.strides)
                if stride.op == "sym"
            ]
            for place, one in tensors
        ]
        chains = [(one.source.shape, one.ops) for _, one in tensors]
        return partial(_equals, levels, chains, own, strides)

    def _empties(self, sizes: Mapping[str, Size]) -> Iterator[Emptiness]:
        """When no element of a parameter exists; ``sizes`` are those that a call knows, by name."""
        known = {*sizes, *self.constexprs}
        for place, parameter in enumerate(self.parameters):
            for unknown in unknown_sizes(parameter.ops):
                size = empty_where(unknown, self.meta)
                names = [] if size is None else symbol_names(size)
                if size is not None and known.issuperset(names):
                    used = tuple(sizes[name] for name in names if name in sizes)
                    yield Emptiness(place, python_text(size), used, needs_zero(size, sizes))

    def encoded(self) -> str:
        """Canonical text of all but the application and the pipeline, the same in every process."""
        parameters = [
            (item.name, self.firsts[item.origin], item.source, item.ops, item.jagged)
            for item in self.parameters
        ]
        chosen = (self.meta, self.constexprs, self.constexpr_sizes, self.keywords)
        chosen = [tuple(each.items()) for each in chosen]
        return encoded((self.name, parameters, chosen, self.decisions, self.size_decisions))


def _equals(
    levels: Sequence[Levels],
    chains: Sequence[tuple[Sizes, Sequence[MetaOp]]],
    sizes: Mapping[str, Extent],
    strides: Sequence[Sequence[Extent]],
) -> tuple[Equals, ...]:
    single = itertools.chain.from_iterable(single_tiles(*chain) for chain in chains)
    facts = [
        tuple((sizes[one], sizes[two]) for one, two in fact)
        for fact in equal_sizes(levels, list(sizes), single)
    ]
    pairs = tuple(
        pair
        for earlier, later in alike(levels, list(sizes))
        # A vector's is mostly 1, and lanes of more dims take registers to no gain.
        if len(strides[earlier]) == len(strides[later]) == 2
        for pair in zip(strides[earlier], strides[later], strict=True)
        if pair[0].name != pair[1].name
    )
    # Of many strides no call has all equal, and to ask takes time.
    return (*facts, *([pairs] if 0 < len(pairs) <= _MOST_STRIDES else []))
