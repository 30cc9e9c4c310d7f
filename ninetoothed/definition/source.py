"""Syntax trees of functions, with locations in the user's files.

The whole file is parsed and the function is found in it by its first line, so that lines and
columns are the file's own, whatever the function is nested in and however its comments are
indented. What is found is compiled and compared with the function, which was read earlier.
"""

from __future__ import annotations
import __future__

import ast
import functools
import inspect
import sys
import types
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

from ninetoothed.errors import Loc, UnsupportedSyntaxError
from ninetoothed.fingerprint.bytecode import codes, is_same_code
from ninetoothed.fingerprint.snapshot import Capture, is_rewritten, source_lines

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)

Defaults = tuple[tuple[Any, ...], dict[str, Any]]
"""Of the last positional parameters, and of keyword-only ones."""


@dataclass(frozen=True)
class FunctionSource:
    """A function's syntax tree, its file, and the values of its free names.

    ``capture`` has the values of when the kernel was made; None: the present values.
    ``tree`` is given for functions that are defined inside others.
    """

    function: types.FunctionType
    capture: Capture | None = None
    tree: ast.FunctionDef | None = None

    @cached_property
    def node(self) -> ast.FunctionDef:
        """The function's tree. The file is parsed when it is first asked for: a warm start does
        without.

        Raises:
            UnsupportedSyntaxError: it has no source, or is not in it.
        """
        if self.tree is not None:
            return self.tree
        name, code = self._function.__name__, self._function.__code__
        captured = self.capture
        lines = source_lines(self._function) if captured is None else captured.lines(self._function)
        if not lines:
            raise UnsupportedSyntaxError(
                f"the source of {name} in {code.co_filename} cannot be read; "
                "kernels are compiled from source, so define it in a file"
            )
        file = _File(code.co_filename, "".join(lines), code.co_flags & _FUTURES)
        found = file.nodes.get((code.co_firstlineno, code.co_name))
        if found is None or not (is_rewritten(self._function) or file.compiles_to(code)):
            problem = "not found" if found is None else "not what was imported"
            raise UnsupportedSyntaxError(
                f"{name} is {problem} at line {code.co_firstlineno} of {code.co_filename}; the "
                "file has changed since; import it again, in a new process or by importlib.reload"
            )
        return found

    @property
    def file(self) -> str:
        """The file that the function is in."""
        return self._function.__code__.co_filename

    @property
    def name(self) -> str:
        """The name that the function is defined by."""
        return self._function.__code__.co_name

    @property
    def globals(self) -> dict[str, Any]:
        """The names of the module that the function is defined in."""
        return self._function.__globals__

    @property
    def _function(self) -> types.FunctionType:
        # Pyright takes a function in a field for a method.
        return cast(types.FunctionType, self.function)

    @property
    def signature(self) -> inspect.Signature:
        """Signature of the function itself; of a decorator's function, not the wrapped one's."""
        function = self._function
        if self.capture is not None:
            function = self.capture.with_defaults(function)
        return inspect.signature(function, follow_wrapped=False)

    @property
    def defaults(self) -> Defaults:
        """The defaults of its parameters."""
        function = self._function
        if self.capture is not None:
            function = self.capture.with_defaults(function)
        return function.__defaults__ or (), function.__kwdefaults__ or {}

    @property
    def of_language(self) -> bool:
        """True if the function is one of the language's own."""
        return is_of_language(self._function)

    def lookup(self, name: str) -> Any:
        """Value of a name that is no local: a closure variable, a global or a builtin.

        Raises:
            KeyError: nothing.
        """
        code = self.function.__code__
        if self.capture is not None:
            captured = self.capture.names(self._function)
            if name in captured:
                return captured[name]
        if name in code.co_freevars and self.function.__closure__ is not None:
            return self.function.__closure__[code.co_freevars.index(name)].cell_contents
        if name in self.globals:
            return self.globals[name]
        # The module, or its names: Python allows either.
        builtins: Any = self.globals["__builtins__"]
        if isinstance(builtins, types.ModuleType):
            return vars(builtins)[name]
        return builtins[name]

    @property
    def local_names(self) -> tuple[str, ...]:
        """Names that the function assigns somewhere: they are never looked up outside."""
        code = self.function.__code__
        return (*code.co_varnames, *code.co_cellvars)

    @property
    def free_names(self) -> tuple[str, ...]:
        """Names that the function reads from enclosing functions."""
        return self.function.__code__.co_freevars

    @property
    def variables(self) -> tuple[str, ...]:
        """The names that the function assigns, without its parameters."""
        return tuple(name for name in self.local_names if name not in self.parameters)

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the parameters: plain ones, keyword-only ones, then those with ``*``."""
        code = self.function.__code__
        stars = (inspect.CO_VARARGS, inspect.CO_VARKEYWORDS)
        count = code.co_argcount + code.co_kwonlyargcount
        return code.co_varnames[: count + sum(bool(code.co_flags & star) for star in stars)]

    @cached_property
    def returns_value(self) -> bool:
        """True if some ``return`` of the function has a value."""
        found = [node.value for node in own_nodes(self.node.body) if isinstance(node, ast.Return)]
        return any(node is not None and not _is_none(node) for node in found)

    @cached_property
    def unread(self) -> frozenset[str]:
        """Names whose assigned values nothing reads, except to assign them again."""
        return frozenset(_unread(self.node))

    @cached_property
    def loop_variables(self) -> frozenset[str]:
        """The variables of the function's own loops."""
        found = [node.target for node in own_nodes(self.node.body) if isinstance(node, ast.For)]
        return frozenset(target.id for target in found if isinstance(target, ast.Name))

    def nested(self, node: ast.FunctionDef, defaults: Defaults) -> FunctionSource:
        """Source of a function that is defined inside this one, with the values of its defaults."""
        first = min([node.lineno, *(item.lineno for item in node.decorator_list)])
        code = next(
            code
            for code in self.function.__code__.co_consts
            if isinstance(code, types.CodeType)
            and (code.co_firstlineno, code.co_name) == (first, node.name)
        )
        cells = tuple(types.CellType() for _ in code.co_freevars)
        positional, by_keyword = defaults
        function = types.FunctionType(code, self.globals, node.name, positional, cells)
        function.__kwdefaults__ = by_keyword
        return FunctionSource(function, self.capture, node)

    def place(self, node: ast.AST, caller: Loc | None = None) -> Loc:
        """Location of ``node``, in a function that is called from ``caller``. An attribute on
        another line than its object, and a call of it, begin at its name, as in tracebacks.
        """
        line: int = getattr(node, "lineno", self.node.lineno)
        column: int = getattr(node, "col_offset", 0)
        end_line: int = getattr(node, "end_lineno", line)
        end: int = getattr(node, "end_col_offset", sys.maxsize)
        name = node.func if isinstance(node, ast.Call) else node
        if isinstance(name, ast.Attribute) and name.end_lineno and name.end_lineno != line:
            line = name.end_lineno
            column = max((name.end_col_offset or 0) - len(name.attr.encode()), 0)
        end = end if end_line == line else sys.maxsize
        return Loc(self.file, line, column, end, self.node.name, caller)

    def names(self) -> list[str]:
        """The names that :meth:`lookup` knows, without builtins."""
        return [*self.function.__code__.co_freevars, *self.globals]


