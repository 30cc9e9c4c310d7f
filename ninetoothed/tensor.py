"""Symbolic tensors and the meta-operations that arrange them.

A :class:`Tensor` stores no data: it is a source (a kernel's argument) and the chain of
meta-operations applied to it so far. Tensors are values: an operation gives a new tensor and leaves
its operand as it was.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, NoReturn, cast

from ninetoothed import dtype as dtypes
from ninetoothed.errors import ArrangementError, Loc, caller_loc, counted, user_facing
from ninetoothed.ir.access import (
    Expand,
    Flatten,
    Levels,
    MetaOp,
    Permute,
    Sizes,
    Squeeze,
    Tile,
    Unsqueeze,
    apply_all,
)
from ninetoothed.ir.index_expr import IndexExpr, SymbolInfo, as_expr, sym
from ninetoothed.symbol import Symbol, as_value

_counter = itertools.count()

Size = Symbol | int


@dataclass(frozen=True)
class Source:
    """The kernel argument behind a tensor.

    ``name`` is its identity. ``shape`` and ``strides`` are its sizes and its strides in elements;
    ``dtype`` its declared element type, or None. ``other`` is what lanes outside the tensor read,
    None: unspecified. ``constexpr`` marks a compile-time number; ``value`` bakes it.
    """

    name: str
    shape: Sizes
    strides: Sizes
    dtype: str | None = None
    other: float | int | None = None
    constexpr: bool = False
    value: bool | int | float | None = None
    declared: Loc | None = None


@dataclass(frozen=True)
class Chain:
    """A source, the operations on it, and the levels that they give."""

    source: Source
    ops: tuple[MetaOp, ...]
    levels: Levels

    def then(self, op: MetaOp) -> Chain:
        return Chain(self.source, (*self.ops, op), op.result(self.levels))


class _Cell:
    """The one mutable thing: what ``t`` and the views ``t.dtype`` of its levels share."""

    __slots__ = ("chain",)

    def __init__(self, chain: Chain) -> None:
        self.chain = chain


class Tensor:
    """A symbolic tensor.

    Args:
        ndim: The number of dims; may be left out where ``shape`` is given.
        shape: The sizes: integers, symbols, or None for a size that only the call knows.
        dtype: The element type (``ninetoothed.float16``, ``torch.float16``, ``"fp16"``); None: any.
        other: What is read outside the tensor. None: unspecified; reductions then ignore such
            lanes.
        shape_options: Options of :class:`Symbol` for the sizes: one dict for all dims, or one,
            or None, a dim.
        constexpr: For a tensor of no dims: a number that is known when compiling.
        value: For a tensor of no dims: the number itself.
        name: The name in printed shapes; made up where none is given.

    Raises:
        ArrangementError: the arguments contradict one another.
    """

    __slots__ = ("_cell", "_level")

    _cell: _Cell
    _level: int

    @user_facing
    def __init__(
        self,
        ndim: int | None = None,
        shape: Iterable[Size | None] | None = None,
        dtype: object = None,
        other: float | int | None = None,
        shape_options: Any = None,
        constexpr: bool | None = None,
        value: bool | int | float | None = None,
        name: str | None = None,
    ) -> None:
        count = next(_counter)
        loc = caller_loc()
        if name is None:
            name = f"ninetoothed_tensor_{count}"
        given = None if shape is None else tuple(shape)
        if ndim is None:
            if given is None:
                raise ArrangementError("a Tensor needs ndim or shape; write Tensor(2)", loc)
            ndim = len(given)
        if type(ndim) is not int or ndim < 0:
            raise ArrangementError(
                f"ndim must be a number of dims, not {ndim!r}; write Tensor(2)", loc
            )
        if given is not None and len(given) != ndim:
            raise ArrangementError(
                f"the shape {given} has {counted(len(given), 'size')} for "
                f"{counted(ndim, 'dim')}; give one "
                "size a dim, or leave ndim out",
                loc,
            )
        if (constexpr or value is not None) and ndim:
            raise ArrangementError(
                "constexpr and value are for tensors of no dims; for the sizes of a tensor write "
                "shape_options={'constexpr': True}",
                loc,
            )
        numbers: dict[str, object] = {"other": other, "value": value}
        for word, number in numbers.items():
            if number is not None and not isinstance(number, bool | int | float):
                raise ArrangementError(f"{word} must be a number, not {number!r}", loc)
        options = _shape_options(shape_options, ndim, loc)
        sizes = tuple(
            _size(f"{name}_size_{dim}", None if given is None else given[dim], options[dim], loc)
            for dim in range(ndim)
        )
        strides = tuple(sym(f"{name}_stride_{d}", SymbolInfo("stride")) for d in range(ndim))
        element = _element_type(dtype, loc)
        baked = bool(constexpr) or value is not None
        source = Source(name, sizes, strides, element, other, baked, value, loc)
        self._cell = _Cell(Chain(source, (), (sizes,)))
        self._level = 0

    @property
    def chain(self) -> Chain:
        """The source and the operations so far, of the whole tensor, whatever level this is."""
        return self._cell.chain

    @property
    def level(self) -> int:
        """How many levels of the tensor lie above this one; 0: the tensor itself."""
        return self._level

    @property
    def shape(self) -> tuple[Size, ...]:
        """The sizes of this level."""
        return tuple(as_value(size) for size in self._sizes)

    @shape.setter
    @user_facing
    def shape(self, shape: Iterable[Size]) -> None:
        chain = self.chain
        sizes = _exprs(shape, "the shape", caller_loc())
        if chain.ops or len(sizes) != len(self._sizes):
            reason = (
                "it is arranged already" if chain.ops else f"it has {counted(self.ndim, 'dim')}"
            )
            raise ArrangementError(
                f"the shape of {self.name} cannot be set to {tuple(map(as_value, sizes))}: "
                f"{reason}; set "
                "the shape of a tensor before arranging it, one size a dim",
                caller_loc(),
            )
        self._cell.chain = Chain(replace(chain.source, shape=sizes), (), (sizes,))

    @property
    def strides(self) -> tuple[Size, ...]:
        """The source's strides, in elements."""
        return tuple(as_value(stride) for stride in self.chain.source.strides)

    @property
    def ndim(self) -> int:
        """The number of dims of this level."""
        return len(self._sizes)

    @property
    def name(self) -> str:
        """The source's name, by which a tensor is identified as an argument."""
        return self.chain.source.name

    @property
    def source(self) -> Tensor:
        """The tensor before any operation."""
        source = self.chain.source
        return self._at(_Cell(Chain(source, (), (source.shape,))), 0)

    @property
    def dtype(self) -> Tensor | str | None:
        """The next level; below the innermost one, the element type, or None."""
        if self._level + 1 < len(self.chain.levels):
            return self._at(self._cell, self._level + 1)
        return self.chain.source.dtype

    @dtype.setter
    @user_facing
    def dtype(self, value: object) -> None:
        chain = self.chain
        if isinstance(value, Tensor):
            self._cell.chain = _rewrite_below(chain, self._level, value)
            return
        if self._level + 1 != len(chain.levels):
            raise ArrangementError(
                f"the dtype of level {self._level} is a tensor; assign the element type to "
                ".innermost().dtype",
                caller_loc(),
            )
        element = _element_type(value, caller_loc())
        self._cell.chain = replace(chain, source=replace(chain.source, dtype=element))

    @user_facing
    def size(self, dim: int | None = None) -> Any:
        """The size of dim ``dim``, negatives counting from the end; the shape, where it is left
        out.
        """
        return self.shape if dim is None else self.shape[self._dim(dim, "size")]

    def innermost(self) -> Tensor:
        """The last level."""
        return self._at(self._cell, len(self.chain.levels) - 1)

    @user_facing
    def tile(
        self,
        tile_shape: Iterable[Size],
        strides: Iterable[Size] | None = None,
        dilation: Iterable[Size] | None = None,
        floor_mode: bool = False,
    ) -> Tensor:
        """Divide this level into blocks of ``tile_shape``: two levels in its place.

        Element ``inner`` of block ``outer`` is ``outer * stride + inner * dilation``.

        Args:
            tile_shape: The block's sizes; -1 is the whole dim.
            strides: From block to block; default, and -1: the block's size.
            dilation: From element to element; default 1.
            floor_mode: Leave out a last block that would not fit.

        Raises:
            ArrangementError: a wrong number of entries, or a size below 1.
        """
        loc = caller_loc()
        op = Tile.of(
            self._level,
            self.chain.levels,
            _exprs(tile_shape, "the tile shape", loc),
            None if strides is None else _exprs(strides, "strides", loc),
            None if dilation is None else _exprs(dilation, "dilation", loc),
            floor_mode,
            loc,
        )
        return self._then(op)

    @user_facing
    def expand(self, shape: Iterable[Size]) -> Tensor:
        """Repeat dims of size 1 to the sizes of ``shape``; -1 keeps a dim.

        Raises:
            ArrangementError: a wrong number of entries, or a dim whose size is known not to be 1.
        """
        loc = caller_loc()
        return self._then(Expand(self._level, _exprs(shape, "the shape", loc), loc=loc))

    @user_facing
    def squeeze(self, dim: int | Iterable[int]) -> Tensor:
        """Remove one or several dims of size 1; negatives count from the end.

        Raises:
            ArrangementError: a dim that does not exist, or whose size is known not to be 1.
        """
        dims = list(dim) if isinstance(dim, tuple | list) else [dim]
        positions = sorted({self._dim(d, "squeeze") for d in dims})
        return self._then(Squeeze(self._level, tuple(positions), loc=caller_loc()))

    @user_facing
    def unsqueeze(self, dim: int) -> Tensor:
        """Insert a dim of size 1 at ``dim``; -1 is behind the last.

        Raises:
            ArrangementError: ``dim`` is out of range.
        """
        return self._then(
            Unsqueeze(self._level, self._dim(dim, "unsqueeze", self.ndim + 1), loc=caller_loc())
        )

    @user_facing
    def permute(self, dims: Iterable[int]) -> Tensor:
        """Reorder the dims: new dim ``i`` is old dim ``dims[i]``.

        Raises:
            ArrangementError: ``dims`` does not name each dim once.
        """
        given = tuple(dims)
        positions = tuple(self._dim(dim, "permute") for dim in given)
        if sorted(positions) != list(range(self.ndim)):
            raise ArrangementError(
                f"permute: {given} must name each of the {counted(self.ndim, 'dim')} once",
                caller_loc(),
            )
        return self._then(Permute(self._level, positions, loc=caller_loc()))

    @user_facing
    def flatten(self, start_dim: int | None = None, end_dim: int | None = None) -> Tensor:
        """Merge dims ``start_dim`` to ``end_dim``, exclusive, into one; default: all.

        Raises:
            ArrangementError: the range is empty or leaves the dims.
        """
        start = 0 if start_dim is None else self._dim(start_dim, "flatten")
        end = self.ndim
        if end_dim is not None and end_dim != self.ndim:
            end = self._dim(end_dim, "flatten", exclusive=True)
        if start >= end:
            raise ArrangementError(
                f"flatten: dims {start} to {end}, exclusive, are none; write an end_dim above "
                "start_dim",
                caller_loc(),
            )
        return self._then(Flatten(self._level, start, end, loc=caller_loc()))

    @user_facing
    def __iter__(self) -> NoReturn:
        raise ArrangementError(
            "a symbolic tensor cannot be iterated over; iterate over range(t.ndim) or t.shape",
            caller_loc(),
        )

    def __copy__(self) -> Tensor:
        return self._at(_Cell(self.chain), self._level)

    def __deepcopy__(self, memo: object) -> Tensor:
        return copy.copy(self)

    def __repr__(self) -> str:
        levels = " of ".join(f"({', '.join(map(str, level))})" for level in self.chain.levels)
        return f"Tensor({self.name}: {levels})"

    @property
    def _sizes(self) -> Sizes:
        return self.chain.levels[self._level]

    def _then(self, op: MetaOp) -> Tensor:
        return self._at(_Cell(self.chain.then(op)), self._level)

    @staticmethod
    def _at(cell: _Cell, level: int) -> Tensor:
        """A tensor that is no constructor's: it advances no counter."""
        tensor = object.__new__(Tensor)
        tensor._cell = cell
        tensor._level = level
        return tensor

    def _dim(
        self, dim: object, what: str, count: int | None = None, exclusive: bool = False
    ) -> int:
        """``dim`` from the front; ``exclusive``: it ends a range, so it may be ``count``."""
        count = self.ndim if count is None else count
        if type(dim) is not int:
            raise ArrangementError(f"{what}: a dim must be an integer, not {dim!r}", caller_loc())
        last = count if exclusive else count - 1
        if not -count <= dim <= last:
            instead = f"write one from {-count} to {last}" if count else "it has none to name"
            raise ArrangementError(
                f"{what}: dim {dim} is out of range for a tensor of {counted(self.ndim, 'dim')}; "
                f"{instead}",
                caller_loc(),
            )
        return dim % count if dim < count else dim


