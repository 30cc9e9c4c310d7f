"""What changes the definition of a kernel, and its key with it: all of an arrangement that matters,
and nothing that processes have in different ways.
"""

from __future__ import annotations

import importlib.util
import itertools
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ninetoothed import Symbol, Tensor, block_size, symbol, tensor
from ninetoothed.definition.define import define


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Places of tensors and operations do not matter, which else tell all of them apart."""
    for module in ("tensor", "layout.chain", "symbol"):
        monkeypatch.setattr(f"ninetoothed.{module}.caller_loc", lambda: None)


def one(x: Any) -> None:
    pass


def two(x: Any, y: Any) -> None:
    pass


def encoded(*arranged: Tensor) -> str:
    return define("kernel", arranged, two if len(arranged) == 2 else one).encoded()


@pytest.mark.usefixtures("nowhere")
def test_the_counters_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    def arranged() -> str:
        x, y, one, two = Tensor(2), Tensor(2), block_size(), block_size()
        return encoded(x.tile((one, two)), y.tile((y.shape[0] * x.shape[1] + x.shape[0], one)))

    found: set[str] = set()
    for start in (0, 8, 9, 97, 99):
        # Some names sort before others as texts that come behind them as numbers.
        monkeypatch.setattr(tensor, "_counter", itertools.count(start))
        monkeypatch.setattr(symbol, "_counter", itertools.count(start))
        found.add(arranged())
    assert len(found) == 1


@pytest.mark.usefixtures("nowhere")
def test_which_tensors_and_symbols_are_the_same_matters() -> None:
    x, y, size, other = Tensor(1), Tensor(1), block_size(), block_size()
    pairs = [
        (x, x),
        (x, y),
        (x.tile((size,)), x.tile((size,))),
        (x.tile((size,)), y.tile((size,))),
        (x.tile((size,)), y.tile((other,))),
        (x.tile((size,)), y.tile((x.shape[0],))),
        (x.tile((size,)), y.tile((y.shape[0],))),
        (x.tile((Symbol("n"),)), y.tile((size,))),
    ]
    assert len({encoded(*pair) for pair in pairs}) == len(pairs)
    assert encoded(x.tile((size,)), y) == encoded(y.tile((other,)), x)


TENSORS: list[Callable[[], Tensor]] = [
    lambda: Tensor(1),
    lambda: Tensor(2),
    lambda: Tensor(1, dtype="fp16"),
    lambda: Tensor(1, other=0),
    lambda: Tensor(1, other=0.0),
    lambda: Tensor(1, other=-0.0),
    lambda: Tensor(1, other=float("-inf")),
    lambda: Tensor(1, allow_races=True),
    lambda: Tensor(1, shape_options={"constexpr": True}),
    lambda: Tensor(1, shape_options={"constexpr": True, "upper_bound": 8}),
    lambda: Tensor(shape=(8,)),
    lambda: Tensor(2, jagged_dim=1),
    lambda: Tensor(0),
    lambda: Tensor(0, constexpr=True),
    lambda: Tensor(0, value=True),
    lambda: Tensor(0, value=1),
    lambda: Tensor(1).tile((4,)),
    lambda: Tensor(1).tile((4,), strides=(2,)),
    lambda: Tensor(1).tile((block_size(),)),
    lambda: Tensor(1).tile((block_size(64),)),
    lambda: Tensor(1).tile((Symbol("n", constexpr=True),)),
    lambda: Tensor(1).tile((Symbol("m", constexpr=True),)),
    lambda: Tensor(1).tile((Symbol("n", meta=True),)),
    lambda: Tensor(1).tile((Symbol("n", meta=True, power_of_two=False),)),
]


@pytest.mark.usefixtures("nowhere")
def test_all_of_a_tensor_matters() -> None:
    found = [encoded(make()) for make in TENSORS]
    assert len({*found}) == len(found)
    assert found == [encoded(make()) for make in TENSORS]


def test_places_matter() -> None:
    first = encoded(Tensor(1))
    assert encoded(Tensor(1)) != first


MODULE = """
import fingered_other as other
from fingered_other import scaled
from ninetoothed import Tensor, make

BLOCK = 64
FACTOR = 2
TABLE = {"block": 64}


class Names:
    BLOCK = 64
    FACTOR = 2

    @staticmethod
    def twice(x):
        return x * 2


def size_of(tensor, size=64, *, more=0):
    return size + more


def plus(x, one=1, *, more=0):
    return x + one + more


class Sized:
    def __init__(self, size):
        self.size = size


SIZED = Sized(64)


def arranging(block):
    def arrangement(x, y):
        size = min(BLOCK, TABLE["block"], Names.BLOCK, size_of(x), other.size(), SIZED.size, block)
        return x.tile((size,)), y.tile((size,))

    return arrangement


def applying(factor):
    def application(x, y):
        y = plus(x * factor * FACTOR * Names.FACTOR * other.FACTOR + scaled(x)) + Names.twice(x)

    return application


