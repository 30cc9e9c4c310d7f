"""Calls of a known class are bound without being looked at closely, and the others are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest
import torch

import ninetoothed
from examples.add import add_kernel
from ninetoothed import Symbol, Tensor
from ninetoothed.artifacts.interface import Bounds, Interface, Parameter
from ninetoothed.artifacts.signature import NARROW, Signature
from ninetoothed.calls import arguments, binder, tensor_guards
from ninetoothed.calls.arguments import Arguments
from ninetoothed.calls.binder import Binder
from ninetoothed.errors import ArgumentError
from ninetoothed.kernel.kernel import Kernel

Call = tuple[torch.Tensor, ...]


class Bound:
    """A kernel's calls, and how many of them were bound the full way."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, interface: Interface) -> None:
        self.full = 0
        self.interface = interface
        self.binder = Binder(interface, self.finish)

        def bind(
            interface: Interface, args: Sequence[Any], keywords: Mapping[str, Any]
        ) -> Arguments:
            self.full += 1
            return arguments.bind(interface, args, keywords)

        monkeypatch.setattr(binder, "bind", bind)

    def finish(self, signature: Signature) -> Signature:
        return signature

    def __call__(self, *args: Any, **keywords: Any) -> bool:
        """True if the call was bound by its class; it is bound right."""
        before = self.full
        found = self.binder(args, keywords)
        wanted = arguments.bind(self.interface, args, keywords)
        assert found.signature == wanted.signature
        assert found.place == wanted.place
        assert list(map(id, found.values)) == list(map(id, wanted.values))
        return self.full == before


def vectors(*sizes: int) -> Call:
    return tuple(torch.empty(size) for size in sizes)


def interface(*rows: tuple[str, str, int], **others: Any) -> Interface:
    parameters = tuple(
        Parameter(name, kind, ndim, None, None, None, place)
        for place, (name, kind, ndim) in enumerate(rows)
    )
    fields: dict[str, Any] = {"constexprs": (), "constexpr_sizes": (), "dynamic": (), "sizes": ()}
    return Interface("k", parameters, (), **{**fields, **others})


ADD = interface(("x", "tensor", 1), ("y", "tensor", 1), ("out", "tensor", 1))


@pytest.fixture
def add(monkeypatch: pytest.MonkeyPatch) -> Bound:
    """A kernel that knows the class of three vectors of fp32."""
    bound = Bound(monkeypatch, ADD)
    assert not bound(*vectors(16, 16, 16))
    assert not bound(*vectors(16, 16, 16))
    return bound


def test_new_shapes_of_a_class(add: Bound) -> None:
    assert add(*vectors(32, 32, 32))
    assert add(*vectors(1600, 32, 48))
    x, y, out = vectors(64, 64, 64)
    assert add(x, out=out, y=torch.nn.Parameter(y, requires_grad=False))


def test_calls_of_a_class_have_one_signature(add: Bound) -> None:
    """The same object, so that no lookup compares two."""
    first = add.binder(vectors(16, 16, 16), {}).signature
    assert add.binder(vectors(3200, 32, 48), {}).signature is first
    other = Binder(ADD, lambda signature: signature)
    found = [other(vectors(16, 16, 16), {}).signature for _ in range(3)]
    assert found[0] is found[1] is found[2]


CHANGES: list[Callable[[torch.Tensor], torch.Tensor]] = [
    lambda x: x[:100],
    lambda x: x[::2],
    lambda x: x[::16],
    lambda x: torch.empty(129)[1:],
    lambda x: x.to(torch.float16),
    lambda x: torch.empty(1).expand(128),
    lambda x: torch.empty(1).expand(1 << 31),
    lambda x: torch.empty(1)[:, None].expand(1, 128)[0],
    torch.nn.Parameter,
]


@pytest.mark.parametrize("change", CHANGES)
def test_another_class(add: Bound, change: Callable[[torch.Tensor], torch.Tensor]) -> None:
    x, y, out = vectors(128, 128, 128)
    assert add(x, y, out)
    assert not add(change(x), y, out)
    assert add(change(x), y, out)
    assert add(x, y, out)


