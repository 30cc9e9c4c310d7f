"""Reciprocals: the two numbers by which a device multiplies, where it would divide by a size.

The algorithm is that of Granlund and Montgomery, Division by Invariant Integers using
Multiplication (PLDI 1994), in the form of ``IntDivider`` in ATen: with the numbers of a divisor,
``(umulhi(n, multiplier) + n) >> shift`` is ``n // divisor``. Of ``n`` below 2**31, no step of it
needs more than 32 bits.
"""

from __future__ import annotations

import functools

_LARGEST = 1 << 31


# A call with sizes that are new asks for them, most of which others have, too.
@functools.lru_cache(maxsize=4096)
def multiplier(divisor: int) -> int:
    """The multiplier of a divisor, as the signed number of 32 bits. Less than 1 counts as 1."""
    divisor = _known(divisor)
    found = ((1 << shift(divisor)) - divisor << 32) // divisor + 1
    return found - (1 << 32) if found >= _LARGEST else found


def shift(divisor: int) -> int:
    """The shift of a divisor, 0 to 31. Less than 1 counts as 1."""
    return (_known(divisor) - 1).bit_length()


PARTS = {"multiplier": multiplier, "shift": shift}
"""The two, by name."""


def _known(divisor: int) -> int:
    """A divisor by which numbers below 2**31 are divided alike."""
    return min(max(divisor, 1), _LARGEST)
