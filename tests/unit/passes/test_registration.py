"""``register``: what it takes, and the mistakes that it tells."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import ninetoothed
from ninetoothed.errors import ArgumentError, PluginError
from ninetoothed.ir import nt
from ninetoothed.ir.optimization import Choice, Optimization
from ninetoothed.passes import KernelPass, available_passes, find_pass, pass_names, register
from ninetoothed.plugins import entry_points, outside_passes
from ninetoothed.plugins.entry_points import PASSES
from tests.support.outside import COUNT, PASS, own_registry, write_metadata, write_package

HERE = __name__


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> Iterator[Path]:
    with own_registry(tmp_path):
        yield tmp_path


@dataclass(frozen=True)
class SomePass(KernelPass):
    """Does nothing."""

    name = "nt-some"
    version = "3"

    factor: int = 1

    def apply_to(self, kernel: nt.KernelOp) -> None:
        pass


def wrong(pass_: Any = SomePass, **place: Any) -> str:
    with pytest.raises(ArgumentError) as caught:
        register(pass_, **place or {"after": "composed"})
    return caught.value.message


def variant(**attributes: Any) -> type[KernelPass]:
    """A pass with other attributes."""
    found = type("Variant", (SomePass,), {"__module__": HERE, **attributes})
    return dataclass(frozen=True)(found)


def test_a_call_and_a_decorator() -> None:
    assert register(SomePass, after="nt-specialize") is SomePass
    (registered,) = outside_passes.registered().values()
    assert registered.pass_ is SomePass
    assert registered.place == ("after", "nt-specialize")
    assert (registered.outside.module, registered.outside.version) == (HERE, "3")
    assert ninetoothed.passes.register(before="tt")(SomePass) is SomePass
    (registered,) = outside_passes.registered().values()
    assert registered.place == ("before", "tt")


def test_it_is_found_by_its_name() -> None:
    register(SomePass, after="composed")
    assert find_pass("nt-some") is SomePass
    assert available_passes()["nt-some"]() is SomePass
    # The compiler's own are what they were.
    assert "nt-some" not in pass_names()


def test_an_entry_point_is_imported_when_its_class_is_asked_for(folder: Path) -> None:
    write_metadata(folder, COUNT)
    write_package(folder)
    known = outside_passes.find("nt-count")
    assert known is not None
    assert known.place is None
    assert find_pass("nt-count").name == "nt-count"
    registered = outside_passes.registered()["nt-count"]
    # In keys it stays what it was.
    assert outside_passes.find("nt-count") is registered.outside is known
    assert registered.place == ("after", "nt-specialize")


def test_an_entry_point_that_is_imported_while_it_is_looked_for(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As by another thread."""
    write_metadata(folder, COUNT)
    write_package(folder)
    original = outside_passes.source_digest

    def digest(module: str) -> str | None:
        monkeypatch.setattr(outside_passes, "source_digest", original)
        importlib.import_module(module)
        return original(module)

    monkeypatch.setattr(outside_passes, "source_digest", digest)
    known = outside_passes.find("nt-count")
    assert known is outside_passes.registered()["nt-count"].outside
    assert find_pass("nt-count").name == "nt-count"


def test_an_entry_point_may_name_what_its_package_imports(folder: Path) -> None:
    write_metadata(folder, {PASSES: {"nt-count": "counting:CountPass"}})
    write_package(folder)
    text = "from counting.passes import CountPass as CountPass\n"
    (folder / "counting" / "__init__.py").write_text(text, encoding="utf-8")
    known = outside_passes.find("nt-count")
    assert find_pass("nt-count").__module__ == "counting.passes"
    assert outside_passes.find("nt-count") is known


def test_an_entry_point_that_names_another_package(folder: Path) -> None:
    """The keys would not tell apart what is in the pass's own."""
    write_metadata(folder, {PASSES: {"nt-count": "counting_alias:CountPass"}})
    write_package(folder)
    text = "from counting.passes import CountPass as CountPass\n"
    (folder / "counting_alias.py").write_text(text, encoding="utf-8")
    with pytest.raises(PluginError) as caught:
        find_pass("nt-count")
    del sys.modules["counting_alias"]
    assert caught.value.message == (
        "'nt-count' in ninetoothed.passes is counting_alias:CountPass of counting 1.2, which is of "
        "another package, counting.passes.CountPass; name its own module in the entry point"
    )


def test_the_compilers_passes_need_no_entry_points(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entry_points, "entry_points", pytest.fail)
    assert find_pass("cse").name == "cse"
    assert find_pass("nt-specialize").name == "nt-specialize"
    register(SomePass, after="composed")
    assert find_pass("nt-some") is SomePass


def test_an_entry_point_whose_module_registers_nothing(folder: Path) -> None:
    write_metadata(folder, COUNT)
    write_package(folder, passes="CountPass = 3")
    with pytest.raises(PluginError) as caught:
        find_pass("nt-count")
    assert caught.value.message == (
        "'nt-count' in ninetoothed.passes is counting.passes:CountPass of counting 1.2, and "
        "importing counting.passes registers no pass of this name; put "
        "@ninetoothed.passes.register(after=...) above the class whose name is 'nt-count'"
    )