def test_what_calls_of_a_class_may_be_warned_of(add: Bound) -> None:
    x, y, out = vectors(128, 128, 128)
    needs = torch.nn.Parameter(x)
    unusual = [(needs, y, out), (x, x[:64], out), (x, y, x)]
    for call in (*unusual, *unusual):
        assert add.binder(call, {}).may_warn
    for call in (x, y, out), (x, y, y[:0]):
        assert not add.binder(call, {}).may_warn
    assert add.binder((x,), {"y": needs, "out": out}).may_warn
    # The mode may change.
    with torch.no_grad():
        assert not add.binder((x, y, out), {}).may_warn
        assert add.binder((needs, y, out), {}).may_warn
        assert add.binder((needs, x, out), {}).may_warn
    assert add.binder((needs, y, out), {}).may_warn


@pytest.mark.parametrize("is_guarded", [True, False])
def test_of_a_new_shape_only_sizes_are_looked_at(
    monkeypatch: pytest.MonkeyPatch, is_guarded: bool
) -> None:
    """Element types and the like are compared by one guard, if torch has guards."""

    def no_guard(tensors: Sequence[Any], of_any_size: bool = False) -> tensor_guards.Guard:
        return tensor_guards.never

    if not is_guarded:
        monkeypatch.setattr(tensor_guards, "guard", no_guard)
    elif tensor_guards.guard(vectors(1), of_any_size=True) is tensor_guards.never:
        pytest.skip("torch has no guards that are known")
    looks: list[int] = []
    look = binder.Traits.__call__

    def looked(self: binder.Traits, *tensors: Any) -> tuple[Any, ...]:
        looks.append(len(tensors))
        return look(self, *tensors)

    monkeypatch.setattr(binder.Traits, "__call__", looked)
    add = Bound(monkeypatch, ADD)
    for size in (16, 32, 64, 128):
        add(*vectors(size, size, size))
    # The first call is bound without a class.
    assert len(looks) == (1 if is_guarded else 3)
    x, y, out = vectors(32, 32, 32)
    for call in (x, y, out), (x.half(), y, out), (x, y, out), (x, y, x), (x, y, out):
        before = len(looks)
        add(*call)
        assert add(*call)
        assert len(looks) - before <= (1 if is_guarded else 2)


class Own(torch.Tensor):
    """A tensor that may tell anything of itself."""


UNKNOWN: list[Callable[[torch.Tensor], Any]] = [
    lambda x: x[:0],
    lambda x: x.to("meta"),
    lambda x: x.as_subclass(Own),
]


@pytest.mark.parametrize("change", UNKNOWN)
def test_what_has_no_class(add: Bound, change: Callable[[torch.Tensor], Any]) -> None:
    x, y, out = vectors(128, 128, 128)
    for _ in range(2):
        assert not add(change(x), y, out)


def zeros_without_memory(x: torch.Tensor) -> torch.Tensor:
    """A zero tensor without memory, as torch's forward derivatives of constants are."""
    operators: Any = torch
    return operators._efficientzerotensor(x.shape)


def freed(x: torch.Tensor) -> torch.Tensor:
    """A tensor whose memory was given back."""
    found = x.clone()
    found.untyped_storage().resize_(0)
    return found


WRONG: list[Callable[[torch.Tensor], Any]] = [
    lambda x: x.view(2, 64),
    lambda x: x.to(torch.complex64),
    lambda x: torch.zeros(128, dtype=torch.cfloat).conj().imag,
    lambda x: x.to_sparse(),
    lambda x: torch.nested.as_nested_tensor([x, x[:3]], layout=torch.jagged),
    lambda x: torch.nested.as_nested_tensor([x, x[:3]]),
    lambda x: freed(x),
    lambda x: zeros_without_memory(x),
    lambda x: None,
    lambda x: 3,
]


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
@pytest.mark.parametrize("change", WRONG)
def test_wrong_calls_of_a_known_kernel(add: Bound, change: Callable[[torch.Tensor], Any]) -> None:
    x, y, out = vectors(128, 128, 128)
    given = change(x)
    with pytest.raises(ArgumentError) as wanted:
        arguments.bind(ADD, (given, y, out), {})
    for _ in range(2):
        with pytest.raises(ArgumentError) as found:
            add.binder((given, y, out), {})
        assert str(found.value) == str(wanted.value)


