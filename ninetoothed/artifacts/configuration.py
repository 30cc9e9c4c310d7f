"""Configurations, and the configuration space of a signature."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

Choices = tuple[tuple[str, int], ...]
"""Values of passes' choices by name (see ``compiler.optimizations``), without those that are
defaults, in alphabetical order.
"""
Legal = tuple[tuple[str, tuple[int, ...]], ...]
"""Legal values of choices beside their defaults, by name."""

SPLIT = "split_reductions"
"""The choice of how many programs share the iterations of one, which the model knows of."""
INTERCHANGED = "interchanged_reductions"
"""The choice whether flattened reductions are interchanged, as they are with packed operands."""
PACKED = "packed_operands"
"""The choice whether operands are read from packed copies, which it knows of, too."""
BOUNDS = "moving_bounds"
"""The choice of how guards are computed, which changes nothing where there is none."""
PERSISTENT = "persistent_programs"
"""The choice whether as many programs as run at once do the work of all."""
GROUPED = "grouped_programs"
"""The choice of how many rows of the grid programs go down together."""
STAGED = "loop_stages"
"""The choice of how far ahead loops without dots load."""
DESCRIPTORS = "descriptors"
"""The choice of what is copied through tensor descriptors: with 1, loads; with 2, stores, too."""


@dataclass(frozen=True)
class Config:
    """Values of the meta symbols, in the kernel's order, with ``num_warps`` and ``num_stages``, and
    what passes do in another way than by default.
    """

    values: tuple[tuple[str, int], ...]
    num_warps: int = 4
    num_stages: int = 3
    choices: Choices = ()

    def __str__(self) -> str:
        named = [*self.values, ("num_warps", self.num_warps), ("num_stages", self.num_stages)]
        return ", ".join(f"{name}={value}" for name, value in (*named, *self.choices))

    @property
    def plain(self) -> Config:
        """The same with the default of each choice."""
        return replace(self, choices=()) if self.choices else self

    @property
    def listed(self) -> Config:
        """The same with the default of each choice but packed operands: as a space lists it."""
        return self.plain.choosing(PACKED, self.value(PACKED))

    @property
    def parts(self) -> int:
        """How many programs share the iterations of one."""
        return self.value(SPLIT) or 1

    @property
    def is_packed(self) -> bool:
        """True if operands are read from packed copies."""
        return self.value(PACKED) == 1

    @property
    def is_persistent(self) -> bool:
        """True if as many programs as run at once do the work of all."""
        return self.value(PERSISTENT) == 1

    @property
    def stores_boxes(self) -> bool:
        """True if blocks are stored through tensor descriptors."""
        return self.value(DESCRIPTORS) == 2

    def value(self, name: str) -> int | None:
        """The value of a choice; None: its default."""
        return dict(self.choices).get(name)

    def choosing(self, name: str, value: int | None) -> Config:
        """The same with another value of one choice; None: its default."""
        others = [one for one in self.choices if one[0] != name]
        chosen = [] if value is None else [(name, value)]
        return replace(self, choices=tuple(sorted([*others, *chosen])))

    def choosing_each(self, values: Mapping[str, int | None]) -> Config:
        """The same with other values of several choices, as :meth:`choosing`."""
        found = self
        for name, value in values.items():
            found = found.choosing(name, value)
        return found

    @staticmethod
    def of(fields: dict[str, Any]) -> Config:
        """Configuration from its JSON fields.

        Raises:
            KeyError, TypeError, ValueError: they are not a configuration's.
        """
        values, choices = (
            tuple((str(name), int(value)) for name, value in fields[row])
            for row in ("values", "choices")
        )
        return Config(values, int(fields["num_warps"]), int(fields["num_stages"]), choices)


def volume(sizes: Sequence[tuple[str, int]]) -> int:
    """Product of block sizes, by which choices of them are ordered."""
    return math.prod(size for _, size in sizes)


@dataclass(frozen=True)
class Space:
    """Configuration space of a signature.

    ``configs``: all that can run, the best guess without knowing sizes first; choices of passes
    have their defaults. ``packed``: those that can run with packed operands, which are others,
    since more is read ahead; the other choices have their defaults. ``legal``: of each of
    ``configs`` and then of ``packed``, the other values of its choices, that one left out; empty
    where none has any. ``cost``: Python source of the cost function, which
    ``runtime.tuning.model`` runs. ``pruned``: why others were left out, each reason with a count.
    ``fits``: Python source of ``fits``, which takes a call's arguments, and returns a function of
    the block sizes: True if they pass the call's checks. Empty where no check depends on them.
    ``passes``: what passes of other packages the configurations are compiled with; mostly empty.
    ``is_fixed``: the user has chosen the number of warps.
    """

    configs: tuple[Config, ...]
    cost: str
    pruned: tuple[tuple[str, int], ...] = ()
    fits: str = ""
    legal: tuple[Legal, ...] = ()
    passes: str = ""
    is_fixed: bool = False
    packed: tuple[Config, ...] = ()

    @property
    def listed(self) -> tuple[Config, ...]:
        """All that the model ranks: ``configs``, and then ``packed``."""
        return (*self.configs, *self.packed)

    @property
    def is_single(self) -> bool:
        """True if there is nothing to tune: one configuration, without choices, or with those of
        one that the user has fixed, which keep their defaults.
        """
        has_others = self.packed or any(self.legal)
        return len(self.configs) == 1 and (self.is_fixed or not has_others)

    def varied(self, config: Config) -> list[Config]:
        """What differs from ``config``, of this space, in one choice."""
        chosen = dict(config.choices)
        found = [
            config.choosing(name, value)
            for name, others in self._legal_of(config)
            for value in (None, *others)
            if value != chosen.get(name)
        ]
        other = config.choosing(PACKED, None if config.is_packed else 1)
        return [*found, other] if self.has(other) else found

    def has(self, config: Config) -> bool:
        """True if ``config`` is one of the space, with legal choices."""
        legal = dict(self._legal_of(config))
        return config.listed in self._places and all(
            value in legal.get(name, ()) for name, value in config.choices if name != PACKED
        )

    def _legal_of(self, config: Config) -> Legal:
        place = self._places.get(config.listed)
        return self.legal[place] if self.legal and place is not None else ()

    @cached_property
    def _places(self) -> dict[Config, int]:
        return {config: place for place, config in enumerate(self.listed)}

    def to_json(self) -> str:
        """Serialize to JSON, the same in every process."""
        # Hundreds of configurations mostly name the same block sizes, and have the same choices.
        rows = [(tuple(name for name, _ in config.values), config) for config in self.listed]
        names = list(dict.fromkeys(names for names, _ in rows))
        places = {names: place for place, names in enumerate(names)}
        configs = [
            [places[named], [value for _, value in one.values], one.num_warps, one.num_stages]
            for named, one in rows
        ]
        kinds = list(dict.fromkeys(self.legal))
        fields = {
            "configs": configs[: len(self.configs)],
            "cost": self.cost,
            "fits": self.fits,
            "is_fixed": self.is_fixed,
            "legal": [kinds.index(row) for row in self.legal],
            "legal_kinds": kinds,
            "names": names,
            "packed": configs[len(self.configs) :],
            "passes": self.passes,
            "pruned": self.pruned,
        }
        return json.dumps(fields, sort_keys=True)

    @staticmethod
    def from_json(text: str) -> Space:
        """The inverse of :meth:`to_json`.

        Raises:
            ValueError, KeyError, TypeError: the text is no space of this version.
        """
        fields: dict[str, Any] = json.loads(text)
        names = {
            place: [str(name) for name in names] for place, names in enumerate(fields["names"])
        }
        configs, packed = (
            tuple(
                Config(
                    tuple(zip(names[place], map(int, values), strict=True)),
                    int(warps),
                    int(stages),
                    choices,
                )
                for place, values, warps, stages in fields[field]
            )
            for field, choices in (("configs", ()), ("packed", ((PACKED, 1),)))
        )
        pruned = tuple((str(reason), int(count)) for reason, count in fields["pruned"])
        kinds: dict[int, Legal] = {
            place: tuple((str(name), tuple(map(int, values))) for name, values in row)
            for place, row in enumerate(fields["legal_kinds"])
        }
        legal = tuple(kinds[int(place)] for place in fields["legal"])
        if len(legal) not in (0, len(configs) + len(packed)):
            raise ValueError("each configuration has its choices")
        fits, passes = str(fields["fits"]), str(fields["passes"])
        fixed = bool(fields["is_fixed"])
        return Space(configs, str(fields["cost"]), pruned, fits, legal, passes, fixed, packed)
