"""Tuning on a GPU, across processes: what they leave for one another, and what they never do."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Literal

import pytest
import torch

import ninetoothed
from examples import matmul, softmax
from ninetoothed import Symbol, Tensor
from ninetoothed.cache import artifact_store

pytestmark = pytest.mark.gpu

ROOT = Path(__file__).parents[2]
MODES: tuple[Literal["off", "quick", "full"], ...] = ("off", "quick", "full")

PROGRAM = """
import logging, sys, torch
logging.basicConfig(level=logging.INFO, format="%(message)s")
from examples.matmul import matmul, matmul_kernel
a = torch.randn(1024, 1024, device="cuda", dtype=torch.float16)
c = matmul(a, a)
expected = a.double() @ a.double()
assert (c.double() - expected).norm() / expected.norm() < 1e-3
print(matmul_kernel.tuning_report(a, a, c).origin, matmul_kernel.best_config(a, a, c), sep="|")
"""


def started(folder: Path, program: str = PROGRAM, **variables: str) -> subprocess.Popen[str]:
    environment = os.environ | {"NINETOOTHED_CACHE_DIR": str(folder)} | variables
    return subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def outcome(process: subprocess.Popen[str]) -> tuple[str, str, bool]:
    """The choice's origin, the choice, and true if something was timed."""
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    origin, config = out.strip().split("|")
    return origin, config, "tuning matmul_kernel" in err


def test_a_second_process_times_nothing(tmp_path: Path) -> None:
    origin, config, timed = outcome(started(tmp_path))
    assert (origin, timed) == ("tuned", True)
    assert outcome(started(tmp_path)) == ("disk", config, False)
    assert outcome(started(tmp_path, NINETOOTHED_TUNE="off")) == ("disk", config, False)


def test_two_processes_tune_at_once(tmp_path: Path) -> None:
    processes = [started(tmp_path) for _ in range(2)]
    outcomes = [outcome(process) for process in processes]
    later = outcome(started(tmp_path))
    assert later[0] == "disk"
    # Whoever was slower has taken the other's result, unless both ended at the same moment.
    assert later[1] in {config for _, config, _ in outcomes}


@pytest.mark.parametrize("seconds", [0.0, 0.5, 2.0])
def test_a_process_that_is_killed_while_it_tunes(seconds: float, tmp_path: Path) -> None:
    process = started(tmp_path)
    assert process.stderr is not None
    for line in process.stderr:
        if "tuning matmul_kernel" in line:
            break
    time.sleep(seconds)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    origin, config, _ = outcome(started(tmp_path))
    assert origin in ("tuned", "disk")
    assert outcome(started(tmp_path)) == ("disk", config, False)


def test_results_travel(tmp_path: Path) -> None:
    _, config, _ = outcome(started(tmp_path / "here"))
    file = tmp_path / "tuned.json"
    command = [sys.executable, "-m", "ninetoothed", "tuning"]
    for folder, action in (("here", "export"), ("there", "load")):
        environment = os.environ | {"NINETOOTHED_CACHE_DIR": str(tmp_path / folder)}
        subprocess.run([*command, action, str(file)], cwd=ROOT, env=environment, check=True)
    for mode in MODES:
        found = outcome(started(tmp_path / "there", NINETOOTHED_TUNE=mode))
        assert found == ("imported", config, False)


RANK = """
import datetime, sys, torch, torch.distributed as dist
import ninetoothed
from examples.matmul import matmul, matmul_kernel
rank, way, store, device = int(sys.argv[1]), *sys.argv[2:]
limit = datetime.timedelta(seconds=60)
dist.init_process_group("gloo", f"file://{store}", limit, rank=rank, world_size=2)
a = torch.randn(1024, 1024, device=device, dtype=torch.float16)
expected = a.double() @ a.double()

def calls():
    # Later ones repeat the first as it was launched.
    for _ in range(3):
        c = matmul(a, a)
        assert (c.double() - expected).norm() / expected.norm() < 1e-3
    return c

if way == "apart":
    calls()
    count = ninetoothed.tuning.synchronize()
else:
    count = ninetoothed.tuning.synchronize(None, calls)
c = calls()
print(count, matmul_kernel.tuning_report(a, a, c).origin, matmul_kernel.best_config(a, a, c))
dist.destroy_process_group()
"""


