"""The configurations of one signature on one device: from a name to a kernel that is loaded.

What the disk has is taken from there; only for the rest is the compiler asked, which imports xDSL.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from ninetoothed import config as settings
from ninetoothed.artifacts.artifact import Artifact, Binary
from ninetoothed.artifacts.configuration import Config, Space
from ninetoothed.artifacts.signature import Signature
from ninetoothed.artifacts.target import Target
from ninetoothed.cache import artifact_store
from ninetoothed.calls.generated import defined
from ninetoothed.errors import CheckError, ConfigurationError
from ninetoothed.runtime import toolchain
from ninetoothed.runtime.launch import device
from ninetoothed.runtime.launch.loaded import Host, KernelPair, LoadedKernel
from ninetoothed.runtime.toolchain import pool
from ninetoothed.runtime.tuning import results

if TYPE_CHECKING:
    from ninetoothed.artifacts.capabilities import Product
    from ninetoothed.runtime.tuning import model
    from ninetoothed.runtime.tuning.model import Ranked

Sizes = tuple[tuple[str, int], ...]
"""Block sizes of a configuration, by name."""
OnDone = Callable[[int, int], None]
"""Callback: how many of how many are done."""


class Compiler(Protocol):
    """Interface of the compiler, for what the disk does not have."""

    def key(self, signature: Signature, target: Target) -> str:
        """Cache key of a signature's space and artifacts."""
        ...

    def space(self, signature: Signature, target: Target) -> Space:
        """Space of a signature's configurations.

        Raises:
            ConfigurationError: nothing that could run.
        """
        ...

    def artifact(
        self, signature: Signature, config: Config, target: Target, full: bool = False
    ) -> Artifact:
        """The kernel of one configuration; ``full``: for calls in which all guards hold.

        Raises:
            ConfigurationError: the configuration cannot be compiled.
        """
        ...


class Fitting(NamedTuple):
    """Configurations whose block sizes pass the checks of a call.

    ``key``: tells calls apart by which they are; empty where all are.
    """

    configs: tuple[Config, ...]
    sizes: frozenset[Sizes]
    key: tuple[int, ...]


class Absent(NamedTuple):
    """A device that is not here, for which kernels are compiled."""

    target: Target
    product: Product


