"""Tells DTensors, without loading what they need."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

from ninetoothed.pytorch.constant_results import constant_result


def are_sharded(values: Iterable[Any]) -> bool:
    """True if one of a call's arguments is a DTensor."""
    kinds = _kinds()
    return bool(kinds) and any([isinstance(value, kinds) for value in values])


@constant_result
def _kinds() -> tuple[type, ...]:
    # Who never imported them, or has not to the end, has none.
    kind = getattr(sys.modules.get("torch.distributed.tensor"), "DTensor", None)
    return () if kind is None else (kind,)
