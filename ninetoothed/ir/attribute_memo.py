"""What is computed from attributes, each once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from xdsl.ir import Attribute

_T = TypeVar("_T")


class AttributeMemo(Generic[_T]):
    """``compute``, called once for equal attributes.

    To hash an attribute takes longer than to look at most ops, so that it is looked up by identity
    first; each that was is kept, so that identities last.
    """

    def __init__(self, compute: Callable[[Attribute], _T]) -> None:
        self._compute = compute
        self._equal: dict[Attribute, _T] = {}
        self._same: dict[int, tuple[Attribute, _T]] = {}

    def __call__(self, attribute: Attribute) -> _T:
        """The result for an attribute."""
        known = self._same.get(id(attribute))
        if known is None:
            if attribute not in self._equal:
                self._equal[attribute] = self._compute(attribute)
            known = self._same[id(attribute)] = attribute, self._equal[attribute]
        return known[1]