class Candidates:
    """Configurations of ``signature`` on a device: artifacts, kernels and failures.

    ``place``: the number of the current device; or one that is not here, on which nothing can be
    loaded. ``failures``: why some of them cannot run. ``optimizations``: the setting by which they
    are compiled. One thread at a time.
    """

    def __init__(
        self, name: str, compiler: Compiler, signature: Signature, place: int | Absent
    ) -> None:
        self.name = name
        self.signature = signature
        self.failures: dict[Config, str] = {}
        self.optimizations = settings.optimizations()
        self._place = place
        if isinstance(place, Absent):
            self.device, self._target = place.product.name, place.target
        else:
            self.device = device.name(place)
            self._target = toolchain.active().active_target()
        self._compiler = compiler
        # None: it cannot be compiled, or must not be launched.
        self._hosts: dict[Config, Host | None] = {}
        self._pairs: dict[Config, KernelPair] = {}
        self._fittings: dict[int, Fitting] = {}
        self._any_host: Host | None = None
        # Of the latest call that was asked for: in the next configuration mostly, too.
        self._all_guards_hold = False

    @cached_property
    def space(self) -> Space:
        """Space of the signature's configurations."""
        space = artifact_store.load_space(self._cache_key)
        if space is None:
            space = self._compiler.space(self.signature, self._target)
            artifact_store.store_space(self._cache_key, space)
        return space

    @property
    def version(self) -> str:
        """The compiler's version."""
        return toolchain.of(self._target).version()

    @cached_property
    def key(self) -> str:
        """Key of the tuning results."""
        version = self.version + self._target.back_end.origin
        return results.key(
            self.name, self.signature, self._target, self.space, self.device, version
        )

    def fitting(self, values: Sequence[Any]) -> Fitting:
        """The configurations for a call with these arguments."""
        mask = -1
        if self._fits is not None:
            fits = self._fits(*values)
            passed = (fits(*(size for _, size in sizes)) for sizes in self._sizes)
            mask = sum(1 << place for place, passes in enumerate(passed) if passes)
            if mask == (1 << len(self._sizes)) - 1:
                mask = -1
        found = self._fittings.get(mask)
        if found is None:
            sizes = frozenset(one for place, one in enumerate(self._sizes) if mask >> place & 1)
            configs = tuple(config for config in self.space.listed if config.values in sizes)
            found = Fitting(configs, sizes, () if mask == -1 else (mask,))
            self._fittings[mask] = found
        return found

    def programs(self, values: tuple[Any, ...], preferred: Iterable[Config] = ()) -> int:
        """Number of programs of a call, by one of the configurations for it: one that is at hand,
        or the first that has an artifact, of ``preferred`` and then of all.

        Raises:
            CheckError: its sizes do not fit one another, whatever the configuration.
            ConfigurationError: no configuration can be compiled.
        """
        fitting = self.fitting(values)
        if fitting.configs:
            configs = itertools.chain(preferred, fitting.configs)
            host = self._first_host(configs, fitting.sizes)
        else:
            host = self._first_host(self.space.configs, frozenset(self._sizes))
        self._any_host = host
        return _programs(host, values, fitting)

    def check(self, values: tuple[Any, ...]) -> None:
        """Checks the sizes of a call, as far as that takes no further artifact. Any thread may.

        Raises:
            CheckError: they do not fit one another, whatever the configuration.
        """
        host = self._any_host
        if host is None:
            return
        fitting = self.fitting(values)
        if self._fits is None or not fitting.configs:
            _programs(host, values, fitting)

    def _first_host(self, preferred: Iterable[Config], sizes: frozenset[Sizes]) -> Host:
        """An artifact of one of these block sizes: one that is at hand, or that of the first of
        ``preferred`` that has one.

        Raises:
            ConfigurationError: none has.
        """
        at_hand = (host for config, host in self._hosts.items() if config.values in sizes)
        others = (self._host(config) for config in preferred if config.values in sizes)
        host = next(filter(None, itertools.chain(at_hand, others)), None)
        if host is None:
            raise self.failure({})
        return host

    def is_full(self, config: Config, values: tuple[Any, ...]) -> bool:
        """True if all guards of a configuration hold in a call."""
        pair = self._pairs.get(config)
        host = self._host(config) if pair is None else pair.host
        return host is not None and host.is_full(values)

    def ranked(self, values: Sequence[Any], configs: tuple[Config, ...]) -> list[Ranked]:
        """Configurations as the model of the device ranks them for a call: the best first, and
        those last that it refuses.
        """
        from ninetoothed.runtime.tuning import model

        space = dataclasses.replace(self.space, configs=configs, legal=(), packed=())
        return model.rank(space, values, self._properties)

    def first_kernel(
        self, configs: Iterable[Config], values: tuple[Any, ...] | None = None
    ) -> KernelPair | None:
        """The kernel of the first of these that can run here, or None; loaded as in
        :meth:`kernels`.
        """
        for config in configs:
            if kernels := self.kernels([config], values):
                return kernels[0]
        return None

    def kernels(
        self,
        configs: Sequence[Config],
        values: tuple[Any, ...] | None = None,
        on_done: OnDone = lambda done, total: None,
    ) -> list[KernelPair]:
        """The kernels of those that can run here, compiled several at once, and loaded: what a call
        with these arguments needs of each, or the general ones.
        """
        wanted, every = itertools.tee(self._wanted(configs, values))
        # A full one that cannot be compiled leaves the general one, which may be loaded.
        self._load((row for row in wanted if row[0].ready(values) is None), on_done)
        rows = list(every)
        # Where there is no full one, the general one does.
        others = [pair for pair, host in rows if host.artifact.full]
        missing = [pair for pair in others if pair.ready(values) is None]
        self._load(_general(missing), on_done)
        return [pair for pair, _ in rows if pair.ready(values) is not None]

    def pairs(
        self, configs: Collection[Config], full: Collection[Config]
    ) -> dict[Config, KernelPair]:
        """The kernels of all of these, loaded: the general ones, and of ``full`` those for calls in
        which all guards hold as well.

        Raises:
            ConfigurationError: one of them cannot run here.
        """
        pairs = {pair.artifact.config: pair for pair in self.kernels([*configs])}
        for config in configs:
            if config not in pairs:
                raise self.unable(config)
        wanted = [pairs[config] for config in full]
        missing = [self._full(pair) for pair in wanted if pair.has_full and pair.full is None]
        rows = [one for one in missing if one is not None and one[1].artifact.full]
        self._load(rows, lambda done, total: None)
        return pairs

    def compiled(
        self,
        configs: Sequence[Config],
        values: tuple[Any, ...],
        on_done: OnDone = lambda done, total: None,
    ) -> list[Config]:
        """Those that can be compiled: what :meth:`kernels` loads is in the cache then."""
        wanted, every = itertools.tee(self._wanted(configs, values))
        found = self._compile(wanted, on_done)
        done = {pair for pair, _, _ in found}
        others = [pair for pair, host in every if host.artifact.full]
        found += self._compile(_general(pair for pair in others if pair not in done), on_done)
        able = {pair.artifact.config for pair, _, _ in found}
        return [config for config in configs if config in able]

    def _wanted(
        self, configs: Iterable[Config], values: tuple[Any, ...] | None
    ) -> Iterator[tuple[KernelPair, Host]]:
        """The pairs of those that the compiler takes, and which kernel of each a call needs.

        Each comes when it is asked for: while the compiler makes the text of one, others are
        compiled.
        """
        for config in configs:
            pair = self._pair(config, values)
            if pair is None:
                continue
            needed = (pair, pair.host)
            if pair.ready(values) is None:
                needed = self._needed(pair, values)
            if needed is not None:
                yield needed

    def _pair(self, config: Config, values: tuple[Any, ...] | None) -> KernelPair | None:
        """The kernels of a configuration, of which one has its text; None: it has none.

        What all guards held for before, in others, is asked of the full kernel first: mostly the
        general one's text is not needed then.
        """
        if config in self._pairs:
            return self._pairs[config]
        host = None
        if self._all_guards_hold and values is not None and self._is_new(config):
            host = self._full_host(config)
            self._all_guards_hold = host is not None and host.is_full(values)
        if host is None or not self._all_guards_hold:
            host = self._host(config)
            self._all_guards_hold = host is not None and values is not None and host.is_full(values)
        if host is None:
            return None
        return self._pairs.setdefault(config, KernelPair(host, partial(self._host, config)))

    def _is_new(self, config: Config) -> bool:
        return config not in self._hosts and results.fault(self.key, config) is None

    def _full_host(self, config: Config) -> Host | None:
        try:
            return Host(self._artifact(config, full=True))
        except ConfigurationError:
            return None

    def _needed(
        self, pair: KernelPair, values: tuple[Any, ...] | None
    ) -> tuple[KernelPair, Host] | None:
        """The one of two kernels that a call needs; None: it has no text."""
        if pair.needs_full(values):
            return self._full(pair)
        return next(_general([pair]), None)

    def _full(self, pair: KernelPair) -> tuple[KernelPair, Host] | None:
        """The full one of two kernels; the general one where there is none."""
        config = pair.artifact.config
        host = pair.host if pair.artifact.full else self._full_host(config)
        if host is None:
            pair.give_up_full()
            return next(_general([pair]), None)
        return pair, host

    def _compile(
        self, missing: Iterable[tuple[KernelPair, Host]], on_done: OnDone
    ) -> list[tuple[KernelPair, Host, list[Binary]]]:
        """Compiles kernels of pairs; those that can be, the others are given up."""
        rows, every = itertools.tee(missing)
        compiled = _compiled((host for _, host in every), on_done)
        found: list[tuple[KernelPair, Host, list[Binary]]] = []
        for (pair, host), binaries in zip(rows, compiled, strict=True):
            if not isinstance(binaries, str):
                found.append((pair, host, binaries))
            elif host.artifact.full:
                pair.give_up_full()
            else:
                self._give_up(host.artifact.config, binaries)
        return found

    def _load(self, missing: Iterable[tuple[KernelPair, Host]], on_done: OnDone) -> None:
        """Compiles and loads kernels of pairs."""
        for pair, host, binaries in self._compile(missing, on_done):
            config, is_full = host.artifact.config, host.artifact.full
            try:
                pair.add(_loaded(host, binaries))
                self.failures.pop(config, None)
            except ConfigurationError as error:
                if is_full:
                    pair.give_up_full()
                    continue
                # What the device has no memory for now, it may have later.
                self.failures[config] = error.message

    def keep_only(self, kernels: Iterable[KernelPair]) -> None:
        """Unloads all kernels but these, and forgets their texts, which the disk has."""
        kept = {kernel.artifact.config for kernel in kernels}
        others = [self._pairs.pop(config) for config in [*self._pairs] if config not in kept]
        _unload([pair for pair in others if pair.loaded])
        for config in [*self._hosts]:
            if config not in kept and self._hosts[config] is not None:
                del self._hosts[config]

    def unable(self, config: Config) -> ConfigurationError:
        """The error that a configuration that ranks have agreed upon cannot run here."""
        reason = self.failures.get(config, "it is none of this kernel's")
        return ConfigurationError(
            f"kernel {self.name!r} cannot run with {config}, which the ranks of its process group "
            f"use: {reason}"
        )

    def failure(self, others: Mapping[Config, str]) -> ConfigurationError:
        """The error that no configuration can run; ``others``: further reasons."""
        if not self.space.configs:
            return ConfigurationError(
                f"kernel {self.name!r} has no configuration to run with on {self._target}; give "
                "its block sizes, num_warps and num_stages at least one value each"
            )
        found = {**self.failures, **others}
        reasons = [f"  {config}: {reason}" for config, reason in found.items()]
        return ConfigurationError(
            "\n".join(
                [
                    f"no configuration of kernel {self.name!r} can run on {self._target}:",
                    *reasons,
                    "write smaller block sizes or a smaller num_stages, or leave the choice to the "
                    "compiler with ninetoothed.block_size()",
                ]
            )
        )

    @cached_property
    def _sizes(self) -> list[Sizes]:
        """The choices of block sizes."""
        return list(dict.fromkeys(config.values for config in self.space.listed))

    @cached_property
    def _fits(self) -> Callable[..., Callable[..., bool]] | None:
        """The function ``fits`` of the space; None where there is nothing to choose by it."""
        if not self.space.fits or len(self._sizes) < 2:
            return None
        return defined(("fits",), self.space.fits, {})[0]

    @cached_property
    def _properties(self) -> model.Properties:
        from ninetoothed.runtime.tuning import model

        if isinstance(self._place, Absent):
            return model.Properties.described(self._place.product, self._target)
        return model.Properties.of(self._place, self._target)

    @cached_property
    def _cache_key(self) -> str:
        return self._compiler.key(self.signature, self._target)

    def _host(self, config: Config) -> Host | None:
        if config not in self._hosts:
            fault = results.fault(self.key, config)
            if fault is not None:
                self._give_up(config, fault)
                return None
            try:
                self._hosts[config] = Host(self._artifact(config))
            except ConfigurationError as error:
                self._give_up(config, error.message)
        return self._hosts[config]

    def _give_up(self, config: Config, reason: str) -> None:
        self.failures[config] = reason
        self._hosts[config] = None

    def _artifact(self, config: Config, full: bool = False) -> Artifact:
        key = f"{self._cache_key} {config}{', full' if full else ''}"
        artifact = artifact_store.load(key)
        if artifact is None:
            artifact = self._compiler.artifact(self.signature, config, self._target, full)
            artifact_store.store(key, artifact)
        return artifact


