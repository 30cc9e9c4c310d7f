"""What the tests of ``make test-docs`` share: the site, built once, and a Chromium."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.chromium import chromium as chromium
from tests.support.imports import ROOT
from tests.support.site_pages import Site


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The site, built from nothing; a warning of Sphinx is an error."""
    folder: Path = tmp_path_factory.mktemp("site")
    options = ["-W", "--keep-going", "--quiet", "-d", str(folder / "doctrees")]
    command = [sys.executable, "-m", "sphinx", *options, str(ROOT / "docs"), str(folder / "html")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    return Site(folder / "html")
