"""Tensor descriptors that launches pass: what the driver is told of a tensor, and when."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import pytest
import torch

from ninetoothed.artifacts.artifact import Binary, DescriptorLayout
from ninetoothed.errors import DescriptorError
from ninetoothed.runtime.launch import tensor_maps
from tests.support import driver_stub
from tests.support.driver_stub import TensorMap
from tests.support.launching import Called, Gpu, artifact, host, interface, parameter

pytestmark = pytest.mark.skipif(not driver_stub.available(), reason="there is no C compiler")

LAYOUT = DescriptorLayout(element_type=6, element_bytes=2, swizzle=3, box=(128, 64))
SOURCE = host(
    "x, out",
    "x.shape[0], x.data_ptr(), x.shape[0], x.shape[1], x.stride(0), 1, out.data_ptr()",
    "1",
)
TYPES = (
    ("m", "i32"),
    ("x_desc", "tensordesc<fp16[128, 64]>"),
    *(("x_desc_size_0", "i32"), ("x_desc_size_1", "i32")),
    *(("x_desc_stride_0", "i64"), ("x_desc_stride_1", "i64")),
    ("out", "*fp32"),
)
COPY = interface(parameter("x")._replace(ndim=2), parameter("out"))
Call = tuple[torch.Tensor, torch.Tensor]


def copying(gpu: Gpu, layout: DescriptorLayout = LAYOUT) -> Called:
    gpu.stub.set(map_argument=1)
    return Called(gpu, COPY, artifact(SOURCE, "x out", TYPES), (layout,))


def call(*sizes: int) -> Call:
    return torch.empty(sizes, dtype=torch.float16), torch.empty(8)


def of(x: torch.Tensor, is_large: bool = True) -> TensorMap:
    """The tensor map of a contiguous matrix."""
    m, n = x.shape
    return TensorMap(x.data_ptr(), (n, m), (2 * n,), (64, 128), (6, 3, 0, 2), is_large)


def test_what_the_driver_is_told(gpu: Gpu) -> None:
    copied, (x, out) = copying(gpu), call(48, 80)
    assert not copied(x, out)
    assert gpu.stub.tensor_map() == of(x)
    # The sizes and strides are passed, too.
    pointer = x.data_ptr()
    assert gpu.launched() == [(1, 48, pointer, 48, 80, 80, 1, out.data_ptr())]


def test_tensors_like_earlier_ones_are_not_encoded_again(gpu: Gpu) -> None:
    copied = copying(gpu)
    given = [call(48, 80), call(48, 80), call(32, 80)]
    for x, out in given:
        copied(x, out)
    assert (gpu.stub.encoded, copied.full) == (3, 2)
    for _ in range(3):
        for x, out in given:
            assert copied(x, out)
            assert gpu.stub.tensor_map() == of(x)
    assert (gpu.stub.encoded, copied.full) == (3, 2)


def test_few_are_kept(gpu: Gpu, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tensor_maps, "MOST", 2)
    copied = copying(gpu)
    given = [call(48, 80) for _ in range(3)]
    for _ in range(2):
        for x, out in given:
            copied(x, out)
            assert gpu.stub.tensor_map() == of(x)
    assert gpu.stub.encoded == 6


def test_of_a_tensor_without_elements(gpu: Gpu) -> None:
    """Nothing is accessed: the driver is not asked, which refuses it."""
    copied, (x, out) = copying(gpu), call(48, 0)
    copied(x, out)
    assert gpu.stub.encoded == 0
    assert gpu.stub.tensor_map() == TensorMap(0, (), (), (), (0, 0, 0, 0), False)


def test_the_stride_of_one_element_is_any(gpu: Gpu) -> None:
    copied, (x, out) = copying(gpu), call(2, 80)
    row = x.as_strided((1, 80), (7, 1))
    copied(row, out)
    assert gpu.stub.tensor_map() == replace(of(row), strides=(16,))


@pytest.mark.parametrize(("version", "rows"), [(13020, 2), (13010, 2), (13010, 65536)])
def test_small_tensors_are_not_marked_as_large(gpu: Gpu, version: int, rows: int) -> None:
    gpu.stub.set(driver_version=version)
    copied, (x, out) = copying(gpu), call(rows, 16)
    copied(x, out)
    assert gpu.stub.tensor_map() == of(x, is_large=version > 13010 or rows > 2)


def test_what_the_driver_refuses(gpu: Gpu) -> None:
    """The full way says it, also if calls like it were launched."""
    copied, (x, out), other = copying(gpu), call(48, 80), call(48, 80)
    copied(x, out)
    gpu.stub.fail("encode", 1, times=3)
    with pytest.raises(DescriptorError) as caught:
        copied(*other)
    assert caught.value.message == (
        "the driver makes no tensor descriptor of sizes [48, 80] and strides [80, 1] (error 1)"
    )
    assert copied.full == 2
    assert copied(x, out)
    gpu.stub.set(failures_left=0)
    assert copied(*other)


def test_a_driver_without_descriptors() -> None:
    class Old:
        def call(self, name: str, *arguments: Any) -> int:
            raise AttributeError(name)

    old: Any = Old()
    with pytest.raises(DescriptorError, match=r"^the driver is too old for tensor descriptors$"):
        tensor_maps.encoded(old, 0, LAYOUT, 16, (8, 64), (64, 1))


def test_a_thread_without_a_context(gpu: Gpu) -> None:
    copied, (x, out) = copying(gpu), call(48, 80)
    gpu.stub.fail("encode", 201)
    copied(x, out)
    assert gpu.stub.tensor_map() == of(x)


def test_threads(gpu: Gpu, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each launch passes its own, while tables are emptied."""
    monkeypatch.setattr(tensor_maps, "MOST", 2)
    copied = copying(gpu)
    copied(*call(48, 80))
    wrong: list[object] = []

    def launch() -> None:
        gpu.stub.driver.enter(0)
        given = [call(48, 80) for _ in range(3)]
        for _ in range(40):
            for x, out in given:
                if not copied(x, out):
                    wrong.append(x)

    threads = [threading.Thread(target=launch) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    launched = gpu.stub.launched
    assert launched == 1 + 4 * 3 * 40


def test_numbers_that_a_call_gives(gpu: Gpu) -> None:
    """A size that is no shape's is a part of the key."""
    gpu.stub.set(map_argument=1)
    source = host(
        "x, n, out", "n, x.data_ptr(), n, x.shape[1], x.stride(0), 1, out.data_ptr()", "1"
    )
    given = artifact(source, "x n out", TYPES)
    known = interface(
        parameter("x")._replace(ndim=2), parameter("n", "scalar", "i32"), parameter("out")
    )
    copied, (x, out) = Called(gpu, known, given, (LAYOUT,)), call(48, 80)
    for rows in (48, 40, 48, 40):
        copied(x, rows, out)
        assert gpu.stub.tensor_map() == replace(of(x), dims=(80, rows))
    assert gpu.stub.encoded == 2


def test_binaries_say_how_boxes_lie() -> None:
    binary = Binary(b"", "k", 0, 128, descriptors=(LAYOUT,))
    assert Binary.from_json(binary.to_json()) == binary