@pytest.mark.parametrize("way", ["apart", "together"])
def test_ranks_use_the_same_choice(way: str, tmp_path: Path) -> None:
    """Two on one GPU, each with a cache folder; of those apart, one does not tune."""
    processes: list[subprocess.Popen[str]] = []
    # A machine's name need not lead to it.
    local = {"GLOO_SOCKET_IFNAME": "lo"}
    for rank in (0, 1):
        tune = {"NINETOOTHED_TUNE": "off" if way == "apart" and rank == 0 else "quick"}
        folder = {"NINETOOTHED_CACHE_DIR": str(tmp_path / f"{rank}")}
        command = [sys.executable, "-c", RANK, str(rank), way, str(tmp_path / "store"), "cuda"]
        processes.append(
            subprocess.Popen(
                command,
                cwd=ROOT,
                env=os.environ | folder | tune | local,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
        )
    found = [process.communicate(timeout=120) for process in processes]
    assert [process.returncode for process in processes] == [0, 0], found
    (first, _), (second, _) = found
    assert first == second
    assert first.split()[:2] == ["1", "synchronized"]


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NINETOOTHED_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(artifact_store, "_memory", {})


@pytest.mark.usefixtures("own_cache")
@pytest.mark.parametrize("mode", MODES)
def test_every_mode_computes_the_same(mode: Literal["off", "quick", "full"]) -> None:
    kernel = ninetoothed.make(
        matmul.arrangement, matmul.application, [Tensor(2) for _ in range(3)], tune=mode
    )
    for size in (64, 77, 512):
        a, b = (torch.randn(size, size, device="cuda", dtype=torch.float16) for _ in range(2))
        c = torch.empty_like(a)
        kernel(a, b, c)
        expected = a.double() @ b.double()
        assert (c.double() - expected).norm() / expected.norm() < 1e-3
        timed = any(row.measured is not None for row in kernel.tuning_report(a, b, c).rows)
        assert timed is (mode != "off")


def rows_in_place(x):
    return x.tile((Symbol("BLOCK", meta=True), 1))


def double(x):
    x *= 2


@pytest.mark.usefixtures("own_cache")
@pytest.mark.parametrize("mode", MODES)
def test_data_is_changed_once(mode: Literal["off", "quick", "full"]) -> None:
    kernel = ninetoothed.make(rows_in_place, double, (Tensor(2),), tune=mode)
    whole = torch.ones(501, 100, device="cuda")
    kernel(whole[1:, ::2])
    assert whole[1:, ::2].eq(2).all()
    assert whole[0].eq(1).all()
    assert whole[:, 1::2].eq(1).all()


@pytest.mark.usefixtures("own_cache")
def test_inputs_and_outputs_stay_as_they_are() -> None:
    x = torch.randn(300, 1000, device="cuda")
    before = x.clone()
    first = softmax.softmax(x)
    assert torch.equal(x, before)
    assert torch.equal(softmax.softmax(x), first)


SHORT_OF_MEMORY = """
import logging, torch
logging.basicConfig(level=logging.INFO, format="%(message)s")
from examples.matmul import matmul_kernel
a = torch.randn(1024, 1024, device="cuda", dtype=torch.float16)
c = torch.empty_like(a)
expected = a.double() @ a.double()
torch.cuda.empty_cache()
# Of this process alone: tests beside it need memory.
total = torch.cuda.get_device_properties(0).total_memory
torch.cuda.set_per_process_memory_fraction((torch.cuda.memory_reserved() + (8 << 20)) / total)
matmul_kernel(a, a, c)
torch.cuda.set_per_process_memory_fraction(1.0)
assert (c.double() - expected).norm() / expected.norm() < 1e-3
print(matmul_kernel.tuning_report(a, a, c).origin, matmul_kernel.best_config(a, a, c), sep="|")
"""


def test_a_device_whose_memory_is_taken(tmp_path: Path) -> None:
    """A configuration that does not fit is skipped."""
    origin, config, timed = outcome(started(tmp_path, SHORT_OF_MEMORY))
    assert (origin, timed) == ("tuned", True)
    assert outcome(started(tmp_path)) == ("disk", config, False)


SLEEPING = """
import torch
from ninetoothed.runtime.launch.loaded import LoadedKernel

launch = LoadedKernel.launch

def sleeping(self, values):
    torch.cuda._sleep(10_000_000_000)
    return launch(self, values)

LoadedKernel.launch = sleeping
"""


def test_a_kernel_that_never_ends_is_given_up(tmp_path: Path) -> None:
    """The hang is a stand-in: a launch that sleeps longer than the limit."""
    process = started(tmp_path, SLEEPING + PROGRAM, NINETOOTHED_TUNE_TIMEOUT="1")
    _, err = process.communicate(timeout=300)
    assert process.returncode == 1
    assert "did not end within 1 s (NINETOOTHED_TUNE_TIMEOUT)" in err
    origin, config, _ = outcome(started(tmp_path))
    assert origin == "tuned"
    # The message names the configuration that later processes leave out.
    assert f"when it was timed with {config}," not in err
