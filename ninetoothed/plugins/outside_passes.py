"""Passes of other packages, by name: those that a program registered, and those of entry points.

What tells one from another in every cache key, an :class:`OutsidePass`, is found without importing
the pass. It stays what it was when the name was first asked for, unless the pass is registered
anew.
"""

from __future__ import annotations

import sys
import threading
import uuid
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from ninetoothed.errors import ArgumentError, PluginError
from ninetoothed.plugins import entry_points
from ninetoothed.plugins.origins import package_of, source_digest

Side = Literal["before", "after"]


class Place(NamedTuple):
    """Place in the pipeline: before or after a pass or a stage."""

    side: Side
    name: str

    def __str__(self) -> str:
        return f"{self.side}={self.name!r}"

    @staticmethod
    def of(before: str | None, after: str | None) -> Place | None:
        """The place of two arguments, of which one may be given.

        Raises:
            ArgumentError: both are given, or one that is no name.
        """
        if before is None and after is None:
            return None
        if before is not None and after is not None:
            raise ArgumentError("a pass has one place; give before= or after=, not both")
        side: Side = "after" if before is None else "before"
        name = after if before is None else before
        if not isinstance(name, str):
            raise ArgumentError(f"{side}= takes the name of a pass or of a stage, not {name!r}")
        return Place(side, name)


@dataclass(frozen=True)
class OutsidePass:
    """Pass of another package: its name, the class, and what its code is.

    ``place``: where it runs unless a pipeline says otherwise; None where only its module, which is
    not imported yet, says it. ``version``: of its distribution, or its own. ``digest``: of the
    source of its package; of a pass that has no file, it is another one in every process.
    """

    name: str
    module: str
    attribute: str
    place: Place | None
    version: str
    digest: str

    def __str__(self) -> str:
        version = f" {self.version}" if self.version else ""
        return f"{self.module}.{self.attribute}{version}"

    @property
    def loadable(self) -> str:
        """What ``nt-opt --load`` takes to register it: a module's name, or the path of a file."""
        loaded = sys.modules.get(self.module)
        file = getattr(loaded, "__file__", None)
        # Another process may not find by name a script, a file that was loaded by its path, or one
        # whose package nobody imported, as that of a kernel that nt-opt was given.
        package, dot, _ = self.module.partition(".")
        if dot and package in sys.modules:
            return self.module
        return self.module if file is None else str(file)

    @property
    def key(self) -> tuple[object, ...]:
        """What it is, in cache keys."""
        return (self.name, self.module, self.attribute, self.place, self.version, self.digest)


class Registered(NamedTuple):
    """Class of a pass, and its place."""

    outside: OutsidePass
    pass_: type[Any]
    place: Place


_lock = threading.Lock()
_registered: dict[str, Registered] = {}
_from_entry_points: dict[str, OutsidePass] = {}


def add(pass_: type[Any], place: Place) -> None:
    """Register a pass. The same class once more, as by a notebook's cell, replaces the one before.

    Raises:
        ArgumentError: another class has the name.
    """
    name = pass_.name
    with _lock:
        known = _registered.get(name)
        found = _from_entry_points.get(name)
    if known is not None and not _is_same(known.outside, pass_):
        raise ArgumentError(
            f"there is a pass {name!r} already, {known.outside}; give "
            f"{pass_.__module__}.{pass_.__qualname__} another name"
        )
    if known is not None or found is None or not _is_of_entry_point(found, pass_):
        # The code of a class is what it was, even where its file is not.
        digest = known.outside.digest if known is not None and known.pass_ is pass_ else None
        found = OutsidePass(
            name,
            pass_.__module__,
            pass_.__qualname__,
            place,
            _version(pass_),
            digest or _digest(pass_),
        )
    with _lock:
        _registered[name] = Registered(found, pass_, place)


def registered() -> dict[str, Registered]:
    """The passes that were registered, in order."""
    with _lock:
        return dict(_registered)


def names() -> list[str]:
    """The names of all passes from outside; looks for entry points."""
    return sorted({*registered(), *entry_points.entry_points(entry_points.PASSES)})


def find(name: str) -> OutsidePass | None:
    """The pass of a name, which is not imported; None where there is none.

    Raises:
        PluginError: several distributions have one of this name.
    """
    with _lock:
        if name in _registered:
            return _registered[name].outside
        if name in _from_entry_points:
            return _from_entry_points[name]
    point = entry_points.entry_point(entry_points.PASSES, name)
    if point is None:
        return None
    digest = source_digest(point.module) or _unknown()
    found = OutsidePass(name, point.module, point.attribute, None, point.version, digest)
    with _lock:
        # Another thread may have imported it by now.
        if name in _registered:
            return _registered[name].outside
        return _from_entry_points.setdefault(name, found)


def load(name: str) -> Registered | None:
    """The class of a pass, whose module is imported if need be; None where there is none.

    Raises:
        PluginError: its entry point cannot be imported, does not register it, or names a package
            that only imports it.
    """
    found = registered().get(name)
    if found is not None or (known := find(name)) is None:
        return found
    point = entry_points.entry_point(entry_points.PASSES, name)
    assert point is not None
    point.load()
    found = registered().get(name)
    if found is None:
        raise PluginError(
            f"{name!r} in {point.group} is {point}, and importing {point.module} registers no pass "
            f"of this name; put @ninetoothed.passes.register(after=...) above the class whose name "
            f"is {name!r}"
        )
    if found.outside != known:
        # What tells it apart is of the package that the entry point names.
        raise PluginError(
            f"{name!r} in {point.group} is {point}, which is of another package, {found.outside}; "
            "name its own module in the entry point"
        )
    return found


def _is_of_entry_point(found: OutsidePass, pass_: type[Any]) -> bool:
    """True if the package that an entry point names has the class, maybe in another module."""
    if found.module == pass_.__module__:
        return True
    package = package_of(found.module)
    return package is not None and package == package_of(pass_.__module__)


def _is_same(known: OutsidePass, pass_: type[Any]) -> bool:
    return (known.module, known.attribute) == (pass_.__module__, pass_.__qualname__)


def _version(pass_: type[Any]) -> str:
    own = getattr(pass_, "version", None)
    package = sys.modules.get(pass_.__module__.partition(".")[0])
    found = getattr(package, "__version__", "") if own is None else own
    return found if isinstance(found, str) else ""


def _digest(pass_: type[Any]) -> str:
    # What a class inside of a function does may depend on the function's variables.
    is_inner = "<locals>" in pass_.__qualname__
    return (None if is_inner else source_digest(pass_.__module__)) or _unknown()


def _unknown() -> str:
    """Stands for a source that nobody knows: what it compiles is of no use to other processes."""
    return f"unknown {uuid.uuid4()}"
