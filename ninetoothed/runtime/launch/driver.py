"""Loads and launches binaries by ctypes, through CUDA's driver API or a library like it.

torch has made the context that all runs in, the device's primary one; a thread that has never used
the device is given it here. A launch lets go of Python's lock: it waits where a stream's queue is
full, and what empties the queue may be a function in Python. The arguments of a launch therefore
lie in cells that belong to one launch at a time.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import importlib
import struct
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ninetoothed.artifacts.artifact import (
    Binary,
    DescriptorLayout,
    Scratch,
    dims_of_descriptor,
)
from ninetoothed.calls.generated import defined
from ninetoothed.errors import ConfigurationError, DescriptorError, DeviceError, ScratchError
from ninetoothed.runtime.launch import device, tensor_maps
from ninetoothed.runtime.launch.packed_numbers import bfloat16, code_of, converted
from ninetoothed.runtime.launch.tensor_maps import Number, TensorMaps


@dataclass(frozen=True)
class Api:
    """Names and attribute numbers of a vendor's API, whose functions and arguments are alike.

    ``prefix`` begins the functions' names. ``launch`` is the function that launches, and
    ``launch_call`` its arguments in Python. ``occupancy`` is the one that says how many programs
    of a function a multiprocessor runs at once, without the prefix. The numbers are those of
    attributes of a device (the most shared memory and threads that a program may have, and its
    multiprocessors) and of a function. ``common_shared``: what a program may have without asking
    for more, where it has to ask.
    """

    library: str
    prefix: str
    error_prefix: str
    launch: str
    launch_call: str
    occupancy: str
    has_contexts: bool
    device_shared: int
    device_threads: int
    device_multiprocessors: int
    function_threads: int = 0
    function_shared: int = 1
    function_local: int = 3
    function_registers: int = 4
    common_shared: int | None = None


# CUDA's and HIP's numbers are the same.
_INVALID_CONTEXT = 201
# Invalid values (of a launch: what it asks for), memory, configuration, resources.
_ASKS_TOO_MUCH = frozenset((1, 2, 9, 701))
# After these the context is lost, and whatever runs next is told of them: ECC, an address or an
# instruction, a launch that took too long, failed or asserted, tensor memory that was not given
# back, a context that is gone.
_LOST_CONTEXT = frozenset((214, 220, 226, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 721))

_DYNAMIC_SHARED = 8
_PREFER_SHARED = 1

_RELAXED = 2

_SCRATCH_ALIGNMENT = 256
"""Bytes that each of several scratch memories begins at a multiple of, as torch's tensors do."""
_SLOT = 8
# CUlaunchConfig: grid, block and shared memory, then the stream, the attributes and their number.
_CONFIG = "7I4x"
_CONFIG_REST = "Q16x"
_CONFIG_BYTES = 56

Handle = ctypes.c_void_p


