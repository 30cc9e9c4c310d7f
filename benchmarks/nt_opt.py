"""Seconds of ``nt-opt``'s own, in fresh processes: without importing the user's file.

    python -m benchmarks.nt_opt [--repeats N]

``help``: ``--help``. ``module``: a small module is read and printed. ``attention``: the IR of the
attention kernel after every pass; what importing the file took, of which torch is the most, is
taken off, as ``--time-passes`` says it. Python's byte code is written by a process that does not
count, to a folder of this run.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_ROOT = Path(__file__).parents[1]
_MODULE = "nt.kernel @k arrange {\n  nt.arranged\n} apply {\n  nt.return\n}\n"
_ATTENTION = str(_ROOT / "examples" / "attention.py")
RUNS = {
    "help": ("--help",),
    "module": ("-",),
    "attention": (
        *(_ATTENTION, "--kernel", "attention_kernel", "--set", "is_causal=True"),
        *("--dump-ir", "--time-passes"),
    ),
}
"""The command lines."""
LIMITS = {"help": 0.15, "module": 0.4, "attention": 1.5}
"""Seconds that are meant, on a machine that does nothing else."""
_IMPORT = re.compile(r"^ +(\d+\.\d+) \(.*\)  Import$", re.MULTILINE)


def seconds(name: str, byte_code: Path) -> float:
    """The time of one process, with Python's byte code in this folder.

    Raises:
        subprocess.CalledProcessError: it failed.
    """
    variables = {"PYTHONPYCACHEPREFIX": str(byte_code), "PYTHONDONTWRITEBYTECODE": ""}
    begun = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "ninetoothed.tools.nt_opt", *RUNS[name]],
        cwd=_ROOT,
        env={**os.environ, **variables},
        input=_MODULE,
        capture_output=True,
        text=True,
        check=True,
    )
    taken = time.perf_counter() - begun
    return taken - sum(map(float, _IMPORT.findall(done.stderr)))


def main() -> None:
    """Print the least time and the median of each."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.nt_opt", description="nt-opt's own time"
    )
    parser.add_argument("--repeats", type=int, default=9, help="processes of each (default: 9)")
    repeats: int = parser.parse_args().repeats
    if repeats < 1:
        parser.error("--repeats must be 1 or more")
    print(f"{'run':10} {'least':>7} {'median':>7} {'meant':>7}")
    with tempfile.TemporaryDirectory(prefix="ninetoothed-byte-code-") as folder:
        for name, limit in LIMITS.items():
            seconds(name, Path(folder))
            found = sorted(seconds(name, Path(folder)) for _ in range(repeats))
            print(f"{name:10} {found[0]:7.3f} {found[repeats // 2]:7.3f} {limit:7.3f}")


if __name__ == "__main__":
    main()
