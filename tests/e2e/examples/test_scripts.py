"""Every example as its users run it: as a script, which checks itself against torch; and what its
kernels compile to. On a GPU, all configurations that the tuner times must agree.
"""

from __future__ import annotations

import runpy
from contextlib import nullcontext
from pathlib import Path

import pytest
import torch

from examples import runner
from ninetoothed.artifacts.signature import Signature
from ninetoothed.calls.arguments import bind
from ninetoothed.errors import TypeMismatchError
from ninetoothed.kernel.kernel import Kernel
from ninetoothed.runtime.tuning import timing
from tests.support import offline
from tests.support.configurations import agreeing
from tests.support.examples import FOLDER, NAMES, Place
from tests.support.targets import FEW_TARGETS


@pytest.mark.parametrize("name", NAMES)
def test_script(
    name: str,
    place: Place,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: place.is_gpu)
    monkeypatch.setenv("NINETOOTHED_BACKEND", place.backend)
    # Nothing has been tuned there.
    monkeypatch.setenv("NINETOOTHED_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("NINETOOTHED_TUNE", "full")
    monkeypatch.setattr(timing, "time_trials", agreeing(timing.time_trials))
    # It ends with an exit code where a result is wrong.
    runpy.run_path(str(FOLDER / f"{name}.py"), run_name="__main__")
    printed = capsys.readouterr().out
    note = "no GPU found: evaluated on the CPU, at a small size\n"
    assert printed.startswith(note) is not place.is_gpu
    assert "agrees with torch in float64, error" in printed


class Halves(runner.Draw):
    """Draws fp16 where nothing else is asked for."""

    def __init__(self, device: str, dtype: torch.dtype) -> None:
        super().__init__(device, torch.float16)


_LACKING = {("fp8_matmul", "sm_80"): "sm_80 has no fp8e4nv"}
"""The errors of what a target does not have."""


@pytest.mark.parametrize("target", FEW_TARGETS)
@pytest.mark.parametrize("name", NAMES)
def test_kernels_compile(
    name: str, target: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    compiled: set[tuple[Kernel, Signature]] = set()
    launch = Kernel.__call__

    def call(kernel: Kernel, *args: object, **kwargs: int) -> None:
        key = kernel, bind(kernel.definition.interface, args, kwargs).signature
        if key not in compiled:
            compiled.add(key)
            lacking = _LACKING.get((name, target))
            with pytest.raises(TypeMismatchError, match=lacking) if lacking else nullcontext():
                offline.check(kernel, args, target, **kwargs)
        launch(kernel, *args, **kwargs)

    monkeypatch.setattr(Kernel, "__call__", call)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(runner, "Draw", Halves)
    runpy.run_path(str(FOLDER / f"{name}.py"), run_name="__main__")
    assert compiled
    assert "agrees with torch in float64, error" in capsys.readouterr().out
