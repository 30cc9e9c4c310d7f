"""Files of ``nt-opt --dump-ir`` of the examples' kernels."""

from __future__ import annotations

from pathlib import Path

from ninetoothed.testing.filecheck import nt_opt
from tests.support.example_kernels import ExampleKernel


def dump(kernel: ExampleKernel, folder: Path, *options: str) -> tuple[list[Path], str]:
    """What a run with ``options`` writes to ``folder``, and what it prints.

    Of files one behind the other that hold the same module, the first: what a test does with it
    goes through the passes of all, which change nothing.
    """
    done = nt_opt([*kernel.arguments, *options, f"--dump-ir={folder}"])
    assert done.code == 0, done.err
    files = sorted(folder.iterdir())
    assert len(files) > 1
    modules = ["", *(module_of(path) for path in files)]
    pairs = zip(files, modules[1:], modules[:-1], strict=True)
    return [path for path, module, before in pairs if module != before], done.out


def module_of(path: Path) -> str:
    """The text of a file without the comments that it begins with."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("//"))
