"""Digests of applications: changes that count, changes that do not, and what has no digest."""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import functools
import importlib
import linecache
import math
import os
import subprocess
import sys
import types
from collections.abc import Callable, Generator
from typing import Any, NamedTuple

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Symbol, Tensor, block_size
from ninetoothed.fingerprint.digest import examine
from ninetoothed.kernel.kernel import Kernel
from tests.support import examples
from tests.support.imports import ROOT

BLOCK = 64


class Mode(enum.Enum):
    """Of two kinds."""

    FAST = 1
    SLOW = 2


class Other(enum.Enum):
    """Named alike."""

    FAST = 2


@dataclasses.dataclass(frozen=True)
class Settings:
    """Numbers."""

    block: int = 64
    name: str = "x"


class Sizes(NamedTuple):
    """Two numbers."""

    rows: int
    columns: int


class Listed(list[int]):
    """Of what it holds, it says what it likes."""


class Number(float):
    """It computes as it likes."""


def helper(block: int) -> tuple[int]:
    return (block,)


def reason(application: Any) -> str | None:
    return examine(application).reason


def digest(application: Any) -> str:
    found = examine(application)
    assert found.reason is None
    assert found.digest is not None
    return found.digest


def with_value(value: Any) -> Callable[..., Any]:
    """An application that reads a value."""

    def application(x: Any) -> Any:
        return x, value

    return application


VALUES: list[Any] = [
    *(None, 0, 1, True, 0.0, -0.0, 1.0, float("nan"), "1", b"1", ..., 1j),
    *((1, 2), [1, 2], (1, (2,)), {"a": 1}, {"b": 1}, Sizes(1, 2)[:1], Sizes(1, 3)),
    *(Mode.FAST, Mode.SLOW, Mode, Other, Settings, Sizes),
    *(torch.float16, torch.float32, ntl.float16, ntl.exp, ntl.sigmoid, ntl),
    *(math.ceil, math.floor, len, int, helper),
    *(functools.partial(helper, 1), functools.partial(helper, block=1)),
    *(staticmethod(helper), types.SimpleNamespace(block=1), Settings(), [].append),
]


def test_values_are_told_apart() -> None:
    found = [digest(with_value(value)) for value in VALUES]
    assert len({*found}) == len(found)
    assert found == [digest(with_value(value)) for value in VALUES]


def test_numbers_of_numpy_are_told_apart() -> None:
    import numpy as np

    values = [np.float64(1), np.float64(2), np.float32(1), np.float32(2), np.int64(1), np.bool_(1)]
    found = [digest(with_value(value)) for value in values]
    assert len({*found}) == len(found)
    assert found == [digest(with_value(value)) for value in values]


def test_tensors_of_no_dims_are_told_apart() -> None:
    """They are numbers with element types of their own."""
    values = [
        *(torch.tensor(1), torch.tensor(2), torch.tensor(1, dtype=torch.int8), torch.tensor(1.0)),
        *(torch.tensor(0.0), torch.tensor(-0.0), torch.nn.Parameter(torch.tensor(1.0))),
    ]
    found = [digest(with_value(value)) for value in values]
    assert len({*found}) == len(found)
    assert found == [digest(with_value(value.clone())) for value in values[:-1]] + found[-1:]


@pytest.mark.parametrize(
    "values",
    [
        (Settings(), Settings(32)),
        (types.SimpleNamespace(block=1), types.SimpleNamespace(block=2)),
        ({1}, {2}),
        (torch.ones(1), torch.ones(2)),
        (Symbol("n"), Symbol("m")),
        (os.environ, type(os.environ)({}, str, str, str, str)),
    ],
)
def test_what_the_language_cannot_look_into_counts_by_its_class(values: tuple[Any, Any]) -> None:
    """Its use in an application is an error, and nothing is cached."""
    one, two = values
    assert digest(with_value(one)) == digest(with_value(two)) != digest(with_value(None))


class Scaled:
    """It computes with numbers that it holds."""

    by = 2

    def __init__(self, factor: Any, unread: int = 0) -> None:
        self.factor = factor
        self.unread = unread

    def apply(self, x: Any) -> Any:
        return x * self.factor * self.by

    def __call__(self, x: Any) -> Any:
        return self.apply(x)


