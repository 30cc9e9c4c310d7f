"""Where a process's time goes: parts of imports and of functions."""

from __future__ import annotations

import builtins
import functools
import importlib
import os
import sys
import threading
import time
from collections.abc import Generator
from pathlib import Path

import pytest

from benchmarks.first_result import FUNCTIONS, PACKAGES, by_phase, uncompiled
from benchmarks.parts import Parts

MODULE = """\
from builtins import nine_wait as wait
import nine_inner

class Kernel:
    def compile(self):
        wait(20)
        load()

def load():
    wait(10)

wait(1)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Path]:
    """A folder that modules are imported from."""
    monkeypatch.syspath_prepend(str(tmp_path))
    before = list(sys.meta_path)
    yield tmp_path
    sys.meta_path[:] = before
    for name in ("nine_outer", "nine_inner"):
        sys.modules.pop(name, None)


def test_imports_and_functions(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]

    def wait(seconds: float) -> None:
        now[0] += seconds

    monkeypatch.setattr(builtins, "nine_wait", wait, raising=False)
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    (folder / "nine_outer.py").write_text(MODULE)
    (folder / "nine_inner.py").write_text("from builtins import nine_wait as wait\nwait(3)\n")
    parts = Parts({"nine_outer": {"Kernel.compile": "compile", "load": "load"}}, ["nine_outer"])
    parts.install()
    module = importlib.import_module("nine_outer")
    # What is imported inside is not its own.
    assert parts.seconds == {"import nine_outer": 1, "import others": 3}
    module.Kernel().compile()
    assert parts.seconds == {"import nine_outer": 1, "import others": 3, "compile": 20, "load": 10}
    thread = threading.Thread(target=module.load)
    thread.start()
    thread.join()
    assert parts.seconds["load"] == 10


def test_a_function_that_is_not_there(folder: Path) -> None:
    (folder / "nine_inner.py").write_text("")
    Parts({"nine_inner": {"load": "load"}}).install()
    with pytest.raises(AttributeError, match="load"):
        importlib.import_module("nine_inner")


def test_a_module_that_is_not_there(folder: Path) -> None:
    Parts({}).install()
    with pytest.raises(ModuleNotFoundError, match="No module named 'nine_inner'"):
        importlib.import_module("nine_inner")


def test_what_is_timed_of_ours_exists() -> None:
    for name, functions in FUNCTIONS.items():
        assert name.partition(".")[0] in PACKAGES
        for path in functions:
            assert callable(
                functools.reduce(getattr, path.split("."), importlib.import_module(name))
            )


def test_phases() -> None:
    seen = [{"import a": 1.0}, {"import a": 1.5, "make": 0.25}, {"import a": 1.5, "make": 0.25}]
    assert by_phase([10.0, 12.0, 13.0, 17.0], seen) == {
        "import a": 1.5,
        "make": 0.25,
        "rest of import": 1.0,
        "rest of make": 0.25,
        "rest of call": 4.0,
    }


def test_byte_code(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", None)
    (folder / "nine_inner.py").write_text("")
    module = importlib.import_module("nine_inner")
    cached = str(module.__cached__)
    assert os.path.exists(cached)
    written = os.stat(cached).st_mtime
    # It was there when a process started that started later.
    assert uncompiled([module, sys], written + 1) == 0
    assert uncompiled([module], written - 1) == 1
    os.unlink(cached)
    assert uncompiled([module], time.time()) == 1
