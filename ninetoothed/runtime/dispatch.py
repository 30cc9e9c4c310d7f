"""From a call to a launch: one kernel per signature, device and bucket of sizes.

The first call of a signature gets its space of configurations and their artifacts (from disk, or
from the compiler). Which configuration runs is decided for each bucket (see ``tuning.search``): by
a known result, by one of sizes nearby, by the model, or by timing. Every later call looks the
kernel up, checks the sizes and launches. A :class:`Dispatcher` may be used by several threads.

Sizes that fail the kernel's checks may pass them with another configuration, which is chosen then
among those that they pass with. Only where there is none, and outermost levels disagree, the call
is taken for one of a laxer class (``Signature.agreement``): another signature, with a family of its
own. So each call is of the strictest class that takes it, and what the classes compile is kept.
"""

from __future__ import annotations

import contextlib
import threading
import weakref
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ninetoothed import config as settings
from ninetoothed.artifacts.configuration import Config, volume
from ninetoothed.artifacts.sample import Sample
from ninetoothed.artifacts.signature import Signature
from ninetoothed.calls import guard_bands
from ninetoothed.calls.aliasing import is_tensor
from ninetoothed.calls.copies import Run
from ninetoothed.calls.places import Place, place_of
from ninetoothed.errors import (
    ArgumentError,
    CheckError,
    ConfigurationError,
    DeviceError,
    FallbackError,
)
from ninetoothed.runtime.launch import device
from ninetoothed.runtime.launch.launch_cache import Launched
from ninetoothed.runtime.launch.loaded import KernelPair, LoadedKernel
from ninetoothed.runtime.tuning import results
from ninetoothed.runtime.tuning.candidates import Absent, Candidates, Compiler
from ninetoothed.runtime.tuning.results import Bucket, Slot

if TYPE_CHECKING:
    from ninetoothed.runtime.tuning.report import TuningReport
    from ninetoothed.runtime.tuning.search import Search, Selection, Tune

# Kernels that are compiled together.
_AT_ONCE = 16

_dispatchers: weakref.WeakValueDictionary[int, Dispatcher] = weakref.WeakValueDictionary()
_postponed: dict[Slot, Postponed] | None = None


@dataclass(frozen=True)
class Postponed:
    """A search on device ``index``, under ``lock``, that waits for the end of
    :func:`postponing`.
    """

    search: Search
    index: int
    lock: threading.RLock


@contextlib.contextmanager
def postponing() -> Generator[dict[Slot, Postponed]]:
    """Postpones the timing of all threads: calls run with the model's choice meanwhile.

    Raises:
        ArgumentError: it is postponed already.
    """
    global _postponed
    if _postponed is not None:
        raise ArgumentError(
            "ninetoothed.tuning.synchronize was called by the function that another call of it "
            "runs; call one after the other"
        )
    found = _postponed = {}
    try:
        yield found
    finally:
        _postponed = None


def dispatchers() -> list[Dispatcher]:
    """Those of all kernels that are in use."""
    # Other threads may make kernels: this copies at once.
    found = [reference() for reference in _dispatchers.valuerefs()]
    return [dispatcher for dispatcher in found if dispatcher is not None]


