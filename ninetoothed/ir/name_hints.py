"""The user's names as names of the IR's values."""

from __future__ import annotations

import re

from xdsl.ir import SSAValue

_ILLEGAL = re.compile(r"[^0-9A-Za-z_]")


def hint(value: SSAValue, name: str) -> None:
    """Name a value in texts of the IR and in generated source. Python's names may have characters
    that the IR's have not, which become underscores.
    """
    word = _ILLEGAL.sub("_", name)
    value.name_hint = word if SSAValue.is_valid_name(word) else None
