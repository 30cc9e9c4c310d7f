"""What an arranged tensor means: meta-operations as index maps, and their composition.

Every meta-operation is a map from the indices of the new tensor to the indices of the old one,
together with the guard that these lie inside the old shape. Their composition is one
:class:`Access`: from the indices of all levels to the indices of the source, and the guard. The
verifier, the lowering and the interpreters use this one implementation.

A tensor has *levels*, outermost first; each is a tuple of sizes. Level 0 counts programs; the last
is the block that an application computes with (a tensor of one level has a block of no dims); the
levels between are indexed by the application.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ninetoothed.errors import ArrangementError, Loc, counted
from ninetoothed.ir.index_expr import (
    IndexExpr,
    SymbolInfo,
    const,
    product,
    substitute,
    sym,
    symbol_names,
    symbols,
)
from ninetoothed.ir.index_normal import (
    Assumptions,
    Range,
    always_less,
    always_nonnegative,
    equal,
    normalize,
)

Sizes = tuple[IndexExpr, ...]
Levels = tuple[Sizes, ...]
Convert = Callable[[IndexExpr], IndexExpr]


@dataclass(frozen=True)
class MetaOp:
    """A meta-operation at ``level``; ``loc`` is where the user wrote it."""

    level: int
    loc: Loc | None = field(default=None, compare=False, repr=False, kw_only=True)

    @property
    def name(self) -> str:
        """The user's word for the operation."""
        return type(self).__name__.lower()

    def result(self, levels: Levels) -> Levels:
        """The levels of the new tensor.

        Raises:
            ArrangementError: the operation is impossible on a tensor of these levels.
        """
        raise NotImplementedError

    def source(self, levels: Levels, indices: Levels) -> Levels:
        """The old tensor's indices, from its ``levels`` and the new tensor's ``indices``."""
        raise NotImplementedError

    def guarded(self) -> bool:
        """Whether an index inside the new tensor may lie outside the old one."""
        return False

    def map(self, function: Convert) -> MetaOp:
        """The operation with ``function`` applied to every expression that it holds."""
        raise NotImplementedError

    def fail(self, message: str) -> ArrangementError:
        """The error to raise."""
        return ArrangementError(f"{self.name}: {message}", self.loc)

    def _count(self, what: str, given: Sequence[object], sizes: Sizes) -> None:
        if len(given) != len(sizes):
            raise self.fail(
                f"{what} {shape_text(given)} has length {len(given)}, but the tensor has "
                f"{counted(len(sizes), 'dim')}, of sizes {shape_text(sizes)}; give one entry a dim"
            )


def dynamic_sizes(tensors: Iterable[Levels], chosen: Collection[str]) -> tuple[IndexExpr, ...]:
    """The sizes of blocks that depend on more than the ``chosen`` symbols: those only a call knows.

    In normal form, each once, in the order of the tensors.
    """
    found: dict[IndexExpr, None] = {}
    for levels in tensors:
        for size in map(normalize, levels[-1] if len(levels) > 1 else ()):
            if any(name not in chosen for name in symbol_names(size)):
                found[size] = None
    return tuple(found)


def shape_text(values: Iterable[object]) -> str:
    """A shape as users write it: ``(4,)``, ``(m, n)``."""
    items = [str(value) for value in values]
    return f"({', '.join(items)}{',' if len(items) == 1 else ''})"


def _replace(levels: Levels, level: int, *new: Sizes) -> Levels:
    return (*levels[:level], *new, *levels[level + 1 :])


def _apply(function: Convert, values: Iterable[IndexExpr]) -> Sizes:
    return tuple(function(value) for value in values)


