"""Queries of torch about GPUs: current device and stream, name, free memory.

torch has a module for each kind of devices, with functions of the same names; which one is meant,
the back ends say.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from ninetoothed.artifacts.target import BACK_ENDS
from ninetoothed.errors import DeviceError

_NOTHING = contextlib.nullcontext()


def kind() -> str:
    """torch's name for the devices that are used: those of the first back end that has any."""
    return kind_of(len(BACK_ENDS))


@functools.cache
def kind_of(count: int) -> str:
    """The kind among the first back ends; more may be found later."""
    torch: Any = importlib.import_module("torch")
    first, *others = (row.device for row in BACK_ENDS[:count])
    for one in (first, *others) if others else ():
        module = getattr(torch, one, None)
        if module is not None and module.is_available():
            return one
    return first


def module() -> Any:
    """torch's module for these devices."""
    return getattr(importlib.import_module("torch"), kind())


def is_available() -> bool:
    """True if torch has such a device; without an import of torch, nobody can use one."""
    return "torch" in sys.modules and bool(module().is_available())


def is_initialized() -> bool:
    """True if a device was used: asking for more than its presence takes time the first time."""
    return bool(module().is_initialized())


def current() -> int:
    """The index of the current device.

    Raises:
        DeviceError: torch can use none.
    """
    try:
        return int(module().current_device())
    except (AssertionError, RuntimeError) as error:
        raise DeviceError(
            f"torch can use no CUDA or HIP device here ({str(error).splitlines()[0]}); pass CPU "
            "tensors (`tensor.cpu()`), which are evaluated without one, or install a torch built "
            "for your GPU"
        ) from error


def guard(index: int) -> AbstractContextManager[object]:
    """Makes ``index`` the current device inside a ``with`` block."""
    query, _ = raw()
    if query() == index:
        return _NOTHING
    chosen: AbstractContextManager[object] = module().device(index)
    return chosen


def stream(index: int) -> int:
    """The handle of the current stream of device ``index``."""
    return int(getattr(module().current_stream(index), f"{kind()}_stream"))


def raw() -> tuple[Callable[[], int], Callable[[int], int]]:
    """Fast queries for every launch: the current device's index, and a device's current stream."""
    current_device, current_stream = _raw(kind())
    return current_device or current, current_stream or stream


@functools.cache
def _raw(kind: str) -> tuple[Any, Any]:
    core: Any = importlib.import_module("torch._C")
    # The public ones take microseconds, mostly to make a Stream.
    return (
        getattr(core, f"_{kind}_getDevice", None),
        getattr(core, f"_{kind}_getCurrentRawStream", None),
    )


def name(index: int) -> str:
    """The product name of device ``index``: two products may share an architecture."""
    return str(module().get_device_name(index))


def free_memory(index: int) -> int:
    """Bytes that torch can still allocate on device ``index``, those that it keeps included."""
    torch = module()
    free = int(torch.mem_get_info(index)[0])
    # An allocator that is not torch's own may not tell.
    with contextlib.suppress(RuntimeError):
        free += int(torch.memory_reserved(index)) - int(torch.memory_allocated(index))
    return free


def out_of_memory() -> type[Exception]:
    """What torch raises where a device has too little memory."""
    found: type[Exception] = module().OutOfMemoryError
    return found


def is_capturing() -> bool:
    """True while launches are captured into a CUDA graph: nothing may be waited for then."""
    return bool(module().is_current_stream_capturing())
