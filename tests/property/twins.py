"""Tensors of numbers: what an arrangement makes of a tensor, by NumPy alone.

A :class:`Twin` has the interface of :class:`ninetoothed.Tensor`, so that an arrangement runs on it
as it is; the numbers are those of a :class:`~ninetoothed.testing.random_arrangements.Model`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from ninetoothed import Symbol
from ninetoothed.symbolic.expr import evaluate
from ninetoothed.testing.random_arrangements import Model, Offsets


class Held:
    """The model that all levels of one tensor share, and the values of symbols in sizes."""

    def __init__(self, model: Model, values: Mapping[str, int]) -> None:
        self.model = model
        self.values = values

    def number(self, value: Any) -> int:
        """A size, or an expression of symbols that have values."""
        return evaluate(value.expr, self.values) if isinstance(value, Symbol) else int(value)

    def numbers(self, values: Sequence[Any]) -> list[int]:
        """Several sizes."""
        return [self.number(value) for value in values]


class Twin:
    """One level of a tensor of known sizes, and those below."""

    def __init__(self, held: Held, level: int = 0) -> None:
        self._held = held
        self._level = level

    @staticmethod
    def of(shape: Sequence[int], values: Mapping[str, int]) -> Twin:
        """A source of ``shape``."""
        return Twin(Held(Model.of(shape), values))

    @property
    def offsets(self) -> Offsets:
        """As ``Tensor.eval`` gives them."""
        return self._held.model.offsets

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of this level."""
        return tuple(self._held.model.sizes(self._level))

    @shape.setter
    def shape(self, sizes: Sequence[Any]) -> None:
        assert tuple(self._held.numbers(sizes)) == self.shape

    @property
    def ndim(self) -> int:
        """The number of dims of this level."""
        return len(self.shape)

    @property
    def dtype(self) -> Twin:
        """The next level."""
        return Twin(self._held, self._level + 1)

    @dtype.setter
    def dtype(self, below: Twin) -> None:
        self._held.model = below._held.model

    def _dim(self, dim: int, rank: int) -> int:
        return dim + rank if dim < 0 else dim

    def _row(self, values: Sequence[Any] | None) -> list[int] | None:
        return None if values is None else self._held.numbers(values)

    def _then(self, name: str, *arguments: Any) -> Twin:
        model = getattr(self._held.model, name)(self._level, *arguments)
        return Twin(Held(model, self._held.values), self._level)

    def tile(
        self,
        tile_shape: Sequence[Any],
        strides: Sequence[Any] | None = None,
        dilation: Sequence[Any] | None = None,
        floor_mode: bool = False,
    ) -> Twin:
        """As ``Tensor.tile``."""
        sizes = self._held.numbers(tile_shape)
        return self._then("tile", sizes, self._row(strides), self._row(dilation), floor_mode)

    def expand(self, shape: Sequence[Any]) -> Twin:
        """As ``Tensor.expand``."""
        sizes = self._held.numbers(shape)
        missing = [n == 0 and size > 0 for n, size in zip(self.shape, sizes, strict=True)]
        same = [-1 if size == n else size for n, size in zip(self.shape, sizes, strict=True)]
        return self._one_of_none(missing)._then("expand", same)

    def squeeze(self, dim: int | Sequence[int]) -> Twin:
        """As ``Tensor.squeeze``."""
        dims = [self._dim(d, self.ndim) for d in ([dim] if isinstance(dim, int) else dim)]
        missing = [d in dims and n == 0 for d, n in enumerate(self.shape)]
        return self._one_of_none(missing)._then("squeeze", dims)

    def _one_of_none(self, missing: Sequence[bool]) -> Twin:
        """With one element that does not exist along dims that have none."""
        return self._then("pad", [(0, int(there)) for there in missing]) if any(missing) else self

    def unsqueeze(self, dim: int) -> Twin:
        """As ``Tensor.unsqueeze``."""
        return self._then("unsqueeze", self._dim(dim, self.ndim + 1))

    def permute(self, dims: Sequence[int]) -> Twin:
        """As ``Tensor.permute``."""
        return self._then("permute", [self._dim(dim, self.ndim) for dim in dims])

    def flatten(self, start_dim: int | None = None, end_dim: int | None = None) -> Twin:
        """As ``Tensor.flatten``."""
        start = self._dim(start_dim or 0, self.ndim)
        end = self.ndim if end_dim is None else self._dim(end_dim, self.ndim)
        return self._then("flatten", start, end)

    def ravel(self) -> Twin:
        """As ``Tensor.ravel``."""
        return self._then("ravel")

    def pad(self, pairs: Sequence[tuple[Any, Any]]) -> Twin:
        """As ``Tensor.pad``."""
        return self._then("pad", [tuple(self._held.numbers(pair)) for pair in pairs])

    def __getitem__(self, key: Any) -> Twin:
        items = cast("tuple[object, ...]", key) if isinstance(key, tuple) else (key,)
        return self._then("index", tuple(self._item(item) for item in items))

    def _item(self, item: Any) -> Any:
        if isinstance(item, slice):
            given = cast("slice[Any, Any, Any]", item)
            bounds = (given.start, given.stop, given.step)
            return slice(*(None if b is None else self._held.number(b) for b in bounds))
        return item if item is None or item is Ellipsis else self._held.number(item)
