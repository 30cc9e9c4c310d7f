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

from benchmarks.results import Environment
from ninetoothed.version import __version__

_ROOT = Path(__file__).resolve().parent.parent
_SECONDS = 20


def add_outputs(parser: argparse.ArgumentParser) -> None:
    """The options of what git may not know, and where the results go."""
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results there")
    parser.add_argument(
        "--commit",
        metavar="TEXT",
        help="the commit to be recorded, where a copy of the files is measured; "
        "default: what git says",
    )


def environment(commit: str | None = None) -> Environment:
    """What this process runs on now: the current GPU, or the CPU where there is none.

    Whether there are changes to a ``commit`` that is given is not known.
    """
    changes = None
    if commit is None:
        commit = _answer("git", "-C", str(_ROOT), "rev-parse", "HEAD")
        changes = _answer("git", "-C", str(_ROOT), "status", "--porcelain")
    device = _device()
    return Environment(
        device="CPU" if device is None else device.name,
        multiprocessors=0 if device is None else device.multi_processor_count,
        l2_bytes=0 if device is None else device.L2_cache_size,
        memory_bytes=0 if device is None else device.total_memory,
        driver=_driver(),
        cuda=torch.version.cuda,
        python=platform.python_version(),
        torch=str(torch.__version__),
        triton=_version("triton"),
        ninetoothed=__version__,
        commit=commit,
        dirty=None if commit is None or changes is None else bool(changes),
        date=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
    )


def _device() -> Any:
    """What torch knows of the current GPU, or None."""
    cuda: Any = torch.cuda
    return cuda.get_device_properties(cuda.current_device()) if cuda.is_available() else None


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _driver() -> str | None:
    answer = _answer("nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader")
    return answer.splitlines()[0].strip() if answer else None


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
