"""What changes the digest of a kernel, what does not, and what has none."""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import functools
import importlib
import importlib.util
import math
import os
import random
import subprocess
import sys
import types
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import torch

import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Symbol, Tensor, block_size
from ninetoothed.digest import examine
from ninetoothed.kernel import Kernel
from ninetoothed.symbol import Symbol as SymbolClass
from tests.support import examples
from tests.support.imports import ROOT

BLOCK = 64
TABLE: dict[str, Any] = {"block": 64, "others": [1, 2]}


class Mode(enum.Enum):
    """Of two kinds."""

    FAST = 1
    SLOW = 2


@dataclasses.dataclass(frozen=True)
class Settings:
    """Numbers."""

    block: int = 64
    name: str = "x"


class Slotted:
    """An object without a dict."""

    __slots__ = ("block",)

    def __init__(self, block: int) -> None:
        self.block = block


class Listed(list[int]):
    """Of what it holds, it says what it likes."""


class Sizes(NamedTuple):
    """Two numbers."""

    rows: int
    columns: int


def application(x: Any, y: Any) -> None:
    y = x + 1  # pyright: ignore[reportUnusedVariable]


def helper(block: int) -> tuple[int]:
    return (block,)


def arrangement(x: Tensor, y: Tensor) -> tuple[Tensor, ...]:
    return x.tile(helper(BLOCK)), y.tile(helper(BLOCK))


def reason(arrangement: Any, tensors: Any = (), application: Any = application) -> str | None:
    return examine(arrangement, application, tensors, ()).reason


def digest(arrangement: Any = arrangement, tensors: Any = (), *options: object) -> str:
    found = examine(arrangement, application, tensors, options)
    assert found.reason is None
    assert found.digest is not None
    return found.digest


def with_value(value: Any) -> Callable[..., Any]:
    """An arrangement that depends on a value."""

    def arranged(x: Tensor) -> Any:
        return x, value

    return arranged


def test_the_counters_do_not_matter() -> None:
    def tensors() -> tuple[object, ...]:
        x = Tensor(2)
        size = block_size()
        return x.tile((size, -1)), Tensor(shape=(x.shape[0], 4)), size * 2

    # In one line: places are part of the digest.
    first, second = [digest(tensors=tensors()) for _ in range(2)]
    assert first == second


def test_which_tensors_and_symbols_are_the_same_matters() -> None:
    one, two, size, other = Tensor(1), Tensor(1), block_size(), block_size()
    copy = Tensor(1)
    pairs: list[tuple[Any, ...]] = [
        (one, one),
        (one, two),
        (one, one.tile((1,)).source),
        (size, size),
        (size, other),
        (one.tile((size,)), size),
        (one.tile((size,)), other),
        (one, one.shape[0]),
        (one, copy.shape[0]),
    ]
    found = [digest(tensors=pair) for pair in pairs]
    # Tensors are of two lines.
    assert len({*found}) == len(found)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Tensor(2),
        lambda: Tensor(1, dtype="fp16"),
        lambda: Tensor(1, other=0),
        lambda: Tensor(1, other=0.0),
        lambda: Tensor(1, other=float("-inf")),
        lambda: Tensor(1, allow_races=True),
        lambda: Tensor(1, shape_options={"constexpr": True}),
        lambda: Tensor(1, shape_options={"upper_bound": 8}),
        lambda: Tensor(1, name="x"),
        lambda: Tensor(2, jagged_dim=1),
        lambda: Tensor(0, constexpr=True),
        lambda: Tensor(0, value=True),
        lambda: Tensor(0, value=1),
        lambda: Tensor(1).tile((4,)),
        lambda: Tensor(1).tile((4,), strides=(2,)),
    ],
)
def test_all_of_a_tensor_matters(make: Callable[[], Tensor]) -> None:
    def located(tensor: Tensor) -> str:
        source = dataclasses.replace(tensor.chain.source, declared=None)
        tensor._cell.chain = dataclasses.replace(tensor.chain, source=source)  # pyright: ignore[reportPrivateUsage]
        return digest(tensors=(tensor,))

    plain = located(Tensor(1))
    assert located(make()) != plain
    assert located(make()) == located(make())


def numpy_number(value: int) -> Any:
    import numpy as np

    return np.int64(value)


