"""Tests of kernels and of passes, for authors of either.

    from ninetoothed.testing import check_kernel

    check_kernel(kernel, (x, y, z), lambda x, y, z: x + y)

Beside it, for passes, with what ``pip install ninetoothed[testing]`` installs (pytest, hypothesis
and filecheck)::

    # conftest.py: .mlir files with RUN lines are tests
    from ninetoothed.testing import pytest_collect_file

    # test_my_pass.py
    from ninetoothed.testing import assert_preserves_meaning

    def test_meaning() -> None:
        assert_preserves_meaning(MyPass, after="nt-specialize")

``programs`` and ``arrangements`` are the hypothesis strategies that it draws from. Names are
resolved when they are first used: ``check_kernel`` needs none of these packages.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ninetoothed.errors import DependencyError

if TYPE_CHECKING:
    from ninetoothed.testing.filecheck import FilecheckFile, nt_opt, pytest_collect_file
    from ninetoothed.testing.kernel_checks import check_kernel
    from ninetoothed.testing.preserved_meaning import assert_preserves_meaning
    from ninetoothed.testing.program_runs import PassTrace
    from ninetoothed.testing.program_writer import Program
    from ninetoothed.testing.random_arrangements import arrange, arrangements
    from ninetoothed.testing.random_programs import programs

_PUBLIC = {
    "FilecheckFile": "filecheck",
    "PassTrace": "program_runs",
    "Program": "program_writer",
    "arrange": "random_arrangements",
    "arrangements": "random_arrangements",
    "assert_preserves_meaning": "preserved_meaning",
    "check_kernel": "kernel_checks",
    "nt_opt": "filecheck",
    "programs": "random_programs",
    "pytest_collect_file": "filecheck",
}
_OPTIONAL = ("filecheck", "hypothesis", "pytest")


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        module = importlib.import_module(f"{__name__}.{_PUBLIC[name]}")
    except ModuleNotFoundError as error:
        missing = str(error.name).partition(".")[0]
        if missing not in _OPTIONAL:
            raise
        raise DependencyError(
            f"{__name__}.{name} needs {missing}, which is not installed; "
            "pip install ninetoothed[testing]"
        ) from None
    return getattr(module, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_PUBLIC})


__all__ = [
    "FilecheckFile",
    "PassTrace",
    "Program",
    "arrange",
    "arrangements",
    "assert_preserves_meaning",
    "check_kernel",
    "nt_opt",
    "programs",
    "pytest_collect_file",
]
