"""Search that ranks of a process group make together: each times its share of the candidates.

It goes as the search of one process does: the model's best, then what is near the fastest, some
times over. What each rank finds in a step, all learn (:meth:`JointSearch.take`), so all come to the
same next step. At the end every rank times the fastest few: times of two devices differ a little,
and the configuration counts that is the fastest over all of them.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from ninetoothed.artifacts.configuration import Config
from ninetoothed.runtime.tuning.results import Result, Row
from ninetoothed.runtime.tuning.search import REFINEMENTS, Search

# So many are timed by all ranks.
_FINALISTS = 3


class JointSearch:
    """The part of one rank, the one at ``place`` among ``count``.

    A step is :meth:`prepare` on all ranks, then :meth:`time` on all, then :meth:`take` of what all
    have found, until :attr:`result` is there.
    """

    def __init__(self, search: Search, place: int, count: int) -> None:
        self._search = search
        self._place = place
        self._count = count
        self._rows: dict[Config, Row] = {}
        self._batch = search.promising()
        self._steps = REFINEMENTS
        self._is_final = False
        self.result: Result | None = None

    @property
    def _share(self) -> list[Config]:
        return self._batch if self._is_final else self._batch[self._place :: self._count]

    def prepare(self) -> None:
        """Compiles what this rank times next: no rank compiles while another one times."""
        self._search.load(self._share)

    def time(self) -> list[Row]:
        """A row of each configuration of this rank's share.

        Raises:
            DeviceError: one did not end while it was timed.
        """
        return self._search.rows(self._share)

    def take(self, parts: Sequence[Sequence[Row]]) -> None:
        """Goes on by the rows of all ranks.

        Raises:
            ConfigurationError: no configuration can run.
        """
        if self._is_final:
            self._rows |= _means(parts)
            if not self._ranked():
                raise self._search.failure(self._rows.values())
            self._end()
            return
        before = self._ranked()
        self._rows |= {row.config: row for part in parts for row in part}
        ranked = self._ranked()
        if not ranked:
            self._batch = self._search.promising()
            if not self._batch:
                raise self._search.failure(self._rows.values())
            return
        self._batch = []
        if self._steps and ranked[0] not in before[:1]:
            self._steps -= 1
            self._batch = self._search.near(ranked[0])
        if self._batch:
            return
        if self._count == 1 or len(ranked) == 1:
            self._end()
            return
        self._batch, self._is_final = ranked[:_FINALISTS], True

    def _ranked(self) -> list[Config]:
        """The configurations that ran, the fastest first."""
        times = {
            config: row.milliseconds
            for config, row in self._rows.items()
            if row.milliseconds is not None
        }
        return sorted(times, key=lambda config: times[config])

    def _end(self) -> None:
        ranked = self._ranked()
        # Their times are of all devices, which one device's may be below.
        finalists = [config for config in ranked if config in self._batch]
        failed = [config for config in self._rows if config not in ranked]
        ordered = dict.fromkeys([*finalists, *ranked, *failed])
        self.result = self._search.result(self._rows[config] for config in ordered)


def _means(parts: Sequence[Sequence[Row]]) -> dict[Config, Row]:
    """The rows of configurations that all ranks have timed: the means, or a reason of one rank."""
    found: dict[Config, Row] = {}
    for config in dict.fromkeys(row.config for part in parts for row in part):
        rows = [row for part in parts for row in part if row.config == config]
        failed = next((row for row in rows if row.milliseconds is None), None)
        times = [row.milliseconds for row in rows if row.milliseconds is not None]
        samples = sum(row.samples for row in rows)
        found[config] = failed or Row(config, statistics.fmean(times), samples)
    return found