VALUES: list[Any] = [
    None,
    0,
    1,
    True,
    0.0,
    -0.0,
    1.0,
    float("nan"),
    "1",
    b"1",
    ...,
    1j,
    (1, 2),
    [1, 2],
    (1, (2,)),
    {1, 2},
    frozenset({"a", "b"}),
    {"a": 1},
    {"b": 1},
    range(3),
    slice(1, 2),
    Mode.FAST,
    Mode.SLOW,
    Mode,
    Settings(),
    Settings(32),
    Settings(name="y"),
    Slotted(1),
    Slotted(2),
    Sizes(1, 2),
    Sizes(1, 3),
    types.SimpleNamespace(block=1),
    types.SimpleNamespace(block=2),
    torch.float16,
    torch.float32,
    ntl.float16,
    ntl.exp,
    ntl.sigmoid,
    ntl,
    math,
    math.ceil,
    len,
    Symbol("n"),
    Symbol("n") + 1,
    Symbol("n", constexpr=True),
    helper,
    functools.partial(helper, 1),
    functools.partial(helper, block=1),
    numpy_number(1),
    numpy_number(2),
    [].append,
    SymbolClass,
]


def test_values_are_told_apart() -> None:
    found = [digest(with_value(value)) for value in VALUES]
    assert len({*found}) == len(found)
    assert found == [digest(with_value(value)) for value in VALUES]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (object, None),
        (iter([1]), "an object of class list_iterator"),
        ((number for number in range(3)), "an object of class generator"),
        (torch.ones(1), "an object of class torch.Tensor"),
        (random.random, None),
        (os.getcwd, "the function posix.getcwd"),
        (os, "the module os, used as a value"),
        (torch, "the module torch, used as a value"),
        (open, "the function"),
        (eval, "the function builtins.eval"),
        ({Settings()}, "a set of objects"),
        (Listed([1]), "an object of class Listed, written in C"),
        (Symbol("ninetoothed_tensor_3_size_0"), "the symbol ninetoothed_tensor_3_size_0"),
    ],
)
def test_what_has_no_digest(value: Any, text: str | None) -> None:
    found = reason(with_value(value))
    if value is object:
        assert found is None
    elif text is None:
        assert found is not None
    else:
        assert str(found).startswith(text)


def test_code_without_a_file_has_a_digest_by_its_code() -> None:
    """Arrangements are run; only applications are read."""
    space: dict[str, Any] = {}
    exec("first = lambda x: x\nsecond = lambda x: (x,)", space)
    assert digest(space["first"]) != digest(space["second"])


def test_lambdas_of_one_line() -> None:
    pair: list[Callable[[Any], Any]] = [lambda x: x.tile((1,)), lambda x: x.tile((2,))]
    assert digest(pair[0]) != digest(pair[1])


def test_options_matter() -> None:
    assert digest() != digest(arrangement, (), "name")
    assert digest(arrangement, (), (1, 2)) != digest(arrangement, (), (1, 2, 3))


def test_globals_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    first = digest()
    monkeypatch.setattr(sys.modules[__name__], "BLOCK", 128)
    second = digest()
    monkeypatch.setattr(sys.modules[__name__], "helper", with_value(1))
    assert len({first, second, digest()}) == 3


def of_table(x: Tensor) -> Any:
    return x.tile((TABLE["block"],))


def test_containers_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    first = digest(of_table)
    monkeypatch.setitem(TABLE, "others", [1, 3])
    assert digest(of_table) != first


def test_attributes_and_defaults_of_functions_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    def function(x: Tensor, size: int = 1, *, other: int = 1) -> Any:
        return x.tile((size * other,))

    found = [digest(function)]
    function.__defaults__ = (2,)
    found.append(digest(function))
    function.__kwdefaults__ = {"other": 2}
    found.append(digest(function))
    vars(function)["note"] = 1
    found.append(digest(function))
    assert len({*found}) == 4


def test_functions_that_call_one_another() -> None:
    def even(n: int) -> bool:
        return n == 0 or odd(n - 1)

    def odd(n: int) -> bool:
        return n != 0 and even(n - 1)

    assert digest(even) == digest(even)


def test_functions_behind_those_of_the_library() -> None:
    def sized(size: int) -> Any:
        @contextlib.contextmanager
        def context() -> Generator[int]:
            yield size

        return with_value(context)

    first, second = [digest(sized(size)) for size in (1, 2)]
    assert first != second


class Extended(functools.partial[Any]):
    """It does something else than what it extends."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return BLOCK


def test_classes_that_extend_those_of_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    value = with_value(Extended(len))
    first = digest(value)
    monkeypatch.setattr(sys.modules[__name__], "BLOCK", 128)
    assert digest(value) != first


def test_attributes_of_members_and_partials_matter() -> None:
    for value in (Mode.FAST, functools.partial(helper, 1)):
        first = digest(with_value(value))
        vars(value)["size"] = 1
        second = digest(with_value(value))
        del vars(value)["size"]
        assert first != second


def test_lists_that_hold_themselves() -> None:
    items: list[Any] = [1]
    items.append(items)
    assert reason(with_value(items)) is None


MODULE = """
import other as mm
from other import scaled


class Names:
    BLOCK = 64

    @staticmethod
    def twice(x):
        return x * 2


