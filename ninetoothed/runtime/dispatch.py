"""From a call to a launch: one compiled kernel per signature, configuration and device.

The first call of a signature gets its artifacts (from disk, or from the compiler), compiles and
loads them and, where several configurations compete, times them; every later call looks the kernel
up, checks the sizes and launches. A :class:`Dispatcher` may be used by several threads at once.
"""

from __future__ import annotations

import functools
import hashlib
import json
import threading
from collections.abc import Callable, Sequence
from typing import Any

from ninetoothed.artifact import Artifact, Config, Signature, Target
from ninetoothed.errors import ConfigurationError, DeviceError
from ninetoothed.runtime import artifact_cache, compile_pool, device, triton_compat, tuner
from ninetoothed.runtime.loaded import Host, LoadedKernel
from ninetoothed.runtime.repeated import Launched

Compile = Callable[[Signature, Config, Target], Artifact]
Configurations = Callable[[Signature], Sequence[Config]]
CacheKey = Callable[[Signature, Config, Target], str]
Interpret = Callable[[Signature, tuple[Any, ...]], None]

# A device's type ("cuda", "cpu", ...) and index.
_Place = tuple[str, int]


class Dispatcher:
    """Compiles, tunes and launches one kernel of the user.

    ``compile`` makes the artifact of a signature and a configuration for a target;
    ``configurations`` lists what may be tried, best guess first; ``cache_key`` names everything
    that an artifact depends on; ``interpret`` evaluates a call on CPU tensors.
    """

    def __init__(
        self,
        name: str,
        compile: Compile,
        configurations: Configurations,
        cache_key: CacheKey,
        interpret: Interpret | None = None,
    ) -> None:
        self.name = name
        self._compile = compile
        self._configurations = configurations
        self._cache_key = cache_key
        self._interpret = interpret
        # Held while a kernel is prepared; a kernel that is ready is found without it.
        self._lock = threading.RLock()
        self._ready: dict[tuple[Signature, int], LoadedKernel] = {}
        self._tuned: dict[tuple[Signature, int], list[tuple[Config, float | str]]] = {}

    def launch(self, signature: Signature, values: tuple[Any, ...]) -> Launched | None:
        """Runs the kernel on ``values``: its parameters in launch order, tensors and numbers.

        Returns what was launched on a GPU; None: no program was.

        Raises:
            ArgumentError: the sizes do not fit one another, or need too many programs.
            ConfigurationError: no configuration can run on the device.
            DeviceError: the tensors are on several devices, or on one that nothing serves.
        """
        kind, index = self._place(signature, values)
        if kind == "cpu" and self._interpret is not None:
            self._interpret(signature, values)
            return None
        if kind != "cuda":
            raise DeviceError(
                f"kernel {self.name!r} was called with tensors on {kind!r}; pass tensors on a CUDA "
                "or HIP device (`tensor.cuda()`)"
                + (", or CPU tensors (`tensor.cpu()`)" if self._interpret is not None else "")
            )
        with device.guard(index):
            kernel = self._ready.get((signature, index))
            if kernel is None:
                kernel = self._prepare(signature, values, index)
            return None if kernel is None else kernel.launch(values)

    def best(self, signature: Signature) -> Config | None:
        """The configuration that calls with ``signature`` use, or None before the first of them."""
        for (known, _), kernel in self._ready.copy().items():
            if known == signature:
                return kernel.artifact.config
        return None

    def tuned(self, signature: Signature) -> list[tuple[Config, float | str]]:
        """Each configuration that was timed here, with its milliseconds or why it cannot run."""
        for (known, _), results in self._tuned.copy().items():
            if known == signature:
                return list(results)
        return []

    def _place(self, signature: Signature, values: tuple[Any, ...]) -> _Place:
        """The device that all tensors are on; those on the meta device stand for no data."""
        found: _Place | None = None
        first = 0
        for position, value in enumerate(values):
            if not tuner.is_tensor(value):
                continue
            where = value.device
            if where.type == "meta":
                continue
            place = (where.type, 0 if where.index is None else int(where.index))
            if found is None:
                found, first = place, position
            elif place != found:
                raise DeviceError(
                    f"kernel {self.name!r} was called with {_param(signature, first)} on "
                    f"{values[first].device} and {_param(signature, position)} on {where}; move "
                    f"them to one device, for example `{_param(signature, position)}"
                    f".to({str(values[first].device)!r})`"
                )
        return found if found is not None else ("cuda", device.current())

    def _prepare(
        self, signature: Signature, values: tuple[Any, ...], index: int
    ) -> LoadedKernel | None:
        """The kernel for this signature and device, or None where this call launches no program."""
        with self._lock:
            kernel = self._ready.get((signature, index))
            if kernel is not None:
                return kernel
            target = triton_compat.active_target()
            configs = tuple(dict.fromkeys(self._configurations(signature)))
            make = functools.partial(self._artifact, signature, target)
            search = _Search(self.name, target, configs, make)
            # Before anything is compiled: wrong sizes are told at once, and none need no kernel.
            if search.first_host().checked_programs(values) == 0:
                return None
            if len(configs) == 1:
                kernel = search.only_kernel()
            else:
                kernel = self._choose(search, signature, values, index, target)
            self._ready[signature, index] = kernel
            return kernel

    def _artifact(self, signature: Signature, target: Target, config: Config) -> Artifact:
        key = self._cache_key(signature, config, target)
        artifact = artifact_cache.load(key)
        if artifact is None:
            artifact = self._compile(signature, config, target)
            artifact_cache.store(key, artifact)
        return artifact

    def _choose(
        self,
        search: _Search,
        signature: Signature,
        values: tuple[Any, ...],
        index: int,
        target: Target,
    ) -> LoadedKernel:
        """The fastest configuration: chosen before, where that is known, else by the clock."""
        key = self._choice_key(signature, search.configs, target, index)
        choice = artifact_cache.load_choice(key)
        if choice in search.configs:
            known = search.kernel(choice)
            if known is not None:
                return known
        kernels = search.all_kernels()
        trials = [kernel.trial() for kernel in kernels]
        for kernel, result in zip(kernels, tuner.time_trials(trials, values), strict=True):
            search.results[kernel.artifact.config] = result
        self._tuned[signature, index] = [
            (config, search.results[config]) for config in search.configs
        ]
        times: list[tuple[float, int]] = []
        for position, kernel in enumerate(kernels):
            result = search.results[kernel.artifact.config]
            if isinstance(result, float):
                times.append((result, position))
        if not times:
            raise search.failure()
        best = kernels[min(times)[1]]
        artifact_cache.store_choice(key, best.artifact.config)
        return best

    def _choice_key(
        self, signature: Signature, configs: Sequence[Config], target: Target, index: int
    ) -> str:
        parts = [
            self.name,
            str(target),
            device.name(index),
            triton_compat.version(),
            *(self._cache_key(signature, config, target) for config in configs),
            *(str(config) for config in configs),
        ]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _param(signature: Signature, position: int) -> str:
    if position < len(signature.params):
        return signature.params[position].name
    return f"argument {position}"


