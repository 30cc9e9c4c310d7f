"""The pass files: what their sources say of themselves, read without importing them."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.support.imports import PACKAGE

_FENCE = re.compile(r"^( *)```mlir\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
_OPTION = re.compile(r"^\s*//\s*nt-opt -p '([^']+)'\s*$", re.MULTILINE)


@dataclass(frozen=True)
class PassFile:
    """One file of ``ninetoothed/passes`` that holds a pass.

    ``names`` are the ``name`` fields of its classes that end in ``Pass``, by class; ``examples``
    the fenced ``mlir`` blocks of its docstring.
    """

    path: Path
    names: dict[str, str | None]
    examples: tuple[str, ...]

    @property
    def expected_name(self) -> str:
        """``nt-`` and the file's name in kebab case."""
        return "nt-" + self.path.stem.replace("_", "-")

    @property
    def pipeline(self) -> str:
        """Pipeline of the docstring's example.

        The pass without options, unless the first block holds a line ``// nt-opt -p 'nt-pass{…}'``.
        """
        option = _OPTION.search(self.examples[0]) if self.examples else None
        return option[1] if option is not None else self.expected_name


@cache
def pass_files() -> tuple[PassFile, ...]:
    """Every pass file, in order of name.

    ``__init__.py``, ``pipeline.py`` and names with a leading underscore are none, nor is a module
    without a class ``…Pass`` that says in its docstring that it is no pass.
    """
    found: list[PassFile] = []
    for path in sorted((PACKAGE / "passes").glob("*.py")):
        if path.stem == "pipeline" or path.stem.startswith("_"):
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
        docstring = ast.get_docstring(tree) or ""
        classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
        names = {node.name: _name(node) for node in classes if node.name.endswith("Pass")}
        if not names and re.search(r"\bno pass\b", docstring):
            continue
        examples = tuple(_dedent(match[1], match[2]) for match in _FENCE.finditer(docstring))
        found.append(PassFile(path, names, examples))
    return tuple(found)


def _name(node: ast.ClassDef) -> str | None:
    for statement in node.body:
        match statement:
            case (
                ast.Assign(targets=[ast.Name(id="name")], value=ast.Constant(value=str() as name))
                | ast.AnnAssign(target=ast.Name(id="name"), value=ast.Constant(value=str() as name))
            ):
                return name
            case _:
                continue
    return None


def _dedent(indent: str, text: str) -> str:
    return re.sub(f"^{indent}", "", text, flags=re.MULTILINE)
