"""Refusal of what a pass would do."""

from __future__ import annotations

from xdsl.ir import Operation


class Refusal(Exception):
    """Why a pass leaves something as it is; ``op`` is what is in its way."""

    def __init__(self, op: Operation, reason: str) -> None:
        super().__init__(reason)
        self.op = op
        self.reason = reason
