"""Symbolic tensors and the meta-operations that arrange them.

A :class:`Tensor` stores no data: it is a source (a kernel's argument) and the chain of
meta-operations applied to it so far. Tensors are values: an operation gives a new tensor and leaves
its operand as it was.
"""

from __future__ import annotations

import copy
import html
import itertools
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn, cast

from ninetoothed import dtype as dtypes
from ninetoothed.errors import ArrangementError, Loc, caller_loc, counted, shown, user_facing
from ninetoothed.layout.chain import (
    MOST_DIMS,
    Chain,
    Source,
    check_unused,
    element_type,
    exprs,
    flag,
    rewrite_below,
    sequence,
    size_of,
    size_options,
)
from ninetoothed.layout.evaluate import Binding, check_known, offsets, substituted
from ninetoothed.layout.indexing import slice_ops
from ninetoothed.layout.jagged_dims import (
    normal_jagged_dim,
    refuse_jagged,
    refuse_merging,
    refuse_slicing_from_end,
)
from ninetoothed.layout.meta_op import MetaOp, Sizes
from ninetoothed.layout.meta_ops import (
    Expand,
    Flatten,
    Pad,
    Permute,
    Ravel,
    Slice,
    Squeeze,
    Tile,
    Unsqueeze,
)
from ninetoothed.symbol import Symbol, as_value
from ninetoothed.symbolic.expr import SymbolInfo, sym

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_counter = itertools.count()

Size = Symbol | int


class _Cell:
    """Mutable cell that ``t`` and the views ``t.dtype`` of its levels share."""

    __slots__ = ("chain",)

    def __init__(self, chain: Chain) -> None:
        self.chain = chain