class Doubled(Scaled):
    """Another number of the class's."""

    by = 4


class Added(Scaled):
    """Another method."""

    def apply(self, x: Any) -> Any:
        return x + self.factor


class Slotted:
    """A number in a slot."""

    __slots__ = ("factor",)

    def __init__(self, factor: int) -> None:
        self.factor = factor

    def __call__(self, x: Any) -> Any:
        return x * self.factor


def with_own_method() -> Scaled:
    scaled = Scaled(1)
    scaled.apply = with_value(3)
    return scaled


def calling(function: Any) -> Callable[..., Any]:
    """An application that calls a function."""

    def application(x: Any) -> Any:
        return function(x)

    return application


def calling_a_method(value: Any) -> Callable[..., Any]:
    """An application that calls a method."""

    def application(x: Any) -> Any:
        return value.apply(x)

    return application


def itself(value: Any) -> Any:
    return value


OBJECTS: list[Callable[[], Any]] = [
    *(lambda: Scaled(1), lambda: Scaled(2), lambda: Doubled(1), lambda: Added(1)),
    *(lambda: Slotted(1), lambda: Slotted(2), with_own_method),
    *(lambda: Scaled(Scaled(1)), lambda: Scaled(Scaled(2)), lambda: Scaled(Slotted(1))),
    *(lambda: Scaled((1, 2)), lambda: Scaled((1, Scaled(1)))),
]


@pytest.mark.parametrize("use", [calling, calling_a_method, itself])
def test_what_objects_hold_matters(use: Callable[[Any], Any]) -> None:
    found = [digest(use(make())) for make in OBJECTS]
    assert len({*found}) == len(found)
    assert found == [digest(use(make())) for make in OBJECTS]


def test_what_partials_and_methods_hold_matters() -> None:
    found = [
        *(digest(functools.partial(helper, block)) for block in (1, 2)),
        *(digest(functools.partial(helper, block=block)) for block in (1, 2)),
        *(digest(Scaled(factor).apply) for factor in (1, 2)),
        *(digest(functools.partial(Scaled(factor).apply, 1)) for factor in (1, 2)),
        *(digest(calling(Scaled(factor).apply)) for factor in (1, 2)),
        *(digest(calling(functools.partial(Scaled(factor)))) for factor in (1, 2)),
        digest(Doubled(1).apply),
        digest(Scaled.apply),
    ]
    assert len({*found}) == len(found)


def test_attributes_that_nothing_reads_do_not_matter() -> None:
    assert digest(Scaled(1, unread=1).apply) == digest(Scaled(1, unread=2).apply)


def test_an_object_twice_is_not_two_objects() -> None:
    one, other = Scaled(1), Scaled(1)
    same, apart = (with_value((one, one)), with_value((one, other)))
    assert digest(same) != digest(apart)


def test_objects_that_hold_themselves() -> None:
    one = Scaled(1)
    one.factor = one
    assert digest(one.apply) == digest(one.apply) != digest(Scaled(1).apply)


def of_module() -> Any:
    return torch


def undefined() -> Any:
    return not_yet  # pyright: ignore[reportUndefinedVariable, reportUnknownVariableType]


def of_missing() -> Any:
    return math.missing  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType]


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (of_module, "the module torch, used as a value"),
        (with_value(os), "the module os, used as a value"),
        (with_value((math,)), "the module math, used as a value"),
        (undefined, "the name not_yet, which does not exist yet"),
        (of_missing, "math.missing, which does not exist yet"),
        (
            with_value(Number(1)),
            "a number or a text of class tests.unit.fingerprint.test_digest.Number",
        ),
        (with_value([[] for _ in range(200_000)]), "too many objects"),
    ],
)
def test_what_has_no_digest(function: Any, text: str) -> None:
    assert reason(function) == text


def test_a_variable_without_a_value_has_no_digest() -> None:
    def application() -> Any:
        return later

    assert reason(application) == "the variable later, which has no value yet"
    later = 1


class Failing(types.ModuleType):
    """It has no attributes, and says so in its own way."""

    def __getattr__(self, name: str) -> Any:
        raise ValueError(name)


