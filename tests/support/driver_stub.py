"""A library with the functions of CUDA's and HIP's drivers that records launches and runs nothing.

It is C, compiled here: so what a launch gives the driver lies where a driver would read it.
"""

from __future__ import annotations

import atexit
import ctypes
import functools
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ninetoothed.runtime.launch.driver import Api, Driver
from ninetoothed.runtime.toolchain.triton.drivers import CUDA

MOST_ARGUMENTS = 64
FUNCTION = 0x7000000000000002
"""The handle of every function."""

_SOURCE = """
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct {
  unsigned grid[3], block[3], shared;
  uint64_t stream, function;
  int context;
  uint64_t arguments[64];
} Launch;

enum { SHARED_OPTIN = 232448, THREADS = 1024 };

Launch launches[256];
int launched, arguments_count, failures_left, failure_code, registers = 32, local_bytes = 0;
int function_threads = 1024, set_shared, cache_config, retained, unloaded, keeps = 1;
char failing[64], loaded_code[64], loaded_name[64];
int multiprocessors = 4, per_multiprocessor = 2, occupancy_asked;
int encoded, map_argument = -1, driver_version = 13020;
uint64_t last_map[16];
static __thread uint64_t context;

static int fails(const char *name) {
  if (failures_left && !strcmp(name, failing)) {
    failures_left--;
    return failure_code;
  }
  return 0;
}

static int record(const unsigned *grid, unsigned shared, void *stream, void *function,
                  void **parameters) {
  if (!keeps) return 0;
  /* Threads launch at once. */
  Launch *launch = &launches[__atomic_fetch_add(&launched, 1, __ATOMIC_SEQ_CST) % 256];
  memcpy(launch->grid, grid, 24);
  launch->shared = shared;
  launch->stream = (uint64_t)stream;
  launch->function = (uint64_t)function;
  launch->context = (int)context;
  for (int i = 0; i < arguments_count; i++) launch->arguments[i] = *(uint64_t *)parameters[i];
  if (map_argument >= 0) {
    if ((uint64_t)parameters[map_argument] % 64) return 1;
    memcpy(last_map, parameters[map_argument], sizeof last_map);
  }
  return 0;
}

#define CHECKED(name) int code = fails(name); if (code) return code;

typedef struct {
  unsigned gx, gy, gz, bx, by, bz, shared;
  void *stream, *attributes;
  unsigned count;
} Config;

int cuLaunchKernelEx(const Config *config, void *function, void **parameters, void **extra) {
  if (!context) return 201;
  CHECKED("launch")
  if (extra || config->attributes || config->count) return 1;
  return record(&config->gx, config->shared, config->stream, function, parameters);
}

int hipModuleLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                          unsigned by, unsigned bz, unsigned shared, void *stream,
                          void **parameters, void **extra) {
  unsigned grid[6] = {gx, gy, gz, bx, by, bz};
  CHECKED("launch")
  return extra ? 1 : record(grid, shared, stream, function, parameters);
}

static int clear(void *address, unsigned char byte, size_t count) {
  CHECKED("clear")
  memset(address, byte, count);
  return 0;
}

int cuMemsetD8Async(void *address, unsigned char byte, size_t count, void *stream) {
  return context ? clear(address, byte, count) : 201;
}
int hipMemsetD8Async(void *address, unsigned char byte, size_t count, void *stream) {
  return clear(address, byte, count);
}

/* What it is given: 16 words, of which a driver would make its own. */
int cuTensorMapEncodeTiled(uint64_t *map, int type, unsigned rank, void *address,
                           const uint64_t *dims, const uint64_t *strides, const unsigned *box,
                           const unsigned *steps, int interleave, int swizzle, int lines,
                           int fill) {
  CHECKED("encode")
  if ((uint64_t)map % 64 || (uint64_t)address % 16 || rank > 5) return 1;
  __atomic_fetch_add(&encoded, 1, __ATOMIC_SEQ_CST);
  memset(map, 0, 128);
  map[0] = (uint64_t)address;
  map[1] = rank | 1 << 21;
  for (unsigned i = 0; i < rank; i++) {
    if (!dims[i] || steps[i] != 1) return 1;
    map[2 + i] = dims[i];
    map[11 + i / 2] |= (uint64_t)box[i] << 32 * (i % 2);
    if (i + 1 == rank) break;
    if (strides[i] % 16) return 1;
    map[7 + i] = strides[i];
  }
  map[14] = type | swizzle << 8 | interleave << 16 | lines << 24 | (uint64_t)fill << 32;
  return 0;
}

int cuDriverGetVersion(int *version) { *version = driver_version; return 0; }

int cuCtxGetCurrent(uint64_t *found) { *found = context; return 0; }
int cuCtxGetDevice(int *device) { *device = (int)context - 1000; return 0; }
int cuCtxSetCurrent(uint64_t given) { context = given; return 0; }
int cuDeviceGet(int *device, int index) { *device = index; return 0; }
int cuDevicePrimaryCtxRetain(uint64_t *found, int device) {
  retained++;
  *found = 1000 + device;
  return 0;
}

static int load(uint64_t *module, const char *image) {
  CHECKED("load")
  snprintf(loaded_code, sizeof loaded_code, "%s", image);
  *module = 0x7000000000000001;
  return 0;
}

static int get_function(uint64_t *function, uint64_t module, const char *name) {
  CHECKED("function")
  if (module != 0x7000000000000001) return 400;
  snprintf(loaded_name, sizeof loaded_name, "%s", name);
  *function = 0x7000000000000002;
  return 0;
}

static int function_attribute(int *value, int attribute, uint64_t function) {
  int values[] = {function_threads, 16, 0, local_bytes, registers};
  if (function != 0x7000000000000002) return 400;
  *value = values[attribute];
  return 0;
}

int cuModuleLoadData(uint64_t *module, const char *image) { return load(module, image); }
int hipModuleLoadData(uint64_t *module, const char *image) { return load(module, image); }
int cuModuleGetFunction(uint64_t *f, uint64_t m, const char *n) { return get_function(f, m, n); }
int hipModuleGetFunction(uint64_t *f, uint64_t m, const char *n) { return get_function(f, m, n); }
int cuFuncGetAttribute(int *v, int a, uint64_t f) { return function_attribute(v, a, f); }
int hipFuncGetAttribute(int *v, int a, uint64_t f) { return function_attribute(v, a, f); }

int cuFuncSetAttribute(uint64_t function, int attribute, int value) {
  if (function != 0x7000000000000002 || attribute != 8) return 400;
  set_shared = value;
  return 0;
}

int cuFuncSetCacheConfig(uint64_t function, int value) { cache_config = value; return 0; }

int cuDeviceGetAttribute(int *value, int attribute, int device) {
  *value = attribute == 97 ? SHARED_OPTIN : attribute == 1 ? THREADS
           : attribute == 16 ? multiprocessors : -1;
  return 0;
}

int hipDeviceGetAttribute(int *value, int attribute, int device) {
  *value = attribute == 74 ? 65536 : attribute == 56 ? THREADS
           : attribute == 63 ? multiprocessors : -1;
  return 0;
}

static int occupancy(int *value, uint64_t function, int threads, size_t shared) {
  CHECKED("occupancy")
  if (function != 0x7000000000000002 || threads < 1 || shared > SHARED_OPTIN) return 1;
  occupancy_asked++;
  *value = per_multiprocessor;
  return 0;
}

int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *v, uint64_t f, int t, size_t s) {
  if (!context) return 201;
  return occupancy(v, f, t, s);
}
int hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int *v, uint64_t f, int t, size_t s) {
  return occupancy(v, f, t, s);
}

int capture_mode;

static int exchange(int *mode) {
  int before = capture_mode;
  capture_mode = *mode;
  *mode = before;
  return 0;
}

int cuThreadExchangeStreamCaptureMode(int *mode) { return exchange(mode); }
int hipThreadExchangeStreamCaptureMode(int *mode) { return exchange(mode); }

int cuModuleUnload(uint64_t module) { unloaded++; return 0; }
int hipModuleUnload(uint64_t module) { unloaded++; return 0; }

static int text(int code, const char **found, const char *kind) {
  static char texts[2][64];
  char *here = texts[kind[0] == 'N'];
  snprintf(here, 64, "%s of %d", kind, code);
  *found = here;
  return 0;
}

int cuGetErrorName(int code, const char **found) { return text(code, found, "NAME"); }
int cuGetErrorString(int code, const char **found) { return text(code, found, "text"); }
int hipDrvGetErrorName(int code, const char **found) { return text(code, found, "NAME"); }
int hipDrvGetErrorString(int code, const char **found) { return text(code, found, "text"); }
"""


