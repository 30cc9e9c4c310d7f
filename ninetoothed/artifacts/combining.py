"""Combining: what the programs that share iterations have found becomes one, level by level.

One program may read what all parts have found. Or several programs do so for a group each, and one
of them reads what the groups have found: few lanes go through one multiprocessor then, and programs
meet twice. The compiler and the performance model both ask here which it is.
"""

from __future__ import annotations

_MEETING = 32 << 10
"""Lanes of 32 bits that a multiprocessor reads from L2 while programs meet once: to write, to count
and to read what was written each waits for memory.
"""


def levels(parts: int, lanes: int) -> tuple[int, ...]:
    """How many are combined into one at each level, the parts' own first.

    ``parts`` is a power of two, and the product; ``lanes``: of what each of them has found.

    >>> levels(64, 1), levels(64, 16 * 128)
    ((64,), (8, 8))
    """
    groups = 1 << (parts.bit_length() - 1) // 2
    group = parts // groups
    saved = (parts - group - groups) * lanes
    return (group, groups) if saved > _MEETING else (parts,)