class _Search:
    """The configurations of one signature, and what became of each on the way to a kernel."""

    def __init__(
        self,
        name: str,
        target: Target,
        configs: tuple[Config, ...],
        make: Callable[[Config], Artifact],
    ) -> None:
        self._name = name
        self._target = target
        self._make = make
        self._hosts: dict[Config, Host] = {}
        self.configs = configs
        self.results: dict[Config, float | str] = {}

    def first_host(self) -> Host:
        """The first configuration that has an artifact: for what all of them have in common."""
        for config in self.configs:
            host = self._host(config)
            if host is not None:
                return host
        raise self.failure()

    def only_kernel(self) -> LoadedKernel:
        """The kernel of the first configuration, which is all there is."""
        kernel = self.kernel(self.configs[0])
        if kernel is None:
            raise self.failure()
        return kernel

    def all_kernels(self) -> list[LoadedKernel]:
        """The kernels of all configurations that can run, compiled several at once."""
        hosts = [host for config in self.configs if (host := self._host(config)) is not None]
        reasons = compile_pool.precompile([host.artifact for host in hosts])
        kernels: list[LoadedKernel] = []
        for host, reason in zip(hosts, reasons, strict=True):
            config = host.artifact.config
            if reason is not None:
                self.results[config] = reason
            elif (kernel := self.kernel(config)) is not None:
                kernels.append(kernel)
        if not kernels:
            raise self.failure()
        return kernels

    def kernel(self, config: Config) -> LoadedKernel | None:
        """The kernel of ``config``, loaded on the current device; None if it cannot run there."""
        host = self._host(config)
        if host is None:
            return None
        try:
            compiled = triton_compat.compile_artifact(host.artifact)
            triton_compat.load(compiled)
        except ConfigurationError as error:
            self.results[config] = error.message
            return None
        return LoadedKernel(host, compiled)

    def failure(self) -> ConfigurationError:
        """What the user is told when no configuration can run."""
        if not self.configs:
            return ConfigurationError(
                f"kernel {self._name!r} has no configuration to run with on {self._target}; give "
                "its block sizes, num_warps and num_stages at least one value each"
            )
        reasons = [f"  {config}: {self.results[config]}" for config in self.configs]
        return ConfigurationError(
            "\n".join(
                [
                    f"no configuration of kernel {self._name!r} can run on {self._target}:",
                    *reasons,
                    "write smaller block sizes or a smaller num_stages, or leave the choice to the "
                    "compiler with ninetoothed.block_size()",
                ]
            )
        )

    def _host(self, config: Config) -> Host | None:
        if config not in self._hosts and config not in self.results:
            try:
                self._hosts[config] = Host(self._make(config))
            except ConfigurationError as error:
                self.results[config] = error.message
        return self._hosts.get(config)