class _Launch(ctypes.Structure):
    _fields_ = (
        ("grid", ctypes.c_uint * 3),
        ("block", ctypes.c_uint * 3),
        ("shared", ctypes.c_uint),
        ("stream", ctypes.c_uint64),
        ("function", ctypes.c_uint64),
        ("context", ctypes.c_int),
        ("arguments", ctypes.c_uint64 * MOST_ARGUMENTS),
    )


@dataclass(frozen=True)
class Launch:
    """One recorded launch: ``arguments`` are 8 bytes each, from where a driver would read them."""

    grid: tuple[int, ...]
    block: tuple[int, ...]
    shared: int
    stream: int
    function: int
    context: int
    arguments: tuple[int, ...]


@dataclass(frozen=True)
class TensorMap:
    """What a tensor map was made of, the contiguous dim first; ``strides`` in bytes, from the
    second dim on. ``numbers``: the types of elements, of the swizzle and of the interleave, and the
    lines of the cache. ``is_large``: a flag of the driver's.
    """

    address: int
    dims: tuple[int, ...]
    strides: tuple[int, ...]
    box: tuple[int, ...]
    numbers: tuple[int, ...]
    is_large: bool


def available() -> bool:
    """True if there is a C compiler."""
    return shutil.which("cc") is not None


