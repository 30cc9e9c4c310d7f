"""Tables of handlers: by op class, by row of the language's table, or by class of AST node."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from ninetoothed.errors import CompilerError

Key = TypeVar("Key")
Handler = TypeVar("Handler")

_NONE: Mapping[Any, Any] = MappingProxyType({})


class Registry(Generic[Key, Handler]):
    """Handlers by key. ``name`` is what errors call the table.

    A function is registered by decorator, at its definition; ``handlers`` are those that are made
    by expressions or come from other packages.

    .. code-block:: python

        LOWERINGS: Registry[type[Operation], Lowering] = Registry("the lowering to tt")

        @LOWERINGS.register(nt.SizeOp)
        def _size(...): ...

        LOWERINGS[type(op)](...)
    """

    def __init__(self, name: str, handlers: Mapping[Key, Handler] = _NONE) -> None:
        self.name = name
        self._handlers = dict(handlers)

    def register(self, *keys: Key) -> Callable[[Handler], Handler]:
        """Register the decorated handler for ``keys``.

        Raises:
            CompilerError: a key has a handler already.
        """

        def add(handler: Handler) -> Handler:
            for key in keys:
                if key in self._handlers:
                    raise CompilerError(f"{_named(key)} has two handlers in {self.name}")
                self._handlers[key] = handler
            return handler

        return add

    def __getitem__(self, key: Key) -> Handler:
        """The handler of ``key``.

        Raises:
            CompilerError: there is none.
        """
        found = self._handlers.get(key)
        if found is None:
            raise CompilerError(f"{_named(key)} has no handler in {self.name}")
        return found

    def get(self, key: Key) -> Handler | None:
        """The handler of ``key``; None: there is none."""
        return self._handlers.get(key)

    def __contains__(self, key: object) -> bool:
        return key in self._handlers

    def __iter__(self) -> Iterator[Key]:
        """The keys, in the order of registration."""
        return iter(self._handlers)

    def __len__(self) -> int:
        return len(self._handlers)


def _named(key: object) -> str:
    """An op class by its op's name, any other class by its own."""
    if not isinstance(key, type):
        return str(key)
    name = getattr(key, "name", None)
    return name if isinstance(name, str) else key.__name__
