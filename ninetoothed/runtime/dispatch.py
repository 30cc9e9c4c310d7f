"""From a call to a launch: one kernel per signature, device and bucket of sizes.

The first call of a signature gets its space of configurations and their artifacts (from disk, or
from the compiler). Which configuration runs is decided for each bucket (see ``tuning.search``): by
a known result, by one of sizes nearby, by the model, or by timing. Every later call looks the
kernel up, checks the sizes and launches. A :class:`Dispatcher` may be used by several threads.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from ninetoothed import config as settings
from ninetoothed.artifacts.configuration import Config
from ninetoothed.artifacts.signature import Signature
from ninetoothed.calls.aliasing import is_tensor
from ninetoothed.errors import DeviceError
from ninetoothed.runtime.launch import device
from ninetoothed.runtime.launch.launch_cache import Launched
from ninetoothed.runtime.launch.loaded import LoadedKernel
from ninetoothed.runtime.tuning import results
from ninetoothed.runtime.tuning.candidates import Candidates, Compiler
from ninetoothed.runtime.tuning.results import Bucket

if TYPE_CHECKING:
    from ninetoothed.runtime.tuning.report import TuningReport
    from ninetoothed.runtime.tuning.search import Choice, Tune


class _Family:
    """The calls of one signature on one device.

    ``untimed`` are choices for calls where nothing can be timed: inside a CUDA graph, and where
    something else is timed.
    """

    def __init__(self, candidates: Candidates) -> None:
        self.candidates = candidates
        self.only: LoadedKernel | None = None
        self.chosen: dict[Bucket, Choice] = {}
        self.untimed: dict[Bucket, Choice] = {}

    def known(self, values: tuple[Any, ...]) -> LoadedKernel | None:
        """The kernel of a call that needs no more thought, or None."""
        if self.only is not None:
            return self.only
        choice = self.chosen.get(results.bucket_of(values))
        return None if choice is None else choice.kernel


class Dispatcher:
    """Compiles, tunes and launches one kernel of the user.

    ``tune``: how configurations are chosen, ``NINETOOTHED_TUNE`` where None; ``limit``: how many
    are compiled and timed at most, for one bucket.
    """

    def __init__(
        self, name: str, compiler: Compiler, tune: Tune | None = None, limit: int | None = None
    ) -> None:
        self.name = name
        self._compiler = compiler
        self._tune: Tune | None = tune
        self._limit = limit
        # Held while a kernel is prepared; a kernel that is ready is found without it.
        self._lock = threading.RLock()
        self._families: dict[tuple[Signature, int], _Family] = {}

    def launch(self, signature: Signature, values: tuple[Any, ...]) -> Launched | None:
        """Runs the kernel on ``values``: its parameters in launch order, tensors and numbers.

        Returns how calls like this one are launched from now on; None: there was no program, or
        the choice holds for this call alone.

        Raises:
            ArgumentError: the sizes do not fit one another, or need too many programs.
            ConfigurationError: no configuration can run on the device.
            DeviceError: the tensors are on a device that nothing serves, or a configuration did not
                end while it was timed.
        """
        kind, index = _place(values)
        if kind != device.kind():
            raise DeviceError(
                f"kernel {self.name!r} was called with tensors on {kind!r}; pass tensors on a CUDA "
                "or HIP device (`tensor.cuda()`)"
            )
        with device.guard(index):
            family = self._families.get((signature, index))
            kernel = None if family is None else family.known(values)
            if kernel is not None:
                return kernel.launch(values)
            kernel, lasts = self._prepare(signature, values, index)
            if kernel is None:
                return None
            launched = kernel.launch(values)
            return launched if lasts else None

    def best(self, signature: Signature, values: tuple[Any, ...]) -> Config | None:
        """The configuration that calls like this one use, or None before the first of them."""
        kind, index = _place(values)
        family = self._families.get((signature, index)) if kind == device.kind() else None
        kernel = None if family is None else family.known(values)
        return None if kernel is None else kernel.artifact.config

    def report(self, signature: Signature, values: tuple[Any, ...]) -> TuningReport:
        """Report of how the configuration of calls like this one was chosen, or would be."""
        from ninetoothed.runtime.tuning.report import TuningReport
        from ninetoothed.runtime.tuning.search import Choice, Search

        kind, index = _place(values)
        mode = self._mode()
        if kind != device.kind():
            sizes = results.shapes_of(values)
            return TuningReport(self.name, kind, mode, "interpreted", sizes, sizes, None, None, ())
        with device.guard(index), self._lock:
            family = self._family(signature, index)
            bucket = results.bucket_of(values)
            choice = family.chosen.get(bucket) or family.untimed.get(bucket)
            if family.only is not None:
                choice = Choice(family.only, "only")
            search = Search(family.candidates, values, mode, self._limit)
            return search.report(choice)

    def _mode(self) -> Tune:
        return self._tune or settings.tune()

    def _family(self, signature: Signature, index: int) -> _Family:
        family = self._families.get((signature, index))
        if family is None:
            family = _Family(Candidates(self.name, self._compiler, signature, index))
            self._families[signature, index] = family
        return family

    def _prepare(
        self, signature: Signature, values: tuple[Any, ...], index: int
    ) -> tuple[LoadedKernel | None, bool]:
        """The kernel of a call, and whether it lasts; None where no program is launched."""
        with self._lock:
            family = self._family(signature, index)
            candidates, is_capturing = family.candidates, device.is_capturing()
            configs = candidates.space.configs
            if family.only is None and len(configs) == 1:
                # Neither the model nor the tuner has a say, so they are not imported. Wrong sizes
                # are told before anything is compiled, and where there are none, no kernel is.
                if candidates.first_host(configs).checked_programs(values) == 0:
                    return None, False
                with self._explained(is_capturing):
                    family.only = candidates.first_kernel(configs)
                if family.only is None:
                    raise candidates.failure({})
            if family.only is not None:
                return family.only, True
            return self._chosen(family, values, is_capturing)

    def _chosen(
        self, family: _Family, values: tuple[Any, ...], is_capturing: bool
    ) -> tuple[LoadedKernel | None, bool]:
        """The kernel of a call where there are several configurations."""
        from ninetoothed.runtime.tuning import timing
        from ninetoothed.runtime.tuning.search import Search

        bucket = results.bucket_of(values)
        if bucket in family.chosen:
            return family.chosen[bucket].kernel, True
        search = Search(family.candidates, values, self._mode(), self._limit)
        if search.programs() == 0:
            return None, False
        if is_capturing or timing.is_timing():
            if bucket not in family.untimed:
                with self._explained(is_capturing):
                    family.untimed[bucket] = search.untimed()
            return family.untimed[bucket].kernel, False
        choice = family.chosen[bucket] = search.run()
        used = [*family.chosen.values(), *family.untimed.values()]
        family.candidates.keep_only([choice.kernel for choice in used])
        return choice.kernel, True

    @contextlib.contextmanager
    def _explained(self, is_capturing: bool) -> Generator[None, None, None]:
        """Adds the remedy to an error of loading that a captured CUDA graph causes."""
        try:
            yield
        except DeviceError as error:
            if not is_capturing:
                raise
            raise DeviceError(
                f"kernel {self.name!r} is called for the first time while a CUDA graph is "
                f"captured, and its code cannot be loaded then ({error.message}); call it once "
                "before the capture"
            ) from error


def _place(values: tuple[Any, ...]) -> tuple[str, int]:
    """The type and the index of the device that the tensors are on, as ``bind`` has checked; those
    on the meta device stand for no data.
    """
    devices = (value.device for value in values if is_tensor(value))
    where = next((one for one in devices if one.type != "meta"), None)
    if where is None:
        return device.kind(), device.current()
    return where.type, 0 if where.index is None else int(where.index)