class Family:
    """The calls of one signature on one device.

    ``untimed`` are choices for calls where nothing can be timed: inside a CUDA graph, and where
    something else is timed. ``replaced`` are kernels that graphs may still launch.
    """

    def __init__(self, candidates: Candidates) -> None:
        self.candidates = candidates
        self.only: KernelPair | None = None
        self.chosen: dict[Bucket, Selection] = {}
        self.untimed: dict[Bucket, Selection] = {}
        self.replaced: list[KernelPair] = []

    def known(self, values: tuple[Any, ...]) -> KernelPair | None:
        """The kernel of a call that needs no more thought, or None."""
        if self.only is not None:
            return self.only
        choice = self.chosen.get(results.bucket_of(values))
        return None if choice is None else choice.kernel

    def selection(
        self, values: tuple[Any, ...], selections: Mapping[Bucket, Selection]
    ) -> Selection | None:
        """The selection for a call, whose sizes that of its bucket may not fit; or None."""
        if not selections:
            return None
        fitting, bucket = self.candidates.fitting(values), results.bucket_of(values)
        for key in (bucket, (*bucket, *fitting.key)):
            selection = selections.get(key)
            if selection is not None and selection.kernel.artifact.config.values in fitting.sizes:
                return selection
        return None

    def forget(self, values: tuple[Any, ...]) -> None:
        """Drops the selections for calls of these sizes."""
        fitting, bucket = self.candidates.fitting(values), results.bucket_of(values)
        for selections in (self.chosen, self.untimed):
            for key in (bucket, (*bucket, *fitting.key)):
                selections.pop(key, None)

    def keep_used(self) -> None:
        """Unloads the kernels that no call uses."""
        used = [choice.kernel for one in (self.chosen, self.untimed) for choice in one.values()]
        self.candidates.keep_only([*used, *self.replaced])

    @property
    def is_used(self) -> bool:
        """True if a kernel of it was launched, as far as that is known."""
        return self.only is not None or bool(self.chosen or self.untimed)

    def prepared(self, agreed: Mapping[Bucket, Config]) -> dict[Bucket, KernelPair]:
        """The kernels of configurations that ranks have agreed upon, loaded as far as those that
        they replace are.

        Raises:
            ConfigurationError: one of them cannot run here.
        """
        known = {**self.untimed, **self.chosen}
        full = [
            config
            for bucket, config in agreed.items()
            if bucket in known and known[bucket].kernel.full is not None
        ]
        pairs = self.candidates.pairs(dict.fromkeys(agreed.values()), dict.fromkeys(full))
        return {bucket: pairs[config] for bucket, config in agreed.items()}

    def adopt(self, prepared: Mapping[Bucket, KernelPair]) -> bool:
        """Uses kernels from now on; False: it has used them before."""
        from ninetoothed.runtime.tuning.search import Selection

        is_new = False
        for bucket, kernel in prepared.items():
            old = self.chosen.get(bucket)
            if old is None or old.kernel is not kernel:
                is_new = True
                if old is not None:
                    self.replaced.append(old.kernel)
            self.chosen[bucket] = Selection(kernel, "synchronized", bucket)
        self.keep_used()
        return is_new


