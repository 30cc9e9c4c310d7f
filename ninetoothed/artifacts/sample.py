"""Samples of a configuration space, as settings and callers write them."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from ninetoothed.errors import ConfigurationError

_T = TypeVar("_T")

_DRAWN = 8


@dataclass(frozen=True)
class Sample:
    """Which members of a space are taken: all, ``count`` of them, or some drawn by ``seed``."""

    count: int | None = None
    seed: int | None = None

    @staticmethod
    def parse(name: str, given: object) -> Sample:
        """The sample that ``given``, the value of the setting ``name``, stands for.

        Raises:
            ConfigurationError: it stands for none.
        """
        text = str(given).strip()
        match = re.fullmatch(r"all|([1-9][0-9]{0,8})|random:([0-9]{1,18})", text)
        if match is None or type(given) not in (int, str):
            raise ConfigurationError(
                f"{name} must be all, a number of configurations, or random:SEED, as random:0, for "
                f"{_DRAWN} of them, not {given!r}"
            )
        count, seed = match.groups()
        return Sample(None if count is None else int(count), None if seed is None else int(seed))

    def of_each(self, rows: Sequence[Sequence[_T]]) -> list[_T]:
        """The sample of the members of all rows. A count is spread evenly over the rows, and takes
        another place of each: so of rows that vary one thing alike, all that varies is there.
        """
        members = [one for row in rows for one in row]
        if self.count is None or self.count >= len(members):
            return self.of(members)
        # Neighbours of the first round begin at different places, and go on from there.
        offsets = {place: index for index, place in enumerate(self.of(range(len(rows))))}
        starts = list(itertools.accumulate(map(len, rows), initial=0))
        taken: list[int] = []
        for turn in range(max(map(len, rows))):
            left = [place for place in offsets if turn < len(rows[place])]
            for place in Sample(self.count - len(taken)).of(left):
                taken.append(starts[place] + (offsets[place] + turn) % len(rows[place]))
        return [members[place] for place in sorted(taken)]

    def of(self, members: Sequence[_T], taken: int = 0) -> list[_T]:
        """The sample of ``members``, in their order; a ``count`` includes ``taken`` others.

        A count is spread evenly from the first to the last.
        """
        if self.seed is not None:
            count = min(_DRAWN, len(members))
            drawn = random.Random(self.seed).sample(range(len(members)), k=count)
            return [members[place] for place in sorted(drawn)]
        if self.count is None:
            return [*members]
        count = min(self.count - taken, len(members))
        if count < 2:
            return [*members[: max(count, 0)]]
        last = len(members) - 1
        return [members[place * last // (count - 1)] for place in range(count)]