class Tensor:
    """A symbolic tensor.

    Args:
        ndim: The number of dims; may be left out where ``shape`` is given.
        shape: The sizes: integers, symbols, or None for a size that only the call knows.
        dtype: The element type (``ninetoothed.float16``, ``torch.float16``, ``"fp16"``, ``float``);
            None: any. An argument of another one is taken as it is, with a warning.
        jagged_dim: The dim whose size differs from one element of dim 0, the batch, to the next;
            the argument is a ``torch.nested`` tensor of jagged layout.
        other: What is read outside the tensor; infinities of integers are their type's extremes.
            None: unspecified; reductions then ignore such lanes.
        shape_options: Options of :class:`Symbol` for the sizes that only the call knows: one dict
            for all of them, or one, or None, a dim.
        constexpr: For a tensor of no dims: a number that is known when compiling.
        value: For a tensor of no dims: the number itself.
        name: The name in printed shapes; made up where none is given.
        allow_races: Programs may write one element; which of them is last does not matter.

    Raises:
        ArrangementError: the arguments contradict one another.

    Warns:
        DtypeWarning: ``dtype`` is no element type; none is declared.

    Example:
        >>> Tensor(shape=(14,)).tile((4,)).shape
        (4,)
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
        jagged_dim: int | None = None,
        other: float | int | None = None,
        shape_options: Any = None,
        constexpr: bool | None = None,
        value: bool | int | float | None = None,
        name: str | None = None,
        allow_races: bool = False,
    ) -> None:
        count = next(_counter)
        loc = caller_loc()
        if name is None:
            name = f"ninetoothed_tensor_{count}"
        if not isinstance(cast("object", name), str):
            raise ArrangementError(f"name must be a string, not {shown(name)}", loc)
        given = None if shape is None else sequence(shape, "the shape", loc)
        if ndim is None:
            if given is None:
                raise ArrangementError("a Tensor needs ndim or shape; write Tensor(2)", loc)
            ndim = len(given)
        ndim = dtypes.number(ndim)
        if type(ndim) is not int or ndim < 0:
            raise ArrangementError(
                f"ndim must be a number of dims, not {shown(ndim)}; write Tensor(2)", loc
            )
        if ndim > MOST_DIMS:
            raise ArrangementError(f"a tensor has at most {MOST_DIMS} dims, as torch's have", loc)
        if given is not None and len(given) != ndim:
            raise ArrangementError(
                f"the shape {given} has {counted(len(given), 'size')} for "
                f"{counted(ndim, 'dim')}; give one "
                "size a dim, or leave ndim out",
                loc,
            )
        constexpr = flag("constexpr", constexpr, loc)
        allow_races = bool(flag("allow_races", allow_races, loc))
        if (constexpr or value is not None) and ndim:
            raise ArrangementError(
                "constexpr and value are for tensors of no dims; for the sizes of a tensor write "
                "shape_options={'constexpr': True}",
                loc,
            )
        other, value = dtypes.number(other), dtypes.number(value)
        numbers: dict[str, object] = {"other": other, "value": value}
        for word, number in numbers.items():
            if number is not None and not isinstance(number, bool | int | float):
                raise ArrangementError(f"{word} must be a number, not {shown(number)}", loc)
            if number is not None:
                self._require_of_some_type(word, number, loc)
        options = size_options(shape_options, ndim, loc)
        # One dict is for all dims whose sizes are left to the call, where there are any.
        for_all = isinstance(shape_options, dict)
        if given is not None and not (for_all and any(size is None for size in given)):
            check_unused(given, options, loc)
        sizes = tuple(
            size_of(f"{name}_size_{dim}", None if given is None else given[dim], options[dim], loc)
            for dim in range(ndim)
        )
        strides = tuple(sym(f"{name}_stride_{d}", SymbolInfo("stride")) for d in range(ndim))
        element = element_type(dtype, loc)
        baked = bool(constexpr) or value is not None
        length = None
        if jagged_dim is not None:
            jagged_dim = normal_jagged_dim(jagged_dim, sizes)
            length = sym(f"{name}_length_{jagged_dim}", SymbolInfo("length", 0))
        source = Source(
            name, sizes, strides, element, other, baked, value, loc, jagged_dim, length, allow_races
        )
        self._cell = _Cell(Chain(source, (), (sizes,)))
        self._level = 0

    @property
    def chain(self) -> Chain:
        """The source and the operations so far, of the whole tensor, whatever level this is."""
        return self._cell.chain

    @property
    def level(self) -> int:
        """Number of levels above this one; 0: the tensor itself."""
        return self._level

    @property
    def shape(self) -> tuple[Size, ...]:
        """The sizes of this level."""
        return tuple(as_value(size) for size in self._sizes)

    @shape.setter
    @user_facing
    def shape(self, shape: Iterable[Size]) -> None:
        chain = self.chain
        sizes = tuple(
            size_of("", size, {}, caller_loc())
            for size in map(as_value, exprs(shape, "the shape", caller_loc()))
        )
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
            self._cell.chain = rewrite_below(chain, self._level, value.chain, value.level)
            return
        if self._level + 1 != len(chain.levels):
            raise ArrangementError(
                f"the dtype of level {self._level} is a tensor; assign the element type to "
                ".innermost().dtype",
                caller_loc(),
            )
        element = element_type(value, caller_loc())
        self._cell.chain = replace(chain, source=replace(chain.source, dtype=element))

    @user_facing
    def size(self, dim: int | None = None) -> Any:
        """Size of dim ``dim``, negatives counting from the end; the shape, where it is left out."""
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
        is_floor = bool(flag("floor_mode", floor_mode, loc))
        op = Tile.of(
            self._level,
            self.chain.levels,
            exprs(tile_shape, "the tile shape", loc),
            None if strides is None else exprs(strides, "strides", loc),
            None if dilation is None else exprs(dilation, "dilation", loc),
            is_floor,
            loc,
        )
        return self._then(op)

    @user_facing
    def expand(self, shape: Iterable[Size]) -> Tensor:
        """Repeat dims of size at most 1 to the sizes of ``shape``; -1 keeps a dim.

        Where such a size is 0, no element of the tensor exists.

        Raises:
            ArrangementError: a wrong number of entries, or a dim whose size is known to be above 1.
        """
        loc = caller_loc()
        return self._then(Expand(self._level, exprs(shape, "the shape", loc), loc=loc))

    @user_facing
    def squeeze(self, dim: int | Iterable[int]) -> Tensor:
        """Remove one or several dims of size at most 1; negatives count from the end.

        Where such a size is 0, no element of the tensor exists.

        Raises:
            ArrangementError: a dim that does not exist, or whose size is known to be above 1.
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
        given = sequence(dims, "permute: the dims", caller_loc())
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
        if end_dim is not None:
            end = self._dim(end_dim, "flatten", exclusive=True)
        if start >= end:
            raise ArrangementError(
                f"flatten: dims {start} to {end}, exclusive, are none; write an end_dim above "
                "start_dim",
                caller_loc(),
            )
        refuse_merging(self.chain.source, self._sizes[start:end])
        return self._then(Flatten(self._level, start, end, loc=caller_loc()))

    @user_facing
    def ravel(self) -> Tensor:
        """Make this level and all below it one level, their dims side by side."""
        return self._then(Ravel(self._level, loc=caller_loc()))

    @user_facing
    def pad(self, pad: Iterable[tuple[Size, Size]]) -> Tensor:
        """Surround this level by padding, which reads ``other`` and keeps nothing.

        Args:
            pad: A pair ``(left, right)`` a dim: how many elements before and behind; negative:
                how many fewer.

        Raises:
            ArrangementError: a wrong number of pairs, or more is cropped than there is.
        """
        loc = caller_loc()
        pairs: list[Sizes] = []
        for pair in sequence(pad, "pad: the list of pairs", loc):
            # A number is no pair, and neither is a pair of three.
            given = cast("object", pair) if isinstance(pair, Iterable) else ()
            entries = exprs(given, "a pair of pad", loc)
            if len(entries) != 2:
                raise ArrangementError(
                    f"pad: {shown(cast('object', pair))} is no pair; write (left, right), one "
                    "pair a dim",
                    loc,
                )
            pairs.append(entries)
        left, right = (tuple(pair[side] for pair in pairs) for side in (0, 1))
        return self._then(Pad(self._level, left, right, loc=loc))

    @user_facing
    def __getitem__(self, key: Any) -> Tensor:
        """Slice this level with NumPy's basic indexing: integers, slices with steps of either sign,
        None and one Ellipsis.

        Bounds may be symbols. Where NumPy would clamp a bound and whether it does depends on a
        symbol, the call checks that it does not.

        Raises:
            ArrangementError: too many indices, one out of range, or a step whose sign is unknown.
        """
        chain = self.chain
        for op in slice_ops(key, self._sizes, self._level, caller_loc()):
            if isinstance(op, Slice):
                refuse_slicing_from_end(chain.source, op)
            chain = chain.then(op)
        return self._at(_Cell(chain), self._level)

    @user_facing
    def subs(self, subs: Mapping[Any, Any]) -> Tensor:
        """Substitute numbers for symbols.

        Args:
            subs: Numbers, or symbols, for symbols; for a tensor ``{"shape": (4, 8)}``, or anything
                that has such a ``shape``.

        Raises:
            ArrangementError: a shape does not fit, or an operation is impossible with the numbers.
            SymbolError: a value is no integer.
        """
        return self._at(_Cell(substituted(self.chain, self._binding(subs))), self._level)

    @user_facing
    def eval(self, subs: Mapping[Any, Any] | None = None) -> npt.NDArray[np.int64]:
        """Source offsets at all indices of all levels, in a row-major source.

        Args:
            subs: What :meth:`subs` takes; of a jagged tensor, the entry of the jagged dim is a
                tuple of lengths.

        Returns:
            The offsets, of the sizes of all levels; -1 where there is no element.

        Raises:
            ArrangementError: a symbol has no number, or as :meth:`subs`.
        """
        self._refuse_inner("eval", "evaluate")
        return offsets(self.chain, self._binding({} if subs is None else subs))

    @user_facing
    def svg(self, subs: Mapping[Any, Any] | None = None) -> str:
        """Text of an SVG picture: ``x.tile((2,)).svg({x: {"shape": (5,)}})``.

        Elements have the colours and the numbers of the programs that see them; beside them lie the
        levels as nested tiles, in which what is outside of the tensor is hatched. Of large sizes
        the first indices are drawn, and a line says how many more there are.

        Args:
            subs: What :meth:`subs` takes.

        Raises:
            ArrangementError: a symbol has no number, the tensor is jagged or an inner level, or as
                :meth:`subs`.
            SymbolError: a value is no integer.
        """
        from ninetoothed.pictures.scene import tensor_scene
        from ninetoothed.pictures.svg import svg

        return svg(tensor_scene(self._concrete("svg", subs)))

    @user_facing
    def draw(self, subs: Mapping[Any, Any] | None = None) -> str:
        """The picture that :meth:`svg` draws, in characters, to be printed."""
        from ninetoothed.pictures.scene import tensor_scene
        from ninetoothed.pictures.terminal import drawn

        return drawn(partial(tensor_scene, self._concrete("draw", subs)))

    def _repr_html_(self) -> str:
        """HTML for notebooks: the picture where all sizes are numbers, else the text."""
        try:
            return self.svg()
        except Exception:
            return f"<pre>{html.escape(repr(self))}</pre>"

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

    def _concrete(self, method: str, subs: Mapping[Any, Any] | None) -> Chain:
        """What ``method`` draws: all sizes are numbers."""
        self._refuse_inner(method, "draw")
        refuse_jagged(self.chain.source)
        chain = substituted(self.chain, self._binding({} if subs is None else subs))
        check_known(chain, {}, method)
        return chain

    def _refuse_inner(self, method: str, instead: str) -> None:
        if self._level:
            raise ArrangementError(
                f"{method}: this is an inner level of {self.name}; {instead} the tensor itself",
                caller_loc(),
            )

    @staticmethod
    def _require_of_some_type(word: str, number: bool | int | float, loc: Loc | None) -> None:
        """Check that some element type holds a number."""
        try:
            dtypes.literal(number)
        except TypeError as error:
            raise ArrangementError(f"{word}: {error}; give a smaller number", loc) from None

    @staticmethod
    def _binding(subs: object) -> Binding:
        if not isinstance(subs, Mapping):
            raise ArrangementError(
                f"subs must be a dict of tensors and symbols, not {shown(subs)}", caller_loc()
            )
        found = Binding()
        for key, value in cast("Mapping[object, object]", subs).items():
            if isinstance(key, Tensor):
                found = found.tensor(key.chain.source, value)
            else:
                found = found.symbol(key, value)
        return found

    @property
    def _sizes(self) -> Sizes:
        return self.chain.levels[self._level]

    def _then(self, op: MetaOp) -> Tensor:
        return self._at(_Cell(self.chain.then(op)), self._level)

    @staticmethod
    def _at(cell: _Cell, level: int) -> Tensor:
        """Create a tensor without the constructor: it advances no counter."""
        tensor = object.__new__(Tensor)
        tensor._cell = cell
        tensor._level = level
        return tensor

    def _dim(
        self, dim: object, what: str, count: int | None = None, exclusive: bool = False
    ) -> int:
        """Normalize ``dim`` to count from the front; an ``exclusive`` end may be ``count``."""
        count = self.ndim if count is None else count
        dim = dim if type(dim) is int else dtypes.number(dim)
        if type(dim) is not int:
            raise ArrangementError(
                f"{what}: a dim must be an integer, not {shown(dim)}", caller_loc()
            )
        last = count if exclusive else count - 1
        if not -count <= dim <= last:
            instead = f"write one from {-count} to {last}" if count else "it has none to name"
            raise ArrangementError(
                f"{what}: dim {dim} is out of range for a tensor of {counted(self.ndim, 'dim')}; "
                f"{instead}",
                caller_loc(),
            )
        return dim % count if dim < count else dim


def tensor_of(chain: Chain) -> Tensor:
    """The tensor of a source and of operations on it."""
    return Tensor._at(_Cell(chain), 0)  # pyright: ignore[reportPrivateUsage]
