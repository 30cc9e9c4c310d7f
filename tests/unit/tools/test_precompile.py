"""Kernels are compiled where no GPU is: a process with one finds all that its tuner may try, and
does not even import the compiler; and exact messages.

Triton is done without: it would make the binaries, whose keys are the true ones.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import pytest

from ninetoothed.__main__ import main
from ninetoothed.artifacts.artifact import Artifact, Binary
from ninetoothed.artifacts.capabilities import capabilities
from ninetoothed.artifacts.target import Target
from ninetoothed.cache import artifact_store
from ninetoothed.errors import ConfigurationError
from ninetoothed.runtime.toolchain.triton import compat
from tests.support.imports import ROOT

KERNELS = """
import ninetoothed
import ninetoothed.language as ntl
from ninetoothed import Symbol, Tensor, block_size, make


def arrangement(x, y, z):
    rows, columns = block_size(), block_size()
    return x.tile((rows, columns)), y.tile((rows, columns)), z.tile((rows, columns))


def application(x, y, z):
    z = ntl.exp(x) * y + ntl.exp(y)


def made(**options):
    tensors = tuple(Tensor(2) for _ in range(3))
    return make(arrangement, application, tensors, num_warps=(4, 8), num_stages=1, **options)


kernel = made()
untuned = made(tune="off")
few = made(max_num_configs=3)
interpreted = made(backend="interpret")

BLOCK = Symbol("BLOCK", constexpr=True)


def scaled(x, factor, y):
    return x.tile((BLOCK,)), factor, y.tile((BLOCK,))


def scale(x, factor, y):
    y = x * factor


def make_scale(warps):
    return make(scaled, scale, (Tensor(1), Tensor(0), Tensor(1)), num_warps=warps, num_stages=1)


scaling = make_scale(4)


class Space:
    kernel = kernel
"""

# A process with a GPU, on which times are random. It notes what it compiles.
GPU = """
import importlib, json, random, shutil, sys
from pathlib import Path
from ninetoothed import config
from ninetoothed.artifacts.artifact import Binary
from ninetoothed.artifacts.capabilities import capabilities
from ninetoothed.runtime.launch import device
from ninetoothed.runtime.toolchain.triton import compat
from ninetoothed.runtime.tuning import candidates, model, timing
from ninetoothed.runtime.tuning.timing import Measured
from tests.support import fake_gpu
from tests.support.fake_gpu import Array

for owner, name, value in fake_gpu.patches():
    if name != "compile":
        setattr(owner, name, value)
compiled, timed = [], []

def compile_binary(artifact):
    compiled.append(str(artifact.config))
    return Binary(b"code", "kernel", 0, 128)

def time_trials(trials, values, effort, progress):
    timed.append(len(trials))
    return [Measured(chooser.random(), 24, True) for _ in trials]

product = capabilities(compat.active_target()).products[0]
device.name = lambda index: product.name
model.Properties.of = staticmethod(lambda i, target: model.Properties.described(product, target))
compat.compile_binary = compile_binary
timing.time_trials = time_trials
candidates._unload = lambda kernels: None
fake_gpu._Loaded.trial = lambda self: None
import kernels

for seed in range(SEEDS):
    chooser = random.Random(seed)
    # Nothing is known of the times of those before.
    shutil.rmtree(config.cache_dir() / "tuning", ignore_errors=True)
    importlib.reload(kernels)
    CALL
