"""Public names of ``ninetoothed.testing``, and what is said where a package is missing."""

from __future__ import annotations

import subprocess
import sys

import pytest

from ninetoothed import testing
from tests.support.imports import ROOT


def test_every_name_is_found() -> None:
    for name in testing.__all__:
        assert getattr(testing, name).__name__ == name
    assert set(testing.__all__) <= set(dir(testing))


def test_an_unknown_name() -> None:
    with pytest.raises(AttributeError, match=r"module 'ninetoothed.testing' has no attribute 'x'"):
        testing.x  # noqa: B018


@pytest.mark.parametrize(
    ("name", "missing"),
    [
        ("FilecheckFile", "pytest"),
        ("nt_opt", "filecheck"),
        ("programs", "hypothesis"),
        ("assert_preserves_meaning", "hypothesis"),
    ],
)
def test_a_package_is_missing(name: str, missing: str) -> None:
    program = (
        "import sys\n"
        f"sys.modules[{missing!r}] = None\n"
        "from ninetoothed.errors import DependencyError\n"
        "from ninetoothed.testing import check_kernel\n"
        "try:\n"
        f"    from ninetoothed.testing import {name}\n"
        "except DependencyError as error:\n"
        "    print(error.message)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == (
        f"ninetoothed.testing.{name} needs {missing}, which is not installed; "
        "pip install ninetoothed[testing]\n"
    )
