"""The fixtures and hooks of the tests: profiles, GPU tests, RUN lines, golden files, errors, and a
browser.
"""

from __future__ import annotations

import functools
import gc
import os
import shutil
import tempfile
import warnings
from pathlib import Path

import pytest
import torch

from ninetoothed.testing.filecheck import FilecheckFile
from tests.support import profiles
from tests.support.chromium import chromium as chromium
from tests.support.expected_errors import PROGRAMS, ErrorFile
from tests.support.golden import Golden

_FILECHECK = Path(__file__).parent / "filecheck"

profiles.load()


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--update-golden`` and ``--update-errors``."""
    parser.addoption("--update-golden", action="store_true", help="write the golden files anew")
    parser.addoption(
        "--update-errors", action="store_true", help="write the comments of wrong programs anew"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker that the ``golden`` fixture sets; keep nothing for the next session."""
    # Tests make cache folders, and none is used that others can write.
    os.umask(0o022)
    if "OMP_NUM_THREADS" not in os.environ:
        # As many processes test as there are cores, and threads that wait take the time of others.
        torch.set_num_threads(1)
        os.environ["OMP_NUM_THREADS"] = "1"
    if "NINETOOTHED_CACHE_DIR" not in os.environ:
        # The processes of one session inherit it.
        folder = tempfile.mkdtemp(prefix="ninetoothed-tests-")
        os.environ["NINETOOTHED_CACHE_DIR"] = folder
        config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))
    config.addinivalue_line("markers", "golden: compares with golden files (set by the fixture)")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what uses the ``golden`` fixture, so that ``-m golden`` finds it."""
    for item in items:
        if isinstance(item, pytest.Function) and "golden" in item.fixturenames:
            item.add_marker("golden")


def pytest_collection_finish() -> None:
    """Let the garbage collector leave alone what lasts, and look for cycles less often: IR is made
    of them, so that it takes a tenth of the time of all tests otherwise.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)


def pytest_collect_file(parent: pytest.Collector, file_path: Path) -> pytest.Collector | None:
    """Files with RUN lines below ``tests/filecheck``."""
    if file_path.suffix in (".mlir", ".py") and _FILECHECK in file_path.parents:
        return FilecheckFile.from_parent(parent, path=file_path)
    return None


def pytest_pycollect_makemodule(
    module_path: Path, parent: pytest.Collector
) -> pytest.Collector | None:
    """Files of wrong programs, which ``python_files`` names beside the tests; none is imported."""
    return (
        ErrorFile.from_parent(parent, path=module_path) if PROGRAMS in module_path.parents else None
    )


@functools.cache
def _gpu_missing() -> str | None:
    """Why GPU tests cannot run here, or None."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return None if torch.cuda.is_available() else "torch finds no GPU"


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip tests marked ``gpu`` where there is none."""
    if item.get_closest_marker("gpu") is not None and (reason := _gpu_missing()) is not None:
        pytest.skip(reason)


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """``golden(name, text)`` compares ``text`` with ``tests/golden/<name>``."""
    return Golden(update=bool(request.config.getoption("--update-golden")))
