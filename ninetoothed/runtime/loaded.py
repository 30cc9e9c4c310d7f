"""An artifact that is ready to run: its host functions, and its binary on a device."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ninetoothed.artifact import Artifact
from ninetoothed.errors import ArgumentError
from ninetoothed.runtime import device, triton_compat, tuner
from ninetoothed.runtime.repeated import Launched

MAX_PROGRAMS = 2**31 - 1
"""What CUDA and HIP take as the first dimension of a grid."""


class Host:
    """An artifact with its host functions."""

    def __init__(self, artifact: Artifact) -> None:
        self.artifact = artifact
        # The name keeps its frames out of users' tracebacks.
        code = compile(artifact.launch, f"<ninetoothed launch of {artifact.name}>", "exec")
        namespace: dict[str, Any] = {}
        exec(code, namespace)
        self._check: Callable[..., str | None] = namespace["check"]
        self._programs: Callable[..., int] = namespace["programs"]
        self.arguments: Callable[..., Sequence[Any]] = namespace["arguments"]

    def checked_programs(self, values: tuple[Any, ...]) -> int:
        """The number of programs, 0 included.

        Raises:
            ArgumentError: the sizes do not fit one another, or one divides by another that is 0.
        """
        try:
            message = self._check(*values)
            if message is None:
                return self._programs(*values)
        except ZeroDivisionError:
            message = "a size or a symbol that the arrangement divides by is 0; give another"
        raise ArgumentError(message)


class LoadedKernel:
    """An artifact that is loaded on a device."""

    def __init__(self, host: Host, compiled: triton_compat.CompiledKernel) -> None:
        self._host = host
        self._compiled = compiled
        self.artifact = host.artifact

    def launch(self, values: tuple[Any, ...]) -> Launched | None:
        """Launches on the current device and stream; None: there is nothing to do."""
        programs = self._host.checked_programs(values)
        if programs == 0:
            return None
        if programs > MAX_PROGRAMS:
            raise ArgumentError(
                f"this call needs {programs} programs, and a device takes at most {MAX_PROGRAMS} "
                f"(2^31 - 1) in one launch; write larger block sizes (it ran with "
                f"{self.artifact.config}), or split the call"
            )
        index = device.current()
        arguments = tuple(self._host.arguments(*values))
        stream = device.stream(index)
        triton_compat.launch(self._compiled, self.artifact, programs, arguments, stream)
        return Launched(self.artifact, self._compiled, programs, arguments, index)

    def trial(self) -> tuner.Trial:
        """The tuner's view of it."""
        artifact = self.artifact
        return tuner.Trial(artifact.params, artifact.reads, artifact.writes, self.launch)
