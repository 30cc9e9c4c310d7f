"""Tensor maps: the descriptors of tensors that a launch passes by value, encoded by the driver.

A tensor map depends on where its tensor begins, on the sizes and strides of that, and on the layout
that the kernel was compiled for. Each is encoded once, and kept: a call with tensors like earlier
ones finds it. It refers to nothing that goes away, so that it holds for whatever lies there later.
"""

from __future__ import annotations

import ctypes
import functools
import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ninetoothed.artifacts.artifact import DescriptorLayout
from ninetoothed.errors import DescriptorError

if TYPE_CHECKING:
    from ninetoothed.runtime.launch.driver import Driver

BYTES = 128
"""Of a tensor map."""
ALIGNMENT = 64
"""Of the places that it is encoded to and passed from."""
MOST = 4096
"""Tensor maps that are kept of one argument."""

_INVALID_CONTEXT = 201
_STRIDE = 16
"""Bytes that strides are multiples of."""
# Of enumerations of the driver's.
_NO_INTERLEAVE = 0
_L2_LINES_OF_128 = 2
_ZEROS_OUTSIDE = 0
# Up to this version, the driver marks tensors as larger than this, which are not.
_OLD_DRIVER = 13010
_SMALL_TENSOR = 128 << 10
_LARGE = 1 << 21


class Number(NamedTuple):
    """Where a size or a stride is read: ``place`` in a key, or behind ``place`` bytes of its first
    entry, packed by the letter ``code``.
    """

    code: str
    place: int


class TensorMaps(dict[tuple[Any, ...], bytes]):
    """The tensor maps of one argument, by all that they depend on: what launches of one shape have
    in common, the pointer, and numbers that are not among the former.

    ``numbers``: the tensor's sizes, then its strides, in elements. The table may be used by several
    threads at once.
    """

    def __init__(
        self, driver: Driver, device: int, layout: DescriptorLayout, numbers: Sequence[Number]
    ) -> None:
        self._driver = driver
        self._device = device
        self._layout = layout
        self._numbers = tuple(numbers)

    def __missing__(self, key: tuple[Any, ...]) -> bytes:
        found = [
            struct.unpack_from(f"<{code}", key[0], place)[0] if code else key[place]
            for code, place in self._numbers
        ]
        dims = len(self._layout.box)
        made = encoded(self._driver, self._device, self._layout, key[1], found[:dims], found[dims:])
        if len(self) >= MOST:
            # Those that are needed are made again.
            self.clear()
        self[key] = made
        return made


def encoded(
    driver: Driver,
    device: int,
    layout: DescriptorLayout,
    pointer: int,
    sizes: Sequence[int],
    strides: Sequence[int],
) -> bytes:
    """The tensor map of a tensor at ``pointer``; zeros for one without elements, of which programs
    access nothing.

    Raises:
        DescriptorError: the driver makes none.
    """
    if min(sizes) < 1:
        return bytes(BYTES)
    rank, size = len(sizes), layout.element_bytes
    # No element is a stride of a dim of one element away from another: any will do.
    steps = [
        stride * size if length > 1 else _STRIDE
        for length, stride in zip(sizes, strides, strict=True)
    ]
    # The driver has the contiguous dim first.
    dims = (ctypes.c_uint64 * rank)(*reversed(sizes))
    distances = (ctypes.c_uint64 * rank)(*reversed(steps[:-1]))
    box = (ctypes.c_uint32 * rank)(*reversed(layout.box))
    all_elements = (ctypes.c_uint32 * rank)(*[1] * rank)
    block = (ctypes.c_char * (BYTES + ALIGNMENT))()
    start = -ctypes.addressof(block) % ALIGNMENT
    encode = functools.partial(
        driver.call,
        "TensorMapEncodeTiled",
        ctypes.byref(block, start),
        layout.element_type,
        rank,
        ctypes.c_void_p(pointer),
        dims,
        distances,
        box,
        all_elements,
        _NO_INTERLEAVE,
        layout.swizzle,
        _L2_LINES_OF_128,
        _ZEROS_OUTSIDE,
    )
    try:
        code = encode()
    except AttributeError:
        raise DescriptorError("the driver is too old for tensor descriptors") from None
    if code == _INVALID_CONTEXT:
        driver.enter(device)
        code = encode()
    if code:
        raise DescriptorError(
            f"the driver makes no tensor descriptor of sizes {[*sizes]} and strides {[*strides]} "
            f"(error {code})"
        )
    made = block.raw[start : start + BYTES]
    reach = sum(
        (length - 1) * step for length, step in zip(sizes, [*steps[:-1], size], strict=True)
    )
    if reach + 1 < _SMALL_TENSOR and driver.version <= _OLD_DRIVER:
        first, flags = struct.unpack_from("<2Q", made)
        made = struct.pack("<2Q", first, flags & ~_LARGE) + made[16:]
    return made
