"""The run half."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ninetoothed.artifacts.artifact import Artifact, Binary
from ninetoothed.artifacts.target import Target
from ninetoothed.runtime.launch.driver import Driver
from ninetoothed.runtime.toolchain import Toolchain
from tests.support.driver_stub import Stub

POINTERS = 3


class _Fake:
    """Copies text. ``stub`` is the driver's library, once it is opened."""

    stub: Stub | None = None

    def available(self) -> bool:
        return True

    def version(self) -> str:
        return "1.0"

    def settings(self, environment: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
        return tuple((name, value) for name, value in environment.items() if name == "FAKE_SETTING")

    def prepare_environment(self, environment: dict[str, str]) -> None:
        environment["FAKE_WORKER"] = "1"

    def prepare(self) -> None:
        pass

    def rehearse(self, target: Target) -> Iterator[object]:
        return iter(())

    def compile_binary(self, artifact: Artifact) -> Binary:
        threads = artifact.config.num_warps * artifact.target.warp_size
        return Binary(artifact.text.encode(), artifact.name, 0, threads)

    def active_target(self) -> Target:
        return Target.parse("fake1")

    def open_driver(self) -> Driver:
        self.stub = Stub()
        # The pointers; what follows from sizes differs between configurations.
        self.stub.set(arguments_count=POINTERS)
        return self.stub.driver


TOOLCHAIN: Toolchain = _Fake()
