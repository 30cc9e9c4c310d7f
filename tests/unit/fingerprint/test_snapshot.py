"""A kernel is what its functions read when it was made: later changes are not seen.

On a miss the application is built by ``make`` and by the first call; on a hit by the call only.
The arrangement is run by ``make``.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from ninetoothed.errors import UndefinedNameError
from ninetoothed.kernel.kernel import Kernel

MAIN = """
import ninetoothed.language as ntl
import captured_other as other
from ninetoothed import Tensor, make
from captured_other import tripled

FACTOR = 2
FACTORS = [2, 5]
BLOCK = 32


class Names:
    FACTOR = 2


def doubled(x):
    return x * FACTOR


def with_default(x, factor=2, *, more=1):
    return x * factor * more


class Scaled:
    by = 1

    def __init__(self):
        self.factor = 2
        self.factors = [2]

    def apply(self, x, y):
        y = self.scale(x) * self.by

    def scale(self, x):
        return x * self.factor

    def of_items(self, x, y):
        y = x * self.factors[0]


scaled = Scaled()
of_method = scaled.apply
of_items = scaled.of_items


def of_object(x, y):
    y = scaled.scale(x)


def maker(factor):
    def application(x, y):
        y = x * factor

    def change(value):
        nonlocal factor
        factor = value

    return application, change


def arrangement(x, y):
    return x.tile((BLOCK,)), y.tile((BLOCK,))


def kernel_of(application):
    return make(arrangement, application, (Tensor(1), Tensor(1)))


def of_global(x, y):
    y = x * FACTOR


def of_helper(x, y):
    y = doubled(x)


def of_list(x, y):
    y = x * FACTORS[0]


def of_class(x, y):
    y = x * Names.FACTOR


def of_module(x, y):
    y = x * other.FACTOR


def of_function_of_a_module(x, y):
    y = tripled(x)


def of_defaults(x, y):
    y = with_default(x)


def of_nested(x, y):
    def scaled(a):
        return a * FACTOR

    y = scaled(x)


of_closure, change = maker(2)
"""
OTHER = """
FACTOR = 2


def tripled(x):
    return x * FACTOR
"""


class Program:
    """Two modules of a user's."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "captured_main.py"
        self.other: Any = self._load("captured_other", folder / "captured_other.py", OTHER)
        self.main: Any = self._load("captured_main", self.path, MAIN)

    def _load(self, name: str, path: Path, text: str) -> Any:
        path.write_text(text, encoding="utf-8")
        module = sys.modules[name] = types.ModuleType(name)
        module.__file__ = str(path)
        exec(compile(text, str(path), "exec"), vars(module))
        return module

    def kernel(self, name: str) -> Kernel:
        """The kernel of an application."""
        return self.main.kernel_of(getattr(self.main, name))


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Program]:
    monkeypatch.setenv("NINETOOTHED_CACHE_DIR", str(tmp_path / "cache"))
    yield Program(tmp_path)
    for name in ("captured_main", "captured_other"):
        sys.modules.pop(name, None)


def factor(kernel: Kernel) -> float:
    x, y = torch.ones(40), torch.empty(40)
    kernel(x, y)
    assert bool((y == y[0]).all())
    return y[0].item()


def shadow_method(program: Program) -> None:
    program.main.scaled.scale = program.main.doubled
    program.main.FACTOR = 7


def change_kwdefaults(program: Program) -> None:
    program.main.with_default.__kwdefaults__["more"] = 5