def _rewrite_below(chain: Chain, level: int, value: Tensor) -> Chain:
    """``chain`` with the levels below ``level`` arranged as ``value`` has them.

    ``value`` comes from a level of the same tensor, perhaps before operations on outer levels that
    ``chain`` has had since; those stay, and those on the levels below are replaced.
    """
    theirs = value.chain
    loc = caller_loc()
    if theirs.source.name != chain.source.name or value.level != level + 1:
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
    changes_levels = any(isinstance(op, Tile) for op in outer)
    if changes_levels or any(op.level <= level for op in inner):
        raise ArrangementError(
            "the assigned dtype was arranged apart from this tensor; "
            "write t.dtype = t.dtype.squeeze(0), with the operations on t.dtype itself",
            loc,
        )
    ops = (*shared, *outer, *inner)
    return Chain(chain.source, ops, apply_all(ops, (chain.source.shape,)))


def _exprs(values: object, what: str, loc: Loc | None) -> tuple[IndexExpr, ...]:
    if not isinstance(values, Iterable):
        raise ArrangementError(f"{what} {values!r} must be a tuple, one entry a dim", loc)
    found: list[IndexExpr] = []
    for item in cast("Iterable[object]", values):
        if not isinstance(item, Symbol | int):
            raise ArrangementError(
                f"{what} has the entry {item!r}; entries are integers and symbols", loc
            )
        found.append(item.expr if isinstance(item, Symbol) else as_expr(int(item)))
    return tuple(found)


