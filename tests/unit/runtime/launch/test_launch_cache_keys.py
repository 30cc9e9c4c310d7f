"""Random calls: what is launched or bound like an earlier call is what it would be by itself."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from ninetoothed.artifacts.artifact import Argument, Artifact, Binary
from ninetoothed.artifacts.configuration import Config
from ninetoothed.artifacts.interface import Bounds, Interface, Parameter
from ninetoothed.artifacts.signature import Signature
from ninetoothed.artifacts.target import Target
from ninetoothed.calls.aliasing import narrowed
from ninetoothed.calls.arguments import Arguments, bind
from ninetoothed.calls.binder import Binder
from ninetoothed.calls.numbers import number_class
from ninetoothed.errors import ArgumentError
from ninetoothed.runtime.launch import device, driver
from ninetoothed.runtime.launch.driver import Loaded
from ninetoothed.runtime.launch.launch_cache import (
    _MOST_WAYS,  # pyright: ignore[reportPrivateUsage]
)
from ninetoothed.runtime.launch.loaded import Host, LoadedKernel
from tests.support import driver_stub, profiles
from tests.support.driver_stub import Launch, Stub
from tests.support.launching import AtOnce

pytestmark = pytest.mark.skipif(not driver_stub.available(), reason="there is no C compiler")

Call = tuple[tuple[Any, ...], dict[str, Any]]

NAMES = ("x", "y", "y_2", "a", "b", "e", "out")
INTERFACE = Interface(
    "k",
    (
        Parameter("x", "tensor", 2, None, None, None, 0),
        Parameter("y", "tensor", 1, None, None, None, 1),
        Parameter("y_2", "tensor", 1, None, None, None, 1),
        Parameter("a", "scalar", 0, None, None, None, 3),
        Parameter("b", "scalar", 0, "u8", None, None, 4),
        Parameter("e", "constexpr", 0, None, 0.5, None, 5),
        Parameter("out", "tensor", 1, None, None, None, 6),
    ),
    (),
    (("B", "B", Bounds(1, 64)),),
    ("n",),
    (("n + 1", "n + 1"),),
    (("n", 1, 0),),
)
SOURCE = f"""
def launch({", ".join(NAMES)}):
    m, n = x.shape
    s, t = x.stride()
    pointers = x.data_ptr(), y.data_ptr(), y_2.data_ptr(), out.data_ptr()
    numbers = (b + 128) % 256 - 128, m, n, s, t, y.shape[0], out.stride(0)
    return None, m + 1, (*pointers, *numbers)
"""
TYPES = ("*fp32", "*fp32", "*fp32", "*fp32", "u8", *("i32",) * 6)
TARGET = Target.parse("sm_90")
ARTIFACT = Artifact(
    "k",
    "ttir",
    "",
    NAMES,
    tuple(Argument(f"arg{place}", type) for place, type in enumerate(TYPES)),
    SOURCE,
    NAMES,
    ("out",),
    TARGET,
    Config(()),
)

MEMORY = torch.zeros(128)
SIZES = (2, 16, 1, 0)
STRIDES = (1, 2, 16, 0)
DTYPES = (torch.float32, torch.float16)
KINDS = ("plain", "parameter", "gradient", "negative")
NUMBERS = (0.5, 1.5, 0.0, -0.0, 1, 2, 2**31, 2**40, True, False, 1e300)


def tensor(start: int, dtype: int, kind: int, *dims: int) -> torch.Tensor:
    """A tensor of ``MEMORY``; its dims' sizes, then their strides."""
    count = len(dims) // 2
    sizes = [SIZES[dim] for dim in dims[:count]]
    strides = [STRIDES[dim] for dim in dims[count:]]
    if start + sum(15 * stride for stride in strides) >= MEMORY.numel():
        strides = [1] * count
    place = MEMORY.view(DTYPES[dtype]).as_strided(sizes, strides, start)
    match KINDS[kind]:
        case "parameter":
            return torch.nn.Parameter(place, requires_grad=False)
        case "gradient":
            return place.detach().requires_grad_()
        case "negative":
            operators: Any = torch
            return operators._neg_view(place)
        case _:
            return place


TENSORS = {
    "x": ((0, 4, 3, 32), DTYPES, KINDS, SIZES, SIZES, STRIDES, STRIDES),
    "y": ((32, 0, 2, 64, 36), DTYPES, KINDS, SIZES, STRIDES),
    "out": ((64, 32, 0, 1, 66), DTYPES, KINDS, SIZES, STRIDES),
}
BY_KEYWORD = range(4)
FIELDS: tuple[tuple[str, Sequence[Any]], ...] = (
    *((name, choices) for name, all_choices in TENSORS.items() for choices in all_choices),
    ("a", NUMBERS),
    ("b", (3, 200, True)),
    ("e", NUMBERS),
    ("B", (1, 2, True)),
    ("way", BY_KEYWORD),
)
"""Choices for each part of a call, the plainest first."""

Spec = tuple[int, ...]


