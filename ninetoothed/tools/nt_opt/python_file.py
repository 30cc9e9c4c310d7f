"""Python files as input: they are run, and their global variables hold the kernels."""

from __future__ import annotations

import importlib.util
import sys
import traceback
from collections.abc import Generator
from contextlib import contextmanager, suppress
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any

from ninetoothed.definition.definition import Definition
from ninetoothed.errors import (
    ArgumentError,
    NineToothedError,
    UndefinedNameError,
    did_you_mean,
)
from ninetoothed.kernel.kernel import Kernel


class PythonFile:
    """The kernels of a file, which is run as ``import`` does.

    Raises:
        OSError: it cannot be read.
        ArgumentError: its own code fails; with its part of the traceback.
    """

    def __init__(self, path: Path) -> None:
        self._folder = path.resolve().parent
        with _path(self._folder):
            self._bound = _global_names(path)
        self._kernels = {
            name: value for name, value in self._bound.items() if isinstance(value, Kernel)
        }

    def list(self) -> str:
        """A line a kernel: the variable, and the parameters behind the kernel's own name.

        Raises:
            UndefinedNameError: there is none.
        """
        self._require_some()
        lines: list[str] = []
        for name, kernel in self._kernels.items():
            definition = kernel.definition
            params = ", ".join(parameter.name for parameter in definition.parameters)
            lines.append(f"{name}: {definition.name}({params})\n")
        return "".join(lines)

    def find(self, name: str | None) -> Definition:
        """The kernel that ``name``, a name or a call, gives; None: the only one.

        Raises:
            UndefinedNameError: there is none, or several.
            ArgumentError: the call makes none.
        """
        if name is not None and not name.isidentifier():
            with _path(self._folder):
                return _made(self._bound, name).definition
        self._require_some()
        if name is None:
            distinct = [*dict.fromkeys(self._kernels.values())]
            if len(distinct) == 1:
                return distinct[0].definition
            raise UndefinedNameError(
                f"the file has several kernels; choose with --kernel: {', '.join(self._kernels)}"
            )
        for key, kernel in self._kernels.items():
            if name in (key, kernel.definition.name):
                return kernel.definition
        near = did_you_mean(name, self._kernels) or f"the file has {', '.join(self._kernels)}"
        raise UndefinedNameError(f"there is no kernel {name}; {near}")

    def _require_some(self) -> None:
        if not self._kernels:
            raise UndefinedNameError(
                "the file makes no kernel; bind one with ninetoothed.make or jit, or, where a "
                "function of the file makes it, give the call, as in --kernel 'make_kernel(64)'"
            )


def _global_names(path: Path) -> dict[str, Any]:
    """Global variables of a Python file, which is run."""
    path.open("rb").close()
    spec = importlib.util.spec_from_file_location(
        f"nt_opt_input.{path.stem}",
        path,
        loader=SourceFileLoader(f"nt_opt_input.{path.stem}", str(path)),
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Where a class of the file looks for its own module, as dataclasses do.
    sys.modules[module.__name__] = module
    try:
        spec.loader.exec_module(module)
    except NineToothedError:
        raise
    except (Exception, SystemExit) as error:
        raise ArgumentError(f"{path} cannot be run:\n{_report(error, path)}") from error
    return vars(module)


def _report(error: BaseException, path: Path) -> str:
    """The traceback of an error from the file's own lines on."""
    place = error.__traceback__
    while place is not None and place.tb_frame.f_code.co_filename != str(path):
        place = place.tb_next
    return "".join(traceback.format_exception(type(error), error, place)).rstrip()


@contextmanager
def _path(folder: Path) -> Generator[None]:
    """``sys.path`` with a folder in front, as under ``python file.py``."""
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        # The file may have done so.
        with suppress(ValueError):
            sys.path.remove(str(folder))


def _made(bound: dict[str, Any], call: str) -> Kernel:
    """The kernel that a call of a function of the file makes."""
    try:
        kernel = eval(call, dict(bound))
    except NineToothedError:
        raise
    except (Exception, SystemExit) as error:
        raise ArgumentError(f"--kernel {call}: {type(error).__name__}: {error}") from error
    if not isinstance(kernel, Kernel):
        raise ArgumentError(f"--kernel {call} is {kernel!r}; give a kernel, or what makes one")
    return kernel
