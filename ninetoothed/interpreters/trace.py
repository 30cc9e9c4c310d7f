"""Traces of accesses: (program, lane) -> element, and the difference of two traces.

A program is identified by its number, a lane by its index in the block, an element by its offset
from the tensor's first one. Reads that are merged, repeated or moved do not change the trace.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import cast

import torch

_Key = tuple[str, str, int]
"""A parameter, the kind of access, and the number of dims of the block."""


@dataclass(frozen=True)
class Touch:
    """An access of one lane of one program; ``kind`` is read, write or update."""

    parameter: str
    kind: str
    program: int
    lane: tuple[int, ...]
    offset: int

    def __str__(self) -> str:
        return (
            f"{self.kind} of element {self.offset} of {self.parameter} by lane {self.lane} of "
            f"program {self.program}"
        )


class Trace:
    """The accesses of a kernel while it is interpreted."""

    def __init__(self) -> None:
        self._found: dict[_Key, list[torch.Tensor]] = {}

    def touch(
        self,
        kind: str,
        parameter: str,
        programs: torch.Tensor,
        offsets: torch.Tensor,
        mask: torch.Tensor | None,
        shape: Sequence[int],
    ) -> None:
        """Record a block of ``shape`` in each program; ``offsets`` and ``mask`` broadcast to it."""
        full = (programs.shape[0], *shape)
        lanes = torch.ones(1, dtype=torch.bool) if mask is None else mask
        rows = lanes.expand(full).nonzero().T
        if rows.shape[1] == 0:
            return
        touched = offsets.expand(full)[tuple(rows)]
        event = torch.stack([programs[rows[0]], *rows[1:], touched])
        self._found.setdefault((parameter, kind, len(shape)), []).append(event)

    def rows(self, key: _Key) -> torch.Tensor:
        """One column for each access: the program, the lane's index, and the offset."""
        found = self._found.get(key)
        if found is None:
            return torch.zeros((key[2] + 2, 0), dtype=torch.int64)
        joined = torch.cat(found, 1)
        self._found[key] = [joined]
        return joined

    def renumbered(self, number: Callable[[torch.Tensor], torch.Tensor]) -> Trace:
        """The same accesses by programs of other numbers."""
        found = Trace()
        for key in self.keys:
            programs, *rest = self.rows(key)
            found._found[key] = [torch.stack([number(programs), *rest])]
        return found

    def joined(self, dims: Collection[tuple[str, int, int]]) -> Trace:
        """The same accesses, of some reads without the lanes' indices along some dims: each is of a
        parameter, the number of dims of the block, and the dim.
        """
        found = Trace()
        for parameter, kind, ndim in self.keys:
            rows = self.rows((parameter, kind, ndim))
            gone = {dim for dim in range(ndim) if (parameter, ndim, dim) in dims}
            if kind == "read" and gone:
                kept = [dim + 1 for dim in range(ndim) if dim not in gone]
                rows, ndim = rows[[0, *kept, -1]], len(kept)
            found._found.setdefault((parameter, kind, ndim), []).append(rows)
        return found

    def without_lanes(self, accesses: Collection[tuple[str, str]]) -> Trace:
        """The same accesses, without the lanes' indices of those of these parameters and kinds."""
        found = Trace()
        for parameter, kind, ndim in self.keys:
            rows = self.rows((parameter, kind, ndim))
            if (parameter, kind) in accesses:
                rows, ndim = rows[[0, -1]], 0
            found._found.setdefault((parameter, kind, ndim), []).append(rows)
        return found

    def merged(
        self, sizes: Sequence[int], dim: int, factor: int, parameters: Collection[str]
    ) -> Trace:
        """The same accesses by programs of which one is ``factor`` along ``dim`` of the grid's
        ``sizes``. In front of the lanes' indices of these parameters stands which one it was.
        """
        inner = math.prod(sizes[dim + 1 :])
        found = Trace()
        for key in self.keys:
            programs, *rest = self.rows(key)
            outer, rest_of = programs // (inner * sizes[dim]), programs % inner
            place = programs // inner % sizes[dim]
            number = (outer * -(-sizes[dim] // factor) + place // factor) * inner + rest_of
            parameter, kind, ndim = key
            if parameter in parameters:
                key, rest = (parameter, kind, ndim + 1), [place % factor, *rest]
            found._found[key] = [torch.stack([number, *rest])]
        return found

    @property
    def keys(self) -> list[_Key]:
        """The keys of all accesses, sorted."""
        return sorted(self._found)

    def __len__(self) -> int:
        return sum(event.shape[1] for events in self._found.values() for event in events)


def difference(
    before: Trace, after: Trace, dropping: bool = False, adding: bool = False
) -> tuple[Touch, bool] | None:
    """An access that only one of the two has, and True if that is ``after``; None: they agree.

    ``dropping``: ``after`` need not have every read; ``adding``: it may have more.
    """
    for key in sorted({*before.keys, *after.keys}):
        rows = [before.rows(key), after.rows(key)]
        codes = _codes(rows)
        if torch.equal(_set(codes[0]), _set(codes[1])):
            continue
        is_read = key[1] == "read"
        sides = [side for side, free in ((1, adding), (0, dropping)) if not (free and is_read)]
        for side in sides:
            alone = ~torch.isin(codes[side], codes[1 - side])
            if bool(alone.any()):
                entries = rows[side][:, int(alone.nonzero()[0, 0])]
                program, *lane, offset = (int(entry) for entry in entries)
                return Touch(key[0], key[1], program, tuple(lane), offset), side == 1
    return None


def _set(codes: torch.Tensor) -> torch.Tensor:
    """The codes, each once, sorted."""
    return cast("torch.Tensor", torch.unique(codes))


def _codes(rows: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """One number for each column, equal for equal columns."""
    sizes = [part.shape[1] for part in rows]
    codes, bound = torch.zeros(sum(sizes), dtype=torch.int64), 1
    for row in torch.cat(list(rows), 1):
        low, high = (int(end) for end in torch.aminmax(row))
        radix = high - low + 1
        if bound * radix >= 1 << 62:
            # Ranks are smaller, and as distinct.
            codes, bound = torch.searchsorted(_set(codes), codes), sum(sizes)
        codes = codes * radix + (row - low)
        bound *= radix
    return list(torch.split(codes, sizes))