class Driver:
    """A vendor's library."""

    def __init__(self, api: Api, library: Any) -> None:
        self.api = api
        self._library = library
        self.launch: Callable[..., int] = getattr(library, api.launch)
        self._contexts: dict[int, Any] = {}

    @functools.cached_property
    def clear(self) -> Callable[[int, int, int, int], int]:
        """``clear(address, byte, count, stream)`` fills memory, in the order of the stream."""
        function: Any = getattr(self._library, f"{self.api.prefix}MemsetD8Async")
        function.argtypes = (Handle, ctypes.c_ubyte, ctypes.c_size_t, Handle)
        return function

    def call(self, name: str, *arguments: Any) -> int:
        """Calls a function of the library, and returns its error code."""
        return int(getattr(self._library, self.api.prefix + name)(*arguments))

    def check(self, code: int, what: str) -> None:
        """Raises the error of a function's code; ``what`` was tried.

        Raises:
            ConfigurationError: the device has too little of something.
            DeviceError: anything else.
        """
        if code == 0:
            return
        text = f"{what}: {self._text(code)}"
        if code in _ASKS_TOO_MUCH:
            raise ConfigurationError(text)
        if code in _LOST_CONTEXT:
            raise DeviceError(
                f"{text}; something that ran on the device before has failed, and nothing runs "
                "there any more: start a new process, and look for an access out of bounds (with "
                "CUDA_LAUNCH_BLOCKING=1 in the environment, or compute-sanitizer)"
            )
        raise DeviceError(text)

    def _text(self, code: int) -> str:
        found: list[str] = []
        for name in ("GetErrorName", "GetErrorString"):
            text = ctypes.c_char_p()
            function = getattr(self._library, self.api.error_prefix + name)
            if function(code, ctypes.byref(text)) == 0 and text.value is not None:
                found.append(text.value.decode(errors="replace"))
        return f"{found[0]} ({found[-1]})" if found else f"error {code}"

    @functools.cached_property
    def version(self) -> int:
        """The driver's version: 13010 is CUDA 13.1."""
        value = ctypes.c_int()
        self.check(self.call("DriverGetVersion", ctypes.byref(value)), "asking for its version")
        return value.value

    def device_attribute(self, attribute: int, index: int) -> int:
        """An attribute of device ``index``."""
        value = ctypes.c_int()
        code = self.call("DeviceGetAttribute", ctypes.byref(value), attribute, self._handle(index))
        self.check(code, "asking for a property of the device")
        return value.value

    def function_attribute(self, attribute: int, function: Any) -> int:
        """An attribute of a function."""
        value = ctypes.c_int()
        code = self.call("FuncGetAttribute", ctypes.byref(value), attribute, function)
        self.check(code, "asking for a property of a kernel")
        return value.value

    def enter(self, index: int) -> None:
        """Makes the context of device ``index`` this thread's: threads begin with none."""
        if not self.api.has_contexts:
            return
        current, place = Handle(), ctypes.c_int()
        self.check(self.call("CtxGetCurrent", ctypes.byref(current)), "asking for the context")
        handle = self._handle(index)
        if current.value:
            self.check(self.call("CtxGetDevice", ctypes.byref(place)), "asking for the context")
            if place.value == handle:
                return
        context = self._contexts.get(index)
        if context is None:
            context = Handle()
            code = self.call("DevicePrimaryCtxRetain", ctypes.byref(context), handle)
            self.check(code, "taking the device's context")
            # Held for the life of the process, as torch holds it.
            self._contexts[index] = context
        self.check(self.call("CtxSetCurrent", context), "entering the device's context")

    def load(self, binary: Binary) -> Loaded:
        """Loads ``binary`` on the current device.

        Raises:
            ConfigurationError: the device has too little shared memory, registers or threads for
                it, or no memory left.
            DeviceError: the driver cannot load it.
        """
        index = device.current()
        self.enter(index)
        most = self.device_attribute(self.api.device_shared, index)
        _check_fits("bytes of shared memory", binary.shared, most)
        threads = self.device_attribute(self.api.device_threads, index)
        _check_fits("threads", binary.threads, threads)
        module, function = Handle(), Handle()
        what = f"loading {binary.entry}"
        self.check(self.call("ModuleLoadData", ctypes.byref(module), binary.code), what)
        try:
            entry = binary.entry.encode()
            code = self.call("ModuleGetFunction", ctypes.byref(function), module, entry)
            self.check(code, what)
            loaded = Loaded(self, binary, index, module, function)
            if binary.threads > loaded.max_threads:
                raise ConfigurationError(
                    f"a program needs {binary.threads} threads of {loaded.registers} registers, "
                    f"and the device has registers for {loaded.max_threads}"
                )
            if self.api.common_shared is not None and binary.shared > self.api.common_shared:
                _allow_shared(self, loaded, most, what)
        except BaseException:
            self.call("ModuleUnload", module)
            raise
        return loaded

    @contextlib.contextmanager
    def relaxed(self) -> Generator[None]:
        """Relaxed capture mode: inside, this thread may load code while some graph is captured."""
        mode = ctypes.c_int(_RELAXED)
        self._exchange(mode)
        try:
            yield
        finally:
            # It holds what was before.
            self._exchange(mode)

    def _exchange(self, mode: ctypes.c_int) -> None:
        code = self.call("ThreadExchangeStreamCaptureMode", ctypes.byref(mode))
        self.check(code, "asking what a capture forbids")

    def _handle(self, index: int) -> int:
        if not self.api.has_contexts:
            return index
        handle = ctypes.c_int()
        self.check(self.call("DeviceGet", ctypes.byref(handle), index), "finding the device")
        return handle.value