def test_tensors_that_stand_for_others(add: Bound) -> None:
    x, y, out = vectors(128, 128, 128)

    def function(x: torch.Tensor) -> torch.Tensor:
        with pytest.raises(ArgumentError, match="x has no memory of its own"):
            add.binder((x, y, out), {})
        return x.sum()

    torch.vmap(function)(x.expand(3, 128))
    torch.func.grad(function)(x)
    torch.func.functionalize(function)(x)


def test_memory_that_is_shared(add: Bound) -> None:
    x, y, out = vectors(128, 128, 128)
    ways = [(x, y, x), (x, y, y), (x, x, out), (x, x, x)]
    for way in ways:
        assert not add(*way)
    for way in ways:
        assert add(*way)
    assert add(x[:64], y, x[32:96])
    u, v = vectors(64, 64)
    assert add(u, v, u)
    # Adjacent tensors do not overlap.
    assert add(x[:32], x[32:64], x[64:])


def test_how_far_a_tensor_reaches(monkeypatch: pytest.MonkeyPatch) -> None:
    bound = Bound(monkeypatch, interface(("x", "tensor", 2)))
    # Nothing of it is touched.
    memory = torch.empty(NARROW + 32, dtype=torch.uint8)
    # From the first element to the last one, and how many there are.
    reaches = [memory.as_strided((2, 2), (NARROW - less, 1)) for less in (32, 16, 0)]
    counts = [memory[:1].expand(16, NARROW // 16 - less) for less in (32, 16, 0)]
    for tensors in (reaches, counts):
        bits = [arguments.bind(bound.interface, (x,), {}).signature.index_bits for x in tensors]
        assert bits == [32, 32, 64]
        for x in (*tensors, *tensors):
            bound(x)
        assert all(map(bound, tensors))
    # A stride that leads nowhere is an argument, too.
    for stride, wanted in ((NARROW - 1, 32), (NARROW, 64), (1 << 40, 64)):
        x = memory.as_strided((1, 16), (stride, 1))
        assert arguments.bind(bound.interface, (x,), {}).signature.index_bits == wanted
        assert not bound(x) or stride == 1 << 40
        assert bound(x)
    # So are the sizes of a tensor without elements.
    for size, wanted in ((NARROW - 1, 32), (NARROW, 64)):
        for x in (memory.as_strided((size, 0), (0, 1)), memory.as_strided((0, size), (1, 0))):
            assert arguments.bind(bound.interface, (x,), {}).signature.index_bits == wanted


def test_constants_and_block_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = (("n", 0, 0), ("m", 0, 1))
    dynamic = interface(("x", "tensor", 2), sizes=sizes, dynamic=(("m", "m"),))
    bound = Bound(monkeypatch, dynamic)
    x = torch.empty(64, 512)
    assert not bound(x)
    assert not bound(x)
    # Block sizes are powers of two.
    assert bound(x[:16, :272])
    assert not bound(x[:, :256])
    assert bound(x[:, :240])
    constant = interface(
        ("x", "tensor", 2),
        sizes=sizes,
        constexpr_sizes=("n",),
        constexprs=(("B", "B", Bounds(1, 64)),),
    )
    bound = Bound(monkeypatch, constant)
    assert not bound(x, B=1)
    assert not bound(x, B=1)
    assert bound(x, B=1)
    assert not bound(x[:32], B=1)
    assert not bound(x, B=2)
    # Values outside the bounds are of classes of their own.
    assert not bound(x, B=65)
    assert bound(x, B=65)
    for wrong in ({}, {"B": True}, {"B": 65.0}, {"B": 1, "C": 1}):
        with pytest.raises(ArgumentError):
            bound(x, **wrong)


def test_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    known = interface(("x", "tensor", 1), ("a", "scalar", 0), ("e", "constexpr", 0))
    bound = Bound(monkeypatch, known)
    x = torch.empty(16)
    assert not bound(x, 1, 0.5)
    assert not bound(x, 1, 0.5)
    assert bound(x, 2, 0.5)
    for a, e in ((0.5, 0.5), (True, 0.5), (1 << 40, 0.5), (1, 0.0), (1, -0.0), (1, 1), (1, True)):
        assert not bound(x, a, e)
        assert bound(x, a, e)
    # What is converted is looked at each time.
    for _ in range(2):
        assert not bound(x, torch.tensor(1), 0.5)
    assert bound.binder((x, 1, np.float64(0.5)), {}) == bound.binder((x, 1, 0.5), {})


def test_classes_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(binder, "_MOST", 8)
    bound = Bound(monkeypatch, interface(("x", "tensor", 1), ("e", "constexpr", 0)))
    x = torch.empty(16)
    for e in range(100):
        bound(x, e)
    assert bound(x, 99)
    assert not bound(x, 2)


def test_kernels_bind_by_class(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also those that write in place."""
    for _ in range(2):
        x, y = torch.randn(16), torch.randn(16)
        add_kernel(x, y, x)
        add_kernel(x, y, torch.empty(16))

    def bind(*arguments: object) -> None:
        raise AssertionError("bound the full way")

    monkeypatch.setattr(binder, "bind", bind)
    x, y, out = torch.randn(48), torch.randn(48), torch.empty(48)
    expected = x + y
    add_kernel(x, y, out)
    assert torch.equal(out, expected)
    add_kernel(x, y, x)
    assert torch.equal(x, expected)


def divided(x: Any, out: Any, by: Any) -> None:
    out = x / by  # pyright: ignore[reportUnusedVariable]


def quotient() -> Kernel:
    def arrangement(x: Tensor, out: Tensor, by: Tensor) -> tuple[Tensor, ...]:
        size = Symbol("SIZE", constexpr=True)
        return x.tile((size,)), out.tile((size,)), by

    return ninetoothed.make(arrangement, divided, (Tensor(1), Tensor(1), Tensor(0, constexpr=True)))


def test_zeros_of_either_sign_are_two_constants() -> None:
    kernel = quotient()
    x, out = torch.ones(16), torch.empty(16)
    for by, wanted in ((0.0, torch.inf), (-0.0, -torch.inf), (0.0, torch.inf)):
        kernel(x, out, by, SIZE=16)
        assert out[0] == wanted


def window(x: Any, out: Any) -> None:
    out = x  # pyright: ignore[reportUnusedVariable]


@pytest.mark.parametrize("constexpr", [False, True])
def test_windows_of_which_none_fits_are_another_class(
    monkeypatch: pytest.MonkeyPatch, constexpr: bool
) -> None:
    size = Symbol("SIZE", constexpr=True) if constexpr else 5

    def arrangement(x: Tensor, out: Tensor) -> tuple[Tensor, ...]:
        return x.tile((size,), strides=(1,)).squeeze(0), out.tile((size,)).squeeze(0)

    kernel = ninetoothed.make(arrangement, window, (Tensor(1), Tensor(1)))
    bound = Bound(monkeypatch, kernel.interface)
    keywords = {"SIZE": 5} if constexpr else {}
    # The first two are bound the full way.
    for count in (5, 5, 3, 5, 3):
        bound(torch.empty(count), torch.empty(5), **keywords)
    for count, empty in ((5, False), (3, True)):
        x, out = torch.empty(count), torch.empty(5)
        assert bound(x, out, **keywords)
        signature = bound.binder((x, out), keywords).signature
        assert [param.empty for param in signature.params] == [empty, False]


def test_rows_that_fit_a_block_add_nothing_to_the_key() -> None:
    def arrangement(x: Tensor, out: Tensor) -> tuple[Tensor, ...]:
        block = Symbol("BLOCK", constexpr=True)
        return x.tile((block,)).squeeze(0), out.tile((block,)).squeeze(0)

    kernel = ninetoothed.make(arrangement, window, (Tensor(1), Tensor(1)))
    assert [one.needs_zero for one in kernel.interface.empties] == [True, True]