def test_a_class_may_be_registered_again() -> None:
    register(SomePass, after="composed")
    again = variant()
    again.__qualname__ = SomePass.__qualname__
    register(again, after="composed")
    assert find_pass("nt-some") is again


def test_a_class_that_is_registered_again_has_the_code_that_it_had(folder: Path) -> None:
    """Whatever its file holds by now; what is in another class of its name was read anew."""
    write_package(folder)
    first = importlib.import_module("counting.passes")
    digest = outside_passes.registered()["nt-count"].outside.digest
    write_package(folder, passes=f"{PASS}# Edited.\n")
    register(first.CountPass, after="composed")
    assert outside_passes.registered()["nt-count"].outside.digest == digest
    importlib.reload(first)
    assert outside_passes.registered()["nt-count"].outside.digest != digest


def test_a_class_in_a_function_is_another_in_each_process() -> None:
    digests: set[str] = set()
    for _ in range(2):

        @register(after="composed")
        @dataclass(frozen=True)
        class InnerPass(SomePass):
            name = "nt-inner"

        digests.add(outside_passes.registered()["nt-inner"].outside.digest)
    assert len(digests) == 2
    assert all(digest.startswith("unknown ") for digest in digests)


def test_a_name_of_another_class() -> None:
    register(SomePass, after="composed")
    assert wrong(variant()) == (
        f"there is a pass 'nt-some' already, {HERE}.SomePass 3; give {HERE}.Variant another name"
    )


def test_no_place_and_two_places() -> None:
    with pytest.raises(ArgumentError) as caught:
        register(SomePass)
    assert caught.value.message == (
        "register takes a place; write for example register(MyPass, after='nt-specialize')"
    )
    assert wrong(before="tt", after="tt") == (
        "a pass has one place; give before= or after=, not both"
    )


def test_an_unknown_place(folder: Path) -> None:
    assert wrong(after="nt-specialise") == (
        "there is no pass or stage 'nt-specialise' in the pipeline; did you mean nt-specialize?"
    )
    assert wrong(before="compose") == (
        "there is no pass or stage 'compose' in the pipeline; did you mean composed?"
    )
    assert wrong(before="elsewhere") == (
        "there is no pass or stage 'elsewhere' in the pipeline; stages are arranged, composed, "
        "specialized, padded, scheduled, addressed, tt, and nt-opt --list-passes lists the passes"
    )
    # Beside a pass of an installed package, which is not imported.
    write_metadata(folder, COUNT)
    entry_points.entry_points.cache_clear()
    register(SomePass, after="nt-count")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: 3, "register takes a class of passes, a KernelPass, not 3"),
        (
            lambda: variant(name="Some_Pass"),
            f"{HERE}.Variant has the name 'Some_Pass'; write lower case words with hyphens, as "
            "name = 'nt-some-words'",
        ),
        (
            lambda: variant(name="nt-specialize"),
            f"'nt-specialize', the name of {HERE}.Variant, is one of the compiler's; give it "
            "another",
        ),
        (
            lambda: variant(name="composed"),
            f"'composed', the name of {HERE}.Variant, is one of the compiler's; give it another",
        ),
        (
            lambda: type("Bare", (SomePass,), {"__module__": HERE}),
            f"{HERE}.Bare is no dataclass of its own; write @dataclass(frozen=True) above it, "
            "below @register",
        ),
        (
            lambda: variant(__annotations__={"bound": "int"}, bound=field(kw_only=True)),
            f"option 'bound' of {HERE}.Variant has no default; give it one",
        ),
        (
            lambda: variant(optimizations=(3,)),
            f"optimizations of {HERE}.Variant are instances of Optimization or Choice, not 3",
        ),
        (
            lambda: variant(optimizations=(Optimization("fast", "nt-some", "enabled", ""),)),
            f"optimization 'fast' of {HERE}.Variant is of option 'enabled' of pass 'nt-some'; name "
            "an option of 'nt-some'",
        ),
        (
            lambda: variant(optimizations=(Choice("fast", "cse", "factor", "", lambda _: None),)),
            f"optimization 'fast' of {HERE}.Variant is of option 'factor' of pass 'cse'; name an "
            "option of 'nt-some'",
        ),
        (
            lambda: variant(optimizations=(Optimization("fast", "nt-some", "factor", ""),)),
            f"option 'factor' of {HERE}.Variant, which 'fast' switches off, is not True by default",
        ),
        (
            lambda: variant(apply_to=KernelPass.apply_to),
            f"{HERE}.Variant does not define apply_to, which runs the pass",
        ),
        (
            lambda: variant(optimizations=3),
            f"optimizations of {HERE}.Variant is a tuple, also of one, not 3; write optimizations "
            "= (Choice(...),)",
        ),
        (
            lambda: variant(
                optimizations=(Choice("a b", "nt-some", "factor", "", lambda _: None),)
            ),
            f"an optimization of {HERE}.Variant has the name 'a b'; write lower case words with "
            "underscores, as 'some_words'",
        ),
    ],
    ids=[
        *("no class", "name", "own name", "stage", "no dataclass", "no default", "no row"),
        *("no option", "other pass", "not on", "abstract", "no tuple", "name of a choice"),
    ],
)
def test_wrong_passes(make: Callable[[], Any], message: str) -> None:
    assert wrong(make()) == message