class Loaded:
    """A binary on a device.

    It stays for the life of the process, as graphs may hold its function, unless :meth:`unload` is
    called. ``registers`` are a thread's; ``local_bytes`` are what of a thread did not fit into
    them; ``max_threads`` is what a program of it may have. ``is_kept``: calls are kept that launch
    it without asking again.
    """

    def __init__(
        self, driver: Driver, binary: Binary, index: int, module: Any, function: Any
    ) -> None:
        self.driver = driver
        self.binary = binary
        self.device = index
        self.function = function
        self.is_kept = False
        self._module = module
        api = driver.api
        self.registers = driver.function_attribute(api.function_registers, function)
        self.local_bytes = driver.function_attribute(api.function_local, function)
        self.max_threads = driver.function_attribute(api.function_threads, function)

    @functools.cached_property
    def resident(self) -> int:
        """The programs of it that the device runs at once.

        Raises:
            DeviceError: the driver does not say.
        """
        driver, api = self.driver, self.driver.api
        driver.enter(self.device)
        value = ctypes.c_int()
        shared = ctypes.c_size_t(self.binary.shared)
        code = driver.call(
            api.occupancy, ctypes.byref(value), self.function, self.binary.threads, shared
        )
        driver.check(code, f"asking how many programs of {self.binary.entry} run at once")
        units = driver.device_attribute(api.device_multiprocessors, self.device)
        return max(value.value, 1) * units

    def launcher(
        self, types: Sequence[str], of_shape: Sequence[bool], scratch: Sequence[Scratch] = ()
    ) -> Launcher:
        """A launcher for arguments of these types (see :class:`Launcher`)."""
        return Launcher(self, types, of_shape, scratch)

    def unload(self) -> None:
        """Frees the device's memory that it takes, unless calls are kept that launch it; nothing
        else may launch it afterwards.
        """
        if self.is_kept:
            return
        module, self._module = self._module, None
        if module is not None:
            self.driver.enter(self.device)
            code = self.driver.call("ModuleUnload", module)
            self.driver.check(code, f"unloading {self.binary.entry}")


def _check_fits(kind: str, needed: int, most: int) -> None:
    if needed > most:
        raise ConfigurationError(f"a program needs {needed} {kind}, and the device has {most}")


def _allow_shared(driver: Driver, loaded: Loaded, most: int, what: str) -> None:
    """Lets a function have more shared memory than is common."""
    function = loaded.function
    most -= driver.function_attribute(driver.api.function_shared, function)
    _check_fits("bytes of shared memory", loaded.binary.shared, most)
    driver.check(driver.call("FuncSetCacheConfig", function, _PREFER_SHARED), what)
    driver.check(driver.call("FuncSetAttribute", function, _DYNAMIC_SHARED, most), what)


