"""The code blocks of a page of the documentation, run as a reader would run them.

```python            all of a page, one behind the other, are one program
```python file=…     a file, which is written before
```shell run         commands, a line each, which run after the files are written
```text              what the program, or the commands before it, print
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from tests.support.imports import ROOT

_BLOCK = re.compile(r"^```([^\n{`]+)\n(.*?)^```$", re.M | re.S)


@dataclass(frozen=True)
class PagePrograms:
    """A page and its blocks: the words behind the fence, and the text."""

    path: Path

    @cached_property
    def blocks(self) -> list[tuple[str, str]]:
        """In order; of Sphinx's directives none."""
        found = _BLOCK.findall(self.path.read_text(encoding="utf-8"))
        return [(str(kind).strip(), str(text)) for kind, text in found]


@dataclass
class Printed:
    """What ran, beside what the page says: a pair for the program, and for each run of commands.

    Of commands a page need not show anything: None.
    """

    found: list[str] = field(default_factory=list[str])
    shown: list[str | None] = field(default_factory=list[str | None])


def run(page: PagePrograms, folder: Path) -> Printed:
    """Run a page's blocks in an empty folder.

    Raises:
        ValueError: there is a block that is of no kind that is run.
        AssertionError: something failed.
    """
    printed, program, shown, is_program = Printed(), "", "", True
    for kind, text in page.blocks:
        words = kind.split()
        if kind == "python":
            program, is_program = f"{program}\n{text}", True
        elif words[0] == "python" and words[1].startswith("file="):
            (folder / words[1].removeprefix("file=")).write_text(text, encoding="utf-8")
        elif kind == "shell run":
            printed.found.append("".join(_run(["bash", "-c", one], folder) for one in _lines(text)))
            printed.shown.append(None)
            is_program = False
        elif kind == "text" and is_program:
            shown += text
        elif kind == "text":
            printed.shown[-1] = text
        else:
            raise ValueError(f"{page.path}: a block of kind {kind!r} is not run")
    if program:
        path = folder / "program.py"
        path.write_text(program, encoding="utf-8")
        command = [sys.executable, "-W", "error", str(path)]
        printed.found.append(_run(command, folder, is_program=True))
        printed.shown.append(shown)
    return printed


def _lines(text: str) -> list[str]:
    return text.replace("\\\n", " ").splitlines()


def _run(command: list[str], folder: Path, is_program: bool = False) -> str:
    """What a command prints, as a terminal shows it; it has the project's tools on its path.

    Of a program, the standard error is left out: torch logs there, and our warnings are errors.
    """
    tools = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    environment = {
        "HOME": str(folder),
        "PATH": tools,
        "PYTHONPATH": str(ROOT),
        "NINETOOTHED_CACHE_DIR": os.environ["NINETOOTHED_CACHE_DIR"],
        "OMP_NUM_THREADS": "1",
    }
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE if is_program else subprocess.STDOUT,
        text=True,
    )
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout
