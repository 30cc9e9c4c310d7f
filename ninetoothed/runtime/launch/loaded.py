"""Loaded kernels: host functions of an artifact, and its binary on a device."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple

from ninetoothed import config as settings
from ninetoothed.artifacts.artifact import Artifact
from ninetoothed.calls.aliasing import is_tensor
from ninetoothed.calls.autograd import increment, mark_written
from ninetoothed.calls.generated import defined
from ninetoothed.errors import (
    ArgumentError,
    CheckError,
    ConfigurationError,
    FallbackError,
    ScratchError,
)
from ninetoothed.runtime.launch import device
from ninetoothed.runtime.launch.launch_cache import Launched, LaunchedKernel, Shape
from ninetoothed.runtime.launch.packed import CopyShape, Layout, PackedLauncher

if TYPE_CHECKING:
    from ninetoothed.runtime.launch.driver import Launcher, Loaded

MAX_PROGRAMS = 2**31 - 1
"""Largest first dimension of a grid, with CUDA and HIP."""


@dataclass(frozen=True)
class Trial:
    """One kernel to be timed: ``reads`` and ``writes`` name the entries of ``params``."""

    params: tuple[str, ...]
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    launch: Callable[[tuple[Any, ...]], object]


class Host:
    """An artifact with its host functions."""

    def __init__(self, artifact: Artifact) -> None:
        self.artifact = artifact
        self.written = artifact.written
        self._launch: FunctionType
        (self._launch,) = defined(("launch",), artifact.launch, {})
        self._is_full: Callable[..., bool] | None = self._launch.__globals__.get("is_full")
        self.copies = tuple(Host(packing.copy) for packing in artifact.prologue)
        """Those of the kernels that make its packed copies."""

    @property
    def has_full(self) -> bool:
        """True if there is another kernel, of calls in which all guards hold."""
        return self._is_full is not None

    def is_full(self, values: tuple[Any, ...]) -> bool:
        """True if all guards hold in a call that passes the checks, so that it may launch the other
        kernel.
        """
        try:
            return self._is_full is not None and self._is_full(*values)
        except ZeroDivisionError:
            return False

    def layouts(self, values: tuple[Any, ...]) -> list[Layout]:
        """The packed copies that a call needs."""
        if not self.copies:
            return []
        return [Layout(*row) for row in self._launch.__globals__["packed"](*values)]

    @property
    def agrees(self) -> Callable[..., bool] | None:
        """The function ``agrees`` of the artifact, or None."""
        return self._launch.__globals__.get("agrees")

    def checked(self, values: tuple[Any, ...]) -> tuple[int, Sequence[Any]]:
        """The number of programs, 0 included, and the device function's arguments.

        Raises:
            CheckError: the sizes do not fit one another, or one divides by another that is 0.
        """
        try:
            message, programs, arguments = self._launch(*values)
            if message is None:
                return programs, arguments
        except ZeroDivisionError:
            message = "a size or a symbol that the arrangement divides by is 0; give another"
        functions = self._launch.__globals__
        try:
            is_agreement = self.agrees is not None and not self.agrees(*values)
            is_undefined = "is_undefined" in functions and functions["is_undefined"](*values)
        except ZeroDivisionError:
            is_agreement = is_undefined = False
        raise CheckError(message, is_agreement, is_undefined)

    def sources(self, values: tuple[Any, ...]) -> tuple[int | None, ...] | None:
        """Of each argument of the device function that a call gives, the position of the value that
        is passed, or whose pointer is; None for one that is computed from the tensors' sizes and
        strides.

        None instead of all: more than that follows from a number, or something lies behind a
        tensor.
        """
        probes = [
            _Probe(position, value) if is_tensor(value) else _Passed(position)
            for position, value in enumerate(values)
        ]
        try:
            message, programs, found = self._launch(*probes)
        except Exception:
            # Numbers that stand for themselves cannot be computed with.
            return None
        if message is not None or type(programs) is not int:
            return None
        sources: list[int | None] = []
        for argument, value in zip(self.artifact.given, found, strict=True):
            if isinstance(value, _Passed):
                if not value.is_passed_as(argument.type):
                    return None
                sources.append(value.position)
            elif type(value) is int and not argument.type.startswith("*"):
                sources.append(None)
            else:
                return None
        return tuple(sources)


class _Passed:
    """Symbolic number or pointer of a call, which records the operations on it."""

    def __init__(self, position: int, steps: tuple[tuple[str, int], ...] = ()) -> None:
        self.position = position
        self._steps = steps

    def _step(self, operator: str, other: int) -> _Passed:
        return _Passed(self.position, (*self._steps, (operator, other)))

    def __add__(self, other: int) -> _Passed:
        return self._step("+", other)

    def __mod__(self, other: int) -> _Passed:
        return self._step("%", other)

    def __sub__(self, other: int) -> _Passed:
        return self._step("-", other)

    def __bool__(self) -> bool:
        raise TypeError("nothing is known of its value")

    def __eq__(self, other: object) -> bool:
        raise TypeError("nothing is known of its value")

    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def is_passed_as(self, type: str) -> bool:
        """True if it is passed as it is: at most as the signed number of the same bits."""
        if not self._steps:
            return True
        half = 1 << int(type[1:]) - 1 if type[0] == "u" else 0
        return self._steps == (("+", half), ("%", 2 * half), ("-", half))


class _Probe:
    """A tensor with a symbolic pointer."""

    def __init__(self, position: int, tensor: Any) -> None:
        self._position = position
        self.shape = tensor.shape
        self.stride = tensor.stride

    def data_ptr(self) -> _Passed:
        return _Passed(self._position)


class _Ready(NamedTuple):
    """What every launch needs: ``launch`` is the launcher's; ``stream`` tells a device's current
    stream, and ``raised`` raises version counters.
    """

    kernel: LaunchedKernel
    launch: Callable[..., Shape]
    stream: Callable[[int], int]
    raised: Callable[[Any], None]


class LoadedKernel:
    """An artifact that is loaded on a device, with the kernels that make its packed ``copies``."""

    def __init__(self, host: Host, loaded: Loaded, copies: Sequence[Loaded] = ()) -> None:
        self._host = host
        self._copies = tuple(copies)
        self.artifact = host.artifact
        self.loaded = loaded
        self._ready: _Ready | None = None

    def launch(self, values: tuple[Any, ...]) -> Launched | None:
        """Launches on the current device and stream; None: there is nothing to do.

        Raises:
            ArgumentError: the sizes do not fit one another, or too many programs are needed.
            ConfigurationError: the device has too little for a program.
            FallbackError: there is no scratch memory, or no descriptor of a tensor, or persistent
                programs cannot count all of them.
            DeviceError: the launch failed otherwise.
        """
        programs, arguments = self._host.checked(values)
        if programs == 0:
            return None
        if programs > MAX_PROGRAMS:
            raise ArgumentError(
                f"this call needs {programs} programs, and a device takes at most {MAX_PROGRAMS} "
                f"(2^31 - 1) in one launch; write larger block sizes (it ran with "
                f"{self.artifact.config}), or split the call"
            )
        if self.artifact.persistent:
            programs = self._persistent(programs)
        layouts = self._host.layouts(values)
        if self.artifact.scratch or layouts:
            self._check_scratch(programs, values, layouts)
        if self._ready is None:
            self._ready = self._made_ready(values)
        kernel, launch, stream, raised = self._ready
        packed = (self._copy_shapes(values, layouts),) if layouts else ()
        try:
            shape = launch(programs, arguments, stream(self.loaded.device), *packed)
        except FallbackError:
            raise
        except ConfigurationError as error:
            raise ConfigurationError(f"{self.artifact.config}: {error.message}") from error
        for place in self._host.written:
            mark_written(values[place], raised)
        return kernel, programs, shape

    def _persistent(self, programs: int) -> int:
        """How many programs do the work of ``programs``: no more than run at once.

        Raises:
            FallbackError: the number behind the last program's would not fit 32 bits.
        """
        launched = min(programs, self.loaded.resident)
        if programs - 1 + launched > MAX_PROGRAMS:
            raise FallbackError(f"{launched} programs do not count up to {programs} in 32 bits")
        return launched

    def _check_scratch(
        self, programs: int, values: tuple[Any, ...], layouts: Sequence[Layout]
    ) -> None:
        """Check that the setting allows as much scratch memory.

        Raises:
            ScratchError: it does not, or a packed copy would have too many elements.
        """
        size = programs * sum(one.bytes for one in self.artifact.scratch)
        size += sum(self._packed_bytes(values, layouts))
        if size > (most := settings.scratch_size()):
            raise ScratchError(
                f"the kernel needs {size} bytes of scratch memory, and NINETOOTHED_SCRATCH_SIZE "
                f"allows {most}"
            )

    def _packed_bytes(self, values: tuple[Any, ...], layouts: Sequence[Layout]) -> Iterator[int]:
        """The bytes of each packed copy."""
        for value, layout in zip(self._packed(values), layouts, strict=True):
            yield layout.bytes(value.element_size())

    def _packed(self, values: tuple[Any, ...]) -> list[Any]:
        """The parameters that there are packed copies of."""
        params = self.artifact.params
        return [values[params.index(packing.param)] for packing in self.artifact.prologue]

    def _copy_shapes(
        self, values: tuple[Any, ...], layouts: Sequence[Layout]
    ) -> tuple[CopyShape, ...]:
        """What launches of this shape have in common of each packed copy."""
        found: list[CopyShape] = []
        launchers = self._copy_launchers
        rows = zip(
            *(self._host.copies, launchers, self._packed(values), layouts),
            self._packed_bytes(values, layouts),
            strict=True,
        )
        for host, launcher, value, layout, size in rows:
            programs, arguments = host.checked((value, layout))
            found.append(CopyShape(size, programs, launcher.shape(programs, arguments)))
        return tuple(found)

    @cached_property
    def _copy_launchers(self) -> list[Launcher]:
        """The launchers of the kernels that make packed copies, of two pointers each."""
        found: list[Launcher] = []
        for loaded, host in zip(self._copies, self._host.copies, strict=True):
            types = [argument.type for argument in host.artifact.given]
            found.append(loaded.launcher(types, [not type.startswith("*") for type in types]))
        return found

    def _made_ready(self, values: tuple[Any, ...]) -> _Ready:
        types = [argument.type for argument in self.artifact.given]
        sources = self._host.sources(values)
        of_shape = [False] * len(types) if sources is None else [one is None for one in sources]
        _, stream = device.raw()
        launcher = self.loaded.launcher(types, of_shape, self.artifact.scratch)
        if self.artifact.prologue:
            places = [packing.places for packing in self.artifact.prologue]
            launcher = PackedLauncher(launcher, self._copy_launchers, places)
        kernel = LaunchedKernel(self.artifact, launcher, sources)
        return _Ready(kernel, launcher.launch, stream, increment())

    def unload(self) -> None:
        """Frees what it takes of the device, if no calls are kept that launch it."""
        self.loaded.unload()
        if not self.loaded.is_kept:
            for copy in self._copies:
                copy.unload()

    def trial(self) -> Trial:
        """The tuner's view of it."""
        artifact = self.artifact
        return Trial(artifact.params, artifact.reads, artifact.writes, self.launch)


class KernelPair:
    """The kernels of one configuration on a device: the general one, and the full one of calls in
    which all guards hold, which launches without them.

    Each is loaded when the first call needs it (see ``Candidates.kernels``). ``host`` is that of
    the one whose text was made first: both tell alike which calls the full one is for.
    ``general_host`` makes that of the general one, where it is another; None: it cannot be
    compiled. Calls take the general one too where the full one cannot be loaded.
    """

    def __init__(self, host: Host, general_host: Callable[[], Host | None]) -> None:
        self.host = host
        self.general_host = general_host
        self.artifact = host.artifact
        self.general: LoadedKernel | None = None
        self.full: LoadedKernel | None = None
        self.has_full = host.has_full

    def needs_full(self, values: tuple[Any, ...] | None) -> bool:
        """True if the full kernel is for a call; None: for calls of which nothing is known."""
        return self.has_full and values is not None and self.host.is_full(values)

    def ready(self, values: tuple[Any, ...] | None) -> LoadedKernel | None:
        """The kernel of a call, if it is loaded."""
        return self.full if self.needs_full(values) else self.general

    def add(self, kernel: LoadedKernel) -> None:
        """Sets one of the two."""
        if kernel.artifact.full:
            self.full = kernel
        else:
            self.general = kernel

    def give_up_full(self) -> None:
        """From now on, all calls take the general kernel."""
        self.has_full = False

    @property
    def loaded(self) -> list[LoadedKernel]:
        """Those that are loaded."""
        return [kernel for kernel in (self.general, self.full) if kernel is not None]

    def unload(self) -> None:
        """Frees what they take of the device, as :meth:`LoadedKernel.unload`."""
        for kernel in self.loaded:
            kernel.unload()
