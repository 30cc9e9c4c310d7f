"""Functions that no digest can tell apart: they see what nothing hashed shows."""

from __future__ import annotations

import builtins
import dataclasses
import functools
import os
import subprocess
import sys
import typing
from typing import Any

import pytest
import torch

from ninetoothed import Tensor
from tests.support.imports import ROOT
from tests.unit.test_digest import BLOCK, Settings, helper, reason, with_value

_calls = 0


def counting(x: Tensor) -> Tensor:
    global _calls
    _calls += 1
    return x


def importing(x: Tensor) -> Any:
    import tests.support.imports

    return tests.support.imports.ROOT


def of_environment(x: Tensor) -> Any:
    return x, os.environ


def of_device(x: Tensor) -> Any:
    return x, torch.cuda.is_available()


def undefined(x: Tensor) -> Any:
    return x, not_yet  # pyright: ignore[reportUndefinedVariable]


def reflecting(x: Tensor) -> Any:
    function = helper
    return x, function.__code__


def reflecting_by_text(x: Tensor) -> Any:
    return x, getattr(helper, "__globals__")  # noqa: B009


def evaluating(x: Tensor) -> Any:
    return x, builtins.eval("BLOCK")


def of_fields(x: Tensor) -> Any:
    return x, dataclasses.fields(Settings)


def of_hints(x: Tensor) -> Any:
    return x, typing.get_type_hints(Settings)


@functools.cache
def remembered() -> int:
    return BLOCK


def remembering(x: Tensor) -> Any:
    return x, remembered()


@functools.singledispatch
def dispatched(x: Any) -> int:
    return BLOCK


def dispatching(x: Tensor) -> Any:
    return x, dispatched(x)


def importing_beside(x: Tensor) -> Any:
    """Of a package's own module, the bytecode has the name without its dots."""
    from .math import BLOCK  # pyright: ignore  # noqa: TID252

    return x, BLOCK  # pyright: ignore[reportUnknownVariableType]


@pytest.mark.parametrize(
    ("arrangement", "text"),
    [
        (counting, "a function that assigns what is outside"),
        (importing, "an import of tests.support.imports inside a function"),
        (of_environment, "os._Environ"),
        (of_device, "torch.cuda.is_available"),
        (undefined, "the name not_yet, which does not exist yet"),
        (reflecting, "a function that reads __code__"),
        (reflecting_by_text, "a function that reads __globals__"),
        (evaluating, "the function builtins.eval"),
        (of_fields, "dataclasses.fields"),
        (of_hints, "typing.get_type_hints"),
        (remembering, "an object of class _lru_cache_wrapper, written in C"),
        (dispatching, "weakref.WeakKeyDictionary"),
        (importing_beside, "an import of math inside a function"),
    ],
)
def test_functions_without_digest(arrangement: Any, text: str) -> None:
    found = reason(arrangement)
    assert str(found).startswith(text)


def test_there_is_an_end_to_it() -> None:
    assert reason(with_value([[] for _ in range(200_000)])) == "too many objects"


def test_functions_without_their_asserts_have_no_digest() -> None:
    """The frontend reads asserts, and the names in them, from the source."""
    program = "from tests.unit.test_digest import arrangement, reason\nprint(reason(arrangement))\n"
    command = [sys.executable, "-O", "-c", program]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "functions without their asserts\n"