_SIZE_OPTIONS = ("constexpr", "meta", "lower_bound", "upper_bound", "power_of_two")


def _size(name: str, given: object, options: dict[str, Any], loc: Loc | None) -> IndexExpr:
    if given is not None:
        (size,) = _exprs((given,), "the shape", loc)
        if size.value is not None and size.value < 0:
            raise ArrangementError(f"the shape has the size {size}; sizes are at least 0", loc)
        return size
    if options.get("constexpr") or options.get("meta"):
        info = Symbol(name, **options).expr.args[1]
        return sym(name, replace(info, kind="constexpr size"))
    return sym(
        name,
        SymbolInfo("size", max(options.get("lower_bound") or 0, 0), options.get("upper_bound")),
    )


def _shape_options(options: Any, ndim: int, loc: Loc | None) -> list[dict[str, Any]]:
    rows: list[Any] = (
        [options] * ndim if options is None or isinstance(options, dict) else list(options)
    )
    if len(rows) != ndim:
        raise ArrangementError(
            f"shape_options has length {len(rows)} for {counted(ndim, 'dim')}; give one dict for "
            "all dims, or "
            "one a dim",
            loc,
        )
    found: list[dict[str, Any]] = []
    for row in rows:
        if row is not None and not isinstance(row, dict):
            raise ArrangementError(
                f"shape_options has the entry {row!r}; entries are dicts of options, or None", loc
            )
        # Whatever its keys are, only names of options pass below.
        given = cast("dict[str, Any]", row or {})
        for option in given:
            if option not in _SIZE_OPTIONS:
                raise ArrangementError(
                    f"shape_options has no option {option!r}; options are "
                    f"{', '.join(_SIZE_OPTIONS)}",
                    loc,
                )
        found.append(given)
    return found


def _element_type(value: object, loc: Loc | None) -> str | None:
    if value is None:
        return None
    name = dtypes.lookup(value)
    if name is None:
        raise ArrangementError(
            f"{value!r} is no element type; write for example ninetoothed.float16 or torch.float16",
            loc,
        )
    return name
