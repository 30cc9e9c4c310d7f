"""Remarks of one pass."""

from __future__ import annotations

from typing import Any

from ninetoothed.kernel.kernel import Kernel


def remarks_of(kernel: Kernel, pass_name: str, *values: Any) -> list[str]:
    """What a pass remarks on a call, with the kind in front."""
    found = kernel.remarks(*values).remarks
    return [f"{one.kind}: {one.message}" for one in found if one.pass_name == pass_name]
