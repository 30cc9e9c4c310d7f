"""Digests of applications, at the edges of each rule."""

from __future__ import annotations

import linecache
import math
import sys
import types
import typing
from collections.abc import Callable
from typing import Any

import pytest

import ninetoothed
from ninetoothed.fingerprint import digest as module
from ninetoothed.fingerprint.digest import examine
from ninetoothed.fingerprint.objects import static_attribute


def digest(value: Any) -> str:
    found = examine(with_value(value))
    assert found.reason is None
    assert found.digest is not None
    return found.digest


def with_value(value: Any) -> Callable[[Any], Any]:
    """An application that reads a value, and its attributes ``left`` and ``right``."""

    def application(x: Any) -> Any:
        return x, value, value.left, value.right

    return application


@pytest.mark.parametrize(
    ("one", "two"),
    [("lambda x: x + 1", "lambda x: x - 1"), ("lambda x: x.one", "lambda x: x.two")],
)
def test_code_without_a_file(one: str, two: str) -> None:
    assert digest(eval(one)) != digest(eval(two))


def test_versions_of_python_and_of_the_package_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    before = module.stamp.__wrapped__()
    for owner, name in ((sys, "version"), (module, "__version__"), (module, "SOURCES")):
        with monkeypatch.context() as changed:
            changed.setattr(owner, name, "another")
            assert module.stamp.__wrapped__() != before, name


def test_the_stamp_is_part_of_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    found = examine(with_value(1))
    before = found.key()
    monkeypatch.setattr(module, "stamp", lambda: "another")
    assert found.key() != before


class Held:
    """It has the attributes that it was given."""

    def __init__(self, **attributes: Any) -> None:
        vars(self).update(attributes)


def test_an_attribute_belongs_to_its_object() -> None:
    pairs = [(Held(left=1), Held()), (Held(), Held(left=1))]
    assert digest(pairs[0]) != digest(pairs[1])


class WithProperty:
    """Python computes ``left``, whatever lies below it."""

    @property
    def left(self) -> int:
        return 1


def test_a_property_hides_what_an_object_holds() -> None:
    held = WithProperty()
    vars(held).update(left=0, right=0)
    assert static_attribute(held, "left") == (vars(WithProperty)["left"], False)
    assert static_attribute(held, "right") == (0, True)


@pytest.mark.parametrize("name", ["typing", "ninetoothed.language"])
def test_a_class_with_the_name_of_a_librarys(name: str) -> None:
    classes = [
        type("Any", (), {"__module__": name, "__match_args__": (field,)}) for field in ("x", "y")
    ]
    assert digest(classes[0]) != digest(classes[1])


def test_a_function_in_the_names_of_a_librarys() -> None:
    one, two = (
        types.FunctionType(eval(f"lambda x: x + {number}").__code__, typing.__dict__)
        for number in (1, 2)
    )
    assert digest(one) != digest(two)


RUN = """
import ninetoothed
from triton import constexpr_function

def reflecting(n):
    return getattr(reflecting, "__code__").co_firstlineno

def plain(n):
    return n

@constexpr_function
def run(n):
    return function(n)

@constexpr_function
def of_package(n):
    return ninetoothed.Tensor

@constexpr_function
def of_function(n):
    return ninetoothed.make.__kwdefaults__

def both(n):
    return function(n) + run(n)
"""


@pytest.fixture
def run_when_compiling() -> dict[str, Any]:
    if not hasattr(pytest.importorskip("triton"), "constexpr_function"):
        pytest.skip("this Triton has no functions that run when compiling")
    space: dict[str, Any] = {"__name__": "edges", "math": math, "ninetoothed": ninetoothed}
    sys.modules["edges"] = types.ModuleType("edges")
    try:
        with pytest.MonkeyPatch.context() as patched:
            lines = RUN.splitlines(keepends=True)
            patched.setitem(linecache.cache, "<edges>", (len(RUN), None, lines, "<edges>"))
            exec(compile(RUN, "<edges>", "exec"), space)
    finally:
        del sys.modules["edges"]
    return space


@pytest.mark.parametrize(("name", "has_digest"), [("plain", True), ("reflecting", False)])
def test_a_function_that_is_compiled_and_run(
    run_when_compiling: dict[str, Any], name: str, has_digest: bool
) -> None:
    """Met first where it is compiled, it is looked into again where it is run."""
    run_when_compiling["function"] = run_when_compiling[name]
    assert (examine(run_when_compiling["both"]).reason is None) == has_digest


@pytest.mark.parametrize(
    ("name", "text"),
    [("of_package", "the class Tensor"), ("of_function", "the attribute __kwdefaults__")],
)
def test_the_package_in_a_function_that_is_run(
    run_when_compiling: dict[str, Any], name: str, text: str
) -> None:
    reason = examine(with_value(run_when_compiling[name])).reason
    assert reason == f"{text}, in a function that runs when compiling"
