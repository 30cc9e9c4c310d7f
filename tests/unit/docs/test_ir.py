"""``docs/ir.md``: its blocks run and print what it shows, and its stable names are what it says."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import io
import re
import shlex
import sys
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import pytest
from xdsl.irdl import IRDLOperation

from ninetoothed import passes
from ninetoothed.ir import nt, tt
from ninetoothed.ir.stages import STAGES
from ninetoothed.testing import filecheck, nt_opt
from tests.support.golden import Golden
from tests.support.imports import ROOT
from tests.support.outside import own_registry

TEXT = (ROOT / "docs" / "ir.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```([^\n]*)\n(.*?)^```$", TEXT, re.M | re.S)
STABLE = {
    place: re.findall(r"`(\w+)`", names)
    for place, names in re.findall(r"^\| `(ninetoothed[\w.]*)` \| (.*) \|$", TEXT, re.M)
}
NAMES = [(place, name) for place, names in STABLE.items() for name in names]
each_name = pytest.mark.parametrize(("place", "name"), NAMES)

_HOOKS = {
    *("apply", "print", "parse", "verify", "verify_", "fold", "get_irdl_definition"),
    *("get_canonicalization_patterns", "has_canonicalization_patterns"),
    *("parse_parameter", "parse_parameters", "print_parameter", "print_parameters"),
}
"""Methods that xDSL calls, and documents."""

_PARTS = ("operands", "results", "regions")
_SEGMENTS = "operandSegmentSizes"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder of the page's own, with no pass registered and its modules not imported."""
    monkeypatch.chdir(tmp_path)
    files = re.findall(r"file=(\w+)\.py", TEXT)
    with own_registry(tmp_path):
        yield tmp_path
    for name in files:
        sys.modules.pop(name, None)


def test_the_blocks_run(folder: Path) -> None:
    """Files are written, commands and Python run, and what they print stands behind them."""
    names: dict[str, object] = {}
    printed = ""
    for kind, text in BLOCKS:
        language, _, what = kind.partition(" ")
        if what.startswith("file="):
            path = folder / what.removeprefix("file=")
            path.write_text(text, encoding="utf-8")
            for line in filecheck.run_lines(text):
                filecheck.run(line, path)
        elif kind == "python run":
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile(text, "docs/ir.md", "exec"), names)
            printed = out.getvalue()
        elif kind == "shell run":
            printed = "".join(_printed(line) for line in text.splitlines())
        else:
            assert what == "output", f"a block of kind {kind!r} is not run"
            assert printed == text, language


def _printed(line: str) -> str:
    tool, *arguments = shlex.split(line)
    assert tool == "nt-opt"
    result = nt_opt(arguments, merge=True)
    assert result.code == 0, result.out
    return result.out


def test_every_stage_is_described() -> None:
    assert re.findall(r"^\| `(\w+)` \| .*\|.*\|.*\|$", TEXT, re.M) == list(STAGES)


@each_name
def test_stable_name_is_exported_and_documented(place: str, name: str) -> None:
    module = importlib.import_module(place)
    found = getattr(module, name)
    exported = getattr(module, "__all__", None)
    assert name in exported if exported else found.__module__ == place
    assert _documented(found), f"{place}.{name}"
    wrong = [member for member, value in _members(found) if not _documented(value)]
    assert not wrong, f"{place}.{name}: {wrong}"


@pytest.mark.parametrize("package", [nt, tt, passes], ids=lambda package: package.__name__)
def test_what_a_package_exports_is_stable(package: ModuleType) -> None:
    assert sorted(package.__all__) == sorted(STABLE[package.__name__])


def test_stable_interface_is_as_it_was(golden: Golden) -> None:
    """A change to it is a change to what packages of others were promised."""
    lines = [
        line
        for place, name in NAMES
        for line in _interface(f"{place}.{name}", getattr(importlib.import_module(place), name))
    ]
    golden("interface", "\n".join(lines))


def _documented(found: object) -> bool:
    """True if it has a docstring of its own, and not one that is made of a class's fields."""
    text = vars(found).get("__doc__") if isinstance(found, type) else found.__doc__
    generated = f"{found.__name__}(" if isinstance(found, type) else "\n"
    return bool(text) and not text.startswith(generated)


def _members(found: object) -> list[tuple[str, object]]:
    """The public methods and properties of a class and of its bases of ours; of anything else,
    none.
    """
    if not isinstance(found, type):
        return []
    kinds = (FunctionType, property, cached_property, staticmethod, classmethod)
    skipped = {*_HOOKS, *(name for row in _parts(found).values() for name in row)}
    members: dict[str, object] = {}
    for base in _bases(found):
        members |= {name: value for name, value in vars(base).items() if isinstance(value, kinds)}
    return [(n, v) for n, v in sorted(members.items()) if n[0] != "_" and n not in skipped]


def _bases(found: type) -> list[type]:
    """The class and its bases of ours, first bases first."""
    return [base for base in reversed(found.__mro__) if base.__module__.startswith("ninetoothed.")]


def _parts(found: type) -> dict[str, list[str]]:
    """The operands, results, regions and properties of an op's class."""
    if not issubclass(found, IRDLOperation):
        return {}
    definition = found.get_irdl_definition()
    parts = {kind: [name for name, _ in getattr(definition, kind)] for kind in _PARTS}
    # How many values there are of each operand, which xDSL keeps.
    parts["properties"] = [name for name in definition.properties if name != _SEGMENTS]
    return parts


def _interface(name: str, found: Any) -> list[str]:
    """A line for it, and one for each public member; of an op, for each kind of its parts."""
    lines = [f"{name}{_signature(found)}"]
    if isinstance(found, type):
        parts = _parts(found)
        lines += [f"    {found.name}"] if parts else []
        lines += [f"    {kind}: {', '.join(row)}" for kind, row in parts.items() if row]
        types = {k: v for base in _bases(found) for k, v in inspect.get_annotations(base).items()}
        lines += [f"    .{one}" for one, type in types.items() if _is_class_variable(one, type)]
    for member, value in _members(found):
        function = getattr(value, "__func__", value)
        is_call = isinstance(function, FunctionType)
        lines.append(f"    .{member}{_signature(function) if is_call else ''}")
    return lines


def _is_class_variable(name: str, annotation: object) -> bool:
    return not name.startswith("_") and "ClassVar" in str(annotation)


def _signature(found: Any) -> str:
    """Names and defaults of the arguments."""
    signature = inspect.signature(inspect.unwrap(found))
    empty = inspect.Parameter.empty
    plain = [one.replace(annotation=empty) for one in signature.parameters.values()]
    return str(signature.replace(parameters=plain, return_annotation=empty))