arrangement, application = arranging(64), applying(2)


def made():
    return make(arrangement, application, (Tensor(1), Tensor(1)), num_warps=4)
"""
OTHER = """
FACTOR = 2
BLOCK = 64


def size():
    return BLOCK


def scaled(x):
    return x * FACTOR


def unused(x):
    return x
"""


class Modules:
    """Two modules of a user's."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def key(self, change: str = "", module: str = MODULE, other: str = OTHER) -> str:
        """The key of the kernel that they make, when ``change`` has been run in the first one."""
        space: dict[str, Any] = {}
        for name, text in (("fingered_other", other), ("fingered", module)):
            path = self.folder / f"{name}.py"
            path.write_text(text, encoding="utf-8")
            spec = importlib.util.spec_from_file_location(name, path)
            assert spec is not None
            found = importlib.util.module_from_spec(spec)
            sys.modules[name] = found
            # Not by its loader, which would look at seconds.
            exec(compile(text, str(path), "exec"), vars(found))
            space = vars(found)
        exec(change, space)
        key = space["made"]()._compilation.digest
        assert key is not None
        return key


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Modules]:
    monkeypatch.setenv("NINETOOTHED_CACHE_DIR", str(tmp_path / "cache"))
    yield Modules(tmp_path)
    for name in ("fingered", "fingered_other"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize(
    "change",
    [
        # What the arrangement reads shows in what comes out of it.
        "BLOCK = 32",
        "TABLE['block'] = 32",
        "Names.BLOCK = 32",
        "size_of.__defaults__ = (32,)",
        "size_of.__kwdefaults__ = {'more': -32}",
        "size_of = lambda tensor: 32",
        "other.size = lambda: 32",
        "other.BLOCK = 32",
        "SIZED.size = 32",
        "SIZED = Sized(32)",
        "arrangement = arranging(32)",
        "arrangement.__closure__[0].cell_contents = 32",
        # What the application reads is followed.
        "FACTOR = 3",
        "FACTOR = 2.0",
        "Names.FACTOR = 3",
        "Names.twice = staticmethod(other.scaled)",
        "Names.added = 1",
        "other.FACTOR = 3",
        "scaled = plus",
        "other.scaled.__code__ = other.unused.__code__",
        "plus = scaled",
        "plus.__defaults__ = (2,)",
        "plus.__kwdefaults__ = {'more': 1}",
        "application = applying(3)",
        "application = applying(2.0)",
        "application.__closure__[0].cell_contents = 3",
    ],
)
def test_what_is_changed_before_make_is_noticed(modules: Modules, change: str) -> None:
    assert modules.key(change) != modules.key()


@pytest.mark.parametrize(
    "change",
    [
        "unused = 1",
        "other.unused = 1",
        "BLOCK = 128",
        "SIZED.other = 1",
        "for _ in range(20): Tensor(2)",
        "arrangement = arranging(512)",
    ],
)
def test_what_does_not_matter_is_not(modules: Modules, change: str) -> None:
    assert modules.key(change) == modules.key()


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [
        ("return BLOCK", "return BLOCK // 2", True),
        ("return BLOCK", "return  BLOCK", False),
        ("BLOCK = 64\n", "BLOCK = 32\n", True),
        ("return x * FACTOR", "return FACTOR * x", True),
        ("return x * FACTOR", "return x *  FACTOR", True),
        ("def scaled", "# How.\ndef scaled", True),
        ("return x\n", "return x + 1\n", False),
    ],
)
def test_edits_of_other_modules(modules: Modules, before: str, after: str, changes: bool) -> None:
    assert before in OTHER
    assert (modules.key(other=OTHER.replace(before, after)) != modules.key()) == changes


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x * 2", "x * 3"),
        ("size=64", "size=32"),
        ("Names.twice(x)\n", "Names.twice(x)  # Why.\n"),
        ("    def arrangement", "\n    def arrangement"),
        ("num_warps=4", "num_warps=8"),
        ("Tensor(1))", "Tensor(1, other=0))"),
    ],
)
def test_edits_of_the_module(modules: Modules, before: str, after: str) -> None:
    assert before in MODULE
    assert modules.key(module=MODULE.replace(before, after)) != modules.key()


def test_a_moved_file(tmp_path: Path, modules: Modules) -> None:
    (tmp_path / "moved").mkdir()
    assert Modules(tmp_path / "moved").key() != modules.key()


def test_functions_are_read_when_they_are_built(tmp_path: Path) -> None:
    """A warm start parses nothing."""
    path = tmp_path / "application.py"
    path.write_text("def application(x, y):\n    y = x\n", encoding="utf-8")
    space: dict[str, Any] = {}
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), space)
    application: types.FunctionType = space["application"]
    definition = define(None, [Tensor(1), Tensor(1)], application)
    assert definition.encoded()
    assert definition.interface.names == ("x", "y")
    assert "node" not in vars(definition.application)
    assert definition.application.node.name == "application"