def test_modules_that_fail_when_they_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    def application() -> Any:
        return torch.missing  # pyright: ignore[reportUnknownVariableType, reportAttributeAccessIssue]

    monkeypatch.setattr(sys.modules[__name__], "torch", Failing("failing"))
    assert "ValueError('missing')" in str(reason(application))


def test_functions_without_their_asserts_have_no_digest() -> None:
    """The frontend reads asserts, and the names in them, from the source."""
    program = (
        "from tests.unit.fingerprint.test_digest import helper, reason\nprint(reason(helper))\n"
    )
    command = [sys.executable, "-O", "-c", program]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "functions without their asserts\n"


def test_code_without_a_file_has_a_digest_by_its_code() -> None:
    space: dict[str, Any] = {}
    exec("first = lambda x: x\nsecond = lambda x: (x,)", space)
    assert digest(space["first"]) != digest(space["second"])


def test_lambdas_of_one_line() -> None:
    pair: list[Callable[[Any], Any]] = [lambda x: x + 1, lambda x: x + 2]
    assert digest(pair[0]) != digest(pair[1])


def of_global() -> Any:
    return helper(BLOCK)


def of_nested() -> Any:
    def inner() -> Any:
        return BLOCK

    return inner()


def of_module_attribute() -> Any:
    return math.pi


@pytest.mark.parametrize(
    ("function", "owner", "name"),
    [
        (of_global, sys.modules[__name__], "BLOCK"),
        (of_global, sys.modules[__name__], "helper"),
        (of_nested, sys.modules[__name__], "BLOCK"),
        (of_module_attribute, math, "pi"),
        (with_value(Settings), Settings, "block"),
    ],
)
def test_what_is_read_matters(
    monkeypatch: pytest.MonkeyPatch, function: Any, owner: Any, name: str
) -> None:
    found = [digest(function)]
    for value in (128, 129, of_nested):
        monkeypatch.setattr(owner, name, value)
        found.append(digest(function))
    assert len({*found}) == 4


def test_a_builtin_of_a_users_matters(monkeypatch: pytest.MonkeyPatch) -> None:
    def function(x: Any) -> Any:
        return max(x, 1)

    first = digest(function)
    monkeypatch.setitem(vars(sys.modules[__name__]), "max", min)
    assert digest(function) != first


def test_attributes_and_defaults_of_functions_matter() -> None:
    def function(x: Any, size: int = 1, *, other: int = 1) -> Any:
        return x * size * other

    found = [digest(function)]
    function.__defaults__ = (2,)
    found.append(digest(function))
    function.__kwdefaults__ = {"other": 2}
    found.append(digest(function))
    vars(function)["note"] = 1
    found.append(digest(function))
    function.__annotations__["x"] = ntl.constexpr
    found.append(digest(function))
    assert len({*found}) == 5


def test_functions_that_call_one_another() -> None:
    def even(n: int) -> bool:
        return n == 0 or odd(n - 1)

    def odd(n: int) -> bool:
        return n != 0 and even(n - 1)

    assert digest(even) == digest(even)
    assert digest(even) != digest(odd)


def test_functions_behind_those_of_the_library() -> None:
    def sized(size: int) -> Any:
        @contextlib.contextmanager
        def context() -> Generator[int]:
            yield size

        return with_value(context)

    first, second = [digest(sized(size)) for size in (1, 2)]
    assert first != second


class Base:
    """Inherited attributes count."""

    BLOCK = 64


class Derived(Base):
    """It has nothing of its own."""


def test_inherited_attributes_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    first = digest(with_value(Derived))
    monkeypatch.setattr(Base, "BLOCK", 32)
    assert digest(with_value(Derived)) != first


def test_lists_that_hold_themselves_have_no_digest() -> None:
    items: list[Any] = [1]
    items.append(items)
    assert reason(with_value(items)) is not None


def test_the_parts_of_a_key_matter() -> None:
    found = examine(helper)
    assert found.key("a", ("b", 1)) == found.key("a", ("b", 1))
    assert len({found.key(), found.key("a"), found.key("a", ("b", 1)), found.key("ab")}) == 4
    assert found._replace(digest=None).key("a") is None