def decorator(function):
    def wrapper(*args):
        return function(*args)

    return wrapper


def arrangement(x, y):
    return x.tile((mm.BLOCK,)), y.tile((Names.BLOCK,))


@decorator
def decorated(x):
    return x + 1


def application(x, y):
    y = mm.scaled(x) + scaled(x) + Names.twice(x) + decorated(x)
"""
OTHER = """
BLOCK = 64
FACTOR = 3
UNUSED = 1


def scaled(x):
    # Why.
    return x * FACTOR


def unused(x):
    return x
"""


class Modules:
    """Two modules of a user's, written anew."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, module: str = MODULE, other: str = OTHER) -> str:
        """The digest of the kernel that they define."""
        space: dict[str, Any] = {}
        for name, text in (("other", other), ("module", module)):
            path = self.folder / f"{name}.py"
            path.write_text(text, encoding="utf-8")
            spec = importlib.util.spec_from_file_location(name, path)
            assert spec is not None
            found = importlib.util.module_from_spec(spec)
            sys.modules[name] = found
            # Not by its loader, which would look at seconds.
            exec(compile(text, str(path), "exec"), vars(found))
            space = vars(found)
        found = examine(space["arrangement"], space["application"], (), ())
        assert found.reason is None
        assert found.digest is not None
        return found.digest


@pytest.fixture
def modules(tmp_path: Path) -> Iterator[Modules]:
    yield Modules(tmp_path)
    for name in ("module", "other"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [
        ("FACTOR = 3", "FACTOR = 4", True),
        ("x * FACTOR", "FACTOR * x", True),
        ("x * FACTOR", "x *  FACTOR", True),
        ("# Why.", "# How.", True),
        ("BLOCK = 64\n", "BLOCK = 32\n", True),
        ("\nBLOCK", "\n\nBLOCK", True),
        ("UNUSED = 1", "UNUSED = 2", False),
        ("    return x\n", "    return x + 1\n", False),
    ],
)
def test_texts_of_other_modules(modules: Modules, before: str, after: str, changes: bool) -> None:
    first = modules()
    assert modules() == first
    assert before in OTHER
    assert (modules(other=OTHER.replace(before, after)) != first) == changes


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("BLOCK = 64", "BLOCK = 32"),
        ("x * 2", "x * 3"),
        ("function(*args)", "function(*args, )"),
        ("x + 1", "x + 2"),
        ("class Names:", "\nclass Names:"),
    ],
)
def test_texts_of_the_module(modules: Modules, before: str, after: str) -> None:
    first = modules()
    assert before in MODULE
    assert modules(MODULE.replace(before, after)) != first


def test_a_moved_file(tmp_path: Path) -> None:
    found: list[str] = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        found.append(Modules(tmp_path / name)())
    for name in ("module", "other"):
        sys.modules.pop(name, None)
    assert found[0] != found[1]


def test_other_processes_have_the_same() -> None:
    program = (
        "from ninetoothed import Tensor\n"
        "import sys\n"
        "for _ in range(int(sys.argv[1])): Tensor(3)\n"
        "from examples import add, matmul\n"
        "from tests.unit.test_digest import VALUES, digest, with_value\n"
        "from ninetoothed.digest import examine\n"
        "print([digest(with_value(value)) for value in VALUES])\n"
        "print([examine(m.arrangement, m.application, (), ()).digest for m in (add, matmul)])\n"
    )
    found: set[str] = set()
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", program, seed]
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
        assert not done.returncode, done.stderr
        found.add(done.stdout)
    assert len(found) == 1
    assert "None" not in found.pop()


def test_triton_functions(modules: Modules) -> None:
    pytest.importorskip("triton")
    module = MODULE.replace("import other as mm", "import triton\nimport other as mm").replace(
        "@decorator\n", "@triton.jit\n"
    )
    first = modules(module)
    assert modules(module) == first
    assert modules(module.replace("x + 1", "x + 2")) != first


def key_of(kernel: Kernel) -> str | None:
    return kernel._compilation.digest  # pyright: ignore[reportPrivateUsage]


def test_every_example_has_a_digest() -> None:
    """What kernels are usually made of can be hashed."""
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
    size = block_size()

    def kernel(x: Any, y: Any) -> None:
        y = x + 1  # pyright: ignore[reportUnusedVariable]

    kernel.__annotations__ = dict.fromkeys("xy", Tensor(1).tile((size,)))
    assert key_of(ninetoothed.jit(kernel)) is not None


class Failing:
    """It has no attributes, and says so in its own way."""

    def __getattribute__(self, name: str) -> Any:
        raise ValueError(name)


def test_objects_that_fail_when_they_are_looked_at() -> None:
    assert reason(with_value(Failing())) is not None