print(json.dumps([compiled, timed, len(fake_gpu.launches), fake_gpu.imported("xdsl", "triton")]))
"""


@dataclass
class Machine:
    """A machine without a GPU, and processes of one that has a GPU and the same files.

    ``compiled``: what Triton would have compiled; ``refused``: the number of warps that it refuses.
    """

    folder: Path
    capsys: pytest.CaptureFixture[str]
    compiled: list[str] = field(default_factory=list[str])
    refused: int = 0

    def precompile(self, *arguments: str) -> list[str]:
        """The lines that the command prints."""
        assert main(["precompile", *arguments]) == 0
        return self.capsys.readouterr().out.splitlines()

    def fails(self, *arguments: str) -> str:
        """What the command prints where it fails."""
        assert main(["precompile", *arguments]) == 1
        return self.capsys.readouterr().err

    def compile_binary(self, artifact: Artifact) -> Binary:
        """As Triton's toolchain."""
        self.compiled.append(str(artifact.config))
        if artifact.config.num_warps == self.refused:
            raise ConfigurationError("too many warps")
        return Binary(b"code", "kernel", 0, 128)

    def call(self, call: str, seeds: int = 1, **environment: str) -> Called:
        """Calls, each by a kernel of its own, in a process with a GPU."""
        program = GPU.replace("CALL", call).replace("SEEDS", str(seeds))
        given = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join((str(self.folder), str(ROOT))),
            "PYTHONDONTWRITEBYTECODE": "1",
            **environment,
        }
        done = subprocess.run(
            [sys.executable, "-c", program],
            env=given,
            cwd=self.folder,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return Called(*json.loads(done.stdout.splitlines()[-1]))


class Called(NamedTuple):
    """What calls compiled, how many kernels they timed at once, how often they launched one, and
    the packages that they imported.
    """

    compiled: list[str]
    timed: list[int]
    launches: int
    imported: list[str]


@pytest.fixture
def machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Machine]:
    (tmp_path / "kernels.py").write_text(KERNELS)
    machine = Machine(tmp_path, capsys)
    for name in [*os.environ]:
        if name.startswith("NINETOOTHED_"):
            monkeypatch.delenv(name)
    # Also what the command sets itself is undone.
    monkeypatch.setenv("NINETOOTHED_CACHE_READ_ONLY_DIR", "")
    monkeypatch.setenv("NINETOOTHED_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("NINETOOTHED_COMPILE_WORKERS", "0")
    monkeypatch.setattr(compat, "version", lambda: "3.6.0")
    monkeypatch.setattr(compat, "compile_binary", machine.compile_binary)
    monkeypatch.setattr(artifact_store, "_memory", {})
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    yield machine
    for name in ("kernels", "failing", "importing"):
        sys.modules.pop(name, None)


CALL = "x=fp32[1000, 640], y=fp32[1000, 640], z=fp32[1000, 640]"
GPU_CALL = (
    "kernels.kernel(Array(1000, 640, pointer=1 << 20), Array(1000, 640, pointer=1 << 30), "
    "Array(1000, 640, pointer=1 << 40))"
)


DEVICE = "--device 'NAME: multiprocessors=132, clock=1.98e9, bandwidth=4.9e12, l2_bytes=62914560'"
COMMAND = ("kernels:kernel", "--target", "sm_90", "--call", CALL)


def test_nothing_is_left_to_compile(machine: Machine) -> None:
    first, line, kept = machine.precompile(*COMMAND)
    assert first == "kernels:kernel for sm_90, as ranked for NVIDIA H100 80GB HBM3"
    assert line == f"  {CALL}: {len(machine.compiled)} configurations compiled"
    assert kept == f"kept in {machine.folder / 'cache'}"
    found = machine.call(GPU_CALL, 6)
    assert (found.compiled, found.launches, found.imported) == ([], 6, [])
    # The tuner went on from the model's best.
    assert found.timed[0] >= 8
    assert len(found.timed) > 6
    assert len(machine.compiled) > 16
    # What was compiled once, is not again; by a result of tuning, one is enough.
    before = len(machine.compiled)
    lines = machine.precompile(*COMMAND)
    assert lines[1] == f"  {CALL}: 1 configuration compiled"
    assert len(machine.compiled) == before


def test_behind_a_cache_of_ones_own(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """What an image brings along, and a process that writes elsewhere."""
    shared = machine.folder / "shared"
    # As where the image sets it already.
    monkeypatch.setenv("NINETOOTHED_CACHE_READ_ONLY_DIR", str(shared))
    lines = machine.precompile(*COMMAND, "-o", "shared")
    assert lines[-1] == f"kept in {shared}"
    assert not (machine.folder / "cache").exists()
    before = sorted((path, path.stat().st_mtime_ns) for path in shared.rglob("*"))
    found = machine.call(
        GPU_CALL,
        NINETOOTHED_CACHE_DIR=str(machine.folder / "cache"),
        NINETOOTHED_CACHE_READ_ONLY_DIR=str(shared),
    )
    assert (found.compiled, found.launches, found.imported) == ([], 1, [])
    assert sorted((path, path.stat().st_mtime_ns) for path in shared.rglob("*")) == before
    # Its own folder has what it timed.
    assert [path.name for path in (machine.folder / "cache").iterdir() if path.is_dir()] == [
        "tuning"
    ]


def test_other_calls_are_compiled(machine: Machine) -> None:
    machine.precompile(*COMMAND, "--refinements", "0")
    # Of another class.
    found = machine.call(GPU_CALL.replace("640", "641"))
    assert found.compiled


@pytest.mark.filterwarnings("ignore::ninetoothed.errors.AgreementWarning")
def test_outermost_levels_that_disagree(machine: Machine) -> None:
    """Such a call is of a laxer class."""
    call = "x=fp32[1000], factor=2.0, y=fp32[900], BLOCK=64"
    lines = machine.precompile("kernels:scaling", "--target", "sm_90", "--call", call)
    assert lines[1] == f"  {call}: 1 configuration compiled"
    found = machine.call(
        "kernels.scaling(Array(1000, pointer=1 << 20), 2.0, Array(900, pointer=1 << 30), BLOCK=64)"
    )
    assert (found.compiled, found.launches, found.imported) == ([], 1, [])


def test_what_cannot_be_compiled(machine: Machine) -> None:
    machine.refused = 8
    line = machine.precompile(*COMMAND)[1]
    able, unable = (
        {one for one in machine.compiled if ("num_warps=8" in one) == refused}
        for refused in (False, True)
    )
    assert able
    assert line == f"  {CALL}: {len(able)} configurations compiled, {len(unable)} cannot be"


def test_nothing_can_be_compiled(machine: Machine) -> None:
    machine.refused = 4
    call = "x=fp32[1000], factor=2.0, y=fp32[1000], BLOCK=64"
    error = machine.fails("kernels:scaling", "--target", "sm_90", "--call", call)
    assert error.startswith(
        f"--call {call!r}: no configuration of kernel 'scale' can run on sm_90:\n"
    )


def test_refinements(machine: Machine) -> None:
    counts: list[int] = []
    for number in ("0", "1", "2", "3"):
        machine.precompile(*COMMAND, "--refinements", number)
        counts.append(len(machine.compiled))
    assert 8 <= counts[0] <= 16
    assert counts == sorted(counts)
    assert counts[0] < counts[1] <= counts[3]


def test_other_modes(machine: Machine) -> None:
    """Nothing to time, few that the user allows, and nothing to choose."""
    counts: dict[str, int] = {}
    for name in ("untuned", "few", "Space.kernel"):
        machine.compiled.clear()
        machine.precompile(
            *(f"kernels:{name}", "--target", "sm_90", "--call", CALL, "-o", name),
        )
        counts[name] = len(machine.compiled)
    assert counts["untuned"] == 1
    assert counts["few"] == 3
    assert counts["Space.kernel"] > 12
    call = "x=fp32[1000], factor=2.0, y=fp32[1000], BLOCK=64"
    lines = machine.precompile("kernels:make_scale(2)", "--target", "gfx942", "--call", call)
    assert lines[0] == "kernels:make_scale(2) for gfx942, as ranked for AMD Instinct MI300X"
    assert lines[1] == f"  {call}: 1 configuration compiled"


def test_several_calls_and_empty_ones(machine: Machine) -> None:
    full, empty = (f"x=fp32[{n}], factor=2.0, y=fp32[{n}], BLOCK=64" for n in (1000, 0))
    lines = machine.precompile(
        *("kernels:scaling", "--target", "sm_90", "--shapes", full, "--call", empty)
    )
    assert lines[1] == f"  {full}: 1 configuration compiled"
    assert lines[2] == f"  {empty}: launches no program"


def test_nested_tensors(machine: Machine) -> None:
    call = "input=fp16[8, 64, 64], output=fp16[8, 64, 64]"
    assert machine.fails(
        *("examples.jagged_padding:unpad_kernel", "--target", "sm_90", "--call", call)
    ) == (
        f"--call {call!r}: output is a nested tensor, which cannot be described; this kernel is "
        "compiled at its first call on a GPU\n"
    )


def test_device_that_is_described(machine: Machine) -> None:
    call = "x=fp32[1000], factor=2.0, y=fp32[1000], BLOCK=64"
    device = "AMD Instinct MI355X: multiprocessors=256, clock=2.4e9, bandwidth=8e12, l2_bytes=4e6"
    lines = machine.precompile(
        *("kernels:scaling", "--target", "gfx950", "--call", call, "--device", device)
    )
    assert lines[0] == "kernels:scaling for gfx950, as ranked for AMD Instinct MI355X"


@pytest.mark.parametrize(
    "device",
    [
        "H20: multiprocessors=78, clock=1.98e9, bandwidth=4e12",
        "H20: multiprocessors=78, clock=1.98e9, bandwidth=4e12, l2_bytes=60M",
        "H20: multiprocessors=78, clock=1.98e9, bandwidth=4e12, l2_bytes=0",
        "H20: multiprocessors=78, clock=1.98e9, bandwidth=inf, l2_bytes=1e6",
        "H20: multiprocessors=78, clock=1.98e9, bandwidth=4e12, l2=1e6",
        "multiprocessors=78, clock=1.98e9, bandwidth=4e12, l2_bytes=1e6",
    ],
)
def test_device_that_is_described_wrongly(device: str, machine: Machine) -> None:
    assert machine.fails(*COMMAND, "--device", device) == (
        f"{device!r} describes no device; write its name as torch tells it, and multiprocessors, "
        f"clock, bandwidth, l2_bytes, as in {DEVICE}\n"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["kernels", "--target", "sm_90"], "'kernels' is no kernel; write MODULE:KERNEL, as in "),
        (
            ["kernel:kernel", "--target", "sm_90"],
            "there is no module kernel; run this in the folder that it lies in, or add that to "
            "PYTHONPATH",
        ),
        (
            ["kernels:kernle", "--target", "sm_90"],
            "module kernels has no kernel kernle; did you mean kernel?",
        ),
        (
            ["kernels:zzz", "--target", "sm_90"],
            "module kernels has no kernel zzz; it has kernel, untuned, few, interpreted, scaling",
        ),
        (["kernels:make_scale()", "--target", "sm_90"], "make_scale(): TypeError: make_scale() "),
        (["kernels:BLOCK", "--target", "sm_90"], "kernels:BLOCK is "),
        (["failing:kernel", "--target", "sm_90"], "failing cannot be imported: ValueError: no"),
        (
            ["importing:kernel", "--target", "sm_90"],
            "importing cannot be imported: ModuleNotFoundError: No module named 'nothing_there'",
        ),
        (
            ["kernels:interpreted", "--target", "sm_90"],
            f"--call '{CALL}': kernel 'application' has backend='interpret', and is never "
            "compiled; leave backend out",
        ),
        (["kernels:kernel", "--target", "sm90x"], "unknown target 'sm90x'; did you mean sm_90?"),
        (
            ["kernels:kernel", "--target", "gfx950"],
            "no device of gfx950 is known, which kernels could be ranked for; describe one, as in "
            f"{DEVICE}\n",
        ),
        (
            ["kernels:kernel", "--target", "sm_90", "--device", "h200"],
            "no device 'h200' of sm_90 is known; did you mean NVIDIA H200?",
        ),
        (
            ["kernels:kernel", "--target", "sm_90", "--device", "A100"],
            "no device 'A100' of sm_90 is known; known are NVIDIA H100 80GB HBM3, NVIDIA H200; "
            f"or describe it, as in {DEVICE}\n",
        ),
    ],
)
def test_messages(arguments: list[str], message: str, machine: Machine) -> None:
    (machine.folder / "failing.py").write_text("raise ValueError('no')\n")
    (machine.folder / "importing.py").write_text("import nothing_there\n")
    assert machine.fails(*arguments, "--call", CALL).startswith(message)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("x=fp32", "x=fp32 has no sizes; write for example "),
        ("input=fp32[8]", "scale has no argument input; it takes x, factor, y, BLOCK"),
        ("x=fp32[8], facto=1", "scale has no argument facto; did you mean factor?"),
        (
            "x=fp32[8, 8], factor=1, y=fp32[8], BLOCK=8",
            "x must have 1 dim, but its shape is (8, 8)",
        ),
        (
            "x=fp32[8], factor=1, y=fp32[8]",
            "scale needs a value for BLOCK; give it by keyword, as ",
        ),
        ("x=1, factor=1, y=fp32[8], BLOCK=8", "x must be a torch tensor of 1 dim, not 1"),
    ],
)
def test_messages_of_calls(call: str, message: str, machine: Machine) -> None:
    arguments = ["kernels:scaling", "--target", "sm_90", "--call", call]
    assert machine.fails(*arguments).startswith(f"--call {call!r}: {message}")