def call_of(spec: Spec) -> Call:
    """The call of which each field's choice is given."""
    chosen: dict[str, list[int]] = {}
    for (name, _), choice in zip(FIELDS, spec, strict=True):
        chosen.setdefault(name, []).append(choice)
    starts = {name: TENSORS[name][0][chosen[name][0]] for name in TENSORS}
    x, y, out = (tensor(starts[name], *chosen[name][1:]) for name in TENSORS)
    a, b, e = NUMBERS[chosen["a"][0]], (3, 200, True)[chosen["b"][0]], NUMBERS[chosen["e"][0]]
    keywords: dict[str, Any] = {"B": (1, 2, True)[chosen["B"][0]]}
    match chosen["way"][0]:
        case 0:
            return (x, y, a, b, e, out), keywords
        case 1:
            return (x, y, y, a, b, e, out), keywords
        case 2:
            return (x, y, y), {**keywords, "a": a, "e": e, "out": out, "b": b}
        case _:
            other = {"out": out, "e": e, "b": b, "a": a, "y": y, "x": x}
            return (), {**other, **keywords}


@st.composite
def calls(draw: st.DrawFn) -> list[Call]:
    """Calls that differ from one another in a few fields, if in any."""
    first = tuple(draw(st.sampled_from([0, 0, 0, *range(len(choices))])) for _, choices in FIELDS)
    made = [first]
    # Of one key, no more ways to share memory are kept.
    for _ in range(draw(st.integers(1, _MOST_WAYS - 1))):
        spec = list(draw(st.sampled_from(made)))
        for _ in range(draw(st.integers(0, 2))):
            field = draw(st.integers(0, len(FIELDS) - 1))
            spec[field] = draw(st.integers(0, len(FIELDS[field][1]) - 1))
        made.append(tuple(spec))
    return [call_of(spec) for spec in made]


class Kernel:
    """A kernel whose launches a stub records."""

    def __init__(self, stub: Stub, kernel: LoadedKernel) -> None:
        self.stub = stub
        self.kernel = kernel
        self.repeated = AtOnce(INTERFACE, number_class)

    def bound(self, call: Call) -> tuple[Signature, tuple[Any, ...]] | None:
        """The signature and the values of a call; None where it is wrong."""
        try:
            found = bind(INTERFACE, *call)
        except ArgumentError:
            return None
        return narrowed(found.signature, ("out",)), found.values

    def full(self, call: Call) -> bool:
        """Launches a call the full way, and keeps it."""
        bound = self.bound(call)
        if bound is None:
            return False
        launched = self.kernel.launch(bound[1])
        assert launched is not None
        self.repeated.keep(*call, bound[1], launched)
        return True

    def recorded(self, launch: Callable[[], object]) -> list[Launch]:
        """Arguments that the driver is given."""
        self.stub.set(launched=0)
        launch()
        return self.stub.launches()


@functools.cache
def loaded() -> tuple[Stub, LoadedKernel]:
    """The kernel as all examples launch it."""
    stub = Stub()
    stub.set(arguments_count=len(TYPES))
    function: Any = driver.Handle(driver_stub.FUNCTION)
    binary = Binary(b"", "k", 0, 128)
    return stub, LoadedKernel(Host(ARTIFACT), Loaded(stub.driver, binary, 0, None, function))


@pytest.fixture
def torch_without_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    def zero(*index: int) -> int:
        return 0

    monkeypatch.setattr(device, "raw", lambda: (zero, zero))
    monkeypatch.setattr(device, "stream", zero)


@pytest.mark.usefixtures("torch_without_gpu")
@settings(max_examples=profiles.cases(400, 10_000))
@given(calls())
def test_what_is_launched_alike_is_alike(made: list[Call]) -> None:
    kernel = Kernel(*loaded())
    for earlier in made:
        kernel.repeated = AtOnce(INTERFACE, number_class)
        if not kernel.full(earlier):
            continue
        bound = kernel.bound(earlier)
        assert bound is not None
        signature = bound[0]
        # Twice, so that torch's guards take part.
        for call in (*made, earlier, *made):
            found = kernel.recorded(lambda call=call: kernel.repeated.launch(*call))
            if not found:
                continue
            bound = kernel.bound(call)
            assert bound is not None, "a call that is wrong was launched"
            assert bound[0] == signature
            values = bound[1]
            assert found == kernel.recorded(lambda values=values: kernel.kernel.launch(values))


@pytest.mark.usefixtures("torch_without_gpu")
@settings(max_examples=profiles.cases(100, 5_000))
@given(calls())
def test_calls_side_by_side(made: list[Call]) -> None:
    kernel = Kernel(*loaded())
    right = [call for call in made if kernel.full(call)]
    for call in (*made, *made):
        found = kernel.recorded(lambda call=call: kernel.repeated.launch(*call))
        if found:
            bound = kernel.bound(call)
            assert bound is not None
            values = bound[1]
            assert found == kernel.recorded(lambda values=values: kernel.kernel.launch(values))
        else:
            # What is right is found again, but for numbers that only the full way packs.
            assert not any(call is one for one in right)


@settings(max_examples=profiles.cases(400, 10_000))
@given(calls())
def test_what_is_bound_by_its_class_is_bound_right(made: list[Call]) -> None:
    def finish(signature: Signature) -> Signature:
        return narrowed(signature, ("out",))

    binder = Binder(INTERFACE, finish)
    for call in (*made, *made, *made):
        wanted = outcome(lambda call=call: bind(INTERFACE, *call))
        found = outcome(lambda call=call: binder(*call))
        if isinstance(wanted, str) or isinstance(found, str):
            assert found == wanted
            continue
        assert found.signature == finish(wanted.signature)
        assert found.place == wanted.place
        assert list(map(id, found.values)) == list(map(id, wanted.values))


def outcome(bound: Callable[[], Arguments]) -> Arguments | str:
    """The bound arguments, or the error."""
    try:
        return bound()
    except ArgumentError as error:
        return str(error)