class Launcher:
    """Launches a loaded kernel, whose arguments have these ``types``.

    An argument of a shape (where ``of_shape`` is true) is the same in all calls with tensors of the
    same shapes; :attr:`shape` packs these once, with the number of programs. The others are packed
    by each launch: pointers, and numbers that the call gives. ``scratch``: memory that each launch
    allocates, and whose pointers it passes behind them.
    """

    def __init__(
        self,
        loaded: Loaded,
        types: Sequence[str],
        of_shape: Sequence[bool],
        scratch: Sequence[Scratch] = (),
    ) -> None:
        self.loaded = loaded
        self._memories = tuple(scratch)
        self.types = tuple(types)
        self.of_shape = tuple(of_shape)
        fixed = [position for position, one in enumerate(of_shape) if one]
        self._varying = [position for position, one in enumerate(of_shape) if not one]
        mapped = [place for place, type in enumerate(types) if dims_of_descriptor(type)]
        # Descriptors are given as pointers, and passed behind all else.
        codes = ["Q" if place in mapped else code_of(type) for place, type in enumerate(types)]
        slots = [f"{code}{_SLOT - struct.calcsize('<' + code)}x" for code in codes]
        self._shape = struct.Struct("<" + "".join(slots[place] for place in fixed) + _CONFIG)
        self._config = _SLOT * len(fixed)
        head = self._shape.size
        packed = [position for position in self._varying if position not in mapped]
        self._packed = [self._varying.index(position) for position in packed]
        varying = "".join(slots[position] for position in packed) + "Q" * len(self._memories)
        own = f"{'Q' if loaded.binary.scratch else '8x'}8x"
        behind = self._config + _CONFIG_BYTES
        offsets = {position: _SLOT * place for place, position in enumerate(fixed)}
        offsets |= {position: behind + _SLOT * place for place, position in enumerate(packed)}
        # Behind a kernel's own arguments Triton's have two pointers: to memory for the programs,
        # and to some for profiles, which nobody asks for.
        last = behind + _SLOT * len(packed)
        end = last + _SLOT * len(self._memories)
        size = end + 2 * _SLOT
        gap = -size % tensor_maps.ALIGNMENT if mapped else 0
        maps = f"{gap}x" + f"{tensor_maps.BYTES}s" * len(mapped)
        self._pack = struct.Struct(f"<{head}s{_CONFIG_REST}{varying}{own}{maps}")
        self._parameters = self._pack.size
        offsets |= {
            position: size + gap + tensor_maps.BYTES * place
            for place, position in enumerate(mapped)
        }
        self._offsets = [offsets[position] for position in range(len(types))]
        self._offsets += range(last, end + 2 * _SLOT, _SLOT)
        self._maps = [
            self._tensor_maps(layout, position, fixed, codes)
            for layout, position in zip(loaded.binary.descriptors, mapped, strict=True)
        ]
        self.shape, self._given = self._packing_functions(fixed)
        self.run = self._run_function()
        self.known: Mapping[str, Any] = {"run": self.run, "bfloat16": bfloat16}

    def _tensor_maps(
        self, layout: DescriptorLayout, position: int, fixed: Sequence[int], codes: Sequence[str]
    ) -> tuple[TensorMaps, tuple[int, ...]]:
        """The tensor maps of the argument at ``position``; and which of the varying arguments their
        keys have, behind what launches of the same shape have in common.
        """
        own = [self._varying.index(position)]
        numbers: list[Number] = []
        for place in range(position + 1, position + 1 + 2 * len(layout.box)):
            if place in fixed:
                numbers.append(Number(codes[place], _SLOT * fixed.index(place)))
            else:
                own.append(self._varying.index(place))
                numbers.append(Number("", len(own)))
        loaded = self.loaded
        return TensorMaps(loaded.driver, loaded.device, layout, numbers), tuple(own)

    def launch(self, programs: int, arguments: Sequence[Any], stream: int) -> bytes:
        """Launches on the current device, which the kernel was loaded on, and returns what launches
        of the same shape have in common.

        Raises:
            ConfigurationError: the device has too little for a program.
            ScratchError: there is no scratch memory.
            DescriptorError: the driver makes no tensor descriptor of a tensor.
            DeviceError: the launch failed otherwise.
        """
        shape, given = self.shape(programs, arguments), self._given(arguments)
        for maps, own in self._maps:
            # What :attr:`run` would only refuse.
            _ = maps[shape, *(given[place] for place in own)]
        if not self.run(programs, shape, stream, *given):
            if self._memories:
                raise ScratchError("the device has no memory left for the kernel's scratch memory")
            raise DeviceError(
                f"{self.loaded.binary.entry} takes {', '.join(self.types)}, which do not hold what "
                f"it is given: {', '.join(map(str, arguments))}"
            )
        return shape

    def _packing_functions(self, fixed: Sequence[int]) -> list[Callable[..., Any]]:
        """``shape(programs, arguments)``: packed arguments and configuration that launches of one
        shape have in common; ``given(arguments)``: those that :attr:`run` takes.
        """
        texts = [
            f"converted({type!r}, arguments[{place}])"
            if type == "bf16" or type.startswith(("u", "fp"))
            else f"arguments[{place}]"
            for place, type in enumerate(self.types)
        ]
        binary = self.loaded.binary
        lines = [
            "def shape(programs, arguments):",
            f"    return pack({''.join(f'{texts[place]}, ' for place in fixed)}programs, 1, 1, "
            f"{binary.threads}, 1, 1, {binary.shared})",
            "def given(arguments):",
            f"    return ({''.join(f'{texts[place]}, ' for place in self._varying)})",
        ]
        known = {"pack": self._shape.pack, "converted": converted}
        return defined(("shape", "given"), "\n".join(lines), known)

    def varying(self, texts: Sequence[str]) -> list[str]:
        """Arguments of :attr:`run` that a call gives, as source over :attr:`known`; ``texts`` are
        those of all arguments.
        """
        return [
            f"bfloat16({texts[place]})" if self.types[place] == "bf16" else texts[place]
            for place in self._varying
        ]

    def _cell(self) -> tuple[Any, Any, Any]:
        """Memory for the arguments of one launch, and pointers to its parts."""
        words = self._parameters // _SLOT + len(self._offsets)
        memory = (ctypes.c_uint64 * (words + tensor_maps.ALIGNMENT // _SLOT))()
        gap = -ctypes.addressof(memory) % tensor_maps.ALIGNMENT
        block = (ctypes.c_uint64 * words).from_buffer(memory, gap)
        start = ctypes.addressof(block)
        first = self._parameters // _SLOT
        for place, offset in enumerate(self._offsets):
            block[first + place] = start + offset
        config = ctypes.byref(block, self._config)
        return block, config, ctypes.byref(block, self._parameters)

    def _run_function(self) -> Callable[..., bool]:
        """``run(programs, shape, stream, *varying)`` launches; False: a number is too large to be
        packed, or there is no scratch memory or descriptor, and nothing was launched.
        """
        names = [f"v{place}" for place in range(len(self._varying))]
        given = ", ".join(["programs", "shape", "stream", *names])
        binary = self.loaded.binary
        packed = ", ".join(["shape", "stream", *(f"v{place}" for place in self._packed)])
        lines = [f"def run({given}):"]
        if self._memories:
            lines += self._allocating()
            packed += "".join(f", address{place}" for place in range(len(self._memories)))
        if binary.scratch:
            lines.append("    memory = scratch(programs)")
            packed += ", memory.data_ptr()"
        for place, (_, own) in enumerate(self._maps):
            key = ", ".join(["shape", *(f"v{index}" for index in own)])
            lines += [
                "    try:",
                f"        map{place} = maps{place}[{key}]",
                "    except DescriptorError:",
                "        return False",
            ]
            packed += f", map{place}"
        launch = f"launch({self.loaded.driver.api.launch_call})"
        lines += [
            "    try:",
            "        block, config, parameters = cell = take()",
            "    except IndexError:",
            "        block, config, parameters = cell = new_cell()",
            "    try:",
            f"        pack(block, 0, {packed})",
            "    except (PackError, OverflowError):",
            "        return False",
            f"    code = {launch}",
            "    if code:",
            f"        code = entered(code) or {launch}",
            "    give(cell)",
            "    if code:",
            "        failed(code)",
            "    return True",
        ]
        cells: list[tuple[Any, Any, Any]] = []
        zeroed = any(one.zeroed for one in self._memories)
        torch: Any = importlib.import_module("torch") if self._memories else None
        known = {
            "torch": torch,
            "place": torch and torch.device(device.kind(), self.loaded.device),
            "clear": self.loaded.driver.clear if zeroed else None,
            "take": cells.pop,
            "give": cells.append,
            "new_cell": self._cell,
            "pack": self._pack.pack_into,
            "PackError": struct.error,
            "launch": self.loaded.driver.launch,
            # Made once: a new one for each launch takes longer.
            "function": Handle.from_param(self.loaded.function.value),
            "threads": binary.threads,
            "shared": binary.shared,
            "Handle": Handle,
            "scratch": self._scratch,
            "out_of_memory": device.out_of_memory,
            "entered": self._entered,
            "failed": self._failed,
            "DescriptorError": DescriptorError,
            **{f"maps{place}": maps for place, (maps, _) in enumerate(self._maps)},
        }
        (run,) = defined(("run",), "\n".join(lines), known)
        return run

    def _scratch(self, programs: int) -> Any:
        """Memory for the programs of one launch; torch uses it again in the stream's order."""
        torch: Any = importlib.import_module("torch")
        binary = self.loaded.binary
        place = torch.device(device.kind(), self.loaded.device)
        memory = torch.empty(programs * binary.scratch, dtype=torch.uint8, device=place)
        if memory.data_ptr() % binary.scratch_alignment:
            raise DeviceError(
                f"{binary.entry} needs memory at multiples of {binary.scratch_alignment} bytes, "
                "which torch does not give"
            )
        return memory

    def _allocating(self) -> list[str]:
        """Lines that allocate the scratch memory of one launch, what is zeroed at first: in one
        tensor, since each takes as long as a launch.
        """
        lines: list[str] = []
        end, zeroed = "0", None
        order = sorted(enumerate(self._memories), key=lambda one: not one[1].zeroed)
        for place, one in order:
            lines.append(
                f"    start{place} = {end} + {_SCRATCH_ALIGNMENT - 1} & {-_SCRATCH_ALIGNMENT}"
            )
            end = f"start{place} + programs * {one.bytes}"
            zeroed = end if one.zeroed else zeroed
        lines += [
            "    try:",
            f"        together = torch.empty({end}, dtype=torch.uint8, device=place)",
            "    except out_of_memory():",
            "        return False",
            "    first = together.data_ptr()",
            *(f"    address{place} = first + start{place}" for place, _ in order),
        ]
        if zeroed is not None:
            clear = f"clear(first, 0, {zeroed}, stream)"
            lines += [
                f"    code = {clear}",
                "    if code:",
                f"        code = entered(code) or {clear}",
                "        if code:",
                "            failed(code)",
            ]
        return lines

    def _entered(self, code: int) -> int:
        """0 where a thread without a context has entered the device's, and may try again what gave
        this error; else the error.
        """
        driver = self.loaded.driver
        if code != _INVALID_CONTEXT or not driver.api.has_contexts:
            return code
        driver.enter(self.loaded.device)
        return 0

    def _failed(self, code: int) -> None:
        self.loaded.driver.check(code, f"launching {self.loaded.binary.entry}")
