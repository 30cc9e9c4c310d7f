"""Where a process's time goes: seconds of its imports, by package, and of functions, by part.

A part's time is its own, without that of the parts inside it. What other threads do is part of what
the main thread waits for.
"""

from __future__ import annotations

import functools
import importlib.abc
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

IMPORT = "import "
"""What the names of the imports' parts begin with; a package follows, or :data:`OTHERS`."""
OTHERS = "others"


class Parts:
    """The seconds of each part so far.

    ``functions`` names the part of each function of a module that is yet to be imported:
    ``{"package.module": {"Class.method": "part"}}``. ``packages`` are told apart in imports.
    """

    def __init__(
        self, functions: Mapping[str, Mapping[str, str]], packages: Sequence[str] = ()
    ) -> None:
        self.seconds: dict[str, float] = {}
        self._functions = functions
        self._packages = packages
        self._thread = threading.get_ident()
        # What the parts that are inside took, of each part that is running.
        self._inside = [0.0]

    def install(self) -> None:
        """Begins to take the time of what is imported from now on."""
        sys.meta_path.insert(0, _Finder(self))

    def timed(self, part: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, whose time is the part's."""

        @functools.wraps(function)
        def run(*args: Any, **kwargs: Any) -> Any:
            if threading.get_ident() != self._thread:
                return function(*args, **kwargs)
            start = time.perf_counter()
            self._inside.append(0.0)
            try:
                return function(*args, **kwargs)
            finally:
                taken = time.perf_counter() - start
                own = taken - self._inside.pop()
                self.seconds[part] = self.seconds.get(part, 0.0) + own
                self._inside[-1] += taken

        return run

    def of_import(self, name: str) -> str:
        """The part of a module's import."""
        package = name.partition(".")[0]
        return IMPORT + (package if package in self._packages else OTHERS)

    def watch(self, module: ModuleType) -> None:
        """Takes the time of a module's functions that are named.

        Raises:
            AttributeError: it has no such function.
        """
        for path, part in self._functions.get(module.__name__, {}).items():
            *owners, name = path.split(".")
            owner = functools.reduce(getattr, owners, module)
            setattr(owner, name, self.timed(part, getattr(owner, name)))


class _Finder(importlib.abc.MetaPathFinder):
    """Finds modules as the other finders do, and takes the time of that and of running them."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        part = self._parts.of_import(fullname)
        spec = self._parts.timed(part, self._found)(fullname, path, target)
        loader: Any = None if spec is None else spec.loader
        # Those of built-in modules are classes.
        if loader is not None and not isinstance(loader, type) and hasattr(loader, "exec_module"):
            execute = self._parts.timed(part, loader.exec_module)

            def exec_module(module: ModuleType) -> None:
                execute(module)
                self._parts.watch(module)

            loader.exec_module = exec_module
        return spec

    def _found(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None
    ) -> ModuleSpec | None:
        for finder in sys.meta_path:
            if finder is not self:
                spec = finder.find_spec(name, path, target)
                if spec is not None:
                    return spec
        return None
