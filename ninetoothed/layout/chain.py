"""A symbolic tensor's data: its source, the chain of operations on it, and their levels.

Also how the arguments of a tensor's constructor and operations are read.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from ninetoothed import dtype as dtypes
from ninetoothed.errors import ArrangementError, DtypeWarning, Loc, caller_loc, counted, shown, warn
from ninetoothed.layout.meta_op import Levels, MetaOp, Sizes
from ninetoothed.layout.meta_ops import Ravel, Tile
from ninetoothed.symbol import Symbol, as_integer
from ninetoothed.symbolic.expr import IndexExpr, SymbolInfo, sym

MOST_DIMS = 64
"""Of a tensor, as of NumPy's and torch's."""

_MOST_ENTRIES = 1024
"""Of a sequence of one entry a dim; levels side by side have more dims than a tensor."""


@dataclass(frozen=True)
class Source:
    """The kernel argument behind a tensor.

    ``name`` is its identity. ``shape`` and ``strides`` are its sizes and its strides in elements;
    ``dtype`` its declared element type, or None. ``other`` is what lanes outside the tensor read,
    None: unspecified. ``constexpr`` marks a compile-time number; ``value`` bakes it. In a jagged
    tensor, the size of ``jagged_dim`` is the longest sequence's, and ``length`` is the symbol of
    the program's own. ``allow_races``: programs may write one element. ``batches``: the dims of
    programs, outermost first, that the arrangement was lifted behind, and of which the application
    knows nothing. True: it is a dim of the source, too. False: the tensor is repeated along it.
    """

    name: str
    shape: Sizes
    strides: Sizes
    dtype: str | None = None
    other: float | int | None = None
    constexpr: bool = False
    value: bool | int | float | None = None
    declared: Loc | None = None
    jagged_dim: int | None = None
    length: IndexExpr | None = None
    allow_races: bool = False
    batches: tuple[bool, ...] = ()

    @property
    def jagged(self) -> tuple[str, IndexExpr] | None:
        """Name of the longest sequence's size and the program's length; None unless jagged."""
        if self.jagged_dim is None or self.length is None:
            return None
        return self.shape[self.jagged_dim].args[0], self.length


@dataclass(frozen=True)
class Jagged:
    """The jagged ``dim`` of a source, and the names of three symbols.

    ``length`` and ``start`` are the program's: how long its sequence is, and how many elements
    along ``dim`` lie before it. ``offsets`` stands for all starts, the end of the last sequence
    behind them; checks compare it. ``bits`` is the width of its elements.
    """

    dim: int
    length: str
    start: str
    offsets: str
    bits: int = 64


@dataclass(frozen=True)
class Chain:
    """A source, the operations on it, and the levels that they give."""

    source: Source
    ops: tuple[MetaOp, ...]
    levels: Levels

    @property
    def expressions(self) -> list[IndexExpr]:
        """Every expression, in the order in which they were written."""
        return [*self.source.shape, *(expr for op in self.ops for expr in op.expressions)]

    def then(self, op: MetaOp) -> Chain:
        return Chain(self.source, (*self.ops, op.on(self.levels)), op.result(self.levels))


def rewrite_below(chain: Chain, level: int, theirs: Chain, their_level: int) -> Chain:
    """``chain`` with the levels below ``level`` arranged as ``theirs`` has them.

    ``theirs`` comes from a level of the same tensor, perhaps before operations on outer levels that
    ``chain`` has had since; those stay, and those on the levels below are replaced.

    Raises:
        ArrangementError: it is of another tensor or level, or was arranged apart.
    """
    loc = caller_loc()
    if theirs.source.name != chain.source.name or their_level != level + 1:
        raise ArrangementError(
            "only the level below, rearranged, can be assigned to dtype; "
            "write t.dtype = t.dtype.squeeze(0)",
            loc,
        )
    common = 0
    for one, two in zip(chain.ops, theirs.ops, strict=False):
        if one != two:
            break
        common += 1
    shared = chain.ops[:common]
    outer = [op for op in chain.ops[common:] if op.level <= level]
    inner = list(theirs.ops[common:])
    changes_levels = any(isinstance(op, Tile | Ravel) for op in outer)
    if changes_levels or any(op.level <= level for op in inner):
        raise ArrangementError(
            "the assigned dtype was arranged apart from this tensor; "
            "write t.dtype = t.dtype.squeeze(0), with the operations on t.dtype itself",
            loc,
        )
    levels = (*chain.levels[: level + 1], *theirs.levels[level + 1 :])
    return Chain(chain.source, (*shared, *outer, *inner), levels)


def sequence(
    values: object, what: str, loc: Loc | None, needed: str = "a tuple, one entry a dim"
) -> tuple[object, ...]:
    """``values`` as a tuple; ``needed``: what they must be, for the error.

    Raises:
        ArrangementError: it is no sequence, or one of more entries than there may be dims.
    """
    try:
        iterator = iter(cast("Iterable[object]", values))
    except TypeError:
        # A tensor or an array of no dims has the method, and no items.
        raise ArrangementError(f"{what} {shown(values)} must be {needed}", loc) from None
    found = tuple(itertools.islice(iterator, _MOST_ENTRIES + 1))
    if len(found) > _MOST_ENTRIES:
        raise ArrangementError(f"{what} has more than {_MOST_ENTRIES} entries; give one a dim", loc)
    return found


def exprs(values: object, what: str, loc: Loc | None) -> tuple[IndexExpr, ...]:
    """``values``, integers and symbols, as expressions.

    Raises:
        ArrangementError: it is no sequence of them.
    """
    found: list[IndexExpr] = []
    for item in sequence(values, what, loc):
        expr = as_integer(item)
        if expr is None:
            raise ArrangementError(
                f"{what} has the entry {shown(item)}; entries are integers and symbols", loc
            )
        found.append(expr)
    return tuple(found)


_SIZE_OPTIONS = ("constexpr", "meta", "lower_bound", "upper_bound", "power_of_two")


def size_of(name: str, given: object, options: dict[str, Any], loc: Loc | None) -> IndexExpr:
    """A dim's size: the given one, or a symbol ``name`` with ``options``.

    Raises:
        ArrangementError: it is no size.
    """
    if given is not None:
        (size,) = exprs((given,), "the shape", loc)
        if size.value is not None and size.value < 0:
            raise ArrangementError(f"the shape has the size {size}; sizes are at least 0", loc)
        return size
    flags = {
        name: flag(f"shape_options: {name}", options.get(name), loc)
        for name in ("constexpr", "meta", "power_of_two")
    }
    if flags["constexpr"] or flags["meta"]:
        info = Symbol(name, **options).expr.args[1]
        return sym(name, replace(info, kind="constexpr size"))
    lower, upper = (_bound(options, option, loc) for option in ("lower_bound", "upper_bound"))
    if upper is not None and upper < max(lower or 0, 0):
        raise ArrangementError(
            f"shape_options: upper_bound={upper} is below {max(lower or 0, 0)}, the least size", loc
        )
    return sym(name, SymbolInfo("size", max(lower or 0, 0), upper))


def _bound(options: dict[str, Any], option: str, loc: Loc | None) -> int | None:
    value = dtypes.number(options.get(option))
    if value is not None and type(value) is not int:
        raise ArrangementError(
            f"shape_options: {option} must be an integer, not {shown(value)}", loc
        )
    return value


def flag(name: str, value: object, loc: Loc | None) -> bool | None:
    """A flag that may be left out.

    Raises:
        ArrangementError: it is none.
    """
    try:
        return dtypes.flag(value)
    except TypeError:
        raise ArrangementError(f"{name} must be True or False, not {shown(value)}", loc) from None


def size_options(options: Any, ndim: int, loc: Loc | None) -> list[dict[str, Any]]:
    """The options of each dim's size, one dict a dim.

    Raises:
        ArrangementError: they are no dicts of options, or too few or many.
    """
    rows: list[object] = [options] * ndim
    if options is not None and not isinstance(options, dict):
        needed = "a dict of options for all dims, or a tuple of them, one a dim"
        rows = list(sequence(options, "shape_options", loc, needed))
    if len(rows) != ndim:
        raise ArrangementError(
            f"shape_options has length {len(rows)} for {counted(ndim, 'dim')}; give one dict for "
            "all dims, or one a dim",
            loc,
        )
    found: list[dict[str, Any]] = []
    for row in rows:
        if row is not None and not isinstance(row, dict):
            raise ArrangementError(
                f"shape_options has the entry {shown(row)}; entries are dicts of options, or None",
                loc,
            )
        # Whatever its keys are, only names of options pass below.
        given = cast("dict[str, Any]", row or {})
        for option in given:
            if option not in _SIZE_OPTIONS:
                raise ArrangementError(
                    f"shape_options has no option {shown(option)}; options are "
                    f"{', '.join(_SIZE_OPTIONS)}",
                    loc,
                )
        found.append(given)
    return found


def check_unused(
    given: Sequence[object], options: Sequence[dict[str, Any]], loc: Loc | None
) -> None:
    """Check that options are given only for sizes that the call decides.

    Raises:
        ArrangementError: a dim has options, and its size is given.
    """
    for dim, (size, row) in enumerate(zip(given, options, strict=True)):
        if size is None or not row:
            continue
        kept = [row if size is None else None for size, row in zip(given, options, strict=True)]
        instead = f"write shape_options={_tuple(kept)}" if any(kept) else "leave shape_options out"
        sizes = [None if row else size for size, row in zip(given, options, strict=True)]
        raise ArrangementError(
            f"shape_options has {row} for dim {dim}, whose size is given, {size}; options are for "
            f"sizes that only the call knows: {instead}, or write shape={_tuple(sizes)}",
            loc,
        )


def _tuple(values: Sequence[object]) -> str:
    """Text of a tuple; symbols by their text."""
    text = ", ".join(map(str, values))
    return f"({text},)" if len(values) == 1 else f"({text})"


def element_type(value: object, loc: Loc | None) -> str | None:
    """The element type that ``value`` names; None of None, and with a warning of what names none.

    Warns:
        DtypeWarning: it names none.
    """
    name = None if value is None else dtypes.lookup(value)
    if value is not None and name is None:
        text = (
            f"{shown(value)} is no element type, so none is declared; write for example "
            "ninetoothed.float16 or torch.float16"
        )
        warn(DtypeWarning(text, loc))
    return name