class Dispatcher:
    """Compiles, tunes and launches one kernel of the user.

    ``tune``: how configurations are chosen, ``NINETOOTHED_TUNE`` where None; ``limit``: how many
    are compiled and timed at most, for one bucket. ``on_replaced`` is called where calls that were
    launched are to launch another kernel.
    """

    def __init__(
        self,
        name: str,
        compiler: Compiler,
        tune: Tune | None = None,
        limit: int | None = None,
        on_replaced: Callable[[], None] = lambda: None,
    ) -> None:
        self.name = name
        self._compiler = compiler
        self._tune: Tune | None = tune
        self._limit = limit
        # Held while a kernel is prepared; a kernel that is ready is found without it.
        self._lock = threading.RLock()
        self._families: dict[tuple[Signature, int], Family] = {}
        self._on_replaced = on_replaced
        _dispatchers[id(self)] = self

    def launch(
        self, signature: Signature, values: tuple[Any, ...], place: Place | None = None
    ) -> Launched | None:
        """Runs the kernel on ``values``: its parameters in launch order, tensors and numbers.

        ``place``: the tensors' device, where it is known.

        Returns how calls like this one are launched from now on; None: there was no program, or
        the choice holds for this call alone.

        Raises:
            ArgumentError: the sizes do not fit one another, or need too many programs.
            ConfigurationError: no configuration can run on the device.
            DeviceError: the tensors are on a device that nothing serves, or a configuration did not
                end while it was timed.
        """
        kind, index = place or _place(values)
        if kind != device.kind():
            raise _elsewhere(self.name, kind)
        with device.guard(index):
            try:
                family = self._families.get((signature, index))
                kernel = None if family is None else family.known(values)
                if family is not None and kernel is not None:
                    return self._run(family, kernel, values)
                return self._launch(signature, values, index)
            except CheckError as error:
                return self._relaunch(signature, values, index, error)

    def best(self, signature: Signature, values: tuple[Any, ...]) -> Config | None:
        """The configuration that calls like this one use, or None before the first of them."""
        kind, index = _place(values)
        if kind != device.kind() or (signature, index) not in self._families:
            return None
        with device.guard(index), self._lock:
            family = self._called(signature, values, index)
            if family.only is not None:
                return family.only.artifact.config
            choice = family.selection(values, family.chosen)
            return None if choice is None else choice.kernel.artifact.config

    def runs(self, signature: Signature, values: tuple[Any, ...], sample: Sample) -> Generator[Run]:
        """Launches a call on copies of its arguments, in memory with guard bands, by a sample of
        the configurations that can run, each with the choices of passes one by one, from small
        blocks to large ones.

        Raises:
            ConfigurationError: none can.
        """
        kind, index = _place(values)
        if kind != device.kind():
            raise _elsewhere(self.name, kind)
        with device.guard(index):
            with self._lock:
                candidates = self._called(signature, values, index).candidates
            if candidates.optimizations == settings.optimizations():
                yield from self._runs(candidates, values, sample)
                return
            # Calls keep what they were given.
            candidates = Candidates(self.name, self._compiler, candidates.signature, index)
            try:
                yield from self._runs(candidates, values, sample)
            finally:
                candidates.keep_only(())

    def _runs(
        self, candidates: Candidates, values: tuple[Any, ...], sample: Sample
    ) -> Generator[Run]:
        fitting, space = candidates.fitting(values).configs, candidates.space
        ordered = sorted(fitting, key=lambda one: (volume(one.values), one.num_warps))
        chosen = sample.of_each([(config, *space.varied(config)) for config in ordered])
        chosen = list(dict.fromkeys(chosen))
        found = False
        for start in range(0, len(chosen), _AT_ONCE):
            batch = chosen[start : start + _AT_ONCE]
            with self._lock:
                pairs = candidates.kernels(batch)
                candidates.kernels([pair.artifact.config for pair in pairs], values)
            # The full kernel as well, where the call may launch it.
            ready = [(pair.general, pair.ready(values)) for pair in pairs]
            for kernel in filter(None, dict.fromkeys(one for two in ready for one in two)):
                copies = tuple(guard_bands.banded(values))
                try:
                    kernel.launch(copies)
                except FallbackError:
                    # A call would launch the one with the default of each choice.
                    continue
                found = True
                artifact, stray = kernel.artifact, guard_bands.stray_write(values, copies)
                yield Run(artifact.config, copies, frozenset(artifact.writes), stray, artifact.full)
        if not found:
            raise candidates.failure({})

    def report(self, signature: Signature, values: tuple[Any, ...]) -> TuningReport:
        """Report of how the configuration of calls like this one was chosen, or would be."""
        from ninetoothed.runtime.tuning.report import TuningReport
        from ninetoothed.runtime.tuning.search import Search, Selection

        kind, index = _place(values)
        mode = self._mode()
        if kind != device.kind():
            sizes = results.shapes_of(values)
            return TuningReport(self.name, kind, mode, "interpreted", sizes, sizes, None, None, ())
        with device.guard(index), self._lock:
            family = self._called(signature, values, index)
            choice = family.selection(values, family.chosen)
            choice = choice or family.selection(values, family.untimed)
            if family.only is not None:
                choice = Selection(family.only, "only")
            search = Search(family.candidates, values, mode, self._limit)
            return search.report(choice)

    def precompile(
        self,
        signature: Signature,
        values: tuple[Any, ...],
        place: Absent,
        refinements: int | None = None,
    ) -> tuple[list[Config], dict[Config, str]]:
        """Compiles what the first call like this one may need on a device that is not here: all
        that tuning may try. Nothing is launched. ``refinements`` as in ``Search.precompile``.

        Returns the configurations that are in the cache now, none where a call launches no program;
        and why others cannot be compiled.

        Raises:
            ArgumentError: the sizes do not fit one another.
            ConfigurationError: no configuration can be compiled.
            DeviceError: the compiler is not installed.
        """
        from ninetoothed.runtime.tuning.search import Search

        # As a call is taken for one of a laxer class.
        for one in (signature, *signature.laxer):
            candidates = Candidates(self.name, self._compiler, one, place)
            try:
                search = Search(candidates, values, self._mode(), self._limit)
                if search.programs() == 0:
                    return [], {}
            except CheckError as error:
                if error.is_agreement and one.laxer:
                    continue
                raise ArgumentError(error.message) from None
            if not candidates.space.is_single:
                return search.precompile(refinements), candidates.failures
            found = candidates.compiled(candidates.space.configs, values)
            if not found:
                raise candidates.failure({})
            return found, {}
        raise AssertionError("the last class is the laxest")

    @contextlib.contextmanager
    def families(self) -> Generator[list[tuple[int, Family]]]:
        """The families that are used, each with the index of its device; nothing else prepares
        kernels meanwhile.
        """
        with self._lock:
            families = ((index, family) for (_, index), family in self._families.items())
            yield [(index, family) for index, family in families if family.is_used]

    def adopt(self, prepared: Mapping[Family, Mapping[Bucket, KernelPair]]) -> None:
        """Uses kernels that families have prepared, from now on."""
        with self.families() as families:
            is_new = False
            for index, family in families:
                if family in prepared:
                    with device.guard(index):
                        is_new |= family.adopt(prepared[family])
            if is_new:
                self._on_replaced()

    def _launch(self, signature: Signature, values: tuple[Any, ...], index: int) -> Launched | None:
        """Launches a call of this class, as :meth:`launch` does.

        Raises:
            CheckError: its sizes do not fit one another, whatever the configuration.
        """
        family = self._families.get((signature, index))
        if family is not None:
            if family.only is not None:
                return self._run(family, family.only, values)
            choice = family.selection(values, family.chosen)
            if choice is not None:
                return self._run(family, choice.kernel, values)
            family.candidates.check(values)
        kernel, lasts = self._prepare(signature, values, index)
        if kernel is None:
            return None
        launched = self._run(self._family(signature, index), kernel, values)
        return launched if lasts else None

    def _run(self, family: Family, pair: KernelPair, values: tuple[Any, ...]) -> Launched | None:
        """Launches the one of two kernels that is for a call, which is loaded if it is not yet.

        Returns None where the other one ran in its place for once.
        """
        kernel = pair.ready(values)
        if kernel is not None:
            return self._launched(family, kernel, values)
        # Wrong sizes need no kernel, nor do empty ones.
        if pair.host.checked(values)[0] == 0:
            return None
        is_capturing = device.is_capturing()
        if is_capturing and pair.general is not None:
            # Nothing is compiled while a graph is captured, and what is loaded is right.
            self._launched(family, pair.general, values)
            return None
        with self._lock, self._explained(is_capturing):
            family.candidates.kernels([pair.artifact.config], values)
            kernel, lasts = pair.ready(values), True
            if kernel is None and family.only is None:
                # Calls that launch its full kernel chose it; from now on, all take another.
                family.forget(values)
                other, lasts = self._chosen(family, values, is_capturing)
                kernel = None if other is None else other.ready(values)
        if kernel is None:
            raise family.candidates.failure({})
        launched = self._launched(family, kernel, values)
        return launched if lasts else None

    def _launched(
        self, family: Family, kernel: LoadedKernel, values: tuple[Any, ...]
    ) -> Launched | None:
        """Launches a kernel; or where there is no scratch memory or descriptor for it, for once the
        one with the default of each choice, which needs none.

        Raises:
            ConfigurationError: that one cannot run.
        """
        try:
            return kernel.launch(values)
        except FallbackError:
            is_capturing = device.is_capturing()
            with self._lock, self._explained(is_capturing):
                pair = family.candidates.first_kernel([kernel.artifact.config.plain], values)
            if pair is None:
                raise
            if is_capturing and pair not in family.replaced:
                family.replaced.append(pair)
        other = pair.ready(values)
        assert other is not None
        other.launch(values)
        return None

    def _relaunch(
        self, signature: Signature, values: tuple[Any, ...], index: int, error: CheckError
    ) -> Launched | None:
        """Launches a call that fails a check of its bucket's kernel: with a configuration that it
        passes, or else as a call of a laxer class.

        Raises:
            ArgumentError: its sizes do not fit one another, whatever the configuration and class.
        """
        classes = [*signature.laxer] if error.is_agreement else []
        fitting = self._family(signature, index).candidates.fitting(values)
        if fitting.key and (fitting.configs or not error.is_agreement):
            classes = [signature, *signature.laxer]
        for one in classes:
            try:
                return self._launch(one, values, index)
            except CheckError as found:
                error = found
                if not error.is_agreement:
                    break
        raise ArgumentError(error.message)

    def _called(self, signature: Signature, values: tuple[Any, ...], index: int) -> Family:
        """The family of the first class that takes a call; of the given one where none does."""
        for one in (signature, *signature.laxer):
            family = self._family(one, index)
            try:
                family.candidates.programs(values)
            except CheckError as error:
                if error.is_agreement:
                    continue
                break
            except ConfigurationError:
                pass
            return family
        return self._family(signature, index)

    def _mode(self) -> Tune:
        return self._tune or settings.tune()

    def _family(self, signature: Signature, index: int) -> Family:
        family = self._families.get((signature, index))
        if family is None:
            family = Family(Candidates(self.name, self._compiler, signature, index))
            self._families[signature, index] = family
        return family

    def _prepare(
        self, signature: Signature, values: tuple[Any, ...], index: int
    ) -> tuple[KernelPair | None, bool]:
        """The kernel of a call, and whether it lasts; None where no program is launched."""
        with self._lock:
            family = self._family(signature, index)
            candidates, is_capturing = family.candidates, device.is_capturing()
            space = candidates.space
            if family.only is None and space.is_single:
                # Neither the model nor the tuner has a say, so they are not imported. Wrong sizes
                # are told before anything is compiled, and where there are none, no kernel is.
                if candidates.programs(values) == 0:
                    return None, False
                with self._explained(is_capturing):
                    family.only = candidates.first_kernel(space.configs, values)
                if family.only is None:
                    raise candidates.failure({})
            if family.only is not None:
                return family.only, True
            return self._chosen(family, values, is_capturing)

    def _chosen(
        self, family: Family, values: tuple[Any, ...], is_capturing: bool
    ) -> tuple[KernelPair | None, bool]:
        """The kernel of a call where there are several configurations."""
        from ninetoothed.runtime.tuning import timing
        from ninetoothed.runtime.tuning.search import Search

        search = Search(family.candidates, values, self._mode(), self._limit)
        bucket = search.bucket
        if bucket in family.chosen:
            return family.chosen[bucket].kernel, True
        if search.programs() == 0:
            return None, False
        if is_capturing or timing.is_timing():
            return self._untimed(family, search, is_capturing), False
        postponed = _postponed
        if postponed is None:
            choice = search.run()
        elif (choice := search.known()) is None:
            place = Postponed(search, device.current(), self._lock)
            postponed.setdefault((family.candidates.key, bucket), place)
            return self._untimed(family, search, is_capturing), False
        family.chosen[bucket] = choice
        family.keep_used()
        return choice.kernel, True

    def _untimed(self, family: Family, search: Search, is_capturing: bool) -> KernelPair:
        """The kernel of a call for which nothing can be timed."""
        if search.bucket not in family.untimed:
            with self._explained(is_capturing):
                family.untimed[search.bucket] = search.untimed()
        return family.untimed[search.bucket].kernel

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


def _elsewhere(name: str, kind: str) -> DeviceError:
    return DeviceError(
        f"kernel {name!r} was called with tensors on {kind!r}; pass tensors on a CUDA or HIP "
        "device (`tensor.cuda()`)"
    )


def _place(values: tuple[Any, ...]) -> Place:
    """The device that the tensors are on, as ``bind`` has checked; those on the meta device stand
    for no data.
    """
    places = (place_of(value.device) for value in values if is_tensor(value))
    found = next((place for place in places if place.kind != "meta"), None)
    return found or Place(device.kind(), device.current())