@functools.cache
def _file() -> str:
    folder = Path(tempfile.mkdtemp(prefix="ninetoothed-driver-stub-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    source, built = folder / "stub.c", folder / "stub.so"
    source.write_text(_SOURCE)
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", source, "-o", built], check=True)
    return str(built)


class Stub:
    """The library, as it is when loaded: nothing launched, nothing fails."""

    def __init__(self, api: Api = CUDA) -> None:
        # A copy of the file is a library of its own, with state of its own.
        with tempfile.NamedTemporaryFile(suffix=".so", delete=False) as file:
            file.write(Path(_file()).read_bytes())
        self._library = ctypes.CDLL(file.name)
        Path(file.name).unlink()
        self.driver = Driver(api, self._library)

    def __getattr__(self, name: str) -> int:
        return ctypes.c_int.in_dll(self._library, name).value

    def set(self, **numbers: int) -> None:
        """Sets variables of the library."""
        for name, value in numbers.items():
            ctypes.c_int.in_dll(self._library, name).value = value

    def fail(self, what: str, code: int, times: int = 1) -> None:
        """Lets the next calls of ``"load"``, ``"function"``, ``"launch"``, ``"encode"``,
        ``"clear"`` or ``"occupancy"`` return ``code``.
        """
        (ctypes.c_char * 64).in_dll(self._library, "failing").value = what.encode()
        self.set(failures_left=times, failure_code=code)

    def text(self, name: str) -> str:
        """The text in a variable of the library."""
        return (ctypes.c_char * 64).in_dll(self._library, name).value.decode()

    def tensor_map(self) -> TensorMap:
        """The tensor map that the latest launch passed as argument ``map_argument``."""
        words = (ctypes.c_uint64 * 16).in_dll(self._library, "last_map")
        rank = words[1] & 7
        box = [words[11 + place // 2] >> 32 * (place % 2) & 0xFFFFFFFF for place in range(rank)]
        return TensorMap(
            words[0],
            tuple(words[2 : 2 + rank]),
            tuple(words[7 : 6 + rank]),
            tuple(box),
            (words[14] & 255, words[14] >> 8 & 255, words[14] >> 16 & 255, words[14] >> 24 & 255),
            bool(words[1] >> 21),
        )

    def launches(self) -> list[Launch]:
        """The latest 256 launches."""
        table = (_Launch * 256).in_dll(self._library, "launches")
        count = self.arguments_count
        return [
            Launch(
                tuple(entry.grid),
                tuple(entry.block),
                entry.shared,
                entry.stream,
                entry.function,
                entry.context,
                tuple(entry.arguments[:count]),
            )
            for entry in table[: self.launched]
        ]

    def function(self, name: str) -> Any:
        """A function of the library."""
        return getattr(self._library, name)
