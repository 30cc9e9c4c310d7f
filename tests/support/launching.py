"""A kernel whose launches a stub of the driver records, and its launch cache."""

from __future__ import annotations

import contextlib
import struct
from collections.abc import Generator, Hashable
from typing import Any

import torch

from ninetoothed.artifacts.artifact import Argument, Artifact, Binary, DescriptorLayout
from ninetoothed.artifacts.configuration import Config
from ninetoothed.artifacts.interface import Bounds, Interface, Parameter
from ninetoothed.artifacts.target import Target
from ninetoothed.calls.arguments import bind
from ninetoothed.calls.numbers import number_class
from ninetoothed.runtime import toolchain
from ninetoothed.runtime.launch.launch_cache import LaunchCache
from ninetoothed.runtime.launch.loaded import Host, LoadedKernel
from tests.support.driver_stub import Stub

Call = tuple[Any, ...]


class Gpu:
    """Fake of torch's devices and of the driver, which records launches."""

    def __init__(self) -> None:
        self.current = 0
        self.stub = Stub()

    def launched(self) -> list[tuple[int, ...]]:
        """Of each launch the programs and the arguments; hidden ones left out."""
        launches = self.stub.launches()
        assert all(launch.stream == 100 + launch.context - 1000 for launch in launches)
        return [(launch.grid[0], *launch.arguments) for launch in launches]

    @contextlib.contextmanager
    def guard(self, index: int) -> Generator[None]:
        before, self.current = self.current, index
        self.stub.driver.enter(index)
        yield
        self.current = before
        self.stub.driver.enter(before)


def parameter(
    name: str,
    kind: str = "tensor",
    dtype: str | None = None,
    value: float | None = None,
    first: int | None = None,
) -> Parameter:
    return Parameter(
        name, kind, int(kind == "tensor"), dtype, value, None, -1 if first is None else first
    )


def interface(*parameters: Parameter, constexprs: tuple[str, ...] = ()) -> Interface:
    parameters = tuple(
        parameter._replace(first=place) if parameter.first < 0 else parameter
        for place, parameter in enumerate(parameters)
    )
    symbols = tuple((name, name, Bounds(None, None)) for name in constexprs)
    return Interface("k", parameters, (), symbols, (), (), ())


PARAMETERS = (parameter("x"), parameter("y"), parameter("scale", "scalar"), parameter("out"))
ADD = interface(*PARAMETERS)


def host(params: str, arguments: str, programs: str = "x.shape[0]") -> str:
    """The host function of a launch."""
    return f"def launch({params}):\n    return None, {programs}, ({arguments})\n"


SOURCE = host(
    "x, y, scale, out",
    "x.data_ptr(), y.data_ptr(), scale, out.data_ptr(), x.shape[0]",
    "x.shape[0] // 16 + 1",
)
TYPES = (("x", "*fp32"), ("y", "*fp32"), ("s", "fp32"), ("out", "*fp32"), ("n", "i32"))


def artifact(
    source: str = SOURCE,
    params: str = "x y scale out",
    types: tuple[tuple[str, str], ...] = TYPES,
    writes: str = "out",
) -> Artifact:
    arguments = tuple(Argument(name, type) for name, type in types)
    names = tuple(params.split())
    target = Target.parse("sm_90")
    written = tuple(writes.split())
    return Artifact(
        "k", "ttir", "", names, arguments, source, names, written, target, Config((("B", 64),))
    )


def kernel(
    gpu: Gpu,
    description: Artifact | None = None,
    descriptors: tuple[DescriptorLayout, ...] = (),
) -> LoadedKernel:
    description = description or artifact()
    gpu.stub.set(arguments_count=len(description.arguments))
    binary = Binary(b"", "k", 0, 128, descriptors=descriptors)
    loaded = toolchain.active_driver().load(binary)
    return LoadedKernel(Host(description), loaded)


class AtOnce(LaunchCache):
    """Keeps the first call of a kind, too."""

    def _are_new(self, shapes: Hashable) -> bool:
        return False


class Called:
    """A kernel as users call it: what is not kept goes the full way, and is kept."""

    def __init__(
        self,
        gpu: Gpu,
        known: Interface = ADD,
        description: Artifact | None = None,
        descriptors: tuple[DescriptorLayout, ...] = (),
    ) -> None:
        self.repeated = AtOnce(known, number_class)
        self.kernel = kernel(gpu, description, descriptors)
        self.interface = known
        self.full = 0

    def __call__(self, *args: Any, **keywords: Any) -> bool:
        """True if the call was launched without being bound."""
        found = self.repeated.launch(args, keywords)
        if found:
            return True
        self.full += 1
        values = bind(self.interface, args, {}).values
        launched = self.kernel.launch(values)
        assert launched is not None
        if found is None:
            self.repeated.keep(args, keywords, values, launched)
        return False


def call(size: int = 100, scale: Any = 0.5) -> Call:
    x, y, out = (torch.empty(size) for _ in range(3))
    return x, y, scale, out


def bits(value: float) -> int:
    return int.from_bytes(struct.pack("<f", value), "little")


def kept(gpu: Gpu, args: Call, description: Artifact | None = None) -> LaunchCache:
    """The launches of a kernel that was called once."""
    called = Called(gpu, description=description)
    assert not called(*args)
    gpu.stub.set(launched=0)
    return called.repeated
