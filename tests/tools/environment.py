"""Environments of packages from outside: what is installed there, no other test sees."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
from dataclasses import dataclass
from pathlib import Path

from tests.support.imports import ROOT


@dataclass(frozen=True)
class Environment:
    """A virtual environment that sees this one's packages, and the project itself."""

    folder: Path

    @staticmethod
    def made(folder: Path) -> Environment:
        """A new one. Nothing is downloaded: what it needs is what this process has."""
        venv.create(folder, symlinks=True)
        environment = Environment(folder)
        paths = [str(ROOT), sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]
        site = environment.run("-c", "import sysconfig; print(sysconfig.get_path('purelib'))")
        lines = "".join(f"{path}\n" for path in dict.fromkeys(paths))
        (Path(site.strip()) / "outer.pth").write_text(lines, encoding="utf-8")
        return environment

    def install(self, package: Path) -> None:
        """Install a package from its folder, as ``pip install`` does, without a network."""
        offline = ("--no-index", "--no-deps", "--no-build-isolation", "--quiet")
        self.run("-m", "pip", "--disable-pip-version-check", "install", *offline, str(package))

    def run(self, *arguments: str, cwd: Path | None = None) -> str:
        """Standard output of a run of its Python.

        Raises:
            AssertionError: it fails; with what it printed.
        """
        python = self.folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
        variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        done = subprocess.run(
            [str(python), *arguments],
            cwd=self.folder if cwd is None else cwd,
            env=variables,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, f"{arguments}\n{done.stdout}{done.stderr}"
        return done.stdout
