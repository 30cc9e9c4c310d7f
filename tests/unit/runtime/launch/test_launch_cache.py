"""A call like an earlier one is launched without being bound; one that is not quite is not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from ninetoothed.calls.numbers import number_class
from ninetoothed.errors import DeviceError
from ninetoothed.runtime.launch import launch_cache
from tests.support import driver_stub
from tests.support.launching import (
    ADD,
    PARAMETERS,
    TYPES,
    AtOnce,
    Call,
    Called,
    Gpu,
    artifact,
    bits,
    call,
    host,
    interface,
    kept,
    kernel,
    parameter,
)

pytestmark = pytest.mark.skipif(not driver_stub.available(), reason="there is no C compiler")


def test_the_same_call_again(gpu: Gpu) -> None:
    repeated = kept(gpu, call())
    for scale in (2.5, 3.5):
        x, y, scale, out = again = call(scale=scale)
        gpu.stub.set(launched=0)
        assert repeated.launch(again, {})
        wanted = (7, x.data_ptr(), y.data_ptr(), bits(scale), out.data_ptr(), 100)
        assert gpu.launched() == [wanted]


# Those that are private, too.
OPERATORS: Any = torch
CHANGES: list[Callable[[torch.Tensor, torch.Tensor, torch.Tensor], Call]] = [
    lambda x, y, out: (x[:99], y[:99], 0.5, out[:99]),
    lambda x, y, out: (x.to(torch.float16), y, 0.5, out),
    lambda x, y, out: (torch.empty(200)[::2], y, 0.5, out),
    lambda x, y, out: (torch.empty(101)[1:], y, 0.5, out),
    lambda x, y, out: (x.to("meta"), y, 0.5, out),
    lambda x, y, out: (x, y, 1, out),
    lambda x, y, out: (x, y, True, out),
    lambda x, y, out: (x, y, 1e300, out),
    # Some kernels gain by numbers above 0.
    lambda x, y, out: (x, y, -0.5, out),
    lambda x, y, out: (x, y, torch.tensor(0.5), out),
    lambda x, y, out: (x, y, 0.5),
    lambda x, y, out: (x, y, 0.5, out, out),
    lambda x, y, out: (x, None, 0.5, out),
    lambda x, y, out: (x, 3, 0.5, out),
    lambda x, y, out: (x, "y", 0.5, out),
    lambda x, y, out: (x.to_sparse(), y, 0.5, out),
    lambda x, y, out: (torch.nn.Parameter(x), y, 0.5, out),
    lambda x, y, out: (torch.zeros(100, dtype=torch.cfloat).conj().imag, y, 0.5, out),
    lambda x, y, out: (OPERATORS._efficientzerotensor(100), y, 0.5, out),
]


@pytest.mark.parametrize("change", CHANGES)
def test_a_call_that_is_another(
    gpu: Gpu, change: Callable[[torch.Tensor, torch.Tensor, torch.Tensor], Call]
) -> None:
    repeated = kept(gpu, call())
    for _ in range(2):
        x, y, _, out = call()
        assert not repeated.launch(change(x, y, out), {})
        assert gpu.stub.launched == 0
        # What torch's guards say of a call is asked of the second one on.
        assert repeated.launch(call(), {})
        gpu.stub.set(launched=0)


def test_calls_that_are_forgotten(gpu: Gpu) -> None:
    called = Called(gpu)
    assert [called(*call()) for _ in range(2)] == [False, True]
    called.repeated.clear()
    assert [called(*call()) for _ in range(3)] == [False, True, True]
    assert called.full == 2


def test_version_counters(gpu: Gpu) -> None:
    """Each launch raises those of the tensors that the kernel writes."""
    called = Called(gpu, description=artifact(writes="y out"))
    x, y, scale, out = call()
    for times in range(1, 5):
        assert called(x, y, scale, out) == (times > 1)
        assert [x._version, y._version, out._version] == [0, times, times]
    assert not called(x[1:], y[1:], scale, out[1:])
    assert [x._version, y._version, out._version] == [0, 5, 5]
    with torch.inference_mode():
        x, y, scale, out = call()
        assert called(x, y, scale, out)
        assert out.is_inference()


def test_gradients_make_no_other_call(gpu: Gpu) -> None:
    repeated = kept(gpu, call())
    for needed in (False, True, False, True):
        x, y, scale, out = call()
        assert repeated.launch((x.requires_grad_(needed), y, scale, out), {})
    with torch.inference_mode():
        assert repeated.launch(call(), {})


def test_strides_of_dims_of_one_element_count(gpu: Gpu) -> None:
    """They are in the signature, and torch calls either tensor contiguous."""
    flat = torch.empty(64)
    one, other = flat.as_strided((1,), (1,)), flat.as_strided((1,), (16,))
    y, out = torch.empty(1), torch.empty(1)
    repeated = kept(gpu, (one, y, 0.5, out))
    assert repeated.launch((one, y, 0.5, out), {})
    assert repeated.launch((one, y, 0.5, out), {})
    assert not repeated.launch((other, y, 0.5, out), {})


MEMORY = torch.empty(400)


def at(start: int, size: int = 100) -> torch.Tensor:
    return MEMORY[start : start + size]


@pytest.mark.parametrize(
    ("first", "second", "launches"),
    [
        # By where x, y and out begin. Only what is written matters.
        ((0, 100, 200), (0, 0, 200), True),
        ((0, 0, 200), (0, 100, 200), True),
        ((0, 100, 200), (0, 100, 0), False),
        ((0, 100, 200), (0, 100, 96), False),
        ((0, 100, 200), (8, 200, 104), False),
        ((0, 100, 200), (200, 100, 0), True),
        # In place, with one or with both.
        ((0, 100, 0), (100, 200, 100), True),
        ((0, 100, 0), (100, 0, 100), True),
        ((0, 100, 0), (100, 0, 0), False),
        ((0, 100, 0), (0, 100, 200), False),
        ((0, 100, 0), (0, 96, 0), False),
        ((0, 100, 0), (0, 100, 4), False),
        ((0, 0, 0), (100, 100, 100), True),
        ((0, 0, 0), (100, 104, 100), False),
        # At a distance.
        ((0, 200, 96), (100, 0, 196), True),
        ((0, 200, 96), (0, 200, 92), False),
        ((0, 200, 96), (96, 200, 0), False),
        # By another one between them.
        ((0, 96, 192), (100, 196, 292), True),
        ((0, 96, 192), (0, 100, 196), False),
    ],
)
def test_memory_that_is_shared(
    gpu: Gpu, first: tuple[int, ...], second: tuple[int, ...], launches: bool
) -> None:
    def placed(starts: tuple[int, ...]) -> Call:
        x, y, out = map(at, starts)
        return x, y, 0.5, out

    repeated = kept(gpu, placed(first))
    assert repeated.launch(placed(first), {})
    assert bool(repeated.launch(placed(second), {})) is launches
    assert gpu.stub.launched == 1 + launches


def test_ways_to_share_memory_are_kept_side_by_side(gpu: Gpu) -> None:
    called = Called(gpu)
    x, y, scale, out = call()
    ways = [(x, y, scale, out), (x, y, scale, x), (x, y, scale, y), (x, x, scale, x)]
    for _ in range(3):
        for way in ways:
            called(*way)
    assert called.full == len(ways)


def test_tensors_without_elements_share_nothing(gpu: Gpu) -> None:
    x, y, out = torch.empty(0), torch.empty(0), torch.empty(0)
    called = Called(gpu)
    assert not called(x, y, 0.5, out)
    assert called(x, y, 0.5, x)


def test_another_current_device(gpu: Gpu) -> None:
    repeated = kept(gpu, call())
    gpu.current = 1
    gpu.stub.driver.enter(1)
    assert repeated.launch(call(), {})
    assert gpu.current == 1
    assert [launch.context for launch in gpu.stub.launches()] == [1000]


def test_keywords(gpu: Gpu) -> None:
    x, y, scale, out = args = call()
    keywords = {"B": 1, "C": 2}
    repeated = AtOnce(interface(*PARAMETERS, constexprs=("B", "C")), number_class)
    launched = kernel(gpu).launch(args)
    assert launched is not None
    repeated.keep(args, keywords, args, launched)
    assert repeated.launch(args, keywords)
    assert repeated.launch((x, y), {"scale": 1.5, **keywords, "out": out})
    assert repeated.launch((), {"x": x, "out": out, "B": 1, "scale": scale, "y": y, "C": 2})
    for others in ({}, {"B": 1}, {"B": 2, "C": 2}, {"B": True, "C": 2}, {"B": 1, "D": 2}):
        assert not repeated.launch(args, others)
    assert not repeated.launch((x, y), {"x": x, "scale": 1.5, "out": out, **keywords})
    assert not repeated.launch((x, y), {"scale": 1.5, **keywords})


def test_so_many_ways_to_write_a_call_are_kept(gpu: Gpu, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch_cache, "MOST_ORDERS", 2)
    x, y, scale, out = call()
    repeated = kept(gpu, (x, y, scale, out))
    named = {"x": x, "y": y, "scale": scale, "out": out}
    assert repeated.launch((x, y, scale), {"out": out})
    assert repeated.launch((x, y), {"out": out, "scale": scale})
    assert not repeated.launch((), named)
    assert repeated.launch((x, y, scale), {"out": out})
    assert repeated.launch((x, y, scale, out), {})


def test_a_tensor_as_a_constant_is_read_each_time(gpu: Gpu) -> None:
    args, keywords = call(), {"B": torch.tensor(1)}
    repeated = AtOnce(interface(*PARAMETERS, constexprs=("B",)), number_class)
    launched = kernel(gpu).launch(args)
    assert launched is not None
    repeated.keep(args, keywords, args, launched)
    assert not repeated.launch(args, keywords)
    repeated.keep(args, {"B": 1}, args, launched)
    assert repeated.launch(args, {"B": 1})
    assert not repeated.launch(args, keywords)


def test_defaults_of_constants(gpu: Gpu) -> None:
    known = interface(parameter("x"), parameter("e", "constexpr", value=0.5))
    source = host("x, e", "x.data_ptr(),")
    called = Called(gpu, known, artifact(source, "x e", (("x", "*fp32"),), "x"))
    x = torch.empty(7)
    assert not called(x)
    assert called(x)
    assert called(x, 0.5)
    assert called.repeated.launch((x,), {"e": 0.5})
    # Zeros of either sign are equal, and are other constants.
    assert not called(x, 0.0)
    assert not called(x, -0.0)
    assert not called(x, 1)
    assert called(x, 0.0)


def test_a_tensor_arranged_in_two_ways(gpu: Gpu) -> None:
    known = interface(parameter("x"), parameter("x_2", first=0), parameter("out"))
    assert known.repeats == ((0, 1),)
    source = host("x, x_2, out", "x.data_ptr(), x_2.data_ptr(), out.data_ptr(), x_2.shape[0]")
    types = (("x", "*fp32"), ("x_2", "*fp32"), ("out", "*fp32"), ("n", "i32"))
    called = Called(gpu, known, artifact(source, "x x_2 out", types))
    x, y, out = (torch.empty(7) for _ in range(3))
    assert not called(x, out)
    assert called(y, out)
    assert called(y, y, out)
    assert called.repeated.launch((), {"x": y, "out": out})
    gpu.stub.set(launched=0)
    assert called(x, out)
    assert gpu.launched() == [(7, x.data_ptr(), x.data_ptr(), out.data_ptr(), 7)]
    assert not called.repeated.launch((x, y, out), {})


def test_numbers_that_are_converted(gpu: Gpu) -> None:
    known = interface(
        parameter("x"),
        parameter("a", "scalar", dtype="u8"),
        parameter("b", "scalar"),
        parameter("c", "scalar", dtype="bf16"),
    )
    source = host("x, a, b, c", "x.data_ptr(), (a + 128) % 256 - 128, b, c")
    types = (("x", "*fp32"), ("a", "u8"), ("b", "i1"), ("c", "bf16"))
    called = Called(gpu, known, artifact(source, "x a b c", types, "x"))
    x = torch.empty(7)
    assert not called(x, 3, True, 1.0)
    gpu.stub.set(launched=0)
    assert called(x, 200, False, 2)
    assert not called(x, 200, 1, 2)
    assert not called.repeated.launch((x, 256, False, 2), {})
    assert gpu.launched()[0] == (7, x.data_ptr(), 200, 0, 0x4000)


def test_a_number_too_large_for_its_type(gpu: Gpu) -> None:
    known = interface(parameter("x"), parameter("a", "scalar", dtype="fp16"))
    source = host("x, a", "x.data_ptr(), a")
    called = Called(gpu, known, artifact(source, "x a", (("x", "*fp32"), ("a", "fp16")), "x"))
    x = torch.empty(7)
    assert not called(x, 1.0)
    assert called(x, 2.0)
    # The full way makes it infinite.
    assert not called(x, 1e9)
    assert [launch[-1] for launch in gpu.launched()] == [0x3C00, 0x4000, 0x7C00]


@pytest.mark.parametrize(
    ("programs", "arguments"),
    [
        # A number decides more than its own argument; something behind a tensor is passed.
        ("scale", "x.data_ptr(), y.data_ptr(), scale, out.data_ptr(), 3"),
        ("2 if scale else 1", "x.data_ptr(), y.data_ptr(), scale, out.data_ptr(), 3"),
        ("2 if scale == 3 else 1", "x.data_ptr(), y.data_ptr(), scale, out.data_ptr(), 3"),
        ("1", "x.data_ptr(), y.data_ptr(), scale, out.data_ptr(), scale + 1"),
        ("1", "x.data_ptr(), y.data_ptr(), scale, x.storage_offset(), 3"),
        ("1", "x.data_ptr(), y.data_ptr(), scale, 4096, 3"),
    ],
)
def test_what_is_not_kept(gpu: Gpu, programs: str, arguments: str) -> None:
    source = host("x, y, scale, out", arguments, programs)
    types = (*TYPES[:2], ("s", "i32"), *TYPES[3:])
    called = Called(gpu, description=artifact(source, types=types))
    assert not called(*call(scale=3))
    assert not called(*call(scale=3))


def test_what_a_name_stands_for_is_seen_not_guessed(gpu: Gpu) -> None:
    """A number whose argument has another name is no size."""
    assert "s" not in artifact().params
    called = Called(gpu)
    called(*call(scale=0.5))
    gpu.stub.set(launched=0)
    assert called(*call(scale=1.5))
    assert gpu.launched()[0][3] == bits(1.5)


def test_arguments_that_were_converted_are_not_kept(gpu: Gpu) -> None:
    args = call()
    launched = kernel(gpu).launch(args)
    assert launched is not None
    repeated = AtOnce(ADD, number_class)
    repeated.keep(args, {}, call(), launched)
    assert not repeated.launch(args, {})


def test_errors_of_a_launch_are_told(gpu: Gpu) -> None:
    repeated = kept(gpu, call())
    gpu.stub.fail("launch", 700)
    with pytest.raises(Exception, match="start a new process"):
        repeated.launch(call(), {})


def test_what_is_kept_stays_loaded(gpu: Gpu) -> None:
    called = Called(gpu)
    called(*call())
    called.kernel.unload()
    assert gpu.stub.unloaded == 0
    assert called.repeated.launch(call(), {})


# torch 2.11's compiler warns of what it does not trace.
@pytest.mark.filterwarnings("ignore:Dynamo does not know how to trace the builtin:UserWarning")
def test_compiled_callers(gpu: Gpu) -> None:
    """Under torch.compile, a kernel is called as it is elsewhere."""
    called = Called(gpu)
    called(*call())

    def function(x: torch.Tensor, y: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
        called(x, y, 0.5, out)
        return out.sum()

    compiled = torch.compile(function, backend="eager")
    for _ in range(3):
        x, y, _, out = call()
        gpu.stub.set(launched=0)
        compiled(x, y, out)
        assert [launch[1] for launch in gpu.launched()] == [x.data_ptr()]


def test_an_argument_that_its_type_does_not_hold(gpu: Gpu) -> None:
    types = (*TYPES[:2], ("s", "i8"), *TYPES[3:])
    launches = kernel(gpu, artifact(types=types))
    with pytest.raises(DeviceError, match="do not hold what it is given"):
        launches.launch(call(scale=128))
    assert gpu.stub.launched == 0


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_a_nested_tensor_without_sizes(gpu: Gpu) -> None:
    """torch's guards end the process where they meet one."""
    called = Called(gpu)
    called(*call())
    x, y, scale, out = call()
    x = torch.nested.nested_tensor([torch.ones(40), torch.ones(60)])
    assert called.repeated.launch((x, y, scale, out), {}) is None
    assert called(*call())


def test_memory_that_was_freed(gpu: Gpu) -> None:
    """A call that is like an earlier one but for a tensor without memory is bound, and refused."""
    called = Called(gpu)
    called(*call())
    assert called(*call())
    x, y, scale, out = call()
    y.untyped_storage().resize_(0)
    assert not called.repeated.launch((x, y, scale, out), {})
    assert called(*call())