CHANGES: dict[str, list[Callable[[Program], object]]] = {
    "of_global": [lambda program: setattr(program.main, "FACTOR", 7)],
    "of_helper": [
        lambda program: setattr(program.main, "FACTOR", 7),
        lambda program: setattr(program.main, "doubled", program.main.with_default),
    ],
    "of_list": [
        lambda program: program.main.FACTORS.insert(0, 7),
        lambda program: setattr(program.main, "FACTORS", [7]),
    ],
    "of_class": [lambda program: setattr(program.main.Names, "FACTOR", 7)],
    "of_module": [lambda program: setattr(program.other, "FACTOR", 7)],
    "of_function_of_a_module": [lambda program: setattr(program.other, "FACTOR", 7)],
    "of_defaults": [
        lambda program: setattr(program.main.with_default, "__defaults__", (7,)),
        change_kwdefaults,
    ],
    "of_nested": [lambda program: setattr(program.main, "FACTOR", 7)],
    "of_closure": [lambda program: program.main.change(7)],
    "of_method": [
        lambda program: setattr(program.main.scaled, "factor", 7),
        lambda program: setattr(program.main.scaled, "by", 7),
        lambda program: setattr(program.main.Scaled, "by", 7),
        shadow_method,
    ],
    "of_items": [lambda program: program.main.scaled.factors.insert(0, 7)],
    "of_object": [
        lambda program: setattr(program.main.scaled, "factor", 7),
        shadow_method,
    ],
}


@pytest.mark.parametrize("is_known", [False, True])
@pytest.mark.parametrize(
    ("name", "change"), [(name, change) for name, found in CHANGES.items() for change in found]
)
def test_changes_after_make_are_not_seen(
    program: Program, name: str, change: Callable[[Program], object], is_known: bool
) -> None:
    if is_known:
        program.kernel(name)
    kernel = program.kernel(name)
    change(program)
    assert factor(kernel) == 2
    # They are seen by what is made now.
    assert name == "of_helper" or factor(program.kernel(name)) > 2


@pytest.mark.parametrize("is_known", [False, True])
def test_the_arrangement_is_run_at_make(program: Program, is_known: bool) -> None:
    if is_known:
        program.kernel("of_global")
    kernel = program.kernel("of_global")
    program.main.BLOCK = 64
    assert "tensor<32xf32>" in kernel.ir("tt")
    assert "tensor<64xf32>" in program.kernel("of_global").ir("tt")


@pytest.mark.parametrize("is_known", [False, True])
def test_an_edit_of_the_file_is_not_seen(program: Program, is_known: bool) -> None:
    if is_known:
        program.kernel("of_global")
    kernel = program.kernel("of_global")
    program.path.write_text(MAIN.replace("y = x * FACTOR", "y = x * 1000"), encoding="utf-8")
    assert factor(kernel) == 2


def test_what_has_no_digest_is_captured_too(program: Program) -> None:
    program.main.doubled.missing = lambda: missing  # pyright: ignore
    kernel = program.kernel("of_helper")
    program.main.FACTOR = 7
    assert factor(kernel) == 2


LATER = """
def arrangement(x, flag, y):
    return x.tile((32,)), flag, y.tile((32,))


class Later:
    pass


def application(x, flag, y):
    y = {}


kernel = make(arrangement, application, (Tensor(1), Tensor(0, constexpr=True), Tensor(1)))
"""


def later(program: Program, value: str) -> Kernel:
    """A kernel whose application is built by the first call, which alone knows the flag."""
    path = program.path.with_name("later.py")
    text = LATER.format(value)
    path.write_text(text, encoding="utf-8")
    exec(compile(text, str(path), "exec"), program.main.__dict__)
    return program.main.kernel


@pytest.mark.parametrize("is_known", [False, True])
def test_a_builtin_stays_what_it_was(program: Program, is_known: bool) -> None:
    text = "x * max(2, 1) if flag else x"
    if is_known:
        later(program, text)
    kernel = later(program, text)
    program.main.max = lambda one, two: 7  # pyright: ignore[reportUnknownLambdaType]
    x, y = torch.ones(40), torch.empty(40)
    kernel(x, True, y)
    assert y[0] == 2


def test_an_attribute_that_comes_later_is_not_there(program: Program) -> None:
    kernel = later(program, "x * Later.FACTOR if flag else x")
    program.main.Later.FACTOR = 7
    with pytest.raises(UndefinedNameError, match="the class Later has no attribute FACTOR"):
        kernel(torch.ones(40), True, torch.empty(40))


def test_a_name_that_comes_later_is_found(program: Program) -> None:
    kernel = later(program, "x * LATER if flag else x")
    program.main.LATER = 3
    x, y = torch.ones(40), torch.empty(40)
    kernel(x, True, y)
    assert y[0] == 3
