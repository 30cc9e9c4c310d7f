"""The machine, the versions and the commit that a run's figures belong to."""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import platform
import shutil
import subprocess
from pathlib import Path
from typing import Any

import torch

from benchmarks.records import Record
from ninetoothed.version import __version__

ROOT = Path(__file__).resolve().parent.parent
_SECONDS = 20


def add_outputs(parser: argparse.ArgumentParser) -> None:
    """The options of what git may not know, and where the results go."""
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the records there")
    parser.add_argument(
        "--commit",
        metavar="TEXT",
        help="the commit to be recorded, where a copy of the files is measured; "
        "default: what git says",
    )


def environment(benchmark: str, commit: str | None = None, **parameters: Any) -> Record:
    """The first record of a run: what this process runs on, and the run's parameters.

    Without a GPU, the device is the CPU. Whether there are changes to a ``commit`` that is given is
    not known.
    """
    changes = None
    if commit is None:
        commit = _answer("git", "-C", str(ROOT), "rev-parse", "HEAD")
        changes = _answer("git", "-C", str(ROOT), "status", "--porcelain")
    cuda: Any = torch.cuda
    on_gpu = cuda.is_available()
    device = cuda.get_device_properties(cuda.current_device()) if on_gpu else None
    driver = _answer("nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader")
    return {
        "kind": "environment",
        "benchmark": benchmark,
        "device": device.name if device else "CPU",
        "multiprocessors": device.multi_processor_count if device else 0,
        "l2_bytes": device.L2_cache_size if device else 0,
        "memory_bytes": device.total_memory if device else 0,
        "driver": driver.splitlines()[0].strip() if driver else None,
        "cuda": torch.version.cuda,
        "python": platform.python_version(),
        "torch": str(torch.__version__),
        "triton": _version("triton"),
        "ninetoothed": __version__,
        "commit": commit,
        "dirty": None if commit is None or changes is None else bool(changes),
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        **parameters,
    }


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _answer(program: str, *arguments: str) -> str | None:
    """What a program prints, or None: it is not installed, or fails."""
    path = shutil.which(program)
    if path is None:
        return None
    try:
        done = subprocess.run(
            [path, *arguments], capture_output=True, text=True, timeout=_SECONDS, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
