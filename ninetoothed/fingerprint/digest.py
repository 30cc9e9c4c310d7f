"""Digest of an application with all that it reads from outside.

Nothing is run: functions are followed through the globals, closure variables, defaults and
attributes that their code names, and hashed with the text and location of their source; what they
read is captured. Objects that the language cannot look into count by their class. Functions that
Triton runs when compiling may do what Python can: they have a digest where all that they do and
read is known to depend on numbers, texts, lists and dicts alone. Where that, or what is read, is
unknown, there is no digest; the kernel is then compiled anew in each process.
"""

from __future__ import annotations

import enum
import functools
import hashlib
import json
import sys
import types
from collections.abc import Sequence
from typing import Any, NamedTuple, cast

from ninetoothed.dtype import number, own_type
from ninetoothed.fingerprint.bytecode import Path, codes, is_method, is_plain, reads
from ninetoothed.fingerprint.objects import (
    MISSING,
    class_attribute,
    is_callable_object,
    is_object,
    static_attribute,
)
from ninetoothed.fingerprint.snapshot import Capture, frozen
from ninetoothed.fingerprint.trusted import (
    HEAP_TYPE,
    is_ours,
    is_pure,
    is_pure_class,
    is_trusted_class,
    is_trusted_function,
)
from ninetoothed.version import SOURCES, __version__

_MOST = 100_000
"""Limit on the objects that are hashed: beyond it, compiling is as quick."""

_SCALARS = (bool, int, float, complex, str, bytes, type(None), type(...), type(NotImplemented))


class Examined(NamedTuple):
    """Result of :func:`examine`; ``digest`` is None where ``reason`` names what has no hash."""

    digest: str | None
    capture: Capture
    reason: str | None = None

    def key(self, *parts: object) -> str | None:
        """Cache key of the function with ``parts``, which JSON has; None where it has no digest."""
        if self.digest is None:
            return None
        return _hashed([self.digest, stamp(), *parts])


def examine(application: object) -> Examined:
    """Compute the digest of an application, and capture what it reads from outside."""
    walk = _Walk()
    if sys.flags.optimize:
        # Without asserts, a function's code differs from its text.
        walk.refuse("functions without their asserts")
    try:
        walk.add(application)
        walk.add_attributes()
    except Exception as error:
        # Attribute access runs code of users' modules, which may raise anything.
        walk.refuse(f"an object that fails when it is looked at: {error!r}")
    reason = walk.reason
    return Examined(walk.digest() if reason is None else None, walk.capture, reason)


@functools.cache
def stamp() -> str:
    """Digest of this package, as it was on disk when it was imported, and of Python's version."""
    return _hashed([__version__, sys.version, SOURCES])


def _hashed(parts: Sequence[object]) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