def _general(pairs: Iterable[KernelPair]) -> Iterator[tuple[KernelPair, Host]]:
    """The general kernels of pairs that have one."""
    for pair in pairs:
        host = pair.general_host()
        if host is not None:
            yield pair, host


def _programs(host: Host, values: tuple[Any, ...], fitting: Fitting) -> int:
    """Number of programs of a call by an artifact of one of the configurations for it.

    Raises:
        CheckError: the call's sizes do not fit one another.
    """
    try:
        programs, _ = host.checked(values)
        return programs
    except CheckError as error:
        if fitting.configs:
            raise
        if error.is_undefined:
            raise
        # Each configuration may fail another check.
        raise CheckError(error.message, host.agrees is not None) from None


def _compiled(hosts: Iterable[Host], on_done: OnDone) -> list[list[Binary] | str]:
    """Binary of each, and those of its packed copies; or the reason why there is none."""
    counts: list[int] = []
    numbers = itertools.count(1)

    def artifacts() -> Iterator[Artifact]:
        for host in hosts:
            counts.append(1 + len(host.copies))
            yield host.artifact
            for copy in host.copies:
                yield copy.artifact

    def done(position: int, result: Binary | str) -> None:
        on_done(next(numbers), sum(counts))

    results = iter(pool.compile(artifacts(), done))
    found: list[list[Binary] | str] = []
    for count in counts:
        results_of_row = list(itertools.islice(results, count))
        binaries = [one for one in results_of_row if not isinstance(one, str)]
        reason = next((one for one in results_of_row if isinstance(one, str)), None)
        found.append(binaries if reason is None else reason)
    return found


def _loaded(host: Host, binaries: Sequence[Binary]) -> LoadedKernel:
    """The kernel on the current device.

    Raises:
        ConfigurationError: the device has too little for it.
    """
    with relaxed():
        driver = toolchain.active_driver()
        loaded, *copies = [driver.load(binary) for binary in binaries]
        return LoadedKernel(host, loaded, copies)


def _unload(kernels: Iterable[KernelPair]) -> None:
    with relaxed():
        for kernel in kernels:
            kernel.unload()


def relaxed() -> AbstractContextManager[None]:
    """Relaxed capture mode: this thread may load code and wait while another captures a graph."""
    return toolchain.active_driver().relaxed()
