"""Lists of passes and their help, from their docstrings.

The list is read from the sources, without importing a pass; the help of one imports that one.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ninetoothed import passes
from ninetoothed.errors import ArgumentError, PluginError, did_you_mean
from ninetoothed.plugins import outside_passes

if TYPE_CHECKING:
    from xdsl.passes import ModulePass

# Those of xDSL say nothing of themselves.
_XDSL = {
    "canonicalize": "Fold ops, and apply their canonicalization patterns.",
    "cse": "Common subexpression elimination.",
    "dce": "Dead code elimination, of regions and of ops without effects.",
}


def names_of_passes() -> list[str]:
    """The names of all passes, those from outside too, sorted."""
    return sorted([*passes.pass_names(), *outside_passes.names()])


def list_passes() -> str:
    """A line a pass: its name and the first sentence of its docstring; of one of another package
    that cannot be imported, why.
    """
    names = names_of_passes()
    width = max(map(len, names))
    lines: list[str] = []
    for name in names:
        try:
            text = summary(name)
        except PluginError as error:
            text = error.message
        lines.append(f"{name:{width}}  {text}\n")
    return "".join(lines)


def summary(name: str) -> str:
    """The first sentence of a pass's docstring."""
    if name in _XDSL:
        return _XDSL[name]
    if name in passes.pass_names():
        path = Path(passes.__file__).parent / f"{name.removeprefix('nt-').replace('-', '_')}.py"
        text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    else:
        # One from outside, which is imported.
        text = _docstring(passes.find_pass(name))
    return _first_sentence(text or "")


def help_pass(name: str) -> str:
    """Help of a pass: its docstring, and its options with types and defaults.

    Raises:
        ArgumentError: there is no such pass.
    """
    names = names_of_passes()
    if name not in names:
        near = did_you_mean(name, names) or "nt-opt --list-passes lists them"
        raise ArgumentError(f"--help-pass: there is no pass {name}; {near}")
    class_ = passes.find_pass(name)
    text = _XDSL.get(name) or _docstring(class_) or "It has no docstring."
    return f"{name}\n\n{text.strip()}\n\n{_options(class_)}"


def _first_sentence(text: str) -> str:
    paragraph = " ".join(text.split("\n\n")[0].split())
    sentence, dot, _ = paragraph.partition(". ")
    return sentence + dot.strip()


def _docstring(class_: type[ModulePass]) -> str | None:
    """The docstring of a pass: of ours, its file's, which says more than the class's own; of one
    from outside, whose file may have several, the class's, where it has one.
    """
    own = inspect.getdoc(class_) if "__doc__" in vars(class_) else None
    if own is not None and own.startswith(f"{class_.__name__}("):
        # What `dataclass` writes where there is none.
        own = None
    module = inspect.getdoc(sys.modules[class_.__module__])
    is_ours = class_.name in passes.pass_names()
    return (module or own) if is_ours else (own or module)


def _options(class_: type[ModulePass]) -> str:
    texts = dict(documented(class_))
    lines: list[str] = []
    for field in dataclasses.fields(class_):
        if not field.init or field.name == "name":
            continue
        lines.append(f"  {field.name}: {_type(field)}{_default(field)}")
        if text := texts.get(field.name):
            lines += [f"      {line}" for line in text.splitlines()]
    return "\n".join(["options:", *lines, ""]) if lines else "It has no options.\n"


def _type(field: dataclasses.Field[Any]) -> str:
    return field.type if isinstance(field.type, str) else field.type.__name__


def _default(field: dataclasses.Field[Any]) -> str:
    value = field.default
    if field.default_factory is not dataclasses.MISSING:
        value = field.default_factory()
    if value is dataclasses.MISSING:
        return " (required)"
    if isinstance(value, tuple):
        return f" = {','.join(map(str, value)) or 'none'}"  # pyright: ignore[reportUnknownArgumentType]
    return f" = {_spelled(value)}"


def _spelled(value: object) -> str:
    """A default as it is written in a pipeline."""
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)


def documented(class_: type[ModulePass]) -> Iterator[tuple[str, str]]:
    """The options of a pass and of its bases with the strings that stand behind them."""
    for base in reversed(class_.__mro__):
        if not dataclasses.is_dataclass(base) or base.__module__.startswith("xdsl."):
            continue
        try:
            lines = inspect.getsource(base)
        except (OSError, TypeError):
            continue
        (node,) = ast.parse(textwrap.dedent(lines)).body
        assert isinstance(node, ast.ClassDef)
        for field, behind in zip(node.body, node.body[1:], strict=False):
            match field, behind:
                case (
                    ast.AnnAssign(target=ast.Name(id=name)),
                    ast.Expr(value=ast.Constant(value=str(text))),
                ):
                    yield name, inspect.cleandoc(text)
                case _:
                    continue
