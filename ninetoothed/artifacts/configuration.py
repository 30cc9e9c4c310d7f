"""Configurations, and the configuration space of a signature."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Config:
    """Values of the meta symbols, in the kernel's order, with ``num_warps`` and ``num_stages``."""

    values: tuple[tuple[str, int], ...]
    num_warps: int = 4
    num_stages: int = 3

    def __str__(self) -> str:
        values = [f"{name}={value}" for name, value in self.values]
        return ", ".join([*values, f"num_warps={self.num_warps}", f"num_stages={self.num_stages}"])

    @staticmethod
    def of(fields: dict[str, Any]) -> Config:
        """Configuration from its JSON fields.

        Raises:
            KeyError, TypeError, ValueError: they are not a configuration's.
        """
        values = tuple((str(name), int(value)) for name, value in fields["values"])
        return Config(values, int(fields["num_warps"]), int(fields["num_stages"]))


def volume(sizes: Sequence[tuple[str, int]]) -> int:
    """Product of block sizes, by which choices of them are ordered."""
    return math.prod(size for _, size in sizes)


@dataclass(frozen=True)
class Space:
    """Configuration space of a signature.

    ``configs``: all that can run, the best guess without knowing sizes first. ``cost``: Python
    source of the cost function, which ``runtime.tuning.model`` runs. ``pruned``: why others were
    left out, each reason with a count. ``fits``: Python source of ``fits``, which takes a call's
    arguments, and returns a function of the block sizes: True if they pass the call's checks. Empty
    where no check depends on them.
    """

    configs: tuple[Config, ...]
    cost: str
    pruned: tuple[tuple[str, int], ...] = ()
    fits: str = ""

    def to_json(self) -> str:
        """Serialize to JSON, the same in every process."""
        # Hundreds of configurations mostly name the same block sizes.
        rows = [(tuple(name for name, _ in config.values), config) for config in self.configs]
        names = list(dict.fromkeys(names for names, _ in rows))
        places = {names: place for place, names in enumerate(names)}
        configs = [
            [places[named], [value for _, value in one.values], one.num_warps, one.num_stages]
            for named, one in rows
        ]
        fields = {
            "configs": configs,
            "cost": self.cost,
            "fits": self.fits,
            "names": names,
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
        configs = tuple(
            Config(tuple(zip(names[place], map(int, values), strict=True)), int(warps), int(stages))
            for place, values, warps, stages in fields["configs"]
        )
        pruned = tuple((str(reason), int(count)) for reason, count in fields["pruned"])
        return Space(configs, str(fields["cost"]), pruned, str(fields["fits"]))
