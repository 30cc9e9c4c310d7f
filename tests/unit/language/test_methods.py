"""The methods of blocks, against Triton's."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from ninetoothed import language
from ninetoothed.language.methods import NAMES, method
from ninetoothed.runtime.toolchain.triton import compat


@pytest.mark.parametrize("name", sorted(NAMES))
def test_every_method_is_a_function_of_the_language(name: str) -> None:
    assert method(name) is getattr(language, name)


def test_other_names_are_none() -> None:
    assert method("arange") is None
    assert method("to") is language.cast


@pytest.mark.skipif(not compat.available(), reason="Triton is not installed")
def test_what_the_language_has_of_tritons_methods_is_one() -> None:
    core: Any = importlib.import_module("triton.language.core")
    theirs = [name for name in dir(core.tensor) if not name.startswith("_")]
    ours = {name for name in theirs if hasattr(language, name)}
    assert ours <= NAMES