class _Walk:
    """Hash of a graph of objects as a sequence of texts, each object once."""

    def __init__(self) -> None:
        self.capture = Capture()
        self.reason: str | None = None
        """Reason why there is no digest, or None."""
        # True inside of functions that Python runs when compiling.
        self._is_run = False
        self._hash = hashlib.sha256()
        # Objects that may be met again, in the order in which they were; kept alive by the list.
        self._places: dict[tuple[int, bool], int] = {}
        self._kept: list[object] = []
        self._count = 0
        self._codes: list[types.CodeType] = []
        self._objects: list[object] = []

    def digest(self) -> str:
        """The digest of all that was added."""
        return self._hash.hexdigest()

    def refuse(self, reason: str) -> None:
        """Refuse a digest; what is read from outside is captured nevertheless."""
        self.reason = self.reason or reason

    def _by_name(self, what: str) -> None:
        """Refuse an object that the language takes by its name, if Python may look into it."""
        if self._is_run:
            self.refuse(f"{what}, in a function that runs when compiling")

    def _write(self, *texts: object) -> None:
        for text in texts:
            data = text if isinstance(text, bytes) else str(text).encode("utf-8", "surrogatepass")
            self._hash.update(b"%d:" % len(data))
            self._hash.update(data)

    def _is_known(self, value: object) -> bool:
        """True if an object was hashed before; hashes its number."""
        place = self._places.setdefault((id(value), self._is_run), len(self._kept))
        self._write("#", place)
        if place < len(self._kept):
            return True
        self._kept.append(value)
        return False

    def add(self, value: Any) -> None:
        """Hash an object. No code of it runs, so only its class is asked for its kind."""
        self._count += 1
        if self._count > _MOST:
            self.refuse("too many objects")
            return
        kind = cast("type[Any]", type(value))
        if kind in _SCALARS:
            self._write(kind.__name__, repr(value))
            if kind in (str, bytes) and "%" in repr(value):
                # Of a function, it would give the address.
                self._by_name("a text that may format any object")
        elif issubclass(kind, enum.Enum):
            self._write("member", value.name)
            self.add(value.value)
            self._by_name("a member of an enumeration")
        elif issubclass(kind, tuple | list):
            self._sequence(value)
        elif kind is dict:
            if not self._is_known(value):
                self._sequence(tuple(value.items()))
        elif issubclass(kind, types.ModuleType):
            self._module(value, ())
        elif issubclass(kind, type):
            self._class(value)
        elif kind is types.FunctionType:
            self._function(value)
        elif kind is types.BuiltinFunctionType:
            self._write("builtin", value.__module__, value.__qualname__)
            if not is_pure(value):
                self._by_name(f"the function {value.__module__}.{value.__qualname__}")
        elif issubclass(kind, functools.partial):
            self._write("partial")
            self._sequence((value.func, value.args, value.keywords))
        elif kind is types.MethodType:
            self._write("method")
            self.add(value.__func__)
            self._object(value.__self__)
        elif kind in (staticmethod, classmethod):
            self._write(kind.__name__)
            self.add(value.__func__)
        elif kind is types.CodeType:
            self._code(value)
        else:
            self._instance(value)

    def _sequence(self, value: Sequence[object]) -> None:
        kind = type(value)
        if kind is not tuple and self._is_known(value):
            return
        if kind not in (tuple, list):
            self._by_name(f"an object of class {kind.__qualname__}")
        self._write("list" if isinstance(value, list) else "tuple", len(value))
        for item in value:
            self.add(item)

    def _function(self, value: types.FunctionType) -> None:
        code = value.__code__
        home = str(value.__globals__.get("__name__"))
        named = is_trusted_function(value)
        if named:
            self._write("named", home, code.co_qualname, code.co_firstlineno)
        if self._is_known(value):
            return
        if named:
            if not is_ours(home):
                self._by_name(f"the function {home}.{code.co_qualname}")
            # It may stand for a user's function, as what ``contextlib.contextmanager`` gives does.
            self._sequence(tuple(cell.cell_contents for cell in value.__closure__ or ()))
            return
        self._codes.append(code)
        self._write("function", value.__name__, _block(self.capture.lines(value), code))
        self._code(code)
        names = self.capture.keep_function(value)
        self._sequence((value.__defaults__, value.__kwdefaults__, {**vars(value)}))
        self._annotations(value)
        if self._is_run and not is_plain(code):
            self._by_name(f"what {value.__qualname__} does beside arithmetic")
        for name, paths in reads(code).items():
            self._name(value, name, paths, names)

    def _name(
        self, function: types.FunctionType, name: str, paths: set[Path], names: dict[str, Any]
    ) -> None:
        """Hash the value of a name that a function reads; of a module, the attributes that it
        reads.
        """
        self._write("name", name)
        free = function.__code__.co_freevars
        if name in free:
            try:
                value = (function.__closure__ or ())[free.index(name)].cell_contents
            except ValueError:
                self.refuse(f"the variable {name}, which has no value yet")
                return
        else:
            known = name in function.__globals__
            found = function.__globals__ if known else function.__builtins__
            if name not in found:
                self.refuse(f"the name {name}, which does not exist yet")
                return
            # A module may shadow a builtin later.
            value = found[name]
        names[name] = frozen(value)
        if isinstance(value, types.ModuleType):
            for path in sorted(paths):
                self._module(value, path)
        else:
            self.add(value)
            for path in paths:
                self._methods(path)

    def _methods(self, path: Path) -> None:
        """Refuse attributes that say more of an object than what it holds, if Python reads them."""
        for name in path:
            if not is_method(name):
                self._by_name(f"the attribute {name}")

    def _module(self, module: types.ModuleType, path: Path) -> None:
        """Hash an attribute of a module."""
        name = module.__name__
        self._write("module", name)
        if is_ours(name):
            self._write("attributes", *path)
            self._of_package(module, path)
            return
        if not path:
            self.refuse(f"the module {name}, used as a value")
            return
        attribute, *rest = path
        self._write(attribute)
        # A package's attribute that is not there may be a module that is yet to be imported.
        if not hasattr(module, attribute):
            self.refuse(f"{name}.{attribute}, which does not exist yet")
            return
        value = getattr(module, attribute)
        self._attribute_of_module(module, attribute, value, tuple(rest))

    def _attribute_of_module(
        self, module: types.ModuleType, name: str, value: Any, path: Path
    ) -> None:
        """Hash the value of a module's attribute, of which attributes are read, too."""
        self.capture.keep_attribute(module, name, value)
        if isinstance(value, types.ModuleType):
            self._module(value, path)
        else:
            self.add(value)
            self._methods(path)

    def _of_package(self, module: types.ModuleType, path: Path) -> None:
        """Hash an attribute of a module of this package or of Triton, where somebody has put it."""
        if not path:
            self._by_name(f"the module {module.__name__}, used as a value")
            return
        name, *rest = path
        if name not in vars(module):
            # Attribute access would load the table of the language.
            return
        value: Any = vars(module)[name]
        if isinstance(value, types.ModuleType):
            self._module(value, tuple(rest))
        elif not _defines(value, name) or self._is_run:
            self._attribute_of_module(module, name, value, tuple(rest))
        elif isinstance(value, type):
            self.add(value)

    def _annotations(self, value: types.FunctionType) -> None:
        """Hash parameters' annotations, of which only Triton's ``constexpr`` has a meaning."""
        annotations: dict[str, Any] = value.__annotations__
        for name, annotation in annotations.items():
            kind = cast("type[Any]", type(annotation))
            shown = kind.__qualname__
            if kind is str:
                shown = annotation
            elif issubclass(kind, type):
                shown = f"{annotation.__module__}.{annotation.__qualname__}"
            elif shown == "Primitive":
                shown = annotation.name
            self._write("annotation", name, shown)

    def _code(self, code: types.CodeType) -> None:
        """Hash a function's bytecode with its lines and columns."""
        self._write(
            "code",
            code.co_qualname,
            code.co_filename,
            code.co_firstlineno,
            code.co_argcount,
            code.co_posonlyargcount,
            code.co_kwonlyargcount,
            code.co_flags,
            code.co_code,
            code.co_linetable,
            code.co_exceptiontable,
            code.co_names,
            code.co_varnames,
            code.co_cellvars,
            code.co_freevars,
        )
        self.add(code.co_consts)

    def _class(self, value: type[Any]) -> None:
        self._write("class", value.__module__, value.__qualname__)
        if not is_pure_class(value):
            self._by_name(f"the class {value.__qualname__}")
        if not value.__flags__ & HEAP_TYPE or self._is_known(value):
            return
        if is_trusted_class(value):
            # Somebody may have put attributes there.
            self._objects.append(value)
            return
        if issubclass(value, enum.Enum):
            self._sequence(tuple(value.__members__.items()))
            return
        self.capture.keep_class(value)
        self.add(value.__bases__)
        attributes: dict[str, Any] = {**vars(value)}
        for name, found in attributes.items():
            # Python makes a set of these, whose order means nothing.
            if name != "__static_attributes__":
                self._write(name)
                self.capture.keep_attribute(value, name, found)
                self.add(found)

    def _instance(self, value: Any) -> None:
        """Hash an object: the language knows functions, element types and constants only."""
        kind = cast("type[Any]", type(value))
        name = f"{kind.__module__}.{kind.__qualname__}"
        self._write("instance", name)
        if kind.__name__ == "Primitive" and is_ours(name) and is_trusted_class(kind):
            self._write(value.name)
        elif name == "torch.dtype":
            self._write(value)
        elif name.startswith("triton."):
            self._of_triton(value, kind.__name__)
        elif type(plain := number(value)) is not kind:
            self._write(own_type(value), repr(plain))
            self._by_name(f"a number of class {name}")
        elif is_object(value):
            self._object(value)
        elif not issubclass(kind, int | float | str):
            self._by_name(f"an object of class {name}")
        else:
            self.refuse(f"a number or a text of class {name}")

    def _object(self, value: Any) -> None:
        """Hash an object that an application may look into: what it holds comes later, when it is
        known which attributes are read.
        """
        kind = cast("type[Any]", type(value))
        if issubclass(kind, type):
            self.add(value)
            return
        self._write("object", kind.__module__, kind.__qualname__)
        self._by_name(f"an object of class {kind.__qualname__}")
        if not self._is_known(value):
            self._objects.append(value)

    def add_attributes(self) -> None:
        """Hash the attributes of objects, of the names that any function reads."""
        read = 0
        done: set[tuple[int, str]] = set()
        names: set[str] = set()
        # What an attribute holds may have code and be an object itself.
        while self._objects and read < len(self._codes) + len(self._objects):
            read = len(self._codes) + len(self._objects)
            for code in self._codes:
                names.update(*(inner.co_names for inner in codes(code)))
            todo = [
                (place, name)
                for place, owner in enumerate(self._objects)
                for name in sorted({*names, "__call__"} if is_callable_object(owner) else names)
            ]
            for place, name in todo:
                if (place, name) not in done:
                    done.add((place, name))
                    self._attribute(place, name)

    def _attribute(self, place: int, name: str) -> None:
        owner = self._objects[place]
        if isinstance(owner, type):
            value, is_own = class_attribute(owner, name), True
            if value is not MISSING:
                self.capture.keep_attribute(owner, name, value)
        else:
            value, is_own = static_attribute(owner, name)
            # An attribute that comes later is not there.
            self.capture.keep_attribute(owner, name, (value, is_own))
        if value is not MISSING:
            self._write("attribute", place, name, is_own)
            self.add(value)

    def _of_triton(self, value: Any, kind: str) -> None:
        function = getattr(value, "fn", None)
        if isinstance(function, types.FunctionType):
            outside = self._is_run
            self._is_run |= kind == "ConstexprFunction"
            self._function(function)
            self._is_run = outside
        elif kind == "dtype":
            self._write(value)
        elif kind == "constexpr":
            self.add(value.value)
        else:
            self._by_name(f"an object of Triton's class {kind}")


def _defines(value: Any, name: str) -> bool:
    """True for a class or function of this package or of Triton, under its own name."""
    if isinstance(value, type):
        return value.__name__ == name and is_trusted_class(value)
    function = getattr(value, "fn", value)
    if not isinstance(function, types.FunctionType):
        return False
    return function.__code__.co_name == name and is_trusted_function(function)


def _block(lines: Sequence[str], code: types.CodeType) -> str:
    """Source text of a function: its first line and all lines indented deeper.

    It ends no earlier than its code; after that may be what Python has left out of the code.
    """
    first = code.co_firstlineno - 1
    if not 0 <= first < len(lines):
        return ""
    last = max(line or 0 for inner in codes(code) for *_, line in inner.co_lines())
    indent = _indent(lines[first])
    end = last
    while end < len(lines) and _belongs(lines[end], indent):
        end += 1
    return "".join(lines[first:end])


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _belongs(line: str, indent: int) -> bool:
    text = line.strip()
    return not text or text.startswith("#") or _indent(line) > indent
