"""A digest of all that the kernel of an arrangement and an application depends on.

Nothing is run: functions are followed through the globals, closure variables, defaults and
attributes that their code names, and hashed with the text of their source, at its place. On the way
what they read is captured. Whatever cannot be hashed soundly leaves the kernel without a digest;
its arrangement is then run every time.
"""

from __future__ import annotations

import builtins
import contextlib
import dataclasses
import enum
import functools
import hashlib
import json
import os
import re
import sys
import types
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from ninetoothed.capture import Capture, frozen
from ninetoothed.ir.encoding import Encoder
from ninetoothed.ir.index_expr import IndexExpr, SymbolInfo
from ninetoothed.purity import (
    CLASS_ATTRIBUTES,
    IMPURE,
    NAMED,
    PURE,
    REFLECTION,
    UnhashableError,
    is_named,
    is_pure_module,
)
from ninetoothed.symbol import Symbol
from ninetoothed.tensor import Tensor
from ninetoothed.uses import Path, Uses, codes, uses
from ninetoothed.version import __version__

_MOST = 100_000
"""How many objects are looked at: more, and a run of the arrangement is as quick."""

# Names that constructors make up, by counters.
_MADE_UP = re.compile(r"ninetoothed_(tensor|block_size)_(\d+)(.*)")
_SIZES = ("size", "constexpr size", "stride", "length")

_SCALARS = (bool, int, float, complex, str, bytes, type(None), type(...), type(NotImplemented))


class Examined(NamedTuple):
    """``digest`` is None where ``reason`` says what cannot be hashed."""

    digest: str | None
    capture: Capture
    reason: str | None = None


def examine(
    arrangement: object, application: object, tensors: object, options: Sequence[object]
) -> Examined:
    """The digest of a kernel that is made with ``options``, and what its functions read."""
    walk = _Walk()
    if sys.flags.optimize:
        # What Python leaves out of functions is in their text.
        walk.refuse("functions without their asserts")
    walk.add("application", application)
    walk.add("arrangement", arrangement)
    walk.add("tensors", tensors)
    walk.add("options", tuple(options))
    if walk.reason is not None:
        return Examined(None, walk.capture, walk.reason)
    return Examined(walk.digest(), walk.capture)


