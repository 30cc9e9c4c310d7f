"""Effects of ops on what is outside the program: writes, prints and assertions."""

from __future__ import annotations

from xdsl.ir import Operation
from xdsl.traits import MemoryEffectKind, get_effects


def acts(op: Operation) -> bool:
    """True if ``op``, or one in it, does more than to read."""
    for inner in op.walk():
        effects = get_effects(inner)
        if effects is None:
            if not inner.regions:
                return True
        elif any(effect.kind is not MemoryEffectKind.READ for effect in effects):
            return True
    return False
