"""Names for generated Python: the user's, made legal and unique."""

from __future__ import annotations

import itertools
import keyword
import re
from collections.abc import Collection, Iterable

# What generated kernels use beside their own names.
_TAKEN = ("tl", "triton", "libdevice", "range", "float")
# Functions that Triton and LLVM declare beside a kernel.
_TAKEN_FUNCTIONS = (*_TAKEN, "vprintf", "__assertfail", "global_smem", "malloc", "free")
MAX_LENGTH = 32
_ILLEGAL = re.compile(r"[^0-9A-Za-z_]")


class NameTable:
    """Unique names that are legal in Python."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._used = {*_TAKEN, *taken}
        self._next: dict[str, int] = {}

    def unique(self, wanted: str) -> str:
        """``wanted`` as a legal name; with a number if that is taken."""
        base = _ILLEGAL.sub("_", wanted)[:MAX_LENGTH] or "v"
        if base[0].isdigit():
            base = f"v{base}"
        # Double underscores in front would be mangled, or mean something to Python.
        base = re.sub(r"^__+", "_", base)
        if keyword.iskeyword(base):
            base += "_"
        name, number = base, self._next.get(base, 1)
        while name in self._used:
            name = f"{base}_{number}"
            number += 1
        self._next[base] = number
        self._used.add(name)
        return name


def legal_function_name(wanted: str, taken: Collection[str] = ()) -> str:
    """``wanted`` as the name of a kernel, in Python and in assembly; with a number if that is taken
    by a function beside it. A name that is legal stays, however long.
    """
    name = _ILLEGAL.sub("_", wanted)
    if not name.strip("_"):
        # Assembly takes no name of underscores alone.
        name = f"kernel{name}"
    if name[0].isdigit():
        name = f"v{name}"
    if keyword.iskeyword(name):
        name += "_"
    used = {*_TAKEN_FUNCTIONS, *taken}
    numbered = (f"{name}_{number}" for number in itertools.count(1))
    return next(one for one in itertools.chain([name], numbered) if one not in used)
