"""Base classes of meta-operations: maps from the new tensor's indices to the old one's.

A tensor has *levels*, outermost first; each is a tuple of sizes. An operation defines, for its
level:

- ``result``: the levels of the new tensor;
- ``source``: the old index of a new one, and ``guards``: when that lies inside the old tensor;
- ``locate``: a new index of an old one, where there is one, which proofs start from;
- ``requirements``: preconditions on sizes that only a call knows.

``meta_ops`` has the operations, and ``access`` composes them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from ninetoothed.errors import ArrangementError, Loc, counted
from ninetoothed.symbolic.expr import IndexExpr, const, maximum, symbol_names
from ninetoothed.symbolic.intervals import Assumptions, Range, bounds
from ninetoothed.symbolic.normal_form import always_less, always_nonnegative, normalize

Sizes = tuple[IndexExpr, ...]
Levels = tuple[Sizes, ...]
Convert = Callable[[IndexExpr], IndexExpr]


@dataclass(frozen=True)
class Guard:
    """The condition ``0 <= index < size``."""

    index: IndexExpr
    size: IndexExpr


NOTHING = Guard(const(0), const(0))
"""The guard of a tensor of which no element exists."""


@dataclass(frozen=True)
class Requirement:
    """``left relation right``, ``relation`` being ``"="`` or ``"<="``."""

    left: IndexExpr
    relation: str
    right: IndexExpr

    def decide(self, assumptions: Assumptions) -> bool | None:
        """True if it is proved for all sizes, False if refuted for all, None if neither."""
        difference = normalize(self.right - self.left)
        if self.relation == "<=":
            if always_nonnegative(difference, assumptions):
                return True
            return False if always_less(self.right, self.left, assumptions) else None
        if difference.value is not None:
            return difference.value == 0
        lower, upper = bounds(difference, assumptions)
        apart = (lower is not None and lower > 0) or (upper is not None and upper < 0)
        return False if apart else None


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

    def locate(self, levels: Levels, indices: Levels, assumptions: Assumptions) -> Levels:
        """Indices of the new tensor that the old ``indices`` are likely to come from.

        A proposal: what follows from it is proved by putting it into :meth:`source`.
        """
        raise NotImplementedError

    def guards(self, levels: Levels, old: Levels, new: Levels) -> list[Guard]:
        """Conditions under which the ``old`` indices of ``new`` ones lie inside the old tensor."""
        return []

    def requirements(self, levels: Levels) -> list[Requirement]:
        """Preconditions on sizes that only a call knows."""
        return []

    def on(self, levels: Levels) -> MetaOp:
        """The operation as it is kept of a tensor of these ``levels``."""
        return self

    def map(self, function: Convert) -> MetaOp:
        """The operation with ``function`` applied to every expression that it holds."""
        return self

    def substitute(self, function: Convert, old: Levels, new: Levels) -> MetaOp:
        """The operation on ``new`` levels, which the ``old`` ones become where ``function`` gives
        symbols their values: :meth:`map`, but a whole dim of the old is a whole dim of the new.

        With fewer symbols, a level may spell its sizes otherwise than what was computed from the
        old one, and the two need not be proved equal again.
        """
        return self.map(function)

    @property
    def expressions(self) -> Sizes:
        """Every expression that the operation holds."""
        found: list[IndexExpr] = []
        self.map(lambda expr: found.append(expr) or expr)
        return tuple(found)

    def fail(self, message: str) -> ArrangementError:
        """The error to raise."""
        return ArrangementError(f"{self.name}: {message}", self.loc)

    @property
    def place(self) -> str:
        """Source location of the operation, for the message of a check."""
        return (
            ""
            if self.loc is None
            else f" ({os.path.basename(self.loc.file)}, line {self.loc.line})"
        )

    def check_count(self, what: str, given: Sequence[object], sizes: Sizes) -> None:
        """Check that there is one entry a dim.

        Raises:
            ArrangementError: there is not.
        """
        if len(given) != len(sizes):
            raise self.fail(
                f"{what} {shape_text(given)} has length {len(given)}, but the tensor has "
                f"{counted(len(sizes), 'dim')}, of sizes {shape_text(sizes)}; give one entry a dim"
            )


@dataclass(frozen=True)
class AtMostOne(MetaOp):
    """Base class of the operations on dims of at most one element: ``expand`` and ``squeeze``.

    A dim of size 0 makes a tensor of which no element exists, whatever its new sizes. Where only a
    call knows a size, the kernel is for size 1, and pays no guard. ``unknown`` are these sizes,
    noted by :meth:`on`. ``empty``: the kernel is for calls in which one of the tensor's is 0.
    """

    empty: bool = field(default=False, kw_only=True)
    unknown: Sizes = field(default=(), compare=False, kw_only=True)

    def single(self, levels: Levels) -> Sizes:
        """The sizes that are at most 1."""
        raise NotImplementedError

    def guards(self, levels: Levels, old: Levels, new: Levels) -> list[Guard]:
        numbers = (normalize(size).value for size in self.single(levels))
        nothing = self.empty or any(number is not None and number < 1 for number in numbers)
        return [NOTHING] if nothing else []

    def requirements(self, levels: Levels) -> list[Requirement]:
        relation = "<=" if self.empty else "="
        return [Requirement(size, relation, const(1)) for size in self._unknown(levels)]

    def on(self, levels: Levels) -> MetaOp:
        unknown = self._unknown(levels)
        return replace(self, unknown=unknown) if unknown else self

    def map(self, function: Convert) -> MetaOp:
        return replace(self, unknown=mapped(function, self.unknown)) if self.unknown else self

    def _unknown(self, levels: Levels) -> Sizes:
        return tuple(size for size in self.single(levels) if normalize(size).value is None)


def shape_text(values: Iterable[object]) -> str:
    """A shape as users write it: ``(4,)``, ``(m, n)``."""
    items = [str(value) for value in values]
    return f"({', '.join(items)}{',' if len(items) == 1 else ''})"


def elements(size: IndexExpr, assumptions: Assumptions | None = None) -> IndexExpr:
    """Number of elements in a dim of ``size``; without ``assumptions``, no symbol is negative.

    A count of windows that are longer than their dim is below zero, which is none. It is printed as
    it is, but what is computed from it must start from zero: two of them make no product above it.
    """
    if assumptions is None:
        if size.op == "sym":
            return size
        assumptions = {name: Range.of(0) for name in symbol_names(size)}
    return size if always_nonnegative(size, assumptions) else maximum(size, 0)


def replaced(levels: Levels, level: int, *new: Sizes) -> Levels:
    """``levels`` with others in the place of one."""
    return (*levels[:level], *new, *levels[level + 1 :])


def mapped(function: Convert, values: Iterable[IndexExpr]) -> Sizes:
    """``function`` of each value."""
    return tuple(function(value) for value in values)


def inside(old: Sizes, sizes: Sizes) -> list[Guard]:
    """Guards that each index lies inside its size."""
    return [Guard(index, size) for index, size in zip(old, sizes, strict=True)]
