"""What an iteration of a loop does to memory: a loop that does nothing any more never ends."""

from __future__ import annotations

import torch

from ninetoothed.interpreters.memory import Memory, together


class Effects:
    """What is read and written, and what was there before.

    ``reads``: something was read. An element that is written twice counts as what it was at first,
    so that a lock that is taken and released is no change.
    """

    def __init__(self) -> None:
        self.reads = False
        self._before: dict[Memory, tuple[torch.Tensor, torch.Tensor]] = {}

    def touch(
        self, kind: str, memory: Memory, offsets: torch.Tensor, mask: torch.Tensor | None
    ) -> None:
        """Record an access that is about to happen; ``kind`` is read, write or update."""
        self.reads = self.reads or kind != "write"
        if kind == "read":
            return
        if mask is not None:
            offsets, mask = together(offsets, mask)
            offsets = offsets[mask]
        # What lies outside is an error of the access itself.
        written = offsets[memory.contains(offsets)]
        empty = torch.zeros(0, dtype=torch.int64)
        known, before = self._before.get(memory, (empty, memory.bits_at(empty)))
        written = written[~torch.isin(written, known)]
        self._before[memory] = (
            torch.cat([known, written]),
            torch.cat([before, memory.bits_at(written)]),
        )

    def changed(self) -> bool:
        """True if an element has other bits than before."""
        return any(
            not torch.equal(memory.bits_at(offsets), before)
            for memory, (offsets, before) in self._before.items()
        )
