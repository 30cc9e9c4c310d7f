"""The meta-operations: ``tile``, ``expand``, ``squeeze``, ``unsqueeze``, ``permute``, ``flatten``,
``ravel``, ``pad`` and slices; and the renumbering of programs, which only the compiler does.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ninetoothed.errors import Loc
from ninetoothed.layout.meta_op import (
    AtMostOne,
    Convert,
    Guard,
    Levels,
    MetaOp,
    Requirement,
    Sizes,
    elements,
    inside,
    mapped,
    replaced,
    shape_text,
)
from ninetoothed.layout.row_major import runs
from ninetoothed.symbolic.expr import IndexExpr, const, minimum, product, symbol_names
from ninetoothed.symbolic.intervals import Assumptions, Range, bounds
from ninetoothed.symbolic.normal_form import always_less, always_nonnegative, equal, normalize

_ZERO, _ONE = const(0), const(1)


@dataclass(frozen=True)
class Tile(MetaOp):
    """Blocks of ``sizes``, ``strides`` apart, of elements ``dilation`` apart: two levels in one's
    place.

    ``outer * stride + inner * dilation``; the number of blocks is
    ``ceil((n - dilation * (size - 1) - 1) / stride) + 1``, rounded down in floor mode. Blocks that
    are 0 apart are one and the same: a dim of size 1, which ``expand`` repeats.
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
        draft.check_count("the tile shape", sizes, dims)
        for size in sizes:
            if size.value is not None and size.value < 1 and size.value != -1:
                raise draft.fail(
                    f"a tile of size {size} in {shape_text(sizes)}; "
                    "sizes are at least 1, or -1 for the whole dim"
                )
        whole = tuple(
            elements(dim) if size.value == -1 else size
            for size, dim in zip(sizes, dims, strict=True)
        )
        # A dim of no elements makes a whole-dim tile, and its own stride, of size 0.
        strides = whole if strides is None else strides
        draft.check_count("strides", strides, dims)
        strides = tuple(
            size if stride.value == -1 else stride
            for stride, size in zip(strides, whole, strict=True)
        )
        if dilation is None:
            dilation = (const(1),) * len(dims)
        draft.check_count("dilation", dilation, dims)
        return replace(draft, sizes=whole, strides=strides, dilation=tuple(dilation))

    def result(self, levels: Levels) -> Levels:
        outer: list[IndexExpr] = []
        for dim, size, stride, step in zip(
            levels[self.level], self.sizes, self.strides, self.dilation, strict=True
        ):
            length = elements(dim)
            whole = equal(size, length)
            if size.value is not None and size.value < 1 and not whole:
                raise self.fail(f"a tile of size {size}; sizes are at least 1")
            if stride.value is not None and stride.value < 0:
                raise self.fail(
                    f"a stride of {stride}; strides are at least 1, 0 for one block that expand "
                    "repeats, or -1 for the tile"
                )
            if step.value is not None and step.value < 1:
                raise self.fail(f"a dilation of {step}; dilations are at least 1")
            if (whole and step.value == 1) or stride.value == 0:
                # One block holds the whole dim, of whatever size.
                outer.append(_ONE)
                continue
            beyond = step * (size - 1)
            if length != dim and (self.floor_mode or always_nonnegative(beyond + 1 - stride, {})):
                # Otherwise blocks are so far apart that a dim of no elements has one.
                length = dim
            span = length - beyond - 1
            if not self.floor_mode:
                span = span + stride - 1
            count = span // stride + 1
            # A window longer than the dim fits nowhere. Programs are counted from what is printed,
            # blocks are made of it. Sizes of which the symbols cancel out are numbers.
            shown = self.level == 0 and normalize(count).value is None
            outer.append(count if shown else elements(count))
        return replaced(levels, self.level, tuple(outer), self.sizes)

    def source(self, levels: Levels, indices: Levels) -> Levels:
        outer, inner = indices[self.level], indices[self.level + 1]
        old = tuple(
            o * stride + i * step
            for o, stride, i, step in zip(outer, self.strides, inner, self.dilation, strict=True)
        )
        return (*indices[: self.level], old, *indices[self.level + 2 :])

    def locate(self, levels: Levels, indices: Levels, assumptions: Assumptions) -> Levels:
        outer: list[IndexExpr] = []
        inner: list[IndexExpr] = []
        counts = self.result(levels)[self.level]
        for index, count, size, stride, step in zip(
            indices[self.level], counts, self.sizes, self.strides, self.dilation, strict=True
        ):
            if count.value == 1 or stride.value == 0:
                outer.append(_ZERO)
                inner.append(index // step)
            elif always_less(stride, step, assumptions):
                # The blocks interleave.
                outer.append(index % step // stride)
                inner.append(index // step)
            elif always_nonnegative(stride - step * (size - 1) - 1, assumptions):
                outer.append(index // stride)
                inner.append(index % stride // step)
            else:
                # The blocks overlap; the last that has the index.
                block = minimum(index // stride, count - 1)
                outer.append(block)
                inner.append((index - block * stride) // step)
        return replaced(indices, self.level, tuple(outer), tuple(inner))

    def guards(self, levels: Levels, old: Levels, new: Levels) -> list[Guard]:
        return inside(old[self.level], levels[self.level])

    def requirements(self, levels: Levels) -> list[Requirement]:
        positive: dict[IndexExpr, None] = {}
        for dim, size, stride, step in zip(
            levels[self.level], self.sizes, self.strides, self.dilation, strict=True
        ):
            whole = equal(size, elements(dim))
            if not whole:
                positive[size] = None
            # A dilated window of the whole dim, its own length apart, needs a length.
            dilated = step.value != 1 and whole
            if stride.value != 0 and (dilated or not equal(stride, size)):
                positive[stride] = None
            positive[step] = None
        return [Requirement(_ONE, "<=", number) for number in positive if number.value is None]

    def map(self, function: Convert) -> MetaOp:
        return replace(
            self,
            sizes=mapped(function, self.sizes),
            strides=mapped(function, self.strides),
            dilation=mapped(function, self.dilation),
        )

    def substitute(self, function: Convert, old: Levels, new: Levels) -> MetaOp:
        sizes: list[IndexExpr] = []
        strides: list[IndexExpr] = []
        for dim, fresh, size, stride in zip(
            old[self.level], new[self.level], self.sizes, self.strides, strict=True
        ):
            whole = equal(size, elements(dim))
            sizes.append(elements(fresh) if whole else function(size))
            strides.append(elements(fresh) if whole and equal(stride, size) else function(stride))
        return replace(self.map(function), sizes=tuple(sizes), strides=tuple(strides))


@dataclass(frozen=True)
class Expand(AtMostOne):
    """Dims of size 1 are repeated; an entry of -1 keeps a dim."""

    sizes: Sizes

    def _expanded(self, levels: Levels) -> list[bool]:
        self.check_count("the shape", self.sizes, levels[self.level])
        return [
            size.value != -1 and not equal(size, dim)
            for size, dim in zip(self.sizes, levels[self.level], strict=True)
        ]

    def result(self, levels: Levels) -> Levels:
        new: list[IndexExpr] = []
        old = levels[self.level]
        for axis, expanded in enumerate(self._expanded(levels)):
            size = normalize(old[axis]).value
            wanted = self.sizes[axis].value
            if expanded and wanted is not None and wanted < 0:
                raise self.fail(
                    f"a size of {wanted} in {shape_text(self.sizes)}; sizes are at least 0, or -1 "
                    "to keep the dim"
                )
            if expanded and size is not None and size > 1:
                raise self.fail(
                    f"dim {axis} of {shape_text(old)} has size {size}, and only dims of size at "
                    f"most 1 can be expanded, here to {self.sizes[axis]}; write -1 to keep the dim"
                )
            # Programs are counted from what is printed, blocks are made of it.
            repeats = self.sizes[axis] if self.level == 0 else elements(self.sizes[axis])
            new.append(repeats if expanded else old[axis])
        return replaced(levels, self.level, tuple(new))

    def source(self, levels: Levels, indices: Levels) -> Levels:
        old = tuple(
            _ZERO if expanded else index
            for expanded, index in zip(self._expanded(levels), indices[self.level], strict=True)
        )
        return replaced(indices, self.level, old)

    def locate(self, levels: Levels, indices: Levels, assumptions: Assumptions) -> Levels:
        return self.source(levels, indices)

    def single(self, levels: Levels) -> Sizes:
        dims = zip(self._expanded(levels), levels[self.level], strict=True)
        return tuple(dim for expanded, dim in dims if expanded)

    def map(self, function: Convert) -> Expand:
        def convert(size: IndexExpr) -> IndexExpr:
            new = function(size)
            # The number of windows that do not fit is none, and no -1 that keeps a dim.
            return new if size.value is not None or new.value is None else elements(new)

        unknown = mapped(function, self.unknown)
        return replace(self, sizes=mapped(convert, self.sizes), unknown=unknown)

    def substitute(self, function: Convert, old: Levels, new: Levels) -> MetaOp:
        found = self.map(function)
        rows = zip(self._expanded(old), self.sizes, found.sizes, new[self.level], strict=True)
        sizes = tuple(
            size if expanded or given.value == -1 else dim for expanded, given, size, dim in rows
        )
        return replace(found, sizes=sizes)


@dataclass(frozen=True)
class Squeeze(AtMostOne):
    """Dims of size 1 are removed. ``dims`` ascend."""

    dims: tuple[int, ...]

    def result(self, levels: Levels) -> Levels:
        old = levels[self.level]
        for dim in self.dims:
            size = normalize(old[dim]).value
            if size is not None and size > 1:
                raise self.fail(
                    f"dim {dim} of {shape_text(old)} has size {size}; only dims of size at most 1 "
                    "can be removed"
                )
        kept = tuple(size for dim, size in enumerate(old) if dim not in self.dims)
        return replaced(levels, self.level, kept)

    def source(self, levels: Levels, indices: Levels) -> Levels:
        old = list(indices[self.level])
        for dim in self.dims:
            old.insert(dim, _ZERO)
        return replaced(indices, self.level, tuple(old))

    def locate(self, levels: Levels, indices: Levels, assumptions: Assumptions) -> Levels:
        old = indices[self.level]
        kept = tuple(index for dim, index in enumerate(old) if dim not in self.dims)
        return replaced(indices, self.level, kept)

    def single(self, levels: Levels) -> Sizes:
        return tuple(levels[self.level][dim] for dim in self.dims)


@dataclass(frozen=True)
class Unsqueeze(MetaOp):
    """A dim of size 1 is inserted before ``dim``."""

    dim: int

    def result(self, levels: Levels) -> Levels:
        new = list(levels[self.level])
        new.insert(self.dim, _ONE)
        return replaced(levels, self.level, tuple(new))

    def source(self, levels: Levels, indices: Levels) -> Levels:
        old = list(indices[self.level])
        del old[self.dim]
        return replaced(indices, self.level, tuple(old))

    def locate(self, levels: Levels, indices: Levels, assumptions: Assumptions) -> Levels:
        new = list(indices[self.level])
        new.insert(self.dim, _ZERO)
        return replaced(indices, self.level, tuple(new))


@dataclass(frozen=True)
class Permute(MetaOp):
    """New dim ``i`` is old dim ``dims[i]``."""

    dims: tuple[int, ...]

    def result(self, levels: Levels) -> Levels:
        old = levels[self.level]
        return replaced(levels, self.level, tuple(old[dim] for dim in self.dims))

    def source(self, levels: Levels, indices: Levels) -> Levels:
        new = indices[self.level]
        old = tuple(new[self.dims.index(dim)] for dim in range(len(self.dims)))
        return replaced(indices, self.level, old)

    def locate(self, levels: Levels, indices: Levels, assumptions: Assumptions) -> Levels:
        old = indices[self.level]
        return replaced(indices, self.level, tuple(old[dim] for dim in self.dims))


@dataclass(frozen=True)
class Flatten(MetaOp):
    """Dims ``start`` to ``end``, exclusive, become one, in row-major order."""

    start: int
    end: int

    def result(self, levels: Levels) -> Levels:
        old = levels[self.level]
        sizes = old[self.start : self.end]
        counts = tuple(map(elements, sizes))
        # One factor below zero makes a product below zero, which is none either.
        certain = sum(map(operator.ne, counts, sizes)) <= 1
        merged = product(sizes if certain else counts)
        return replaced(levels, self.level, (*old[: self.start], merged, *old[self.end :]))

    def source(self, levels: Levels, indices: Levels) -> Levels:
        sizes = levels[self.level][self.start : self.end]
        new = indices[self.level]
        parts = unravelled(new[self.start], sizes)
        old = (*new[: self.start], *parts, *new[self.start + 1 :])
        return replaced(indices, self.level, old)

    def locate(self, levels: Levels, indices: Levels, assumptions: Assumptions) -> Levels:
        old = indices[self.level]
        sizes = levels[self.level]
        merged = ravelled(old[self.start : self.end], sizes[self.start : self.end])
        return replaced(indices, self.level, (*old[: self.start], merged, *old[self.end :]))


@dataclass(frozen=True)
class Ravel(MetaOp):
    """This level and all below become one level, their dims side by side."""

    def result(self, levels: Levels) -> Levels:
        return (*levels[: self.level], tuple(size for row in levels[self.level :] for size in row))

    def source(self, levels: Levels, indices: Levels) -> Levels:
        joined = iter(indices[self.level])
        split = tuple(tuple(next(joined) for _ in row) for row in levels[self.level :])
        return (*indices[: self.level], *split)

    def locate(self, levels: Levels, indices: Levels, assumptions: Assumptions) -> Levels:
        return self.result(indices)


@dataclass(frozen=True)
class Pad(MetaOp):
    """``left`` and ``right`` more elements around each dim, which do not exist; negative: fewer."""

    left: Sizes
    right: Sizes

    def result(self, levels: Levels) -> Levels:
        old = levels[self.level]
        self.check_count("the list of pairs", self.left, old)
        new = tuple(
            elements(size) + left + right
            for size, left, right in zip(old, self.left, self.right, strict=True)
        )
        for dim, size in enumerate(new):
            number = normalize(size).value
            if number is not None and number < 0:
                raise self.fail(
                    f"dim {dim} of {shape_text(old)} would have the size {number}; "
                    "crop no more than there is"
                )
        return replaced(levels, self.level, new)

    def source(self, levels: Levels, indices: Levels) -> Levels:
        new = indices[self.level]
        old = tuple(index - left for index, left in zip(new, self.left, strict=True))
        return replaced(indices, self.level, old)

    def locate(self, levels: Levels, indices: Levels, assumptions: Assumptions) -> Levels:
        old = indices[self.level]
        new = tuple(index + left for index, left in zip(old, self.left, strict=True))
        return replaced(indices, self.level, new)

    def guards(self, levels: Levels, old: Levels, new: Levels) -> list[Guard]:
        return inside(old[self.level], levels[self.level])

    def requirements(self, levels: Levels) -> list[Requirement]:
        sizes = map(normalize, self.result(levels)[self.level])
        return [Requirement(_ZERO, "<=", size) for size in sizes]

    def map(self, function: Convert) -> MetaOp:
        return replace(self, left=mapped(function, self.left), right=mapped(function, self.right))


@dataclass(frozen=True)
class Slice(MetaOp):
    """``sizes`` elements of each dim, from ``starts`` on, ``steps`` apart, steps of either sign."""

    starts: Sizes
    steps: Sizes
    sizes: Sizes

    def result(self, levels: Levels) -> Levels:
        self.check_count("the slice", self.sizes, levels[self.level])
        for requirement in self.requirements(levels):
            if requirement.decide({}) is False:
                raise self.fail(
                    f"{normalize(requirement.left)} {requirement.relation} "
                    f"{normalize(requirement.right)} does not hold for a tensor of sizes "
                    f"{shape_text(levels[self.level])}; slice inside it"
                )
        return replaced(levels, self.level, self.sizes)

    def source(self, levels: Levels, indices: Levels) -> Levels:
        old = tuple(
            start + index * step
            for start, index, step in zip(self.starts, indices[self.level], self.steps, strict=True)
        )
        return replaced(indices, self.level, old)

    def locate(self, levels: Levels, indices: Levels, assumptions: Assumptions) -> Levels:
        # Divisors are positive.
        new = tuple(
            (start - index) // -step if backwards(step) else (index - start) // step
            for start, index, step in zip(self.starts, indices[self.level], self.steps, strict=True)
        )
        return replaced(indices, self.level, new)

    def requirements(self, levels: Levels) -> list[Requirement]:
        # With these, every index lies inside the old tensor, so there is no guard. Where they fail,
        # NumPy would clamp.
        found: list[Requirement] = []
        for dim, start, step, size in zip(
            levels[self.level], self.starts, self.steps, self.sizes, strict=True
        ):
            dim = elements(dim)
            last = start + (size - 1) * step
            low, high = (last, start) if backwards(step) else (start, last)
            if size.value == 0:
                continue
            found += [
                Requirement(_ZERO, "<=", normalize(size)),
                Requirement(_ZERO, "<=", normalize(low)),
                Requirement(normalize(high + 1), "<=", dim),
            ]
        return [requirement for requirement in found if requirement.decide({}) is not True]

    def map(self, function: Convert) -> MetaOp:
        return replace(
            self,
            starts=mapped(function, self.starts),
            steps=mapped(function, self.steps),
            sizes=mapped(function, self.sizes),
        )


@dataclass(frozen=True)
class Renumber(MetaOp):
    """The outermost level takes the shape ``sizes`` of the programs: program ``p`` has its element
    ``p``, row-major.

    ``count`` says how many elements it has. ``"equal"``: as many as there are programs.
    ``"fewer"``: no more. ``"any"``: any number. Where there may be fewer, programs without an
    element are outside the guard. A call checks the first two.
    """

    sizes: Sizes
    count: str

    def result(self, levels: Levels) -> Levels:
        if self.level != 0 or not (levels[0] or self.count == "equal"):
            raise self.fail("programs are given elements of the outermost level, which has a dim")
        return replaced(levels, 0, self.sizes)

    def source(self, levels: Levels, indices: Levels) -> Levels:
        old = self._reshaped(indices[0], self.sizes, levels[0])
        return replaced(indices, 0, old)

    def locate(self, levels: Levels, indices: Levels, assumptions: Assumptions) -> Levels:
        new = self._reshaped(indices[0], levels[0], self.sizes)
        return replaced(indices, 0, new)

    def _reshaped(self, index: Sizes, shape: Sizes, other: Sizes) -> Sizes:
        """The index in the shape ``other`` of the element at ``index`` of ``shape``."""
        shape, other = _counts(shape), _counts(other)
        found = [_ZERO] * len(other)
        for dims, others in self._parts(shape, other):
            number = ravelled([index[dim] for dim in dims], [shape[dim] for dim in dims])
            rest = unravelled(number, [other[dim] for dim in others])
            for dim, part in zip(others, rest, strict=True):
                found[dim] = part
        return tuple(found)

    def _parts(self, shape: Sizes, other: Sizes) -> Iterator[tuple[Sequence[int], Sequence[int]]]:
        """Dims of both shapes that are reshaped apart from the others."""
        parts = runs(shape, other) if self.count == "equal" else None
        if parts is None:
            yield range(len(shape)), range(len(other))
            return
        left, right = (
            [dim for dim, size in enumerate(sizes) if size.value != 1] for sizes in (shape, other)
        )
        for one, two in parts:
            yield left[: len(one)], right[: len(two)]
            left, right = left[len(one) :], right[len(two) :]

    def guards(self, levels: Levels, old: Levels, new: Levels) -> list[Guard]:
        if self.count == "equal":
            return []
        return [Guard(ravelled(new[0], _counts(self.sizes)), product(_counts(levels[0])))]

    def requirements(self, levels: Levels) -> list[Requirement]:
        own, programs = (product(_counts(sizes)) for sizes in (levels[0], self.sizes))
        if self.count == "any" or equal(own, programs):
            return []
        return [Requirement(own, "=" if self.count == "equal" else "<=", programs)]

    def map(self, function: Convert) -> MetaOp:
        return replace(self, sizes=mapped(function, self.sizes))


def _counts(sizes: Sizes) -> Sizes:
    """Numbers of elements, such that one that is 0 is seen to be."""
    return tuple(normalize(elements(normalize(size))) for size in sizes)


def ravelled(index: Sequence[IndexExpr], sizes: Sequence[IndexExpr]) -> IndexExpr:
    """The row-major number of an element."""
    merged: IndexExpr = _ZERO
    for part, size in zip(index, sizes, strict=True):
        merged = merged * size + part
    return merged


def unravelled(number: IndexExpr, sizes: Sequence[IndexExpr]) -> Sizes:
    """The index of the element of a row-major number, which lies inside ``sizes``."""
    if any(size.value == 0 for size in sizes):
        # An empty tensor has no element to be found.
        return (_ZERO,) * len(sizes)
    parts: list[IndexExpr] = []
    for position, size in enumerate(sizes):
        quotient = number // product(tuple(sizes[position + 1 :]))
        # The first part needs no remainder.
        parts.append(quotient if position == 0 else quotient % size)
    return tuple(parts)


def backwards(step: IndexExpr) -> bool:
    """True if a step is proved negative or 0, with all its symbols at least 0."""
    upper = bounds(normalize(step), {name: Range.of(0) for name in symbol_names(step)})[1]
    return upper is not None and upper <= 0


META_OPS: tuple[type[MetaOp], ...] = (
    Tile,
    Expand,
    Squeeze,
    Unsqueeze,
    Permute,
    Flatten,
    Ravel,
    Pad,
    Slice,
    Renumber,
)
"""All of them."""