@dataclass(frozen=True)
class Tile(MetaOp):
    """Blocks of ``sizes``, ``strides`` apart, of elements ``dilation`` apart: two levels in one's
    place.

    ``outer * stride + inner * dilation``; the number of blocks is
    ``ceil((n - dilation * (size - 1) - 1) / stride) + 1``, rounded down in floor mode.
    """

    sizes: Sizes
    strides: Sizes
    dilation: Sizes
    floor_mode: bool = False

    @staticmethod
    def of(
        level: int,
        levels: Levels,
        sizes: Sequence[IndexExpr],
        strides: Sequence[IndexExpr] | None,
        dilation: Sequence[IndexExpr] | None,
        floor_mode: bool,
        loc: Loc | None,
    ) -> Tile:
        """The operation with its defaults filled in: -1 is the whole dim, or the tile's own size.

        Raises:
            ArrangementError: a wrong number of entries, or an entry that cannot be.
        """
        draft = Tile(level, tuple(sizes), (), (), floor_mode, loc=loc)
        dims = levels[level]
        draft._count("the tile shape", sizes, dims)
        for size in sizes:
            if size.value is not None and size.value < 1 and size.value != -1:
                raise draft.fail(
                    f"a tile of size {size} in {shape_text(sizes)}; "
                    "sizes are at least 1, or -1 for the whole dim"
                )
        whole = tuple(
            dim if size.value == -1 else size for size, dim in zip(sizes, dims, strict=True)
        )
        # A dim of no elements makes a whole-dim tile, and its own stride, of size 0.
        given = () if strides is None else strides
        strides = whole if strides is None else strides
        draft._count("strides", strides, dims)
        for stride in given:
            if stride.value is not None and stride.value < 1 and stride.value != -1:
                raise draft.fail(
                    f"a stride of {stride}; strides are at least 1, or -1 for the tile"
                )
        strides = tuple(
            size if stride.value == -1 else stride
            for stride, size in zip(strides, whole, strict=True)
        )
        if dilation is None:
            dilation = (const(1),) * len(dims)
        draft._count("dilation", dilation, dims)
        for step in dilation:
            if step.value is not None and step.value < 1:
                raise draft.fail(f"a dilation of {step}; dilations are at least 1")
        return replace(draft, sizes=whole, strides=strides, dilation=tuple(dilation))

    def result(self, levels: Levels) -> Levels:
        outer: list[IndexExpr] = []
        for dim, size, stride, step in zip(
            levels[self.level], self.sizes, self.strides, self.dilation, strict=True
        ):
            if size == dim and (step.value == 1 or dim.value == 0):
                # One block holds the whole dim, of whatever size.
                outer.append(const(1))
                continue
            span = dim - step * (size - 1) - 1
            if not self.floor_mode:
                span = span + stride - 1
            count = span // stride + 1
            # A window longer than the dim fits nowhere.
            outer.append(count if count.value is None else const(max(count.value, 0)))
        return _replace(levels, self.level, tuple(outer), self.sizes)

    def source(self, levels: Levels, indices: Levels) -> Levels:
        outer, inner = indices[self.level], indices[self.level + 1]
        old = tuple(
            o * stride + i * step
            for o, stride, i, step in zip(outer, self.strides, inner, self.dilation, strict=True)
        )
        return (*indices[: self.level], old, *indices[self.level + 2 :])

    def guarded(self) -> bool:
        return True

    def map(self, function: Convert) -> MetaOp:
        return replace(
            self,
            sizes=_apply(function, self.sizes),
            strides=_apply(function, self.strides),
            dilation=_apply(function, self.dilation),
        )


@dataclass(frozen=True)
class Expand(MetaOp):
    """Dims of size 1 are repeated; an entry of -1 keeps a dim."""

    sizes: Sizes

    def _expanded(self, levels: Levels) -> list[bool]:
        self._count("the shape", self.sizes, levels[self.level])
        return [
            size.value != -1 and not equal(size, dim)
            for size, dim in zip(self.sizes, levels[self.level], strict=True)
        ]

    def result(self, levels: Levels) -> Levels:
        new: list[IndexExpr] = []
        old = levels[self.level]
        for axis, expanded in enumerate(self._expanded(levels)):
            size = normalize(old[axis]).value
            if expanded and size is not None and size != 1:
                raise self.fail(
                    f"dim {axis} of {shape_text(old)} has size {size}, and only dims of size 1 can "
                    f"be expanded, here to {self.sizes[axis]}; write -1 to keep the dim"
                )
            new.append(self.sizes[axis] if expanded else old[axis])
        return _replace(levels, self.level, tuple(new))

    def source(self, levels: Levels, indices: Levels) -> Levels:
        zero = const(0)
        old = tuple(
            zero if expanded else index
            for expanded, index in zip(self._expanded(levels), indices[self.level], strict=True)
        )
        return _replace(indices, self.level, old)

    def ones(self, levels: Levels) -> list[IndexExpr]:
        """The sizes that must be 1."""
        dims = zip(self._expanded(levels), levels[self.level], strict=True)
        return [dim for expanded, dim in dims if expanded]

    def map(self, function: Convert) -> MetaOp:
        return replace(self, sizes=_apply(function, self.sizes))


