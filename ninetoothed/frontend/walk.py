"""Dispatch over the application's syntax tree: tables of handlers by node class.

``expressions``, ``calls`` and ``statements`` fill the tables; syntax without a handler is an error
with a hint of what to write instead. Calls are evaluated in ``calls``, too; primitives that take
functions call them through :func:`call`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ninetoothed.errors import NineToothedError, TypeMismatchError, UnsupportedSyntaxError
from ninetoothed.frontend.context import Context
from ninetoothed.frontend.unrolling import note_loops
from ninetoothed.frontend.values import Value, describe, is_sequence
from ninetoothed.language.registry import Registry

EXPRESSIONS: Registry[type[ast.AST], Callable[[Context, Any], Value]] = Registry("expressions")
STATEMENTS: Registry[type[ast.AST], Callable[[Context, Any], Returned | None]] = Registry(
    "statements"
)

Caller = Callable[[Context, Value, list[Value], Mapping[str, Value]], Value]
_callers: list[Caller] = []

_INSTEAD: dict[type[ast.AST], str] = {
    ast.Break: "write `while` with the condition to go on",
    ast.Continue: "put the rest of the body into an `if`",
    ast.Try: "check for the mistake before it happens",
    ast.TryStar: "check for the mistake before it happens",
    ast.With: "write its body without it",
    ast.Lambda: "define a function with def",
    ast.AsyncFunctionDef: "write it with def",
    ast.ClassDef: "define the class outside the application",
    ast.ListComp: "write a `for` loop",
    ast.GeneratorExp: "write a `for` loop",
    ast.SetComp: "write a `for` loop",
    ast.DictComp: "write a `for` loop",
    ast.Yield: "assign to an output",
    ast.YieldFrom: "assign to an output",
    ast.Await: "write the call without await",
    ast.Global: "return the value, or assign to an output",
    ast.Nonlocal: "return the value, or assign to an output",
    ast.Import: "import at the top of the file",
    ast.ImportFrom: "import at the top of the file",
    ast.Raise: "check sizes before calling the kernel",
    ast.Delete: "leave the variable as it is",
    ast.Match: "write `if`",
    ast.JoinedStr: "write a plain string",
    ast.Starred: "write the elements one by one",
    ast.NamedExpr: "assign in a statement of its own",
    ast.Dict: "use a variable for each value",
    ast.Set: "write a tuple",
    ast.MatMult: "write ntl.dot(a, b)",
    ast.Pow: "write ntl.libdevice.pow(x, y), or a positive integer that is known when compiling",
    ast.Slice: "arrange the tensor so that the program sees the slice",
}
_WORDS: dict[type[ast.AST], str] = {
    ast.AsyncFunctionDef: "an async function",
    ast.ClassDef: "a class",
    ast.MatMult: "the operator @",
    ast.Pow: "the operator ** with this exponent",
    ast.JoinedStr: "an f-string",
    ast.ListComp: "a comprehension",
    ast.GeneratorExp: "a generator",
    ast.SetComp: "a comprehension",
    ast.DictComp: "a comprehension",
    ast.NamedExpr: "the operator :=",
    ast.Dict: "a dict",
    ast.Set: "a set",
    ast.Starred: "the operator *",
    ast.Slice: "a slice",
    ast.Delete: "`del`",
    ast.ImportFrom: "`import`",
    ast.TryStar: "`try`",
    ast.YieldFrom: "`yield`",
}


class Returned:
    """A ``return`` that was reached, with its value."""

    def __init__(self, value: Value) -> None:
        self.value = value


def caller(handler: Caller) -> Caller:
    """Register the function that evaluates calls."""
    _callers.append(handler)
    return handler


def call(ctx: Context, callee: Value, args: list[Value], kwargs: Mapping[str, Value]) -> Value:
    """Call ``callee`` with these arguments.

    Raises:
        TypeMismatchError: it cannot be called.
    """
    (handler,) = _callers
    return handler(ctx, callee, args, kwargs)


def unsupported(node: ast.AST) -> UnsupportedSyntaxError:
    """The error for syntax that the language does not have."""
    word = _WORDS.get(type(node), f"`{type(node).__name__.lower()}`")
    instead = _INSTEAD.get(type(node))
    hint = f"; {instead}" if instead else ""
    return UnsupportedSyntaxError(f"{word} is not part of the language{hint}")


def evaluate(ctx: Context, node: ast.expr) -> Value:
    """The value of an expression.

    Raises:
        NineToothedError: it is wrong; with its place.
    """
    with ctx.at(node):
        handler = EXPRESSIONS.get(type(node))
        if handler is None:
            raise unsupported(node)
        try:
            return handler(ctx, node)
        except NineToothedError:
            note_loops(ctx, node)
            raise


def starred(ctx: Context, item: ast.Starred, instead: str) -> Sequence[Value]:
    """The elements of a tuple that is starred; ``instead`` says what to write where it is none.

    Raises:
        TypeMismatchError: it is none.
    """
    values = evaluate(ctx, item.value)
    if not is_sequence(values):
        with ctx.at(item):
            raise TypeMismatchError(f"* takes a tuple, not {describe(values)}; {instead}")
    return values


def execute(ctx: Context, body: Sequence[ast.stmt]) -> Returned | None:
    """Execute statements; the return that was reached, if any."""
    for node in body:
        with ctx.at(node):
            handler = STATEMENTS.get(type(node))
            if handler is None:
                raise unsupported(node)
            try:
                returned = handler(ctx, node)
            except NineToothedError:
                note_loops(ctx, node)
                raise
        if returned is not None:
            return returned
    return None
