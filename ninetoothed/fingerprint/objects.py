"""Objects that an application may look into, and their attributes, read without running code."""

from __future__ import annotations

import sys
import types
from typing import Any

from ninetoothed.fingerprint.trusted import HEAP_TYPE

MISSING = object()
"""Stands for an attribute that does not exist."""

_OTHERS = ("ninetoothed", "triton", "torch", "numpy")
"""Packages whose objects the language does not look into."""
_DATA = (int, float, complex, str, bytes, tuple, list, dict, set, frozenset)


def is_object(value: object) -> bool:
    """True for an object of a user's class, which has attributes and is no number, container or
    tensor; a module of torch that a user wrote is one.
    """
    kind = type(value)
    if not kind.__flags__ & HEAP_TYPE or isinstance(value, type) or issubclass(kind, _DATA):
        return False
    package = kind.__module__.partition(".")[0]
    return package not in sys.stdlib_module_names and not any(map(_is_others, kind.__mro__))


def _is_others(kind: type) -> bool:
    module = kind.__module__
    return module.partition(".")[0] in _OTHERS and module != "torch.nn.modules.module"


def is_callable_object(value: object) -> bool:
    """True for an :func:`is_object` that can be called, by a function written in Python."""
    if not is_object(value):
        return False
    found = class_attribute(type(value), "__call__")
    if not isinstance(found, types.FunctionType):
        return False
    return found.__module__.partition(".")[0] not in _OTHERS


def static_attribute(value: object, name: str) -> tuple[Any, bool]:
    """``value.name`` as Python finds it, descriptors unbound; :data:`MISSING` without one. Second,
    True if it is the object's own, and not its class's.
    """
    of_class = class_attribute(type(value), name)
    if isinstance(of_class, types.MemberDescriptorType):
        # A slot.
        return getattr(value, name, MISSING), True
    own: dict[str, Any] = getattr(value, "__dict__", {})
    if name in own and not isinstance(of_class, property):
        return own[name], True
    return of_class, False


def class_attribute(kind: type[Any], name: str) -> Any:
    """``kind.name`` as Python finds it, descriptors unbound; :data:`MISSING` without one."""
    for home in kind.__mro__:
        if name in vars(home):
            return vars(home)[name]
    return MISSING