def test_folder_that_takes_nothing(machine: Machine) -> None:
    (machine.folder / "file").write_text("")
    arguments = ["kernels:kernel", "--target", "sm_90", "--call", CALL, "-o", "file"]
    path = machine.folder / "file"
    error = machine.fails(*arguments)
    assert error == f"{path} cannot be written ([Errno 20] Not a directory: {str(path)!r})\n"
    path.unlink()
    path.mkdir()
    path.chmod(0o777)
    error = machine.fails(*arguments)
    assert error.startswith(f"{path} has the mode 777, so others could put code there ")


def test_help(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["precompile", "--help"])
    assert caught.value.code == 0
    text = capsys.readouterr().out
    for word in ("--target ARCH", "--device NAME", "--refinements N", "fp16[4096, 4096][1, 4096]"):
        assert word in text


@pytest.mark.parametrize("name", ["sm_70", "sm_80", "sm_89", "sm_90", "gfx942"])
def test_devices(name: str) -> None:
    products = capabilities(Target.parse(name)).products
    assert products
    assert len({one.name for one in products}) == len(products)
    for one in products:
        assert 20 <= one.multiprocessors <= 400
        assert 1e9 < one.clock < 3e9
        assert 1e11 < one.bandwidth < 1e13
        assert 1 << 20 < one.l2_bytes < 1 << 30
