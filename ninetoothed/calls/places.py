"""Places: the devices that a call's tensors are on."""

from __future__ import annotations

from typing import Any, NamedTuple


class Place(NamedTuple):
    """A device: torch's name for its kind, and its number among those, 0 for a CPU."""

    kind: str
    number: int

    def __str__(self) -> str:
        return self.kind if self.kind == "cpu" else f"{self.kind}:{self.number}"


def place_of(device: Any) -> Place:
    """The place of a torch device."""
    return Place(device.type, device.index or 0)