@dataclass(frozen=True)
class Squeeze(MetaOp):
    """Dims of size 1 are removed. ``dims`` ascend."""

    dims: tuple[int, ...]

    def result(self, levels: Levels) -> Levels:
        old = levels[self.level]
        for dim in self.dims:
            size = normalize(old[dim]).value
            if size is not None and size != 1:
                raise self.fail(
                    f"dim {dim} of {shape_text(old)} has size {size}; only dims of size 1 can be "
                    "removed"
                )
        kept = tuple(size for dim, size in enumerate(old) if dim not in self.dims)
        return _replace(levels, self.level, kept)

    def source(self, levels: Levels, indices: Levels) -> Levels:
        old = list(indices[self.level])
        for dim in self.dims:
            old.insert(dim, const(0))
        return _replace(indices, self.level, tuple(old))

    def ones(self, levels: Levels) -> list[IndexExpr]:
        """The sizes that must be 1."""
        return [levels[self.level][dim] for dim in self.dims]

    def map(self, function: Convert) -> MetaOp:
        return self


@dataclass(frozen=True)
class Unsqueeze(MetaOp):
    """A dim of size 1 is inserted before ``dim``."""

    dim: int

    def result(self, levels: Levels) -> Levels:
        new = list(levels[self.level])
        new.insert(self.dim, const(1))
        return _replace(levels, self.level, tuple(new))

    def source(self, levels: Levels, indices: Levels) -> Levels:
        old = list(indices[self.level])
        del old[self.dim]
        return _replace(indices, self.level, tuple(old))

    def map(self, function: Convert) -> MetaOp:
        return self


@dataclass(frozen=True)
class Permute(MetaOp):
    """New dim ``i`` is old dim ``dims[i]``."""

    dims: tuple[int, ...]

    def result(self, levels: Levels) -> Levels:
        old = levels[self.level]
        return _replace(levels, self.level, tuple(old[dim] for dim in self.dims))

    def source(self, levels: Levels, indices: Levels) -> Levels:
        new = indices[self.level]
        old = tuple(new[self.dims.index(dim)] for dim in range(len(self.dims)))
        return _replace(indices, self.level, old)

    def map(self, function: Convert) -> MetaOp:
        return self


@dataclass(frozen=True)
class Flatten(MetaOp):
    """Dims ``start`` to ``end``, exclusive, become one, in row-major order."""

    start: int
    end: int

    def result(self, levels: Levels) -> Levels:
        old = levels[self.level]
        merged = product(old[self.start : self.end])
        return _replace(levels, self.level, (*old[: self.start], merged, *old[self.end :]))

    def source(self, levels: Levels, indices: Levels) -> Levels:
        sizes = levels[self.level][self.start : self.end]
        new = indices[self.level]
        parts: list[IndexExpr] = []
        rest = new[self.start]
        for position in range(len(sizes)):
            below = product(sizes[position + 1 :])
            if below.value == 0 or sizes[position].value == 0:
                # An empty tensor has no element to be found.
                parts.append(const(0))
                continue
            quotient = rest // below
            # The first part needs no remainder: the merged index lies inside the merged size.
            parts.append(quotient if position == 0 else quotient % sizes[position])
        old = (*new[: self.start], *parts, *new[self.start + 1 :])
        return _replace(indices, self.level, old)

    def map(self, function: Convert) -> MetaOp:
        return self


def apply_all(ops: Sequence[MetaOp], levels: Levels) -> Levels:
    """The levels after ``ops``."""
    for op in ops:
        levels = op.result(levels)
    return levels


@dataclass(frozen=True)
class Guard:
    """The condition ``0 <= index < size``."""

    index: IndexExpr
    size: IndexExpr


