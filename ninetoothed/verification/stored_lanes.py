"""Verdicts on definedness: every element that is stored was computed from elements that exist."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import ModuleOp

from ninetoothed.errors import Loc
from ninetoothed.ir.nt import kernel_of
from ninetoothed.layout.implication import Condition
from ninetoothed.passes.analysis.definedness import Stored, stored_lanes

PASS = "nt-check-definedness"


class StoredLanes:
    """Observer of a build that keeps what is known of each store, while operations are there that
    proofs can follow.
    """

    def __init__(self) -> None:
        self._stored: list[Stored] = []

    def __call__(self, name: str, module: ModuleOp) -> None:
        if name == PASS:
            self._stored = stored_lanes(kernel_of(module))

    def of(self, params: Sequence[int]) -> tuple[str, str, Loc | None]:
        """The answer, its text and the line for the tensor that the parameters of these numbers are
        and that is written.
        """
        found = [stored for stored in self._stored if stored.param in params]
        conditions = dict.fromkeys(str(one) for one in _conditions(found))
        text = " and ".join(conditions)
        for stored in found:
            reason = stored.open_because
            if reason is not None:
                return "undecided", f"{reason}; needed is {text}" if text else reason, stored.loc
        loc = found[0].loc if found else None
        if text:
            return "checked", text, loc
        return "proved", "what is stored was read, or has a value", loc


def _conditions(found: Sequence[Stored]) -> Iterator[Condition]:
    for stored in found:
        for _, condition in stored.conditions:
            yield condition
