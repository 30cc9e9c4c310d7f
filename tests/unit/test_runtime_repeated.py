"""A call like an earlier one is launched without being bound; one that is not quite is not."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from ninetoothed import Tensor, make
from ninetoothed.artifact import Argument, Artifact, Config, Target
from ninetoothed.kernel import Kernel
from ninetoothed.runtime import device
from ninetoothed.runtime.repeated import MOST, Launched, Repeated


class Gpu:
    """What launches ask of torch and of Triton: one device, and what was launched on it."""

    def __init__(self) -> None:
        self.current = 0
        self.launched: list[tuple[Any, ...]] = []

    def run(self, *arguments: Any) -> None:
        assert arguments[1:3] == (1, 1)
        assert arguments[3:9] == (100 + self.current, "function", "metadata", None, None, None)
        self.launched.append((arguments[0], *arguments[9:]))


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> Gpu:
    gpu = Gpu()
    raw: Any = (lambda: gpu.current, lambda index: 100 + index)
    monkeypatch.setattr(device, "raw", lambda: raw)
    return gpu


def artifact(params: str, types: dict[str, str], writes: str) -> Artifact:
    arguments = tuple(Argument(name, type) for name, type in types.items())
    names = tuple(params.split())
    config = Config((("BLOCK", 64),))
    target = Target.parse("sm_90")
    return Artifact(
        "k", "ttir", "", names, arguments, "", names, tuple(writes.split()), target, config
    )


ADD = artifact(
    "x y scale out",
    {"x": "*fp32", "y": "*fp32", "scale": "fp32", "out": "*fp32", "n": "i32"},
    "out",
)


def scale_class(value: Any) -> str:
    if type(value) is not float:
        raise TypeError
    return "fp32"


def kept(gpu: Gpu, args: tuple[Any, ...], description: Artifact = ADD, **keywords: Any) -> Repeated:
    """The launches of a kernel that was called once."""
    repeated = Repeated([None, None, scale_class, None])
    x, y, scale, out = args
    compiled = SimpleNamespace(run=gpu.run, function="function", packed_metadata="metadata")
    numbers = (x.data_ptr(), y.data_ptr(), scale, out.data_ptr(), x.numel())
    repeated.keep(args, keywords, args, Launched(description, compiled, 7, numbers, 0))
    return repeated


def call(size: int = 100, scale: Any = 0.5) -> tuple[Any, ...]:
    x, y, out = (torch.empty(size) for _ in range(3))
    return x, y, scale, out


def test_the_same_call_again(gpu: Gpu) -> None:
    repeated = kept(gpu, call())
    x, y, scale, out = again = call(scale=2.5)
    assert repeated.launch(again, {})
    assert gpu.launched == [(7, x.data_ptr(), y.data_ptr(), 2.5, out.data_ptr(), 100)]


def test_nothing_is_kept_at_first(gpu: Gpu) -> None:
    assert not Repeated([None]).launch((torch.empty(3),), {})


@pytest.mark.parametrize(
    "other",
    [
        lambda x, y, scale, out: (x[:99], y[:99], scale, out[:99]),
        lambda x, y, scale, out: (x.to(torch.float16), y, scale, out),
        lambda x, y, scale, out: (torch.empty(200)[::2], y, scale, out),
        lambda x, y, scale, out: (torch.empty(101)[1:], y, scale, out),
        lambda x, y, scale, out: (x.to("meta"), y, scale, out),
        lambda x, y, scale, out: (x, y, 1, out),
        lambda x, y, scale, out: (x, y, torch.tensor(0.5), out),
        lambda x, y, scale, out: (x, y, scale),
        lambda x, y, scale, out: (x, y, scale, out, out),
        lambda x, y, scale, out: (x, None, scale, out),
        lambda x, y, scale, out: (x.to_sparse(), y, scale, out),
        lambda x, y, scale, out: (torch.nn.Parameter(x), y, scale, out),
    ],
)
def test_a_call_that_is_another(gpu: Gpu, other: Callable[..., tuple[Any, ...]]) -> None:
    repeated = kept(gpu, call())
    assert not repeated.launch(other(*call()), {})
    assert not gpu.launched


@pytest.mark.parametrize(
    ("overlap", "launches"),
    [
        (lambda x, y, scale, out: (x, y, scale, x), False),
        (lambda x, y, scale, out: (x, x, scale, out), True),
    ],
)
def test_memory_that_is_shared(
    gpu: Gpu, overlap: Callable[..., tuple[Any, ...]], launches: bool
) -> None:
    # Only what is written matters.
    assert kept(gpu, call()).launch(overlap(*call()), {}) is launches
    assert len(gpu.launched) == launches


def test_neighbours_in_memory_share_nothing(gpu: Gpu) -> None:
    memory = torch.empty(320)
    x, y, out = (memory[start : start + 100] for start in (0, 104, 208))
    assert kept(gpu, call()).launch((x, y, 0.5, out), {})
    near = memory[96:196]
    assert not kept(gpu, call()).launch((x, y, 0.5, near), {})


def test_another_current_device(gpu: Gpu) -> None:
    repeated = kept(gpu, call())
    gpu.current = 1
    assert not repeated.launch(call(), {})


def test_keywords(gpu: Gpu) -> None:
    repeated = kept(gpu, call(), BLOCK=1, OTHER=2)
    assert repeated.launch(call(), {"BLOCK": 1, "OTHER": 2})
    for keywords in ({}, {"BLOCK": 1}, {"BLOCK": 2, "OTHER": 2}, {"BLOCK": True, "OTHER": 2}):
        assert not repeated.launch(call(), keywords)


def test_what_is_not_kept(gpu: Gpu) -> None:
    unsigned = artifact(
        "x y scale out", {"x": "*fp32", "scale": "u32", "out": "*fp32", "n": "i32"}, "out"
    )
    behind = artifact("x y scale out", {"x_offsets": "*i64"}, "out")
    for description in (unsigned, behind):
        repeated = Repeated([None, None, scale_class, None])
        args = call()
        numbers = (1,) * len(description.arguments)
        repeated.keep(args, {}, args, Launched(description, SimpleNamespace(), 7, numbers, 0))
        assert not repeated.launch(call(), {})
    # A keyword that is a tensor, and an argument that was converted.
    assert not kept(gpu, call(), z=torch.empty(3)).launch(call(), {})
    converted = Repeated([None, None, scale_class, None])
    args = call()
    converted.keep(args, {}, call(), Launched(ADD, SimpleNamespace(), 7, (0,) * 5, 0))
    assert not converted.launch(args, {})


def test_the_number_of_launches_is_bounded(gpu: Gpu) -> None:
    repeated = kept(gpu, call())
    compiled = SimpleNamespace(run=gpu.run, function="function", packed_metadata="metadata")
    for size in range(MOST + 10):
        args = call(size)
        repeated.keep(args, {}, args, Launched(ADD, compiled, 7, (0, 0, args[2], 0, size), 0))
    assert repeated.launch(call(MOST + 9), {})
    assert not repeated.launch(call(5), {})


def test_a_kernel_keeps_its_launches(gpu: Gpu, monkeypatch: pytest.MonkeyPatch) -> None:
    def arrangement(x: Tensor, scale: Tensor, out: Tensor) -> tuple[Tensor, ...]:
        return x.tile((64,)), scale, out.tile((64,))

    def application(x, scale, out):
        out = x * scale

    kernel: Kernel = make(arrangement, application, (Tensor(1), Tensor(0), Tensor(1)))
    compiled = SimpleNamespace(run=gpu.run, function="function", packed_metadata="metadata")
    description = artifact(
        "x scale out", {"x": "*fp32", "scale": "fp32", "out": "*fp32", "n": "i32"}, "out"
    )
    full: list[int] = []

    def launch(signature: Any, values: tuple[Any, ...]) -> Launched:
        full.append(len(values))
        x, scale, out = values
        numbers = (x.data_ptr(), scale, out.data_ptr(), x.numel())
        return Launched(description, compiled, 2, numbers, 0)

    dispatcher: Any = SimpleNamespace(launch=launch)
    monkeypatch.setattr(kernel, "_dispatcher", dispatcher)
    monkeypatch.setattr("ninetoothed.arguments._device", lambda definition, values: "cuda:0")
    x, out = torch.empty(100), torch.empty(100)
    for scale in (0.5, 1.5, 2, True):
        kernel(x, scale, out)
    # An int and a bool are other types, and in place is another kernel.
    assert len(full) == 3
    kernel(x, 0.5, x)
    kernel(x, 0.5, x)
    assert len(full) == 5
    assert gpu.launched == [(2, x.data_ptr(), 1.5, out.data_ptr(), 100)]