@dataclass(frozen=True)
class Access:
    """``indices`` of the source and the ``guards``, over the index variables of ``levels``.

    :func:`index_names` names the variables. An element exists where every guard holds.
    """

    levels: Levels
    indices: Sizes
    guards: tuple[Guard, ...]

    def substitute(self, values: Mapping[str, IndexExpr | int]) -> Access:
        """The access with symbols replaced, in normal form."""

        def put(expr: IndexExpr) -> IndexExpr:
            return normalize(substitute(expr, values))

        return Access(
            tuple(tuple(put(size) for size in sizes) for sizes in self.levels),
            tuple(put(index) for index in self.indices),
            tuple(Guard(put(guard.index), put(guard.size)) for guard in self.guards),
        )


def index_names(levels: Levels) -> tuple[tuple[str, ...], ...]:
    """The index variables: ``g0 g1 …`` of the programs, ``b0 …`` of the block, ``k1_0 …`` of level
    1.
    """
    last = len(levels) - 1
    return tuple(
        tuple(
            f"g{dim}" if level == 0 else f"b{dim}" if level == last else f"k{level}_{dim}"
            for dim in range(len(sizes))
        )
        for level, sizes in enumerate(levels)
    )


def compose(source: Sizes, ops: Sequence[MetaOp], assumptions: Assumptions) -> Access:
    """One access for a chain of meta-operations on a source of sizes ``source``.

    Indices of programs and of the block are inside their sizes; those of the levels between are the
    application's, so they are guarded. Guards that then always hold are left out.
    """
    # The same arrangement is composed for every signature, and proofs take milliseconds.
    return _compose(source, tuple(ops), tuple(assumptions.items()))


@functools.lru_cache(maxsize=512)
def _compose(
    source: Sizes, ops: tuple[MetaOp, ...], assumptions: tuple[tuple[str, Range], ...]
) -> Access:
    states: list[Levels] = [(source,)]
    for op in ops:
        states.append(op.result(states[-1]))
    levels = tuple(tuple(normalize(size) for size in sizes) for sizes in states[-1])
    names = index_names(levels)
    indices: Levels = tuple(tuple(sym(name) for name in row) for row in names)
    guards: list[Guard] = []
    ranges = dict(assumptions)
    for level, row in enumerate(names):
        between = 0 < level < len(levels) - 1
        for name, size in zip(row, levels[level], strict=True):
            if between:
                guards.append(Guard(sym(name), size))
            else:
                ranges[name] = Range(const(0), size - 1)
    for op, old in zip(reversed(ops), reversed(states[:-1]), strict=True):
        indices = op.source(old, indices)
        if op.guarded():
            pairs = zip(indices[op.level], old[op.level], strict=True)
            guards.extend(Guard(index, size) for index, size in pairs)
    kept: dict[Guard, None] = {}
    for guard in guards:
        guard = Guard(normalize(guard.index), normalize(guard.size))
        if not holds(guard, ranges):
            kept[guard] = None
    needed = tuple(guard for guard in kept if not _implied(guard, kept, ranges))
    return Access(levels, tuple(normalize(index) for index in indices[0]), needed)


def _implied(guard: Guard, others: Iterable[Guard], assumptions: Assumptions) -> bool:
    """Whether ``x < n ceildiv s`` follows from another guard ``x * s + r < n`` with ``0 <= r < s``."""
    if guard.size.op != "ceildiv":
        return False
    total, step = guard.size.args
    for other in others:
        if other.size != total:
            continue
        rest = other.index - guard.index * step
        if always_nonnegative(rest, assumptions) and always_less(rest, step, assumptions):
            return True
    return False


def holds(guard: Guard, assumptions: Assumptions) -> bool:
    """Whether ``guard`` is proved to hold always."""
    return always_nonnegative(guard.index, assumptions) and always_less(
        guard.index, guard.size, assumptions
    )


def declared_range(info: SymbolInfo | None) -> Range:
    """What a symbol's declaration says of its value."""
    if info is None or info.kind == "stride":
        return Range()
    return Range.of(info.lower, info.upper)


def declared_ranges(exprs: Iterable[IndexExpr]) -> dict[str, Range]:
    """The declared ranges of all symbols in ``exprs``."""
    return {symbol.args[0]: declared_range(symbol.args[1]) for symbol in symbols(*exprs)}
