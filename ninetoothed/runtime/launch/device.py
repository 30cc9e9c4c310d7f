"""What the runtime asks of torch about GPUs: current device and stream, name, free memory.

torch calls HIP devices ``cuda`` too, so one module serves both.
"""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from ninetoothed.errors import DeviceError


def _cuda() -> Any:
    return importlib.import_module("torch").cuda


def current() -> int:
    """The index of the current device.

    Raises:
        DeviceError: torch can use none.
    """
    try:
        return int(_cuda().current_device())
    except (AssertionError, RuntimeError) as error:
        raise DeviceError(
            f"torch can use no CUDA or HIP device here ({str(error).splitlines()[0]}); pass CPU "
            "tensors (`tensor.cpu()`), which are evaluated without one, or install a torch built "
            "for your GPU"
        ) from error


def guard(index: int) -> AbstractContextManager[object]:
    """Makes ``index`` the current device inside a ``with`` block."""
    if current() == index:
        return contextlib.nullcontext()
    chosen: AbstractContextManager[object] = _cuda().device(index)
    return chosen


def stream(index: int) -> int:
    """The handle of the current stream of device ``index``."""
    return int(_cuda().current_stream(index).cuda_stream)


def raw() -> tuple[Callable[[], int], Callable[[int], int]]:
    """Functions for every launch: the current device's index, and a device's current stream."""
    core: Any = importlib.import_module("torch._C")
    # The public ones take microseconds, mostly to make a Stream.
    return (
        getattr(core, "_cuda_getDevice", current),
        getattr(core, "_cuda_getCurrentRawStream", stream),
    )


def name(index: int) -> str:
    """The product name of device ``index``: two products may share an architecture."""
    return str(_cuda().get_device_name(index))


def free_memory(index: int) -> int:
    """Bytes that torch can still allocate on device ``index``, those that it keeps included."""
    cuda = _cuda()
    free = int(cuda.mem_get_info(index)[0])
    # An allocator that is not torch's own may not tell.
    with contextlib.suppress(RuntimeError):
        free += int(cuda.memory_reserved(index)) - int(cuda.memory_allocated(index))
    return free


def is_capturing() -> bool:
    """Whether launches are recorded into a CUDA graph now: nothing may be waited for then."""
    return bool(_cuda().is_current_stream_capturing())
