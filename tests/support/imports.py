"""Import graph of the package, read from the sources without importing anything."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "ninetoothed"


@dataclass(frozen=True)
class Import:
    """``importer`` imports ``imported`` (both dotted names) at ``line``."""

    importer: str
    imported: str
    line: int

    def __str__(self) -> str:
        return f"{self.importer}:{self.line} imports {self.imported}"


def module_name(path: Path) -> str:
    """The dotted name of a source file below the project's root."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def modules() -> Mapping[str, Path]:
    """Every module of the package by its dotted name, in order of name."""
    found = {module_name(path): path for path in PACKAGE.rglob("*.py")}
    return {name: found[name] for name in sorted(found)}


@cache
def imports() -> tuple[Import, ...]:
    """Every import in the package, those in functions too, but not those for type checkers only.

    ``from package import name`` is an import of ``package.name`` where that is a module, else of
    ``package``.
    """
    found: list[Import] = []
    for name, path in modules().items():
        tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
        for node in _imports_in(tree):
            found += [Import(name, target, node.lineno) for target in _targets(node)]
    return tuple(found)


def _imports_in(node: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child
        elif isinstance(child, ast.If) and _is_type_checking(child.test):
            for statement in child.orelse:
                yield from _imports_in(statement)
        else:
            yield from _imports_in(child)


def _is_type_checking(test: ast.expr) -> bool:
    match test:
        case ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING"):
            return True
        case _:
            return False


def _targets(node: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    package = node.module or ""
    names = [f"{package}.{alias.name}" for alias in node.names]
    return list(dict.fromkeys(name if name in modules() else package for name in names))


def cycle(edges: Mapping[str, set[str]]) -> list[str] | None:
    """A cycle in a graph: its nodes, the first one again at the end. None: there is none."""
    done: set[str] = set()
    path: list[str] = []

    def visit(node: str) -> list[str] | None:
        if node in path:
            return [*path[path.index(node) :], node]
        if node in done:
            return None
        path.append(node)
        for successor in sorted(edges.get(node, ())):
            if (found := visit(successor)) is not None:
                return found
        path.pop()
        done.add(node)
        return None

    for node in sorted(edges):
        if (found := visit(node)) is not None:
            return found
    return None
