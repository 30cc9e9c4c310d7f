"""CUDA's and HIP's driver libraries."""

from __future__ import annotations

import ctypes
import importlib
from typing import Any

from ninetoothed.errors import DeviceError
from ninetoothed.runtime.launch.driver import Api, Driver

CUDA = Api(
    "libcuda.so.1",
    "cu",
    "cu",
    "cuLaunchKernelEx",
    "config, function, parameters, None",
    "OccupancyMaxActiveBlocksPerMultiprocessor",
    has_contexts=True,
    device_shared=97,
    device_threads=1,
    device_multiprocessors=16,
    common_shared=48 << 10,
)
HIP = Api(
    "libamdhip64.so",
    "hip",
    "hipDrv",
    "hipModuleLaunchKernel",
    "function, programs, 1, 1, threads, 1, 1, shared, Handle(stream), parameters, None",
    "ModuleOccupancyMaxActiveBlocksPerMultiprocessor",
    has_contexts=False,
    device_shared=74,
    device_threads=56,
    device_multiprocessors=63,
)


def open_driver() -> Driver:
    """The library that torch was built for.

    Raises:
        DeviceError: it cannot be loaded, or is too old.
    """
    torch: Any = importlib.import_module("torch")
    api = CUDA if getattr(torch.version, "hip", None) is None else HIP
    name = api.library if api is CUDA else _loaded_library(api.library)
    try:
        return Driver(api, ctypes.CDLL(name))
    except (OSError, AttributeError) as error:
        raise DeviceError(
            f"{name} cannot be used ({error}); install the vendor's driver, of a version that your "
            "torch supports"
        ) from error


def _loaded_library(name: str) -> str:
    """The library's file that the process has loaded already: torch brings its own."""
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as file:
        for line in file:
            path = line.rstrip("\n").split(maxsplit=5)[-1]
            if f"/{name}" in path:
                return path
    return name
