"""A dict of bounded size, of what is found again when it is needed."""

from __future__ import annotations

from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


class BoundedDict(dict[K, V]):
    """A dict of at most ``most`` entries, emptied where there would be one more.

    Which are needed is not kept account of, so that finding one costs what it costs in a dict;
    those that are come again. Several threads may use it at once, and may go beyond ``most`` by as
    many entries as there are of them.
    """

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most = most

    def __setitem__(self, key: K, value: V) -> None:
        if len(self) >= self.most:
            self.clear()
        super().__setitem__(key, value)
