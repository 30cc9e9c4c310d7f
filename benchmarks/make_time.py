"""Milliseconds that ``make()`` takes, of all kernels of each example, as JSON lines.

    python -m benchmarks.make_time [EXAMPLE…] [--repeats N]

Each measurement is a fresh process that has imported torch and the package. ``cold``: the cache is
an empty folder; ``warm``: the best of N processes that find in it what the cold one left.
``arrangement``, ``define`` and ``hash`` are parts of ``make``; ``full_collections`` is how often
Python's garbage collector went through everything, which takes longer than all else.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ninetoothed
from ninetoothed.definition.definition import Definition
from ninetoothed.fingerprint.digest import Examined
from ninetoothed.kernel import api

_EXAMPLES = Path(__file__).parent.parent / "examples"


def measured(example: str) -> dict[str, Any]:
    """What this process takes to import an example, whose kernels are made on the way."""
    # Not a part of make(), but of the process.
    importlib.import_module("torch")
    found: dict[str, Any] = {"kernels": 0, "make": 0.0, "arrangement": 0.0}
    found |= {"define": 0.0, "hash": 0.0}

    def time_calls(owner: Any, name: str, part: str) -> None:
        function: Callable[..., object] = getattr(owner, name)

        def timed(*arguments: object, **options: object) -> object:
            start = time.perf_counter()
            try:
                return function(*arguments, **options)
            finally:
                found[part] += 1000 * (time.perf_counter() - start)
                found["kernels"] += part == "make"

        setattr(owner, name, timed)

    time_calls(ninetoothed, "make", "make")
    time_calls(api, "run_arrangement", "arrangement")
    time_calls(api, "define", "define")
    time_calls(api, "examine", "hash")
    time_calls(Definition, "encoded", "hash")
    time_calls(Examined, "key", "hash")
    before = gc.get_stats()[2]["collections"]
    importlib.import_module(f"examples.{example}")
    found["full_collections"] = gc.get_stats()[2]["collections"] - before
    return found


def _process(example: str, folder: str) -> dict[str, Any]:
    variables = {
        "NINETOOTHED_CACHE_DIR": f"{folder}/cache",
        # Byte code is there, also where the environment forbids to write it.
        "PYTHONPYCACHEPREFIX": f"{folder}/byte_code",
        "PYTHONDONTWRITEBYTECODE": "",
    }
    command = [sys.executable, "-m", "benchmarks.make_time", "--here", example]
    done = subprocess.run(command, env=os.environ | variables, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def _line(example: str, cache: str, found: dict[str, Any]) -> str:
    shown = {part: round(value, 2) for part, value in found.items()}
    return json.dumps({"example": example, "cache": cache, **shown})


def main() -> None:
    """Print a line for each example and each state of the cache."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.make_time", description="how long make() takes"
    )
    examples = sorted(
        file.stem for file in _EXAMPLES.glob("*.py") if "ninetoothed.make(" in file.read_text()
    )
    parser.add_argument("examples", nargs="*", metavar="EXAMPLE", help="these only (default: all)")
    parser.add_argument("--repeats", type=int, default=7, help="warm processes (default: 7)")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    named: list[str] = arguments.examples or examples
    if unknown := [name for name in named if name not in examples]:
        parser.error(f"unknown examples {', '.join(unknown)}; valid are {', '.join(examples)}")
    if arguments.here:
        print(json.dumps(measured(named[0])))
        return
    with tempfile.TemporaryDirectory(prefix="ninetoothed-make-") as folder:
        for example in named:
            print(_line(example, "cold", _process(example, folder)), flush=True)
            warm = [_process(example, folder) for _ in range(arguments.repeats)]
            best = min(warm, key=lambda found: found["make"])
            print(_line(example, "warm", best), flush=True)


if __name__ == "__main__":
    main()
