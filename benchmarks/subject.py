"""One call of an example's kernel, as what a space is searched for."""

from __future__ import annotations

import functools
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from unittest import mock

import torch

from benchmarks.correctness import compare, poison
from benchmarks.operation import DTYPES, Call, Function, Operation
from examples.runner import Draw
from ninetoothed.artifacts.artifact import Artifact, Binary
from ninetoothed.artifacts.configuration import Config, Space
from ninetoothed.artifacts.target import Target
from ninetoothed.calls.arguments import bind
from ninetoothed.errors import ConfigurationError
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.runtime import toolchain
from ninetoothed.runtime.dispatch import Dispatcher
from ninetoothed.runtime.launch.loaded import Host, LoadedKernel
from ninetoothed.runtime.toolchain import pool
from ninetoothed.runtime.toolchain.triton import compat
from ninetoothed.runtime.tuning.candidates import Compiler
from ninetoothed.runtime.tuning.search import Tune

MODES: tuple[Tune, ...] = ("off", "quick", "full")


@dataclass(frozen=True)
class Recorded:
    """A call of a kernel that was not made, and what the function around it returned."""

    kernel: Kernel
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    result: Any


def recorded(function: Function, inputs: Sequence[Any]) -> Recorded:
    """The one kernel of ours that a function calls, without a launch.

    Raises:
        ValueError: it calls several, or none.
    """
    calls: list[tuple[Kernel, tuple[Any, ...], dict[str, Any]]] = []

    def note(self: Kernel, *args: Any, **kwargs: Any) -> None:
        calls.append((self, args, kwargs))

    with mock.patch.object(Kernel, "__call__", note), torch.no_grad():
        result = function(*inputs)
    if len(calls) != 1:
        raise ValueError(f"{function.__name__} calls {len(calls)} kernels; write one that calls 1")
    return Recorded(*calls[0], result)


class CallSubject:
    """A space on a device, or, offline, what can be said of it without one.

    ``artifacts`` keeps those of a signature, for subjects of other sizes.
    """

    def __init__(
        self,
        operation: Operation,
        numbers: Sequence[int],
        dtype: str,
        artifacts: dict[tuple[str, Config, bool], Artifact],
        offline: Target | None = None,
    ) -> None:
        device = "cpu" if offline else "cuda"
        self._operation = operation
        self._inputs = tuple(operation.inputs(Draw(device, DTYPES[dtype]), *numbers))
        self._recorded = recorded(operation.ours, self._inputs)
        kernel = self._recorded.kernel
        arguments = bind(kernel.interface, self._recorded.args, self._recorded.kwargs)
        self._values, self._signature = arguments.values, arguments.signature
        self._name = kernel.__name__
        self._compiler: Compiler = kernel._compilation  # pyright: ignore[reportPrivateUsage]
        self._is_offline = offline is not None
        self._target = offline or compat.active_target()
        self._key = self._compiler.key(self._signature, self._target)
        self._artifacts = artifacts

    @functools.cached_property
    def configs(self) -> Sequence[Config]:
        """All of the space, in the model's order; offline, in the space's own."""
        if self._is_offline:
            return self.space.configs
        report = Dispatcher(self._name, self._compiler).report(self._signature, self._values)
        return [row.config for row in report.rows]

    @functools.cached_property
    def space(self) -> Space:
        """The space: which configurations there are, and which choices each has."""
        return self._compiler.space(self._signature, self._target)

    @functools.cached_property
    def _expected(self) -> Any:
        return self._operation.expected(self._inputs)

    def artifact(self, config: Config) -> Artifact:
        """What is compiled of a configuration: the kernel that the call launches.

        Raises:
            NineToothedError: it cannot be.
        """
        general = self._artifact(config, full=False)
        if not Host(general).is_full(self._values):
            return general
        return self._artifact(config, full=True)

    def _artifact(self, config: Config, full: bool) -> Artifact:
        key = self._key, config, full
        if key not in self._artifacts:
            self._artifacts[key] = self._compiler.artifact(
                self._signature, config, self._target, full
            )
        return self._artifacts[key]

    def call(self, artifact: Artifact, binary: Binary) -> Call:
        """The call with a configuration; offline, one that does nothing.

        Raises:
            NineToothedError: the device cannot run it, or its packed copies cannot be made.
        """
        copies = pool.compile([packing.copy for packing in artifact.prologue])
        for reason in copies:
            if isinstance(reason, str):
                raise ConfigurationError(reason)
        if self._is_offline:
            return lambda: None
        binaries = [binary, *(one for one in copies if not isinstance(one, str))]
        loaded, *others = map(toolchain.active_driver().load, binaries)
        kernel = LoadedKernel(Host(artifact), loaded, others)
        return functools.partial(kernel.launch, self._values)

    def check(self, call: Call) -> None:
        """Runs a call on poisoned memory, and compares its results with torch in float64.

        Raises:
            WrongResultError: they differ.
        """
        if self._is_offline:
            return
        poison(self._recorded.result, self._inputs)
        call()
        compare(self._recorded.result, self._expected, self._operation.tolerance)

    def choose(self, mode: Tune) -> tuple[Config, float]:
        """What a kernel that was just made chooses, and the seconds of its first call.

        Raises:
            NineToothedError: nothing can run.
        """
        if self._is_offline:
            return self.configs[0], 0.0
        dispatcher = Dispatcher(self._name, self._compiler, mode)
        torch.cuda.synchronize()
        start = time.perf_counter()
        dispatcher.launch(self._signature, self._values)
        torch.cuda.synchronize()
        seconds = time.perf_counter() - start
        config = dispatcher.best(self._signature, self._values)
        assert config is not None
        return config, seconds