def test_other_processes_have_the_same() -> None:
    program = (
        "from ninetoothed import Tensor\n"
        "import sys\n"
        "for _ in range(int(sys.argv[1])): Tensor(3)\n"
        "from examples import add, attention, rms_norm\n"
        "from tests.unit.fingerprint.test_digest import VALUES, digest, key_of, with_value\n"
        "print([digest(with_value(value)) for value in VALUES])\n"
        "kernels = add.add_kernel, attention.attention_kernel, rms_norm.rms_norm_kernel\n"
        "print([key_of(kernel) for kernel in kernels])\n"
    )
    found: set[str] = set()
    for seed in ("1", "9"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", program, seed]
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
        assert not done.returncode, done.stderr
        found.add(done.stdout)
    assert len(found) == 1
    assert "None" not in found.pop()


TRITON = """
import math
import os
import triton
from triton import constexpr_function

FACTOR = 2
TABLE = [1, 2]
HELD = object()


@triton.jit
def scaled(x):
    return x * FACTOR


@constexpr_function
def plain(n):
    return max(n, FACTOR) + TABLE[0] + math.ceil(n) + helped(n)


def helped(n):
    return triton.cdiv(n, 2)


@constexpr_function
def of_object(n):
    return HELD.size


@constexpr_function
def importing(n):
    import sys
    return sys.flags.optimize


@constexpr_function
def of_environment(n):
    return os.getenv("N")


@constexpr_function
def reflecting(n):
    return getattr(helped, "__code__").co_firstlineno


@constexpr_function
def changing(n):
    global FACTOR
    FACTOR += 1
    return FACTOR


def taking(x):
    return x + scaled(x), plain
"""


@pytest.fixture
def of_triton() -> dict[str, Any]:
    if not hasattr(pytest.importorskip("triton"), "constexpr_function"):
        pytest.skip("this Triton has no functions that run when compiling")
    space: dict[str, Any] = {"__name__": "users"}
    # Triton asks for the source of what it decorates.
    file = "<users of triton>"
    lines: list[str] = [*TRITON.splitlines(keepends=True)]
    linecache.cache[file] = (len(TRITON), None, lines, file)
    sys.modules["users"] = types.ModuleType("users")
    exec(compile(TRITON, file, "exec"), space)
    del sys.modules["users"]
    return space


@pytest.mark.parametrize("change", [{"FACTOR": 3}, {"TABLE": [2, 2]}, {"scaled": 1}, {"plain": 1}])
def test_functions_of_triton_are_followed(of_triton: dict[str, Any], change: Any) -> None:
    first = digest(of_triton["taking"])
    assert digest(of_triton["taking"]) == first
    of_triton.update(change)
    assert digest(of_triton["taking"]) != first


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("of_object", "an object of class builtins.object"),
        ("importing", "what importing does beside arithmetic"),
        ("of_environment", ""),
        ("reflecting", "what reflecting does beside arithmetic"),
        ("changing", "what changing does beside arithmetic"),
    ],
)
def test_functions_that_run_when_compiling_and_see_more(
    of_triton: dict[str, Any], name: str, text: str
) -> None:
    found = reason(with_value(of_triton[name]))
    assert found is not None
    assert found.startswith(text)


def key_of(kernel: Kernel) -> str | None:
    return kernel._compilation.digest  # pyright: ignore[reportPrivateUsage]


def test_every_example_has_a_key() -> None:
    """The usual parts of kernels can be hashed."""
    kernels = {
        f"{example}.{name}": value
        for example in examples.NAMES
        for name, value in vars(importlib.import_module(f"examples.{example}")).items()
        if isinstance(value, Kernel)
    }
    assert len(kernels) >= len(examples.NAMES)
    for name, kernel in kernels.items():
        assert key_of(kernel) is not None, name


def test_jit_knows_its_tensors() -> None:
    def made(size: Any) -> str | None:
        def kernel(x: Any, y: Any) -> None:
            y = x + 1  # pyright: ignore[reportUnusedVariable]

        kernel.__annotations__ = dict.fromkeys("xy", Tensor(1).tile((size,)))
        return key_of(ninetoothed.jit(kernel))

    assert made(64) != made(32)
    assert made(block_size()) is not None