def is_of_language(function: types.FunctionType) -> bool:
    """True if a function is one of the language's own, which are written in it."""
    return str(function.__globals__.get("__name__")).startswith("ninetoothed.language.")


def own_nodes(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Nodes of statements, without those of nested functions and classes."""
    pending = deque(body)
    while pending:
        node = pending.popleft()
        yield node
        if not isinstance(node, _SCOPES):
            pending.extend(ast.iter_child_nodes(node))


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


_Place = tuple[int, int]


def _unread(function: ast.FunctionDef) -> Iterator[str]:
    """Names that are assigned, and after that read only to assign them again.

    After means further down, or in the same loop; reads of nested functions always count.
    """
    stores: dict[str, list[tuple[_Place, list[ast.AST]]]] = {}
    reads: dict[str, list[tuple[_Place, list[ast.AST]]]] = {}

    def visit(node: ast.AST, loops: list[ast.AST], itself: str | None) -> None:
        if isinstance(node, _SCOPES):
            for child in ast.walk(node):
                if isinstance(child, ast.Name):
                    reads.setdefault(child.id, []).append((_END, loops))
            return
        if isinstance(node, ast.Name):
            place = (node.lineno, node.col_offset)
            if isinstance(node.ctx, ast.Store):
                stores.setdefault(node.id, []).append((place, loops))
            elif node.id != itself:
                reads.setdefault(node.id, []).append((place, loops))
            return
        if isinstance(node, ast.For | ast.While):
            loops = [*loops, node]
        if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            (first, *others) = targets
            itself = first.id if isinstance(first, ast.Name) and not others else None
        for child in ast.iter_child_nodes(node):
            visit(child, loops, itself)

    for statement in function.body:
        visit(statement, [], None)
    for name, places in stores.items():
        read = any(
            place > store or any(loop in around for loop in loops)
            for store, loops in places
            for place, around in reads.get(name, ())
        )
        if not read:
            yield name


_END = (sys.maxsize, 0)


class _File:
    """A file's text as Python reads it, with the ``flags`` of imports from ``__future__``."""

    def __init__(self, file: str, text: str, flags: int) -> None:
        self._key = file, text, flags

    @property
    def nodes(self) -> Mapping[tuple[int, str], ast.FunctionDef]:
        """The functions by first line and name; none of a text that is no Python."""
        return _parse(*self._key)[1]

    def compiles_to(self, code: types.CodeType) -> bool:
        """True if one of the file's functions has this code, compiled as a file or as a cell."""
        place = code.co_firstlineno, code.co_name
        return any(
            is_same_code(code, one)
            for compiled in (_compiled, _compiled_apart)
            for one in compiled(*self._key).get(place, ())
        )


@functools.lru_cache(maxsize=64)
def _parse(
    file: str, text: str, flags: int
) -> tuple[ast.Module, dict[tuple[int, str], ast.FunctionDef]]:
    found: dict[tuple[int, str], ast.FunctionDef] = {}
    try:
        tree = cast(
            ast.Module, compile(text, file, "exec", flags | _NOTEBOOK | ast.PyCF_ONLY_AST, True)
        )
    except (SyntaxError, ValueError):
        # It has changed since.
        return ast.Module([], []), found
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            first = min([node.lineno, *(item.lineno for item in node.decorator_list)])
            found.setdefault((first, node.name), node)
    return tree, found


@functools.lru_cache(maxsize=64)
def _compiled(file: str, text: str, flags: int) -> dict[tuple[int, str], list[types.CodeType]]:
    """The code of a file's functions by first line and name."""
    return _by_place(file, flags, [_parse(file, text, flags)[0]])


@functools.lru_cache(maxsize=64)
def _compiled_apart(
    file: str, text: str, flags: int
) -> dict[tuple[int, str], list[types.CodeType]]:
    """The same of a notebook's cell, which IPython compiles statement by statement: a function's
    code is another one where Python does not see that a name was imported.
    """
    tree, _ = _parse(file, text, flags)
    return _by_place(file, flags, [ast.Module([one], []) for one in tree.body])


def _by_place(
    file: str, flags: int, modules: Sequence[ast.Module]
) -> dict[tuple[int, str], list[types.CodeType]]:
    found: dict[tuple[int, str], list[types.CodeType]] = {}
    for module in modules:
        for code in codes(compile(module, file, "exec", flags | _NOTEBOOK, True)):
            found.setdefault((code.co_firstlineno, code.co_name), []).append(code)
    return found


# Notebooks may await at the top level.
_FUTURES = sum(getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
_NOTEBOOK = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT


def _described(value: object) -> str:
    if isinstance(value, types.BuiltinFunctionType):
        return f"the builtin {value.__name__}"
    if isinstance(value, type):
        return f"the class {value.__name__}"
    if isinstance(value, types.MethodType):
        return f"the method {value.__name__}"
    if value is None or isinstance(value, str | int | float):
        return repr(value)
    return f"an object of class {type(value).__name__}"


def function_source(function: Any, role: str, capture: Capture | None = None) -> FunctionSource:
    """Source of ``function``; ``role`` names it in errors. ``capture`` has its text and its free
    names' values as of ``make``.

    Raises:
        UnsupportedSyntaxError: it is no plain Python function, or a lambda.
    """
    if not isinstance(function, types.FunctionType):
        raise UnsupportedSyntaxError(
            f"{role} must be a function written with def, not {_described(function)}; write one "
            "whose "
            "parameters are the tensors"
        )
    if function.__name__ == "<lambda>":
        raise UnsupportedSyntaxError(f"{role} is a lambda; write it with def, with statements")
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        raise UnsupportedSyntaxError(f"{function.__name__} is async; write it with def")
    return FunctionSource(function, capture)
