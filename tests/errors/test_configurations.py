"""Environment variables with values that are none, and kernels of which no configuration can run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ninetoothed.artifact import Artifact
from ninetoothed.runtime.toolchain import pool
from tests.errors.test_devices import Fake
from tests.support import fake_gpu
from tests.support.messages import Case, check, each


@each(
    Case(
        "a number that is none",
        """
        def application(x, output):
            output = x


        kernel = vectors(application)
        setenv("NINETOOTHED_INTERPRET_LANES", "many")
        kernel(torch.ones(4), torch.ones(4))
        """,
        """
        ConfigurationError: NINETOOTHED_INTERPRET_LANES must be an integer of at least 1, not 'many'
          File "kernel.py", line 7, column 1, in <module>
            kernel(torch.ones(4), torch.ones(4))
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a number that is too small",
        """
        def application(x, output):
            for i in range(4):
                output = x


        kernel = vectors(application)
        setenv("NINETOOTHED_INTERPRET_MAX_STEPS", "0")
        kernel(torch.ones(4), torch.ones(4))
        """,
        """
        ConfigurationError: NINETOOTHED_INTERPRET_MAX_STEPS must be an integer of at least 1, not '0'
          File "kernel.py", line 8, column 1, in <module>
            kernel(torch.ones(4), torch.ones(4))
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "a switch that is neither on nor off",
        """
        def application(x, output):
            output = x


        setenv("NINETOOTHED_VERIFY_IR", "maybe")
        make(blocks, application, (Tensor(1), Tensor(1)))
        """,
        """
        ConfigurationError: NINETOOTHED_VERIFY_IR must be 0 or 1, not 'maybe'
          File "kernel.py", line 6, column 1, in <module>
            make(blocks, application, (Tensor(1), Tensor(1)))
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Case(
        "block sizes that are all too large",
        """
        def arrangement(x, output, BLOCK_SIZE=block_size(2**16, 2**17)):
            return x.tile((BLOCK_SIZE,)), output.tile((BLOCK_SIZE,))


        def application(x, output):
            output = x


        make(arrangement, application, (Tensor(1), Tensor(1))).source()
        """,
        """
        ConfigurationError: no choice of block sizes fits: the smallest, {'BLOCK_SIZE_0': 65536}, has a block of 65536 lanes, and at most 32768 can run; give block_size() a smaller lower_bound
          File "kernel.py", line 9, column 1, in <module>
            make(arrangement, application, (Tensor(1), Tensor(1))).source()
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
)
def test_message(case: Case, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    check(case, tmp_path, setenv=monkeypatch.setenv)


def test_no_configuration_fits(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def compile(artifacts: list[Artifact], on_done: Callable[[int, str], None]) -> list[str]:
        reasons: list[str] = []
        for position, artifact in enumerate(artifacts):
            ((_, block),) = artifact.config.values
            bytes_ = block * 8
            reasons.append(f"it needs {bytes_} bytes of shared memory, and the device has 128")
            on_done(position, reasons[-1])
        return reasons

    monkeypatch.setenv("NINETOOTHED_CACHE_DIR", str(tmp_path / "cache"))
    for owner, attribute, value in fake_gpu.patches():
        monkeypatch.setattr(owner, attribute, value)
    monkeypatch.setattr(pool, "compile", compile)
    case = Case(
        "no configuration fits",
        """
        def arrangement(x, output, BLOCK_SIZE=block_size(32, 64)):
            return x.tile((BLOCK_SIZE,)), output.tile((BLOCK_SIZE,))


        def application(x, output):
            output = x


        kernel = make(
            arrangement, application, (Tensor(1), Tensor(1)), num_warps=1, num_stages=3
        )
        kernel(Fake("cuda:0"), Fake("cuda:0"))
        """,
        """
        ConfigurationError: no configuration of kernel 'application' can run on sm_90:
          BLOCK_SIZE_0=32, num_warps=1, num_stages=3: it needs 256 bytes of shared memory, and the device has 128
          BLOCK_SIZE_0=64, num_warps=1, num_stages=3: it needs 512 bytes of shared memory, and the device has 128
        write smaller block sizes or a smaller num_stages, or leave the choice to the compiler with ninetoothed.block_size()
          File "kernel.py", line 12, column 1, in <module>
            kernel(Fake("cuda:0"), Fake("cuda:0"))
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    )
    check(case, tmp_path, Fake=Fake)
