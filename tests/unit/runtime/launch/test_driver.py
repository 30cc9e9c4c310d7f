"""Launches through the driver, with a library that records them."""

from __future__ import annotations

import math
import struct
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from ninetoothed.artifacts.artifact import Binary, Scratch
from ninetoothed.dtype import DTYPES
from ninetoothed.errors import ConfigurationError, DeviceError
from ninetoothed.runtime import toolchain
from ninetoothed.runtime.launch import device
from ninetoothed.runtime.launch.driver import Launcher
from ninetoothed.runtime.launch.packed_numbers import bfloat16
from ninetoothed.runtime.toolchain.triton.drivers import CUDA, HIP
from tests.support import driver_stub
from tests.support.driver_stub import FUNCTION, Stub

ROOT = Path(__file__).parents[4]

pytestmark = pytest.mark.skipif(not driver_stub.available(), reason="there is no C compiler")

STREAM = 0x7F00_0000_1234


@pytest.fixture(params=[CUDA, HIP], ids=["cuda", "hip"])
def stub(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Stub:
    stub = Stub(request.param)
    use(stub, monkeypatch)
    return stub


@pytest.fixture
def cuda(monkeypatch: pytest.MonkeyPatch) -> Stub:
    stub = Stub()
    use(stub, monkeypatch)
    return stub


def use(stub: Stub, monkeypatch: pytest.MonkeyPatch, index: int = 0) -> None:
    monkeypatch.setattr(toolchain, "active_driver", lambda: stub.driver)
    monkeypatch.setattr(device, "current", lambda: index)


def binary(shared: int = 100, threads: int = 128, scratch: int = 0, alignment: int = 1) -> Binary:
    return Binary(b"cubin", "add", shared, threads, scratch, alignment)


def launcher(types: str, of_shape: str = "") -> Launcher:
    """A launcher of arguments of these types; those at the digits are the shape's."""
    names = types.split()
    return (
        toolchain.active_driver()
        .load(binary())
        .launcher(names, [str(place) in of_shape for place in range(len(names))])
    )


def passed(stub: Stub, one: Launcher, *arguments: Any) -> list[int]:
    """The bytes of the arguments that a launch passes, as integers."""
    stub.set(arguments_count=len(arguments) + 2)
    one.launch(5, arguments, STREAM)
    launch = stub.launches()[-1]
    # Triton's hidden arguments: no memory for programs, none for profiles.
    assert launch.arguments[-2:] == (0, 0)
    assert (launch.grid, launch.block, launch.shared) == ((5, 1, 1), (128, 1, 1), 100)
    assert (launch.stream, launch.function) == (STREAM, FUNCTION)
    return list(launch.arguments[:-2])


def test_loading(stub: Stub) -> None:
    stub.set(registers=40, local_bytes=24, function_threads=512)
    loaded = toolchain.active_driver().load(binary())
    assert (stub.text("loaded_code"), stub.text("loaded_name")) == ("cubin", "add")
    assert (loaded.registers, loaded.local_bytes, loaded.max_threads) == (40, 24, 512)
    assert loaded.device == 0
    loaded.unload()
    loaded.unload()
    assert stub.unloaded == 1


def test_what_is_launched_stays(stub: Stub) -> None:
    loaded = toolchain.active_driver().load(binary())
    loaded.is_kept = True
    loaded.unload()
    assert stub.unloaded == 0


def test_shared_memory_beyond_what_is_common(cuda: Stub) -> None:
    toolchain.active_driver().load(binary(shared=48 << 10))
    assert (cuda.set_shared, cuda.cache_config) == (0, 0)
    toolchain.active_driver().load(binary(shared=(48 << 10) + 1))
    # 16 bytes are the function's own.
    assert (cuda.set_shared, cuda.cache_config) == (232448 - 16, 1)


def test_what_asks_too_much(stub: Stub) -> None:
    for asked in (binary(shared=300_000), binary(threads=2048)):
        with pytest.raises(ConfigurationError, match=r"needs (300000 bytes|2048 threads)"):
            toolchain.active_driver().load(asked)
    assert stub.text("loaded_code") == ""
    stub.set(function_threads=64, registers=255)
    with pytest.raises(ConfigurationError, match=r"128 threads of 255 registers.* for 64"):
        toolchain.active_driver().load(binary())
    assert stub.unloaded == 1


def test_shared_memory_of_the_function_itself(cuda: Stub) -> None:
    with pytest.raises(ConfigurationError, match="the device has 232432"):
        toolchain.active_driver().load(binary(shared=232440))
    assert cuda.unloaded == 1


@pytest.mark.parametrize(
    ("what", "code", "error", "message"),
    [
        ("load", 2, ConfigurationError, "loading add: NAME of 2"),
        ("load", 209, DeviceError, r"loading add: NAME of 209 \(text of 209\)$"),
        ("load", 700, DeviceError, "something that ran on the device before has failed"),
        ("function", 500, DeviceError, "loading add: NAME of 500"),
        ("launch", 701, ConfigurationError, "launching add: NAME of 701"),
        ("launch", 1, ConfigurationError, "launching add: NAME of 1"),
        ("launch", 719, DeviceError, "start a new process"),
        ("launch", 999, DeviceError, "launching add: NAME of 999"),
    ],
)
def test_errors(stub: Stub, what: str, code: int, error: type[Exception], message: str) -> None:
    stub.fail(what, code)
    with pytest.raises(error, match=message):
        passed(stub, launcher("i32"), 3)
    assert stub.unloaded == (what == "function")
    # What failed once may be tried again.
    assert passed(stub, launcher("i32"), 3) == [3]


def bits(code: str, value: float) -> int:
    return int.from_bytes(struct.pack(f"<{code}", value), "little")


@pytest.mark.parametrize("of_shape", ["", "0"])
@pytest.mark.parametrize(
    ("type", "value", "found"),
    [
        ("*fp16", 0x7FFF_1234_5678, 0x7FFF_1234_5678),
        ("i1", True, 1),
        ("i8", -3, 0xFD),
        ("i16", -3, 0xFFFD),
        ("i32", -3, 0xFFFF_FFFD),
        ("i32", 2**31 - 1, 2**31 - 1),
        ("i64", -3, 2**64 - 3),
        ("u8", 255, 255),
        ("u8", -1, 255),
        ("u16", 65535, 65535),
        ("u32", -2, 2**32 - 2),
        ("u64", 2**64 - 1, 2**64 - 1),
        ("u64", -1, 2**64 - 1),
        ("fp16", 1.5, bits("e", 1.5)),
        ("fp16", 1e9, bits("e", math.inf)),
        ("fp16", -1e9, bits("e", -math.inf)),
        ("bf16", 1.5, 0x3FC0),
        ("fp32", 0.1, bits("f", 0.1)),
        ("fp32", -1e300, bits("f", -math.inf)),
        ("fp32", 3, bits("f", 3.0)),
        ("fp64", 0.1, bits("d", 0.1)),
        ("fp64", -(10**400), bits("d", -math.inf)),
    ],
)
def test_arguments(stub: Stub, type: str, value: Any, found: int, of_shape: str) -> None:
    assert passed(stub, launcher(type, of_shape), value) == [found]


def test_every_element_type_is_passed(cuda: Stub) -> None:
    for name, row in DTYPES.items():
        if row.bits == 8 and row.kind == "float":
            # Triton passes no such number either.
            with pytest.raises(DeviceError, match=f"no number of type {name}"):
                launcher(name)
        else:
            assert passed(cuda, launcher(name), 1) != [0]


def test_many_arguments_in_any_order(stub: Stub) -> None:
    types = "i32 *fp32 fp64 i8 *i64 u16 i64"
    given = (7, 0x1000, 0.5, -1, 0x2000, 9, -9)
    for of_shape in ("", "036", "0123456"):
        found = passed(stub, launcher(types, of_shape), *given)
        assert found == [7, 0x1000, bits("d", 0.5), 0xFF, 0x2000, 9, 2**64 - 9]


def test_a_number_that_does_not_fit_launches_nothing(stub: Stub) -> None:
    one = launcher("fp16 i32")
    shape = one.shape(1, (0.0, 0))
    assert not one.run(1, shape, 0, 1e9, 3)
    assert not one.run(1, shape, 0, 1.0, 2**31)
    assert stub.launched == 0
    assert one.run(1, shape, 0, 1.0, 3)


@pytest.mark.parametrize("value", [0.0, -0.0, 1.0, 1 / 3, -1e-40, 3.4e38, 1e300, -1e300, math.inf])
def test_bfloat16(value: float) -> None:
    wanted = torch.tensor(value, dtype=torch.float32).to(torch.bfloat16)
    assert bfloat16(value) == int(wanted.view(torch.int16)) % 65536


def test_bfloat16_of_every_tie_and_of_no_number() -> None:
    for low in range(0, 1 << 16, 257):
        for rest in (0x7FFF, 0x8000, 0x8001):
            (value,) = struct.unpack("<f", struct.pack("<I", low << 16 | rest))
            if value == value:
                wanted = torch.tensor(value, dtype=torch.float32).to(torch.bfloat16)
                assert bfloat16(value) == int(wanted.view(torch.int16)) % 65536
    found = torch.tensor([bfloat16(math.nan)], dtype=torch.uint16).view(torch.bfloat16)
    assert found.isnan().all()


def test_memory_for_the_programs(stub: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    places: list[Any] = []
    real = torch.empty

    def empty(size: int, dtype: torch.dtype, device: torch.device) -> torch.Tensor:
        places.append((size, dtype, device))
        return real(size, dtype=dtype)

    monkeypatch.setattr(torch, "empty", empty)
    one = stub.driver.load(binary(scratch=24, alignment=8)).launcher(["i32"], [False])
    stub.set(arguments_count=3)
    one.launch(7, (3,), 0)
    assert places == [(7 * 24, torch.uint8, torch.device("cuda", 0))]
    first, scratch, profile = stub.launches()[-1].arguments
    assert (first, profile) == (3, 0)
    assert scratch
    one = stub.driver.load(binary(scratch=24, alignment=1 << 40)).launcher(["i32"], [False])
    with pytest.raises(DeviceError, match="multiples of"):
        one.launch(7, (3,), 0)


def test_both_memories_are_there_at_the_launch(stub: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a binary needs, and what the kernel's programs share."""
    real = torch.empty
    # How much was launched when each was freed.
    freed: list[int] = []

    def empty(size: int, dtype: torch.dtype, device: torch.device) -> torch.Tensor:
        found = real(size, dtype=dtype)
        weakref.finalize(found, lambda: freed.append(stub.launched))
        return found

    monkeypatch.setattr(torch, "empty", empty)
    loaded = stub.driver.load(binary(scratch=24, alignment=8))
    stub.set(arguments_count=4)
    loaded.launcher(["i32"], [False], (Scratch(4, zeroed=True),)).launch(7, (3,), 0)
    assert freed == [1, 1]


def in_a_thread(work: Callable[[], Any]) -> Any:
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(work()))
    thread.start()
    thread.join()
    return found[0]


def test_a_thread_that_never_used_the_device(cuda: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    use(cuda, monkeypatch, 1)
    one = launcher("i32")
    shape = one.shape(1, (3,))
    assert in_a_thread(lambda: one.run(1, shape, 0, 3))
    assert [launch.context for launch in cuda.launches()] == [1001]
    assert cuda.retained == 1


def test_a_thread_with_the_context_of_another_device(
    cuda: Stub, monkeypatch: pytest.MonkeyPatch
) -> None:
    launcher("i32")
    use(cuda, monkeypatch, 1)
    one = launcher("i32")
    one.run(1, one.shape(1, (3,)), 0, 3)
    assert cuda.launches()[-1].context == 1001


def test_threads_at_once(stub: Stub) -> None:
    """Each launch has memory of its own for its arguments."""
    one = launcher("*fp32 i64 i32", "2")
    stub.set(arguments_count=3)
    count, rounds = 4, 60
    shapes = [one.shape(number + 1, (0, 0, number)) for number in range(count)]
    start = threading.Barrier(count)
    interval = sys.getswitchinterval()

    def work(number: int) -> None:
        start.wait()
        for _ in range(rounds):
            assert one.run(number + 1, shapes[number], 50 + number, number << 20, -number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(count)]
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    launches = stub.launches()
    assert len(launches) == count * rounds
    for launch in launches:
        number = launch.stream - 50
        assert launch.grid[0] == number + 1
        assert launch.arguments == (number << 20, -number % 2**64, number)


def test_the_library_of_this_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    toolchain.active_driver.cache_clear()
    opened: list[str] = []

    def missing(name: str) -> Any:
        opened.append(name)
        raise OSError("no such file")

    monkeypatch.setattr("ctypes.CDLL", missing)
    for hip, name in ((None, "libcuda.so.1"), ("6.4", "libamdhip64.so")):
        monkeypatch.setattr(torch.version, "hip", hip)
        with pytest.raises(DeviceError, match=r"cannot be used \(no such file\)"):
            toolchain.active_driver()
        assert opened.pop() == name


def test_code_is_loaded_beside_a_capture(stub: Stub) -> None:
    # What a thread may do while a graph is captured: 1 is set here, 2 is anything.
    stub.set(capture_mode=1)
    with stub.driver.relaxed():
        assert stub.capture_mode == 2
    assert stub.capture_mode == 1


def test_calls_with_cpu_tensors_load_no_driver() -> None:
    code = (
        "import sys, torch\n"
        "from examples.add import add_kernel\n"
        "x = torch.ones(3)\n"
        "add_kernel(x, x, torch.empty(3))\n"
        "assert 'ninetoothed.runtime.launch.driver' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