@functools.cache
def stamp() -> str:
    """What all kernels depend on: this package, as it is on disk, and Python."""
    found = sorted(_sources(os.path.dirname(os.path.abspath(__file__))))
    parts = [__version__, sys.version, found]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _sources(folder: str) -> Iterator[tuple[str, int, int]]:
    """The source files below a folder, with what an edit changes."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".py"):
                status = entry.stat()
                yield entry.path, status.st_size, status.st_mtime_ns
            elif entry.name != "__pycache__" and entry.is_dir():
                yield from _sources(entry.path)


class _Walk:
    """Writes what it meets as a sequence of texts, each object once."""

    def __init__(self) -> None:
        self.capture = Capture()
        self.reason: str | None = None
        self._hash = hashlib.sha256()
        # Objects that may be met again, in the order in which they were; kept alive by the list.
        self._places: dict[int, int] = {}
        self._kept: list[object] = []
        self._made_up: dict[tuple[str, str], int] = {}
        self._blocks: dict[types.CodeType, str] = {}
        self._count = 0

    def digest(self) -> str:
        """The digest of all that was added."""
        return self._hash.hexdigest()

    def add(self, word: str, value: object) -> None:
        """Goes through ``value``, whose part in the whole is ``word``."""
        self._write(word)
        self._value(value)

    def _write(self, *texts: object) -> None:
        for text in texts:
            data = text if isinstance(text, bytes) else str(text).encode("utf-8", "surrogatepass")
            self._hash.update(b"%d:" % len(data))
            self._hash.update(data)

    def refuse(self, reason: str) -> None:
        """There will be no digest; what is read from outside is captured nevertheless."""
        self.reason = self.reason or reason

    def _is_known(self, value: object) -> bool:
        """Whether an object has been met; its number is written."""
        place = self._places.setdefault(id(value), len(self._kept))
        self._write("#", place)
        if place < len(self._kept):
            return True
        self._kept.append(value)
        return False

    def _value(self, value: Any) -> None:
        """Goes through an object; what cannot be hashed is noted, and the rest goes on."""
        self._count += 1
        if self._count > _MOST:
            self.refuse("too many objects")
            return
        try:
            self._object(value)
        except UnhashableError as error:
            self.refuse(str(error))
        except RecursionError:
            self.refuse("objects that are nested too deeply")
        except Exception as error:
            # A user's objects may do what they like when they are looked at.
            self.refuse(f"an object that fails when it is looked at: {error!r}")

    def _object(self, value: Any) -> None:
        kind = _class_of(value)
        if kind in _SCALARS:
            self._write(kind.__name__, repr(value))
        elif kind in (tuple, list):
            items = cast("Sequence[object]", value)
            if kind is list and self._is_known(value):
                return
            self._write(kind.__name__, len(items))
            for item in items:
                self._value(item)
        elif kind is dict:
            self._mapping(value)
        elif kind in (set, frozenset):
            self._set(value)
        elif kind in (range, slice):
            self._write(kind.__name__)
            self._value((value.start, value.stop, value.step))
        elif kind is Symbol:
            self._encoded("symbol", value.expr)
        elif kind is Tensor:
            self._tensor(value)
        elif isinstance(value, enum.Enum):
            self._write("member", value.name)
            if not self._is_known(value):
                self._value({**vars(value)})
                self._value(kind)
        elif isinstance(value, types.ModuleType):
            self._module(value, ())
        else:
            self._other(value)

    def _mapping(self, value: Mapping[object, object]) -> None:
        if self._is_known(value):
            return
        self._write("dict", len(value))
        for key, item in value.items():
            self._value(key)
            self._value(item)

    def _set(self, value: Iterable[object]) -> None:
        items = list(value)
        if not all(type(item) in _SCALARS for item in items):
            raise UnhashableError("a set of objects")
        self._write("set", *sorted(f"{type(item).__name__} {item!r}" for item in items))

    def _tensor(self, value: Tensor) -> None:
        # The levels of a tensor share what an assignment to one of them changes.
        cell = value._cell  # pyright: ignore[reportPrivateUsage]
        self._write("tensor", value.level)
        if not self._is_known(cell):
            source = dataclasses.replace(
                value.chain.source, name=self._canonical("tensor", value.name)
            )
            self._encoded("chain", (source, value.chain.ops))

    def _encoded(self, word: str, value: object) -> None:
        encoder = Encoder(self._renamed)
        try:
            content = encoder.encode(value)
        except TypeError as error:
            raise UnhashableError(str(error)) from None
        self._write(word, json.dumps([content, encoder.expressions]))

    def _renamed(self, name: str, info: SymbolInfo | None) -> str:
        """A symbol's name, without the counters of this process."""
        made_up = _MADE_UP.fullmatch(name)
        if made_up is None:
            return name
        if info is None or not (info.anonymous or info.kind in _SIZES):
            raise UnhashableError(f"the symbol {name}, named like one that is made up")
        return self._canonical(made_up[1], name)

    def _canonical(self, word: str, name: str) -> str:
        made_up = _MADE_UP.fullmatch(name)
        if made_up is None or made_up[1] != word:
            return name
        number = self._made_up.setdefault((word, made_up[2]), len(self._made_up))
        return f"{word}#{number}{made_up[3]}"

    def _other(self, value: Any) -> None:
        if isinstance(value, types.FunctionType):
            self._function(value)
        elif isinstance(value, types.BuiltinFunctionType):
            self._builtin(value)
        elif isinstance(value, types.MethodType):
            self._write("method")
            self._value(value.__func__)
            self._value(value.__self__)
        elif type(value) is functools.partial:
            self._write("partial")
            self._value(value.func)
            self._value(value.args)
            self._value(value.keywords)
            self._value({**vars(value)})
        elif type(value) in (staticmethod, classmethod):
            self._write(type(value).__name__)
            self._value(value.__func__)
        elif type(value) is property:
            self._write("property")
            self._value((value.fget, value.fset, value.fdel))
        elif isinstance(value, type):
            self._class(value)
        elif isinstance(value, types.CodeType):
            self._code(value)
        elif isinstance(value, types.MethodDescriptorType | types.WrapperDescriptorType):
            self._write("descriptor", value.__name__)
            self._value(value.__objclass__)
        elif isinstance(value, types.MemberDescriptorType):
            self._write("slot", value.__name__)
        else:
            self._instance(value)

    def _builtin(self, value: types.BuiltinFunctionType) -> None:
        owner = cast("object", value.__self__)
        name = value.__name__
        if owner is None or isinstance(owner, types.ModuleType):
            module = "builtins" if owner is None else owner.__name__
            if module not in PURE or f"{module}.{name}" in IMPURE:
                raise UnhashableError(f"the function {module}.{name}")
            self._write("builtin", module, name)
        else:
            self._write("builtin method", name)
            self._value(owner)

    def _function(self, value: types.FunctionType) -> None:
        module = str(value.__globals__.get("__name__"))
        named = is_named(module, value.__qualname__)
        if named:
            self._write("named", module, value.__module__, value.__qualname__)
        if self._is_known(value):
            return
        if named:
            # It may stand for a user's function, as what ``contextlib.contextmanager`` gives does.
            self._value(tuple(cell.cell_contents for cell in value.__closure__ or ()))
            return
        self._write("function", value.__name__)
        self._code(value.__code__)
        self._write(self._text(value))
        names = self.capture.keep_function(value)
        self._value(value.__defaults__)
        self._value(value.__kwdefaults__)
        self._annotations(value)
        self._value({**vars(value)})
        found = uses(value.__code__)
        self._refuse(found)
        for name in value.__code__.co_freevars:
            self._variable(value, name, found.variables.get(name, {()}), names)
        for name, paths in found.names.items():
            self._global(value, name, paths, names)

    def _refuse(self, found: Uses) -> None:
        if found.changes:
            self.refuse("a function that assigns what is outside")
        for module in found.imports:
            self.refuse(f"an import of {module} inside a function")
        for name in found.attributes & REFLECTION:
            self.refuse(f"a function that reads {name}")

    def _variable(
        self, function: types.FunctionType, name: str, paths: set[Path], names: dict[str, Any]
    ) -> None:
        cells = function.__closure__ or ()
        try:
            value = cells[function.__code__.co_freevars.index(name)].cell_contents
        except ValueError:
            self.refuse(f"the variable {name}, which has no value yet")
            return
        self._write("variable", name)
        self._outside(value, name, paths, names)

    def _global(
        self, function: types.FunctionType, name: str, paths: set[Path], names: dict[str, Any]
    ) -> None:
        self._write("global", name)
        if name in function.__globals__:
            self._outside(function.__globals__[name], name, paths, names)
            return
        space: Any = function.__globals__.get("__builtins__", builtins)
        found = vars(space) if isinstance(space, types.ModuleType) else space
        if name not in found:
            self.refuse(f"the name {name}, which does not exist yet")
        elif found[name] is not getattr(builtins, name, None):
            self.refuse(f"the builtin {name}, which is another")
        else:
            # The module may have another meaning of it later.
            names[name] = found[name]
            self._value(found[name])

    def _outside(self, value: Any, name: str, paths: set[Path], names: dict[str, Any]) -> None:
        """What a function reads under a name; of a module, the attributes that it reads."""
        names[name] = self._copy(value)
        if not isinstance(value, types.ModuleType):
            self._value(value)
            return
        for path in sorted(paths):
            try:
                self._module(value, path)
            except UnhashableError as error:
                self.refuse(str(error))

    def _copy(self, value: Any) -> Any:
        try:
            return frozen(value)
        except RecursionError:
            return value

    def _module(self, module: types.ModuleType, path: Path) -> None:
        """A module by its name, where it is no user's; else the attribute that is used of it."""
        name = module.__name__
        self._write("module", name)
        if is_pure_module(name):
            if path and f"{name}.{path[0]}" in IMPURE:
                raise UnhashableError(f"{name}.{path[0]}")
            return
        if not path:
            raise UnhashableError(f"the module {name}, used as a value")
        attribute, *rest = path
        self._write("attribute", attribute)
        # A package's attribute that is not there may be a module that is yet to be imported.
        if attribute not in vars(module) and not hasattr(module, attribute):
            raise UnhashableError(f"{name}.{attribute}, which does not exist yet")
        value = getattr(module, attribute)
        self.capture.keep_attribute(module, attribute, value)
        if isinstance(value, types.ModuleType):
            self._module(value, tuple(rest))
        else:
            self._value(value)

    def _annotations(self, value: types.FunctionType) -> None:
        """Of parameters: whether they are constants of Triton's is all that they mean."""
        annotations: dict[str, Any] = value.__annotations__
        for name, annotation in annotations.items():
            shown = annotation if isinstance(annotation, str) else type(annotation).__qualname__
            if isinstance(annotation, type):
                shown = f"{annotation.__module__}.{annotation.__qualname__}"
            elif not isinstance(annotation, str) and type(annotation).__name__ == "Primitive":
                shown = annotation.name
            self._write("annotation", name, shown)

    def _code(self, code: types.CodeType) -> None:
        """What a function does, and from which lines and columns."""
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
        self._value(code.co_consts)

    def _text(self, function: types.FunctionType) -> str:
        """The lines that a function stands in."""
        code = function.__code__
        if code not in self._blocks:
            self._blocks[code] = _block(self.capture.lines(function), code)
        return self._blocks[code]

    def _class(self, value: type) -> None:
        if is_named(str(value.__module__), value.__qualname__):
            self._write("named", value.__module__, value.__qualname__)
            return
        if self._is_known(value):
            return
        if str(type(value).__module__) not in PURE:
            raise UnhashableError(f"the class {value.__name__}, made by another class")
        self._write("class", value.__module__, value.__qualname__)
        self.capture.keep_class(value)
        self._value(value.__bases__)
        for name, found in vars(value).items():
            if name not in CLASS_ATTRIBUTES:
                self._write("attribute", name)
                self.capture.keep_attribute(value, name, found)
                self._value(found)

    def _instance(self, value: Any) -> None:
        kind = _class_of(value)
        module = str(kind.__module__)
        root = module.partition(".")[0]
        if root == "torch" or root == "numpy":
            self._of_package(value)
        elif root == "triton":
            self._of_triton(value)
        elif kind.__name__ == "Primitive" and root == "ninetoothed":
            self._write("primitive", value.name)
        elif isinstance(value, IndexExpr | SymbolInfo):
            self._encoded("data", value)
        elif kind.__name__ == "_tuplegetter" and module in ("collections", "_collections"):
            # The field of a named tuple.
            self._value(value.__reduce__()[1][0])
        else:
            self._user_instance(value)

    def _of_package(self, value: Any) -> None:
        """Element types and numbers of torch and NumPy."""
        kind = _class_of(value)
        name = f"{kind.__module__}.{kind.__qualname__}"
        scalar = hasattr(value, "item") and getattr(value, "shape", None) == ()
        if name == "torch.dtype":
            self._write("named", name, value)
        elif kind.__module__ == "numpy" and scalar and kind.__qualname__ != "ndarray":
            self._write("number", name, repr(value.item()))
        elif getattr(value, "__name__", None) in NAMED["numpy"] and kind.__module__ != "torch":
            self._write("named", "numpy", value.__name__)
        else:
            raise UnhashableError(f"an object of class {name}")

    def _of_triton(self, value: Any) -> None:
        """Functions by their source, element types and constants."""
        kind = _class_of(value)
        name = f"{kind.__module__}.{kind.__qualname__}"
        function = getattr(value, "fn", None)
        if isinstance(function, types.FunctionType):
            self._write("triton", name)
            self._value(function)
        elif kind.__name__ == "dtype":
            self._write("triton", name, value)
        elif kind.__name__ == "constexpr":
            self._write("triton", name)
            self._value(value.value)
        else:
            raise UnhashableError(f"an object of class {name}")

    def _user_instance(self, value: Any) -> None:
        """An object whose class is written in Python; named tuples are such."""
        kind = _class_of(value)
        if self._is_known(value):
            return
        self._write("instance")
        self._value(kind)
        base = tuple if issubclass(kind, tuple) else object
        own = kind.__mro__[: kind.__mro__.index(base)]
        if base is tuple:
            items = cast("tuple[object, ...]", value)
            self._value((*tuple.__iter__(items),))
        state = dict(getattr(value, "__dict__", {}))
        pointers = (kind.__dictoffset__ > 0) + (kind.__weakrefoffset__ > 0)
        for owner in own:
            attributes: dict[str, Any] = {**vars(owner)}
            for name, slot in attributes.items():
                if isinstance(slot, types.MemberDescriptorType):
                    pointers += 1
                    with contextlib.suppress(AttributeError):
                        state[f"{owner.__qualname__}.{name}"] = slot.__get__(value)
        if kind.__basicsize__ > base.__basicsize__ + pointers * tuple.__itemsize__:
            raise UnhashableError(f"an object of class {kind.__qualname__}, written in C")
        self._value(state)


def _class_of(value: object) -> Any:
    return type(value)


def _block(lines: Sequence[str], code: types.CodeType) -> str:
    """The text from a function's first line on, up to what is indented like it.

    Its code says how far it goes at least; behind may be what Python has left out of the code.
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
