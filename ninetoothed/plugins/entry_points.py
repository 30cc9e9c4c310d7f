"""Entry points of other packages: ``ninetoothed.passes`` and ``ninetoothed.backends``.

Looking for them reads the metadata of every installed package, some 40 ms, so it is done once a
process, and only where a name is none of ours.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ninetoothed.errors import PluginError

PASSES = "ninetoothed.passes"
BACK_ENDS = "ninetoothed.backends"


@dataclass(frozen=True)
class EntryPoint:
    """Entry point: ``name = "module:attribute"`` in the metadata of a distribution."""

    group: str
    name: str
    module: str
    attribute: str
    distribution: str
    version: str

    def __str__(self) -> str:
        return f"{self.module}:{self.attribute} of {self.distribution} {self.version}"

    def load(self) -> Any:
        """Import its module, and return what its attribute holds.

        Raises:
            PluginError: the import fails, or the module has no such attribute.
        """
        try:
            found: Any = importlib.import_module(self.module)
            for part in self.attribute.split("."):
                found = getattr(found, part)
        except (Exception, SystemExit) as error:
            # Modules of others may raise anything.
            raise PluginError(
                f"{self.name!r} in {self.group} is {self}, which cannot be imported: "
                f"{type(error).__name__}: {error}"
            ) from error
        return found


@functools.cache
def entry_points(group: str) -> Mapping[str, tuple[EntryPoint, ...]]:
    """All entry points of a group by name; of one name mostly one."""
    from importlib import metadata

    found: dict[str, tuple[EntryPoint, ...]] = {}
    for one in sorted(metadata.entry_points(group=group)):
        named, version = ("", "") if one.dist is None else (one.dist.name, one.dist.version)
        known = found.get(one.name, ())
        row = EntryPoint(group, one.name, one.module, one.attr, named, version)
        # An editable installation may be seen twice.
        if row not in known:
            found[one.name] = (*known, row)
    return found


def entry_point(group: str, name: str) -> EntryPoint | None:
    """The entry point of a name; None where there is none.

    Raises:
        PluginError: several distributions have one of this name.
    """
    found = entry_points(group).get(name, ())
    if len(found) > 1:
        raise PluginError(
            f"{name!r} in {group} has several meanings: {', '.join(map(str, found))}; uninstall "
            "all but one"
        )
    return found[0] if found else None
