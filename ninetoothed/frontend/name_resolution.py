"""Name resolution: locals, those of enclosing functions, globals and builtins."""

from __future__ import annotations

import ast
import enum
import functools
import inspect
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from ninetoothed import dtype as dtypes
from ninetoothed.errors import TypeMismatchError, UndefinedNameError, did_you_mean
from ninetoothed.fingerprint.objects import MISSING, is_object, static_attribute
from ninetoothed.frontend import triton_objects
from ninetoothed.frontend.context import Context
from ninetoothed.frontend.frame import Frame
from ninetoothed.frontend.operators import MOST_BITS
from ninetoothed.frontend.values import ElementType, Object, Value, describe
from ninetoothed.frontend.walk import EXPRESSIONS
from ninetoothed.language.table import Primitive
from ninetoothed.language.torch_names import instead_of_function

_BUILTINS = ("range", "float", "int", "bool", "len", "abs", "min", "max", "sum")

_CONSTANTS: tuple[type, ...] = (
    types.NoneType,
    bool,
    int,
    float,
    str,
    type,
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
    types.ModuleType,
    functools.partial,
    Primitive,
)
"""Classes of outside objects that an application may use as they are."""


@EXPRESSIONS.register(ast.Name)
def _name(ctx: Context, node: ast.Name) -> Value:
    name = node.id
    found = ctx.frame.locals.get(name)
    if found is not None:
        return found
    frame = ctx.frame.owner(name)
    if frame is None:
        return _outside(ctx, name)
    while name in frame.lent:
        frame, name = frame.lent[name]
    if name in frame.locals:
        return frame.locals[name]
    if name in frame.undefined:
        raise UndefinedNameError(f"{name} {frame.undefined[name]}")
    raise UndefinedNameError(f"{name} has no value yet; assign it before")


def _outside(ctx: Context, name: str) -> Value:
    """A closure variable of a function that Python made, a global or a builtin."""
    frame = ctx.frame
    *_, outermost = frame.outwards()
    try:
        found = outermost.source.lookup(name)
    except KeyError:
        raise UndefinedNameError(_unknown(frame, name)) from None
    except ValueError:
        raise UndefinedNameError(
            f"{name} has no value yet; assign it before the kernel is made"
        ) from None
    return constant(ctx, name, found)


def _unknown(frame: Frame, name: str) -> str:
    *_, outermost = frame.outwards()
    known = [local for around in frame.outwards() for local in around.locals]
    hint = did_you_mean(name, [*known, *outermost.source.names(), *_BUILTINS])
    return f"there is no name {name}; {hint or 'assign it first, or import it'}"


def constant(ctx: Context, name: str, value: Any) -> Value:
    """A Python object from outside the application, if the language has it.

    Raises:
        TypeMismatchError: it does not.
        UndefinedNameError: it is one of Triton's that the language does not have.
    """
    if isinstance(value, enum.Enum):
        return constant(ctx, name, value.value)
    if isinstance(value, tuple | list):
        items = cast("Sequence[Any]", value)
        found = [constant(ctx, f"{name}[{index}]", item) for index, item in enumerate(items)]
        return found if isinstance(value, list) else tuple(found)
    if not isinstance(value, types.ModuleType):
        # A module is adopted attribute by attribute.
        value = triton_objects.adopted(value)
    if (own := dtypes.own_type(value)) is not None:
        return ctx.constant(dtypes.number(value), own)
    value = dtypes.number(value)
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        raise TypeMismatchError(
            f"{name} is an integer of more than {MOST_BITS:,} bits, which no block holds; use a "
            "smaller number"
        )
    if isinstance(value, _CONSTANTS) or triton_objects.is_function(value):
        return value
    dtype = dtypes.lookup(value)
    if dtype is not None:
        return ElementType(dtype)
    if is_object(value):
        return Object(value)
    word = type(value).__name__
    raise TypeMismatchError(
        f"{name} is a {word} from outside the application, which cannot be used inside; "
        "numbers, element types, tuples and functions can, and tensors come in as parameters"
    )


def held_object(value: Any) -> Value:
    """The first argument of a bound method: an object, or of a class method the class."""
    return value if isinstance(value, type) else Object(value)


def object_attribute(ctx: Context, owner: Object, name: str) -> Value:
    """``object.name``: a constant, or a method.

    Raises:
        TypeMismatchError: it would have to be computed by Python.
        UndefinedNameError: there is none.
    """
    value = owner.value
    kind = cast("type[Any]", type(value))
    shown = f"{kind.__name__}.{name}"
    capture = ctx.frame.source.capture
    kept = None if capture is None else capture.attribute(value, name, None)
    found, is_own = kept or static_attribute(value, name)
    if found is MISSING:
        hint = did_you_mean(name, dir(value))
        raise UndefinedNameError(f"{describe(owner)} has no attribute {name}{hint and f'; {hint}'}")
    if isinstance(found, types.FunctionType) and not is_own:
        return types.MethodType(found, value)
    if isinstance(found, property | functools.cached_property):
        raise TypeMismatchError(
            f"{shown} is a property, which Python computes; keep its value in an attribute, or "
            "in a variable outside"
        )
    return _of_class(ctx, shown, found, kind)


def _of_class(ctx: Context, shown: str, found: Any, owner: type) -> Value:
    if isinstance(found, classmethod):
        return types.MethodType(cast("classmethod[Any, Any, Any]", found).__func__, owner)
    return constant(ctx, shown, found.__func__ if isinstance(found, staticmethod) else found)


def module_attribute(ctx: Context, module: types.ModuleType, name: str) -> Value:
    """``module.name``.

    Raises:
        UndefinedNameError: there is none.
    """
    inner = triton_objects.inner_module(module, name)
    if inner is not None:
        return inner
    module = triton_objects.counterpart(module.__name__) or module
    try:
        found = _captured(ctx, module, name, getattr)
    except AttributeError:
        ours = instead_of_function(name) if module.__name__ == "ninetoothed.language" else ""
        hint = ours or did_you_mean(name, dir(module))
        raise UndefinedNameError(
            f"the module {module.__name__} has no {name}{hint and f'; {hint}'}"
        ) from None
    return constant(ctx, f"{module.__name__}.{name}", found)


_MISSING = object()


def _captured(ctx: Context, owner: Any, name: str, get: Callable[[Any, str], Any]) -> Any:
    """An attribute as captured when the kernel was made; if it was not, as it is."""
    capture = ctx.frame.source.capture
    if capture is not None:
        for home in owner.__mro__ if isinstance(owner, type) else (owner,):
            found = capture.attribute(home, name, _MISSING)
            if found is not _MISSING:
                return found
        if capture.is_whole(owner):
            raise AttributeError(name)
    return get(owner, name)


def class_attribute(ctx: Context, owner: type, name: str) -> Value:
    """``Class.name``: a static or class method, or a constant; of an enumeration, a member's value.

    Raises:
        UndefinedNameError: there is none.
    """
    shown = f"{owner.__name__}.{name}"
    if isinstance(owner, enum.EnumType):
        # A call's constexpr numbers are such values, too.
        members: Mapping[str, Any] = owner.__members__
        if name in members:
            return constant(ctx, shown, members[name])
        raise UndefinedNameError(
            f"the class {owner.__name__} has no member {name}; members are {', '.join(members)}"
        )
    try:
        found = _captured(ctx, owner, name, inspect.getattr_static)
    except AttributeError:
        hint = did_you_mean(name, dir(owner))
        raise UndefinedNameError(
            f"the class {owner.__name__} has no attribute {name}{hint and f'; {hint}'}"
        ) from None
    return _of_class(ctx, shown, found, owner)
