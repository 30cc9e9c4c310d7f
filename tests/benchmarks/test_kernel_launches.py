"""Which kernels were launched: read from a trace, on a device that is made up."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest
import torch

from benchmarks import kernel_launches
from benchmarks.kernel_launches import launches, resident_blocks

H200 = SimpleNamespace(
    warp_size=32,
    max_threads_per_multi_processor=2048,
    regs_per_multiprocessor=65536,
    shared_memory_per_multiprocessor=233472,
    multi_processor_count=132,
)
EVENTS = [
    {"cat": "cpu_op", "name": "aten::mm", "ts": 1.0, "dur": 90.0},
    {
        "cat": "kernel",
        "name": "second",
        "ts": 12.5,
        "dur": 3.25,
        "args": {"block": [128, 1, 1], "grid": [528, 2, 1], "registers per thread": 128}
        | {"shared memory": 0},
    },
    {
        "cat": "kernel",
        "name": "first" * 20,
        "ts": 2.0,
        "dur": 10.0,
        "args": {"block": [256, 1, 1], "grid": [132, 1, 1], "registers per thread": 255}
        | {"shared memory": 200_000},
    },
]
TABLE = """\
| kernel                                                       |   µs |    grid | threads | \
registers | shared | occupancy | waves |
| :----------------------------------------------------------- | ---: | ------: | ------: | \
--------: | -----: | --------: | ----: |
| firstfirstfirstfirstfirstfirstfirstfirstfirstfirstfirstfirst | 10.0 | 132×1×1 |     256 | \
      255 | 200000 |       12% |  1.00 |
| second                                                       |  3.2 | 528×2×1 |     128 | \
      128 |      0 |       25% |  2.00 |"""


def test_table() -> None:
    assert launches(EVENTS, H200) == TABLE


@pytest.mark.parametrize(
    ("threads", "registers", "shared", "blocks"),
    [
        (1024, 16, 0, 2),  # threads
        (32, 16, 0, 32),  # blocks
        (128, 255, 0, 2),  # registers, of which a warp gets 8192
        (128, 33, 0, 12),  # a warp gets 1280 for 1056
        (128, 16, 100 * 1024, 2),  # shared memory, with 1 KiB of each block's own
        (1024, 255, 0, 1),  # what is launched fits
    ],
)
def test_resident_blocks(threads: int, registers: int, shared: int, blocks: int) -> None:
    assert resident_blocks(H200, threads, registers, shared) == blocks


def test_unknown_names(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["kernel_launches", "--ops", "nothing"])
    with pytest.raises(SystemExit) as ended:
        kernel_launches.main()
    assert ended.value.code == 2
    assert "error: there is no operation 'nothing'; operations are add, " in capsys.readouterr().err


@pytest.mark.skipif(torch.cuda.is_available(), reason="a GPU is there")
def test_without_gpu(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["kernel_launches", "--ops", "softmax"])
    assert kernel_launches.main() == 1
    assert capsys.readouterr().err == "no GPU found: there is nothing to trace\n"


@pytest.mark.gpu
def test_softmax(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = "--ops softmax --sizes small --providers ninetoothed torch"
    monkeypatch.setattr(sys, "argv", ["kernel_launches", *arguments.split()])
    assert kernel_launches.main() == 0
    printed = capsys.readouterr().out
    assert printed.startswith("\nsoftmax small fp16 contiguous: ninetoothed\n| kernel")
    assert "softmax_kernel" in printed
    assert "softmax small fp16 contiguous: torch\n| kernel" in printed
