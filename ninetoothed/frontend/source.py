"""Functions as syntax trees, at their places in the user's files.

The whole file is parsed and the function is found in it by its first line, so that lines and
columns are the file's own, whatever the function is nested in and however its comments are
indented.
"""

from __future__ import annotations

import ast
import functools
import inspect
import sys
import types
from dataclasses import dataclass
from typing import Any, cast

from ninetoothed.errors import Loc, UnsupportedSyntaxError


@dataclass(frozen=True)
class FunctionSource:
    """A function's tree, its file, and what its free names mean."""

    function: types.FunctionType
    node: ast.FunctionDef
    file: str

    @property
    def globals(self) -> dict[str, Any]:
        """The names of the module that the function is defined in."""
        # Pyright takes a function in a field for a method.
        return cast(types.FunctionType, self.function).__globals__

    def lookup(self, name: str) -> Any:
        """What a name that is no local means: a closure variable, a global or a builtin.

        Raises:
            KeyError: nothing.
        """
        code = self.function.__code__
        if name in code.co_freevars and self.function.__closure__ is not None:
            return self.function.__closure__[code.co_freevars.index(name)].cell_contents
        if name in self.globals:
            return self.globals[name]
        # The module, or its names: Python says that it may be either.
        builtins: Any = self.globals["__builtins__"]
        if isinstance(builtins, types.ModuleType):
            return vars(builtins)[name]
        return builtins[name]

    @property
    def local_names(self) -> tuple[str, ...]:
        """The names that the function assigns somewhere: they never mean anything outside."""
        code = self.function.__code__
        return (*code.co_varnames, *code.co_cellvars)

    def place(self, node: ast.AST) -> Loc:
        """Where ``node`` stands, outside any call."""
        line: int = getattr(node, "lineno", self.node.lineno)
        single = getattr(node, "end_lineno", line) == line
        end: int = getattr(node, "end_col_offset", sys.maxsize)
        column: int = getattr(node, "col_offset", 0)
        return Loc(self.file, line, column, end if single else sys.maxsize, self.node.name)

    def names(self) -> list[str]:
        """The names that :meth:`lookup` knows, without builtins."""
        return [*self.function.__code__.co_freevars, *self.globals]


@functools.lru_cache(maxsize=64)
def _parse(file: str, text: str) -> dict[tuple[int, str], ast.FunctionDef | ast.Lambda]:
    """The functions of a file by first line and name."""
    found: dict[tuple[int, str], ast.FunctionDef | ast.Lambda] = {}
    for node in ast.walk(ast.parse(text, file)):
        if isinstance(node, ast.FunctionDef):
            first = min([node.lineno, *(item.lineno for item in node.decorator_list)])
            found.setdefault((first, node.name), node)
    return found


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


def function_source(function: Any, role: str) -> FunctionSource:
    """The source of ``function``; ``role`` says in errors what it is for.

    Raises:
        UnsupportedSyntaxError: it is no plain Python function with source, or a lambda.
    """
    function = inspect.unwrap(function) if callable(function) else function
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
    code = function.__code__
    try:
        lines, _ = inspect.findsource(code)
    except OSError:
        raise UnsupportedSyntaxError(
            f"the source of {function.__name__} in {code.co_filename} cannot be read; "
            "kernels are compiled from source, so define it in a file"
        ) from None
    node = _parse(code.co_filename, "".join(lines)).get((code.co_firstlineno, code.co_name))
    if not isinstance(node, ast.FunctionDef):
        raise UnsupportedSyntaxError(
            f"{function.__name__} is not found at line {code.co_firstlineno} of "
            f"{code.co_filename}; "
            "the file has changed since it was imported"
        )
    return FunctionSource(function, node, code.co_filename)
