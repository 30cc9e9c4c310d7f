"""Annotations of an application's parameters: the arranged tensors that ``jit`` takes."""

from __future__ import annotations

import ast
import inspect
from typing import Any

from ninetoothed.definition.callables import bound_function
from ninetoothed.definition.source import FunctionSource
from ninetoothed.errors import ArrangementError, UndefinedNameError
from ninetoothed.tensor import Tensor


def annotated(function: Any) -> list[Tensor]:
    """The tensors that annotate an application's parameters, up to those with defaults.

    Raises:
        ArrangementError: a parameter without a default has none.
        UndefinedNameError: an annotation uses a name that does not exist.
        UnsupportedSyntaxError: it is no plain function.
    """
    bound = bound_function(function, "what jit takes")
    source, defaults = bound.source, bound.defaults
    given = source.function.__annotations__
    found: list[Tensor] = []
    for name in bound.free:
        position = source.parameters.index(name)
        annotation = given.get(name)
        if isinstance(annotation, str):
            annotation = _evaluated(source, _node(source, position).annotation)
        if not isinstance(annotation, Tensor):
            if name in defaults:
                # It and all behind it are constants.
                break
            raise ArrangementError(
                f"the parameter {name} of {source.name} must be annotated with an arranged tensor, "
                f"as in {name}: Tensor(1).tile((64,))",
                source.place(_node(source, position)),
            )
        found.append(annotation)
    return found


def _node(source: FunctionSource, position: int) -> ast.arg:
    arguments = source.node.args
    return [*arguments.posonlyargs, *arguments.args][position]


def _evaluated(source: FunctionSource, node: ast.expr | None) -> object:
    """Evaluate an annotation that Python keeps as text, in the function's scope."""
    if node is None:
        return None
    frame = inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__", "").startswith("ninetoothed"):
        frame = frame.f_back
    scope = {} if frame is None else dict(frame.f_locals)
    # Compiled from the tree of its file, so that errors stand at its place.
    code = compile(ast.Expression(node), source.file, "eval")
    try:
        value = eval(code, source.globals, scope)
        if isinstance(value, str):
            value = eval(value, source.globals, scope)
    except NameError as error:
        raise UndefinedNameError(
            f"an annotation uses {error.name}, and there is no such name; import it first",
            source.place(node),
        ) from None
    return value
