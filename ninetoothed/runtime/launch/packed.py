"""Launches of kernels that read packed copies of parameters: the copies first, then the kernel, all
on one stream.

The copies are in memory of torch's allocator, which each launch asks for anew: it is used again in
the stream's order, by later launches too, and within a CUDA graph it is the graph's.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ninetoothed.errors import ScratchError
from ninetoothed.runtime.launch import device

if TYPE_CHECKING:
    # Only loaded kernels need the driver.
    from ninetoothed.runtime.launch.driver import Launcher

_MOST_ELEMENTS = 2**31 - 1
"""A kernel's offsets may have 32 bits, as far as the parameter is concerned that it is made for."""


class CopyShape(NamedTuple):
    """A copy, as far as launches of one shape have it in common: the bytes of its memory, and what
    launches the kernel that makes it.
    """

    bytes: int
    programs: int
    shape: bytes


class PackedShape(NamedTuple):
    """What launches of one shape have in common: the kernel's own, and its copies."""

    own: bytes
    copies: tuple[CopyShape, ...]


class Layout:
    """A packed copy before there is memory for it, in the place of a tensor."""

    def __init__(self, shape: tuple[int, ...], strides: tuple[int, ...]) -> None:
        self.shape = shape
        self._strides = strides

    def stride(self) -> tuple[int, ...]:
        """The strides in elements."""
        return self._strides

    def data_ptr(self) -> int:
        """No pointer: each launch has another one."""
        return 0

    def bytes(self, element_bytes: int) -> int:
        """The bytes of memory that it takes.

        Raises:
            ScratchError: its offsets may have more than 32 bits.
        """
        if 0 in self.shape:
            return 0
        steps = zip(self.shape, self._strides, strict=True)
        elements = max(size * stride for size, stride in steps)
        if elements > _MOST_ELEMENTS:
            raise ScratchError(
                f"a packed copy would have {elements} elements, and at most {_MOST_ELEMENTS} "
                "(2^31 - 1) are addressed"
            )
        return elements * element_bytes


class PackedLauncher:
    """Launches a kernel by ``launcher``, and before it the kernels that make its packed copies, by
    one of ``copies`` each. ``places``: the kernel's arguments that point to each copy, given as
    pointers to the parameter.
    """

    def __init__(
        self, launcher: Launcher, copies: Sequence[Launcher], places: Sequence[Sequence[int]]
    ) -> None:
        self.loaded = launcher.loaded
        self.varying = launcher.varying
        self.known = {**launcher.known, "run": self.run}
        self._launcher = launcher
        self._copies = tuple(copies)
        self._places = tuple(tuple(row) for row in places)
        varying = [place for place, fixed in enumerate(launcher.of_shape) if not fixed]
        self._varying = tuple(tuple(map(varying.index, row)) for row in self._places)

    def launch(
        self, programs: int, arguments: Sequence[Any], stream: int, copies: tuple[CopyShape, ...]
    ) -> PackedShape:
        """Launches as :meth:`Launcher.launch` does, behind ``copies``.

        Raises:
            ScratchError: there is no memory for the copies; and as that raises.
        """
        given = list(arguments)
        memories = self._copied(given, self._places, stream, copies)
        if memories is None:
            raise ScratchError("the device has no memory left for the kernel's packed copies")
        return PackedShape(self._launcher.launch(programs, given, stream), copies)

    def run(self, programs: int, shape: PackedShape, stream: int, *varying: Any) -> bool:
        """Launches; False: there is no memory, or as of :attr:`Launcher.run`, and the kernel was
        not launched.
        """
        given = list(varying)
        memories = self._copied(given, self._varying, stream, shape.copies)
        return memories is not None and self._launcher.run(programs, shape.own, stream, *given)

    def _copied(
        self,
        given: list[Any],
        places: Sequence[Sequence[int]],
        stream: int,
        copies: Sequence[CopyShape],
    ) -> list[Any] | None:
        """Launches the copies, which ``given`` points to afterwards, at ``places``. Returns their
        memory, which is not to be freed before the kernel is launched; None: there is none.
        """
        torch: Any = importlib.import_module("torch")
        place = torch.device(device.kind(), self.loaded.device)
        memories: list[Any] = []
        for launcher, copy, row in zip(self._copies, copies, places, strict=True):
            try:
                memory = torch.empty(copy.bytes, dtype=torch.uint8, device=place)
            except device.out_of_memory():
                return None
            memories.append(memory)
            pointer = memory.data_ptr()
            if copy.programs and not launcher.run(
                copy.programs, copy.shape, stream, given[row[0]], pointer
            ):
                return None
            for index in row:
                given[index] = pointer
        return memories
